"""The cheapest layer: rows that say what there is, and what it costs to open."""

from __future__ import annotations

from typing import Annotated

from mcp.server import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from agentx.daemon.door import open_other
from agentx.kernel.clock import Millis, age, point
from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import preview
from agentx.memory.found import KINDS, REMEMBERED, SearchHit, SearchReply, SearchRequest
from agentx.operations.recall.everywhere import EverywhereReply, search_everywhere
from agentx.operations.recall.origins import mark_origins
from agentx.project.project import Project
from agentx.project.zone import project_zone
from agentx.surfaces.mcp.answer import Row, answer
from agentx.surfaces.mcp.desk import Desk
from agentx.surfaces.mcp.limits import MCP_ROWS_MAX
from agentx.surfaces.mcp.offering import offer

_SNIPPET_CHARS_MAX = 300
_ALSO_MAX = 3
_TOKENS_MAX = 6_000

Point = Annotated[str, Field(description="2026-03-02, 2026-03-02T14:00, 7d, 12h or yesterday")]


def register(server: MCPServer, desk: Desk) -> None:
    """Offer `search`."""

    @offer(server, title="Search memory", always_loaded=True)
    def search(
        *,
        query: Annotated[
            str,
            Field(
                description="A plain question, or words that were said; "
                '"exact phrase", beginning* and times such as last week work; '
                "so do: where did we stop? what is left to do? what did Codex do on Friday?",
                max_length=10_000,
            ),
        ],
        limit: Annotated[int, Field(description="Rows", ge=1, le=MCP_ROWS_MAX)] = 10,
        since: Point = "",
        until: Point = "",
        agent: Annotated[str, Field(description="Only this role, such as engineer")] = "",
        issue: Annotated[str, Field(description="Only this issue, by number")] = "",
        kind: Annotated[str, Field(description=f"Only {', '.join(KINDS)}")] = "",
        all_projects: Annotated[
            bool, Field(description="Every project on this machine, if the user agreed to that")
        ] = False,
    ) -> CallToolResult:
        """Find what was said, decided and done in earlier sessions. Cheap: start here.

        Gives rows, best first: id, age, who, a snippet, and what the full text costs in tokens.
        "also" are ids of what says the same, or was drawn from it. Then `get` the few ids that
        are worth it, or `timeline` one to see what led to it.
        """
        if kind and kind not in KINDS:
            raise InvalidValue(f"{kind!r} is no kind", hint=f"one of {', '.join(KINDS)}")

        def request(project: Project) -> SearchRequest:
            return SearchRequest(
                query=query,
                kinds=(kind,) if kind else REMEMBERED,
                agent=agent,
                issue=issue,
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
                lambda project, memory: _in_one(project, memory.search(request(project))),
                fresh=True,
            )
        return _answer(found, now_ms=desk.project().clock.now_ms(), named=all_projects)


def _in_one(project: Project, reply: SearchReply) -> EverywhereReply:
    return EverywhereReply(hits=mark_origins(project, reply.hits), notes=reply.notes)


def _answer(found: EverywhereReply, *, now_ms: int, named: bool) -> CallToolResult:
    rows = [_row(hit, now_ms=now_ms, named=named) for hit in found.hits]
    notes = [*found.notes]
    notes += [f"{each.project} was not searched: {each.message}" for each in found.passed_over]
    if not rows:
        notes.append("Nothing found. Try other words, fewer words or a wider time.")
    return answer(
        rows,
        budget=_TOKENS_MAX,
        head="\n".join(notes),
        more="Ask for fewer rows, or narrow the time.",
        notes=notes,
    )


def _row(hit: SearchHit, *, now_ms: int, named: bool) -> Row:
    old = age(hit.timestamp_ms, now_ms=now_ms)
    who = " ".join(filter(None, (hit.harness, hit.agent or hit.role)))
    where = hit.project if named else ""
    snippet = preview(hit.snippet, _SNIPPET_CHARS_MAX)
    facts = ", ".join(filter(None, (where, hit.kind, hit.origin, old, who, f"{hit.tokens} tokens")))
    data = {
        "id": hit.doc_id,
        "kind": hit.kind,
        "age": old,
        "who": who,
        "origin": hit.origin,
        "project": where,
        "snippet": snippet,
        "tokens": hit.tokens,
        "also": hit.also[:_ALSO_MAX],
    }
    also = f" [also {', '.join(hit.also[:_ALSO_MAX])}]" if hit.also else ""
    return Row(f"- {hit.doc_id} ({facts}): {snippet}{also}", data)


def _moment(said: str, project: Project) -> Millis | None:
    now_ms = project.clock.now_ms()
    return point(said, now_ms=now_ms, zone=project_zone(project)) if said.strip() else None
