"""What agents learnt: to keep something for the next one, and to see what earlier ones kept.

The same verbs as `agentx memory`.
"""

from __future__ import annotations

from typing import Annotated

from mcp.server import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from agentx.kernel.clock import age
from agentx.kernel.errors import InvalidValue
from agentx.kernel.limits import OBSERVATION_CHARS_MAX
from agentx.observations.model import Category, ObservationIndex, SearchFilters
from agentx.operations.memory.read import (
    Shown,
    memory_list,
    memory_marks,
    memory_search,
    memory_show,
)
from agentx.surfaces.mcp.answer import Row, answer
from agentx.surfaces.mcp.desk import OpenProject
from agentx.surfaces.mcp.limits import MCP_ROWS_MAX
from agentx.surfaces.mcp.offering import offer

_TOKENS_MAX = 6_000
_CATEGORIES = ", ".join(Category)

Issue = Annotated[int | None, Field(description="An issue by number", ge=0)]


def register(server: MCPServer, opened: OpenProject) -> None:
    """Offer `remember` and `observations`."""
    _offer_remember(server, opened)
    _offer_observations(server, opened)


def _offer_remember(server: MCPServer, opened: OpenProject) -> None:
    @offer(server, title="Remember for later sessions", reads_only=False)
    def remember(
        *,
        text: Annotated[str, Field(max_length=10 * OBSERVATION_CHARS_MAX)],
        agent: Annotated[str, Field(description="Your own role, such as engineer")],
        category: Annotated[str, Field(description=_CATEGORIES)] = Category.KEY_FACT.value,
        issue: Issue = None,
        files: Annotated[list[str] | None, Field(description="Files it speaks of")] = None,
    ) -> CallToolResult:
        """Keep a decision, an error or a fact so that the next agent is told of it.

        Sessions are captured by themselves: use this for what would be missed, such as a reason
        that was never said aloud. One thing at a time, in whole sentences.
        """
        # Every session pays for the server's start, few keep anything.
        from agentx.operations.memory.write import NewObservation, memory_add  # noqa: PLC0415  see above

        draft = NewObservation(
            text=text, agent=agent, issue=issue or 0, category=category, files=tuple(files or ())
        )
        kept = memory_add(opened(), draft)
        return answer(
            [Row(f"Kept as {kept.id}.", {"id": kept.id, "tokens": kept.tokens})],
            budget=_TOKENS_MAX,
        )


def _offer_observations(server: MCPServer, opened: OpenProject) -> None:
    @offer(server, title="What agents learnt")
    def observations(
        *,
        query: Annotated[str, Field(description="Words; empty: the newest")] = "",
        id: Annotated[str, Field(description="obs-... to open in full")] = "",  # noqa: A002  what the agent reads
        issue: Issue = None,
        agent: Annotated[str, Field(description="Only of this role")] = "",
        category: Annotated[str, Field(description=f"Only {_CATEGORIES}")] = "",
        limit: Annotated[int, Field(ge=1, le=MCP_ROWS_MAX)] = 10,
    ) -> CallToolResult:
        """Show what earlier sessions decided, changed, broke and found out, per issue.

        Gives rows with what each costs to open; open one by its id. A row that is superseded or
        whose files changed since says so: check it against the code.
        """
        project = opened()
        now_ms = project.clock.now_ms()
        if id:
            found = memory_show(project, id)
            return answer([_whole(found)], budget=_TOKENS_MAX)
        filters = SearchFilters(
            agent=agent, issue_number=issue, category=_category(category), limit=limit
        )
        rows = (
            memory_search(project, query, filters=filters, limit=limit)
            if query.strip()
            else memory_list(project, filters)
        )
        marks = memory_marks(project, rows)
        return answer(
            [_row(row, marks.get(row.id, ""), now_ms) for row in rows],
            budget=_TOKENS_MAX,
            head="" if rows else "Nothing found.",
            more="Ask for fewer rows, or for one issue.",
        )


def _category(word: str) -> Category | None:
    if not word:
        return None
    try:
        return Category(word)
    except ValueError:
        raise InvalidValue(f"{word!r} is no category", hint=f"one of {_CATEGORIES}") from None


def _row(row: ObservationIndex, mark: str, now_ms: int) -> Row:
    doubt = "superseded" if row.superseded_by else "files changed since" if row.stale else ""
    issue = f"issue {row.issue_number}" if row.issue_number else ""
    old = age(row.timestamp_ms, now_ms=now_ms)
    facts = ", ".join(
        filter(None, (row.category, old, row.agent, issue, f"{row.tokens} tokens", doubt, mark))
    )
    return Row(f"- {row.id} ({facts}): {row.summary}", row)


def _whole(shown: Shown) -> Row:
    found, mark = shown.observation, shown.learnt_on.mark
    doubts = [f"it holds {mark}"] if mark else []
    if found.superseded_by:
        doubts.append(f"superseded by {found.superseded_by}: it no longer holds")
    if shown.replaced:
        doubts.append(f"holds instead of {', '.join(shown.replaced)}")
    if found.changed_files:
        doubts.append(f"changed since it was written: {', '.join(found.changed_files)}")
    return Row("\n".join((found.content, *doubts)), found)
