"""What the observations hear on the bus: compactions of a loop, and what sessions were told."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from agentx.kernel.bus import Bus
from agentx.kernel.errors import AgentXError
from agentx.observations.events import ContextCompacted
from agentx.observations.ids import ID_PREFIX
from agentx.observations.model import Recall
from agentx.observations.settings import MemorySettings
from agentx.project.project import Project
from agentx.views.recall_tally import SessionTold

if TYPE_CHECKING:
    from agentx.observations.service import Observations

Stop = Callable[[], None]


def start_capture(project: Project, bus: Bus, room: Callable[[], Observations]) -> Stop:
    """Keep what compactions on the bus tell; return a function that stops it.

    For a loop whose conversation is not in the log. It needs no daemon.
    """
    issue = project.config.section(MemorySettings).issue

    def hear_compaction(fact: ContextCompacted) -> None:
        from agentx.views.sessions.compacted import capture_compacted  # noqa: PLC0415  all rules of extraction

        try:
            capture_compacted(room(), fact, issue)
        except AgentXError as error:
            project.log.record("warning", "memory-capture-failed", message=error.message)

    return bus.listen(ContextCompacted, hear_compaction)


def start_telling(project: Project, bus: Bus, room: Callable[[], Observations]) -> Stop:
    """Tell of the observations that hooks print at session start; return what stops it."""

    def hear(fact: SessionTold) -> None:
        ids = [each for each in fact.doc_ids if each.startswith(ID_PREFIX)]
        if fact.project != project.id or not ids:
            return
        try:
            room().tell_recalled(ids, Recall(agent=fact.harness))
        except AgentXError as error:
            project.log.record("warning", "memory-alert", message=f"not told: {error.message}")

    return bus.listen(SessionTold, hear)


def log_recalls(project: Project, bus: Bus) -> Stop:
    """Write into our own log what sessions are told; return a function that stops it."""

    def write(fact: SessionTold) -> None:
        project.log.record(
            "info",
            "memory-recalled",
            project=fact.project,
            harness=fact.harness,
            session=fact.session_id,
            lines=len(fact.doc_ids),
        )

    return bus.listen(SessionTold, write)
