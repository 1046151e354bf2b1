"""Reads sessions of a store in a process of its own, for who sums them up; see `SessionsAhead`.

It looks into the store as it was when it was first asked, and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

from agentx.conversation.store.log import LogStore
from agentx.conversation.store.toc import TocStore
from agentx.host.beside import answer_jobs
from agentx.host.kv.rocks import open_rocks
from agentx.host.system import SystemClock, system_entropy
from agentx.kernel.clock import Millis
from agentx.views.sessions.ahead import (
    AheadKind,
    ReadSession,
    SessionJob,
    read_findings,
    read_summaries,
)


def main() -> None:
    """Read what is asked for, until nobody asks any more."""
    answer_jobs(_answer)


def _answer(line: bytes) -> Iterator[bytes]:
    job = msgspec.json.decode(line, type=SessionJob)
    try:
        read = read_session(job)
    except Exception:  # noqa: BLE001  it is made by who can say what is wrong
        read = ReadSession(ref=job.ref, kind=job.kind)
    yield msgspec.msgpack.encode(read)


def read_session(job: SessionJob) -> ReadSession:
    """Return what the rules make of a session, as it is asked for."""
    events = list(_open_store(job.db, job.project).events_of(job.ref, Millis(0)))
    if job.kind is AheadKind.FINDINGS:
        return read_findings(job.ref, events)
    return read_summaries(job.ref, events, job.zone)


@lru_cache(maxsize=1)
def _open_store(db: str, project: str) -> TocStore:
    kv = open_rocks(Path(db), SystemClock(), read_only=True)
    return TocStore(kv, LogStore(kv, entropy=system_entropy), project)


if __name__ == "__main__":
    main()
