"""What agents learnt: to keep something for the next one, and to see what earlier ones kept.

The same verbs as `agentx memory`.
"""

from __future__ import annotations

from agentx.kernel.clock import age
from agentx.kernel.limits import OBSERVATION_CHARS_MAX
from agentx.observations.model import Category, ObservationIndex, SearchFilters
from agentx.operations.memory.read import (
    Shown,
    memory_list,
    memory_marks,
    memory_search,
    memory_show,
)
from agentx.surfaces.mcp.answer import answer
from agentx.surfaces.mcp.desk import Desk


def remember(
    desk: Desk,
    *,
    text: str,
    category: str = Category.KEY_FACT.value,
    files: tuple[str, ...] = (),
    issue: int | None = None,
    agent: str = "",
) -> str:
    """Keep a decision, an error or a fact so that the next agent is told of it."""
    from agentx.daemon.door import prepare_next
    from agentx.operations.memory.write import NewObservation, memory_add

    project = desk.project()
    draft = NewObservation(
        text=text,
        agent=agent,
        issue=issue or 0,
        category=category,
        files=files,
        by_mcp=True,
    )
    kept = memory_add(project, draft)
    prepare_next(project)
    is_cut = len(text.strip()) > OBSERVATION_CHARS_MAX
    cut = f" Only the first {OBSERVATION_CHARS_MAX:,} characters were." if is_cut else ""
    return answer([f"Kept as {kept.id}.{cut}"])


def observations(
    desk: Desk,
    *,
    query: str = "",
    id: str = "",  # noqa: A002  what the agent reads
    issue: int | None = None,
    agent: str = "",
    category: str = "",
    limit: int = 10,
) -> str:
    """Show what earlier sessions decided, changed, broke and found out, or one of it whole."""
    project = desk.project()
    if id:
        return answer([_whole(memory_show(project, id))])
    filters = SearchFilters(
        agent=agent,
        issue_number=issue,
        category=Category(category) if category else None,
        limit=limit,
    )
    rows = (
        memory_search(project, query, filters=filters, limit=limit)
        if query.strip()
        else memory_list(project, filters)
    )
    marks = memory_marks(project, rows)
    now_ms = project.clock.now_ms()
    return answer(
        [_row(row, marks.get(row.id, ""), now_ms) for row in rows],
        head="" if rows else "Nothing found.",
        more="Ask for fewer rows, or for one issue.",
    )


def _row(row: ObservationIndex, mark: str, now_ms: int) -> str:
    doubt = "superseded" if row.superseded_by else "files changed since" if row.stale else ""
    issue = f"issue {row.issue_number}" if row.issue_number else ""
    old = age(row.timestamp_ms, now_ms=now_ms)
    facts = ", ".join(
        filter(None, (row.category, old, row.agent, issue, f"{row.tokens} tokens", doubt, mark))
    )
    against = f" ({row.against})" if row.against else ""
    return f"- {row.id} ({facts}): {row.summary}{against}"


def _whole(shown: Shown) -> str:
    found, mark = shown.observation, shown.learnt_on.mark
    said = [found.content]
    said += [f"issue {found.issue_number}"] if found.issue_number else []
    said += [f"it holds {mark}"] if mark else []
    if found.superseded_by:
        said.append(f"superseded by {found.superseded_by}: it no longer holds")
    if shown.replaced:
        said.append(f"holds instead of {', '.join(shown.replaced)}")
    if found.against:
        said.append(found.against)
    if found.changed_files:
        said.append(f"changed since it was written: {', '.join(found.changed_files)}")
    return "\n".join(said)
