"""The memory of a project over its store, put together: the log, and its views once they are asked.

Who reads the log, as most commands do first, imports neither what answers questions nor what
writes the table of contents; `wiring.kept.views` puts the views together. Projects that share a
store get a memory each by the same hand; those that are not this project's own have no rooms
here, for their folder is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from agentx.conversation.contents import Contents, ContentsRules
from agentx.conversation.segments import Cutting
from agentx.conversation.service import Conversation
from agentx.conversation.store.log import LogStore
from agentx.conversation.store.toc import TocStore, read_zone
from agentx.host.files.atomic import make_private_directory
from agentx.host.files.disk import identify_folder, look_at
from agentx.host.kv.port import Family, KeyValue
from agentx.host.kv.rocks import open_rocks
from agentx.host.limits import STORE_OPEN_WAIT_MS
from agentx.kernel.bus import Bus, HowFar
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.errors import AgentXError, UnavailableError
from agentx.memory.local import LocalMemory, Parts, ViewSet
from agentx.memory.port import Drained
from agentx.memory.reader import LogReader
from agentx.observations.settings import MemorySettings
from agentx.project.project import Project
from agentx.project.settings import TocSettings
from agentx.project.zone import project_zone
from agentx.wiring.keeping.lost import has_tombstones, refuse_lost_log, tombstone_file
from agentx.wiring.listeners.happenings import tell_calls
from agentx.wiring.listeners.observations import log_recalls, start_capture, start_telling
from agentx.wiring.models import spending_today
from agentx.wiring.spool import drain_into, open_spool

if TYPE_CHECKING:
    from agentx.conversation.editing import Editor
    from agentx.conversation.forgotten.spans import ForgottenSpan
    from agentx.conversation.model import Grave
    from agentx.observations.service import Observations
    from agentx.views.sessions.ahead import SessionsAhead

ZONE_KEY = "toc.timezone"


def open_store(
    project: Project,
    bus: Bus | None = None,
    *,
    wait_ms: int = STORE_OPEN_WAIT_MS,
    keeps_zone: bool = False,
) -> LocalMemory:
    """Open the store of a project and return its memory.

    `keeps_zone`: its days stay cut as they are, whatever time zone is said here.

    Raises: LockHeld when another process has it open, DataError.
    """
    refuse_lost_log(project.store)
    make_private_directory(project.store.root)
    kv = open_rocks(project.store.db, project.clock, wait_ms=wait_ms)
    if has_tombstones(project):
        try:
            _keep_buried(project, kv)
        except BaseException:
            kv.close()
            raise
    opened_for = _keep_zone(project, kv) if keeps_zone else project
    return _Store(opened_for, kv, bus if bus is not None else Bus()).own


def look_into_store(project: Project, *, is_unwritable: bool = False) -> LocalMemory:
    """Open the store of a project to read, as it is now, whoever else has it open, or nobody can.

    Raises: NotFound when there is none, DataError.
    """
    refuse_lost_log(project.store)
    kv = open_rocks(project.store.db, project.clock, read_only=True)
    return _Store(project, kv, Bus(), is_look=True, is_unwritable=is_unwritable).own


def _keep_zone(project: Project, kv: KeyValue) -> Project:
    """Return a project whose days begin where its table of contents has them.

    A daemon has the time zone of whoever started it, and serves everybody.
    """
    noted = read_zone(kv, project.id)
    if not noted or project.config.section(TocSettings).timezone:
        return project
    config = project.config
    kept = replace(config.rows[ZONE_KEY], value=noted, source=str(project.store.root))
    return replace(project, config=replace(config, rows={**config.rows, ZONE_KEY: kept}))


class _Store:
    """One opened store, and the memory of each project in it."""

    def __init__(
        self,
        project: Project,
        kv: KeyValue,
        bus: Bus,
        *,
        is_look: bool = False,
        is_unwritable: bool = False,
    ) -> None:
        self._project = project
        self._began_in = identify_folder(project.root)
        self._is_look, self._is_unwritable = is_look, is_unwritable
        self._kv = kv
        self._bus = bus
        log = LogStore(
            kv, entropy=project.entropy, bury=partial(_bury, project), barred=_Barred(project)
        )
        if not is_look:
            with suppress(AgentXError):  # the disk is full: whoever opens it next tries again
                log.finish_forgetting()
        self._toc = partial(TocStore, kv, log)
        zone = project_zone(project)
        self._rules = ContentsRules(zone=zone, zone_name=str(zone), open_editor=self._open_editor)
        self._is_shared = project.store.root == project.data.unified_store.root
        self._log = Conversation(log, project=project.id, clock=project.clock, bus=bus)
        self._closing = ExitStack()
        self._closing.callback(self._log.close)
        self._closing.callback(log_recalls(project, bus))
        self._closing.callback(tell_calls(project, bus, self._log.get))
        if project.config.section(MemorySettings).enabled:
            # Before anything is drained: what hooks printed is counted by who listens then.
            self._closing.callback(start_capture(project, bus, self._observations))
            self._closing.callback(start_telling(project, bus, self._observations))
        self.own = self._memory(self._log)

    def of_project(self, name: str) -> LocalMemory:
        """Return the memory of a project in this store."""
        return self.own if name == self._project.id else self._memory(self._log.of_project(name))

    def _memory(self, log: Conversation) -> LocalMemory:
        project, is_own = self._project, log.project == self._project.id
        contents = log.contents(self._toc, self._rules)
        spool = open_spool(project)
        return LocalMemory(
            Parts(
                kv=self._kv,
                log=log,
                contents=contents,
                open_views=partial(self._open_views, log, contents),
                drain=partial(self._drain, log),
                waiting=spool.waiting,
                refused=lambda: sum(group.records for group in spool.list_refused()),
                spending=partial(spending_today, project),
                of_project=self.of_project,
                others=self._others if is_own else tuple,
                close=self._closing.close if is_own else lambda: None,
                is_look=self._is_look,
                is_unwritable=self._is_unwritable,
            )
        )

    def _drain(self, log: Conversation, told: HowFar) -> Drained:
        # What is taken in is worked out into the folder: where that was moved, or another one lies
        # there, it waits for who finds it anew.
        if self._is_moved():
            return Drained()
        return drain_into(log, self._project, self._bus.tell, told)

    def _is_moved(self) -> bool:
        return identify_folder(self._project.root) != self._began_in

    def _open_views(self, log: Conversation, contents: Contents) -> ViewSet:
        from agentx.wiring.kept.views import ViewSource, open_views  # noqa: PLC0415  who reads the log needs none

        return open_views(
            ViewSource(
                project=self._project,
                name=log.project,
                kv=self._kv,
                bus=self._bus,
                contents=contents,
                feed=log.feed(self._toc),
                reader=LogReader(log, contents),
                observations=self._observations,
                ahead=lambda: self._ahead,
            )
        )

    @cached_property
    def _ahead(self) -> SessionsAhead:
        from agentx.views.sessions.ahead import SessionsAhead  # noqa: PLC0415  who reads the log needs none

        return SessionsAhead(
            "agentx.wiring.kept.session_reader",
            db=str(self._project.store.db),
            project=self._project.id,
            zone=self._rules.zone_name,
        )

    def _open_editor(self, store: TocStore, project: str, clock: Clock) -> Editor:
        # What writes the table of contents is imported when something is written.
        from agentx.conversation.editing import Editor  # noqa: PLC0415  see above
        from agentx.kernel.tokens import estimate  # noqa: PLC0415  see above
        from agentx.wiring.kept.summing import WriterAhead  # noqa: PLC0415  see above

        cutting = Cutting(zone=self._rules.zone, estimate=estimate)
        writer = WriterAhead(self._ahead)
        return Editor(store, project=project, clock=clock, cutting=cutting, writer=writer)

    @cached_property
    def _observations(self) -> Callable[[], Observations]:
        """Opens the observations, once; they are closed with the store."""

        rooms: dict[Path, Observations] = {}

        def room() -> Observations:
            from agentx.wiring.observations import open_observations, prepare_observations  # noqa: PLC0415  when asked

            if self._is_moved():
                raise UnavailableError(f"{self._project.root} was moved, or removed")
            prepare_observations(self._project)
            # A pull may bring a stranger's folder: then ours is elsewhere from now on.
            folder = self._project.observations
            if folder not in rooms:
                rooms[folder] = open_observations(self._project, self._bus)
                self._closing.callback(rooms[folder].close)
            return rooms[folder]

        return room

    def _others(self) -> tuple[str, ...]:
        names = self._log.projects() if self._is_shared else ()
        return tuple(name for name in names if name != self._project.id)


def _keep_buried(project: Project, kv: KeyValue) -> None:
    """Forget in a log that begins anew what was forgotten in one that was lost."""
    if next(kv.scan(Family.SESSIONS, b"", b"\xff"), None) is not None:
        return
    from agentx.wiring.keeping.tombstones import bury_again, read_tombstones  # noqa: PLC0415  after a loss

    bury_again(project, kv, read_tombstones(project))


class _Barred:
    """The spans of a store that were forgotten, read when something comes that is as old."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._stamp: tuple[int, ...] | None = None
        self._spans: tuple[ForgottenSpan, ...] = ()

    def __call__(self, since_ms: Millis) -> tuple[ForgottenSpan, ...]:
        """Return those that reach beyond a time; none reaches beyond its own line in the file."""
        stamp = look_at(tombstone_file(self._project))
        if stamp is None or since_ms > stamp[2] // 1_000_000:
            return ()
        if stamp != self._stamp:
            from agentx.wiring.keeping.tombstones import read_tombstones  # noqa: PLC0415  who brings something old

            self._spans = read_tombstones(self._project).spans
            self._stamp = stamp
        return tuple(span for span in self._spans if span.until_ms > since_ms)


def _bury(project: Project, grave: Grave) -> None:
    from agentx.wiring.keeping.tombstones import bury  # noqa: PLC0415  only who forgets

    bury(project, grave)
