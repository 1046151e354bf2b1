"""Goal: whoever asks what was answered already is replied that with what speaks against it.

Method: Ana says YES to the engineer and NO to the tester, who ask the same; the engineer asks once
more, or settles it. Real commands and tools in process.
"""

from __future__ import annotations

import json

import pytest

from agentx.clarification.model import PERSON
from agentx.kernel.vouching.standing import SAID_FOR_PERSON
from agentx.project.config import read_environment
from tests.support.contesting import CLR, NO, YES, Team
from tests.support.mcp_agent import Agent

pytestmark = pytest.mark.promise("clarify.signed")

TOPIC, QUESTION, ANEW = "The table", "May we drop the old table?", "CLR-1-002"
MARK = f"later decided otherwise: {NO} (unconfirmed, {ANEW})"


def put(team: Team, role: str, *more: str) -> str:
    asked = ("clarify", "ask", "--issue", "1", "--from", role, "--to", PERSON, "--ask-anyway")
    words = ("--topic", TOPIC, "--question", QUESTION)
    return team.say(team.ana, *asked, *words, *more, role=role)


@pytest.fixture
def team(begun: Team) -> Team:
    """Give a team whose engineer was answered YES, and whose tester NO to the same."""
    kept = begun.say(begun.ana, "clarify", "answer", CLR, YES, "--as-person")
    assert f"kept as: {SAID_FOR_PERSON}" in kept
    put(begun, "tester")
    begun.say(begun.ana, "clarify", "answer", ANEW, NO, "--as-person")
    return begun


@pytest.fixture
def agent(team: Team) -> Agent:
    known = {**team.ana.known, "AGENTX_AGENT": "engineer"}
    return Agent(team.ana.folder, read_environment(known))


def test_who_asks_what_was_answered_is_told_what_speaks_against_it(
    team: Team, agent: Agent
) -> None:
    asked = {"issue": 1, "to": PERSON, "topic": TOPIC, "question": QUESTION, "ask_anyway": True}
    for place, said in {
        "ask": put(team, "engineer"),
        "ask --wait": put(team, "engineer", "--wait"),
        "tool": agent.call("ask", **asked),
        "tool that waits": agent.call("ask", **asked, wait_seconds=1),
    }.items():
        assert f"{YES} ({MARK})" in " ".join(said.split()), place
    _, brace, rest = put(team, "engineer", "--json").partition("{")
    row = json.loads(brace + rest)
    assert (row["answer"], row["decidedLater"]) == (YES, MARK.partition(": ")[2])


def test_who_settles_it_is_told_so_too(team: Team, agent: Agent) -> None:
    said = " ".join(agent.call("answer", id=CLR, resolve=True).split())
    assert f"Decided by a person (unconfirmed): {YES} ({MARK})" in said


def test_who_asks_the_same_once_more_is_told_what_was_said_before(team: Team) -> None:
    assert f"a person had said to the same: {NO}" in put(team, "reviewer")
