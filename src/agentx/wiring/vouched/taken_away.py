"""Which decisions a person took out of memory: they come back in no checkout of that person's.

    {"question": uid, "salt": ..., "mark": ..., "gone": true}

Memory is kept for each checkout, and one question may be settled in several. The question is named
for good by its `uid`, and what it had come to by a salted digest: no word can be read in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from agentx.host.files.journal import Journal
from agentx.host.files.plain import look
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import digest
from agentx.observations.ids import agent_name
from agentx.observations.model import Observation
from agentx.project.project import Project
from agentx.redaction.redact import redact
from agentx.wiring.vouched.outcomes import read_said

_SALT_BYTES = 16
_MARK_BYTES = 16
_Marks = dict[str, bool]  # by salt and mark, whether it is gone


class TakenAway:
    """What one user took out of memory, of all their checkouts."""

    def __init__(self, project: Project) -> None:
        self._entropy = project.entropy
        self._path = project.data.taken_away
        self._journal = Journal(self._path, project.clock)
        self._seen: tuple[object, dict[str, _Marks]] = (None, {})

    def holds(self, uid: str, decision: Observation) -> bool:
        """Tell whether a person took away what a question came to."""
        marks = self._read().get(uid, {})
        return any(gone and _is_of(each, uid, decision) for each, gone in marks.items())

    def note(self, outcomes: Iterable[tuple[str, Observation]], *, is_gone: bool = True) -> None:
        """Note what a person took away, each with its question, or brought back.

        Raises: UnavailableError, LockHeld.
        """
        lines: list[dict[str, object]] = []
        for uid, decision in outcomes:
            known = [each for each in self._read().get(uid, {}) if _is_of(each, uid, decision)]
            salt = known[0].partition(" ")[0] if known else self._entropy(_SALT_BYTES).hex()
            if known or is_gone:
                mark = _mark(salt, uid, decision)
                lines.append({"question": uid, "salt": salt, "mark": mark, "gone": is_gone})
        self._journal.append(lines)

    def _read(self) -> dict[str, _Marks]:
        seen = look(self._path)
        now = seen and (seen.st_ino, seen.st_size, seen.st_mtime_ns)
        if now != self._seen[0]:
            found: dict[str, _Marks] = {}
            with suppress(AgentXError):  # what is damaged says nothing from there on
                for line in self._journal.records():
                    _add(found, line)
            self._seen = (now, found)
        return self._seen[1] if now else {}


def _add(found: dict[str, _Marks], line: Any) -> None:
    match line:
        case {"question": str(uid), "salt": str(salt), "mark": str(mark), "gone": bool(gone)}:
            found.setdefault(uid, {})[f"{salt} {mark}"] = gone
        case _:
            pass


def _is_of(known: str, uid: str, decision: Observation) -> bool:
    salt, _, mark = known.partition(" ")
    return mark == _mark(salt, uid, decision)


def _mark(salt: str, uid: str, decision: Observation) -> str:
    said = redact(read_said(decision))
    return digest(salt, uid, agent_name(decision.agent), said, size=_MARK_BYTES).hex()
