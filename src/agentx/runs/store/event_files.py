"""The events of a run: files of JSON lines, one folder an actor, read whatever git made of them.

    events/<actor>/<stamp>-<writer>.jsonl
    lanes/<lane>/events/<actor>/<stamp>-<writer>.jsonl

A writer appends only to files that it made, so a merge of two branches is a union of
files. Readers take every line that is an event and name every one that is not, with
its file and line; they never write. `repair` moves aside what cannot be read at all and
leaves what it merely does not understand: a newer version may.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from agentx.host.crash import CrashPoint, passing
from agentx.host.files import json_text
from agentx.host.files.atomic import replace_file
from agentx.host.files.below.finding import ANY, find_on_way, look_on_way
from agentx.host.files.disk import refusal_of, unreadable
from agentx.host.files.ground import make_folders
from agentx.host.files.journal import Journal
from agentx.host.files.merged_lines import LineFault, parse_line, read_lines
from agentx.host.files.plain import is_file, list_folder, look, read_bytes
from agentx.host.system import SystemClock
from agentx.kernel.clock import Clock, to_file_name
from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import Entropy, RunId, digest, parse_run_id
from agentx.kernel.values import frozen
from agentx.runs.limits import RUN_EVENT_BYTES_MAX, RUN_EVENT_FILE_BYTES_MAX
from agentx.runs.model import RunEvent
from agentx.runs.paths import RunPaths
from agentx.runs.rules.lines import event_of, line_of

_SUFFIX = ".jsonl"
_KEPT_BYTES_MAX = 4_096  # of longer lines few are kept
_LINES_KEPT_MAX = 4_096
_TICK_MS = 50


@frozen
class EventsRead:
    """What the files of a run hold."""

    events: tuple[RunEvent, ...]
    faults: tuple[LineFault, ...]
    unsound: tuple[Path, ...] = ()  # files in which more stands than an event a line


def list_runs(folder: Path) -> tuple[RunId, ...]:
    """Return the runs that lie in a folder, newest first.

    Raises: UnavailableError where nobody can tell.
    """
    found: list[RunId] = []
    try:
        names = list_folder(folder).folders
    except OSError as error:
        raise unreadable(folder, error) from error
    for name in names:
        with suppress(InvalidValue):
            found.append(parse_run_id(name))
    return tuple(sorted(found, reverse=True))


def event_files(paths: RunPaths, refused: list[Path] | None = None) -> list[Path]:
    """Return every file of events, in a fixed order; `refused` takes links and the like."""
    return [
        file
        for folder, way in _ways(paths)
        for file in find_on_way(folder, way, suffix=_SUFFIX, refused=refused)
    ]


class FilesLook(NamedTuple):
    """The files of events as they were looked at, in a fixed order."""

    files: tuple[tuple[str, os.stat_result], ...]
    refused: tuple[Path, ...]  # links and the like

    @property
    def stamp(self) -> str:
        """A text that changes when events are added: sizes and times of their files."""
        stats = [seen for _, seen in self.files]
        newest = max((each.st_mtime_ns for each in stats), default=0)
        return f"{len(stats)}:{sum(each.st_size for each in stats)}:{newest}"


def look_at_event_files(paths: RunPaths) -> FilesLook:
    """Return every file of events, each with what is known of it; none is read."""
    refused: list[Path] = []
    files = tuple(
        found
        for folder, way in _ways(paths)
        for found in look_on_way(folder, way, suffix=_SUFFIX, refused=refused)
    )
    return FilesLook(files=files, refused=tuple(refused))


def _ways(paths: RunPaths) -> tuple[tuple[Path, tuple[str, ...]], ...]:
    events = paths.events()
    return (events, (ANY,)), (paths.lanes, (ANY, events.name, ANY))


def read_events(paths: RunPaths, run_id: str, look: FilesLook | None = None) -> EventsRead:
    """Return every event of a run, and every line that is none; of its files as they were seen.

    Raises: UnavailableError when a file cannot be read.
    """
    events: list[RunEvent] = []
    faults: list[LineFault] = []
    unsound: list[Path] = []
    look = look_at_event_files(paths) if look is None else look
    for path in look.refused:
        where = str(path.relative_to(paths.root))
        faults.append(LineFault(file=where, line=0, reason="a link or no plain file"))
    for file, seen in look.files:
        read = _read_file(file, seen, run_id)
        if not read.is_sound:
            unsound.append(Path(file))
        for number, found in read.lines:
            if isinstance(found, RunEvent):
                events.append(found)
                continue
            name = str(Path(file).relative_to(paths.root))
            faults.append(LineFault(file=name, line=number, reason=found))
    return EventsRead(events=tuple(events), faults=tuple(faults), unsound=tuple(unsound))


class _FileRead(NamedTuple):
    """What each line of a file holds; where that is an event each, the file is sound."""

    lines: tuple[tuple[int, RunEvent | str], ...]
    is_sound: bool


_Stamp = tuple[int, int, int, int]


class _FilesKept:
    """What was read of files last, while they are as they were; of many nothing is kept."""

    def __init__(self) -> None:
        self._files: dict[tuple[str, str], tuple[_Stamp, _FileRead]] = {}
        self._lines = 0

    def find(self, name: tuple[str, str], stamp: _Stamp) -> _FileRead | None:
        """Return what was read of a file as it is."""
        known = self._files.get(name)
        return known[1] if known is not None and known[0] == stamp else None

    def keep(self, name: tuple[str, str], stamp: _Stamp, read: _FileRead) -> None:
        """Keep what was read of a file."""
        if self._lines > _LINES_KEPT_MAX:
            self._files, self._lines = {}, 0
        self._lines += len(read.lines)
        self._files[name] = stamp, read


_files = _FilesKept()


def _read_file(path: str, seen: os.stat_result, run_id: str) -> _FileRead:
    """Return what each line of a file holds; who follows a run reads its files often."""
    stamp = (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
    known = _files.find((path, run_id), stamp)
    if known is not None:
        return known
    # Within one tick of the clock a file can change and look the same.
    is_settled = SystemClock().now_ms() - seen.st_ctime_ns // 1_000_000 > _TICK_MS
    lines: list[tuple[int, RunEvent | str]] = []
    is_sound = True
    for number, line in read_lines(Path(path)):
        before = len(lines)
        lines += ((number, found) for found in _read(line, run_id))
        is_event = len(lines) == before + 1 and isinstance(lines[-1][1], RunEvent)
        is_sound = is_sound and is_event and line.endswith(b"\n")
    read = _FileRead(lines=tuple(lines), is_sound=is_sound)
    if is_settled:
        _files.keep((path, run_id), stamp, read)
    return read


def events_in(text: bytes, run_id: str) -> Iterator[RunEvent]:
    """Yield the events that stand in the text of a file; what is none is stepped over."""
    for line in text.splitlines(keepends=True):
        for found in _read(line, run_id):
            if isinstance(found, RunEvent):
                yield found


def _read(line: bytes, run_id: str) -> Iterable[RunEvent | str]:
    """Return each event of a line, or why it is none; who follows a run reads its lines often."""
    return (_read_long if len(line) > _KEPT_BYTES_MAX else _read_kept)(line, run_id)


@lru_cache(maxsize=2_048)
def _read_kept(line: bytes, run_id: str) -> tuple[RunEvent | str, ...]:
    return tuple(_parse(line, run_id))


@lru_cache(maxsize=4)
def _read_long(line: bytes, run_id: str) -> tuple[RunEvent | str, ...]:
    return tuple(_parse(line, run_id))


def _parse(line: bytes, run_id: str) -> Iterator[RunEvent | str]:
    for raw, fault in parse_line(line, RUN_EVENT_BYTES_MAX) if line.strip() else ():
        if fault:
            yield fault
            continue
        try:
            event = event_of(raw)
        except InvalidValue as error:
            yield error.message
            continue
        ours = event.run == run_id
        yield event if ours else f"belongs to the run {event.run[:80]!r}"


def repair(paths: RunPaths, files: Iterable[Path]) -> list[str]:
    """Take out of files what cannot be read, after keeping it aside; say what was done.

    Raises: UnavailableError.
    """
    done: list[str] = []
    for file in files:
        good: list[bytes] = []
        bad: list[bytes] = []
        for _, line in read_lines(file):
            parsed = parse_line(line, RUN_EVENT_BYTES_MAX)
            if any(fault for _, fault in parsed):
                bad.append(line)
            elif len(parsed) > 1 or not line.endswith(b"\n"):
                good += [json_text.line_of(value) + b"\n" for value, _ in parsed]
            else:
                good.append(line)
        whole = b"".join(good)
        if whole == read_bytes(file):
            continue
        name = str(file.relative_to(paths.root))
        if bad:
            kept = b"".join(bad)
            # Named by what it holds: dying here and coming again keeps one copy.
            aside = paths.aside / f"{file.stem}-{digest(name, repr(kept)).hex()[:8]}.txt"
            replace_file(aside, kept)
            passing(CrashPoint.RUN_DAMAGE_COPIED)
            where = aside.relative_to(paths.root)
            lines = "1 unreadable line" if len(bad) == 1 else f"{len(bad)} unreadable lines"
            done.append(f"{name}: {lines} moved to {where}")
        else:
            done.append(f"{name}: lines that were glued together are apart")
        replace_file(file, whole)
    return done


class EventWriter:
    """Appends the events of this checkout, to files that this checkout made.

    `notes` is what the machine remembers of them, kept outside of the checkout: a file that
    is now shorter than it was left was brought back by git to another branch's state, and a
    new one is begun.
    """

    def __init__(
        self, paths: RunPaths, notes: dict[str, dict[str, object]], clock: Clock, entropy: Entropy
    ) -> None:
        self._paths = paths
        self._notes = notes
        self._clock = clock
        self._entropy = entropy

    def append(self, events: tuple[RunEvent, ...]) -> None:
        """Add events that belong together, at once; return after they are on disk.

        Raises: UnavailableError.
        """
        first = events[0]
        file = self._file(first)
        try:
            make_folders(file.parent, private=True)
        except OSError as error:
            raise refusal_of(file.parent, error) from error
        Journal(file, self._clock).append(line_of(event) for event in events)
        passing(CrashPoint.RUN_EVENTS_WRITTEN)
        self._notes[_key(first)] = {"file": file.name, "bytes": _size(file)}

    def _file(self, event: RunEvent) -> Path:
        folder = self._paths.events(event.lane) / event.actor
        noted = self._notes.get(_key(event), {})
        name, size = noted.get("file"), noted.get("bytes")
        if isinstance(name, str) and isinstance(size, int) and size < RUN_EVENT_FILE_BYTES_MAX:
            file = folder / Path(name).name
            if is_file(file) and _size(file) >= size:
                return file
        writer = self._entropy(3).hex()
        return folder / f"{to_file_name(self._clock.now_ms())}-{writer}.jsonl"


def _size(file: Path) -> int:
    found = look(file)
    return 0 if found is None else found.st_size


def _key(event: RunEvent) -> str:
    return f"{event.lane}/{event.actor}"
