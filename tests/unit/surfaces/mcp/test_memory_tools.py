"""Goal: an agent keeps something for the next one through MCP, and finds it again.

Method: the group registered on a server in process, its tools called by name.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult

from agentx.kernel.text import RECALL_OPEN
from agentx.project.config import read_environment
from agentx.surfaces.mcp import memory
from agentx.surfaces.mcp.desk import Desk


def test_what_one_agent_remembers_the_next_one_finds(tmp_path: Path) -> None:
    (tmp_path / "shop" / ".agentx").mkdir(parents=True)
    environment = read_environment({"HOME": str(tmp_path / "home"), "PATH": "/nowhere"})
    server: MCPServer = MCPServer("agentx")
    memory.register(server, Desk(tmp_path / "shop", environment).project)

    def call(tool: str, **arguments: Any) -> tuple[str, list[dict[str, Any]]]:
        reply = asyncio.run(server.call_tool(tool, arguments))
        assert isinstance(reply, CallToolResult)
        assert reply.structured_content is not None
        [content] = reply.content
        return getattr(content, "text", ""), reply.structured_content["rows"]

    said = "Chose Redis for sessions because two workers share them. Evaluated files."
    _, [kept] = call("remember", text=said, agent="engineer", issue=7, category="decision")
    call("remember", text="The harbour API allows 5 calls a second.", agent="architect")

    text, [row] = call("observations", query="redis sessions")
    assert RECALL_OPEN in text
    assert row["id"] == kept["id"]
    assert row["summary"] == "Chose Redis for sessions because two workers share them"
    assert len(call("observations")[1]) == 2
    assert [each["id"] for each in call("observations", issue=7, limit=1)[1]] == [kept["id"]]
    text, [whole] = call("observations", id=kept["id"])
    assert said in text
    assert whole["issue_number"] == 7
    assert call("observations", query="zanzibar")[0].count("Nothing found") == 1
    with pytest.raises(ToolError, match="is no category"):
        call("observations", category="gossip")
    with pytest.raises(ToolError, match="not the id of an observation"):
        call("observations", id="obs-1")
