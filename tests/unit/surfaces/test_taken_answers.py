"""Goal: an answer that was taken from memory is told with what became of where it was taken from.

Method: Ana's engineer takes her YES for another issue; then she is asked the first anew and says
NO, or Bob contests it. Real git, real commands in process.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from agentx.clarification.model import PERSON
from agentx.project.config import read_environment
from tests.support.contesting import ASK, CLR, NO, YES, Team, name_other, wait
from tests.support.mcp_agent import Agent

pytestmark = pytest.mark.promise("clarify.signed")

TAKEN, QUESTION = "CLR-2-001", "May we drop the old table?"
COPY = f"{YES} (a person (unconfirmed), {CLR})"


def take(team: Team) -> None:
    """Let Ana's YES be taken for another issue."""
    ana = team.ana
    team.say(ana, "clarify", "answer", CLR, YES, "--as-person")
    team.say(ana, "clarify", "resolve", CLR, role="engineer")
    team.say(ana, "issue", "create", "--title", "Newer tables")
    asked = (*ASK[:2], "--issue", "2", *ASK[4:], "--to", "architect", "--question", QUESTION)
    assert "already answered" in team.say(ana, *asked, role="engineer")
    team.say(ana, "clarify", "accept", TAKEN, role="engineer")
    assert COPY in wait(team, TAKEN)


def decide_anew(team: Team) -> str:
    anew = (*ASK, "--to", PERSON, "--question", QUESTION, "--ask-anyway")
    team.say(team.ana, *anew, role="engineer")
    team.say(team.ana, "clarify", "answer", "CLR-1-002", NO, "--as-person")
    return f"later decided otherwise: {NO} (unconfirmed, CLR-1-002)"


def contest(team: Team) -> str:
    team.say(team.bob, "clarify", "answer", CLR, NO, "--as-person")
    team.merge()
    return f"contested: a writer who is not trusted here said otherwise, {CLR}"


def disagree(team: Team) -> str:
    team.say(team.bob, "clarify", "answer", CLR, NO, "--as-person")
    team.merge()
    team.say(team.ana, "trust", "--writer", name_other(team.ana, team), "--yes")
    return f"later decided otherwise: {NO} (unconfirmed, {CLR})"


@pytest.mark.parametrize("happens", [decide_anew, contest, disagree])
def test_what_it_was_taken_from_tells_against_it(
    begun: Team, happens: Callable[[Team], str]
) -> None:
    team, ana = begun, begun.ana
    take(team)
    mark = happens(team)
    for place, said in {
        "wait": wait(team, TAKEN),
        "threads": team.say(ana, "clarify", "--issue", "2"),
        "json": team.say(ana, "clarify", "--issue", "2", "--json"),
        "show": team.say(ana, "show", TAKEN),
    }.items():
        assert mark.partition(": ")[2] in said, place
        assert YES in said, place


def test_what_it_was_taken_from_may_be_gone_and_stands_else(begun: Team) -> None:
    team = begun
    take(team)
    team.say(team.ana, "clarify", "forget", CLR, "--yes")
    assert "otherwise" not in wait(team, TAKEN)


def test_an_agent_takes_by_its_tool_what_it_was_offered_and_no_other(begun: Team) -> None:
    team, ana = begun, begun.ana
    agent = Agent(ana.folder, read_environment({**ana.known, "AGENTX_AGENT": "engineer"}))
    team.say(ana, "clarify", "answer", CLR, YES, "--as-person")
    team.say(ana, "clarify", "resolve", CLR, role="engineer")
    team.say(ana, "issue", "create", "--title", "Newer tables")
    offered = agent.call("ask", issue=2, to="architect", topic="The table", question=QUESTION)
    assert f"already answered: {YES}" in offered
    assert f"Accept: `answer` with id={TAKEN}, accept=true, source={CLR}." in offered
    decide_anew(team)
    team.say(ana, "clarify", "resolve", "CLR-1-002", role="engineer")

    told = agent.fail("answer", id=TAKEN, accept=True, source=CLR)
    assert f"memory answers it otherwise by now, from CLR-1-002: '{NO}'" in told
    assert f"to take that: answer with id={TAKEN}, accept=true, source=CLR-1-002" in told
    taken = agent.call("answer", id=TAKEN, accept=True, source="CLR-1-002")
    assert f"Decided by agent-x: {NO}" in taken


def test_what_is_contested_is_not_offered_for_a_copy_of_it(begun: Team) -> None:
    team, ana = begun, begun.ana
    take(team)
    contest(team)
    team.say(ana, "issue", "create", "--title", "Newest tables")
    asked = (*ASK[:2], "--issue", "3", *ASK[4:], "--to", "architect", "--question", QUESTION)
    assert "already answered" not in team.say(ana, *asked, role="engineer")


def test_a_copy_is_told_by_the_words_that_it_has_where_the_name_moved(begun: Team) -> None:
    team, ana = begun, begun.ana
    about = ("--topic", "Index", "--question", "Should we rename the orders index?")
    asks = ("clarify", "ask", "--from", "engineer", "--issue")
    team.say(team.bob, *asks, "1", "--to", PERSON, "--topic", "Colour", "--question", "Which?")
    team.say(ana, *asks, "1", "--to", PERSON, *about, role="engineer")
    team.say(ana, "clarify", "answer", "CLR-1-002", YES, "--as-person")
    team.say(ana, "clarify", "resolve", "CLR-1-002", role="engineer")
    team.say(ana, "issue", "create", "--title", "Newer tables")
    team.say(ana, *asks, "2", "--to", "architect", *about, role="engineer")
    team.say(ana, "clarify", "accept", TAKEN, role="engineer")
    team.push(team.bob)
    team.merge()
    team.say(ana, "trust", "--writer", name_other(ana, team), "--yes")
    anew = team.say(ana, *asks, "1", "--to", PERSON, *about, "--ask-anyway", role="engineer")
    assert anew.startswith("CLR-1-004 "), anew
    team.say(ana, "clarify", "answer", "CLR-1-004", NO, "--as-person")
    assert f"later decided otherwise: {NO} (unconfirmed, CLR-1-004)" in wait(team, TAKEN)

    other = json.loads(team.say(ana, "clarify", "--issue", "1", "--json"))["clarifications"][1]
    assert (other["id"], other["topic"]) == ("CLR-1-002", "Colour")
    name = other["nextActions"][0].split()[3]
    gone = team.say(ana, "clarify", "forget", name, "--yes")
    assert TAKEN not in gone
    assert f"its words stand in {TAKEN} too" in team.say(
        ana, "clarify", "forget", "CLR-1-003", "--yes"
    )
