"""Goal: what people answered a run is told with what speaks against it, wherever it is found.

Method: Ana and Bob, who do not know of each other, answer one question of a run; real git, real
commands and tools in process. Each place where Ana and her agents find the answers is looked at.
"""

from __future__ import annotations

import json

import pytest

from agentx.kernel.text import CONTESTED
from agentx.project.config import read_environment
from tests.support.contesting import Team, name_other
from tests.support.mcp_agent import Agent

pytestmark = pytest.mark.promise("clarify.signed")

YES, NO = "YES drop zebra", "NO keep zebra"
SAID = "a program said it for a person: unconfirmed"


@pytest.fixture
def asked(begun: Team) -> tuple[Team, str, str]:
    """Give a team of which both answered a question of a run, with its run and its name."""
    team = begun
    started = team.say(team.ana, "run", "start", "Tidy the tables", "--json")
    run = str(json.loads(started)["run_id"])
    team.say(team.ana, "run", "task", "add", "Drop the zebra table", "--run", run)
    words = ("run", "escalate", "--run", run)
    said = team.say(team.ana, *words, "Which zebra table goes?", "--json", role="engineer")
    name = str(json.loads(said)["escalation_id"])
    for who in (team.ana, team.bob):
        team.say(who, "trust", "--yes")
        team.say(who, "run", "sync", "origin", "--push")
    for who, answer in ((team.bob, NO), (team.ana, YES)):
        team.say(who, *words, "--resolve", name, answer, "--as-person")
    for who in (team.bob, team.ana):
        team.say(who, "run", "sync")
    return team, run, name


def look(team: Team, run: str) -> dict[str, list[str]]:
    """Return, place by place, the pieces that tell an answer."""
    ana = team.ana
    team.say(ana, "sync")
    agent = Agent(ana.folder, read_environment({**ana.known, "AGENTX_AGENT": "engineer"}))
    found = json.loads(team.say(ana, "search", "zebra", "--json"))["hits"]
    events = [hit["doc_id"] for hit in found if "escalation-resolved" in hit["snippet"]]
    assert len(events) == 2
    places = {
        "search": [f"{hit['snippet']} ({hit['origin']})" for hit in found],
        "tool search": agent.call("search", query="zebra").splitlines(),
        "tool get": agent.call("get", ids=[run]).splitlines(),
        "show": [team.say(ana, "show", each) for each in events],
        "why": [team.say(ana, "why", each) for each in events],
        "recent": json.loads(team.say(ana, "run", "show", run, "--json"))["recent"],
        "events": ana.agentx("run", "event", "--run", run)[1].splitlines(),
        "tool status": agent.call("run_status", run=run).splitlines(),
        "recall": agent.call("recall", context="Which zebra table goes?").splitlines(),
        "context": team.say(ana, "run", "context", "--run", run, "--task", "TASK-001").split(" - "),
        "request": [line for line in team.say(ana, "run", "pr", run).split(" - ") if "->" in line],
        "resumed": json.loads(team.say(ana, "run", "resume", run, "--json"))["happened"],
    }
    return {
        place: [line for line in said if YES in line or NO in line]
        for place, said in places.items()
    }


def test_a_contested_answer_of_a_run_says_so_wherever_it_is_found(
    asked: tuple[Team, str, str],
) -> None:
    team, run, _ = asked
    places = look(team, run)
    assert all(places.values()), places
    for place, said in places.items():
        for line in said:
            doubt = CONTESTED if YES in line else "settles nothing"
            assert doubt in line, f"{place}: {line}"

    team.say(team.ana, "trust", "--writer", name_other(team.ana, team), "--yes")
    places = look(team, run)
    assert all(places.values()), places
    for place, said in places.items():
        for line in said:
            assert "answered otherwise" in line, f"{place}: {line}"
            assert "unconfirmed" in line, f"{place}: {line}"


def test_a_lesson_that_repeats_an_answer_says_what_speaks_against_it(
    asked: tuple[Team, str, str],
) -> None:
    team, run, _ = asked
    ana = team.ana
    team.say(ana, "ltm", "accept", "--all", "--run", run)
    [lesson] = json.loads(team.say(ana, "ltm", "decisions", "--json"))["lessons"]

    def look_at_lesson() -> dict[str, str]:
        team.say(ana, "sync")
        return {
            "show": team.say(ana, "ltm", "show", lesson["id"]),
            "list": team.say(ana, "ltm", "decisions"),
            "open": team.say(ana, "show", lesson["id"]),
            "why": team.say(ana, "why", lesson["id"]),
            "search": team.say(ana, "search", "zebra", "--kind", "lesson"),
            "recall": team.say(ana, "recall").partition("### Lessons of earlier runs")[2],
            "context": team.say(ana, "run", "context", "--run", run, "--task", "TASK-001"),
        }

    for place, said in look_at_lesson().items():
        assert "contested, somebody said otherwise" in said, f"{place}: {said}"
    team.say(ana, "trust", "--writer", name_other(ana, team), "--yes")
    for place, said in look_at_lesson().items():
        assert NO in said, f"{place}: {said}"
        assert "answered otherwise" in said, f"{place}: {said}"
