"""The dearer layers: what surrounds an id, the words that prove a line, and full texts."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Annotated

from mcp.server import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from agentx.conversation.model import Event
from agentx.conversation.toc_model import Expansion, TocNode
from agentx.kernel.text import preview
from agentx.kernel.tokens import estimate
from agentx.operations.limits import MCP_AROUND_MAX, MCP_IDS_MAX
from agentx.operations.recall.document import Opened, speak_kind
from agentx.operations.recall.read import ReadReply, TextPart, read
from agentx.operations.recall.timeline import Timeline
from agentx.operations.recall.timeline import timeline as surroundings
from agentx.operations.recall.uses import expand_used
from agentx.project.zone import project_zone
from agentx.surfaces.mcp.answer import Row, answer, count_fenced, fence
from agentx.surfaces.mcp.desk import Desk
from agentx.surfaces.mcp.limits import MCP_ANSWER_TOKENS_MAX, MCP_ANSWER_TOKENS_MIN
from agentx.surfaces.mcp.offering import offer

_LINE_CHARS_MAX = 400
_PROOF_CHARS_MAX = 4_000
_TOKENS_MAX = 6_000
_FRAME_TOKENS = 40  # the fence

Around = Annotated[int, Field(ge=0, le=MCP_AROUND_MAX)]


def register(server: MCPServer, desk: Desk) -> None:
    """Offer `timeline`, `get` and `expand`."""
    _offer_timeline(server, desk)
    _offer_get(server, desk)
    _offer_expand(server, desk)


def _offer_timeline(server: MCPServer, desk: Desk) -> None:
    @offer(server, title="What happened around it")
    def timeline(
        id: Annotated[  # noqa: A002  what the agent reads
            str, Field(description="An id from a row, or a date such as 2026-03-02", max_length=300)
        ],
        before: Around = 3,
        after: Around = 3,
    ) -> CallToolResult:
        """Show what happened around an id, one line an event: what led to it, what came of it.

        For a `toc:` id or a date: its parts. Each line has an id that `get` opens.
        """
        found, zone = desk.ask(
            lambda project, memory: (
                surroundings(memory, id, before=before, after=after),
                project_zone(project),
            )
        )
        return _timeline(found, zone)


def _offer_get(server: MCPServer, desk: Desk) -> None:
    @offer(server, title="Full text by id", always_loaded=True)
    def get(
        ids: Annotated[
            list[str], Field(description="Ids from rows", min_length=1, max_length=MCP_IDS_MAX)
        ],
        budget_tokens: Annotated[
            int,
            Field(
                description="The most this answer may cost; rows say what each id costs",
                ge=MCP_ANSWER_TOKENS_MIN,
                le=MCP_ANSWER_TOKENS_MAX,
            ),
        ] = 4_000,
        offset: Annotated[
            int, Field(description="Where the first text goes on, if it was cut", ge=0)
        ] = 0,
    ) -> CallToolResult:
        """Give the full text of ids from `search`, `timeline` or `recall`, in that order.

        A text that is too long for the budget is cut and says at which offset it goes on.
        """
        room = budget_tokens - _FRAME_TOKENS
        zone = project_zone(desk.project())
        found = desk.ask(
            lambda project, memory: read(
                project,
                memory,
                ids,
                budget_tokens=room,
                offset=offset,
                heading=lambda document: _heading(document, zone),
            )
        )
        return fence(_texts(found, zone, budget_tokens))


def _offer_expand(server: MCPServer, desk: Desk) -> None:
    @offer(server, title="The words that prove a line")
    def expand(
        grip_id: Annotated[
            str, Field(description="The id of a recalled line: grip:...", max_length=300)
        ],
        before: Around = 1,
        after: Around = 1,
    ) -> CallToolResult:
        """Show the exact words a recalled line or summary came from, with the events around them.

        Use it before you rely on a line that matters.
        """
        found, zone = desk.ask(
            lambda project, memory: (
                expand_used(project, memory, grip_id, before=before, after=after),
                project_zone(project),
            )
        )
        return _proof(found, zone)


def _timeline(found: Timeline, zone: tzinfo) -> CallToolResult:
    rows = [_part(part, zone) for part in found.parts]
    rows += [
        _event(event, zone, is_focus=event.event_id in found.focus)
        for event in found.events
        if event.text.strip() or event.event_id in found.focus
    ]
    head = f"{found.node.node_id}: {found.node.title}" if found.node else ""
    more = "Ask for fewer events, or for one of the parts."
    return answer(rows, budget=_TOKENS_MAX, head=head, more=more, about=head)


def _part(node: TocNode, zone: tzinfo) -> Row:
    at = _clock(node.start_ms, zone)
    title = preview(node.title, _LINE_CHARS_MAX)
    text = f"- {node.node_id} ({at}, {node.event_count} events): {title}"
    return Row(text, {"id": node.node_id, "when": at, "events": node.event_count, "title": title})


def _event(
    event: Event, zone: tzinfo, *, is_focus: bool = False, chars_max: int = _LINE_CHARS_MAX
) -> Row:
    at, kind = _clock(event.timestamp_ms, zone), speak_kind(event.event_type)
    said = preview(event.text, chars_max)
    tokens = estimate(event.text)
    text = (
        f"{'>' if is_focus else '-'} {event.event_id} "
        f"({at}, {event.harness} {kind}, {tokens} tokens): {said}"
    )
    data = {
        "id": event.event_id,
        "when": at,
        "kind": kind,
        "harness": event.harness,
        "text": said,
        "tokens": tokens,
    }
    return Row(text, data | ({"asked_for": True} if is_focus else {}))


def _proof(found: Expansion, zone: tzinfo) -> CallToolResult:
    excerpt = preview(found.grip.excerpt, _PROOF_CHARS_MAX)
    # The proof goes first: what is around it is dropped when there is no room.
    rows = [
        _event(event, zone, is_focus=True, chars_max=_PROOF_CHARS_MAX)
        for event in found.excerpt_events
    ]
    around = (*found.events_before, *found.events_after)
    rows += [_event(event, zone) for event in around if event.text.strip()]
    return answer(
        rows,
        budget=_TOKENS_MAX,
        head=f'The words: "{excerpt}"\nFrom (>), and around it (-):',
        more="`get` opens an id.",
        words=excerpt,
    )


def _texts(found: ReadReply, zone: tzinfo, budget: int) -> str:
    """Return the pieces, and as much of what became of the other ids as there is room for."""
    text = "\n\n".join(_piece(piece, zone) for piece in found.pieces)
    notes = [f"No room for {doc_id}: ask for it alone" for doc_id in found.left_out]
    for note in (*notes, *(why for _, why in found.missing)):
        longer = f"{text}\n\n{note}".strip()
        if count_fenced(longer) > budget:
            return text
        text = longer
    return text


def _piece(piece: TextPart, zone: tzinfo) -> str:
    text = f"{_heading(piece.document, zone)}\n{piece.text}"
    if piece.offset:
        text = f"(from character {piece.offset} on) {text}"
    if piece.next_offset is None:
        return text
    whole = len(piece.document.text)
    return f"{text}\n(cut: {piece.next_offset} of {whole} characters; offset={piece.next_offset})"


def _heading(document: Opened, zone: tzinfo) -> str:
    facts = (
        document.origin,
        document.title,
        _clock(document.timestamp_ms, zone),
        document.harness,
        document.agent,
        f"session {document.session_id}" if document.session_id else "",
    )
    return f"## {document.doc_id} ({', '.join(filter(None, facts))})"


def _clock(at_ms: int, zone: tzinfo) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, tz=zone):%Y-%m-%d %H:%M}"
