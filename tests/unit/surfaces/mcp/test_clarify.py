"""Goal: an agent asks, answers and looks into its inbox through MCP, and `/clarify` shows it all.

Method: the group registered on a server in process, its tools and its prompt called by name.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from agentx.kernel.text import RECALL_OPEN
from agentx.surfaces.mcp import clarify
from tests.support.mcp_agent import Agent

ASK = {"issue": 1, "asker": "engineer", "to": "architect", "topic": "Storage", "question": "JWT?"}


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path, clarify.register)


def test_a_question_is_asked_found_answered_and_settled(agent: Agent) -> None:
    text, [asked] = agent.call("ask", **ASK)
    assert (asked["id"], asked["status"]) == ("CLR-1-001", "pending")
    assert RECALL_OPEN in text, "what other agents wrote is data"

    _, [waiting] = agent.call("inbox", role="architect")
    assert waiting["id"] == "CLR-1-001"
    _, [answered] = agent.call("answer", id="CLR-1-001", text="JWT, see ADR-1.")
    assert answered["answer"] == "JWT, see ADR-1."
    text, [mine] = agent.call("inbox", role="engineer")
    assert "A: JWT, see ADR-1." in text
    assert mine["status"] == "answered"
    _, [further] = agent.call("ask", follow_up="CLR-1-001", question="Which keys?")
    assert further["round"] == 2
    agent.call("answer", id="CLR-1-001", text="ES256")
    _, [settled] = agent.call("answer", id="CLR-1-001", resolve=True)
    assert settled["status"] == "resolved"
    text, rows = agent.call("inbox")
    assert rows == []
    assert "No active clarifications." in text


def test_an_agent_is_told_what_is_wrong(agent: Agent) -> None:
    with pytest.raises(ToolError, match=r"Allowed: \[architect, product-manager\]"):
        agent.call("ask", **{**ASK, "to": "reviewer"})
    with pytest.raises(ToolError, match="issue is missing"):
        agent.call("ask", question="What?")
    with pytest.raises(ToolError, match="not found in ledger"):
        agent.call("answer", id="CLR-1-001", text="x")


def test_the_prompt_lists_what_is_active_or_shows_a_thread(agent: Agent) -> None:
    assert "No active clarifications." in agent.prompt()
    agent.call("ask", **ASK)

    listed = agent.prompt()
    assert "**CLR-1-001** [pending] Engineer -> Architect" in listed
    assert "agentx clarify answer CLR-1-001" in listed
    thread = agent.prompt(issue="#1")
    assert "[Engineer -> Architect] Clarification needed: JWT?" in thread
    assert "Nobody asked anything" in agent.prompt(issue="7")
    assert "no issue number" in agent.prompt(issue="seven")
