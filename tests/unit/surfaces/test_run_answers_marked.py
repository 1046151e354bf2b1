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
    rows = json.loads(team.say(ana, "run", "event", "--run", run, "--json"))["events"]
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
        "rows": [json.dumps(each) for each in rows],
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

    [page] = ana.folder.rglob("ltm/decisions/*.md")
    for text in (page.read_text(), page.read_text().replace(YES, YES.capitalize())):
        page.write_text(text)
        for place, said in look_at_lesson().items():
            assert "contested, somebody said otherwise" in said, f"{place}: {said}"
    team.say(ana, "trust", "--writer", name_other(ana, team), "--yes")
    for place, said in look_at_lesson().items():
        assert NO in said, f"{place}: {said}"
        assert "answered otherwise" in said, f"{place}: {said}"


def test_what_claims_to_be_decided_by_a_person_says_so_wherever_a_run_tells_it(
    asked: tuple[Team, str, str],
) -> None:
    team, run, _ = asked
    ana, bob = team.ana, team.bob
    decided = {ana: "We drop quagga on Friday.", bob: "We keep quagga for ever."}
    for who, words in decided.items():
        told = ("--type", "decision-made", "--actor", "human", "--detail", f"text={words}")
        team.say(who, "run", "event", "--run", run, *told)
        team.say(who, "run", "sync")
    for who in (bob, ana):
        team.say(who, "run", "sync")
    marks = {ana: f" ({SAID})", bob: " (claims a person, untrusted by "}

    for place, said in {
        "context": team.say(ana, "run", "context", "--run", run, "--task", "TASK-001"),
        "request": team.say(ana, "run", "pr", run),
        "open": team.say(ana, "show", run).partition(" lately: ")[0],
    }.items():
        for who, words in decided.items():
            assert f"{words}{marks[who]}" in said, f"{place}: {said}"
    for place, lines in {
        "events": ana.agentx("run", "event", "--run", run)[1].splitlines(),
        "resume": json.loads(team.say(ana, "run", "resume", run, "--json"))["happened"],
        "show": json.loads(team.say(ana, "run", "show", run, "--json"))["recent"],
    }.items():
        [own] = [each for each in lines if decided[ana] in each]
        [other] = [each for each in lines if decided[bob] in each]
        assert ("human (unconfirmed)" in own, "settles nothing" in other) == (True, True), place

    team.say(ana, "sync")
    agent = Agent(ana.folder, read_environment({**ana.known, "AGENTX_AGENT": "engineer"}))
    hits = json.loads(team.say(ana, "search", "quagga Friday ever", "--json"))["hits"]
    for place, lines in {
        "search": [f"{hit['snippet']} ({hit['origin']})" for hit in hits],
        "tool search": agent.call("search", query="quagga Friday ever").splitlines(),
        "recall": agent.call("recall", context="quagga on Friday").splitlines(),
    }.items():
        found = [line for line in lines if "quagga" in line and "decision-made" in line]
        assert found, place
        for line in found:
            assert (SAID if decided[ana] in line else "settles nothing") in line, place

    offered = json.loads(team.say(ana, "ltm", "candidates", "--run", run, "--json"))["candidates"]
    texts = {each["text"]: each["against"] for each in offered}
    assert decided[bob] not in texts
    assert texts[decided[ana]] == SAID
    assert SAID in " ".join(team.say(ana, "ltm", "candidates", "--run", run).split())
    team.say(ana, "ltm", "accept", "--all", "--run", run)
    lessons = json.loads(team.say(ana, "ltm", "decisions", "--json"))["lessons"]
    [lesson] = [each["id"] for each in lessons if each["text"] == decided[ana]]
    _check_doubted(team, lesson)
    team.say(ana, "run", "phase", "fail", "--reason", "x", "--run", run)
    team.say(ana, "run", "archive", run)
    _check_doubted(team, lesson)


def _check_doubted(team: Team, lesson: str) -> None:
    for where in (("ltm", "show"), ("show",), ("why",)):
        assert SAID in team.say(team.ana, *where, lesson), where


def test_what_a_program_notes_of_a_task_in_a_person_s_name_says_so(
    asked: tuple[Team, str, str],
) -> None:
    team, run, _ = asked
    ana, human = team.ana, ("--actor", "human", "--run", run)
    for words in (
        ("task", "log", "TASK-001", "The quagga is gone."),
        ("verify", "--verdict", "passed", "--summary", "I looked.", "--task", "TASK-001"),
    ):
        assert "human (unconfirmed)" in team.say(ana, "run", *words, *human)
    [log], [checked] = (
        list(ana.folder.rglob(name)) for name in ("work-log.md", "TASK-001-verification.yaml")
    )
    assert "human (unconfirmed)" in log.read_text()
    assert "actor: human (unconfirmed)" in checked.read_text()
