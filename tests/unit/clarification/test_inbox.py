"""Goal: whoever has to see to a question finds it in the inbox, and the person's is the person's.

Method: clarifications as values, in every state, and what each end is shown of them.
"""

from __future__ import annotations

import pytest

from agentx.clarification.data import as_data
from agentx.clarification.events import (
    ClarificationEscalated,
    ClarificationRequested,
    event_of,
)
from agentx.clarification.facts import Answered, Asked, Escalated, Resolved
from agentx.clarification.model import PERSON, Clarification, ClarificationStatus, Reason
from agentx.clarification.rendering import inbox_line, say_decision
from agentx.clarification.summary import find_note
from agentx.clarification.watch.inbox import inbox_among, name_stage
from agentx.clarification.watch.monitor import World, findings
from agentx.kernel.clock import MINUTE_MS, Millis
from agentx.wiring.listeners.notify import say_notice
from tests.support.clarifying import after, answered, clarification
from tests.support.time_and_chance import START_MS

NOW = Millis(START_MS + MINUTE_MS)


def escalated(number: int = 1, reason: Reason = Reason.MANUAL, note: str = "") -> Clarification:
    return after(clarification(number), Escalated(at_ms=NOW, reason=reason, body=note))


def decided(number: int = 1, body: str = "Take JWT") -> Clarification:
    return after(escalated(number), Resolved(at_ms=NOW, by=PERSON, body=body))


def to_person(number: int = 1) -> Clarification:
    return clarification(number, to=PERSON)


def test_a_person_finds_what_was_escalated_and_what_a_person_was_asked() -> None:
    others = (clarification(4), answered(clarification(5)), decided(6))

    found = inbox_among((*others, to_person(2), escalated(1)), PERSON)

    assert [state.id for state in found] == ["CLR-42-001", "CLR-42-002"]
    assert all(state.waits_on == PERSON for state in found)


def test_what_holds_an_agent_up_comes_first() -> None:
    goes_on = escalated(1, Reason.AGENT_ERROR)

    found = inbox_among((goes_on, escalated(2)), PERSON)

    assert [state.id for state in found] == ["CLR-42-002", "CLR-42-001"]


def test_an_asker_finds_answers_then_decisions_then_what_a_person_was_called_for() -> None:
    states = (escalated(1), decided(2), answered(clarification(3)), clarification(4))

    found = inbox_among(states, "engineer")

    assert [state.id for state in found] == ["CLR-42-003", "CLR-42-002", "CLR-42-001"]
    assert inbox_among(states, "architect") == (states[3],)
    assert inbox_among(states, "tester") == ()


def test_what_an_asker_settled_itself_is_no_news_to_it() -> None:
    own = after(answered(clarification()), Resolved(at_ms=NOW, by="engineer"))

    assert inbox_among((own,), "engineer") == ()
    assert inbox_among((decided(),), "engineer") == (decided(),)


def test_each_answer_has_a_stage_of_its_own() -> None:
    once = answered(clarification())
    again = answered(after(once, Asked(at_ms=NOW, by="engineer", body="And the keys?")))

    assert len({name_stage(state) for state in (clarification(), once, again)}) == 3


def test_a_persons_answer_to_what_was_escalated_is_the_decision() -> None:
    said = after(escalated(), Answered(at_ms=NOW, by=PERSON, body="Take JWT"))

    assert said.status is ClarificationStatus.RESOLVED
    assert (said.resolution is not None and said.resolution.speaker) == PERSON
    assert as_data(said)["resolution"] == "Take JWT"
    assert as_data(said)["resolvedBy"] == PERSON


def test_an_agents_answer_to_what_was_escalated_decides_nothing() -> None:
    said = after(escalated(), Answered(at_ms=NOW, by="architect", body="Take JWT"))

    assert said.status is ClarificationStatus.ESCALATED
    assert as_data(said)["waitsOn"] == PERSON
    assert "architect said: Take JWT" in inbox_line(said, PERSON, NOW)


def test_a_person_who_takes_their_time_is_neither_asked_again_nor_escalated() -> None:
    world = World(now_ms=Millis(START_MS + 10_000 * MINUTE_MS))

    assert findings((to_person(),), world) == ()


@pytest.mark.parametrize(
    ("state", "who", "said"),
    [
        (escalated(), PERSON, "engineer waits for your decision on"),
        (escalated(reason=Reason.DEADLOCK), PERSON, "engineer would like your decision on"),
        (to_person(), PERSON, 'decide with: agentx clarify answer CLR-42-001 "..."'),
        (escalated(), "engineer", "a person was called to decide"),
        (escalated(), "engineer", "-- wait for it"),
        (escalated(reason=Reason.DEADLOCK), "engineer", "-- go on with what is known"),
        (decided(), "engineer", "a person decided"),
        (answered(clarification()), "engineer", "architect answered"),
        (answered(to_person()), "engineer", "a person answered"),
    ],
)
def test_each_end_is_told_in_its_own_words(state: Clarification, who: str, said: str) -> None:
    assert said in inbox_line(state, who, NOW)


def test_a_decision_without_words_takes_the_answer_that_was_given() -> None:
    assert say_decision(decided(body="")) == "go on with what is known"
    late = after(escalated(), Answered(at_ms=NOW, by="architect", body="JWT."))
    assert say_decision(after(late, Resolved(at_ms=NOW, by=PERSON))) == "JWT."


def test_what_was_said_when_a_person_was_called_is_found_again() -> None:
    assert find_note(escalated(note="no\nagreement")) == "no agreement"
    assert find_note(escalated()) == ""


def test_a_notice_is_one_line_that_begins_with_our_own_words() -> None:
    hostile = clarification(topic="--help\n$(rm -rf /)\x1b[2J")
    event = event_of(ClarificationRequested, hostile, NOW)

    said = say_notice("shop", event)

    assert said.startswith("AgentX: engineer waits for your decision on --help $(rm -rf /)")
    assert said.isprintable()
    goes_on = escalated(reason=Reason.AGENT_ERROR)
    told = event_of(ClarificationEscalated, goes_on, NOW)
    assert "engineer asks for your decision" in say_notice("shop", told)
