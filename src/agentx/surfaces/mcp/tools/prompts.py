"""What stands behind each slash command: what a person asked for, and the memory's answer to it.

The person's wish is said outside of the fence, in their name: they typed it. What memory says
is inside.
"""

from __future__ import annotations

from agentx.kernel.clock import age
from agentx.kernel.errors import AgentXError, InvalidValue
from agentx.kernel.text import preview
from agentx.memory.found import SearchRequest
from agentx.memory.port import Memory, MemoryStatus
from agentx.operations.memory.stats import MemoryStats, memory_stats
from agentx.operations.recall.origins import mark_origins, origin_of_data
from agentx.operations.recall.why import Trace
from agentx.operations.recall.why import why as trace_of
from agentx.project.project import Project
from agentx.project.zone import project_zone
from agentx.surfaces.mcp.answer import answer, fence, name_origin
from agentx.surfaces.mcp.desk import Desk
from agentx.surfaces.mcp.tools import reading, recalling
from agentx.surfaces.mcp.tools import search as searching
from agentx.surfaces.mcp.tools.questions import describe_thread
from agentx.surfaces.mcp.tools.reading import say_clock
from agentx.surfaces.mcp.tools.timeline import open_stretch

_TRACE_CHARS_MAX = 600
_STANDUP_ROWS = 5
_IDS_MAX = 50
_STANDUP_QUESTIONS = ("Where did we stop?", "What is left to do?")


def recall(desk: Desk, *, context: str) -> str:
    """Return what matters most for what a person is about to do."""
    said = recalling.recall(desk, context=context)
    return f"Keep in mind what earlier sessions taught{_about(context)}.\n\n{said}"


def standup(desk: Desk, *, since: str) -> str:
    """Return what was done since a day, where it stopped, what is left and who waits."""
    words = since.strip() or "since yesterday"

    def look(project: Project, memory: Memory) -> str:
        now_ms = project.clock.now_ms()
        done = open_stretch(project, memory, words)
        if done is None:
            raise InvalidValue(f"{words[:60]!r} is no time", hint="yesterday, last week")
        parts = [done]
        for question in _STANDUP_QUESTIONS:
            reply = memory.search(SearchRequest(query=question, now_ms=now_ms, limit=_STANDUP_ROWS))
            hits = mark_origins(project, reply.hits)
            rows = [searching.show_hit(hit, now_ms=now_ms) for hit in hits]
            parts.append(answer(rows or ["nothing"], head=question))
        waiting = fence(f"Who waits for whom:\n{_thread(project, '')}")
        parts.append(name_origin(waiting, origin_of_data(project)))
        return "\n\n".join(parts)

    said = desk.ask(look, fresh=True)
    return f"Write my stand-up from this: done, next, blocked; a few lines, no more.\n\n{said}"


def why(desk: Desk, *, id: str) -> str:  # noqa: A002  what a person types
    """Return what something rests on, down to the words."""

    def look(project: Project, memory: Memory) -> str:
        zone = project_zone(project)
        rows: list[str] = []

        def tell(trace: Trace, depth: int) -> None:
            at = "" if trace.timestamp_ms is None else say_clock(trace.timestamp_ms, zone)
            facts = ", ".join(filter(None, (trace.kind, at, trace.source, trace.id)))
            told = f"; told {trace.recalled} times" if trace.recalled else ""
            said = preview(trace.text, _TRACE_CHARS_MAX)
            rows.append(f"{'  ' * depth}- {said} ({facts}{told})")
            for below in trace.rests_on:
                tell(below, depth + 1)
            if trace.left_out:
                rows.append(f"{'  ' * depth}  and {trace.left_out} more")

        tell(trace_of(project, memory, id.strip()), 0)
        return answer(rows)

    said = desk.ask(look, fresh=True)
    return f"Tell me why this is remembered, and whether it still holds.\n\n{said}"


def clarify(desk: Desk, *, issue: str) -> str:
    """Return what agents ask each other."""
    return name_origin(fence(_thread(desk.project(), issue)), origin_of_data(desk.project()))


def search(desk: Desk, *, query: str) -> str:
    """Return rows for a question."""
    said = searching.search(desk, query=query)
    return f"Answer from memory, naming the ids you rely on: {query.strip()}\n\n{said}"


def get(desk: Desk, *, ids: str) -> str:
    """Return the full text of some ids, however they are set apart."""
    wanted = tuple(ids.replace(",", " ").split())[:_IDS_MAX]
    return reading.get(desk, ids=wanted)


def stats(desk: Desk) -> str:
    """Return what this memory holds, in figures."""
    status, figures, now_ms = desk.ask(
        lambda project, memory: (memory.status(), memory_stats(project), project.clock.now_ms()),
        fresh=True,
    )
    return fence("\n".join(_figures(status, figures, now_ms)))


def _figures(status: MemoryStatus, figures: MemoryStats, now_ms: int) -> list[str]:
    log, store = status.log, figures.store
    rows = [
        f"- {log.events:,} events of {log.sessions:,} sessions: "
        + ", ".join(f"{name} {count:,}" for name, count in sorted(log.by_harness.items())),
        f"- {store.total_observations:,} observations, {store.total_tokens:,} tokens",
        f"- {store.superseded:,} superseded, {store.stale:,} stale, {store.archived:,} archived",
        f"- told {figures.recalls.times:,} times, searched {figures.searches.times:,} times lately",
        f"- {log.bytes_on_disk / 1_000_000:,.1f} MB on disk, served by {status.served_by}",
    ]
    if log.last_ms is not None:
        rows.append(f"- the newest event is of {age(log.last_ms, now_ms=now_ms)}")
    return [*rows, *(f"- attention: {each}" for each in figures.alerts)]


def compact(desk: Desk, *, issue: str) -> str:
    """Merge old observations, and return what became of them."""
    from agentx.operations.memory.write import memory_compact

    wanted = issue.strip().removeprefix("#")
    if wanted and not (wanted.isascii() and wanted.isdigit() and len(wanted) < 10):
        raise InvalidValue(f"{issue[:40]!r} is no issue number", hint="such as 42")
    done = memory_compact(desk.project(), issue=int(wanted) if wanted else None)
    if not done.merged:
        return fence("Nothing was old and alike enough to be merged.")
    return fence(
        f"{done.archived} observations of {done.issues} issues were merged into "
        f"{len(done.merged)}; the originals are in the archive: {', '.join(done.merged[:10])}"
    )


def _thread(project: Project, issue: str) -> str:
    try:
        return describe_thread(project, issue)
    except AgentXError as error:
        return f"{error.message}\n{error.hint}".strip()


def _about(context: str) -> str:
    return f" for this: {context.strip()}" if context.strip() else ""
