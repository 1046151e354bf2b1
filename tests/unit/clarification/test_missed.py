"""Goal: what was read on GitHub too late contests what stands, by what was seen, in every clone.

Method: clones that keep such a reply, decide apart, and meet in either order.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentx.clarification.contested import find_contesting
from agentx.clarification.model import PERSON, Clarification, EntryType
from agentx.clarification.store.question_events import QuestionEventKind
from agentx.clarification.watch.matters import list_matters
from tests.support.clarifying import SCOPE, Room, request, room
from tests.unit.clarification.test_events import bring, clone, lines

ADA = "github/ada/7"
YES, NO, MORE = "yes", "NO", "yes, all of it"


def decided(root: Path) -> tuple[Room, Room, Clarification]:
    """Return two clones that know a person's answer."""
    one = room(root / "one")
    asked = one.clarifications.ask(request(to=PERSON), SCOPE)
    one.clock.advance(1_000)
    one.clarifications.answer(asked.id, YES, by=PERSON, via="terminal")
    return one, clone(one, root / "two", "d4e5f6"), asked


def look(here: Room, asked: Clarification) -> Clarification:
    return here.clarifications.find(asked.id)


def list_told(here: Room, asked: Clarification) -> list[tuple[str, str, bool]]:
    return [(each.body, each.via, each.late) for each in look(here, asked).thread]


@pytest.mark.parametrize("sooner", ["missed", "decided"])
def test_who_had_not_seen_it_does_not_end_it_whatever_the_clocks_say(
    tmp_path: Path, sooner: str
) -> None:
    one, two, asked = decided(tmp_path)
    one.clock.advance(1_000 if sooner == "missed" else 60_000)
    two.clock.advance(30_000)
    one.clarifications.keep_missed(asked.id, NO, via=ADA)
    two.clarifications.resolve(asked.id, MORE, by=PERSON, via="terminal")
    bring(one, two)
    bring(two, one)
    assert list_told(one, asked) == list_told(two, asked)
    for here in (one, two):
        contesting = find_contesting(look(here, asked))
        assert contesting is not None
        assert (contesting.body, contesting.account, contesting.comment) == (NO, "ada", 7)

    two.clock.advance(120_000)
    two.clarifications.resolve(asked.id, MORE, by=PERSON, via="terminal")
    bring(two, one)
    assert [find_contesting(look(here, asked)) for here in (one, two)] == [None, None]


def test_two_clones_that_kept_it_have_it_once_and_what_was_taken_was_not_missed(
    tmp_path: Path,
) -> None:
    one, two, asked = decided(tmp_path)
    for here in (one, two):
        for _ in range(2):
            here.clarifications.keep_missed(asked.id, NO, via=ADA)
    bring(one, two)
    bring(two, one)
    for here in (one, two):
        assert [each[0] for each in list_told(here, asked)].count(NO) == 1
        assert look(here, asked).answer == YES

    other = room(tmp_path / "other")
    again = other.clarifications.ask(request(to=PERSON), SCOPE)
    other.clarifications.answer(again.id, NO, by=PERSON, via=ADA)
    other.clarifications.keep_missed(again.id, NO, via=ADA)
    assert len(look(other, again).thread) == 2


@pytest.mark.parametrize("sooner", ["one", "two"])
def test_who_is_asked_anew_and_has_it_before_them_ends_it_in_every_clone(
    tmp_path: Path, sooner: str
) -> None:
    one, two, asked = decided(tmp_path)
    one.clarifications.resolve(asked.id, by=asked.asker)
    bring(one, two)
    (one if sooner == "two" else two).clock.advance(5_000)
    for here in (one, two):
        here.clarifications.keep_missed(asked.id, NO, via=ADA)
    one.clock.advance(60_000)
    anew = one.clarifications.ask(request(to=PERSON), SCOPE)
    assert find_contesting(look(one, asked)) is not None
    one.clarifications.answer(anew.id, YES, by=PERSON, via="terminal")
    assert find_contesting(look(one, asked)) is None
    bring(one, two)
    bring(two, one)
    assert list_told(one, asked) == list_told(two, asked)
    assert [find_contesting(look(here, asked)) for here in (one, two)] == [None, None]


@pytest.mark.parametrize("sooner", ["one", "two"])
def test_what_was_said_to_what_was_asked_before_is_said_to_that_in_every_clone(
    tmp_path: Path, sooner: str
) -> None:
    one, two, asked = decided(tmp_path)
    one.clock.advance(1_000)
    one.clarifications.follow_up(asked.id, "And the backups?", by=asked.asker)
    bring(one, two)
    (one if sooner == "two" else two).clock.advance(5_000)
    for here in (one, two):
        here.clarifications.keep_missed(asked.id, NO, via=ADA, to_asked=asked.uid)
    two.clock.advance(60_000)
    two.clarifications.answer(asked.id, MORE, by=PERSON, via="terminal")
    bring(one, two)
    bring(two, one)
    assert list_told(one, asked) == list_told(two, asked)
    for here in (one, two):
        state = look(here, asked)
        [said] = [each for each in state.thread if each.body == NO]
        assert state.question_of(said) == asked.question
        assert find_contesting(state) is None
        [matter] = list_matters(state)
        assert find_contesting(matter) == said


@pytest.mark.parametrize(
    ("first", "then", "is_over"),
    [
        ("terminal", "terminal", True),
        ("unconfirmed", "unconfirmed", True),
        ("terminal", "unconfirmed", False),
    ],
)
def test_what_is_in_more_doubt_and_says_otherwise_ends_nothing(
    tmp_path: Path, first: str, then: str, *, is_over: bool
) -> None:
    one = room(tmp_path / "one")
    asked = one.clarifications.ask(request(to=PERSON), SCOPE)
    one.clarifications.answer(asked.id, YES, by=PERSON, via=first)
    one.clarifications.resolve(asked.id, by=asked.asker)
    one.clarifications.keep_missed(asked.id, NO, via=ADA)
    one.clock.advance(1_000)
    anew = one.clarifications.ask(request(to=PERSON), SCOPE)
    one.clarifications.resolve(anew.id, "no", by=PERSON, via=then)
    assert (find_contesting(look(one, asked)) is None) == is_over
    again = one.clarifications.ask(request(to=PERSON), SCOPE)
    one.clarifications.resolve(again.id, YES, by=PERSON, via="terminal")
    assert find_contesting(look(one, asked)) is None


def test_who_does_not_know_of_it_reads_a_claim(tmp_path: Path) -> None:
    one, _, asked = decided(tmp_path)
    one.clarifications.keep_missed(asked.id, NO, via=ADA)
    kept = lines(one)[-1]
    assert kept["type"] == QuestionEventKind.ANSWERED
    assert (kept["via"], kept["missed"]) == ("untrusted", ADA)
    assert look(one, asked).thread[-1].type is EntryType.ANSWER
    one.clarifications.ledger(42)
    [row] = json.loads((one.paths.ledgers / "issue-42.json").read_bytes())["clarifications"]
    shown = row["thread"][-1]
    assert (shown["via"], shown["missed"], shown["late"]) == ("untrusted", ADA, True)
