"""Clarifications: a ledger read and written, the monitor over many, and the lock's figures (7.1).

The ledgers are as a busy project has them: three threads each, a tenth of the issues with an open
question. The monitor is measured in a fresh process's state, with nothing remembered.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from agentx.clarification.model import NewQuestion
from agentx.clarification.scope import Scope
from agentx.clarification.service import Clarifications
from agentx.clarification.store.ledgers import LedgerStore
from agentx.host.system import SystemClock
from agentx.kernel.bus import Bus
from agentx.project.project import Project
from agentx.wiring.clarifications import find_seen, make_pen
from agentx.wiring.hub import open_issues, run_monitor
from agentx.work.model import NewIssue
from tests.bench.row import Row
from tests.support.clarifying import project_at

LEDGERS = {"small": 1_000, "full": 1_000}
TURNS = 50
SCOPE = Scope(can_clarify=("architect",))
WORDS = "Should tokens be kept in the database or in a signed cookie, and for how long? " * 5


def run(size: str) -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as folder:
        project = project_at(Path(folder))
        clock = SystemClock()
        store = LedgerStore(project.paths, clock, make_pen(project))
        room = Clarifications(store, clock=clock, bus=Bus())
        _fill(project, store, room, LEDGERS[size])
        return [
            Row("ledger read, median", _ms(lambda: room.ledger(1)), "ms", at_most=10),
            Row("ledger changed (lock, write, release), median", _changed(room), "ms", at_most=10),
            Row(
                f"monitor over {LEDGERS[size]:,} ledgers, cold",
                _ms(lambda: _monitor_cold(project), turns=5),
                "ms",
                at_most=500,
            ),
        ]


def _monitor_cold(project: Project) -> None:
    find_seen.cache_clear()  # as in a process that was begun just now
    run_monitor(project)


def _fill(project: Project, store: LedgerStore, room: Clarifications, ledgers: int) -> None:
    """Write one ledger as the room does, and the others after its likeness."""
    for turn in range(3):
        known = _ask(room, 1, turn)
        room.answer(known, WORDS)
        room.resolve(known)
    events = next((project.paths.questions / "1").glob("*.jsonl"))
    settled = events.read_text(encoding="utf-8")
    _ask(room, 1, 4)
    asked = events.read_text(encoding="utf-8")
    for number in range(2, ledgers + 1):
        folder = project.paths.questions / str(number)
        folder.mkdir()
        text = asked if number % 10 == 0 else settled
        (folder / events.name).write_text(text, encoding="utf-8")
        store.renew(number, wait_ms=1_000)
    open_issues(project).create(NewIssue(title="Login"))


def _ask(room: Clarifications, issue: int, turn: int) -> str:
    request = NewQuestion(
        issue=issue, asker="engineer", to="architect", topic=f"Topic {turn}", question=WORDS
    )
    return room.ask(request, SCOPE).id


def _changed(room: Clarifications) -> float:
    turns = iter(range(TURNS))
    return _ms(lambda: _ask(room, 2 + next(turns), 9))


def _ms(act: Callable[[], object], turns: int = TURNS) -> float:
    times = []
    for _ in range(turns):
        began = time.perf_counter()
        act()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000
