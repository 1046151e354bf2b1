"""The files of events of one issue: `.agentx/questions/<issue>/<writer>.jsonl`, committed.

A checkout appends only to files that it made, so a merge of two branches is a union of files.
Every line that is an event counts; one that is none is named, with its file and number. So does a
line that git took out of them and that is held in the user's folder.
"""

from __future__ import annotations

import os
from _blake2 import blake2b  # as hashlib has it, which loads OpenSSL first
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path

from agentx.clarification.limits import QUESTION_EVENT_BYTES_MAX, QUESTION_FILE_BYTES_MAX
from agentx.clarification.store.files.held import HeldLines
from agentx.clarification.store.ledger_json import DamagedLedger, UnknownVersion
from agentx.clarification.store.question_events import (
    QuestionEvent,
    QuestionEventKind,
    erase,
    event_of,
    has_words,
    line_of,
)
from agentx.clarification.store.view import JudgedPart
from agentx.clarification.store.vouching.doubts import EventDoubt
from agentx.clarification.ways import DISGUISED
from agentx.host.files import json_text
from agentx.host.files.atomic import replace_file
from agentx.host.files.disk import unreadable
from agentx.host.files.ground import Folder, opening
from agentx.host.files.journal import Journal
from agentx.host.files.merged_lines import TORN, LineFault, parse_line
from agentx.host.files.plain import is_folder, look, read_bytes
from agentx.host.locks.queue import LOCK_WAIT_MS
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import Entropy
from agentx.kernel.roles import is_speaker
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_NAME = compile_late(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.jsonl")
_LOOK_WAIT_MS = 50  # for who only looks: it is held when it is seen next


@frozen
class Placed:
    """An event, and where its line ends."""

    event: QuestionEvent
    file: str
    end: int


@frozen
class EventsFound:
    """What the files of an issue hold."""

    placed: tuple[Placed, ...]
    sizes: Mapping[str, int]
    faults: tuple[str, ...]
    doubts: Mapping[str, EventDoubt]  # of lines whose speaker is none, by id
    judged: Mapping[str, JudgedPart] = field(default_factory=dict)  # all of each, with its digest
    as_judged: Mapping[str, int] = field(default_factory=dict)  # how much is as it was judged
    missing: tuple[QuestionEvent, ...] = ()  # of the events those that are in no file, but held

    @property
    def events(self) -> tuple[QuestionEvent, ...]:
        """Every event."""
        return tuple(each.event for each in self.placed)

    def up_to(self, sizes: Mapping[str, int]) -> tuple[QuestionEvent, ...] | None:
        """Return the events of an earlier moment; None where a file is shorter than it was."""
        if any(self.sizes.get(name, -1) < size for name, size in sizes.items()):
            return None
        return tuple(each.event for each in self.placed if each.end <= sizes.get(each.file, 0))


class QuestionFiles:
    """The events of one issue on disk."""

    def __init__(self, folder: Path, clock: Clock, held: HeldLines | None = None) -> None:
        self._folder = folder
        self._clock = clock
        self._held = held

    def sizes(self) -> dict[str, int]:
        """Return how long each file is.

        Raises: UnavailableError, UnsafePath.
        """
        return {name: seen.st_size for name, seen in self.look().items()}

    def look_at_held(self) -> dict[str, int]:
        """Return how long each file is in which lines are held."""
        found = [] if self._held is None else self._held.list_files()
        return {path.name: seen.st_size for path in found if (seen := look(path)) is not None}

    def look(self) -> dict[str, os.stat_result]:
        """Return what each file looks like.

        Raises: UnavailableError, UnsafePath.
        """
        try:
            with opening(self._folder) as here:
                return look_at_events(here)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise unreadable(self._folder, error) from error

    def read(self, before: Mapping[str, JudgedPart] | None = None) -> EventsFound:
        """Return every event, and every line that is none; `before` is what was judged already.

        Raises: UnknownVersion, UnavailableError, UnsafePath.
        """
        placed: list[Placed] = []
        sizes: dict[str, int] = {}
        faults: list[str] = []
        doubts: dict[str, EventDoubt] = {}
        judged: dict[str, JudgedPart] = {}
        as_judged: dict[str, int] = {}
        for name in sorted(self.look()):
            raw = self._read(name)
            sizes[name] = len(raw)
            judged[name] = _sum_up(raw)
            known = (before or {}).get(name)
            if known is not None and _sum_up(raw[: known.size]) == known:
                as_judged[name] = known.size
            end = 0
            for number, line in enumerate(raw.splitlines(keepends=True), 1):
                end += len(line)
                for event, fault in _read_line(line, _name_writer(name)):
                    if event is not None:
                        placed.append(Placed(event=event, file=name, end=end))
                    elif isinstance(fault, UnknownVersion):
                        where = f"{self._folder / name}: line {number}"
                        raise UnknownVersion(f"{where}: {fault.message}", hint=fault.hint)
                    elif fault != TORN:
                        doubts |= _doubt_speaker(line, _name_writer(name))
                        where = f"{self._folder.name}/{name}"
                        faults.append(str(LineFault(file=where, line=number, reason=str(fault))))
        missing = self._list_missing(each.event for each in placed)
        placed += (Placed(event=each, file=f"{each.writer}.jsonl", end=0) for each in missing)
        return EventsFound(
            placed=tuple(placed),
            sizes=sizes,
            faults=tuple(faults),
            doubts=doubts,
            judged=judged,
            as_judged=as_judged,
            missing=missing,
        )

    def read_about(self, question: str) -> tuple[QuestionEvent, ...]:
        """Return every event of one question; it takes less time than all of them.

        Raises: UnavailableError, UnsafePath.
        """
        found = [each for each in self._find(question.encode()) if each.question == question]
        return (*found, *self._list_missing(found, question.encode()))

    def read_kind(self, kind: QuestionEventKind) -> tuple[QuestionEvent, ...]:
        """Return every event that says one thing, in as little time.

        Raises: UnavailableError, UnsafePath.
        """
        wanted = f'"{kind}"'.encode()
        found = [each for each in self._find(wanted) if each.kind is kind]
        missing = self._list_missing(found, wanted)
        return (*found, *(each for each in missing if each.kind is kind))

    def _find(self, wanted: bytes) -> Iterator[QuestionEvent]:
        for name in sorted(self.look()):
            yield from _find_events(self._read(name).splitlines(), name, wanted)

    def append(self, name: str, events: Iterable[QuestionEvent]) -> bool:
        """Add events to a file of this checkout's; return after they are on disk, if they are held.

        Raises: UnavailableError, LockHeld.
        """
        known = tuple(events)
        Journal(self._folder / name, self._clock).append(map(line_of, known))
        return self.hold(event for event in known if event.signature)

    def hold(self, events: Iterable[QuestionEvent], as_of: Mapping[str, int] | None = None) -> bool:
        """Note lines that somebody vouches for, so that git cannot take them away; tell whether.

        Who looks without the ledger's lock says how long the files were: what changed since may
        be forgotten. What cannot be noted now is noted when it is seen next.
        """
        by_file = _sort_by_file(events)
        if self._held is None or not by_file:
            return True
        wait_ms = LOCK_WAIT_MS if as_of is None else _LOOK_WAIT_MS
        with suppress(AgentXError, OSError), self._held.holding(self._clock, wait_ms):
            if as_of is None or dict(as_of) == self.sizes():
                for name, known in by_file.items():
                    self._hold(self._held.folder / name, known)
            return True
        return False

    def put_back(self) -> None:
        """Write what is held and in no file into its files again.

        Raises: UnavailableError, LockHeld, UnsafePath.
        """
        for name, missing in _sort_by_file(self.read().missing).items():
            self.append(name, missing)

    def read_after(
        self, name: str, before: JudgedPart
    ) -> tuple[JudgedPart, tuple[QuestionEvent, ...]] | None:
        """Return what a file is, and its events after what was judged; None where that changed.

        Raises: UnavailableError, UnsafePath.
        """
        raw = self._read(name)
        if _sum_up(raw[: before.size]) != before:
            return None
        lines = raw[before.size :].splitlines()
        found = (event for line in lines for event, _ in _read_line(line, _name_writer(name)))
        return _sum_up(raw), tuple(each for each in found if each is not None)

    def scrub(self, forgotten: frozenset[str]) -> None:
        """Take the words of forgotten questions out of every file, whoever wrote it.

        Raises: UnavailableError.
        """
        self._rewrite(lambda line, writer: _scrub_line(line, writer, forgotten))

    def change(
        self, wanted: frozenset[str], change: Callable[[QuestionEvent], QuestionEvent]
    ) -> None:
        """Write some events anew that lie there.

        Raises: UnavailableError.
        """
        self._rewrite(lambda line, writer: _change_line(line, writer, wanted, change))

    def _rewrite(self, change: Callable[[bytes, str], bytes]) -> None:
        """Change lines wherever they lie: in the files, and where they are held."""
        for name in sorted(self.look()):
            _rewrite(self._folder / name, change)
        if self._held is not None and is_folder(self._held.folder):
            with self._held.holding(self._clock, LOCK_WAIT_MS):
                for path in self._held.list_files():
                    _rewrite(path, change)

    def _read(self, name: str) -> bytes:
        return _read(self._folder / name)

    def _list_missing(
        self, there: Iterable[QuestionEvent], wanted: bytes = b""
    ) -> tuple[QuestionEvent, ...]:
        """Return what is held and counts and is in no file; `wanted` stands in what matters."""
        if self._held is None:
            return ()
        held: list[QuestionEvent] = []
        for path in self._held.list_files():
            known = frozenset(self._read(path.name).splitlines())
            lines = (line for line in _read(path).splitlines() if line not in known)
            held += _find_events(lines, path.name, wanted)
        return self._held.list_missing(held, there) if held else ()

    def _hold(self, path: Path, events: list[QuestionEvent]) -> None:
        lines = {json_text.line_of(line_of(event)): event for event in events}
        known = frozenset(_read(path).splitlines())
        new = [event for line, event in lines.items() if line not in known]
        Journal(path, self._clock, is_synced=False).append(map(line_of, new))


def _sort_by_file(events: Iterable[QuestionEvent]) -> dict[str, list[QuestionEvent]]:
    found: dict[str, list[QuestionEvent]] = {}
    for event in events:
        found.setdefault(f"{event.writer}.jsonl", []).append(event)
    return found


def _rewrite(path: Path, change: Callable[[bytes, str], bytes]) -> None:
    raw, writer = _read(path), _name_writer(path.name)
    kept = b"".join(change(line, writer) for line in raw.splitlines(keepends=True))
    if kept != raw:
        replace_file(path, kept)


def _read(path: Path) -> bytes:
    try:
        return read_bytes(path)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise unreadable(path, error) from error


def _find_events(lines: Iterable[bytes], name: str, wanted: bytes) -> Iterator[QuestionEvent]:
    """Yield the events of a file's lines in which something stands."""
    for line in lines:
        if wanted in line:
            for event, _ in _read_line(line, _name_writer(name)):
                if event is not None:
                    yield event


def _sum_up(raw: bytes) -> JudgedPart:
    return JudgedPart(len(raw), blake2b(raw, digest_size=16).hexdigest())


UNHELD: Mapping[str, int] = {"": 0}  # is how no folder of held lines looks
NOTHING_JUDGED = _sum_up(b"")


def _name_writer(file: str) -> str:
    return file.removesuffix(".jsonl")


def look_at_events(here: Folder) -> dict[str, os.stat_result]:
    """Return what each file of events in a folder looks like.

    Raises: OSError.
    """
    with os.scandir(here.descriptor) as entries:
        return {
            entry.name: entry.stat(follow_symlinks=False)
            for entry in entries
            if _NAME.fullmatch(entry.name)
        }


def choose_file(mine: str, writer: str, noted: int, size: int, entropy: Entropy) -> str:
    """Return the name of the file to append to: the one that is ours, while it is as we left it.

    One that is shorter was brought back by git to another branch's state: a new one is begun.
    """
    if noted <= size < QUESTION_FILE_BYTES_MAX:
        return mine
    return f"{writer}-{entropy(2).hex()}.jsonl"


def _read_line(
    line: bytes, writer: str
) -> Iterable[tuple[QuestionEvent | None, str | UnknownVersion]]:
    if not line.strip():
        return
    for value, fault in parse_line(line, QUESTION_EVENT_BYTES_MAX):
        if fault:
            yield None, fault
            continue
        try:
            yield event_of(value, writer), ""
        except UnknownVersion as error:
            yield None, error
        except DamagedLedger as error:
            yield None, error.message


def _doubt_speaker(line: bytes, writer: str) -> dict[str, EventDoubt]:
    """Return what a line is that is no event because its speaker only looks like a person."""
    doubts = {}
    for value, _ in parse_line(line, QUESTION_EVENT_BYTES_MAX):
        match value:
            case {"id": str(known), "question": str(question), "by": str(name)} | {
                "id": str(known),
                "question": str(question),
                "from": str(name),
            } if not is_speaker(name):
                doubts[known] = EventDoubt(question=question, writer=writer, why=DISGUISED)
            case _:
                pass
    return doubts


def _scrub_line(line: bytes, writer: str, forgotten: frozenset[str]) -> bytes:
    found = [event for event, _ in _read_line(line, writer) if event is not None]
    words = {event.id for event in found if event.question in forgotten and has_words(event)}
    return _change_line(line, writer, frozenset(words), erase) if words else line


def _change_line(
    line: bytes,
    writer: str,
    wanted: frozenset[str],
    change: Callable[[QuestionEvent], QuestionEvent],
) -> bytes:
    """Return a line with some of its events changed; most lines hold one."""
    found = [event for event, _ in _read_line(line, writer) if event is not None]
    if not any(event.id in wanted for event in found):
        return line
    left = (change(event) if event.id in wanted else event for event in found)
    return b"".join(json_text.line_of(line_of(event)) + b"\n" for event in left)
