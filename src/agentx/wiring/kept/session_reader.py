"""Reads sessions of a store in a process of its own, for who sums them up; see `SessionsAhead`.

It looks into the store as it was when it was first asked, and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, tzinfo
from functools import lru_cache
from pathlib import Path

import msgspec

from agentx.conversation.extract.summary import Extractive
from agentx.conversation.segments import Cutting, cut
from agentx.conversation.store.log import LogStore
from agentx.conversation.store.toc import TocStore
from agentx.host.beside import answer_jobs
from agentx.host.kv.rocks import open_rocks
from agentx.host.system import SystemClock, system_entropy
from agentx.kernel.clock import Millis
from agentx.kernel.periods import zone_named
from agentx.kernel.tokens import estimate
from agentx.views.sessions.ahead import (
    AheadKind,
    ReadSession,
    SessionJob,
    read_findings,
    stamp_segment,
)


def main() -> None:
    """Read what is asked for, until nobody asks any more."""
    answer_jobs(_answer)


def _answer(line: bytes) -> Iterator[bytes]:
    job = msgspec.json.decode(line, type=SessionJob)
    left = list(job.kinds)
    try:
        for read in read_session(job):
            yield msgspec.msgpack.encode(read)
            left.remove(read.kind)
    except Exception:  # noqa: BLE001  it is made by who can say what is wrong
        for kind in left:
            yield msgspec.msgpack.encode(ReadSession(ref=job.ref, kind=kind))


def read_session(job: SessionJob) -> Iterator[ReadSession]:
    """Yield what the rules make of a session, each as it is asked for."""
    events = list(_open_store(job.db, job.project).events_of(job.ref, Millis(0)))
    for kind in job.kinds:
        if kind is AheadKind.FINDINGS:
            yield read_findings(job.ref, events)
        else:
            cutting = Cutting(zone=_find_zone(job.zone), estimate=estimate)
            writer = Extractive()
            summaries = {
                stamp_segment(segment): writer.summarise(segment)
                for segment in cut(events, cutting)
            }
            yield ReadSession(ref=job.ref, kind=kind, summaries=summaries)


@lru_cache(maxsize=2)
def _find_zone(name: str) -> tzinfo:
    return UTC if name == str(UTC) else zone_named(name)


@lru_cache(maxsize=1)
def _open_store(db: str, project: str) -> TocStore:
    kv = open_rocks(Path(db), SystemClock(), read_only=True)
    return TocStore(kv, LogStore(kv, entropy=system_entropy), project)


if __name__ == "__main__":
    main()
