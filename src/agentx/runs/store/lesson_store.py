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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentx.host import json_text
from agentx.host.atomic import replace_file
from agentx.host.disk import unreadable
from agentx.host.document import Fault
from agentx.host.lock import locked
from agentx.host.yaml_file import YAML
from agentx.kernel.clock import Clock, Millis, from_iso, to_iso
from agentx.kernel.crash import CrashPoint, passing
from agentx.kernel.ids import Entropy, digest, is_ulid, mint
from agentx.kernel.paths import LtmPaths, ProjectPaths, StorePaths
from agentx.runs.catalogue import stamp_name
from agentx.runs.ltm.folding import fold
from agentx.runs.ltm.hand_edits import HAND, deletions, edits
from agentx.runs.ltm.model import PATTERNS, LessonKind, LongTerm, LtmEvent, LtmKind
from agentx.runs.ltm.pages import (
    PATTERN_PAGES,
    PageEntry,
    decision_entry,
    decision_path,
    decision_text,
    documents,
    entries,
)
from agentx.runs.ltm.promotion import Change

VERSION = 1
_MARKERS = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFault:
    """A file, or a line of it, that could not be read, and why."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}: line {self.line}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """What is known, and what could not be read."""

    known: LongTerm
    faults: tuple[PageFault, ...] = ()


@dataclass(frozen=True, slots=True)
class _Page:
    """A page as it lies on disk."""

    path: Path  # below the folder of long-term memory
    text: str
    is_fresh: bool
    is_merged: bool


class LessonStore:
    """The lessons of one project."""

    def __init__(
        self, project: ProjectPaths, store: StorePaths, clock: Clock, entropy: Entropy
    ) -> None:
        self._paths = project.lessons
        self._desk = store.lesson_desk
        self._clock = clock
        self._entropy = entropy

    def read(self) -> Knowledge:
        """Return what is known, by the events alone.

        Raises: UnavailableError when a file cannot be read.
        """
        faults: list[PageFault] = []
        return Knowledge(known=fold(self._events(faults)), faults=tuple(faults))

    def stamp(self) -> str:
        """Return a text that changes when events are added."""
        stats = [file.stat() for file in self._files()]
        return f"{len(stats)}:{sum(stat.st_size for stat in stats)}"

    @contextmanager
    def editing(self) -> Iterator[LessonDesk]:
        """Hold the lessons on this machine, after taking in what people changed on the pages.

        Raises: LockHeld, UnavailableError.
        """
        self._desk.parent.mkdir(parents=True, exist_ok=True)
        with locked(self._desk, owner="agentx ltm", clock=self._clock):
            desk = LessonDesk(self)
            desk.take_in_edits()
            yield desk
            desk.write_pages()

    # --- events -------------------------------------------------------------------------------

    def append(self, actor: str, changes: Iterable[Change]) -> int:
        """Write changes as one file; return how many there were."""
        events = [self._event(actor, change) for change in changes]
        if events:
            now_ms = self._clock.now_ms()
            name = f"{stamp_name(now_ms)}-{self._entropy(3).hex()}.jsonl"
            lines = b"".join(json_text.line_of(_line(event)) + b"\n" for event in events)
            replace_file(self._paths.events / actor / name, lines)
            passing(CrashPoint.LESSONS_WRITTEN)
        return len(events)

    def _event(self, actor: str, change: Change) -> LtmEvent:
        now_ms = self._clock.now_ms()
        return LtmEvent(
            id=mint(now_ms, self._entropy),
            at_ms=now_ms,
            actor=actor,
            kind=change.kind,
            lesson=change.lesson,
            run=change.run,
            detail=change.detail,
        )

    def _files(self) -> list[Path]:
        return sorted(self._paths.events.glob("*/*.jsonl"))

    def _events(self, faults: list[PageFault]) -> Iterator[LtmEvent]:
        for file in self._files():
            name = str(file.relative_to(self._paths.root))
            try:
                lines = file.read_bytes().split(b"\n")
            except OSError as error:
                raise unreadable(file, error) from error
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    try:
                        yield _read(json_text.parsed(line))
                    except (ValueError, KeyError, TypeError) as error:
                        faults.append(
                            PageFault(file=name, line=number, reason=f"no event: {error}")
                        )

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
        for path in sorted(
            (*self._paths.root.glob("**/*.yaml"), *self._paths.root.glob("**/*.md"))
        ):
            below = path.relative_to(self._paths.root)
            if self._paths.aside in path.parents:
                continue
            try:
                text = path.read_text(encoding="utf-8", errors="replace")
            except OSError as error:
                raise unreadable(path, error) from error
            stamps = _stamps(text)
            merged = len(stamps) > 1 or any(line.startswith(_MARKERS) for line in text.splitlines())
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
        (self._paths.root / path).unlink(missing_ok=True)


class LessonDesk:
    """The lessons while they are held."""

    def __init__(self, store: LessonStore) -> None:
        self._store = store
        self._unreadable: set[Path] = set()
        self.faults: list[PageFault] = []
        self._load()

    def _load(self) -> None:
        knowledge = self._store.read()
        self.known = knowledge.known
        self._event_faults = list(knowledge.faults)

    def record(self, actor: str, changes: Iterable[Change]) -> int:
        """Add changes; the pages follow when the desk is left."""
        count = self._store.append(actor, changes)
        if count:
            self._load()
        return count

    def take_in_edits(self) -> None:
        """Make events of what people changed on the pages."""
        self.faults = list(self._event_faults)
        found: list[Change] = []
        fresh: dict[LessonKind, set[str]] = {}
        for page in self._store.on_disk(self._store.pages(self.known)):
            try:
                on_page = list(_entries(page))
            except ValueError as error:
                line, reason = error.args if len(error.args) == 2 else (1, str(error))
                self.faults.append(PageFault(file=str(page.path), line=line, reason=reason))
                self._unreadable.add(page.path)
                continue
            found += edits(self.known, on_page, is_fresh=page.is_fresh)
            if page.is_fresh:
                _note_left(page, on_page, fresh)
        found += deletions(self.known, fresh.items())
        self.record(HAND, found)

    def write_pages(self) -> None:
        """Make the pages what the events say, leaving those that could not be read."""
        wanted = self._store.pages(self.known)
        there = {page.path: page for page in self._store.on_disk(wanted)}
        for path, text in wanted.items():
            before = there.get(path)
            if path in self._unreadable or (before is not None and before.text == text):
                continue
            if before is not None and before.is_merged:
                self._store.set_aside(before)
            self._store.write(path, text)
            passing(CrashPoint.LESSON_PAGE_WRITTEN)
        for path, page in there.items():
            if path not in wanted and path not in self._unreadable and _STAMP in page.text:
                self._store.remove(path)


def _note_left(page: _Page, on_page: list[PageEntry], fresh: dict[LessonKind, set[str]]) -> None:
    """Note which lessons are still on a fresh page of a kind that has one page only."""
    for kind in (*PATTERNS, LessonKind.DEBT):
        place = PATTERN_PAGES.get(kind, LtmPaths().debt)
        if page.path == place:
            fresh[kind] = {entry.uid for entry in on_page}


def _entries(page: _Page) -> Iterator[PageEntry]:
    """Yield the lessons of a page.

    Raises: ValueError with the line and the reason, or the reason.
    """
    text = "\n".join(line for line in page.text.splitlines() if not line.startswith(_MARKERS))
    if page.path.parent == LtmPaths().decisions:
        yield decision_entry(text)
        return
    if page.path.suffix != ".yaml" or page.path == LtmPaths().metrics:
        return
    parsed = YAML.parse(text.encode())
    if isinstance(parsed, Fault):
        if page.is_merged:
            return  # nothing of a person's can be told apart: it is kept aside and made again
        raise ValueError(parsed.line, parsed.reason)
    yield from entries(page.path, parsed)


_STAMP = "AgentX made this page as"


def _stamp(body: str) -> str:
    """Return the line by which a page tells what it was made as."""
    return f"{_STAMP} {digest(body, size=6).hex()}. Edit it freely: changes are taken in."


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
    )
