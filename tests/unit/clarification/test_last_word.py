"""Goal: of two questions in the same words, the one that a person spoke to last marks the other.

Method: two clones ask a person the same before they meet; people speak to both, in every order,
with clocks that go wrong, and each clone is looked at as it is and with its view made again.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON, Clarification
from agentx.clarification.store.vouching.sight import list_seen, sum_up
from agentx.clarification.watch.later import tell_later
from agentx.kernel.roles import UNCONFIRMED
from agentx.wiring.clarifications import list_told
from tests.support.clarifying import Room, request, room
from tests.unit.clarification.test_events import bring, clone, lines, view
from tests.unit.clarification.test_offshoots import meet

pytestmark = pytest.mark.promise("clarify.merge")

ONE, TWO, THREE = "CLR-42-001", "CLR-42-002", "CLR-42-003"
SAME = request(to=PERSON)
HOUR_MS = 3_600_000


def ask_apart(root: Path) -> tuple[Room, Room]:
    """Return two clones, in each of which a person was asked the same; they have met since."""
    one = room(root / "one")
    one.ask(request(to=PERSON, topic="Something else"))
    two = clone(one, root / "two", "d4e5f6")
    one.clarifications.resolve("CLR-42-001", "as you like", by=PERSON)
    for here in (one, two):
        here.clock.advance(1_000)
        here.ask(SAME)
    meet(one, two)
    return one, two


def list_same(here: Room) -> tuple[Clarification, ...]:
    """Return the questions in the same words, with what was decided of each since."""
    found = tuple(each for each in here.clarifications.ledger(42) if each.topic == SAME.topic)
    return tell_later(found, found)


def say(here: Room, turn: int, text: str, via: str = "terminal") -> None:
    asked = list_same(here)[turn]
    here.clarifications.answer(asked.id, text, by=PERSON, via=via)


def look(here: Room) -> list[str]:
    """Return what each is marked with, which is the same once the view is made again."""
    told = [each.decided_later for each in list_same(here)]
    view(here).unlink()
    assert [each.decided_later for each in list_same(here)] == told
    return told


@pytest.mark.parametrize("turns", [(0, 1), (1, 0)])
@pytest.mark.parametrize("clones", ["one", "both"])
@pytest.mark.parametrize("ahead_ms", [0, HOUR_MS, -HOUR_MS])
@pytest.mark.parametrize("settled", [False, True])
def test_the_last_word_marks_the_other(
    tmp_path: Path, turns: tuple[int, int], clones: str, *, ahead_ms: int, settled: bool
) -> None:
    one, two = ask_apart(tmp_path)
    say(one, turns[0], "YES")
    meet(one, two)
    last = one if clones == "one" else two
    last.clock.advance(ahead_ms)  # what was seen is earlier, whatever the clock says
    say(last, turns[1], "NO")
    if settled:
        for each in list_same(last):
            last.clarifications.resolve(each.id)
    meet(one, two)
    for here in (one, two):
        names = [each.id for each in list_same(here)]
        marks = [f"NO ({names[turns[1]]})", ""]
        assert look(here) == [marks[turn] for turn in turns]


def test_what_a_person_says_carries_what_was_said_to_the_same_elsewhere(tmp_path: Path) -> None:
    one, two = ask_apart(tmp_path)
    say(one, 0, "YES")
    meet(one, two)
    say(two, 1, "NO")
    judged = two.store.list_judged(42)
    first, last = (
        next(each for each in judged if each.detail.get("body") == body) for body in ("YES", "NO")
    )
    assert sum_up(first) in (list_seen(last) or ())


def test_it_carries_what_was_said_to_whichever_role_asked_it_however_it_was_typed(
    tmp_path: Path,
) -> None:
    here = room(tmp_path)
    for asker, question, said in (
        ("engineer", SAME.question, "YES"),
        ("engineer", "Another one?", "MAYBE"),
        ("tester", f"`{SAME.question.rstrip('?')}`", "NO"),
    ):
        here.clock.advance(1_000)
        asked = here.ask(replace(SAME, asker=asker, question=question))
        here.clarifications.answer(asked.id, said, by=PERSON, via="terminal")
    first, other, last = (
        next(each for each in here.store.list_judged(42) if each.detail.get("body") == body)
        for body in ("YES", "MAYBE", "NO")
    )
    seen = list_seen(last) or ()
    assert (sum_up(first) in seen, sum_up(other) in seen) == (True, False)


def test_who_says_the_same_marks_nothing(tmp_path: Path) -> None:
    one, two = ask_apart(tmp_path)
    say(one, 0, "YES")
    say(one, 1, " YES")
    meet(one, two)
    assert look(one) == look(two) == ["", ""]


@pytest.mark.parametrize("seed", range(12))
def test_in_any_order_just_one_word_stands_and_every_clone_knows_which(
    tmp_path: Path, seed: int
) -> None:
    chance, rooms = random.Random(seed), ask_apart(tmp_path)
    texts = (f"word {number}" for number in itertools.count())
    for _ in range(8):
        here = chance.choice(rooms)
        here.clock.advance(chance.choice((5, 60_000, -60_000)))
        turn = chance.randrange(2)
        if list_same(here)[turn].is_unanswered:
            say(here, turn, next(texts))
        if not chance.randrange(3):
            bring(*chance.sample(rooms, 2))
    meet(*rooms)
    [first, second] = (look(here) for here in rooms)
    assert first == second, "both clones tell the same"
    asked = list_same(rooms[0])
    words = [each.persons_word for each in asked]
    assert all(words)
    # What was said last was said with an id that is later than all that its writer had seen.
    said = [line for here in ("a1b2c3", "d4e5f6") for line in lines(rooms[0], here)]
    ids = {line.get("body"): line["id"] for line in said if line["type"] == "answered"}
    last = max(words, key=lambda word: ids[word.body if word else ""])
    at = words.index(last)
    assert last is not None
    assert (first[at], first[1 - at]) == ("", f"{last.body} ({asked[at].id})")


def test_what_waits_is_told_what_a_person_said_to_the_same_since(tmp_path: Path) -> None:
    one, two = ask_apart(tmp_path)
    assert [each.decided_meanwhile for each in list_same(one)] == ["", ""]
    say(one, 0, "YES")
    meet(one, two)
    for here in (one, two):
        said, waiting = list_same(here)
        assert (said.decided_meanwhile, waiting.is_unanswered) == ("", True), "nobody's answer"
        assert waiting.decided_meanwhile == f"YES ({said.id})"
    say(two, 1, "NO")
    assert [each.decided_meanwhile for each in list_same(two)] == ["", ""]


def test_what_was_said_before_it_was_asked_was_not_said_meanwhile(tmp_path: Path) -> None:
    here = room(tmp_path)
    first = here.ask(SAME)
    here.clarifications.answer(first.id, "YES", by=PERSON, via="terminal")
    here.clarifications.resolve(first.id)
    here.clock.advance(-HOUR_MS)
    here.ask(SAME)
    assert [each.decided_meanwhile for each in list_same(here)] == ["", ""]


SURE, UNSURE = "terminal", UNCONFIRMED
# What people say one after the other, each to the same asked anew, and what each is marked with.
DOUBTED = "contested by a person's unconfirmed word to {} says otherwise"
HAD = "contested by a person had decided otherwise: {} ({})"
SAID_IN_TURN = {
    "a sure YES, an unsure NO": (
        [("YES", SURE), ("NO", UNSURE)],
        [DOUBTED.format(TWO), HAD.format("YES", ONE)],
    ),
    "an unsure YES, a sure NO": ([("YES", UNSURE), ("NO", SURE)], [f"later NO ({TWO})", ""]),
    "the same, less sure": ([("YES", SURE), (" YES", UNSURE)], ["", ""]),
    "confirmed at last": (
        [("YES", SURE), ("NO", UNSURE), ("NO, by hand", SURE)],
        [f"later NO, by hand ({THREE})", f"later NO, by hand ({THREE})", ""],
    ),
    "the unsure NO is confirmed in its words": (
        [("YES", SURE), ("NO", UNSURE), ("NO", SURE)],
        [f"later NO ({THREE})", "", ""],
    ),
    "the unsure NO is taken back, unsure as well": (
        [("YES", SURE), ("NO", UNSURE), ("YES", UNSURE)],
        ["", f"later YES (unconfirmed, {THREE})", ""],
    ),
    "the sure YES is said once more": (
        [("YES", SURE), ("NO", UNSURE), ("YES", SURE)],
        ["", f"later YES ({THREE})", ""],
    ),
    "an unsure NO, before and after a sure YES": (
        [("NO", UNSURE), ("YES", SURE), ("NO", UNSURE)],
        [HAD.format("YES", TWO), DOUBTED.format(THREE), HAD.format("YES", TWO)],
    ),
    "an unsure NO, said twice": (
        [("YES", SURE), ("NO", UNSURE), ("NO", UNSURE)],
        [DOUBTED.format(THREE), HAD.format("YES", ONE), HAD.format("YES", ONE)],
    ),
    "two that are sure, and one that is not": (
        [("YES", SURE), ("NO", SURE), ("YES", UNSURE)],
        [f"later NO ({TWO})", DOUBTED.format(THREE), HAD.format("NO", TWO)],
    ),
}


@pytest.mark.parametrize("settled", [False, True])
@pytest.mark.parametrize("case", SAID_IN_TURN)
def test_what_is_in_doubt_takes_nothing_back_and_contests(
    tmp_path: Path, case: str, settled: bool
) -> None:
    said, marks = SAID_IN_TURN[case]
    here = room(tmp_path)
    for turn, (text, via) in enumerate(said):
        here.clock.advance(1_000)
        here.ask(SAME)
        say(here, turn, text, via)
        if settled or turn < len(said) - 1:
            here.clarifications.resolve(list_same(here)[turn].id)
    assert [mark_of(each) for each in list_same(here)] == marks


def test_what_another_role_was_told_in_doubt_contests_what_was_settled_long_ago(
    tmp_path: Path,
) -> None:
    here = room(tmp_path)
    for turn, (asker, via) in enumerate((("engineer", SURE), ("tester", UNSURE))):
        here.ask(replace(SAME, asker=asker, topic=("Session storage", "`session` storage.")[turn]))
        name = f"CLR-42-00{turn + 1}"
        here.clarifications.answer(name, f"word {turn}", by=PERSON, via=via)
        here.clarifications.resolve(name)
        here.clock.advance(40 * 24 * HOUR_MS if turn == 0 else 1_000)
    assert [each.id for each in list_told(here.clarifications.survey())] == [TWO]


def mark_of(state: Clarification) -> str:
    """Return what is told beside a question."""
    later = f"later {state.decided_later}" if state.decided_later else ""
    contested = f"contested by {state.contested_by}" if state.contested_by else ""
    return "; ".join(filter(None, (later, contested)))


def test_a_question_that_is_asked_anew_ends_no_contest_until_it_is_answered(tmp_path: Path) -> None:
    here = room(tmp_path)
    for turn, via in enumerate((SURE, UNSURE)):
        here.ask(SAME)
        say(here, turn, f"word {turn}", via)
        here.clarifications.resolve(list_same(here)[turn].id)
    here.ask(SAME)
    assert [mark_of(each) for each in list_same(here)[:2]] == [
        DOUBTED.format(TWO),
        HAD.format("word 0", ONE),
    ]


def test_of_two_follow_ups_in_the_same_words_the_last_word_marks_the_other(tmp_path: Path) -> None:
    one = room(tmp_path / "one")
    one.ask(SAME)
    one.clarifications.answer(ONE, "NO, never drop it", by=PERSON, via="terminal")
    two = clone(one, tmp_path / "two", "d4e5f6")
    for here, said in ((one, "YES"), (two, "NO")):
        here.clock.advance(1_000 if here is one else 9_000)
        here.clarifications.follow_up(ONE, "May I rename it?", by="engineer")
        here.clarifications.answer(ONE, said, by=PERSON, via="terminal")
    meet(one, two)

    for here in (one, two):
        told = {each.answer: each.decided_later.partition(" (")[0] for each in list_same(here)}
        assert told == {"YES": "NO", "NO": ""}
