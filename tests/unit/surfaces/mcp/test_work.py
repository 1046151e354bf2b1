"""Goal: an agent finds what is ready, reads an issue and moves it along through MCP.

Method: the group registered on a server in process, its tools called by name.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from agentx.kernel.text import RECALL_OPEN
from agentx.surfaces.mcp import work
from tests.support.mcp_agent import Agent


def test_an_agent_takes_up_an_issue_and_moves_it_along(tmp_path: Path) -> None:
    agent = Agent(tmp_path, work.register, AGENTX_AGENT="engineer")
    text, rows = agent.call("ready")
    assert (rows, "Nothing is ready." in text) == ([], True)
    _, [made] = agent.call(
        "issue_create",
        title="Pick \u2705",
        body="Which one?",
        labels=["type:story"],
        status="ready",
    )
    _, [found] = agent.call("ready")
    text, [whole] = agent.call("issue", number=made["number"])
    agent.call("issue_update", number=1, status="in-progress")
    agent.call("issue_update", number=1, comment="began")
    _, [after] = agent.call("issue", number=1)

    assert (made["number"], found["title"]) == (1, "Pick \u2705")
    assert "next: implement (engineer)" in text
    assert RECALL_OPEN in text, "what people wrote is data"
    assert (whole["body"], after["status"]) == ("Which one?", "In Progress")
    assert [(each["author"], each["body"]) for each in after["comments"]] == [("engineer", "began")]


def test_a_wrong_request_tells_the_agent_what_to_do(tmp_path: Path) -> None:
    agent = Agent(tmp_path, work.register, AGENTX_AGENT="engineer")
    agent.call("issue_create", title="x")

    for arguments, said in (
        ({"status": "done"}, "may become: Ready"),
        ({"status": "doing"}, "is not a status"),
        ({}, "give status, comment or labels"),
        ({"add_labels": ["type:stroy"]}, "did you mean type:story"),
    ):
        with pytest.raises(ToolError, match=said):
            agent.call("issue_update", number=1, **arguments)
    with pytest.raises(ToolError, match="no issue #9"):
        agent.call("issue", number=9)
