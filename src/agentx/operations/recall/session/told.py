"""What a session was told by memory, where it stands in the session, and the words behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing, suppress

from agentx.conversation.model import Event
from agentx.kernel.errors import AgentXError
from agentx.memory.port import Memory
from agentx.observations.ids import ID_PREFIX
from agentx.operations.recall.uses import SessionTelling
from agentx.project.project import Project
from agentx.views.recall_tally import read_note
from agentx.wiring.observations import open_observations

_OTHERS_MAX = 20


def read_told(event: Event) -> SessionTelling | None:
    """Return what a session was told, where an event of it notes that."""
    note = read_note(event)
    if note is None:
        return None
    fact = note.fact
    return SessionTelling(at_ms=fact.at_ms, moment=fact.moment, ids=fact.doc_ids)


def read_lines(project: Project, memory: Memory, ids: Iterable[str]) -> Mapping[str, str]:
    """Return the words behind ids, of those that are still there; nothing counts as opened."""
    wanted = tuple(dict.fromkeys(ids))
    kept = [each for each in wanted if each.startswith(ID_PREFIX)]
    lines: dict[str, str] = {}
    if kept:
        with suppress(AgentXError), closing(open_observations(project)) as room:
            lines |= {one.id: one.summary for one in room.store.get_by_ids(kept)}
    for each in [one for one in wanted if one.startswith("grip:")][:_OTHERS_MAX]:
        with suppress(AgentXError):
            lines[each] = memory.expand(each, before=0, after=0).grip.excerpt
    return lines
