"""Goal: what a person said before a thread asked further is told with what speaks against it now.

Method: Ana says YES and answers what her engineer asks on; then she is asked the first anew and
says NO, or Bob, whom she does not trust, says NO to it. Real git, commands and tools in process.
"""

from __future__ import annotations

import json

import pytest

from agentx.clarification.model import PERSON
from agentx.project.config import read_environment
from tests.support.contesting import ASK, CLR, NO, YES, Team, wait
from tests.support.mcp_agent import Agent

pytestmark = pytest.mark.promise("clarify.signed")

FURTHER, THOSE = "The backups too?", "those as well"
ANEW = "CLR-1-002"
ASKED = (*ASK, "--to", PERSON, "--question", "May we drop the old table?", "--ask-anyway")
LATER = f"later decided otherwise: {NO} (unconfirmed, {ANEW})"
CONTESTED = "contested: a writer who is not trusted here said otherwise"


def answer_both(team: Team) -> None:
    """Let Ana say YES, and answer what is asked on."""
    team.say(team.ana, "clarify", "answer", CLR, YES, "--as-person")
    further = ("clarify", "ask", "--follow-up", CLR, "--question", FURTHER)
    team.say(team.ana, *further, role="engineer")
    team.say(team.ana, "clarify", "answer", CLR, THOSE, "--as-person")


def decide_anew(team: Team) -> None:
    team.say(team.ana, *ASKED, role="engineer")
    team.say(team.ana, "clarify", "answer", ANEW, NO, "--as-person")


def contest(team: Team) -> None:
    team.say(team.bob, "clarify", "answer", CLR, NO, "--as-person")
    team.merge()


def look(team: Team) -> dict[str, str]:
    """Return what is shown of the thread, where what it was told first is shown, too."""
    ana = team.ana
    agent = Agent(ana.folder, read_environment({**ana.known, "AGENTX_AGENT": "tester"}))
    team.say(ana, "sync")
    hits = json.loads(team.say(ana, "search", "backups", "--json"))["hits"]
    rows = agent.call("search", query="backups").splitlines()
    return {
        "threads": team.say(ana, "clarify", "--issue", "1"),
        "prompt": agent.prompt("clarify", issue="1"),
        "show": team.say(ana, "show", CLR),
        "why": team.say(ana, "why", CLR),
        "get": agent.call("get", ids=[CLR], budget_tokens=400),
        "search": next(hit["origin"] for hit in hits if hit["doc_id"] == CLR),
        "search by tool": next(row for row in rows if row.startswith(f"- {CLR}")),
        "wait": wait(team),
    }


def find_against(team: Team) -> list[object]:
    """Return what a program is told against each entry of the thread."""
    rows = json.loads(team.say(team.ana, "clarify", "--issue", "1", "--json"))["clarifications"]
    thread = next(row for row in rows if row["id"] == CLR)["thread"]
    return [entry.get("against") for entry in thread]


@pytest.mark.parametrize(
    ("happens", "mark"), [(decide_anew, LATER), (contest, CONTESTED)], ids=["anew", "contested"]
)
def test_a_word_that_stands_no_more_is_never_told_alone(
    begun: Team, happens: object, mark: str
) -> None:
    team, ana = begun, begun.ana
    answer_both(team)
    assert callable(happens)
    happens(team)
    before = f'{THOSE} (a person (unconfirmed)) (before: "{YES}" ({mark}))'
    assert before in team.say(ana, "clarify", "inbox", "engineer")
    hooked = team.say(ana, "hook", "start", "--issue", "1", role="engineer")
    assert f'{THOSE} (before: "{YES}" ({mark}))' in hooked

    team.say(ana, "clarify", "resolve", CLR, role="engineer")
    found = look(team)
    assert not [place for place, said in found.items() if mark not in said], found
    assert f"{YES} ({mark})" in found["threads"]
    assert find_against(team)[:4] == [None, mark, None, None]


def test_what_is_asked_on_is_put_to_the_person_with_what_they_decided_anew(begun: Team) -> None:
    team, ana = begun, begun.ana
    team.say(ana, "clarify", "answer", CLR, YES, "--as-person")
    further = ("clarify", "ask", "--follow-up", CLR, "--question", FURTHER)
    team.say(ana, *further, role="engineer")
    decide_anew(team)
    assert f"-> {YES} (a person (unconfirmed)) ({LATER})" in team.say(ana, "clarify", "inbox")
    assert f"{YES} ({LATER})" in team.say(ana, "clarify", "--issue", "1")


def test_what_is_told_of_the_thread_is_not_told_twice(begun: Team) -> None:
    team, ana = begun, begun.ana
    team.say(ana, "clarify", "answer", CLR, YES, "--as-person")
    further = ("clarify", "ask", "--follow-up", CLR, "--question", FURTHER)
    team.say(ana, *further, role="engineer")
    contest(team)
    for words in (("clarify", "inbox"), ("clarify", "--issue", "1"), ("show", CLR)):
        assert team.say(ana, *words).count(CONTESTED) == 1, words


def test_what_stands_is_told_as_before(begun: Team) -> None:
    team = begun
    answer_both(team)
    team.say(team.ana, "clarify", "resolve", CLR, role="engineer")
    assert "before:" not in wait(team)
    assert set(find_against(team)) == {None}
