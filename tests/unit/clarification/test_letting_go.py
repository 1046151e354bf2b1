"""Goal: who lets a question go takes nothing back that was said to it, in whichever words they do.

Method: threads made of facts: a person answers, and settles it in all kinds of words.
"""

from __future__ import annotations

import pytest

from agentx.clarification.contested import find_contesting, say_contested
from agentx.clarification.data import as_data
from agentx.clarification.facts import Answered, Asked, Escalated, Resolved
from agentx.clarification.model import PERSON, Clarification, Reason
from agentx.clarification.protocol import apply_fact
from agentx.clarification.rendering import inbox_line, name_decider, say_decision
from agentx.clarification.summary import tell_contested
from agentx.clarification.watch.gathered import gather, key_asked
from agentx.clarification.watch.later import tell_in_doubt
from agentx.clarification.ways import LET_GO
from agentx.kernel.clock import Millis
from agentx.kernel.errors import IllegalTransition
from agentx.kernel.roles import UNCONFIRMED
from tests.support.clarifying import after, clarification
from tests.support.time_and_chance import START_MS

NO, YES = "No, never drop it.", "Yes, drop it."
PHRASED = f"May we drop it? Say no or: {LET_GO}"


def count_ms(state: Clarification) -> Millis:
    return Millis(START_MS + len(state.thread))


def ask(question: str = "May we drop it?") -> Clarification:
    return clarification(to=PERSON, question=question)


def say(state: Clarification, body: str, via: str = "terminal") -> Clarification:
    return after(state, Answered(at_ms=count_ms(state), by=PERSON, body=body, via=via))


def ask_on(state: Clarification, question: str) -> Clarification:
    return after(state, Asked(at_ms=count_ms(state), by=state.asker, body=question))


def settle(state: Clarification, body: str = "", via: str = "terminal") -> Clarification:
    return after(state, Resolved(at_ms=count_ms(state), by=PERSON, body=body, via=via))


def call(state: Clarification) -> Clarification:
    return after(state, Escalated(at_ms=count_ms(state), reason=Reason.MANUAL))


@pytest.mark.parametrize(
    "words",
    [
        LET_GO,
        f'"{LET_GO}"',
        f"\u201c{LET_GO.capitalize()}.\u201d",
        f"{LET_GO.capitalize()}, thanks",
        f"{LET_GO}, please.",
        f"{LET_GO}, thank you!",
    ],
)
def test_the_words_that_are_offered_let_go_however_they_are_typed(words: str) -> None:
    state = settle(say(ask(), NO), words)
    assert say_decision(state) == NO
    assert f"decided Session storage: {NO}" in inbox_line(state, "engineer", START_MS)


@pytest.mark.parametrize("words", ["drop it", f"{LET_GO} and drop it", YES])
def test_who_decides_otherwise_than_they_had_answered_is_told_with_that(words: str) -> None:
    state = settle(say(ask(), NO), words)
    told = f"{words} (a person had answered: {NO})"
    assert say_decision(state, named=True, chars_max=400) == told
    assert told in inbox_line(state, "engineer", START_MS)
    again = settle(say(ask(), NO), NO)
    assert say_decision(again) == NO


@pytest.mark.parametrize(
    "asked",
    [
        "Shall I stop, or **go on** with what is known?",
        "Stop, or `go on` with _what_ is known?",
        'Stop or "Go on, with what is known"?',
        "Stop or go\u200b on with what\u00a0is known?",
        "Stop or \uff47\uff4f \uff4f\uff4e with what is known?",
    ],
)
def test_a_question_has_the_words_also_where_they_are_set_off(asked: str) -> None:
    state = settle(say(ask(asked), NO), LET_GO)
    assert say_decision(state) == f"{LET_GO} (a person had answered: {NO})"
    assert LET_GO not in call(ask(asked)).summary.partition("Options:")[2]


def test_a_topic_that_has_the_words_asks_with_them() -> None:
    plan = clarification(to=PERSON, topic=f"Stop, or {LET_GO}?", question="Which of both?")
    assert say_decision(settle(say(plan, NO), LET_GO)).startswith(LET_GO)
    assert LET_GO not in call(plan).summary.partition("Options:")[2]
    nearby = ask("Shall I go on? I told you with what it is known.")
    assert say_decision(settle(say(nearby, NO), LET_GO)) == NO


def test_words_that_a_question_has_are_not_offered_for_letting_it_go() -> None:
    assert LET_GO in call(ask()).summary
    assert LET_GO not in call(ask(PHRASED)).summary.partition("Options:")[2]
    state = settle(say(ask(PHRASED), NO), LET_GO)  # they answer it
    assert say_decision(state) == f"{LET_GO} (a person had answered: {NO})"


def test_who_is_asked_further_with_the_words_for_letting_go_takes_no_answer_out_of_sight() -> None:
    asked = ask_on(say(ask(), NO), f"Really not? You may also say {LET_GO}")
    state = settle(asked, LET_GO)
    told = f'{LET_GO} (a person had answered to "May we drop it?": {NO})'
    assert say_decision(state) == told
    other = settle(ask_on(say(ask(), NO), "May we rename it?"), "Yes")
    assert say_decision(other) == "Yes"  # that is told by itself


def test_a_sure_word_leads_where_one_in_doubt_said_otherwise_and_both_were_let_go() -> None:
    doubtful = settle(say(ask(), NO), YES, UNCONFIRMED)
    let_go = Resolved(at_ms=count_ms(doubtful), by=PERSON, body=LET_GO, via="terminal")
    with pytest.raises(IllegalTransition, match="what holds is said in words"):
        after(doubtful, let_go)
    state = apply_fact(doubtful, let_go, ())  # in two clones that had not met
    by = "a person's unconfirmed word says otherwise"
    assert say_contested(state).startswith(f"contested: {by}; ask the user")
    assert say_decision(state, named=True).startswith(f"{NO} [contested: {by}")
    assert name_decider(state) == "a person"
    assert as_data(state)["contestedBy"] == by
    assert [
        word.body for _, word in gather((state,)).list_said(key_asked(state, state.thread[1]))
    ] == [YES, NO]

    told = tell_in_doubt(state, (state,))
    assert told is state  # who let it go decided nothing between both
    assert tell_contested(told, "") == (
        f"{state.id}: its answer is what a person decided, and {by}. "
        "Read it: agentx clarify --issue 42; say what holds at a terminal"
        f': agentx clarify resolve {state.id} "..."'
    )
    held = settle(state, NO)
    assert say_decision(held) == NO
    assert find_contesting(held) is None
    assert tell_in_doubt(held, (held,)) is None
