"""The ledger of an issue, opened: from its view while that is fresh, else from the events.

A view that is as we left it and was made from the files as they are now answers by itself. One that
we left and that is older is made again from the events. What anybody else wrote is held against
the events, and what they changed is part of the ledger at once: the next writer keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agentx.clarification.store.fold import fold
from agentx.clarification.store.foreign import LedgerChange, list_changes
from agentx.clarification.store.ledger_json import DamagedLedger, Row, UnknownVersion, rows_of
from agentx.clarification.store.question_events import QuestionEvent, QuestionEventKind, is_erased
from agentx.clarification.store.question_files import EventsFound, QuestionFiles
from agentx.clarification.store.view import Made, is_as_left, read_made, write_view
from agentx.host.files import json_text
from agentx.host.files.disk import unreadable
from agentx.host.files.plain import exists, read_bytes
from agentx.host.system import system_entropy
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.errors import CorruptRecord
from agentx.kernel.ids import Entropy, mint, ulid_ms
from agentx.kernel.values import frozen


@frozen
class Pen:
    """With what a checkout writes: its writer's name, and the secret that seals its views."""

    writer: Callable[[], str]
    secret: Callable[[], bytes]
    doubt: Callable[[int, str], None] = lambda _issue, _question: None  # a person was claimed
    entropy: Entropy = system_entropy


_NOTHING = Made(files={})
# Between keeping events and saying them a writer takes some milliseconds; to read them all is more.
_LOOKS = 8
_LOOK_AGAIN_MS = 5


@dataclass(slots=True)
class Book:
    """A ledger, opened."""

    issue: int
    rows: dict[str, Row] = field(default_factory=dict)
    beside: Row = field(default_factory=dict)
    strange: tuple[object, ...] = ()  # rows that nobody understands
    made: Made = _NOTHING  # what its view is to say
    left: Made = _NOTHING  # what the view says that lies there
    pending: list[QuestionEvent] = field(default_factory=list)  # by others, not kept yet
    is_fresh: bool = False  # the view says all of it
    is_sound: bool = True  # what is forgotten is in no file
    forgotten: frozenset[str] = frozenset()

    def document(self) -> Row:
        """Return it as the view shows it, but for what it was made from."""
        rows = [*self.rows.values(), *self.strange]
        return {"issueNumber": self.issue, "clarifications": rows, **self.beside}

    def page(self, made: Made, secret: bytes) -> bytes:
        """Return its view."""
        return write_view(self.document(), made, secret)


class Opener:
    """Opens the ledger of one issue."""

    def __init__(self, path: Path, files: QuestionFiles, issue: int, clock: Clock, pen: Pen):
        self._path = path
        self._files = files
        self._issue = issue
        self._clock = clock
        self._pen = pen

    def look(self, sizes: Mapping[str, int] | None = None) -> Book:
        """Open the ledger without its lock; who writes it just now is waited for a little.

        `sizes` are those of its files of events, where they were looked at just now.

        Raises: as `open`.
        """
        lock = self._path.with_name(f"{self._path.name}.lock")
        for _ in range(_LOOKS):
            fresh = self._open_fresh(sizes)
            if fresh is not None:
                return fresh
            if not exists(lock):
                break
            sizes = None
            self._clock.sleep_ms(_LOOK_AGAIN_MS)
        return self.open()

    def _open_fresh(self, sizes: Mapping[str, int] | None) -> Book | None:
        """Open the ledger by its view, where that is ours and says all of it."""
        raw = self._read() or b""
        document = json_text.parse_json(raw) if is_as_left(raw, self._pen.secret()) else {}
        made = read_made(document)
        if made is None or document["issueNumber"] != self._issue:
            return None
        known = self._files.sizes() if sizes is None else sizes
        return self._trust(document, made) if dict(made.files) == known else None

    def open(self, *, whole: bool = False) -> Book:
        """Open the ledger; `whole` reads the events even where the view would do.

        Raises: CorruptRecord for a view that is none, UnknownVersion, UnavailableError.
        """
        raw = self._read()
        if raw is None or (not raw.strip(b"\0") and self._files.sizes()):
            # None, or what a power cut left of it.
            return self._fold(self._files.read(), _NOTHING)
        document = json_text.parse_json(raw) if is_as_left(raw, self._pen.secret()) else {}
        made = read_made(document)
        if made is None or document["issueNumber"] != self._issue:
            return self._hold_against(raw)
        if whole or dict(made.files) != self._files.sizes():
            return self._fold(self._files.read(), made)
        return self._trust(document, made)

    def _trust(self, document: Row, made: Made) -> Book:
        """Return what a fresh view of ours says, without looking into its rows."""
        listed = document["clarifications"]
        # Rows that nobody understands were put last.
        turn = next((at for at, row in enumerate(listed) if not _is_row(row)), len(listed))
        rows = {row["id"]: row for row in listed[:turn]}
        beside = {name: document[name] for name in list(document)[3:]}
        book = Book(
            self._issue, rows=rows, beside=beside, strange=tuple(listed[turn:]), is_fresh=True
        )
        book.made = book.left = made
        return book

    def open_events(self, before: Book) -> Book:
        """Open the ledger by its events alone, after what others wrote was added to them."""
        return self._fold(self._files.read(), before.left)

    def stamp(self, last: str, changes: Iterable[LedgerChange]) -> list[QuestionEvent]:
        """Return events for changes, each later than everything that is known here."""
        events: list[QuestionEvent] = []
        for change in changes:
            after_ms = ulid_ms(last) + 1 if last else 0
            last = mint(Millis(max(self._clock.now_ms(), after_ms)), self._pen.entropy)
            events.append(
                QuestionEvent(
                    id=last,
                    question=change.question,
                    kind=change.kind,
                    detail=change.detail,
                    writer="here",
                )
            )
        return events

    def _read(self) -> bytes | None:
        try:
            return read_bytes(self._path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise unreadable(self._path, error) from error

    def _hold_against(self, raw: bytes) -> Book:
        """Open a ledger whose view somebody else wrote."""
        try:
            document = json_text.parse_json(raw)
            rows_of(document, self._issue)
        except UnknownVersion as error:
            raise UnknownVersion(f"{self._path}: {error.message}", hint=error.hint) from None
        except DamagedLedger as error:
            raise self._say_damaged(1, error.message) from None
        except ValueError as error:
            raise self._say_damaged(json_text.line_number(raw, error), str(error)) from None
        found, made = self._files.read(), read_made(document)
        earlier = None if made is None else found.up_to(made.files)
        now = fold(self._issue, found.events)
        base = None if earlier is None else fold(self._issue, earlier)
        # What it says of us is not believed: anybody may have written that.
        return self._fold(found, _NOTHING, list_changes(document, now, base))

    def _say_damaged(self, line: int, reason: str) -> CorruptRecord:
        return CorruptRecord(
            f"{self._path}: line {line} is not a ledger: {reason}",
            hint="mend that line; or take the file away: AgentX makes it again from "
            f".agentx/questions/{self._issue}, without what others wrote into it last",
        )

    def _fold(self, found: EventsFound, left: Made, changes: Iterable[LedgerChange] = ()) -> Book:
        last = max((event.id for event in found.events), default="")
        pending = self.stamp(last, changes)
        folded = fold(self._issue, (*found.events, *pending))
        gone = frozenset(
            event.question for event in found.events if event.kind is QuestionEventKind.FORGOTTEN
        )
        made = Made(
            files=found.sizes,
            last=folded.last,
            given=max(folded.given, left.given),
            mine=left.mine,
            reached=max(left.reached, found.sizes.get(left.mine, 0)),
            faults=(*found.faults, *folded.faults),
        )
        return Book(
            self._issue,
            rows=folded.pages(),
            beside=folded.beside,
            strange=tuple(folded.strange.values()),
            made=made,
            left=left,
            pending=pending,
            is_sound=not _has_words(found, gone),
            forgotten=gone,
        )


def _is_row(row: object) -> bool:
    return isinstance(row, dict) and isinstance(row.get("uid"), str)


def _has_words(found: EventsFound, gone: frozenset[str]) -> bool:
    """Tell whether a merge brought back words of what was forgotten."""
    return any(
        event.question in gone
        and event.kind is not QuestionEventKind.FORGOTTEN
        and not is_erased(event)
        for event in found.events
    )
