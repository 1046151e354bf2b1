"""Goal: words that an offshoot was given to begin with are told with what stands instead by now.

Method: Bob says YES and his engineer asks on; Ana, who has not seen that, says NO. Once merged, NO
stands, and what was asked on is a question of its own that begins with Bob's YES. Real git,
commands and tools in process.
"""

from __future__ import annotations

import json

import pytest

from agentx.clarification.model import PERSON
from agentx.project.config import read_environment
from tests.support.contesting import ASK, CLR, NO, YES, Team, name_other, wait
from tests.support.mcp_agent import Agent
from tests.support.repository import git

pytestmark = pytest.mark.promise("clarify.signed")

FURTHER, OFFSHOOT = "The backups too?", "CLR-1-002"
MARK = f"overruled: {NO} (unconfirmed), {CLR}"
LINE = f'(before: "{YES}" ({MARK}))'


@pytest.fixture
def team(begun: Team) -> Team:
    """Give a team of whom one said YES and asked on, and the other NO."""
    team = begun
    team.say(team.bob, "trust", "--writer", name_other(team.bob, team), "--yes")
    team.say(team.bob, "clarify", "answer", CLR, YES, "--as-person")
    team.say(team.ana, "clarify", "resolve", CLR, NO, "--as-person")
    further = ("clarify", "ask", "--follow-up", CLR, "--question", FURTHER)
    team.say(team.bob, *further, role="engineer")
    team.merge()
    team.say(team.ana, "trust", "--writer", name_other(team.ana, team), "--yes")
    return team


def find_row(team: Team) -> dict[str, object]:
    """Return the offshoot as a program is told it."""
    rows = json.loads(team.say(team.ana, "clarify", "--issue", "1", "--json"))["clarifications"]
    return next(dict(row) for row in rows if row["id"] == OFFSHOOT)


def look(team: Team) -> dict[str, str]:
    """Return what is shown of the offshoot, where what it begins with is shown, too."""
    ana = team.ana
    agent = Agent(ana.folder, read_environment({**ana.known, "AGENTX_AGENT": "tester"}))
    team.say(ana, "sync")
    rows = agent.call("search", query="backups").splitlines()
    hits = json.loads(team.say(ana, "search", "backups", "--json"))["hits"]
    return {
        "threads": team.say(ana, "clarify", "--issue", "1").partition(f"{OFFSHOOT} The")[2],
        "json": json.dumps(find_row(team)),
        "prompt": agent.prompt("clarify", issue="1").partition(f"{OFFSHOOT} [")[2],
        "show": team.say(ana, "show", OFFSHOOT),
        "show --json": team.say(ana, "show", OFFSHOOT, "--json"),
        "why": team.say(ana, "why", OFFSHOOT),
        "get": agent.call("get", ids=[OFFSHOOT], budget_tokens=200),
        "search": next(hit["origin"] for hit in hits if hit["doc_id"] == OFFSHOOT),
        "search by tool": next(row for row in rows if OFFSHOOT in row),
    }


def test_who_is_asked_on_is_told_that_the_word_before_was_overruled(team: Team) -> None:
    inbox = team.say(team.ana, "clarify", "inbox")
    assert f"-> {YES} (a person (unconfirmed)) ({MARK})" in inbox
    found = look(team)
    assert not [place for place, said in found.items() if MARK not in said], found
    thread = find_row(team)["thread"]
    assert isinstance(thread, list)
    assert [entry.get("against") for entry in thread] == [None, MARK, None]


def test_who_answers_what_was_asked_on_says_no_more_than_that(team: Team) -> None:
    said = "yes, those too"
    team.say(team.ana, "clarify", "answer", OFFSHOOT, said, "--as-person")
    ana = team.ana
    agent = Agent(ana.folder, read_environment({**ana.known, "AGENTX_AGENT": "engineer"}))
    for place, told in {
        "wait": wait(team, OFFSHOOT),
        "hook": team.say(ana, "hook", "start", "--issue", "1", role="engineer"),
        "recall": team.say(ana, "recall", "--issue", "1", role="engineer"),
        "inbox": team.say(ana, "clarify", "inbox", "engineer"),
        "tool": agent.call("inbox", role="engineer"),
    }.items():
        _, _, after = told.partition(said)
        assert after.split("(", 1)[1].startswith(("before", "a person")), (place, told)
        assert LINE in after, (place, told)
    team.say(ana, "clarify", "resolve", OFFSHOOT, role="engineer")
    assert LINE in wait(team, OFFSHOOT)
    # Nothing overruled what was said to the further question itself.
    thread = find_row(team)["thread"]
    assert isinstance(thread, list)
    assert not [entry for entry in thread if entry["body"] == said and "against" in entry]
    kept = team.say(ana, "recall", role="tester")
    assert f"{said}. Decided by a person (unconfirmed), asked: {FURTHER}" in kept


def test_what_was_asked_first_is_told_as_before(team: Team) -> None:
    told = wait(team)
    assert NO in told
    assert "before:" not in told


def test_what_was_decided_anew_is_told_beside_it_where_both_threads_asked_further(
    begun: Team,
) -> None:
    team = begun
    team.say(team.ana, "clarify", "answer", CLR, YES, "--as-person")
    team.push(team.ana)
    git(team.bob.folder, "pull", "-q", "origin", "main")
    team.say(team.bob, "trust", "--writer", name_other(team.bob, team), "--yes")
    for who, further in ((team.ana, "May I rename it?"), (team.bob, FURTHER)):
        asked = ("clarify", "ask", "--follow-up", CLR, "--question", further)
        team.say(who, *asked, role="engineer")
        team.say(who, "clarify", "answer", CLR, "as you like", "--as-person")
        team.say(who, "clarify", "resolve", CLR, role="engineer")
    team.merge()
    team.say(team.ana, "trust", "--writer", name_other(team.ana, team), "--yes")
    anew = (*ASK, "--to", PERSON, "--question", "May we drop the old table?", "--ask-anyway")
    team.say(team.ana, *anew, role="engineer")
    team.say(team.ana, "clarify", "answer", "CLR-1-003", NO, "--as-person")
    line = f'(before: "{YES}" (later decided otherwise: {NO} (unconfirmed, CLR-1-003)))'
    for name in (CLR, OFFSHOOT):
        assert line in wait(team, name), name
