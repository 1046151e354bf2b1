"""A whole document in a file: read it, or edit it under its lock.

What does not parse is never overwritten and never dropped: it is moved aside as
`<name>.corrupt-<ulid>` and reported with the line at fault. The next edit begins
with an empty document. What git could not merge stays where git left it, with both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agentx.host.files.atomic import PRIVATE_FILE
from agentx.host.files.disk import unreadable
from agentx.host.files.merged_lines import has_merge_marks
from agentx.host.files.plain import read_bytes
from agentx.host.locks.lock import Held, locked
from agentx.host.locks.queue import LOCK_WAIT_MS
from agentx.host.system import system_entropy
from agentx.kernel.clock import Clock
from agentx.kernel.errors import ConflictError, CorruptRecord, UnavailableError
from agentx.kernel.ids import mint
from agentx.kernel.values import frozen

Document = dict[str, Any]


@frozen
class Fault:
    """Why bytes are no document, and where."""

    line: int
    reason: str


@frozen
class Format:
    """How a document becomes bytes and back."""

    name: str
    parse: Callable[[bytes], Document | Fault]
    dump: Callable[[Document], bytes]


class DocumentFile:
    """One document on disk."""

    def __init__(
        self,
        path: Path,
        shape: Format,
        clock: Clock,
        *,
        owner: str = "agentx",
        mode: int = PRIVATE_FILE,
        conflict_hint: str = "",
    ) -> None:
        self.path = path
        self._conflict_hint = conflict_hint  # where it is committed, and git may leave a conflict
        self._shape = shape
        self._clock = clock
        self._owner = owner
        self._mode = mode

    def read(self) -> Document | None:
        """Return the document, or None when there is no file.

        Raises: CorruptRecord after moving what does not parse aside, UnavailableError.
        """
        raw = self._raw()
        if raw is None:
            return None
        found = self._shape.parse(raw)
        if not isinstance(found, Fault):
            return found
        if conflict := self._tell_conflict(raw):
            raise conflict
        try:
            with locked(self.path, owner=self._owner, clock=self._clock) as held:
                return self.read_in(held)
        except (ConflictError, UnavailableError):
            raise CorruptRecord(
                f"{self.path}: line {found.line} is not {self._shape.name}: {found.reason}",
                hint="mend that line, or restore the file from a backup",
            ) from None

    def read_in(self, held: Held) -> Document | None:
        """Return the document while its lock is held.

        Raises: as `read`.
        """
        raw = self._raw()
        if raw is None:
            return None
        found = self._shape.parse(raw)
        if isinstance(found, Fault):
            raise self._tell_conflict(raw) or self._move_aside(held, found)
        return found

    def write_in(self, held: Held, document: Document) -> None:
        """Replace the document while its lock is held.

        Raises: as `Held.write`.
        """
        held.write(self.path, self._shape.dump(document), self._mode)

    @contextmanager
    def editing(self, *, wait_ms: int = LOCK_WAIT_MS) -> Iterator[Document]:
        """Lock the file and give its document, to be changed in place; save it if it changed.

        An exception in the block leaves the file as it was.

        Raises: LockHeld, StaleVersion, CorruptRecord, UnavailableError.
        """
        with locked(self.path, owner=self._owner, clock=self._clock, wait_ms=wait_ms) as held:
            document = self.read_in(held)
            before = None if document is None else self._shape.dump(document)
            edited: Document = {} if document is None else document
            yield edited
            after = self._shape.dump(edited)
            if after != before:
                held.write(self.path, after, self._mode)

    def _raw(self) -> bytes | None:
        try:
            return read_bytes(self.path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise unreadable(self.path, error) from error

    def _tell_conflict(self, raw: bytes) -> CorruptRecord | None:
        if not (self._conflict_hint and has_merge_marks(raw)):
            return None
        return CorruptRecord(
            f"{self.path}: git could not merge it; both sides are in the file",
            hint=self._conflict_hint,
        )

    def _move_aside(self, held: Held, fault: Fault) -> CorruptRecord:
        name = f"{self.path.name}.corrupt-{mint(self._clock.now_ms(), system_entropy)}"
        held.move(self.path, self.path.with_name(name))
        return CorruptRecord(
            f"{self.path}: line {fault.line} is not {self._shape.name}: {fault.reason}",
            hint=f"it was moved aside to {name}: mend it and move it back, or go on without it",
        )
