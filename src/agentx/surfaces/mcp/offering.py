"""How a tool is offered: its words, its annotations, and its failures.

The SDK hides the text of every error but its own `ToolError`, so what the house raises is
said here in that language: what is true, and what the agent can do next.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, ToolAnnotations

from agentx.kernel.errors import AgentXError
from agentx.kernel.text import disarm
from agentx.surfaces.mcp.answer import fence
from agentx.surfaces.mcp.desk import OpenProject

_ALWAYS_LOADED = {"anthropic/alwaysLoad": True}

Arguments = ParamSpec("Arguments")
Tool = Callable[Arguments, CallToolResult]


def offer(
    server: MCPServer,
    *,
    title: str,
    reads_only: bool = True,
    destructive: bool = False,
    always_loaded: bool = False,
    opened: OpenProject | None = None,
) -> Callable[[Tool[Arguments]], Tool[Arguments]]:
    """Offer the function below as a tool: its name, its docstring and its parameters are what
    the agent reads. It runs on a thread of its own and returns an `answer`.

    An agent CLI with many tools shows the agent only the names of most; `always_loaded` is for
    the few that it should see whole from the beginning. With `opened` the answer tells of what
    lies in the project's repository, and says so where that is not trusted.
    """

    def offer_tool(tool: Tool[Arguments]) -> Tool[Arguments]:
        @wraps(tool)
        def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> CallToolResult:
            try:
                return _name_origin(tool(*args, **kwargs), opened)
            except AgentXError as error:
                hint = f"\nhint: {error.hint}" if error.hint else ""
                raise ToolError(disarm(f"{error.message}{hint}")) from error
            except OSError as error:
                said = f"{error.filename or 'disk'}: {error.strerror or error}"
                raise ToolError(disarm(said)) from error

        server.tool(
            title=title,
            description=inspect.getdoc(tool),
            annotations=ToolAnnotations(
                title=title,
                read_only_hint=reads_only,
                destructive_hint=destructive,
                idempotent_hint=reads_only,
                open_world_hint=False,
            ),
            meta=_ALWAYS_LOADED if always_loaded else None,
            structured_output=False,
        )(call)
        return call

    return offer_tool


def _name_origin(said: CallToolResult, opened: OpenProject | None) -> CallToolResult:
    """Say before an answer that it is a stranger's, where it is."""
    if opened is None:
        return said
    from agentx.operations.recall.origins import origin_of_data  # noqa: PLC0415  every session pays for the server's start

    origin = origin_of_data(opened())
    if not origin:
        return said
    data = said.structured_content
    return CallToolResult(
        content=[*fence(f"What follows is {origin}.").content, *said.content],
        structured_content=None if data is None else {"origin": origin, **data},
    )
