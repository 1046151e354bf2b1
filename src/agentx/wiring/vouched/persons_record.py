"""By what is known again what people had kept here: memories are files that anybody can write.

    {"begun": true}
    {"id": ..., "salt": ..., "mark": ..., "of": "CLR-1-001"}   a person had it kept
    {"id": ..., "gone": true, "droppedAt": ...}                and took it away; when, if dropped

A mark is a salted digest of the text: no word can be read in it. What lay there before the record
was begun, by an earlier version, is taken over as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from agentx.host.files.atomic import make_private_directory
from agentx.host.files.journal import Journal
from agentx.host.files.plain import look
from agentx.kernel.clock import Millis, from_iso, to_iso
from agentx.kernel.errors import AgentXError, CorruptRecord, UnsafePath
from agentx.kernel.ids import digest
from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.values import frozen
from agentx.observations.model import Dropped, Observation
from agentx.observations.tidying.repeats import say_again
from agentx.project.project import Project
from agentx.wiring.vouched.outcomes import find_question

_SALT_BYTES = 16
_MARK_BYTES = 16


@frozen
class Remembered:
    """What is on record of one memory of a person's."""

    salt: str
    mark: str
    of: str = ""  # the question that it says the outcome of
    is_gone: bool = False  # a person took it away
    dropped_ms: Millis | None = None  # when they dropped it, in any checkout of theirs
    was_gone: bool = False  # at any time


class PersonsRecord:
    """What people had kept in one project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._journal = Journal(project.store.persons, project.clock)
        self._seen: tuple[str, dict[str, Remembered]] = ("", {})
        self._is_damaged = False  # what was read last
        self._now: str | None = None

    @property
    def is_begun(self) -> bool:
        """Whether anything is on record: before, nothing can be held against it."""
        return bool(self.stamp)

    def look_again(self) -> None:
        """Look at the file again when something is asked next."""
        self._now = None

    @property
    def stamp(self) -> str:
        """What changes when the record does; nothing where there is none."""
        if self._now is None:
            seen = look(self._project.store.persons)
            self._now = f"{seen.st_ino} {seen.st_size} {seen.st_mtime_ns}" if seen else ""
        return self._now

    @property
    def known(self) -> dict[str, Remembered]:
        """What is on record, by id; not to be changed.

        Raises: OSError where it cannot be read: that is not nothing.
        """
        now = self.stamp
        if now != self._seen[0]:
            known: dict[str, Remembered] = {}
            self._is_damaged = True  # what is bears nothing out from there on
            try:
                for line in self._journal.records():
                    _add(known, line)
                self._is_damaged = False
            except UnsafePath:
                raise
            except CorruptRecord:
                pass
            self._seen = (now, known)
        return self._seen[1] if now else {}

    def bears_out(self, one: Observation) -> bool:
        """Tell whether a memory is what a person had kept, word for word."""
        found = self.known.get(one.id)
        if found is None:
            return not self.is_begun
        return one.agent == PERSON_ROLE and found.mark == _mark(found.salt, one)

    def holds(self, name: str) -> bool:
        """Tell whether a person had the memory of this id kept, and did not take it away."""
        found = self.known.get(name)
        return found is not None and not found.is_gone

    def begin(
        self, there: Callable[[], Iterable[Observation]], gone: Callable[[], Iterable[Dropped]]
    ) -> None:
        """Begin the record, with what people had kept and dropped; nothing where it is begun.

        Raises: UnavailableError, LockHeld.
        """
        self.look_again()
        if not self.is_begun:
            lines = [*map(self._line, there())]
            names = {line["id"] for line in lines}
            dropped = [
                {"id": each.id, "gone": True, "droppedAt": to_iso(each.at_ms)}
                for each in gone()
                if each.id in names and not each.is_returning
            ]
            self._append([{"begun": True}, *lines, *dropped])

    def keep(self, said: Iterable[Observation]) -> None:
        """Note what a person has kept, before it is.

        Raises: UnavailableError, LockHeld.
        """
        self._append([self._line(one) for one in said])

    def note_gone(
        self, ids: Iterable[str], *, is_gone: bool = True, is_dropped: bool = False
    ) -> None:
        """Note what a person took away, by dropping it or else, or brought back.

        Raises: UnavailableError, LockHeld.
        """
        self.look_again()
        known = self.known
        at = {"droppedAt": to_iso(self._project.clock.now_ms())} if is_dropped else {}
        others = [
            each
            for each in ids
            if (self._is_damaged and each not in known)  # it may be on record all the same
            or (
                each in known
                and (
                    known[each].is_gone != is_gone
                    or (is_dropped and known[each].dropped_ms is None)
                )
            )
        ]
        self._append([{"id": each, "gone": is_gone, **at} for each in others])

    def _append(self, lines: list[dict[str, object]]) -> None:
        if lines:
            make_private_directory(self._project.store.root)
            self._journal.append(lines)
            self.look_again()

    def _line(self, one: Observation) -> dict[str, object]:
        salt, of = self._project.entropy(_SALT_BYTES).hex(), find_question(one)
        said = {"id": one.id, "salt": salt, "mark": _mark(salt, one)}
        return {**said, "of": of} if of else {**said}


def _add(known: dict[str, Remembered], line: Any) -> None:
    name, mark = _take(line, "id"), _take(line, "mark")
    if mark:
        was_gone = name in known and known[name].was_gone
        known[name] = Remembered(
            salt=_take(line, "salt"), mark=mark, of=_take(line, "of"), was_gone=was_gone
        )
    elif name in known:
        is_gone, at_ms = line.get("gone") is not False, None
        with suppress(ValueError, AgentXError):
            at_ms = from_iso(_take(line, "droppedAt")) if is_gone else None
        known[name] = replace(known[name], is_gone=is_gone, dropped_ms=at_ms, was_gone=True)


def _take(line: Any, key: str) -> str:
    found = line.get(key) if isinstance(line, dict) else None
    return found if isinstance(found, str) else ""


def _mark(salt: str, one: Observation) -> str:
    content, summary = say_again(one.content, one.summary, ())  # without when it was seen again
    return digest(salt, one.id, content, summary, size=_MARK_BYTES).hex()
