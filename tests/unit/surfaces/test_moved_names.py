"""Goal: whatever names a question to an agent names it so that it can be answered, and opened.

Method: Ana and Bob ask something each, in clones that had not met; Bob's name goes to Ana's.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentx.project.config import read_environment
from tests.support.contesting import Team
from tests.support.mcp_agent import Agent, rows_of

pytestmark = pytest.mark.promise("clarify.merge")

ASKED = ("clarify", "ask", "--issue", "1", "--from", "engineer", "--to", "architect")
MOVED = "CLR-1-002"


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Team:
    made = Team(tmp_path, monkeypatch)
    made.begin()
    made.say(made.ana, *ASKED, "--topic", "Colour", "--question", "Which colour is the button?")
    made.say(made.bob, *ASKED, "--topic", "Timeout", "--question", "How long may a test run?")
    made.push(made.ana)
    made.push(made.bob)
    made.say(made.bob, "trust", "--yes")
    return made


def test_a_tool_names_a_question_as_it_is_answered_and_opened(team: Team) -> None:
    bob = team.bob
    rows = json.loads(team.say(bob, "clarify", "inbox", "architect", "--json"))["clarifications"]
    name = next(row for row in rows if row["topic"] == "Colour")["nextActions"][0].split()[3]
    assert name.startswith(f"{MOVED}@")
    agent = Agent(bob.folder, read_environment({**bob.known, "AGENTX_AGENT": "architect"}))
    assert "say which you mean" in agent.fail("answer", id=MOVED, text="Blue")

    assert [row for row in rows_of(agent.call("inbox")) if row.startswith(f"- {name} [pending]")]
    assert f"**{name}** [pending]" in agent.prompt("clarify")
    assert f"answered as {name}" in agent.call("search", query="colour button")
    assert "Which colour is the button?" in agent.call("get", ids=[name])
    for verb in ("show", "why"):
        assert "Which colour is the button?" in team.say(bob, verb, name)
    assert f"- {name} [answered]" in agent.call("answer", id=name, text="Blue")
    assert "not an id" in agent.fail("get", ids=[f"{MOVED}@01M7RHCWMWD2PGDDF5X3Z7JTMN"])


def test_nobody_is_sent_to_ask_by_a_name_that_moved(team: Team) -> None:
    bob = team.bob
    bob.play()
    assert "say which you mean" in bob.agentx("clarify", "route", MOVED)[1]
    rows = json.loads(team.say(bob, "clarify", "inbox", "architect", "--json"))["clarifications"]
    name = next(row for row in rows if row["topic"] == "Colour")["nextActions"][0].split()[3]
    bob.play()
    assert "nobody can be asked" in bob.agentx("clarify", "route", name)[1]
