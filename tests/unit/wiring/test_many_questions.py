"""Goal: what it takes to judge memories of questions grows with their number, not with its square.

Method: settled questions of one issue, a third of them in the same words, are judged as a recall
does it; how often each is read is counted, for some and for four times as many.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentx.clarification.facts import Answered, Resolved
from agentx.clarification.model import PERSON, Clarification, Ledger
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.watch.gathered import gather
from agentx.clarification.watch.later import tell_later
from agentx.kernel.clock import Millis
from agentx.kernel.roles import UNCONFIRMED
from agentx.observations.model import Observation
from agentx.recall.known.answers import read_decision
from agentx.wiring.vouched.witness import Witness
from tests.support.clarifying import after, clarification, project_at

SOME = 20
Count = Callable[[], int]


def settle(number: int) -> Clarification:
    """Return a question that a person answered, every third in the same words."""
    part = 0 if number % 3 == 0 else number
    at_ms = Millis(number * 1_000)
    asked = clarification(
        number, issue=1, to=PERSON, question=f"Shall I drop part {part}?", at_ms=at_ms
    )
    via = UNCONFIRMED if number % 2 else "terminal"
    said = Answered(at_ms=at_ms, by=PERSON, body=f"word {number}", via=via)
    return after(asked, said, Resolved(at_ms=at_ms, by=asked.asker))


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Count:
    """Return what tells how often a question was read since it was asked last."""
    reads = [0]
    plain = vars(Clarification)["answered"].fget

    def read(state: Clarification) -> object:
        reads[0] += 1
        return plain(state)

    monkeypatch.setattr(Clarification, "answered", property(read))

    def tell() -> int:
        found, reads[0] = reads[0], 0
        return found

    return tell


class Bearing:
    """A record that bears out all that a person is said to have decided."""

    stamp = ""

    def look_again(self) -> None:
        """Nothing changes."""

    def holds(self, name: str) -> bool:
        """Return that it is no person's own."""
        return not name

    def bears_out(self, one: Observation) -> bool:
        """Return that it is borne out."""
        return bool(one)


def judge(root: Path, patch: pytest.MonkeyPatch, total: int) -> list[Observation]:
    """Return memories of questions, as they are told."""
    project = project_at(root / str(total))
    project.paths.questions.mkdir(parents=True)
    states = tuple(settle(number) for number in range(1, total + 1))
    patch.setattr(LedgerStore, "read", lambda *_: Ledger(issue=1, clarifications=states))
    witness = Witness(project, Bearing(), lambda _name: None)  # type: ignore[arg-type]
    witness.look_again()
    return [witness.judge(one) for one in map(read_decision, states) if one is not None]


def test_what_is_judged_takes_as_long_as_there_are_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: Count
) -> None:
    told = judge(tmp_path, monkeypatch, SOME)
    some = count()
    many = len(judge(tmp_path, monkeypatch, 4 * SOME))
    assert (len(told), many) == (SOME, 4 * SOME)
    assert count() < 5 * some, "the square is sixteen times as much"
    # The last of those in the same words that is sure stands.
    same = [one for one in told if "part 0?" in one.content]
    standing = [one.content for one in same if not (one.superseded_by or one.contested)]
    assert [content.partition(".")[0] for content in standing] == ["Session storage: word 18"]


def test_what_is_told_takes_as_long_as_there_are_questions(count: Count) -> None:
    reads = []
    for total in (SOME, 4 * SOME):
        states = gather(settle(number) for number in range(1, total + 1))
        count()
        assert len(tell_later(states, states)) == total
        reads.append(count())
    assert reads[1] < 5 * reads[0]
