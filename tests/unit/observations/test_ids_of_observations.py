"""Goal: an observation's id tells its issue, and nothing else can pass for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.errors import InvalidValue
from agentx.kernel.limits import ISSUE_NUMBER_MAX
from agentx.observations.ids import (
    agent_name,
    issue_number,
    observation_id,
    parse_observation_id,
)
from tests.support.time_and_chance import CountingEntropy


@given(st.text(max_size=60), st.integers(0, ISSUE_NUMBER_MAX), st.integers(0, 10**14))
def test_an_id_is_read_back_as_it_was_built(agent: str, issue: int, at_ms: int) -> None:
    made = observation_id(agent, issue, at_ms, CountingEntropy())
    parsed = parse_observation_id(made)

    assert parsed.agent == agent_name(agent)
    assert parsed.issue_number == issue
    assert parsed.timestamp_ms == at_ms
    assert made.isascii()
    assert "/" not in made


def test_the_example_of_the_specification_is_an_id() -> None:
    parsed = parse_observation_id("obs-engineer-29-1709035200000-a1b2c3")

    assert (parsed.agent, parsed.issue_number) == ("engineer", 29)
    assert parse_observation_id("obs-claude-code-0-1-aaaaaa").agent == "claude-code"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "obs-",
        "obs-engineer-29-1709035200000",
        "obs-engineer--1-1709035200000-a1b2c3",
        "obs-engineer-029-1709035200000-a1b2c3",
        "obs-Engineer-29-1709035200000-a1b2c3",
        "obs-../x-29-1709035200000-a1b2c3",
        "obs-engineer-29-1709035200000-a1b2c3\n",
        "CLR-29-001",
    ],
)
def test_nothing_else_is_an_id(text: str) -> None:
    with pytest.raises(InvalidValue):
        parse_observation_id(text)


@pytest.mark.parametrize("number", [-1, ISSUE_NUMBER_MAX + 1])
def test_an_issue_number_has_bounds(number: int) -> None:
    with pytest.raises(InvalidValue):
        issue_number(number)
