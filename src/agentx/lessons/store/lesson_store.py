"""Long-term memory on disk: events that only grow, and the pages made from them.

    ltm/events/<actor>/<stamp>-<writer>.jsonl      one file a change, written whole
    ltm/patterns/*.yaml  decisions/*.md  ...       made again from the events

A change is a file of its own that is put in place in one step, so no reader sees half of
it and no two branches ever touch the same one. Every edit first takes in what people
changed on the pages; a page that cannot be read is left as it is and named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agentx.host.crash import CrashPoint, passing
from agentx.host.documents.document import Fault
from agentx.host.documents.vouched import VouchedNotes
from agentx.host.documents.yaml_file import YAML, readings
from agentx.host.files import json_text
from agentx.host.files.atomic import replace_file
from agentx.host.files.below.finding import find_files
from agentx.host.files.below.walking import walk_files
from agentx.host.files.disk import unreadable
from agentx.host.files.ground import make_folders
from agentx.host.files.kept import FactsKept
from agentx.host.files.plain import is_folder, look, read_bytes, read_text, remove
from agentx.host.git.layout import lay_out
from agentx.host.locks.lock import locked
from agentx.kernel.clock import Clock, Millis, from_iso, to_file_name, to_iso
from agentx.kernel.ids import Entropy, digest, is_ulid, mint
from agentx.kernel.paths import ProjectPaths, StorePaths
from agentx.kernel.text import MERGE_MARKS
from agentx.kernel.values import frozen
from agentx.lessons.fold import fold
from agentx.lessons.hand_edits import HAND, deletions, edits
from agentx.lessons.model import LessonKind, LongTerm, LtmEvent, LtmKind
from agentx.lessons.pages import (
    PageEntry,
    decision_entry,
    decision_path,
    decision_text,
    documents,
    entries,
)
from agentx.lessons.paths import LessonNotes, LtmPaths
from agentx.lessons.promotion import LessonChange
from agentx.lessons.store.held import SIGNED, HeldLessons
from agentx.lessons.vouching.pen import LessonPen, LessonVouching

VERSION = 1
_PAGES = (".yaml", ".md")


@frozen
class PageFault:
    """A file, or a line of it, that could not be read, and why."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}: line {self.line}: {self.reason}"


@frozen
class Knowledge:
    """What is known, and what could not be read."""

    known: LongTerm
    faults: tuple[PageFault, ...] = ()


@frozen(kw_only=False)
class _Page:
    """A page as it lies on disk."""

    path: Path  # below the folder of long-term memory
    text: str
    is_fresh: bool
    is_merged: bool


class LessonStore:
    """The lessons of one project."""

    def __init__(
        self,
        project: ProjectPaths,
        store: StorePaths,
        clock: Clock,
        entropy: Entropy,
        pen: LessonPen | None = None,
    ) -> None:
        self._project = project
        self._paths = LtmPaths(project.lessons)
        notes = LessonNotes(store.root)
        self._desk, self._seen = notes.desk, notes.pages
        self._clock = clock
        self._entropy = entropy
        noted = VouchedNotes(notes.vouched, str(project.root), clock, "agentx ltm")
        self.vouching = LessonVouching(pen, noted, lambda: self._events([]))
        held = store.lines_held / "lessons"
        self._held = HeldLessons(held, self._paths.events, self._counts)

    def read(self) -> Knowledge:
        """Return what is known, by the events alone.

        Raises: UnavailableError when a file cannot be read.
        """
        faults: list[PageFault] = []
        events = (*self._events(faults), *self._list_held())
        known = fold(events, self.vouching.vouches)
        return Knowledge(known=known, faults=tuple(faults))

    def _list_held(self) -> Iterator[LtmEvent]:
        """Yield what git took out of the files, and was said all the same."""
        if self.vouching.is_asked:
            self._held.hold(self._files())
            for _, lines in self._held.list_missing():
                yield from (_read(json_text.parse_json(line)) for line in lines)

    def _counts(self, line: bytes) -> bool:
        try:
            return self.vouching.is_signed(_read(json_text.parse_json(line)))
        except (ValueError, KeyError, TypeError, RecursionError):
            return False

    def stamp(self) -> str:
        """Return a text that changes when events are added, or others count."""
        files = self._files()
        stats = [stat for file in files if (stat := look(file))]
        count = f"{len(stats)}:{sum(stat.st_size for stat in stats)}{self._held.stamp()}"
        is_signed = any(map(_is_signed, files))  # else trust changes nothing
        return f"{count}:{self.vouching.stamp()}" if is_signed else count

    @contextmanager
    def editing(self) -> Iterator[LessonDesk]:
        """Hold the lessons on this machine, after taking in what people changed on the pages.

        Raises: LockHeld, UnavailableError.
        """
        make_folders(self._desk.parent, private=True)
        kept = FactsKept()
        held = locked(self._desk, owner="agentx ltm", clock=self._clock)
        with held, kept.telling():
            desk = LessonDesk(self, kept)
            desk.take_in_edits()
            yield desk
            desk.write_pages()
            replace_file(self._seen, self._looks().encode())

    def is_edited(self) -> bool:
        """Tell, cheaply, whether a page was changed since the pages were last made here."""
        if not is_folder(self._paths.events):
            return False
        try:
            return read_text(self._seen) != self._looks()
        except OSError:
            return True

    def _looks(self) -> str:
        stats = [(path, stat) for path in self._pages() if (stat := look(path))]
        return "\n".join(f"{path}:{stat.st_size}:{stat.st_mtime_ns}" for path, stat in stats)

    def _pages(self) -> list[Path]:
        found = (path for path in walk_files(self._paths.root) if path.suffix in _PAGES)
        return sorted(path for path in found if self._paths.aside not in path.parents)

    # --- events -------------------------------------------------------------------------------

    def append(self, actor: str, changes: Iterable[LessonChange], *, after_ms: int) -> int:
        """Write changes as one file; return how many there were.

        Each is later than `after_ms`, whatever the clock says: what was known when something
        was said of it stands before it, even if it was learnt where the clock is ahead.
        """
        self.vouching.begin()
        begin_ms = max(self._clock.now_ms(), after_ms + 1)
        events = [
            self._event(actor, change, begin_ms + turn) for turn, change in enumerate(changes)
        ]
        if events:
            lay_out(self._project.run_memory)
            if self.vouching.is_asked:
                self._held.put_back()
            name = f"{to_file_name(begin_ms)}-{self._entropy(3).hex()}.jsonl"
            lines = b"".join(json_text.line_of(_line(event)) + b"\n" for event in events)
            replace_file(self._paths.events / actor / name, lines)
            passing(CrashPoint.LESSONS_WRITTEN)
            if self.vouching.is_asked:
                self._held.hold((self._paths.events / actor / name,))
        return len(events)

    def _event(self, actor: str, change: LessonChange, at_ms: int) -> LtmEvent:
        event = LtmEvent(
            id=mint(Millis(at_ms), self._entropy),
            at_ms=Millis(at_ms),
            actor=actor,
            kind=change.kind,
            lesson=change.lesson,
            run=change.run,
            detail=change.detail,
        )
        return self.vouching.sign(event)

    def _files(self, refused: list[Path] | None = None) -> list[Path]:
        return find_files(self._paths.events, depth=1, suffix=".jsonl", refused=refused)

    def _events(self, faults: list[PageFault]) -> Iterator[LtmEvent]:
        refused: list[Path] = []
        files = self._files(refused)
        for path in refused:
            name = str(path.relative_to(self._paths.root))
            faults.append(PageFault(file=name, line=0, reason="a link or no plain file"))
        for file in files:
            name = str(file.relative_to(self._paths.root))
            try:
                lines = read_bytes(file).split(b"\n")
            except OSError as error:
                raise unreadable(file, error) from error
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    try:
                        yield _read(json_text.parse_json(line))
                    except (ValueError, KeyError, TypeError) as error:
                        is_marker = line.decode(errors="replace").startswith(MERGE_MARKS)
                        reason = "a conflict marker of git" if is_marker else f"no event: {error}"
                        faults.append(PageFault(file=name, line=number, reason=reason))

    # --- pages --------------------------------------------------------------------------------

    def pages(self, known: LongTerm) -> dict[Path, str]:
        """Return every page as it should be."""
        made = {}
        for path, page in documents(known).items():
            body = YAML.dump(page).decode()
            made[path] = f"# {_stamp(body)}\n{body}"
        for lesson in known.of_kind(LessonKind.DECISION):
            body = decision_text(lesson)
            made[decision_path(lesson)] = f"{body}\n<!-- {_stamp(body)} -->\n"
        return made

    def on_disk(self, wanted: dict[Path, str]) -> Iterator[_Page]:
        """Yield the pages there are, beside those there should be."""
        for path in self._pages():
            below = path.relative_to(self._paths.root)
            try:
                text = read_text(path, errors="replace")
            except OSError as error:
                raise unreadable(path, error) from error
            stamps = _stamps(text)
            merged = len(stamps) > 1 or any(
                line.startswith(MERGE_MARKS) for line in text.splitlines()
            )
            is_fresh = not merged and bool(stamps) and stamps == _stamps(wanted.get(below, ""))
            yield _Page(path=below, text=text, is_fresh=is_fresh, is_merged=merged)

    def write(self, path: Path, text: str) -> None:
        """Put a page in place."""
        replace_file(self._paths.root / path, text.encode())

    def set_aside(self, page: _Page) -> None:
        """Keep a page as git left it."""
        name = f"{page.path.stem}-{digest(page.text).hex()[:8]}{page.path.suffix}.txt"
        replace_file(self._paths.aside / name, page.text.encode())

    def remove(self, path: Path) -> None:
        """Take away a page that was ours and is no more."""
        remove(self._paths.root / path)


class LessonDesk:
    """The lessons while they are held."""

    def __init__(self, store: LessonStore, kept: FactsKept) -> None:
        self._store = store
        self._kept = kept
        self._unreadable: set[Path] = set()
        self._mixed: set[Path] = set()  # of two pages, by a merge
        self.faults: list[PageFault] = []
        self._load()

    def _load(self) -> None:
        knowledge = self._store.read()
        self.known = knowledge.known
        self._event_faults = list(knowledge.faults)

    def record(self, actor: str, changes: Iterable[LessonChange]) -> int:
        """Add changes; the pages follow when the desk is left."""
        said = tuple(changes)
        if not said:
            return 0
        with self._kept.writing():
            count = self._store.append(actor, said, after_ms=self.known.last_ms)
        if count:
            self._load()
        return count

    def take_in_edits(self) -> None:
        """Make events of what people changed on the pages."""
        self.faults = list(self._event_faults)
        found: list[LessonChange] = []
        fresh: set[Path] = set()
        seen: set[str] = set()
        for page in self._store.on_disk(self._store.pages(self.known)):
            try:
                on_page, is_mixed = _entries(page)
            except ValueError as error:
                line, reason = error.args if len(error.args) == 2 else (1, str(error))
                self.faults.append(PageFault(file=str(page.path), line=line, reason=reason))
                self._unreadable.add(page.path)
                continue
            if is_mixed:
                self._mixed.add(page.path)
            is_fresh = page.is_fresh and not is_mixed
            found += edits(self.known, on_page, is_fresh=is_fresh)
            seen.update(entry.uid for entry in on_page)
            if is_fresh:
                fresh.add(page.path)
        found += deletions(self.known, fresh, seen)
        self.record(HAND, found)

    def write_pages(self) -> None:
        """Make the pages what the events say, leaving those that could not be read."""
        wanted = self._store.pages(self.known)
        there = {page.path: page for page in self._store.on_disk(wanted)}
        for path, text in wanted.items():
            before = there.get(path)
            if path in self._unreadable or (before is not None and before.text == text):
                continue
            if before is not None and (before.is_merged or path in self._mixed):
                self._store.set_aside(before)
            self._store.write(path, text)
            passing(CrashPoint.LESSON_PAGE_WRITTEN)
        for path, page in there.items():
            if path not in wanted and path not in self._unreadable and _STAMP in page.text:
                self._store.remove(path)


def _entries(page: _Page) -> tuple[list[PageEntry], bool]:
    """Return the lessons of a page, and whether a merge mixed two pages in it.

    Raises: ValueError with the line and the reason, or the reason.
    """
    text = "\n".join(line for line in page.text.splitlines() if not line.startswith(MERGE_MARKS))
    if page.path.parent == LtmPaths().decisions:
        # Lines of two decisions are not what anybody decided.
        return ([] if page.is_merged else [decision_entry(text)]), page.is_merged
    if page.path.suffix != ".yaml" or page.path == LtmPaths().metrics:
        return [], page.is_merged
    parsed = YAML.parse(text.encode())
    is_mixed = page.is_merged or isinstance(parsed, Fault)
    told = readings(text.encode()) if isinstance(parsed, Fault) else (parsed,)
    if isinstance(parsed, Fault) and not told and not page.is_merged:
        raise ValueError(parsed.line, parsed.reason)
    found: list[PageEntry] = []
    for each in told:
        try:
            found += entries(page.path, each)
        except ValueError:
            if not is_mixed:
                raise
    hollow = [number for number, entry in enumerate(found, 1) if not entry.content.text]
    # What a merge left of a lesson of ours has its uid; a person's own has none yet.
    is_mixed = is_mixed or any(found[number - 1].uid for number in hollow)
    if hollow and not is_mixed:
        raise ValueError(f"entry {hollow[0]} says nothing")
    return [entry for entry in found if entry.content.text], is_mixed


_STAMP = "AgentX made this page as"


def _stamp(body: str) -> str:
    """Return the line by which a page tells what it was made as."""
    return f"{_STAMP} {digest(body, size=6).hex()}. Edit it freely: changes are taken in."


def _is_signed(file: Path) -> bool:
    try:
        return SIGNED in read_bytes(file)
    except OSError:
        return False


def _stamps(text: str) -> list[str]:
    return [line for line in text.splitlines() if _STAMP in line]


def _line(event: LtmEvent) -> dict[str, Any]:
    line: dict[str, Any] = {
        "v": VERSION,
        "id": event.id,
        "timestamp": to_iso(event.at_ms),
        "actor": event.actor,
        "type": str(event.kind),
    }
    if event.lesson:
        line["lesson"] = event.lesson
    if event.run:
        line["run"] = event.run
    if event.detail:
        line["detail"] = dict(event.detail)
    if event.signature:
        line |= {"writer": event.writer, "key": event.key, "sig": event.signature}
    return line


def _read(value: Any) -> LtmEvent:
    if not isinstance(value, dict) or not is_ulid(str(value.get("id"))):
        raise ValueError("it has no id")
    detail = value.get("detail", {})
    if not isinstance(detail, dict):
        raise TypeError("`detail` must have fields")
    return LtmEvent(
        id=value["id"],
        at_ms=Millis(from_iso(str(value["timestamp"]))),
        actor=str(value.get("actor", "")),
        kind=LtmKind(str(value["type"])),
        lesson=str(value.get("lesson", "")),
        run=str(value.get("run", "")),
        detail=detail,
        writer=str(value.get("writer", "")),
        key=str(value.get("key", "")),
        signature=str(value.get("sig", "")),
    )
