"""What matters most, without a question: the section that sessions begin with.

Recalling looks into every room; they are imported when somebody asks, because every session
pays for the server's start.
"""

from __future__ import annotations

from typing import Annotated

from mcp.server import MCPServer
from mcp.types import CallToolResult, TextContent
from pydantic import Field

from agentx.surfaces.mcp.answer import fence
from agentx.surfaces.mcp.desk import Desk
from agentx.surfaces.mcp.limits import MCP_ANSWER_TOKENS_MAX, MCP_ANSWER_TOKENS_MIN
from agentx.surfaces.mcp.offering import offer

_MORE = "the tools `search`, `get` and `expand`."


def register(server: MCPServer, desk: Desk) -> None:
    """Offer `recall`."""

    @offer(server, title="Recall what matters")
    def recall(
        context: Annotated[
            str,
            Field(description="What you are about to do, in a sentence or two", max_length=10_000),
        ] = "",
        issue: Annotated[int | None, Field(description="Its issue number", ge=0)] = None,
        agent: Annotated[str, Field(description="Your role, such as engineer")] = "",
        budget_tokens: Annotated[
            int,
            Field(
                description="The most this answer may cost",
                ge=MCP_ANSWER_TOKENS_MIN,
                le=MCP_ANSWER_TOKENS_MAX,
            ),
        ] = 3_000,
    ) -> CallToolResult:
        """Give what earlier sessions decided, what went wrong and how it ended, best first.

        With a context, what is close to it comes first. Each line has an id for `expand`.
        Use it once when you begin something; use `search` for a question.
        """
        from agentx.operations.recall.recall import recall as recalled  # noqa: PLC0415  see above
        from agentx.operations.recall.section import RecallRequest  # noqa: PLC0415  as above

        request = RecallRequest(
            agent=agent, issue=issue, context=context, budget_tokens=budget_tokens, more=_MORE
        )
        reply = desk.ask(lambda project, memory: recalled(project, memory, request), fresh=True)
        if not reply.text:
            return fence("Nothing to recall yet.")
        return CallToolResult(content=[TextContent(type="text", text=reply.text)])
