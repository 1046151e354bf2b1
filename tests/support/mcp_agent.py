"""An agent that calls tools and prompts as an MCP client would, in process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentx.daemon.door import open_memory
from agentx.memory.port import Memory
from agentx.project.config import Environment, read_environment
from agentx.project.project import Project
from agentx.surfaces.mcp.desk import Desk
from agentx.surfaces.mcp.performing import LatePerformer


class Agent:
    """Asks the server of one folder."""

    def __init__(
        self,
        folder: Path,
        environment: Environment,
        opened: Callable[[Project], Memory] = open_memory,
    ) -> None:
        self.folder = folder
        self.performer = LatePerformer(str(folder), lambda: Desk(folder, environment, opened))

    def call(self, tool: str, **arguments: Any) -> str:
        """Return what a tool says."""
        text, is_error = self.try_call(tool, **arguments)
        assert not is_error, text
        return text

    def fail(self, tool: str, **arguments: Any) -> str:
        """Return what a tool says of a call that cannot be."""
        text, is_error = self.try_call(tool, **arguments)
        assert is_error, text
        return text

    def try_call(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        """Return what a tool says, and whether that is an error."""
        result = self.performer.call_tool({"name": tool, "arguments": arguments})
        [content] = result["content"]
        assert set(result) <= {"content", "isError"}, "the text is not said twice"
        return content["text"], result.get("isError", False)

    def prompt(self, name: str, **arguments: str) -> str:
        """Return what a slash command says."""
        result = self.performer.get_prompt({"name": name, "arguments": arguments})
        [message] = result["messages"]
        assert message["role"] == "user"
        return str(message["content"]["text"])

    def open(self, uri: str) -> str:
        """Return what an address stands for."""
        [content] = self.performer.read_resource({"uri": uri})["contents"]
        return str(content["text"])


def agent_in(folder: Path, **environment: str) -> Agent:
    """Return the agent of a fresh project below a folder."""
    (folder / "shop" / ".agentx").mkdir(parents=True)
    known = {"HOME": str(folder / "home"), "PATH": "/nowhere", **environment}
    return Agent(folder / "shop", read_environment(known))


def rows_of(text: str) -> list[str]:
    """Return the rows of an answer."""
    return [line for line in text.splitlines() if line.startswith(("- ", "> "))]


def ids_of(text: str) -> list[str]:
    """Return the ids that the rows of an answer begin with."""
    return [row.split()[1] for row in rows_of(text)]
