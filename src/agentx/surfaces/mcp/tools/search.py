"""The cheapest layer: rows that say what there is, and what it costs to open."""

from __future__ import annotations

from agentx.daemon.door import open_other
from agentx.kernel.clock import Millis, age, point
from agentx.kernel.text import preview
from agentx.memory.found import REMEMBERED, SearchHit, SearchReply, SearchRequest
from agentx.operations.recall.everywhere import EverywhereReply, search_everywhere
from agentx.operations.recall.origins import mark_origins
from agentx.project.project import Project
from agentx.project.zone import project_zone
from agentx.surfaces.mcp.answer import answer
from agentx.surfaces.mcp.desk import Desk

_SNIPPET_CHARS_MAX = 300
_ALSO_MAX = 3


def search(
    desk: Desk,
    *,
    query: str,
    limit: int = 10,
    since: str = "",
    until: str = "",
    agent: str = "",
    issue: str = "",
    kind: str = "",
    all_projects: bool = False,
) -> str:
    """Find what was said, decided and done, in rows, best first."""

    def request(project: Project) -> SearchRequest:
        return SearchRequest(
            query=query,
            kinds=(kind,) if kind else REMEMBERED,
            agent=agent,
            issue=issue.strip().removeprefix("#"),
            since_ms=_moment(since, project),
            until_ms=_moment(until, project),
            now_ms=project.clock.now_ms(),
            limit=limit,
        )

    if all_projects:
        found = desk.ask_everywhere(
            lambda project: search_everywhere(project, open_other, request(project))
        )
    else:
        found = desk.ask(
            lambda project, memory: _in_one(project, memory.search(request(project))), fresh=True
        )
    return _answer(found, now_ms=desk.project().clock.now_ms(), named=all_projects)


def _in_one(project: Project, reply: SearchReply) -> EverywhereReply:
    return EverywhereReply(hits=mark_origins(project, reply.hits), notes=reply.notes)


def _answer(found: EverywhereReply, *, now_ms: int, named: bool) -> str:
    rows = [show_hit(hit, now_ms=now_ms, named=named) for hit in found.hits]
    notes = [*found.notes]
    notes += [f"{each.project} was not searched: {each.message}" for each in found.passed_over]
    if not rows:
        notes.append("Nothing found. Try other words, fewer words or a wider time.")
    return answer(rows, head="\n".join(notes), more="Ask for fewer rows, or narrow the time.")


def show_hit(hit: SearchHit, *, now_ms: int, named: bool = False) -> str:
    """Return one hit as a row."""
    old = age(hit.timestamp_ms, now_ms=now_ms)
    who = " ".join(filter(None, (hit.harness, hit.agent or hit.role)))
    where = hit.project if named else ""
    snippet = preview(hit.snippet, _SNIPPET_CHARS_MAX)
    facts = ", ".join(filter(None, (where, hit.kind, hit.origin, old, who, f"{hit.tokens} tokens")))
    names = (hit.also if hit.alike <= _ALSO_MAX else hit.made_of)[:_ALSO_MAX]
    more = f"{hit.alike:,} more like it" if hit.alike else ""
    beside = ", ".join(filter(None, (more, f"also {', '.join(names)}" if names else "")))
    return f"- {hit.doc_id} ({facts}): {snippet}{f' [{beside}]' if beside else ''}"


def _moment(said: str, project: Project) -> Millis | None:
    now_ms = project.clock.now_ms()
    return point(said, now_ms=now_ms, zone=project_zone(project)) if said.strip() else None
