"""The ledgers on disk: events per writer, and the specified file as a view of them.

    .agentx/questions/<issue>/<writer>.jsonl          facts, committed
    .agentx/state/clarifications/issue-<n>.json       the view, which other tools read and write
    <store>/held/questions/<issue>/        what git may take out of the first

Edited under the lock of the view, read without one. Events are kept before the view says them:
killed in between, the next one makes the view again. What is no ledger stays where it is, and
every command that needs it says so, until somebody mends it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from agentx.clarification.errors import lock_timeout, view_unwritten
from agentx.clarification.model import Clarification, Ledger
from agentx.clarification.store.book import Book, Opener, Pen
from agentx.clarification.store.edit import LedgerEdit
from agentx.clarification.store.files.aside import find_highest_aside, list_aside
from agentx.clarification.store.files.git_rules import tell_git
from agentx.clarification.store.files.held import HeldLines
from agentx.clarification.store.files.question_files import UNHELD, QuestionFiles, choose_file
from agentx.clarification.store.files.stamps import Stamp, list_stamps, look_at_ledger
from agentx.clarification.store.fold import find_about, list_parted
from agentx.clarification.store.ledger_json import clarification_of
from agentx.clarification.store.naming.names import find_row, list_meant
from agentx.clarification.store.naming.shown import name_for_good
from agentx.clarification.store.question_events import QuestionEvent, QuestionEventKind
from agentx.clarification.store.shortening import find_long, find_settled, list_begun, shorten
from agentx.clarification.store.survey import LedgerRows, SeenLedgers, list_rows
from agentx.clarification.store.view import ledger_path
from agentx.clarification.store.vouching.forgetting import ForgottenNames, gather_forgotten
from agentx.clarification.store.vouching.signatures import judge_event, judge_events, sign_event
from agentx.host.crash import CrashPoint, passing
from agentx.host.files.atomic import replace_file
from agentx.host.locks.lock import Held, locked
from agentx.host.locks.queue import LOCK_WAIT_MS
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.errors import (
    AgentXError,
    ConflictError,
    CorruptRecord,
    LockHeld,
    UnavailableError,
)
from agentx.kernel.paths import ProjectPaths, check_number
from agentx.redaction.redact import redact
from agentx.redaction.tree import redact_tree

LEDGER_WAIT_MS = LOCK_WAIT_MS  # how long a verb waits for a ledger that others keep
_NAMED = QuestionEventKind.NAMED

OnLock = Callable[[str, str, int, int], None]  # file, agent, waited ms, held ms


class LedgerStore:
    """Where clarifications are kept."""

    def __init__(
        self,
        paths: ProjectPaths,
        clock: Clock,
        pen: Pen,
        on_lock: OnLock = lambda *_: None,
        seen: SeenLedgers | None = None,
    ):
        self._paths = paths
        self._clock = clock
        self._pen = pen
        self._on_lock = on_lock
        self._seen = SeenLedgers() if seen is None else seen
        self._takes_over = False
        self._behind: dict[int, Book] = {}  # whose view was not what their events say

    def read(self, issue: int, stamp: Stamp | None = None) -> Ledger:
        """Return the ledger of an issue; an issue nobody asked about has an empty one.

        `stamp` is how its files look, where they were looked at just now.

        Raises: CorruptRecord for what is no ledger, UnavailableError.
        """
        return self._look(issue, stamp).list_all()

    def open(self, stamp: Stamp, *, since_ms: int) -> Ledger:
        """Return what is active of an issue, and what others decided since; raises as `read`."""
        return self._look(stamp.issue, stamp).list_open(since_ms)

    def read_settled(self, stamp: Stamp) -> Ledger:
        """Return what nobody has to do anything about any more of an issue.

        Raises: as `read`.
        """
        return self._look(stamp.issue, stamp).list_settled()

    def check(self, issue: int) -> tuple[str, ...]:
        """Return what is wrong with the files of an issue, read through whatever its view says.

        Raises: as `read`.
        """
        return self._opener(issue).open(whole=True).made.faults

    def find(self, issue: int, wanted: str) -> Clarification | None:
        """Return one clarification by its name, or by the one it had, or None.

        It takes less time than all of the ledger.

        Raises: as `read`; DamagedLedger when it cannot be read.
        """
        book = self._open(issue)
        row = find_row(book.rows, book.made.names, wanted)
        before = partial(self._pen.list_before, book)
        return None if row is None else name_for_good(clarification_of(row, issue), before)

    def list_meant(
        self, issue: int, wanted: str, *, by_person: bool = False
    ) -> tuple[Clarification | None, ...]:
        """Return what a name means, and what else it meant here before; None is what is gone.

        One that always meant the same means nothing else. `by_person` says that a person says it,
        to whom it meant what they were shown last, wherever that was.

        Raises: as `find`.
        """
        book = self._open(issue)
        before = list_meant(book.rows, self._pen.list_before(book, by_person=by_person), wanted)
        meant = (*((book.rows[wanted],) if before and wanted in book.rows else ()), *before)
        return tuple(None if row is None else clarification_of(row, issue) for row in meant)

    def find_told(self, issue: int, name: str) -> str:
        """Return which question the person was shown last under a name; nothing where none was."""
        return self._pen.shown.find_told(issue, name)

    def check_seen(self, name: str, state: Clarification) -> None:
        """See that the person was shown what is asked now, if they were shown anything.

        Raises: NameMoved, which shows it to them.
        """
        self._pen.shown.check_seen(name, state)

    def _open(self, issue: int, sizes: Mapping[str, int] | None = None) -> Book:
        try:
            return self._opener(issue).look(sizes)
        except CorruptRecord:
            return self._open_again(issue)

    def _look(self, issue: int, stamp: Stamp | None) -> LedgerRows:
        """Return the rows of a ledger; it is opened where it is not as it was seen last."""
        stamp = stamp or look_at_ledger(self._paths, issue, self._pen.held)
        if (known := self._seen.find(stamp)) is not None:
            return known
        book = self._open(issue, stamp.sizes)
        if not (book.is_fresh or book.pending):
            self._behind[issue] = book
        made = list_rows(book, partial(self._pen.list_before, book))
        if book.is_held:
            self._seen.keep(stamp, made)
        return made

    def list_judged(
        self, issue: int, questions: Container[str] | None = None
    ) -> tuple[QuestionEvent, ...]:
        """Return what happened to the questions of an issue, each with who vouches for it.

        Each event once, of two with one id the one that counts; what an offshoot begins with is
        told of it, too.

        `questions` are those that matter: to judge all takes long.

        Raises: CorruptRecord, UnavailableError.
        """
        events = self._files(issue).read().events
        if questions is not None:
            events = find_about(events, questions)
        parted = list_parted(judge_events(issue, events, self._pen.signatures))
        return tuple(each for each in parted if questions is None or each.question in questions)

    def gather_forgotten(self, issue: int) -> ForgottenNames:
        """Return what the questions were known by that no memory is to tell any more.

        Raises: UnknownVersion, UnavailableError.
        """
        files = self._files(issue)
        said = files.read_kind(QuestionEventKind.FORGOTTEN)
        judged = judge_events(issue, said, self._pen.signatures)
        return gather_forgotten(judged, files.read().events) if said else ForgottenNames()

    def _open_again(self, issue: int) -> Book:
        """Open a ledger that could not be read: somebody may have been writing it.

        Raises: as `read`.
        """
        with (
            suppress(ConflictError, UnavailableError),
            locked(ledger_path(self._paths, issue), owner="agentx", clock=self._clock),
        ):
            return self._opener(issue).open()
        return self._opener(issue).open()

    @contextmanager
    def editing(
        self, issue: int, *, agent: str, wait_ms: int = LEDGER_WAIT_MS, whole: bool = False
    ) -> Iterator[LedgerEdit]:
        """Give the ledger under its lock, and keep what happened.

        An exception in the block keeps nothing of it. What others wrote into the view is kept
        before the block begins.

        Raises: LockTimeout, StaleVersion, CorruptRecord, UnavailableError.
        """
        self._take_over()
        path = ledger_path(self._paths, issue)
        asked_ms = held_ms = self._clock.now_ms()
        try:
            with locked(path, owner=agent, clock=self._clock, wait_ms=wait_ms) as held:
                held_ms = self._clock.now_ms()
                book = self._take_in(issue, held, whole=whole)
                opener = self._opener(issue)
                before = partial(self._pen.list_before, book)
                aside = partial(find_highest_aside, self._paths, issue)
                edit = LedgerEdit(book, opener, aside, before)
                yield edit
                if edit.events:
                    edit.say_numbers()
                    book.forgotten |= edit.forgets
                    self._keep(held, book, edit.events, has_words=bool(edit.forgets))
                    if edit.is_told_elsewhere:
                        self._keep(held, opener.open_events(book), (), has_words=False)
        except LockHeld as error:
            raise lock_timeout(path.name, error) from error
        self._on_lock(path.name, agent, held_ms - asked_ms, self._clock.now_ms() - held_ms)

    def renew(self, issue: int, *, wait_ms: int) -> None:
        """Make the view again where the events are newer: after a merge, or a killed writer.

        What others wrote into it is kept first.

        Raises: LockTimeout, StaleVersion, CorruptRecord, UnavailableError.
        """
        path = ledger_path(self._paths, issue)
        with locked(path, owner="agentx", clock=self._clock, wait_ms=wait_ms) as held:
            book = self._open_behind(issue)
            if book.pending:
                self._take_over()
                self._take_in(issue, held, whole=False)
            elif book.is_behind:
                self._pen.writer()  # with its key: without, nobody knows the view again
                self._keep(held, book, (), has_words=False)

    def put_back(self, issue: int) -> tuple[str, ...]:
        """Write into the files again what git took out of them; return of which questions.

        Raises: LockTimeout, StaleVersion, CorruptRecord, UnavailableError.
        """
        self._pen.signatures.introduce(self._pen.writer())  # its card may be gone, too
        with locked(ledger_path(self._paths, issue), owner="agentx", clock=self._clock) as held:
            book = self._take_in(issue, held, whole=True)
            names = book.list_missing()
            if book.made.missing:
                self._put_back(book)
                self._keep(held, book, (), has_words=False)
        return names

    def _put_back(self, book: Book) -> None:
        files = self._files(book.issue)
        files.put_back()
        book.made = replace(book.made, files=files.sizes(), judged={}, missing=())

    def _open_behind(self, issue: int) -> Book:
        """Open a ledger under its lock; as it was seen just now, where it is as it was."""
        opener, seen = self._opener(issue), self._behind.pop(issue, None)
        return seen if seen is not None and opener.is_as_seen(seen) else opener.open()

    def compact(self, issue: int, before_ms: Millis, *, wait_ms: int) -> int:
        """Shorten what this checkout wrote of questions that were settled before a moment.

        Returns of how many.

        Raises: LockTimeout, StaleVersion, CorruptRecord, UnavailableError.
        """
        path, writer = ledger_path(self._paths, issue), self._pen.writer()

        def write(event: QuestionEvent) -> QuestionEvent:
            return sign_event(issue, event.writer, shorten(event), self._pen.signatures)

        with locked(path, owner="agentx", clock=self._clock, wait_ms=wait_ms) as held:
            book = self._take_in(issue, held, whole=True)
            events = self._files(issue).read().events
            ledger = list_rows(book).list_all()
            stems = {state.stem for state in ledger}  # what several threads share stays whole
            alone = [state for state in ledger if not (state.stem or state.uid in stems)]
            wanted = find_long(events, alone, before_ms, writer)
            if not wanted:
                return 0
            with held.committing(path):
                self._files(issue).change(wanted, write)
            passing(CrashPoint.QUESTION_SHORTENED)
            kept = self._opener(issue).open_events(book)
            kept.made = replace(kept.made, reached=kept.made.files.get(kept.made.mine, 0))
            self._keep(held, kept, (), has_words=False)
        return len({event.question for event in events if event.id in wanted})

    def list_settled(self, issue: int, before_ms: Millis) -> tuple[Clarification, ...]:
        """Return what was asked in this checkout and was settled before a moment.

        Raises: as `read`.
        """
        ledger, writer = self.read(issue), self._pen.writer()
        settled = find_settled(ledger, before_ms)
        if not settled:
            return ()
        asked = list_begun(self._files(issue).read().events, writer)
        asked -= {state.stem for state in ledger if state.uid not in settled}
        return tuple(state for state in ledger if state.uid in settled & asked)

    def _take_over(self) -> None:
        """Take all ledgers of an earlier version over before the first signature is made here.

        From then on a ledger without events is a file that anybody may have written.
        """
        if self._takes_over or self._pen.signatures.is_begun():
            return
        self._takes_over = True
        try:
            for stamp in self.stamps():
                path = ledger_path(self._paths, stamp.issue)
                with (
                    suppress(AgentXError),
                    locked(path, owner="agentx", clock=self._clock) as held,
                ):
                    self._take_in(stamp.issue, held, whole=False)
        finally:
            self._takes_over = False

    def _take_in(self, issue: int, held: Held, *, whole: bool) -> Book:
        """Open a ledger for writing, and keep first what others wrote into its view."""
        book = self._opener(issue).open(whole=whole)
        if not book.pending:
            return book
        # What others wrote was never looked at for secrets.
        safe = (replace(event, detail=redact_tree(event.detail, redact)) for event in book.pending)
        name, size = self._append(held, book, safe)
        passing(CrashPoint.QUESTION_TAKEN_IN)
        kept = self._opener(issue).open_events(book)
        kept.made = replace(kept.made, mine=name, reached=size)
        self._keep(held, kept, (), has_words=False)
        return kept

    def _append(self, held: Held, book: Book, events: Iterable[QuestionEvent]) -> tuple[str, int]:
        """Add events to the file of this checkout; return its name and how long it is then."""
        files, writer, mine = self._files(book.issue), self._pen.writer(), book.left.mine
        reached = book.left.reached
        if not mine.startswith(writer):  # of another checkout, from which this one was copied
            mine, reached = f"{writer}.jsonl", 0
        name = choose_file(mine, writer, reached, book.made.files.get(mine, 0), self._pen.entropy)
        signed = [
            sign_event(book.issue, name.removesuffix(".jsonl"), event, self._pen.signatures)
            for event in events
        ]
        self._pen.signatures.introduce(writer)
        # A number that nobody vouches for would not stay, and be said again every time.
        signed = [each for each in signed if each.signature or each.kind is not _NAMED]
        with held.committing(ledger_path(self._paths, book.issue)):
            book.is_held &= files.append(name, signed)
        return name, files.sizes().get(name, 0)

    def _keep(
        self, held: Held, book: Book, events: Iterable[QuestionEvent], *, has_words: bool
    ) -> None:
        """Keep events, then the view that says them."""
        path, files = ledger_path(self._paths, book.issue), self._files(book.issue)
        tell_git(self._paths, self._pen.common)
        kept = tuple(events)
        book.is_held = files.hold((*book.vouched, *book.contesting))
        if kept and book.made.missing:  # what is said now is said to what git took away
            self._put_back(book)
        made = book.made
        if kept:
            name, size = self._append(held, book, kept)
            numbers = (each.detail["number"] for each in kept if each.is_birth)
            made = replace(
                made,
                files={**made.files, name: size},
                last=kept[-1].id,
                given=max((made.given, *numbers)),
                mine=name,
                reached=size,
            )
            made = self._opener(book.issue).judge_appended(made, name, book.made.files.get(name, 0))
        if not made.trusted:  # the first signature makes what the next ones are held against
            made = replace(made, trusted=self._pen.signatures.stamp())
        passing(CrashPoint.QUESTION_WRITTEN)
        with held.committing(path):
            if has_words or not book.is_sound:
                self._pen.lose(book.issue, book.list_lost(self._pen.writer()))
                files.scrub(book.forgotten)
                passing(CrashPoint.QUESTION_SCRUBBED)
            is_signed = bool(book.unsigned)
            if is_signed:
                self._sign(book)
            made = replace(made, held=files.look_at_held() if book.is_held else UNHELD)
            if has_words or is_signed or not book.is_sound:
                sizes = files.sizes()
                made = replace(made, files=sizes, reached=sizes.get(made.mine, 0))
            # What it says is on disk; a power cut costs the view alone.
            try:
                replace_file(path, book.page(made, self._pen.secret()), is_synced=False)
            except UnavailableError as error:
                raise (view_unwritten(error, has_words=has_words) if kept else error) from error
        self._pen.shown.keep(book.issue, book.rows, made.names, book.forgotten)
        if self._pen.secret():  # else nobody knows next time that it was said
            for event in book.doubts.keys() - set(book.left.doubted):
                self._pen.doubt(book.issue, book.doubts[event])
        book.made = book.left = made

    def _sign(self, book: Book) -> None:
        """Sign what an earlier version of ours kept without."""

        def sign(event: QuestionEvent) -> QuestionEvent:
            return sign_event(book.issue, event.writer, event, self._pen.signatures)

        self._files(book.issue).change(book.unsigned, sign)
        self._pen.signatures.introduce(self._pen.writer())
        book.unsigned = frozenset()

    def stamps(self) -> tuple[Stamp, ...]:
        """Return which ledgers there are, by issue, with what changes when they do.

        Raises: UnavailableError, UnsafePath.
        """
        return list_stamps(self._paths, self._pen.held)

    def list_moved_aside(self) -> tuple[Path, ...]:
        """Return what an earlier version took for no ledger, and waits for somebody to mend it."""
        return list_aside(self._paths)

    def _files(self, issue: int) -> QuestionFiles:
        folder, held = self._paths.questions / str(check_number(issue)), self._pen.held
        judge = partial(judge_event, issue, signatures=self._pen.signatures)
        lines = None if held is None else HeldLines(held / str(issue), judge)
        return QuestionFiles(folder, self._clock, lines)

    def _opener(self, issue: int) -> Opener:
        path = ledger_path(self._paths, issue)
        files, over = self._files(issue), self._takes_over
        return Opener(path, files, issue, self._clock, self._pen, takes_over=over)
