"""The observations of a project, opened: the store that its settings name, and who is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.plain import exists, look
from agentx.host.system import system_entropy
from agentx.kernel.bus import Bus
from agentx.observations.events import CaptureSkipped, MemoryRecalled, MemoryStored
from agentx.observations.limits import OBSERVATION_FILE_TOKENS_MAX
from agentx.observations.model import (
    StoreFault,
)
from agentx.observations.service import Observations, Supplies
from agentx.observations.settings import MemorySettings
from agentx.observations.store.files.store import JsonObservationStore
from agentx.observations.store.paths import ObservationPaths
from agentx.project.claims import claim_private
from agentx.project.project import Project
from agentx.wiring.listeners.log import log_fields
from agentx.wiring.vouched.store import VouchedStore

if TYPE_CHECKING:
    from agentx.observations.store.sqlite.store import SqliteObservationStore


_OPEN_MAX = 4
BACKENDS = ("json", "sqlite")
_CHARS_PER_TOKEN = 4
_TOLD = {
    "agent": "agent",
    "issue": "issue_number",
    "count": "count",
    "tokens": "total_tokens",
    "ids": "observation_ids",
    "elapsed_ms": "elapsed_ms",
}


def open_observations(project: Project, bus: Bus | None = None) -> Observations:
    """Open the project's observations; files are made by the first that is stored."""
    settings = project.config.section(MemorySettings)
    told = Bus() if bus is None else bus
    _log_what_is_told(project, told)
    return Observations(
        open_vouched(project),
        Supplies(
            settings=settings,
            clock=project.clock,
            entropy=project.entropy,
            bus=told,
            note=partial(_note, project),
            reading_costs=_reading_costs(project.root),
        ),
    )


class OpenObservations:
    """Observations that stay open between two questions, for who answers many."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: dict[tuple[object, ...], Observations] = {}

    def of(self, project: Project) -> Observations:
        """Return the observations of a project, which are not to be closed."""
        settings, folder = project.config.section(MemorySettings), project.observations
        lies_in = ObservationPaths(folder).database if settings.backend == "sqlite" else folder
        # What was put in the place of a folder or a database is to be opened anew.
        found = look(lies_in)
        key = (lies_in, found and found.st_ino, settings)
        with self._lock:
            room = self._open.pop(key, None) or open_observations(project)
            self._open[key] = room
            gone = [self._open.pop(each) for each in list(self._open)[:-_OPEN_MAX]]
        for each in gone:
            each.close()
        return room

    def close(self) -> None:
        """Let go of all of them."""
        with self._lock:
            gone, self._open = list(self._open.values()), {}
        for each in gone:
            each.close()


def _note(project: Project, level: str, event: str, **fields: object) -> None:
    """Note what was done; who only looks begins no store for that."""
    if exists(project.store.root):
        project.log.record(level, event, **fields)


def prepare_observations(project: Project) -> None:
    """Make the folder of the observations, before the first is stored.

    In the repository it is hidden from git. Where it cannot be noted that the folder in the
    repository is ours, it is made in the store's, and stays there.
    """
    folder, paths = project.observations, project.paths
    if not exists(folder):
        open_vouched(project).begin_record()
    if folder != paths.observations:
        make_private_directory(folder)
        return
    if not claim_private(project):
        make_private_directory(project.store.private / "memory")
    elif not (exists(paths.ignore_file) or exists(folder / ".gitignore")):
        make_private_directory(folder)
        replace_file(folder / ".gitignore", b"*\n")


def open_vouched(project: Project) -> VouchedStore:
    """Return the same store, with what speaks for a person as far as it is borne out."""
    return VouchedStore(open_store(project), project)


def open_store(project: Project) -> JsonObservationStore | SqliteObservationStore:
    """Return the store that the settings name; the code of the other is not loaded."""
    return open_store_in(project, project.observations)


def open_store_in(project: Project, folder: Path) -> JsonObservationStore | SqliteObservationStore:
    """Return the store in a folder, of the kind that the settings name."""
    clock, words = project.clock, project.store.observation_words

    def report(fault: StoreFault) -> None:
        project.log.record(
            "warning", "memory-alert", message=fault.what, where=fault.where, hint=fault.hint
        )
        _think(project, "memory", "warning", fault.what, fault.where)

    if project.config.section(MemorySettings).backend == "sqlite":
        from agentx.observations.store.sqlite.store import (  # noqa: PLC0415  most have no use for it
            SqliteObservationStore,
        )

        path = ObservationPaths(folder).database
        return SqliteObservationStore(path, clock=clock, view_folder=words, report=report)
    return JsonObservationStore(
        folder, clock=clock, entropy=system_entropy, view_folder=words, report=report
    )


def _log_what_is_told(project: Project, bus: Bus) -> None:
    def hear_skip(fact: CaptureSkipped) -> None:
        project.log.record(
            fact.level,
            "memory-capture-skipped",
            agent=fact.agent,
            issue=fact.issue_number,
            message=fact.reason,
        )
        _think(project, fact.agent, fact.level, fact.reason)

    log_fields(project, bus, MemoryStored, "memory-stored", _TOLD)
    recalled = {**_TOLD, "displaced": "displaced_tokens"}
    log_fields(project, bus, MemoryRecalled, "memory-recalled", recalled)
    bus.listen(CaptureSkipped, hear_skip)


def _think(project: Project, agent: str, kind: str, label: str, detail: str = "") -> None:
    """Tell an alert to who watches agents at work."""
    from agentx.agents.happenings import ThinkingLog  # noqa: PLC0415  most sessions alert nobody
    from agentx.wiring.listeners.happenings import tell_news  # noqa: PLC0415  as above

    at = project.clock.now_ms()
    news = ThinkingLog(timestamp=at, agent=agent, kind=kind, label=label, detail=detail)
    tell_news(project, news)


def _reading_costs(root: Path) -> Callable[[Sequence[str]], int]:
    """Return what reading files of the project again would cost, in tokens."""

    def sum_cost(files: Sequence[str]) -> int:
        total = 0
        for name in files:
            try:
                seen = look(root / name, ground=root)
            except (OSError, ValueError):
                continue
            size = 0 if seen is None else seen.st_size
            total += min(size // _CHARS_PER_TOKEN, OBSERVATION_FILE_TOKENS_MAX)
        return total

    return sum_cost
