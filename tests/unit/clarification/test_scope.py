"""Goal: nobody asks whom they may not, and nothing too long or empty is kept (spec 6.3, 4.5, 9.5).

Method: requests against scopes, one row of the table at a time.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentx.clarification.errors import ScopeViolation
from agentx.clarification.facts import Resolved
from agentx.clarification.model import PERSON, NewQuestion
from agentx.clarification.scope import Scope, check_text, find_same, permit, rounds_of
from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import clarification_id, parse_clarification_id
from tests.support.clarifying import AGENTS, SCOPE, after, answered, clarification, request


@pytest.mark.promise("clarify.scope")
def test_6_3_to_agent_must_be_in_can_clarify() -> None:
    with pytest.raises(ScopeViolation) as refused:
        permit(request(to="reviewer"), SCOPE, AGENTS)

    assert refused.value.message == (
        "Agent 'engineer' cannot clarify with 'reviewer'. Allowed: [architect, product-manager]"
    )
    assert refused.value.code == "SCOPE_VIOLATION"


def test_9_5_can_clarify_is_empty_unless_declared() -> None:
    with pytest.raises(ScopeViolation, match=r"Allowed: \[\]"):
        permit(request(), Scope(), AGENTS)


def test_nobody_asks_themselves_even_where_a_workflow_says_so() -> None:
    with pytest.raises(ScopeViolation, match="cannot clarify with 'engineer'"):
        permit(request(to="engineer"), Scope(can_clarify=("engineer",)), AGENTS)


def test_6_3_from_agent_must_be_known() -> None:
    with pytest.raises(InvalidValue, match="'pirate' is not an agent"):
        permit(request(asker="pirate"), SCOPE, AGENTS)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (request(topic=" "), "topic is empty"),
        (request(topic="t" * 201), "topic has 201 characters, 200 are allowed"),
        (request(question=""), "question is empty"),
        (request(question="q" * 2_001), "question has 2,001 characters, 2,000 are allowed"),
        (request(question="q" * 100_000), "question has 100,000 characters"),
    ],
    ids=["no topic", "long topic", "no question", "long question", "100 KB"],
)
def test_6_3_topic_and_question_have_bounds(wanted: NewQuestion, words: str) -> None:
    with pytest.raises(InvalidValue, match=words) as refused:
        permit(wanted, SCOPE, AGENTS)

    assert refused.value.hint


def test_6_3_the_bounds_count_characters_not_bytes() -> None:
    wanted = permit(request(topic="\u8a71" * 200, question="\U0001f680" * 2_000), SCOPE, AGENTS)

    assert len(wanted.question) == 2_000


@pytest.mark.parametrize("text", ["", " \n", "\u200b\u2060", "a" * 2_001])
def test_6_3_an_answer_is_not_empty_and_has_at_most_2000_characters(text: str) -> None:
    with pytest.raises(InvalidValue):
        check_text("answer", text)

    assert check_text("answer", " " + "a" * 2_000 + " ") == "a" * 2_000


@pytest.mark.parametrize("text", ["CLR-42-001", "CLR-0-999", "CLR-7-1000", "CLR-7-12345"])
def test_6_3_a_clarification_id_has_its_pattern(text: str) -> None:
    known, issue, number = parse_clarification_id(text)

    assert clarification_id(issue, number) == known == text


@pytest.mark.parametrize(
    "text",
    ["", "CLR", "CLR-42", "CLR-42-1", "CLR-042-001", "clr-42-001", "CLR-42-0001", "CLR--1-1"],
)
def test_6_3_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue, match="not a clarification"):
        parse_clarification_id(text)


@pytest.mark.parametrize(
    ("blocking", "from_toml", "from_request", "rounds"),
    [
        (True, None, None, 5),
        (False, None, None, 6),
        (True, 3, None, 3),
        (True, None, 2, 2),
        (True, 9, 9, 5),
        (False, 9, 9, 6),
    ],
)
def test_4_2_rounds_are_five_blocking_and_six_not_and_may_only_be_fewer(
    blocking: bool, from_toml: int | None, from_request: int | None, rounds: int
) -> None:
    wanted = NewQuestion(
        issue=1,
        asker="engineer",
        to="architect",
        topic="t",
        question="q",
        blocking=blocking,
        rounds_max=from_request,
    )

    assert rounds_of(wanted, Scope(rounds_max=from_toml)) == rounds


def test_9_5_clarify_blocking_allowed_is_true_unless_the_step_says_otherwise() -> None:
    assert permit(request(), SCOPE, AGENTS).blocking
    never = Scope(can_clarify=("architect",), blocking_allowed=False)
    assert not permit(request(), never, AGENTS).blocking


def test_9_5_the_sla_is_30_minutes_unless_the_step_says_otherwise() -> None:
    assert Scope().sla_minutes == 30


def test_the_same_question_is_known_however_it_is_typed_and_no_other_is() -> None:
    state = clarification(topic="Session storage", question="JWT or server sessions?")
    same = request(topic="  session   STORAGE", question="jwt or\nserver sessions?")

    assert find_same((state,), same) == state
    assert find_same((answered(state),), same) == answered(state)
    assert find_same((state,), replace(same, question="JWT?")) is None
    assert find_same((state,), replace(same, to="product-manager")) is None
    assert find_same((state,), replace(same, asker="tester")) is None
    assert find_same((state,), replace(same, blocking=False)) is None
    settled = after(answered(state), Resolved(at_ms=state.created_ms, by="engineer"))
    assert find_same((settled,), same) is None


def test_every_role_may_ask_a_person() -> None:
    asked = request(to=PERSON)

    assert permit(asked, Scope(), AGENTS) == asked
