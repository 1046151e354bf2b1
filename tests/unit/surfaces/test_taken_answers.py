"""Goal: an answer that was taken from memory is told with what became of where it was taken from.

Method: Ana's engineer takes her YES for another issue; then she is asked the first anew and says
NO, or Bob contests it. Real git, real commands in process.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentx.clarification.model import PERSON
from tests.support.contesting import ASK, CLR, NO, YES, Team, name_other, wait

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
