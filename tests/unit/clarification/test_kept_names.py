"""Goal: what is kept of a call for a person offers the question by the name that it has now.

Method: clones whose names move after the call, once and again; words that name other questions.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentx.clarification import rendering
from agentx.clarification.facts import Asked, Escalated
from agentx.clarification.model import Clarification, Reason
from agentx.clarification.protocol import evolve
from agentx.clarification.store.question_events import QuestionEventKind, say_fact
from agentx.clarification.summary import escalation_text, rename_options
from agentx.kernel.clock import Millis
from tests.support.clarifying import clarification
from tests.support.naming import NamingClone

WORDS = "as CLR-42-001 and CLR-42-002 say: agentx clarify resolve CLR-42-001"


def find(clone: NamingClone, topic: str) -> Clarification:
    told = clone.fold().told.values()
    return next(each.state for each in told if each.state and each.state.topic == topic)


def call(clone: NamingClone, topic: str) -> None:
    """Call a person with a question, by the name that it has in a clone."""
    state = find(clone, topic)
    at_ms = Millis(state.created_ms + 1)
    fact = Escalated(at_ms=at_ms, reason=Reason.MANUAL, by=state.asker, body=WORDS)
    kind, detail = say_fact(fact, evolve(state, fact))
    clone.say(kind, state.uid, detail)


def rename_twice() -> tuple[NamingClone, Clarification]:
    """Return a clone where a question lost its number, a person was called, and it lost it again.

    An earlier claim to its second number came only then.
    """
    first, second, third = (NamingClone(name) for name in ("aaa111", "bbb222", "ccc333"))
    third.ask("x", "y", "z")
    first.ask("a")
    second.ask("b")
    second.merge(first)
    assert second.names() == {"a": "CLR-42-001", "b": "CLR-42-002"}
    call(second, "b")
    before = find(second, "b")
    assert "resolve CLR-42-002 " in before.summary
    second.merge(third)
    return second, find(second, "b")


@pytest.mark.promise("clarify.merge")
def test_a_call_for_a_person_offers_the_name_that_holds_however_often_it_moved() -> None:
    clone, now = rename_twice()
    assert now.id not in ("CLR-42-001", "CLR-42-002")
    assert f'Decide it yourself: agentx clarify resolve {now.id} "your decision"' in now.summary
    assert "resolve CLR-42-002" not in now.summary
    assert clone.names()["y"] == "CLR-42-002", "which means another question now"


def test_what_somebody_said_of_other_questions_is_left_as_it_was_said() -> None:
    _, now = rename_twice()
    assert WORDS in now.summary
    asked = Asked(at_ms=now.created_ms, by=now.asker, body=f"1. So: {WORDS}")
    state = evolve(clarification(topic=WORDS, issue=42), asked)
    text = escalation_text(state, Reason.MANUAL, WORDS)
    moved = rename_options(text, "CLR-42-009")
    head, _, options = text.rpartition("\nOptions:\n")
    assert moved == f"{head}\nOptions:\n{options.replace(state.id, 'CLR-42-009')}"


def test_a_name_that_commands_would_refuse_is_not_offered_where_a_thread_is_shown() -> None:
    _, now = rename_twice()
    typed = f"{now.id}@{now.uid}"
    shown = replace(now, goes_by=typed)
    for told in (rendering.stream(shown), rendering.terminal(shown, colour=False)):
        assert f'agentx clarify resolve {typed} "your decision"' in told
        assert f'resolve {now.id} "' not in told


def test_what_was_called_for_by_a_name_for_good_is_offered_by_one() -> None:
    clone = NamingClone("aaa111")
    clone.ask("a")
    state = find(clone, "a")
    fact = Escalated(at_ms=state.created_ms, reason=Reason.MANUAL, by=state.asker)
    named = replace(state, goes_by=f"{state.id}@{state.uid}")
    _, detail = say_fact(fact, evolve(named, fact))
    clone.say(QuestionEventKind.ESCALATED, state.uid, detail)
    assert find(clone, "a").summary == evolve(named, fact).summary
