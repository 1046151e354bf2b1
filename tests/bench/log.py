"""The log: durable ingest, a range out of many, opening a large store.

The store is kept in `.bench/` between runs, because a million events take a while to write.
"""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from agentx.conversation.model import EventQuery
from agentx.conversation.service import Conversation
from agentx.conversation.store.log import LogStore
from agentx.host.kv.port import Batch, Family
from agentx.host.kv.rocks import open_rocks
from agentx.host.system import SystemClock, system_entropy
from agentx.kernel.bus import Bus
from agentx.kernel.capture import Channel, Draft, EventType, Role
from agentx.kernel.clock import Millis
from tests.bench.row import Row

KEPT = Path(".bench")
SIZES = {"small": 50_000, "full": 1_000_000}
BATCH = 500
FIRST_MS = 1_735_689_600_000  # 2025-01-01
WORDS = (
    "decided to keep the ledger in postgres because transactions matter more than speed here; "
    "the retry worker failed with a timeout in app/db.py line 42 and passes again after the fix; "
    "ran the tests, 118 passed, 2 skipped, and committed as a1b2c3d on feature/12-idempotency"
).split()


def drafts(count: int, start: int = 0) -> Iterator[Draft]:
    """Yield events like those of real sessions: 200 a session, half of them tools."""
    kinds = (
        (EventType.USER_MESSAGE, Role.USER, 30),
        (EventType.TOOL_CALL, Role.ASSISTANT, 12),
        (EventType.TOOL_RESULT, Role.TOOL, 120),
        (EventType.ASSISTANT_MESSAGE, Role.ASSISTANT, 60),
    )
    for number in range(start, start + count):
        kind, role, length = kinds[number % 4]
        at = number % len(WORDS)
        text = " ".join((WORDS * 4)[at : at + length])
        yield Draft(
            harness="claude-code",
            session_id=f"session-{number // 200}",
            event_type=kind,
            timestamp_ms=Millis(FIRST_MS + number * 20_000),
            role=role,
            text=f"{number} {text}",
            channel=Channel.TRANSCRIPT,
            source_id=f"id-{number}",
            metadata={"cwd": "/home/dev/shop", "tool_name": "Bash"},
        )


def opened(folder: Path) -> Conversation:
    """Open a log as the product does."""
    clock = SystemClock()
    store = LogStore(open_rocks(folder, clock), entropy=system_entropy)
    return Conversation(store, project="bench", clock=clock, bus=Bus())


def run(size: str) -> list[Row]:
    """Measure."""
    count = SIZES[size]
    folder = KEPT / f"log-{count}"
    rows = _ingest(KEPT / "log-ingest")
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        log = opened(folder / "db")
        log.append(drafts(count))
        log.close()
        (folder / "done").touch()
    return [*rows, *_reading(folder, count)]


def _ingest(folder: Path) -> list[Row]:
    """Append in synced batches of 500, each on disk before the next begins.

    The best of three rounds, each with events that were never seen: the machine may be shared.
    """
    shutil.rmtree(folder, ignore_errors=True)
    count = 20_000
    rounds = []
    log = opened(folder / "log")
    for first in range(0, 3 * count, count):
        made = list(drafts(count, first))
        began, worked = time.perf_counter(), time.process_time()
        for start in range(0, count, BATCH):
            log.append(made[start : start + BATCH])
        rounds.append((time.perf_counter() - began, time.process_time() - worked))
    log.close()
    took, work = min(rounds)
    alone = min(_rows_alone(folder / f"rows-{turn}", drafts(count)) for turn in range(3))
    shutil.rmtree(folder)
    return [
        Row("durable ingest, batches of 500", count / took, "events/s", at_least=15_000),
        Row("CPU time of one event of it", work / count * 1e6, "us"),
        Row("the same rows into RocksDB alone", count / alone, "events/s"),
        Row("durable ingest against RocksDB alone", took / alone, "x"),
    ]


def _rows_alone(folder: Path, made: Iterable[Draft]) -> float:
    """Return the seconds that rows of the same number and size take, with nothing done to them."""
    families = (Family.EVENTS, Family.KEYS, Family.IDENTITIES, Family.SESSIONS, Family.OUTBOX)
    batches: list[Batch] = []
    for number, draft in enumerate(made):
        if number % BATCH == 0:
            batches.append(Batch())
        payload = draft.text.encode()[:300]
        for family in families:
            row = payload if family is Family.EVENTS else b""
            batches[-1].put(family, b"%044d" % number, row)
    store = open_rocks(folder, SystemClock())
    began = time.perf_counter()
    for batch in batches:
        store.write(batch)
    took = time.perf_counter() - began
    store.close()
    return took


def _reading(folder: Path, count: int) -> list[Row]:
    began = time.perf_counter()
    log = opened(folder / "db")
    log.events(EventQuery(limit=1))
    open_ms = (time.perf_counter() - began) * 1000
    times, works = [], []
    for step in range(20):
        since = FIRST_MS + (count // 21 * step) * 20_000
        began, worked = time.perf_counter(), time.thread_time()
        page = log.events(EventQuery(since_ms=Millis(since), limit=1_000))
        times.append((time.perf_counter() - began) * 1000)
        works.append((time.thread_time() - worked) * 1000)
        assert len(page.events) == 1_000
    log.close()
    return [
        Row(f"open a log of {count:,}", open_ms, "ms", at_most=500),
        Row(f"1,000 events out of {count:,}, median", statistics.median(times), "ms", at_most=30),
        Row("CPU time of it, median", statistics.median(works), "ms"),
    ]
