"""Goal: a lesson that repeats an answer to a run tells what speaks against that by now.

Method: `mark_taught` on questions with answers that stand, claims and conflicts.
"""

from __future__ import annotations

from dataclasses import replace

from agentx.kernel.clock import Millis
from agentx.kernel.text import CONTESTED
from agentx.kernel.vouching.standing import SAID_FOR_PERSON
from agentx.runs.asked import Escalation, PersonsAnswer
from agentx.runs.model import Conflict, Run, RunEvent
from agentx.runs.rendering import event_line, mark_taught, say_both
from agentx.wiring.taught.teaching import lessons_of

HUMAN = "human"


def answer(
    text: str, *, number: int = 1, via: str = "terminal", key: str = "a", why: str = ""
) -> PersonsAnswer:
    return PersonsAnswer(
        event_id=f"E{number}",
        at_ms=Millis(number),
        by="unverified" if why else HUMAN,
        text=text,
        via=via,
        owner="Ana" if key == "a" else "Bob",
        writer=f"clone-{key}",
        key=key,
        why=why,
    )


def ask(*answers: PersonsAnswer, claims: tuple[PersonsAnswer, ...] = ()) -> Escalation:
    bare = Escalation(
        id="ESC-000001", at_ms=Millis(0), actor="engineer", question="Drop it?", claims=claims
    )
    asked = replace(bare, answers=answers)
    stands = asked.standing
    if stands is None:
        return asked
    return replace(asked, resolution=stands.text, resolved_by=stands.by, resolved_ms=stands.at_ms)


def test_an_answer_within_other_words_is_not_the_answer() -> None:
    told = mark_taught(ask(answer("no")), "Drop it now")

    assert told == "answered otherwise since: no"
    # What a merge settled nobody answered: who cites the conflict says nothing against that.
    merged = replace(answer("lane-merged lane-001"), by="orchestrator")
    assert mark_taught(ask(merged), "Not two at once in mail.py") == ""


def test_an_answer_that_no_terminal_saw_says_so_also_where_it_tells_both() -> None:
    asked = ask(
        answer("yes", via="unconfirmed"),
        answer("no", number=2, key="b", via="unconfirmed"),
        claims=(answer("maybe", number=3, key="c", why="untrusted"),),
    )

    told = mark_taught(asked, say_both(asked))

    assert SAID_FOR_PERSON in told
    assert CONTESTED in told


def test_an_answer_that_settles_nothing_here_says_so_as_a_lesson() -> None:
    asked = ask(claims=(answer("yes", key="b", why="untrusted"),))

    assert mark_taught(asked, "yes") == (
        "claims a person, untrusted, of the writer clone-b: it settles nothing"
    )
    assert mark_taught(asked, "never") == "ESC-000001 has no such answer here"


def test_what_overruled_the_end_of_a_conflict_is_what_is_taught() -> None:
    asked = ask(answer("keep ours"), answer("keep theirs", number=2, via="unconfirmed", key="b"))
    clash = Conflict(
        id="CON-1",
        at_ms=Millis(0),
        operation="merge",
        lane="",
        files=("a.py",),
        escalation=asked.id,
        resolution="keep theirs",
        resolved_ms=Millis(2),
    )
    run = Run(id="r", escalations={asked.id: asked}, conflicts={clash.id: clash})

    [taught] = lessons_of(run)

    assert taught.content.text.endswith("Resolved: keep ours")
    assert taught.evidence == ("CON-1", asked.id)
    assert "Bob had answered otherwise: keep theirs" in taught.against
    said = RunEvent(
        id="E2",
        at_ms=Millis(2),
        run="r",
        actor=HUMAN,
        kind="conflict-resolved",
        detail={"conflict": "CON-1", "resolution": "keep theirs", "via": "unconfirmed"},
    )
    line = event_line(said, run)
    assert "human (unconfirmed) conflict-resolved" in line
    assert "Ana answered otherwise, which stands: keep ours" in line


def test_a_capital_more_makes_no_other_answer_and_a_sign_does() -> None:
    asked = ask(answer("keep < 3, never C++.", via="unconfirmed"))

    assert mark_taught(asked, "Keep < 3, never C++") == SAID_FOR_PERSON
    for other in ("keep > 3, never C++", "keep < 3, never C"):
        assert mark_taught(asked, other).startswith("answered otherwise since: ")
