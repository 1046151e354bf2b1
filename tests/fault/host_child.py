"""A process for the fault tests to kill, stop and continue.

    python -m tests.fault.host_child count FILE TIMES
    python -m tests.fault.host_child hold FILE
    python -m tests.fault.host_child append FILE NAME STALE_MS POINT SIGNAL
    python -m tests.fault.host_child replace FILE POINT
    python -m tests.fault.host_child journal FILE POINT
    python -m tests.fault.host_child store FOLDER
    python -m tests.fault.host_child full-file FILE | full-journal FILE | full-store FOLDER

`append` adds NAME to the list in a JSON file under its lock, and sends itself SIGNAL the first
time it passes POINT. It prints what became of it.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.host.documents.json_file import json_file
from agentx.host.files.atomic import replace_file
from agentx.host.files.journal import Journal
from agentx.host.kv.port import Batch, Family
from agentx.host.kv.rocks import open_rocks
from agentx.host.locks.file import Timing
from agentx.host.locks.lock import locked
from agentx.host.system import SystemClock
from agentx.kernel.errors import AgentXError

CLOCK = SystemClock()
ROWS_IN_A_BATCH = 5


def _say(*words: object) -> None:
    print(*words, flush=True)


def _strike_once(point: str, number: int) -> None:
    def strike() -> None:
        crash.disarm()
        os.kill(os.getpid(), number)

    crash.arm(CrashPoint(point), strike)


def _count(path: Path, times: str) -> None:
    document = json_file(path, CLOCK, owner="counter")
    for _ in range(int(times)):
        with document.editing() as edited:
            edited["n"] = edited.get("n", 0) + 1
    _say("done")


def _hold(path: Path) -> None:
    with locked(path, owner="holder", clock=CLOCK):
        _say("held")
        sys.stdin.read()


def _append(path: Path, name: str, stale_ms: str, point: str, number: str) -> None:
    timing = Timing(stale_ms=int(stale_ms), heartbeat_ms=int(stale_ms) // 10)
    _strike_once(point, int(number))
    try:
        with locked(path, owner=name, clock=CLOCK, timing=timing, wait_ms=60_000) as held:
            names = json.loads(path.read_bytes())
            held.write(path, json.dumps([*names, name]).encode())
    except AgentXError as error:
        _say(error.code)
    else:
        _say("written")


def _replace(path: Path, point: str) -> None:
    _strike_once(point, signal.SIGKILL)
    replace_file(path, b"new" * 100_000)
    _say("acknowledged")


def _journal(path: Path, point: str) -> None:
    journal = Journal(path, CLOCK)
    journal.append([{"n": 1}])
    _say("acknowledged")
    _strike_once(point, signal.SIGKILL)
    journal.append([{"n": 2}])
    _say("acknowledged")


def _batch(number: int) -> Batch:
    batch = Batch()
    for row in range(ROWS_IN_A_BATCH):
        batch.put(Family.EVENTS, b"%08d-%d" % (number, row), os.urandom(300))
    batch.put(Family.OUTBOX, b"%08d" % number, b"x")
    return batch


def _store(folder: Path) -> None:
    store = open_rocks(folder, CLOCK)
    for number in count():
        store.write(_batch(number))
        _say(number)


def _allow_bytes(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def _until_refused(step: Callable[[int], None]) -> None:
    """Work until the disk refuses, make room, and work once more."""
    done = 0
    try:
        for number in range(100_000):
            step(number)
            done += 1
    except AgentXError as error:
        _say(json.dumps({"code": error.code, "message": error.message, "hint": error.hint}))
    _say(done)
    _allow_bytes(resource.RLIM_INFINITY)
    step(done)
    _say("after")


def _full_file(path: Path) -> None:
    _allow_bytes(100_000)
    _until_refused(lambda number: replace_file(path, b"%06d" % number * (number + 1) * 1_000))


def _full_journal(path: Path) -> None:
    journal = Journal(path, CLOCK)
    _allow_bytes(100_000)
    _until_refused(lambda number: journal.append([{"n": number, "text": "x" * 3_000}] * 2))


def _full_store(folder: Path) -> None:
    store = open_rocks(folder, CLOCK)
    _allow_bytes(1_000_000)
    _until_refused(lambda number: store.write(_batch(number)))
    store.close()


def _full_read(folder: Path) -> None:
    """Fill the disk, fail at each write, and read in between, until there is room again."""
    store = open_rocks(folder, CLOCK)
    store.write(_batch(0))
    _allow_bytes(1_000)
    for _ in range(3):
        try:
            store.write(_batch(1))
            _say("written")
        except AgentXError as error:
            _say(error.code)
        _say(len(list(store.scan(Family.EVENTS, b"", b"\xff"))))
    try:
        store.erase(Family.EVENTS)
    except AgentXError as error:
        _say(error.code)
    _allow_bytes(resource.RLIM_INFINITY)
    store.write(_batch(1))
    _say(len(list(store.scan(Family.EVENTS, b"", b"\xff"))))
    store.close()


WORK: dict[str, Callable[..., None]] = {
    "count": _count,
    "hold": _hold,
    "append": _append,
    "replace": _replace,
    "journal": _journal,
    "store": _store,
    "full-file": _full_file,
    "full-journal": _full_journal,
    "full-store": _full_store,
    "full-read": _full_read,
}

if __name__ == "__main__":
    WORK[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
