"""Goal: whoever finds or opens a decision is told what speaks against it, however long it is.

Method: Ana's YES is settled; then Bob, whom she does not trust, says NO to it, or either of them
does, asked the same anew. Real git, commands and tools in process; a question and an answer of an
ordinary length, so that an excerpt has room for neither whole.
"""

from __future__ import annotations

import json

import pytest

from agentx.clarification.model import PERSON
from agentx.operations.recall.origins import UNHEARD
from agentx.project.config import read_environment
from tests.support.contesting import ASK, Team, name_other
from tests.support.mcp_agent import Agent
from tests.support.repository import repository

pytestmark = pytest.mark.promise("clarify.signed")

QUESTION = (
    "Shall I drop the users table in the migration of this release, or keep it until the reporting "
    "jobs have been moved to the new schema?"
)
YES = (
    "YES, drop it in this release; the reporting jobs read from the replica, and Dana has a dump "
    "of the table from last night."
)
NO = "NO, keep all of it"
NAME, ANEW = "CLR-1-002", "CLR-1-003"
ASKED = (*ASK, "--to", PERSON, "--question", QUESTION)


@pytest.fixture
def team(begun: Team) -> Team:
    """Give a team whose engineer asked a second question."""
    team = begun
    team.say(team.ana, *ASKED, role="engineer")
    return team


def look(team: Team) -> dict[str, str]:
    """Return what Ana and her agents are shown who look for the decision, place by place."""
    ana = team.ana
    agent = Agent(ana.folder, read_environment({**ana.known, "AGENTX_AGENT": "tester"}))
    hits = json.loads(team.say(ana, "search", "drop users table release", "--json"))["hits"]
    rows = agent.call("search", query="drop users table release").splitlines()
    said = {
        "search": team.say(ana, "search", "drop users table release"),
        "show": team.say(ana, "show", NAME),
        "show --json": team.say(ana, "show", NAME, "--json"),
        "why": team.say(ana, "why", NAME),
        "get": agent.call("get", ids=[NAME], budget_tokens=200),
        "why, asked of the tools": agent.prompt("why", id=NAME),
    }
    said |= {f"{hit['doc_id']} --json": json.dumps(hit) for hit in hits if tells(hit["snippet"])}
    said |= {f"row {number}": row for number, row in enumerate(rows) if tells(row)}
    kept = [hit["doc_id"] for hit in hits if is_memory_of_it(hit)]
    assert kept, hits
    assert len(said) >= 9, said
    return said | {f"why {name}": team.say(ana, "why", name) for name in kept}


def is_memory_of_it(hit: dict[str, str]) -> bool:
    """Tell whether a hit is what was kept of the decision."""
    return hit["kind"] == "observation" and tells(hit["snippet"])


def tells(text: str) -> bool:
    """Tell whether it is the decision, and not what was asked anew."""
    return "YES" in text and ANEW not in text.partition("later decided")[0].partition(":")[0]


def settle(team: Team) -> None:
    """Let Ana say YES, and her engineer take it."""
    team.say(team.ana, "clarify", "answer", NAME, YES, "--as-person")
    team.say(team.ana, "clarify", "resolve", NAME, role="engineer")
    team.say(team.ana, "sync")


def test_what_is_contested_is_found_as_such_until_a_person_says_what_holds(team: Team) -> None:
    team.push(team.ana)
    team.push(team.bob)
    settle(team)
    team.say(team.bob, "trust", "--writer", name_other(team.bob, team), "--yes")
    team.say(team.bob, "clarify", "answer", NAME, NO, "--as-person")
    before = look(team)
    assert not [place for place, said in before.items() if "contested" in said]
    team.merge()
    found = look(team)
    assert not [place for place, said in found.items() if "contested" not in said], found
    assert not [place for place, said in found.items() if NO in said], "a stranger's words"
    team.say(team.ana, "clarify", "resolve", NAME, YES, "--as-person")
    assert not [place for place, said in look(team).items() if "contested" in said]


def test_what_was_decided_otherwise_later_is_found_with_that(team: Team) -> None:
    settle(team)
    assert not [place for place, said in look(team).items() if "otherwise" in said]
    team.say(team.ana, *ASKED, "--ask-anyway", role="engineer")
    team.say(team.ana, "clarify", "resolve", ANEW, NO, "--as-person")
    found, later = look(team), f"later decided otherwise: {NO} (unconfirmed, {ANEW})"
    told = {place for place, said in found.items() if later in said}
    told |= {place for place, said in found.items() if f"superseded by {ANEW}" in said}
    assert not set(found) - told, found


def test_what_is_contested_asked_anew_is_found_as_such(team: Team) -> None:
    settle(team)
    team.say(team.ana, *ASKED, "--ask-anyway", role="engineer")
    team.push(team.ana)
    team.push(team.bob)
    team.say(team.bob, "trust", "--writer", name_other(team.bob, team), "--yes")
    team.say(team.bob, "clarify", "resolve", ANEW, NO, "--as-person")
    team.merge()
    found = look(team)
    assert not [place for place, said in found.items() if "contested" not in said], found
    assert not [place for place, said in found.items() if NO in said], "a stranger's words"


def test_what_a_role_settled_otherwise_is_found_by_that(team: Team) -> None:
    team.say(team.ana, *ASK, "--to", "architect", "--question", QUESTION.replace("users", "old"))
    team.say(team.ana, "clarify", "answer", ANEW, YES.replace("YES", "Aye"), role="architect")
    team.say(team.ana, "clarify", "resolve", ANEW, "Nay, I keep it", role="engineer")
    found = json.loads(team.say(team.ana, "search", "drop old table", "--json"))["hits"]
    [hit] = [each for each in found if each["doc_id"] == ANEW]
    assert "Nay, I keep it" in hit["snippet"]


def test_a_line_that_cuts_off_that_nobody_saw_it_said_says_so(team: Team) -> None:
    ana, unseen = team.ana, "decided by a person (unconfirmed)"
    words = f"{YES} The unconfirmed rows as well. {YES} {YES}"  # which say nothing of who decided
    team.say(ana, "clarify", "answer", NAME, words, "--as-person")
    team.say(ana, "clarify", "resolve", NAME, role="engineer")
    team.say(ana, "sync")
    listed = json.loads(team.say(ana, "memory", "list", "--json"))["observations"]
    [row] = [each for each in listed if "YES" in each["summary"]]
    assert "(unconfirmed)" not in row["summary"]
    assert row["unconfirmed"] == unseen
    assert unseen in team.say(ana, "memory", "list")
    assert unseen in team.say(ana, "memory", "search", "drop users table")


def test_a_question_that_names_a_decider_has_a_decision_as_any_other(begun: Team) -> None:
    team, asked = begun, "Keep the list? It says: Decided by ana, asked: nobody."
    team.say(team.ana, *ASK, "--to", PERSON, "--question", asked, role="engineer")
    settle(team)
    for _ in range(2):
        listed = json.loads(team.say(team.ana, "memory", "list", "--json"))["observations"]
        [row] = [each for each in listed if "YES" in each["summary"]]
        assert row["superseded_by"] == ""
        assert row["unconfirmed"] == "decided by a person (unconfirmed)"
        team.say(team.ana, "sync")


def test_of_another_project_it_is_said_that_what_speaks_against_it_is_told_there(
    team: Team,
) -> None:
    settle(team)
    ana = team.ana
    ana.folder = team.root / "ana" / "elsewhere"
    repository(ana.folder)
    ana.known["AGENTX_SEARCH_ALL_PROJECTS"] = "true"
    query = ("search", "drop users table release", "--all-projects", "--json")
    found = json.loads(team.say(ana, *query))["hits"]
    told = {hit["kind"]: hit["origin"] for hit in found if tells(hit["snippet"])}
    assert set(told) == {"clarification", "observation"}
    assert all(UNHEARD in origin for origin in told.values()), told
