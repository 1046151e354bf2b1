"""Capturing what sessions teach, wired for one project.

The observations are opened when the first session is due: most commands need none. What
goes wrong with them is logged and never stands in the way of the log or its views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from agentx.host.git import facts as git
from agentx.host.kv.port import KeyValue
from agentx.kernel.bus import Bus
from agentx.kernel.errors import AgentXError
from agentx.observations.events import ContextCompacted
from agentx.observations.ids import ID_PREFIX
from agentx.observations.model import Recall
from agentx.observations.service import Observations
from agentx.observations.settings import MemorySettings
from agentx.project.project import Project
from agentx.recall.events import MemoryRecalled
from agentx.views.limits import MODEL_EXTRACTION_SESSIONS_MAX
from agentx.views.store import CaptureMarks
from agentx.wiring.models import model_extractor
from agentx.wiring.observations import keep_out_of_git, open_observations

if TYPE_CHECKING:
    from agentx.views.session_capture import Observing, Sessions


class Observer:
    """The observations of a project, as its memory keeps them up to date."""

    def __init__(
        self, project: Project, kv: KeyValue, source: Sessions, bus: Bus, *, is_own: bool
    ) -> None:
        """Capture the project's own sessions; another project's lie in a folder unknown here."""
        self._project = project
        self._bus = bus
        self._is_own = is_own
        self._opened: Observations | None = None
        self._kv = kv
        self._source = source
        settings = project.config.section(MemorySettings)
        self._enabled = is_own and settings.enabled
        self._stops = (
            (start_capture(project, bus, self.room), start_counting(project, bus, self.room))
            if self._enabled
            else ()
        )

    @cached_property
    def _observing(self) -> Observing:
        from agentx.views.session_capture import Observing, Rules  # noqa: PLC0415  all rules of extraction

        project = self._project
        issue = project.config.section(MemorySettings).issue
        return Observing(
            self._source,
            CaptureMarks(self._kv, project.id),
            self.room,
            Rules(clock=project.clock, bus=self._bus, issue=issue, branch_of=_branch_of),
        )

    def room(self) -> Observations:
        """Return the observations, opened."""
        if self._opened is None:
            keep_out_of_git(self._project)
            self._opened = open_observations(self._project, self._bus)
        return self._opened

    def catch_up(self) -> int:
        """Capture the sessions that are due; return how many observations came of it."""
        if not self._enabled:
            return 0
        try:
            return self._observing.catch_up().observations
        except AgentXError as error:
            self._project.log.record("warning", "memory-capture-failed", message=error.message)
            return 0

    def polish(self) -> int:
        """Let the model, if one is set, look at captured sessions; return how many it did."""
        if not self._enabled:
            return 0
        with model_extractor(self._project) as extractor:
            if extractor is None:
                return 0
            try:
                return self._observing.polish(extractor, MODEL_EXTRACTION_SESSIONS_MAX)
            except AgentXError as error:
                self._project.log.record("warning", "model fell back", reason=error.message)
                return 0

    @contextmanager
    def forgetting(self, session_id: str, *, whole: bool) -> Iterator[None]:
        """Take away what was captured of a session; what is left of it is captured anew after."""
        if not self._is_own:
            yield
            return
        self.catch_up()  # what was begun is finished first: only then is it known what to take away
        is_kept = self._project.paths.observations.is_dir()
        with self._observing.forgetting(session_id, whole=whole, is_kept=is_kept):
            yield

    def close(self) -> None:
        """Let go of the observations."""
        for stop in self._stops:
            stop()
        if self._opened is not None:
            self._opened.close()
            self._opened = None


def start_capture(
    project: Project, bus: Bus, room: Callable[[], Observations]
) -> Callable[[], None]:
    """Keep what compactions on the bus tell; return a function that stops it.

    For a loop whose conversation is not in the log. It needs no daemon.
    """
    issue = project.config.section(MemorySettings).issue

    def compacted(fact: ContextCompacted) -> None:
        from agentx.views.compacted import capture_compacted  # noqa: PLC0415  as above

        try:
            capture_compacted(room(), fact, issue)
        except AgentXError as error:
            project.log.record("warning", "memory-capture-failed", message=error.message)

    return bus.listen(ContextCompacted, compacted)


def start_counting(
    project: Project, bus: Bus, room: Callable[[], Observations]
) -> Callable[[], None]:
    """Count the observations that hooks print at session start; return a function that stops it."""

    def told(fact: MemoryRecalled) -> None:
        ids = [each for each in fact.doc_ids if each.startswith(ID_PREFIX)]
        if fact.project != project.id or not ids:
            return
        try:
            room().count_recall(ids, Recall(agent=fact.harness))
        except AgentXError as error:
            project.log.record("warning", "memory-alert", message=f"not counted: {error.message}")

    return bus.listen(MemoryRecalled, told)


def _branch_of(directory: str) -> str:
    folder = Path(directory)
    return (git.branch(folder) or "") if folder.is_dir() else ""
