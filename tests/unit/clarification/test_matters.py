"""Goal: what a person said to what a thread asked before is read by itself, and nothing else is.

Method: threads made of facts, looked at as they grow.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from agentx.clarification.contested import find_contesting
from agentx.clarification.facts import Answered, Asked, Resolved
from agentx.clarification.model import (
    PERSON,
    Clarification,
    ClarificationStatus,
    Entry,
    EntryType,
)
from agentx.clarification.watch.gathered import gather
from agentx.clarification.watch.later import find_otherwise, is_come_to
from agentx.clarification.watch.matters import find_asked_again, list_matters
from agentx.clarification.ways import LET_GO, UNTRUSTED
from agentx.kernel.clock import Millis
from agentx.kernel.errors import IllegalTransition
from agentx.kernel.roles import UNCONFIRMED
from agentx.recall.known.answers import list_decisions
from tests.support.clarifying import after, clarification
from tests.support.time_and_chance import START_MS

DROP, RENAME, INDEX = "Shall I drop it?", "May I rename it?", "May I index it?"


def ask(number: int = 1, question: str = DROP, *, to: str = PERSON) -> Clarification:
    return clarification(number, to=to, question=question)


def count_ms(state: Clarification) -> Millis:
    return Millis(START_MS + len(state.thread))


def say(state: Clarification, body: str, *, by: str = PERSON, via: str = "") -> Clarification:
    return after(state, Answered(at_ms=count_ms(state), by=by, body=body, via=via))


def ask_on(state: Clarification, question: str) -> Clarification:
    at_ms = count_ms(state)
    return after(state, Asked(at_ms=at_ms, by=state.asker, body=question))


def settle(state: Clarification) -> Clarification:
    return after(state, Resolved(at_ms=count_ms(state), by=state.asker))


def tell(state: Clarification) -> list[tuple[str, str]]:
    """Return what each matter asked, and what was said to it."""
    found = list_matters(state)
    assert all(each.status is ClarificationStatus.RESOLVED for each in found)
    words = ((each.question, each.persons_word) for each in found)
    return [(asked, word.body) for asked, word in words if word is not None]


def test_each_thing_that_was_asked_before_is_a_matter_also_while_the_thread_is_open() -> None:
    state = say(ask(), "NO")
    assert tell(state) == []  # it is what the thread asks now
    state = ask_on(state, RENAME)
    assert tell(state) == [(DROP, "NO")]
    state = say(state, "Yes")
    assert tell(state) == [(DROP, "NO")]
    assert tell(settle(state)) == [(DROP, "NO")]
    state = say(ask_on(state, INDEX), "Yes")
    assert tell(state) == tell(settle(state)) == [(DROP, "NO"), (RENAME, "Yes")]


def test_what_is_asked_again_in_the_same_words_stands_until_that_is_settled() -> None:
    state = ask_on(say(ask_on(say(ask(), "NO"), RENAME), "Yes"), "May I drop it")
    assert tell(state) == [(DROP, "NO"), (RENAME, "Yes")]
    again = find_asked_again(state)
    assert again is not None
    assert again.question == DROP
    answered = say(state, "YES now")
    assert [each.decided_later for each in list_matters(answered)] == ["YES now (CLR-42-001)", ""]
    assert find_asked_again(answered) is None
    assert tell(settle(answered)) == [(RENAME, "Yes")]


def test_what_is_asked_again_and_answered_for_the_person_contests_what_they_typed() -> None:
    state = say(ask_on(say(ask(), "NO", via="terminal"), DROP), "YES", via=UNCONFIRMED)
    [matter] = list_matters(state)
    assert matter.contested_by == "a person's unconfirmed word to CLR-42-001 says otherwise"
    assert matter.decided_later == ""


def test_what_was_said_last_to_the_same_is_what_its_matter_says() -> None:
    state = ask_on(say(ask_on(say(ask(), "NO"), DROP), "YES"), RENAME)
    assert tell(state) == [(DROP, "YES")]


def test_what_an_agent_answered_before_is_no_matter() -> None:
    state = ask_on(say(ask(to="architect"), "NO", by="architect"), RENAME)
    assert tell(state) == []


def test_what_a_person_decides_last_leaves_what_they_said_before_as_it_was() -> None:
    state = ask_on(say(ask(), "NO"), RENAME)
    settled = after(state, Resolved(at_ms=Millis(START_MS + 9), by=PERSON, body="leave it all"))
    assert tell(settled) == [(DROP, "NO")]
    [whole, matter] = [decision.content for _, decision in list_decisions(settled)]
    assert "leave it all. Decided by a person, asked: May I rename it?" in whole
    assert "NO. Decided by a person, asked: Shall I drop it?" in matter


@pytest.mark.parametrize("is_settled", [False, True])
def test_what_a_matter_came_to_is_told_by_memory(*, is_settled: bool) -> None:
    state = ask_on(say(ask(), "NO"), RENAME)
    state = settle(say(state, "Yes")) if is_settled else state
    [word] = [each for each in state.thread if each.body == "NO"]
    assert is_come_to(state, word)
    assert not is_come_to(say(ask(), "NO"), word)


def test_a_matter_falls_to_what_is_said_to_the_same_elsewhere_and_the_thread_does_not() -> None:
    state = settle(say(ask_on(say(ask(), "NO"), RENAME), "Yes"))
    later = after(ask(2), Answered(at_ms=Millis(START_MS + 60), by=PERSON, body="YES now"))
    known = gather((state, later))
    [matter] = list_matters(state)
    assert find_otherwise(state, known) is None
    found = find_otherwise(matter, known)
    assert found is not None
    assert found[1].body == "YES now"


def test_a_matter_is_contested_by_what_was_surely_said_in_its_thread() -> None:
    asked = ask_on(say(ask(), "NO", via="terminal"), "May I drop it?")
    state = ask_on(say(asked, "YES", via=UNCONFIRMED), RENAME)
    [matter] = list_matters(state)
    contesting = find_contesting(matter)
    assert contesting is not None
    assert contesting.body == "NO"


@pytest.mark.parametrize("seed", range(40))
def test_the_last_word_to_each_thing_is_told_once_whatever_a_thread_goes_through(seed: int) -> None:
    chance = random.Random(seed)
    asked, last = DROP, dict[str, str]()
    state = clarification(1, to=PERSON, question=asked, rounds_max=20)
    for turn in range(chance.randint(2, 12)):
        if state.status is ClarificationStatus.PENDING:
            last[asked] = f"word {turn}"
            state = say(state, last[asked], via=chance.choice(("terminal", UNCONFIRMED)))
        else:
            asked = chance.choice((DROP, RENAME, INDEX))
            state = ask_on(state, asked)
    state = settle(state) if state.status is ClarificationStatus.ANSWERED else state
    word = state.persons_word if state.status is ClarificationStatus.RESOLVED else None
    now = [] if word is None else [(state.question_of(word), word.body)]
    assert sorted([*tell(state), *now]) == sorted(last.items())


def test_who_would_take_a_decision_back_is_told_what_stands() -> None:
    state = ask_on(say(ask(), "NO, never"), RENAME)
    state = after(state, Resolved(at_ms=count_ms(state), by=PERSON, body="YES, go"))
    with pytest.raises(IllegalTransition, match="human answered: YES, go; yours is not kept"):
        say(state, "NO, wait")


def test_what_is_claimed_to_a_question_that_does_not_count_is_not_claimed_to_another() -> None:
    kept = (
        Entry(round=1, speaker=PERSON, type=kind, body=body, at_ms=START_MS, late=True, via=way)
        for kind, body, way in (
            (EntryType.ANSWER, "NO, never", UNTRUSTED),
            (EntryType.QUESTION, RENAME, UNTRUSTED),
            (EntryType.ANSWER, "YES, go", UNTRUSTED),
        )
    )
    state = ask()
    state = replace(state, thread=(*state.thread, *kept))
    assert state.claim is not None
    assert state.claim.body == "NO, never"


@pytest.mark.parametrize("again", [DROP, "May I drop it?", "shall I  drop it"])
def test_who_lets_a_question_go_takes_back_no_word_to_it_in_other_words(again: str) -> None:
    asked = ask_on(say(ask(), "No"), INDEX)
    asked = ask_on(say(asked, "Yes"), again)
    at_ms = count_ms(asked)
    gone = after(asked, Resolved(at_ms=at_ms, by=PERSON, body=LET_GO))
    assert gone.decision is not None
    assert (gone.decision.body, gone.question_of(gone.decision)) == ("No", DROP)
    other = ask_on(say(ask(), "No"), RENAME)
    other = after(other, Resolved(at_ms=at_ms, by=PERSON, body=LET_GO))
    assert other.decision is not None
    assert other.decision.body == LET_GO  # nobody said anything to that
