"""That something was wanted: opened by its id, or asked why; and what sessions were told.

Being told is no use of it.
"""

from __future__ import annotations

from contextlib import closing

from agentx.conversation.toc_model import Expansion
from agentx.kernel.clock import Millis
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.observations.ids import ID_PREFIX
from agentx.project.project import Project
from agentx.views.recall_tally import count_use, list_tellings


@frozen
class SessionTelling:
    """That a session was told some things at one moment."""

    at_ms: Millis
    moment: str  # "start", "prompt" or "action"
    ids: tuple[str, ...]


def expand_used(
    project: Project, memory: Memory, grip_id: str, *, before: int, after: int
) -> Expansion:
    """Return the words that prove a line, and count that somebody wanted them.

    Raises: NotFound, InvalidValue.
    """
    found = memory.expand(grip_id, before=before, after=after)
    note_use(project, grip_id)
    return found


def note_use(project: Project, doc_id: str) -> None:
    """Count a use; what cannot be counted holds nobody up."""
    try:
        if doc_id.startswith(ID_PREFIX):
            from agentx.wiring.observations import open_observations  # noqa: PLC0415  one was opened

            with closing(open_observations(project)) as room:
                room.count_use(doc_id)
        count_use(project.store.recall_counts(project.id), doc_id)
    except (AgentXError, OSError) as error:
        project.log.record("warning", "use-not-counted", message=str(error))


def list_told(project: Project, session_id: str) -> tuple[SessionTelling, ...]:
    """Return what a session was told, in that order, as far back as tellings are kept."""
    kept = list_tellings(project.store.recall_counts(project.id))
    return tuple(
        SessionTelling(at_ms=Millis(one.at_ms), moment=one.moment, ids=one.ids)
        for one in kept
        if one.session_id == session_id
    )
