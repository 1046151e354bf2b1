"""The dearest layer: full texts by id, and the words that prove a line."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo

from agentx.conversation.model import Event
from agentx.conversation.toc_model import Expansion
from agentx.kernel.text import compile_late, preview
from agentx.kernel.tokens import estimate
from agentx.operations.recall.document import Opened, speak_kind
from agentx.operations.recall.read import ReadReply, TextPart, read
from agentx.operations.recall.uses import expand_used
from agentx.project.zone import project_zone
from agentx.surfaces.mcp.answer import answer, count_fenced, fence
from agentx.surfaces.mcp.desk import Desk

_LINE_CHARS_MAX = 400
_PROOF_CHARS_MAX = 4_000
_FRAME_TOKENS = 40  # the fence
# How what is opened begins, where somebody's words do; what takes its place is no longer.
# Whichever blanks, marks and hyphens it is written with: a model reads them alike.
_HEAD = compile_late(
    r"^[^\S\n]*[#\uff03][#\uff03\s]+(?=[^\s(]*[-:\u2010-\u2015\u2212][^\s(]*\s*[(\uff08])",
    re.MULTILINE,
)


def get(desk: Desk, *, ids: tuple[str, ...], budget_tokens: int = 4_000, offset: int = 0) -> str:
    """Give the full text of ids, in that order; one that is too long is cut, and says where."""
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


def expand(desk: Desk, *, grip_id: str, before: int = 1, after: int = 1) -> str:
    """Show the exact words that a line came from, with the events around them."""
    found, zone = desk.ask(
        lambda project, memory: (
            expand_used(project, memory, grip_id, before=before, after=after),
            project_zone(project),
        )
    )
    return _proof(found, zone)


def show_event(
    event: Event, zone: tzinfo, *, is_focus: bool = False, chars_max: int = _LINE_CHARS_MAX
) -> str:
    """Return one event as a row."""
    at, kind = say_clock(event.timestamp_ms, zone), speak_kind(event.event_type)
    facts = f"{at}, {event.harness} {kind}, {estimate(event.text)} tokens"
    said = preview(event.text, chars_max)
    return f"{'>' if is_focus else '-'} {event.event_id} ({facts}): {said}"


def say_clock(at_ms: int, zone: tzinfo) -> str:
    """Return a moment as clocks show it."""
    return f"{datetime.fromtimestamp(at_ms / 1000, tz=zone):%Y-%m-%d %H:%M}"


def _proof(found: Expansion, zone: tzinfo) -> str:
    excerpt = preview(found.grip.excerpt, _PROOF_CHARS_MAX)
    # The proof goes first: what is around it is dropped when there is no room.
    rows = [
        show_event(event, zone, is_focus=True, chars_max=_PROOF_CHARS_MAX)
        for event in found.excerpt_events
    ]
    around = (*found.events_before, *found.events_after)
    rows += [show_event(event, zone) for event in around if event.text.strip()]
    return answer(
        rows,
        head=f'The words: "{excerpt}"\nFrom (>), and around it (-):',
        more="`get` opens an id.",
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
    text = f"{_heading(piece.document, zone)}\n{_HEAD.sub('> ', piece.text)}"
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
        say_clock(document.timestamp_ms, zone),
        document.harness,
        document.agent,
        f"session {document.session_id}" if document.session_id else "",
    )
    return f"## {document.doc_id} ({', '.join(filter(None, facts))})"
