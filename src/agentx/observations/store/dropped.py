"""`dropped.json`: what a person dropped, as traces by which its like is recognised.

Beside either kind of store, rewritten whole and in one step under its own lock. One that does not
parse is moved aside; what it taught is lost then, and said to be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import urandom
from pathlib import Path

import msgspec

from agentx.host.files.atomic import make_private_directory
from agentx.host.files.disk import look_at, unreadable
from agentx.host.files.plain import read_bytes
from agentx.host.locks.lock import Held, locked
from agentx.kernel.clock import Clock, from_iso, to_iso
from agentx.kernel.errors import UnsupportedVersion
from agentx.observations.model import DropList, Dropped, StoreFault
from agentx.observations.store.paths import ObservationPaths
from agentx.observations.store.records import decoder_of

_OWNER = "memory-pipeline"
_VERSION = 1
_SALT_BYTES = 16


class _Noted(msgspec.Struct, rename="camel", omit_defaults=True):
    id: str
    dropped_at: str
    traces: tuple[str, ...]
    why: str = ""
    kept_out: tuple[str, ...] = ()
    returning: bool = False


class _Unsaid(msgspec.Struct, rename="camel", omit_defaults=True):
    id: str
    event_ids: tuple[str, ...] = ()


class _Page(msgspec.Struct, rename="camel", omit_defaults=True):
    version: int
    salt: str
    dropped: list[_Noted]
    unsaid: list[_Unsaid] = []


_decode = decoder_of(_Page)


class DroppedFile:
    """The list of one folder. Safe to use from several threads and processes."""

    def __init__(self, folder: Path, clock: Clock, report: Callable[[StoreFault], None]) -> None:
        self._path = ObservationPaths(folder).dropped
        self._clock = clock
        self._report = report
        self._known: tuple[object, DropList] | None = None

    def read(self) -> DropList:
        """Return the list as it is now; not to be changed.

        Raises: UnavailableError, UnsupportedVersion.
        """
        now = look_at(self._path)
        if self._known is None or self._known[0] != now:
            self._known = (now, self._parse(None))
        return self._known[1]

    @contextmanager
    def changing(self) -> Iterator[DropList]:
        """Give the list to be changed in place; return after it is on disk.

        Raises: LockHeld, UnavailableError, UnsupportedVersion.
        """
        make_private_directory(self._path.parent)
        with locked(self._path, owner=_OWNER, clock=self._clock) as held:
            listed = self._parse(held)
            before = dict(listed.dropped), dict(listed.unsaid)
            yield listed
            if (listed.dropped, listed.unsaid) != before:
                held.write(self._path, _page(listed))
        self._known = None

    def _parse(self, held: Held | None) -> DropList:
        try:
            page: _Page = _decode(read_bytes(self._path))
            listed = {each.id: _read_noted(each) for each in page.dropped}
        except FileNotFoundError:
            return DropList(salt=urandom(_SALT_BYTES).hex(), dropped={})
        except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
            self._move_aside(held, str(error))
            return DropList(salt=urandom(_SALT_BYTES).hex(), dropped={})
        except OSError as error:
            raise unreadable(self._path, error) from error
        if page.version > _VERSION:
            raise UnsupportedVersion(
                f"{self._path}: version {page.version} is not known here",
                hint="update AgentX to the version that wrote it",
            )
        unsaid = {each.id: each.event_ids for each in page.unsaid}
        return DropList(salt=page.salt, dropped=listed, unsaid=unsaid)

    def _move_aside(self, held: Held | None, reason: str) -> None:
        hint = "what was dropped is kept again until it is mended"
        if held is not None:
            name = f"{self._path.name}.corrupt-{self._clock.now_ms()}"
            held.move(self._path, self._path.with_name(name))
            hint = f"it was moved aside to {name}; {hint}"
        fault = f"not a list of what was dropped: {reason}"
        self._report(StoreFault(what=fault, where=str(self._path), hint=hint))


def _read_noted(noted: _Noted) -> Dropped:
    return Dropped(
        id=noted.id,
        at_ms=from_iso(noted.dropped_at),
        why=noted.why,
        traces=noted.traces,
        kept_out=noted.kept_out,
        is_returning=noted.returning,
    )


def _page(listed: DropList) -> bytes:
    noted = [
        _Noted(
            id=each.id,
            dropped_at=to_iso(each.at_ms),
            traces=each.traces,
            why=each.why,
            kept_out=each.kept_out,
            returning=each.is_returning,
        )
        for each in listed.dropped.values()
    ]
    unsaid = [_Unsaid(id=name, event_ids=events) for name, events in listed.unsaid.items()]
    page = msgspec.json.encode(
        _Page(version=_VERSION, salt=listed.salt, dropped=noted, unsaid=unsaid)
    )
    return msgspec.json.format(page, indent=2) + b"\n"
