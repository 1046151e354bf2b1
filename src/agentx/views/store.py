"""How far sessions have been captured: the checkpoints of the observations.

    sequence             how far the outbox was read
    wait/<session>       news came; captured once the session is over, compacted or quiet
    intent/<session>     being captured: up to which event, and under which issue
    done/<session>       captured: up to which event, and what was taken

An intent is written before the first observation and taken away with the mark, so a capture
that died is done again exactly as it was begun, and what it had stored is stored once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

import msgspec

from agentx.host.kv import keys
from agentx.host.kv.port import Batch, Family, KeyValue

_NAME = "observe"
Row = TypeVar("Row")


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What was taken from a session, as far as it helps to tell news from it."""

    id: str
    category: str
    summary: str
    first_event: str


class CaptureIntent(msgspec.Struct, frozen=True, kw_only=True):
    """A capture that was begun."""

    until_ms: int
    until_id: str
    issue: int
    agent: str


class CaptureMark(msgspec.Struct, frozen=True, kw_only=True):
    """How far a session was captured."""

    session_id: str
    until_ms: int
    until_id: str
    events: int  # how many there were up to then: late ones change this
    taken: tuple[Taken, ...] = ()
    polished: bool = False  # a model has looked at it


class WaitingSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session with news."""

    newest_ms: int
    is_due: bool = False  # it ended or was compacted: no need to wait for silence


def is_due(waiting: WaitingSession, now_ms: int, quiet_ms: int) -> bool:
    """Tell whether a session with news is to be captured: it is over, or has gone quiet."""
    return waiting.is_due or now_ms - waiting.newest_ms >= quiet_ms


class CaptureMarks:
    """The checkpoints of one project."""

    def __init__(self, kv: KeyValue, project: str) -> None:
        self._kv = kv
        self._head = f"{_NAME}/{project}|"

    def sequence(self) -> int:
        """Return how far the outbox was read."""
        return self._find("sequence", int) or 0

    def note(self, news: dict[bytes, WaitingSession], sequence: int) -> None:
        """Note the sessions with news, and how far the outbox was read."""
        rows = {f"wait/{ref.hex()}": waiting for ref, waiting in news.items()}
        self._write({**rows, "sequence": sequence}, sync=False)

    def waiting(self) -> Iterator[tuple[bytes, WaitingSession]]:
        """Yield the sessions with news."""
        yield from self._all("wait/", WaitingSession)

    def find_waiting(self, ref: bytes) -> WaitingSession | None:
        """Return what is known of a session's news, if it has any."""
        return self._find(f"wait/{ref.hex()}", WaitingSession)

    def intent(self, ref: bytes) -> CaptureIntent | None:
        """Return the capture of a session that was begun and not finished."""
        return self._find(f"intent/{ref.hex()}", CaptureIntent)

    def begin(self, ref: bytes, intent: CaptureIntent) -> None:
        """Note that a session is being captured; return after it is on disk."""
        self._write({f"intent/{ref.hex()}": intent})

    def read_mark(self, ref: bytes) -> CaptureMark | None:
        """Return how far a session was captured."""
        return self._find(f"done/{ref.hex()}", CaptureMark)

    def all_done(self) -> Iterator[tuple[bytes, CaptureMark]]:
        """Yield every session that was captured."""
        yield from self._all("done/", CaptureMark)

    def finish(self, ref: bytes, mark: CaptureMark, *, still_waiting: bool) -> None:
        """Note that a session was captured; return after it is on disk."""
        gone = ("intent",) if still_waiting else ("intent", "wait")
        self._write({f"done/{ref.hex()}": mark}, (f"{kind}/{ref.hex()}" for kind in gone))

    def begin_again(self, ref: bytes, waiting: WaitingSession) -> None:
        """Forget what was captured of a session, so that what is left of it is captured anew."""
        gone = (f"{kind}/{ref.hex()}" for kind in ("intent", "done"))
        self._write({f"wait/{ref.hex()}": waiting}, gone)

    def erase(self) -> None:
        """Make what was deleted physically gone: marks quote what was taken."""
        self._kv.erase(Family.CHECKPOINTS)

    def note_polished(self, ref: bytes, mark: CaptureMark) -> None:
        """Note that a model has looked at a session."""
        self._write({f"done/{ref.hex()}": mark})

    def _write(
        self, rows: Mapping[str, object], gone: Iterable[str] = (), *, sync: bool = True
    ) -> None:
        batch = Batch()
        for name, row in rows.items():
            batch.put(*self._row(name), msgspec.json.encode(row))
        for name in gone:
            batch.delete(*self._row(name))
        self._kv.write(batch, sync=sync)

    def _all(self, prefix: str, kind: type[Row]) -> Iterator[tuple[bytes, Row]]:
        head = f"{self._head}{prefix}"
        bounds = keys.checkpoint_range(head)
        for key, value in list(self._kv.scan(Family.CHECKPOINTS, *bounds)):
            ref = bytes.fromhex(keys.checkpoint_name_of(key).removeprefix(head))
            yield ref, msgspec.json.decode(value, type=kind)

    def _row(self, name: str) -> tuple[Family, bytes]:
        return Family.CHECKPOINTS, keys.checkpoint_key(self._head + name)

    def _find(self, name: str, kind: type[Row]) -> Row | None:
        raw = self._kv.get(*self._row(name))
        return msgspec.json.decode(raw, type=kind) if raw else None
