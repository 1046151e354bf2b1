"""What happened when: around an id, in a session, in a stretch of time."""

from __future__ import annotations

from datetime import tzinfo

from agentx.conversation.model import Session, SessionQuery
from agentx.conversation.toc_model import TocNode
from agentx.kernel.errors import NotFound
from agentx.kernel.ids import is_ulid
from agentx.kernel.text import preview
from agentx.memory.port import Memory
from agentx.operations.recall.stretch import (
    SessionPage,
    TimeStretch,
    find_session,
    read_session,
    read_stretch,
)
from agentx.operations.recall.timeline import Timeline
from agentx.operations.recall.timeline import timeline as surroundings
from agentx.project.project import Project
from agentx.project.zone import project_zone
from agentx.surfaces.mcp.answer import answer
from agentx.surfaces.mcp.desk import Desk
from agentx.surfaces.mcp.tools.reading import say_clock, show_event

_LINE_CHARS_MAX = 400
_TITLE_CHARS_MAX = 160
_SAID_CHARS_MAX = 200
_PART_BULLETS_MAX = 2
_INSTEAD_MAX = 5
# As much of a long name as tells it from others: `timeline` takes a beginning too.
_NAME_CHARS, _NAME_CHARS_LONG = 13, 30


def timeline(
    desk: Desk,
    *,
    id: str = "",  # noqa: A002  what the agent reads
    before: int = 3,
    after: int = 3,
    page: int = 1,
) -> str:
    """Show the last sessions, what happened in a time or a session, or around an id."""
    wanted = id.strip()

    def look(project: Project, memory: Memory) -> str:
        zone = project_zone(project)
        if wanted.startswith(("toc:", "grip:")) or is_ulid(wanted):
            return show_around(surroundings(memory, wanted, before=before, after=after), zone)
        stretch = open_stretch(project, memory, wanted, page=page)
        if stretch is not None:
            return stretch
        session = find_session(memory, wanted)
        if session is None:
            raise NotFound(
                f"{wanted[:60]!r} is no time, no session and no id",
                hint="a time is today, last week, 2026-03; ids stand in other answers",
            )
        return _show_session(read_session(memory, session, page), zone)

    return desk.ask(look, fresh=True)


def open_stretch(project: Project, memory: Memory, words: str, *, page: int = 1) -> str | None:
    """Return what happened in a time; nothing when the words mean none.

    Raises: NotFound, InvalidValue.
    """
    zone, now_ms = project_zone(project), project.clock.now_ms()
    found = read_stretch(memory, words, now_ms=now_ms, zone=zone, page=page)
    if found is None or not found.is_empty or not found.words:
        return None if found is None else _show_stretch(found, zone)
    last = memory.sessions(SessionQuery(limit=_INSTEAD_MAX))
    return answer(
        [_show_session_row(session, zone) for session in last],
        head=f"Nothing is remembered of {words[:60]}." + (" The last sessions:" if last else ""),
    )


def show_around(found: Timeline, zone: tzinfo) -> str:
    """Return the events around something, or the parts of a node."""
    rows = [_show_part(part, zone) for part in found.parts]
    rows += [
        show_event(event, zone, is_focus=event.event_id in found.focus)
        for event in found.events
        if event.text.strip() or event.event_id in found.focus
    ]
    head = f"{found.node.node_id}: {found.node.title}" if found.node else ""
    return answer(rows, head=head, more="Ask for fewer events, or for one of the parts.")


def _show_stretch(found: TimeStretch, zone: tzinfo) -> str:
    """Return a stretch of time: its lines, its parts, a page of its sessions."""
    rows = []
    if found.node is not None:
        rows += [
            f"- {bullet.kind}: {bullet.text} [{bullet.grip_ids[0]}]"
            for bullet in found.node.bullets
        ]
    for part in found.parts:
        rows.append(_show_part(part, zone))
        rows += [f"  {bullet.kind}: {bullet.text}" for bullet in part.bullets[:_PART_BULLETS_MAX]]
    if rows and found.sessions:
        rows.append("Sessions, newest first:")
    rows += [_show_session_row(session, zone) for session in found.sessions]
    return answer(
        rows,
        head=_head(found, zone),
        more="Take a shorter time, or one of the sessions.",
        tail=f"More sessions: page={found.page + 1}." if found.has_more else "",
    )


def _head(found: TimeStretch, zone: tzinfo) -> str:
    if found.node is not None:
        return f"{found.node.node_id}: {found.node.title}"
    if found.since_ms is None or found.until_ms is None:
        return "Sessions, newest first:" if found.sessions else "No session is remembered yet."
    since, until = say_clock(found.since_ms, zone), say_clock(found.until_ms, zone)
    return f"{found.words[:80]}: {since} to {until}"


def _show_session(found: SessionPage, zone: tzinfo) -> str:
    rows = [show_event(event, zone, chars_max=_SAID_CHARS_MAX) for event in found.events]
    return answer(
        rows,
        head=_show_session_row(found.session, zone).removeprefix("- "),
        more="`get` opens an id.",
        tail=f"It goes on: page={found.page + 1}." if found.has_more else "",
    )


def _show_session_row(session: Session, zone: tzinfo) -> str:
    began, ended = say_clock(session.first_ms, zone), say_clock(session.last_ms, zone)
    until = ended[11:] if ended[:10] == began[:10] else ended
    facts = (
        f"{began} to {until}",
        session.harness + (f" as {session.agent}" if session.agent else ""),
        f"branch {session.branch}" if session.branch else "",
        f"{session.events} events",
    )
    title = preview(session.title, _TITLE_CHARS_MAX)
    name = session.session_id
    if len(name) > _NAME_CHARS_LONG and name[:_NAME_CHARS].isascii():
        name = name[:_NAME_CHARS]
    return f"- {name} ({', '.join(filter(None, facts))}): {title}".rstrip(": ")


def _show_part(node: TocNode, zone: tzinfo) -> str:
    at = say_clock(node.start_ms, zone)
    title = preview(node.title, _LINE_CHARS_MAX)
    return f"- {node.node_id} ({at}, {node.event_count} events): {title}"
