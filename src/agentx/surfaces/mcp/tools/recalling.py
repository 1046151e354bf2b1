"""What matters most, without a question: the section that sessions begin with."""

from __future__ import annotations

from agentx.operations.recall.recall import recall as recalled
from agentx.operations.recall.section import RecallRequest
from agentx.surfaces.mcp.answer import fence
from agentx.surfaces.mcp.desk import Desk

_MORE = "the tools `search` and `get`."


def recall(
    desk: Desk,
    *,
    context: str = "",
    issue: int | None = None,
    agent: str = "",
    budget_tokens: int = 3_000,
) -> str:
    """Give what earlier sessions decided, what went wrong and how it ended, best first."""
    request = RecallRequest(
        agent=agent, issue=issue, context=context, budget_tokens=budget_tokens, more=_MORE
    )
    reply = desk.ask(lambda project, memory: recalled(project, memory, request), fresh=True)
    return reply.text or fence("Nothing to recall yet.")
