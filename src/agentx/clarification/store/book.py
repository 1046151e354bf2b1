"""The ledger of an issue, opened: from its view while that is fresh, else from the events.

A view that is as we left it and was made from the files as they are now answers by itself. One that
we left and that is older is made again from the events. What anybody else wrote is held against
the events, and what they changed is part of the ledger at once: the next writer keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from agentx.clarification.store.files.question_files import (
    NOTHING_JUDGED,
    EventsFound,
    Placed,
    QuestionFiles,
)
from agentx.clarification.store.fold import Folded, find_lines, fold
from agentx.clarification.store.foreign import Base, LedgerChange, list_changes
from agentx.clarification.store.ledger_json import DamagedLedger, Row, UnknownVersion, rows_of
from agentx.clarification.store.naming.names import (
    NOTHING_SHOWN,
    Names,
    NamesShown,
    keep_names,
    list_shown,
)
from agentx.clarification.store.naming.shown import ShownNames, join_names
from agentx.clarification.store.question_events import QuestionEvent, has_words
from agentx.clarification.store.view import Made, is_as_left, read_made, write_view
from agentx.clarification.store.vouching.doubts import EventDoubt
from agentx.clarification.store.vouching.forgetting import LostWord, list_lost
from agentx.clarification.store.vouching.signatures import judge_events
from agentx.clarification.store.vouching.then import judge_as_then
from agentx.host.files import json_text
from agentx.host.files.disk import unreadable
from agentx.host.files.plain import exists, read_bytes
from agentx.host.system import system_entropy
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.errors import CorruptRecord
from agentx.kernel.ids import Entropy, mint, ulid_ms
from agentx.kernel.values import frozen
from agentx.kernel.vouching.signatures import Signatures
from agentx.kernel.vouching.standing import Vouching


@frozen
class Pen:
    """With what a checkout writes: its writer's name, what signs, the secret that seals views."""

    writer: Callable[[], str]
    secret: Callable[[], bytes]
    signatures: Signatures
    doubt: Callable[[int, EventDoubt], None] = lambda _issue, _doubt: None
    lose: Callable[[int, tuple[LostWord, ...]], None] = lambda _issue, _lost: None
    entropy: Entropy = system_entropy
    shown: ShownNames = ShownNames()
    held: Path | None = None  # where lines lie that git may take out of the files; None: nowhere
    common: Path | None = None  # git's own folder, where the files lie in a checkout

    def list_before(self, book: Book, *, by_person: bool = False) -> Names:
        """Return what names meant here that do not mean it now."""
        shown = self.shown.list_before(book.issue, book.rows, by_person=by_person)
        return join_names(book.made.names, shown)


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
    doubts: dict[str, EventDoubt] = field(default_factory=dict)  # by event
    unsigned: frozenset[str] = frozenset()  # events of ours that an earlier version kept
    raw: bytes | None = None  # the view that lay there
    vouched: tuple[QuestionEvent, ...] = ()  # to be held, where they were read
    contesting: tuple[QuestionEvent, ...] = ()  # or may do so; likewise
    is_held: bool = True  # not where the user's folder took nothing: the next look tries again

    def document(self) -> Row:
        """Return it as the view shows it, but for what it was made from."""
        rows = [*self.rows.values(), *self.strange]
        return {"issueNumber": self.issue, "clarifications": rows, **self.beside}

    @property
    def is_behind(self) -> bool:
        """Whether the view does not say yet what the events do."""
        # What others wrote waits for the next writer; what claims a person is said at once.
        known = self.made.files or self.made.missing
        return bool(self.doubts if self.pending else known) and not self.is_fresh

    def list_missing(self) -> tuple[str, ...]:
        """Return the names of the questions of which lines are in no file."""
        gone = set(self.made.missing)
        return tuple(
            name
            for name, row in self.rows.items()
            if gone and (row.get("stem") or row.get("uid")) in gone
        )

    def is_gone(self, event: QuestionEvent) -> bool:
        """Tell whether an event has words of what was forgotten."""
        return event.question in self.forgotten and has_words(event)

    def list_lost(self, writer: str) -> tuple[LostWord, ...]:
        """Return what a person said in this checkout that goes, as others forgot the question."""
        return list_lost(self.vouched, writer)

    def page(self, made: Made, secret: bytes) -> bytes:
        """Return its view."""
        return write_view(self.document(), made, secret)


class Opener:
    """Opens the ledger of one issue."""

    def __init__(
        self,
        path: Path,
        files: QuestionFiles,
        issue: int,
        clock: Clock,
        pen: Pen,
        *,
        takes_over: bool = False,
    ):
        self._path = path
        self._takes_over = takes_over  # all ledgers of an earlier version, before anybody signs
        self._files = files
        self._issue = issue
        self._clock = clock
        self._pen = pen

    def look(self, sizes: Mapping[str, int] | None = None) -> Book:
        """Open the ledger without its lock; who writes it just now is waited for a little.

        `sizes` are those of its files of events, where they were looked at just now.

        Raises: as `open`.
        """
        for _ in range(_LOOKS):
            fresh = self._open_fresh(sizes)
            if fresh is not None:
                return fresh
            if not exists(self._path.with_name(f"{self._path.name}.lock")):
                break
            sizes = None
            self._clock.sleep_ms(_LOOK_AGAIN_MS)
        book = self.open()
        # What is told is not taken back; what was forgotten is not told, whoever brought it again.
        seen = (*book.vouched, *book.contesting)
        told = (one for one in seen if not book.is_gone(one))
        book.is_held = self._files.hold(told, as_of=book.made.files)
        return book

    def _open_fresh(self, sizes: Mapping[str, int] | None) -> Book | None:
        """Open the ledger by its view, where that is ours and says all of it."""
        raw = self._read() or b""
        document = json_text.parse_json(raw) if is_as_left(raw, self._pen.secret()) else {}
        made = read_made(document)
        if made is None or document["issueNumber"] != self._issue:
            return None
        if made.trusted != self._pen.signatures.stamp():
            return None
        known = self._files.sizes() if sizes is None else sizes
        is_same = dict(made.files) == known and dict(made.held) == self._files.look_at_held()
        return self._trust(document, made) if is_same else None

    def open(self, *, whole: bool = False) -> Book:
        """Open the ledger; `whole` reads the events even where the view would do.

        Raises: CorruptRecord for a view that is none, UnknownVersion, UnavailableError.
        """
        raw = self._read()
        book = self._open(raw, whole=whole)
        book.raw = raw
        return book

    def is_as_seen(self, book: Book) -> bool:
        """Tell whether a ledger is as it was when it was opened, under its lock.

        Raises: UnavailableError, UnsafePath.
        """
        is_current = book.made.trusted == self._pen.signatures.stamp()
        return is_current and self._is_made_from(book.made) and self._read() == book.raw

    def _is_made_from(self, made: Made) -> bool:
        is_same = dict(made.files) == self._files.sizes()
        return is_same and dict(made.held) == self._files.look_at_held()

    def _open(self, raw: bytes | None, *, whole: bool) -> Book:
        if raw is None or (not raw.strip(b"\0") and self._files.sizes()):
            # None, or what a power cut left of it.
            return self._fold(self._files.read(), _NOTHING, NOTHING_SHOWN)
        document = json_text.parse_json(raw) if is_as_left(raw, self._pen.secret()) else {}
        made = read_made(document)
        if made is None or document["issueNumber"] != self._issue:
            return self._hold_against(raw)
        is_current = made.trusted == self._pen.signatures.stamp()
        if whole or not (is_current and self._is_made_from(made)):
            shown = list_shown(document["clarifications"], made.names)
            return self._fold(self._read_events(made), made, shown)
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
        shown = list_shown(before.rows.values(), before.made.names)
        return self._fold(self._read_events(before.left), before.left, shown)

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
                    standing=Vouching.SIGNED,  # as soon as it is kept
                )
            )
        return events

    def list_lines(self, stem: str, thread: str = "") -> tuple[QuestionEvent, ...]:
        """Return every event of a question that is kept, whoever wrote it.

        `thread` is which of several it is that grew out of one.

        Raises: UnavailableError, UnsafePath.
        """
        lines = self._files.read_about(stem)
        if not thread:
            return lines
        held = find_lines(self._judge(lines), thread)
        return tuple(line for line in lines if line.id in held)

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
        now = fold(self._issue, self._judge(found.events))
        base = self._find_base(found, made) or Base(now, is_exact=False)
        # What it says of us is not believed: anybody may have written that.
        may_be_old = self._takes_over or not self._pen.signatures.is_begun()
        changes = list_changes(document, now, base, may_be_old=may_be_old)
        # But for what names meant: who makes that up makes us ask which question is meant.
        named = _list_named(document["clarifications"], now)
        ours = _name_rows(base.folded) if base.is_exact else named
        shown = list_shown(ours, made.names if made is not None else {})
        return self._fold(found, _NOTHING, shown, changes)

    def _find_base(self, found: EventsFound, made: Made | None) -> Base | None:
        """Return what a view was made from, as who made it judged that; None where nobody knows."""
        if made is None:
            return None
        earlier = found.up_to(made.files)
        judged = self._judge(found.events if earlier is None else earlier)
        if made.trusted != self._pen.signatures.stamp():  # others' words counted for who made it
            judged = judge_as_then(judged, made)
        return Base(fold(self._issue, judged), is_exact=earlier is not None)

    def _say_damaged(self, line: int, reason: str) -> CorruptRecord:
        return CorruptRecord(
            f"{self._path}: line {line} is not a ledger: {reason}",
            hint="mend that line; or take the file away: AgentX makes it again from "
            f".agentx/questions/{self._issue}, without what others wrote into it last",
        )

    def _fold(
        self,
        found: EventsFound,
        left: Made,
        shown: NamesShown,
        changes: Iterable[LedgerChange] = (),
    ) -> Book:
        """Open the ledger by events; `shown` is what names meant here so far."""
        last = max((event.id for event in found.events), default="")
        pending = self.stamp(last, changes)
        unsigned = _list_unsigned(found, left)
        judged = self._judge_new(found, left)
        signed = (
            replace(event, standing=Vouching.SIGNED) if event.id in unsigned else event
            for event in judged
        )
        folded = fold(self._issue, (*signed, *pending))
        gone, rows, numbers = frozenset(folded.forgotten), folded.pages(), folded.numbers
        doubts = {**found.doubts, **folded.doubts}
        made = Made(
            files=found.sizes,
            last=folded.last,
            given=max(numbers.highest, left.given),
            mine=left.mine,
            reached=max(left.reached, found.sizes.get(left.mine, 0)),
            faults=(*found.faults, *folded.faults),
            trusted=self._pen.signatures.stamp(),
            doubted=tuple(sorted(doubts)),
            unsaid=numbers.unsaid,
            names=keep_names(shown, self._issue, numbers.also, rows),
            judged=found.judged,
            loose=tuple(sorted(_list_loose(judged))),
            missing=tuple(sorted({event.question for event in found.missing})),
            held=self._files.look_at_held(),
        )
        return Book(
            self._issue,
            rows=rows,
            beside=folded.beside,
            strange=tuple(folded.strange.values()),
            made=made,
            left=left,
            pending=pending,
            is_sound=not _has_words(found, gone),
            forgotten=gone,
            doubts=doubts,
            unsigned=unsigned,
            vouched=tuple(one for one in judged if one.is_signed),
            contesting=tuple(one for one in judged if one.may_contest),
        )

    def _read_events(self, left: Made) -> EventsFound:
        """Read the events; what was judged when a view of ours was made is known by its digest."""
        is_current = left.trusted is not None and left.trusted == self._pen.signatures.stamp()
        return self._files.read(left.judged if is_current else None)

    def _judge_new(self, found: EventsFound, left: Made) -> tuple[QuestionEvent, ...]:
        """Return all events, each with how it stands; none is held against its key twice."""
        loose = frozenset(left.loose)

        def is_known(each: Placed) -> bool:
            is_old = 0 < each.end <= found.as_judged.get(each.file, 0)
            return is_old and bool(each.event.signature) and each.event.id not in loose

        signed = (each.event for each in found.placed if is_known(each))
        return (
            *(replace(each, standing=Vouching.SIGNED) for each in signed),
            *self._judge(one.event for one in found.placed if one.end and not is_known(one)),
            *found.missing,  # judged where they are held
        )

    def judge_appended(self, made: Made, name: str, before: int) -> Made:
        """Return what a view is made from after we added to a file, which was so long before.

        Raises: UnavailableError, UnsafePath.
        """
        known = made.judged.get(name) if before else NOTHING_JUDGED
        after = self._files.read_after(name, known) if known is not None else None
        if after is None:  # nobody knows what was added beside ours
            return made
        loose = {*made.loose, *_list_loose(self._judge(after[1]))}
        judged = {**made.judged, name: after[0]}
        return replace(made, judged=dict(sorted(judged.items())), loose=tuple(sorted(loose)))

    def _judge(self, events: Iterable[QuestionEvent]) -> tuple[QuestionEvent, ...]:
        return judge_events(self._issue, events, self._pen.signatures)


def _list_unsigned(found: EventsFound, left: Made) -> frozenset[str]:
    """Return the events of this checkout that a view of an earlier version was made from.

    That version did not sign. The view is as it left it, so nobody else put them there since.
    """
    if left.trusted is not None or not left.mine:
        return frozenset()
    earlier, own = found.up_to(left.files) or (), left.mine.partition("-")[0].removesuffix(".jsonl")
    return frozenset(
        event.id
        for event in earlier
        if not event.signature and event.writer.partition("-")[0] == own
    )


def _list_loose(judged: Iterable[QuestionEvent]) -> set[str]:
    """Return the events with a signature that does not count."""
    return {one.id for one in judged if one.signature and one.standing is not Vouching.SIGNED}


def _name_rows(folded: Folded) -> Iterator[Row]:
    """Yield what each question is called."""
    return ({"id": told.id, "uid": told.uid} for told in folded.told.values() if not told.is_gone)


def _list_named(rows: Iterable[Row], now: Folded) -> Iterator[Row]:
    """Yield the rows of ours in a file of somebody else that may say what a name meant here.

    Where who has the name now stands in the file under another, somebody changed names.
    """
    ours = [row for row in rows if _is_row(row) and row["uid"] in now.told]
    there, owners = {row["uid"] for row in ours}, {told.id: told.uid for told in now.told.values()}
    for row in ours:
        owner = owners.get(str(row.get("id")))
        if owner == row["uid"] or owner not in there:
            yield row


def _is_row(row: object) -> bool:
    return isinstance(row, dict) and isinstance(row.get("uid"), str)


def _has_words(found: EventsFound, gone: frozenset[str]) -> bool:
    """Tell whether a merge brought back words of what was forgotten."""
    return any(event.question in gone and has_words(event) for event in found.events)
