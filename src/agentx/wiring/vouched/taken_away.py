"""Which decisions a person took out of memory: they come back in no checkout of that person's.

    {"question": uid, "salt": ..., "mark": ..., "gone": true, "droppedAt": ...}

Memory is kept for each checkout, and one question may be settled in several. The question is named
for good by the `uid` of what was asked when it was answered, which stays when a merge makes two
questions of a thread (an earlier version: the thread's), and what it had come to by a salted
digest: no word can be read in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agentx.host.files.journal import Journal
from agentx.host.files.plain import look
from agentx.kernel.clock import to_iso
from agentx.kernel.errors import CorruptRecord, UnsafePath
from agentx.kernel.ids import digest
from agentx.kernel.values import frozen
from agentx.observations.ids import agent_name
from agentx.observations.labels import read_said
from agentx.observations.model import Observation
from agentx.project.project import Project
from agentx.redaction.redact import redact

_SALT_BYTES = 16
_MARK_BYTES = 16


@frozen
class _Fate:
    """What a person did with what a question came to."""

    is_gone: bool
    is_dropped: bool = False


_Marks = dict[str, _Fate]  # by salt and mark


class TakenAway:
    """What one user took out of memory, of all their checkouts."""

    def __init__(self, project: Project) -> None:
        self._clock = project.clock
        self._entropy = project.entropy
        self._path = project.data.taken_away
        self._journal = Journal(self._path, project.clock)
        self._seen: tuple[object, dict[str, _Marks]] = (None, {})

    def holds(self, uids: Iterable[str], decision: Observation) -> bool:
        """Tell whether a person took away what a question came to, by any of its uids."""
        return any(fate.is_gone for fate in self._find(uids, decision))

    def has_dropped(self, uids: Iterable[str], decision: Observation) -> bool:
        """Tell whether a person dropped it, in any checkout of theirs."""
        return any(fate.is_dropped for fate in self._find(uids, decision))

    def has_brought_back(self, uids: Iterable[str], decision: Observation) -> bool:
        """Tell whether a person took it away, and brought it back since."""
        found = self._find(uids, decision)
        return bool(found) and not any(fate.is_gone for fate in found)

    def _find(self, uids: Iterable[str], decision: Observation) -> list[_Fate]:
        return [
            fate
            for uid in uids
            for each, fate in self._read().get(uid, {}).items()
            if _is_of(each, uid, decision)
        ]

    def note(
        self,
        outcomes: Iterable[tuple[tuple[str, ...], Observation]],
        *,
        is_gone: bool = True,
        is_dropped: bool = False,
    ) -> None:
        """Note what a person took away, each with the uids of its question, or brought back.

        Raises: UnavailableError, LockHeld.
        """
        lines: list[dict[str, object]] = []
        for uids, decision in outcomes:
            for uid in uids[:1] if is_gone else uids:
                marks = self._read().get(uid, {})
                known = [each for each in marks if _is_of(each, uid, decision)]
                before = marks[known[0]] if known else _Fate(is_gone=False)
                if before.is_gone == is_gone and (before.is_dropped or not is_dropped):
                    continue
                salt = known[0].partition(" ")[0] if known else self._entropy(_SALT_BYTES).hex()
                mark = _mark(salt, uid, decision)
                line = {"question": uid, "salt": salt, "mark": mark, "gone": is_gone}
                at = {"droppedAt": to_iso(self._clock.now_ms())} if is_dropped else {}
                lines.append({**line, **at})
        self._journal.append(lines)

    def _read(self) -> dict[str, _Marks]:
        seen = look(self._path)
        now = seen and (seen.st_ino, seen.st_size, seen.st_mtime_ns)
        if now != self._seen[0]:
            found: dict[str, _Marks] = {}
            try:
                for line in self._journal.records():
                    _add(found, line)
            except UnsafePath:
                raise  # nobody can tell what it says
            except CorruptRecord:
                pass  # what is damaged says nothing from there on
            self._seen = (now, found)
        return self._seen[1] if now else {}


def _add(found: dict[str, _Marks], line: Any) -> None:
    match line:
        case {"question": str(uid), "salt": str(salt), "mark": str(mark), "gone": bool(gone)}:
            fate = _Fate(is_gone=gone, is_dropped=gone and "droppedAt" in line)
            found.setdefault(uid, {})[f"{salt} {mark}"] = fate
        case _:
            pass


def _is_of(known: str, uid: str, decision: Observation) -> bool:
    salt, _, mark = known.partition(" ")
    return mark == _mark(salt, uid, decision)


def _mark(salt: str, uid: str, decision: Observation) -> str:
    said = redact(read_said(decision.content))
    return digest(salt, uid, agent_name(decision.agent), said, size=_MARK_BYTES).hex()
