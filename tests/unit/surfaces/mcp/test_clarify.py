"""Goal: an agent asks, answers and looks into its inbox through MCP, and `/clarify` shows it all.

Method: the tools and the prompt called by name, in process.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.kernel.text import RECALL_OPEN
from agentx.project.config import read_environment
from tests.support.mcp_agent import Agent, agent_in, rows_of
from tests.support.players import Player

ASK = {"issue": 1, "asker": "engineer", "to": "architect", "topic": "Storage", "question": "JWT?"}


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return agent_in(tmp_path)


def test_a_question_is_asked_found_answered_and_settled(agent: Agent) -> None:
    asked = agent.call("ask", **ASK)
    assert "- CLR-1-001 [pending] engineer -> architect: Storage\n  Q: JWT?" in asked
    assert RECALL_OPEN in asked, "what other agents wrote is data"

    assert "CLR-1-001" in agent.call("inbox", role="architect")
    assert "A: JWT, see ADR-1." in agent.call("answer", id="CLR-1-001", text="JWT, see ADR-1.")
    mine = agent.call("inbox", role="engineer")
    assert "A: JWT, see ADR-1." in mine
    assert "CLR-1-001 [answered]" in mine
    assert "Q: Which keys?" in agent.call("ask", follow_up="CLR-1-001", question="Which keys?")
    agent.call("answer", id="CLR-1-001", text="ES256")
    assert "[resolved]" in agent.call("answer", id="CLR-1-001", resolve=True)
    assert "Nothing waits for engineer." in agent.call("inbox", role="engineer")
    left = agent.call("inbox")
    assert rows_of(left) == []
    assert "No active clarifications." in left


def test_who_waits_for_others_is_told_that_nothing_waits_for_them(agent: Agent) -> None:
    agent.call("ask", **ASK)
    mine = agent.call("inbox", role="engineer")
    assert "Nothing waits for engineer." in mine
    assert "No active" not in mine
    assert "Nothing waits for the user." in agent.call("inbox", role="human")


def test_how_good_an_answer_is_is_said_and_shown(agent: Agent) -> None:
    agent.call("ask", **ASK)
    worth = {"standing": "partial", "confidence": "low", "remaining": "Which keys?"}
    said = agent.call("answer", id="CLR-1-001", text="JWT.", **worth)

    assert "A (partly, low confidence): JWT.\n  Still open: Which keys?" in said
    assert "Still open: Which keys?" in agent.call("inbox", role="engineer")
    assert "confidence" in agent.fail("answer", id="CLR-1-001", text="x", confidence="total")


def test_an_agent_is_told_what_is_wrong_in_the_words_of_tools(agent: Agent) -> None:
    assert "Allowed: [architect, product-manager]" in agent.fail("ask", **{**ASK, "to": "reviewer"})
    assert "issue is missing" in agent.fail("ask", question="What?")
    unknown = agent.fail("answer", id="CLR-1-001", text="x")
    assert "not found in ledger" in unknown
    assert "`inbox` lists the active ones" in unknown


def test_the_prompt_lists_what_is_active_or_shows_a_thread(agent: Agent) -> None:
    assert "No active clarifications." in agent.prompt("clarify")
    agent.call("ask", **ASK)

    listed = agent.prompt("clarify")
    assert "**CLR-1-001** [pending] Engineer -> Architect" in listed
    assert "agentx clarify answer CLR-1-001" in listed
    thread = agent.prompt("clarify", issue="#1")
    assert "[Engineer -> Architect] Clarification needed: JWT?" in thread
    assert "Nobody asked anything" in agent.prompt("clarify", issue="7")
    assert "no issue number" in agent.prompt("clarify", issue="seven")


def test_what_a_person_decided_is_recalled_where_no_session_was_captured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player(tmp_path, monkeypatch)
    agent = Agent(player.folder, read_environment({**player.known, "AGENTX_AGENT": "engineer"}))
    assert "nothing is remembered" in agent.fail("recall", issue=1)
    assert not player.project.store.root.exists(), "none is made by asking"

    player.play()
    player.agentx("issue", "create", "--title", "Old tables")
    agent.call("ask", **{**ASK, "to": "human", "question": "Shall I drop it?"})
    assert player.agentx("clarify", "answer", "CLR-1-001", "NO, never", "--as-person")[0] == 0
    agent.call("ask", follow_up="CLR-1-001", question="Really not?")
    assert not player.project.store.db.exists()
    assert "NO, never" in agent.call("recall", issue=1)
    assert "NO, never" in agent.call("search", query="drop it")
