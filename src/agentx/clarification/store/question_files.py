"""The files of events of one issue: `.agentx/questions/<issue>/<writer>.jsonl`, committed.

A checkout appends only to files that it made, so a merge of two branches is a union of files.
Every line that is an event counts; one that is none is named, with its file and number.
"""

from __future__ import annotations

import os
from _blake2 import blake2b  # as hashlib has it, which loads OpenSSL first
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import Path

from agentx.clarification.limits import QUESTION_EVENT_BYTES_MAX, QUESTION_FILE_BYTES_MAX
from agentx.clarification.store.ledger_json import DamagedLedger, UnknownVersion
from agentx.clarification.store.question_events import (
    QuestionEvent,
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
from agentx.host.files.plain import exists, read_bytes
from agentx.kernel.clock import Clock
from agentx.kernel.ids import Entropy
from agentx.kernel.roles import is_speaker
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_NAME = compile_late(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.jsonl")
_ATTRIBUTES = b"# Written by AgentX. Events are facts that only grow.\n*.jsonl merge=union\n"


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

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock

    def sizes(self) -> dict[str, int]:
        """Return how long each file is.

        Raises: UnavailableError, UnsafePath.
        """
        return {name: seen.st_size for name, seen in self.look().items()}

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
        return EventsFound(
            placed=tuple(placed),
            sizes=sizes,
            faults=tuple(faults),
            doubts=doubts,
            judged=judged,
            as_judged=as_judged,
        )

    def read_about(self, question: str) -> tuple[QuestionEvent, ...]:
        """Return every event of one question; it takes less time than all of them.

        Raises: UnavailableError, UnsafePath.
        """
        wanted = question.encode()
        found = (
            event
            for name in sorted(self.look())
            for line in self._read(name).splitlines()
            if wanted in line
            for event, _ in _read_line(line, _name_writer(name))
        )
        return tuple(each for each in found if each is not None and each.question == question)

    def append(self, name: str, events: Iterable[QuestionEvent]) -> None:
        """Add events to a file of this checkout's; return after they are on disk.

        Raises: UnavailableError, LockHeld.
        """
        attributes = self._folder.parent / ".gitattributes"
        if not exists(attributes):
            replace_file(attributes, _ATTRIBUTES, mode=0o644)
        Journal(self._folder / name, self._clock).append(map(line_of, events))

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
        for name in sorted(self.look()):
            raw = self._read(name)
            kept = b"".join(
                _scrub_line(line, _name_writer(name), forgotten)
                for line in raw.splitlines(keepends=True)
            )
            if kept != raw:
                replace_file(self._folder / name, kept)

    def change(
        self, wanted: frozenset[str], change: Callable[[QuestionEvent], QuestionEvent]
    ) -> None:
        """Write some events anew that lie there.

        Raises: UnavailableError.
        """
        for name in sorted(self.look()):
            raw, writer = self._read(name), _name_writer(name)
            kept = b"".join(
                _change_line(line, writer, wanted, change) for line in raw.splitlines(keepends=True)
            )
            if kept != raw:
                replace_file(self._folder / name, kept)

    def _read(self, name: str) -> bytes:
        try:
            return read_bytes(self._folder / name)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise unreadable(self._folder / name, error) from error


def _sum_up(raw: bytes) -> JudgedPart:
    return JudgedPart(len(raw), blake2b(raw, digest_size=16).hexdigest())


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
