"""Answers that were written down beforehand: for demonstrations, and for tests of the hub.

    [{"role": "architect", "contains": "database", "answer": "PostgreSQL, see ADR-7."},
     {"role": "architect", "status": "partial", "answer": "...", "remaining": "which region?"},
     {"fails": "the model is overloaded"}]

The first entry that fits and was not used answers; when all that fit were used, the last
of them answers again. `role` and `contains` may be left out: they fit everything.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from agentx.agents.runners.port import AnswerStanding, Ask, Reply
from agentx.agents.store import read_script_text
from agentx.kernel.errors import AgentUnavailable, InvalidValue
from agentx.kernel.places import ROLE_ALIASES
from agentx.kernel.values import frozen

SCRIPTED = "scripted"


@frozen
class ScriptLine:
    """One entry of a script."""

    answer: str = ""
    role: str = ""
    contains: str = ""
    standing: AnswerStanding = AnswerStanding.RESOLVED
    evidence: tuple[str, ...] = ()
    remaining: str = ""
    fails: str = ""

    def fits(self, ask: Ask) -> bool:
        """Tell whether this entry answers an ask."""
        heard = f"{ask.topic}\n{ask.question}".lower()
        return self.role in ("", ask.role) and self.contains.lower() in heard


class Scripted:
    """A runner that answers from a script."""

    name = SCRIPTED

    def __init__(self, lines: Iterable[ScriptLine]) -> None:
        self._lines = tuple(lines)
        self._used: set[int] = set()
        self.asked: list[Ask] = []

    def run(self, ask: Ask) -> Reply:
        """Answer from the script.

        Raises: AgentUnavailable when nothing fits, or the script says so.
        """
        self.asked.append(ask)
        fitting = [number for number, line in enumerate(self._lines) if line.fits(ask)]
        if not fitting:
            raise AgentUnavailable(
                f"the script has no answer of {ask.role} to {ask.question[:60]!r}",
                hint="add an entry that fits, or one without `role` and `contains`",
            )
        number = next((each for each in fitting if each not in self._used), fitting[-1])
        self._used.add(number)
        line = self._lines[number]
        if line.fails:
            raise AgentUnavailable(f"{ask.role} ({SCRIPTED}) failed: {line.fails}")
        return Reply(
            answer=line.answer,
            standing=line.standing,
            evidence=line.evidence,
            remaining=line.remaining,
            text=line.answer,
            runner=SCRIPTED,
        )


def read_script(path: Path, ground: Path | None = None) -> tuple[ScriptLine, ...]:
    """Read a script from a JSON file.

    Raises: InvalidValue naming the entry.
    """
    try:
        entries = json.loads(read_script_text(path, ground))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidValue(
            f"{path}: is no script: {error}", hint='write a JSON list of {"role", "answer"}'
        ) from error
    if not isinstance(entries, list):
        raise InvalidValue(f"{path}: a list was expected", hint='[{"answer": "..."}]')
    return tuple(_line(path, number, entry) for number, entry in enumerate(entries, start=1))


def _line(path: Path, number: int, entry: object) -> ScriptLine:
    if not isinstance(entry, dict):
        raise InvalidValue(f"{path}: entry {number} is no object", hint='{"answer": "..."}')
    known = {"role", "contains", "answer", "status", "evidence", "remaining", "fails"}
    unknown = sorted(set(entry) - known)
    if unknown:
        raise InvalidValue(
            f"{path}: entry {number} has {unknown[0]!r}", hint=f"known: {', '.join(sorted(known))}"
        )
    if not (entry.get("answer") or entry.get("fails")):
        raise InvalidValue(f"{path}: entry {number} has no answer", hint='add "answer" or "fails"')
    try:
        standing = AnswerStanding(entry.get("status", AnswerStanding.RESOLVED))
    except ValueError:
        raise InvalidValue(
            f"{path}: entry {number} has the status {entry['status']!r}",
            hint=f"one of: {', '.join(AnswerStanding)}",
        ) from None
    role = str(entry.get("role", ""))
    return ScriptLine(
        answer=str(entry.get("answer", "")),
        role=ROLE_ALIASES.get(role, role),
        contains=str(entry.get("contains", "")),
        standing=standing,
        evidence=tuple(str(item) for item in entry.get("evidence", ())),
        remaining=str(entry.get("remaining", "")),
        fails=str(entry.get("fails", "")),
    )
