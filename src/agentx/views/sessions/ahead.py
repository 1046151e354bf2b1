"""What the rules make of sessions, worked out by another process while this one keeps it.

Of many sessions what each teaches, and what each says in a few lines, follows from its events
alone: so another process reads them beside this one. Neither waits for the other while there is
something to do: who needs what the other one is at reads one of the last sessions meanwhile.
Whatever becomes of that process nothing is lost or changed: what it has not begun when it is
wanted, or made of other events, is made here.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, tzinfo
from enum import StrEnum
from functools import lru_cache
from threading import Condition, Thread
from types import TracebackType
from typing import Self

import msgspec

from agentx.conversation.extract.summary import Extractive
from agentx.conversation.model import Event
from agentx.conversation.segments import Cutting, cut
from agentx.conversation.store.rows import session_ref
from agentx.conversation.toc_model import Segment, SegmentSummary
from agentx.host.beside import Beside
from agentx.kernel.ids import digest
from agentx.kernel.periods import zone_named
from agentx.kernel.tokens import estimate
from agentx.observations.closing.doings import Doings, WorkedOut
from agentx.observations.extract import extract
from agentx.observations.extract.session.finding import Finding
from agentx.views.limits import (
    AHEAD_ASKED_MAX,
    AHEAD_HELD_BYTES_MAX,
    AHEAD_SESSIONS_MIN,
    AHEAD_SESSIONS_SEEN,
    AHEAD_TAKEN_MAX,
    AHEAD_WAIT_S,
    CAPTURE_EVENTS_MAX,
)
from agentx.views.sessions.turns import turns_of

ReadEvents = Callable[[bytes], Sequence[Event]]  # all of a session
Wanted = tuple[bytes, "AheadKind"]


class AheadKind(StrEnum):
    """What is made of a session, in the order in which it is wanted of all of them."""

    FINDINGS = "findings"
    SUMMARIES = "summaries"


class SessionJob(msgspec.Struct, frozen=True, kw_only=True):
    """A session to read, and where it lies."""

    db: str
    project: str
    zone: str
    ref: bytes
    kind: AheadKind


class ReadSession(msgspec.Struct, frozen=True, kw_only=True):
    """What was made of a session, each with a stamp of the events that it was made of."""

    ref: bytes
    kind: AheadKind
    findings: tuple[bytes, tuple[Finding, ...], WorkedOut] | None = None
    summaries: dict[bytes, SegmentSummary] = {}


def stamp_events(events: Sequence[Event]) -> bytes:
    """Return what only these events have."""
    return digest(*(event.event_id for event in events))


def stamp_segment(segment: Segment) -> bytes:
    """Return what only a segment of these events has."""
    context = (event.event_id for event in segment.context)
    return digest(segment.node_id, "", *context, "", *(each.event_id for each in segment.events))


def read_findings(ref: bytes, events: Sequence[Event]) -> ReadSession:
    """Return what the events of a session teach, and what was done in it."""
    read = events[-CAPTURE_EVENTS_MAX:]
    turns = turns_of(read)
    found = (stamp_events(read), extract(turns), Doings(turns).work_out())
    return ReadSession(ref=ref, kind=AheadKind.FINDINGS, findings=found)


def read_summaries(ref: bytes, events: Sequence[Event], zone: str) -> ReadSession:
    """Return what each segment of a session says in a few lines, cut where days begin there."""
    writer = Extractive()
    segments = cut(events, Cutting(zone=_find_zone(zone), estimate=estimate))
    summaries = {stamp_segment(one): writer.summarise(one) for one in segments}
    return ReadSession(ref=ref, kind=AheadKind.SUMMARIES, summaries=summaries)


@lru_cache(maxsize=2)
def _find_zone(name: str) -> tzinfo:
    return UTC if name == str(UTC) else zone_named(name)


class SessionsAhead:
    """What was made of sessions, for who asks; in use between `with` and the end of its block."""

    def __init__(self, module: str, *, db: str, project: str, zone: str) -> None:
        """Let a module of ours read; it answers jobs with what was made of sessions."""
        self._module = module
        self._db, self._project, self._zone = db, project, zone
        self._changed = Condition()
        self._clear()

    def _clear(self) -> None:
        self._process: Beside | None = None
        self._is_open = self._is_over = False
        self._read: ReadEvents = lambda _ref: ()
        self._left: OrderedDict[Wanted, None] = OrderedDict()  # nobody has begun
        self._asked: dict[Wanted, None] = {}
        self._done: dict[Wanted, tuple[int, ReadSession]] = {}
        self._held_bytes = 0
        self._seen: OrderedDict[Wanted, None] = OrderedDict()

    def __enter__(self) -> Self:
        self._is_open = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        process = self._process
        if process is not None:
            process.kill()
            self._end()
            process.end()
        self._clear()

    def offer(self, refs: Sequence[bytes], newest_first: Sequence[bytes], read: ReadEvents) -> None:
        """Have sessions read; few are not worth a process, nor is one core.

        What they teach is wanted in the order of `refs`; what they say when that is done,
        in the other order. Who has to wait reads some by `read`.
        """
        if not self._is_open or self._process is not None or len(refs) < AHEAD_SESSIONS_MIN:
            return
        if _count_cores() < 2:
            return
        with suppress(OSError):
            self._process = Beside(self._module)
        if self._process is None:
            return
        self._read = read
        self._left.update(dict.fromkeys((ref, AheadKind.FINDINGS) for ref in refs))
        self._left.update(dict.fromkeys((ref, AheadKind.SUMMARIES) for ref in newest_first))
        for work in (self._ask, self._listen):
            Thread(target=work, args=(self._process,), name="agentx-ahead", daemon=True).start()

    def find_findings(self, ref: bytes, events: Sequence[Event]) -> tuple[Finding, ...] | None:
        """Return what these events of a session teach, if it is known already."""
        found = self._find_read(ref, events)
        return None if found is None else found[0]

    def find_doings(self, ref: bytes, events: Sequence[Event]) -> WorkedOut | None:
        """Return what was done in these events of a session, if it is known already."""
        found = self._find_read(ref, events)
        return None if found is None else found[1]

    def _find_read(
        self, ref: bytes, events: Sequence[Event]
    ) -> tuple[tuple[Finding, ...], WorkedOut] | None:
        found = self._await((ref, AheadKind.FINDINGS))
        if found is None or found.findings is None:
            return None
        stamp, findings, did = found.findings
        return (findings, did) if stamp == stamp_events(events) else None

    def find_summary(self, segment: Segment) -> SegmentSummary | None:
        """Return a segment in a few lines, if it is known already."""
        if self._process is None:
            return None
        ref = session_ref(self._project, segment.harness, segment.session_id)
        found = self._await((ref, AheadKind.SUMMARIES))
        return found.summaries.get(stamp_segment(segment)) if found is not None else None

    def _await(self, key: Wanted) -> ReadSession | None:
        """Return what was made of a session; None for what has to be made here."""
        if self._process is None:
            return None
        with self._changed:
            if key in self._left:
                # Not begun: it is made here, while the other one goes on with the next.
                del self._left[key]
                return None
        while (taken := self._take_last(key)) is not None:
            self._make_here(taken)
        with self._changed:
            came = self._changed.wait_for(
                lambda: key not in self._asked or self._is_over, AHEAD_WAIT_S
            )
            if not came:  # it hangs
                self._process.kill()
                self._is_over = True
            found = self._done.get(key)
            if found is not None:
                self._let_go(key)
            return found[1] if found is not None else None

    def _take_last(self, awaited: Wanted) -> Wanted | None:
        """Take what would be read last, while the other one is at what is awaited."""
        with self._changed:
            if awaited not in self._asked or len(self._done) >= AHEAD_TAKEN_MAX:
                return None
            of_this_kind = (key for key in reversed(self._left) if key[1] is awaited[1])
            taken = next(of_this_kind, None)
            if taken is not None:
                del self._left[taken]
            return taken

    def _make_here(self, key: Wanted) -> None:
        try:
            made = self._read_here(*key)
        except Exception:  # noqa: BLE001  it is made again by who can say what is wrong
            return
        with self._changed:
            self._done[key] = 0, made

    def _read_here(self, ref: bytes, kind: AheadKind) -> ReadSession:
        events = self._read(ref)
        if kind is AheadKind.FINDINGS:
            return read_findings(ref, events)
        return read_summaries(ref, events, self._zone)

    def _let_go(self, key: Wanted) -> None:
        """Keep what was asked for last: a session may come in two parts."""
        self._seen[key] = None
        self._seen.move_to_end(key)
        while len(self._seen) > AHEAD_SESSIONS_SEEN:
            size, _ = self._done.pop(self._seen.popitem(last=False)[0])
            self._held_bytes -= size
        self._changed.notify_all()

    def _ask(self, process: Beside) -> None:
        process.ask(self._list_jobs())

    def _list_jobs(self) -> Iterable[bytes]:
        while True:
            with self._changed:
                self._changed.wait_for(self._may_ask)
                if self._is_over or not self._left:
                    return
                (ref, kind), _ = self._left.popitem(last=False)
                self._asked[ref, kind] = None
            yield msgspec.json.encode(
                SessionJob(db=self._db, project=self._project, zone=self._zone, ref=ref, kind=kind)
            )

    def _may_ask(self) -> bool:
        has_room = len(self._asked) < AHEAD_ASKED_MAX and self._held_bytes < AHEAD_HELD_BYTES_MAX
        return self._is_over or not self._left or has_room

    def _listen(self, process: Beside) -> None:
        for size, found in _read_all(process.answers()):
            with self._changed:
                key = (found.ref, found.kind)
                self._asked.pop(key, None)
                self._done[key] = size, found
                self._held_bytes += size
                self._changed.notify_all()
        self._end()

    def _end(self) -> None:
        with self._changed:
            self._is_over = True
            self._asked.clear()
            self._left.clear()
            self._changed.notify_all()


def _read_all(frames: Iterable[bytes]) -> Iterator[tuple[int, ReadSession]]:
    with suppress(msgspec.MsgspecError):
        for data in frames:
            yield len(data), msgspec.msgpack.decode(data, type=ReadSession)


def _count_cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        return os.cpu_count() or 1
