"""An agent that calls the tools of one group as an MCP client would, in process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp.types import CallToolResult, GetPromptResult

from agentx.project.config import read_environment
from agentx.surfaces.mcp.desk import Desk, OpenProject


class Agent:
    """Calls tools and prompts."""

    def __init__(
        self, folder: Path, register: Callable[[MCPServer, OpenProject], None], **environment: str
    ) -> None:
        (folder / "shop" / ".agentx").mkdir(parents=True)
        known = {"HOME": str(folder / "home"), "PATH": "/nowhere", **environment}
        self.server: MCPServer = MCPServer("agentx")
        register(self.server, Desk(folder / "shop", read_environment(known)).project)

    def call(self, tool: str, **arguments: Any) -> tuple[str, list[dict[str, Any]]]:
        """Return a tool's text and its rows."""
        reply = asyncio.run(self.server.call_tool(tool, arguments))
        assert isinstance(reply, CallToolResult)
        assert reply.structured_content is not None
        [content] = reply.content
        return getattr(content, "text", ""), reply.structured_content["rows"]

    def prompt(self, **arguments: str) -> str:
        """Return what `/clarify` says."""
        reply = asyncio.run(self.server.get_prompt("clarify", arguments))
        assert isinstance(reply, GetPromptResult)
        return "\n".join(getattr(each.content, "text", "") for each in reply.messages)
