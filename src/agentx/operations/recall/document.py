"""Anything that has an id, opened: what it is, when it was, and its whole text.

Ids say what they are: `grip:...`, `toc:...`, `obs-...`, a ULID for an event. Whatever else
can be found lies in the files of a room, and is looked for there. Rooms are imported when
one of theirs is opened: every session of an agent CLI starts this code.
"""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from agentx.conversation.toc_model import TocNode
from agentx.kernel.clock import Millis
from agentx.kernel.errors import AgentXError, NotFound
from agentx.kernel.ids import is_run_id, is_ulid
from agentx.kernel.text import compile_late, join_marks
from agentx.kernel.values import frozen
from agentx.memory.found import OBSERVATION
from agentx.memory.port import Memory
from agentx.operations.recall.branches import find_learnt_on
from agentx.operations.recall.origins import mark_thing, origin_of
from agentx.operations.recall.uses import note_use
from agentx.project.project import Project

if TYPE_CHECKING:
    from agentx.observations.model import Observation

_NUMBERS = compile_late(r"\d+")


@frozen
class Opened:
    """One document with its whole text."""

    doc_id: str
    kind: str  # "event", "toc_node", "grip", ...
    title: str  # who said it, or what it is, in a few words
    timestamp_ms: Millis
    text: str
    harness: str = ""
    agent: str = ""
    session_id: str = ""
    # Of what lies in a repository that is not trusted, holds elsewhere or is contradicted: that.
    origin: str = ""


def open_document(project: Project, memory: Memory, doc_id: str) -> Opened:
    """Return what an id stands for, with what must be told of it: whose it is, what speaks against.

    Raises: NotFound, InvalidValue.
    """
    found = _open(project, memory, _name_as_kept(project, doc_id))
    note_use(project, found.doc_id)
    against = "" if found.kind == OBSERVATION else mark_thing(project, found.kind, found.doc_id)
    origin = join_marks(origin_of(project, found.kind), against, found.origin)
    return replace(found, origin=origin)


def _name_as_kept(project: Project, doc_id: str) -> str:
    """Return what a question is found by, whose name was given for good: `CLR-1-001@...`."""
    if not (doc_id.startswith("CLR-") and "@" in doc_id):
        return doc_id
    from agentx.wiring.clarifications import open_clarifications  # noqa: PLC0415  see above

    with suppress(AgentXError):
        return str(open_clarifications(project).find(doc_id).id)
    return doc_id


def _open(project: Project, memory: Memory, doc_id: str) -> Opened:
    if doc_id.startswith("grip:"):
        return _grip(memory, doc_id)
    if doc_id.startswith("toc:"):
        return _node(memory, doc_id)
    if doc_id.startswith("obs-"):
        return _observation(project, doc_id)
    if is_ulid(doc_id):
        try:
            return _event(memory, doc_id)
        except NotFound:
            # The events of runs have such ids too.
            found = _in_rooms(project, doc_id)
            if found is None:
                raise
            return found
    found = _run(project, doc_id) if is_run_id(doc_id) else _in_rooms(project, doc_id)
    if found is None:
        raise NotFound(
            f"{doc_id[:60]!r} is not an id of anything remembered",
            hint="ids stand in the answers of search, recall and toc; copy one whole",
        )
    return found


def _event(memory: Memory, doc_id: str) -> Opened:
    event = memory.event(doc_id)
    return Opened(
        doc_id=event.event_id,
        kind="event",
        title=speak_kind(event.event_type),
        timestamp_ms=event.timestamp_ms,
        text=event.text,
        harness=event.harness,
        agent=event.agent,
        session_id=event.session_id,
    )


def _grip(memory: Memory, doc_id: str) -> Opened:
    found = memory.expand(doc_id, before=0, after=0)
    said = found.excerpt_events[0] if found.excerpt_events else None
    return Opened(
        doc_id=found.grip.grip_id,
        kind="grip",
        title="the exact words",
        timestamp_ms=found.grip.timestamp_ms,
        text=found.grip.excerpt,
        harness=said.harness if said else "",
        agent=said.agent if said else "",
        session_id=said.session_id if said else "",
    )


def _node(memory: Memory, doc_id: str) -> Opened:
    node = memory.toc_node(doc_id)
    return Opened(
        doc_id=node.node_id,
        kind="toc_node",
        title=node.title,
        timestamp_ms=node.end_ms,
        text="\n".join((*_bullets(node), *_parts(node))),
        harness=node.harnesses[0] if len(node.harnesses) == 1 else "",
        agent=node.agents[0] if len(node.agents) == 1 else "",
        session_id=node.sessions[0] if len(node.sessions) == 1 else "",
    )


def _bullets(node: TocNode) -> list[str]:
    return [f"- {bullet.kind}: {bullet.text} [{bullet.grip_ids[0]}]" for bullet in node.bullets]


def _parts(node: TocNode) -> list[str]:
    return [f"parts: {', '.join(node.children)}"] if node.children else []


def speak_kind(event_type: str) -> str:
    """Return the type of an event in words."""
    return event_type.replace("_", " ")


def _observation(project: Project, doc_id: str) -> Opened:

    found = open_observation(project, doc_id)
    replaced = f"superseded by {found.superseded_by}" if found.superseded_by else ""
    doubts = filter(None, (replaced, found.against))
    return Opened(
        doc_id=found.id,
        kind="observation",
        title=", ".join((found.category, f"issue {found.issue_number}", *doubts)),
        timestamp_ms=found.timestamp_ms,
        text=found.content,
        agent=found.agent,
        session_id=found.session_id,
        origin=find_learnt_on(project, found).mark,
    )


def open_observation(project: Project, doc_id: str) -> Observation:
    """Return an observation, wherever it lies.

    Raises: NotFound, InvalidValue.
    """
    from agentx.wiring.observations import open_observations  # noqa: PLC0415  see above

    with closing(open_observations(project)) as room:
        return room.get(doc_id)[0]


def _run(project: Project, run_id: str) -> Opened:
    """Open a run, one that is packed away too."""
    from agentx.wiring.runs import run_page, story_of  # noqa: PLC0415  see above

    run, events = story_of(project, run_id)
    return Opened(
        doc_id=run.id,
        kind="run",
        title=f"run, {run.phase}, {run.status}",
        timestamp_ms=run.updated_ms,
        text=run_page(run, events),
    )


def _in_rooms(project: Project, doc_id: str) -> Opened | None:
    """Look through the files of the rooms, first those that the id names a number of."""
    from agentx.wiring.rooms import searchable_rooms  # noqa: PLC0415  see above

    rooms, wanted = searchable_rooms(project), doc_id.casefold()
    named = frozenset(_NUMBERS.findall(doc_id))
    parts = rooms.news({}).stamps
    for part in sorted(parts, key=lambda part: not named.intersection(_NUMBERS.findall(part))):
        for document in rooms.documents(part):
            if document.doc_id.casefold() == wanted:
                return Opened(
                    doc_id=document.doc_id,
                    kind=document.doc_type,
                    title=speak_kind(document.doc_type),
                    timestamp_ms=Millis(document.timestamp_ms),
                    text=document.text,
                    agent=document.agent,
                    session_id=document.session,
                )
    return None
