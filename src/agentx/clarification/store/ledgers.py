"""The ledgers on disk: one JSON file an issue, edited under its lock, read without one.

The format is other tools' too: fields that we do not know stay where they are. What is
no ledger is moved aside and reported, never replaced, and the numbers of the next one
go on after those that stand in what was moved aside, so that no id is given twice.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from agentx.clarification.errors import lock_timeout
from agentx.clarification.model import Clarification, Ledger
from agentx.clarification.store.ledger_json import (
    OURS,
    DamagedLedger,
    as_json,
    clarification_of,
    is_settled,
    ledger_of,
    open_of,
    rows_of,
)
from agentx.clarification.store.ledger_shape import is_surely_whole
from agentx.host.documents.document import Document, DocumentFile, Fault, Format
from agentx.host.files import json_text
from agentx.host.files.disk import unreadable
from agentx.host.files.ground import opening
from agentx.host.files.plain import list_folder, read_bytes
from agentx.host.locks.lock import Held, locked
from agentx.host.locks.queue import LOCK_WAIT_MS
from agentx.kernel.clock import Clock
from agentx.kernel.errors import LockHeld
from agentx.kernel.ids import ClarificationId, clarification_id, parse_clarification_id
from agentx.kernel.paths import ProjectPaths, check_number
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

LEDGER_WAIT_MS = LOCK_WAIT_MS  # how long a verb waits for a ledger that others keep
_NAME = compile_late(r"issue-(0|[1-9][0-9]{0,17})\.json")

Taken = TypeVar("Taken")
OnLock = Callable[[str, str, int, int], None]  # file, agent, waited ms, held ms


def _nobody(_file: str, _agent: str, _waited_ms: int, _held_ms: int) -> None:
    """Tell nobody of a lock."""


@frozen(kw_only=False)
class Stamp:
    """What changes when a ledger does."""

    issue: int
    inode: int
    size: int
    mtime_ns: int


class LedgerEdit:
    """A ledger under its lock: look into it, put clarifications back, and leave.

    Only what is asked for is read: an issue may have had hundreds.
    """

    def __init__(self, document: Document, issue: int, given_before: Callable[[], int]) -> None:
        self.document = document
        self.is_changed = False
        self._issue = issue
        self._rows = rows_of(document, issue)
        numbers = (parse_clarification_id(known)[2] for known in self._rows)
        self._number_last = max(numbers, default=0) or given_before()

    def find(self, wanted: str) -> Clarification | None:
        """Return one clarification, or None."""
        row = self._rows.get(wanted)
        return None if row is None else clarification_of(row, self._issue)

    def list_open(self, asker: str, to: str) -> Iterator[Clarification]:
        """Yield what one agent asked of another and is not settled, the newest first."""
        for row in reversed(self._rows.values()):
            if (row.get("from"), row.get("to")) == (asker, to) and not is_settled(row):
                yield clarification_of(row, self._issue)

    def next_id(self) -> ClarificationId:
        """Return an id that was never given."""
        return clarification_id(self._issue, self._number_last + 1)

    def put(self, state: Clarification) -> None:
        """Keep a clarification, new or changed, once the block ends.

        What others wrote beside our fields stays.
        """
        self.is_changed = True
        row = self._rows.get(state.id)
        if row is None:
            row = self._rows[state.id] = {}
            self.document["clarifications"].append(row)
        threaded = row.get("thread", [])
        for name in OURS:
            row.pop(name, None)
        row.update(as_json(state))
        for index, entry in enumerate(threaded[: len(row["thread"])]):
            row["thread"][index] = {**entry, **row["thread"][index]}


class LedgerStore:
    """Where clarifications are kept."""

    def __init__(self, paths: ProjectPaths, clock: Clock, on_lock: OnLock = _nobody) -> None:
        self._paths = paths
        self._clock = clock
        self._on_lock = on_lock

    def read(self, issue: int) -> Ledger:
        """Return the ledger of an issue; an issue nobody asked about has an empty one.

        Raises: CorruptRecord after moving what is no ledger aside, UnavailableError.
        """
        found = self._read(issue, ledger_of)
        return Ledger(issue=issue) if found is None else found

    def open(self, issue: int, *, since_ms: int) -> tuple[Clarification, ...]:
        """Return what is active of an issue, and what others than the asker decided since.

        It takes less time than all of it.

        Raises: as `read`.
        """
        return self._read(issue, lambda found, of: open_of(found, of, since_ms)) or ()

    def _read(self, issue: int, take: Callable[[object, int], Taken]) -> Taken | None:
        path = ledger_path(self._paths, issue)
        try:
            return take(json_text.parse_json(read_bytes(path)), issue)
        except FileNotFoundError:
            return None
        except ValueError:
            document = self._file(issue).read()  # moves it aside, unless it was mended meanwhile
        except OSError as error:
            raise unreadable(path, error) from error
        return None if document is None else take(document, issue)

    @contextmanager
    def editing(
        self, issue: int, *, agent: str, wait_ms: int = LEDGER_WAIT_MS
    ) -> Iterator[LedgerEdit]:
        """Give the ledger under its lock, and save what was put back.

        An exception in the block leaves the file as it was.

        Raises: LockTimeout, StaleVersion, CorruptRecord, UnavailableError.
        """
        path = ledger_path(self._paths, issue)
        asked_ms = self._clock.now_ms()
        held_ms = asked_ms
        try:
            with locked(path, owner=agent, clock=self._clock, wait_ms=wait_ms) as held:
                held_ms = self._clock.now_ms()
                yield from self._edit(issue, held)
        except LockHeld as error:
            raise lock_timeout(path.name, error) from error
        self._on_lock(path.name, agent, held_ms - asked_ms, self._clock.now_ms() - held_ms)

    def _edit(self, issue: int, held: Held) -> Iterator[LedgerEdit]:
        file = self._file(issue)
        document = file.read_in(held)
        if document is None:
            document = {"issueNumber": issue, "clarifications": []}
        edit = LedgerEdit(document, issue, lambda: self._find_highest_number(issue))
        yield edit
        if edit.is_changed:
            file.write_in(held, edit.document)

    def stamps(self) -> tuple[Stamp, ...]:
        """Return which ledgers there are, by issue, with what changes when they do."""
        found: list[Stamp] = []
        try:
            with (
                opening(self._paths.ledgers) as folder,
                os.scandir(folder.descriptor) as entries,
            ):
                for entry in entries:
                    named = _NAME.fullmatch(entry.name)
                    if named is not None:
                        seen = entry.stat(follow_symlinks=False)
                        found.append(
                            Stamp(int(named[1]), seen.st_ino, seen.st_size, seen.st_mtime_ns)
                        )
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise unreadable(self._paths.ledgers, error) from error
        return tuple(sorted(found, key=lambda stamp: stamp.issue))

    def list_moved_aside(self) -> tuple[Path, ...]:
        """Return what was no ledger and waits for somebody to mend it."""
        return self._aside("issue-", ".json.corrupt-")

    def _find_highest_number(self, issue: int) -> int:
        """Return the highest number in what was moved aside, however damaged it is."""
        spelled = re.compile(rf"CLR-{issue}-([0-9]{{3,9}})\b".encode())
        name = ledger_path(self._paths, issue).name
        given = [
            int(number)
            for path in self._aside(f"{name}.corrupt-")
            for number in spelled.findall(read_bytes(path))
        ]
        return max(given, default=0)

    def _aside(self, begin: str, mark: str = "") -> tuple[Path, ...]:
        names = list_folder(self._paths.ledgers).files
        return tuple(
            self._paths.ledgers / name for name in names if name.startswith(begin) and mark in name
        )

    def _file(self, issue: int) -> DocumentFile:
        def parse(raw: bytes) -> Document | Fault:
            try:
                document = json_text.parse_json(raw)
                look = rows_of if is_surely_whole(raw) else ledger_of
                look(document, issue)
            except DamagedLedger as error:
                return Fault(line=1, reason=error.message)
            except ValueError as error:
                return Fault(line=json_text.line_number(raw, error), reason=str(error))
            return document  # type: ignore[no-any-return]  # looked at just now

        shape = Format(name="a ledger", parse=parse, dump=_page)
        return DocumentFile(ledger_path(self._paths, issue), shape, self._clock)


def ledger_path(paths: ProjectPaths, issue: int) -> Path:
    """Return where the clarifications of an issue lie."""
    return paths.ledgers / f"issue-{check_number(issue)}.json"


def _page(document: Document) -> bytes:
    """Write a document as people read it, ten times as fast as the general way."""
    try:
        return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
    except UnicodeEncodeError:  # half a character, which only the general way can write
        return json_text.page_of(document)
