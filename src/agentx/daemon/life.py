"""The life of the daemon: one process that serves one store.

    take the lock -> sweep what a killed one left -> open the memory -> listen
        -> say so in daemon.json -> serve, drain the spool, run the jobs
    told to stop  -> begin no scheduled job, let those that run finish
        -> daemon.json is gone -> refuse new calls, finish those at work, cut those that wait
        -> remove the socket, stop the jobs -> drain once more -> close the memory -> free the lock

It may be killed at any of these arrows: the lock frees itself, and the next one
sweeps. While `daemon.json` is there, commands come to us; from the moment it is
gone they wait for the store instead.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from agentx import __version__
from agentx.daemon.activity import Activity
from agentx.daemon.address import (
    Tcp,
    hatch_path,
    private_folder,
    socket_path,
    sweep_sockets,
)
from agentx.daemon.chores import Chore, Chores, Drain, Heap, Views, is_drowsy, pace_of
from agentx.daemon.limits import (
    DAEMON_DRAIN_EVERY_MS,
    DAEMON_FAREWELL_MS,
    DAEMON_GRACE_MS,
    DAEMON_HEAP_EVERY_MS,
    DAEMON_LULL_MS,
    DAEMON_SETTINGS_EVERY_MS,
    DAEMON_SWITCH_SECONDS,
    DAEMON_VIEWS_EVERY_MS,
    DAEMON_WATCH_EVERY_MS,
)
from agentx.daemon.presence import (
    HeldLock,
    Presence,
    clear_presence,
    daemon_lock,
    remove_socket,
    write_presence,
)
from agentx.daemon.scheduler.scheduler import Scheduler
from agentx.daemon.servers import Ask, Host, Offer, OpenServers, Places, Server, Servers
from agentx.daemon.summons import Summons
from agentx.host.files.disk import identify_folder
from agentx.host.heap import keep_few_arenas, spare_what_is_here
from agentx.host.limits import LOG_FILE_BYTES_MAX
from agentx.host.program import ending_programs
from agentx.kernel.clock import Clock
from agentx.kernel.paths import StorePaths
from agentx.kernel.values import frozen
from agentx.memory.found import SearchReply
from agentx.memory.port import Memory
from agentx.memory.wire.calls import Call

_log = logging.getLogger(__name__)
_LOOKS_AWAY_MAX = 2
SET_ANEW = "the settings changed"

Served = TypeVar("Served", bound=Memory)


@frozen
class DaemonPlan:
    """What is to be served, and where."""

    store: StorePaths
    short_folder: Path  # for the socket, when the store's folder cannot hold one
    tcp: Tcp | None = None
    idle_exit_ms: int = 0  # 0: stay until told to stop
    log_to_file: bool = False  # detached: nobody reads stderr
    root: Path | None = None  # the project's folder: once it is another, or none, we leave
    is_set_anew: Callable[[], bool] = lambda: False  # the settings are others than it began with


def run_daemon(
    plan: DaemonPlan,
    open_memory: Callable[[], Served],
    open_servers: OpenServers,
    *,
    clock: Clock,
    scheduler: Callable[[Served], Scheduler] | None = None,
    mark: Callable[[SearchReply], SearchReply] = lambda reply: reply,
    besides: tuple[tuple[Call[..., Any], Ask], ...] = (),
) -> str:
    """Serve until told to stop; return why. For the main thread: it takes the signals.

    Raises: LockHeld when another daemon serves the store, and what `open_memory` raises.
    """
    place = _Place(plan.root)
    os.umask(0o077)
    keep_few_arenas()
    sys.setswitchinterval(DAEMON_SWITCH_SECONDS)
    private_folder(plan.store.root)
    with ExitStack() as stack:
        stack.enter_context(_logging(plan))
        held = stack.enter_context(daemon_lock(plan.store))
        summons = stack.enter_context(Summons.listening())
        clear_presence(plan.store)
        memory = open_memory()
        stack.enter_context(memory)
        activity = Activity()
        host = Host(
            pid=os.getpid(),
            started_ms=clock.now_ms(),
            clock=clock,
            end=summons.call,
        )
        views = Views(memory, activity)
        own = Chores(tuple(_own_chores(plan, memory, activity, views)), partial(pace_of, activity))
        scheduled = scheduler(memory) if scheduler is not None else None
        offer = Offer(
            memory=memory,
            host=host,
            activity=activity,
            scheduler=scheduled,
            mark=mark,
            besides=besides,
        )
        spare_what_is_here()
        with _working(own), _serving(plan, offer, open_servers), _scheduling(scheduled):
            reason = _until_told(plan, held, activity, summons, scheduled, place=place)
            _log.info("stopping: %s", reason)
            views.leave_off()
        with _failing_aloud("the last drain failed; the spool keeps what it holds"):
            memory.drain()
    return reason


@contextmanager
def _failing_aloud(what: str) -> Iterator[None]:
    """Let nothing that goes wrong while stopping keep us from stopping."""
    try:
        yield
    except Exception:  # noqa: BLE001  one of the three places: a surface's outermost frame
        _log.exception(what)


@contextmanager
def _serving(plan: DaemonPlan, offer: Offer, open_servers: OpenServers) -> Iterator[None]:
    """Answer calls for as long as the block runs, and finish those at work after it."""
    store = plan.store
    socket = socket_path(store, plan.short_folder)
    hatch = hatch_path(store, socket)
    servers: tuple[Server, ...] = ()
    sweep_sockets(plan.short_folder)
    try:
        for path in (socket, hatch):
            remove_socket(path)
        opened = open_servers(
            offer, Places(socket=socket, hatch=hatch, tcp=plan.tcp, token_file=store.daemon_token)
        )
        servers = tuple(opened)
        for server in servers:
            server.start()
        presence = _presence(offer, opened, plan)
        write_presence(store, presence)
        _log.info("serving %s on %s %s", store.root, presence.address, presence.tcp_address)
        yield
    finally:
        with suppress(OSError):
            store.daemon.unlink(missing_ok=True)
        for server in servers:
            server.refuse_new_calls(DAEMON_GRACE_MS)
        offer.activity.await_lull(lull_ms=DAEMON_LULL_MS, wait_ms=DAEMON_GRACE_MS)
        for server in servers:
            server.refuse_new_calls(DAEMON_FAREWELL_MS)
        for server in servers:
            server.wait_until_ended()
        for path in (socket, hatch):
            remove_socket(path)


def _presence(offer: Offer, opened: Servers, plan: DaemonPlan) -> Presence:
    return Presence(
        pid=offer.host.pid,
        address=opened.socket.address,
        started_ms=offer.host.started_ms,
        version=__version__,
        tcp_address=opened.tcp.address if opened.tcp else "",
        token_file=str(plan.store.daemon_token) if opened.tcp else "",
        hatch=opened.hatch.address if opened.hatch else "",
        leaves_when_idle=bool(plan.idle_exit_ms),
        in_foreground=not plan.log_to_file,
    )


@contextmanager
def _working(chores: Chores) -> Iterator[None]:
    chores.start()
    try:
        yield
    finally:
        chores.stop()


@contextmanager
def _scheduling(scheduler: Scheduler | None) -> Iterator[None]:
    """Let scheduled jobs begin for as long as the block runs, and let those that run finish.

    A model that is being asked can wait for another day.
    """
    if scheduler is None:
        yield
        return
    scheduler.start()
    try:
        yield
    finally:
        with ending_programs():
            scheduler.stop()


def _own_chores(
    plan: DaemonPlan, memory: Memory, activity: Activity, views: Views
) -> Iterator[Chore]:
    drain, heap = Drain(memory, activity), Heap(is_idle=partial(is_drowsy, activity))
    yield Chore(name="drain", every_ms=DAEMON_DRAIN_EVERY_MS, run=drain.again)
    yield Chore(name="views", every_ms=DAEMON_VIEWS_EVERY_MS, run=views.again)
    yield Chore(name="heap", every_ms=DAEMON_HEAP_EVERY_MS, run=heap.again)
    if plan.log_to_file:
        yield Chore(
            name="log",
            every_ms=DAEMON_WATCH_EVERY_MS,
            run=lambda: keep_log_small(plan.store, LOG_FILE_BYTES_MAX),
        )


def _until_told(
    plan: DaemonPlan,
    held: HeldLock,
    activity: Activity,
    summons: Summons,
    scheduler: Scheduler | None,
    *,
    place: _Place,
) -> str:
    """Return why the daemon has to stop, once it has to."""
    watch_ms = DAEMON_WATCH_EVERY_MS
    if plan.idle_exit_ms:
        watch_ms = min(watch_ms, max(plan.idle_exit_ms // 4, 10))
    while True:
        if reason := _wait(plan, summons, place, watch_ms):
            return reason
        if scheduler is not None and scheduler.is_busy:
            activity.note_activity()
        idle_ms = activity.idle_ms()
        if plan.idle_exit_ms and idle_ms >= plan.idle_exit_ms:
            return "idle"
        if idle_ms < watch_ms:
            with suppress(OSError):
                os.utime(plan.store.daemon)  # its age says for how long nobody needed us
        if not held.is_still_ours():
            return "the folder of the store was removed"


def _wait(plan: DaemonPlan, summons: Summons, place: _Place, wait_ms: int) -> str:
    """Return why it is time to stop, or nothing when that time has passed."""
    for begun_ms in range(0, wait_ms, DAEMON_SETTINGS_EVERY_MS):
        if reason := summons.wait(min(wait_ms - begun_ms, DAEMON_SETTINGS_EVERY_MS)):
            return reason
        if plan.is_set_anew():
            return SET_ANEW
        if place.is_left():
            return "the folder of the project was moved or removed"
    return ""


class _Place:
    """The folder of the project, as it was when the daemon began."""

    def __init__(self, root: Path | None) -> None:
        self._root = root
        self._began_in = identify_folder(root) if root is not None else None
        self._looks_away = 0

    def is_left(self) -> bool:
        """Tell whether another folder lies there, or none.

        Twice in a row: one that is mounted anew is away for a moment.
        """
        is_away = self._root is not None and identify_folder(self._root) != self._began_in
        self._looks_away = self._looks_away + 1 if is_away else 0
        return self._looks_away == _LOOKS_AWAY_MAX


@contextmanager
def _logging(plan: DaemonPlan) -> Iterator[None]:
    """Write what the house logs to stderr, and stderr to the daemon's log when detached."""
    if plan.log_to_file:
        keep_log_small(plan.store, LOG_FILE_BYTES_MAX)
        _write_to_log(plan.store)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(message)s"))
    house = logging.getLogger("agentx")
    level = house.level
    house.addHandler(handler)
    house.setLevel(logging.INFO)
    try:
        yield
    finally:
        house.removeHandler(handler)
        house.setLevel(level)


def keep_log_small(paths: StorePaths, bytes_max: int) -> None:
    """Put a full log aside and go on with an empty one; keep one such log."""
    with suppress(FileNotFoundError):
        if paths.daemon_log.stat().st_size > bytes_max:
            paths.daemon_log.replace(paths.daemon_log_before)
            _write_to_log(paths)


def _write_to_log(paths: StorePaths) -> None:
    """Let stdout and stderr go to the log, also of what is not Python."""
    # Not blocking: nobody may read what is a pipe.
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK
    log = os.open(paths.daemon_log, flags, 0o600)
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
