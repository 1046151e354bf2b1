"""Which lines of a session's file are copies out of another session's file.

`claude --resume --fork-session` writes the lines of the session that it goes on from into a new
file, under the new session's id, with their own uuids and times; nothing marks them. (`/branch`
marks each by `forkedFrom`.) They happened once, so one file tells them, and the others pass over
what they share with it:

    of the files that hold a line, one that was begun after it (something above it is newer) is a
    fork, and so is one that gives its first line the prompt id of what it went on with;
    of the rest, held against each other, the one that went on last, or not at all, is where
    it was said

A copy has the uuid, the time and the words of what it is a copy of: a uuid alone is no proof.

Law: of the files as they are, exactly one tells each line; and the same one tells it later, if
the fork shows itself or goes on before the session that it came from does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentx.adapters.folders import files_in, transcript_at
from agentx.adapters.lines import json_lines, read_start
from agentx.adapters.port import Damaged
from agentx.adapters.shapes import json_text, limit_id, millis
from agentx.kernel.capture import Harness
from agentx.kernel.ids import hash_text, spell
from agentx.kernel.values import frozen

_PROJECTS = "projects"
_SUBAGENT = "agent-"
_HEAD_BYTES = 64 * 1024
_UUID = re.compile(rb'[{,]\s*"uuid"\s*:\s*"([^"\\]{1,80})"')
_NEVER = 1 << 62
_FOLDERS_MAX = 50


# How the sessions of a folder begin: a file keeps its first line for good.
_folders: dict[Path, dict[Path, bytes]] = {}


@frozen
class CopiedLines:
    """The lines of a file that another one tells, by their prints, and the session of that one."""

    prints: frozenset[bytes] = frozenset()
    session_id: str = ""

    def has(self, line: Mapping[str, Any]) -> bool:
        """Tell whether a line is one of them."""
        return bool(self.prints) and _print_line(line) in self.prints


@frozen
class _HeldLines:
    """What a file holds."""

    path: Path
    modified_ms: int
    times: dict[bytes, int]  # of its lines, each by its print, in their order
    prompts: dict[bytes, str]  # the prompt ids of those that have one
    is_begun_later: bool  # than its first line was said

    def rank(self, common: frozenset[bytes]) -> tuple[bool, int, int, str]:
        """Return its rank among those that hold the same lines: the first tells them."""
        own = next((each for each in self.times if each not in common), b"")
        prompt = next((at for each, at in self.prompts.items() if each not in common), "")
        is_restamped = bool(prompt) and next(iter(self.prompts.values())) == prompt
        is_fork = self.is_begun_later or is_restamped
        return is_fork, -self.times.get(own, _NEVER), self.modified_ms, self.path.name


def find_copied(path: Path) -> CopiedLines:
    """Return the lines of a session's file that another session's file tells. Never raises."""
    alike = [path, *_list_alike(path)] if _is_kept_by_cli(path) else []
    if len(alike) < 2:
        return CopiedLines()
    held = [_read_held(each) for each in alike]
    homes: dict[frozenset[Path], Path] = {}
    found: set[bytes] = set()
    told_by: list[Path] = []
    for line in held[0].times:
        holders = [each for each in held if line in each.times]
        key = frozenset(each.path for each in holders)
        if key not in homes:
            homes[key] = _find_home(holders)
        if homes[key] != path:
            found.add(line)
            told_by.append(homes[key])
    return CopiedLines(prints=frozenset(found), session_id=told_by[-1].stem if told_by else "")


def _is_kept_by_cli(path: Path) -> bool:
    """Tell whether a file lies where all of its like are read, and not alone."""
    return path.parent.parent.name == _PROJECTS and _is_session(path)


def _list_alike(path: Path) -> list[Path]:
    """Return the other sessions of the folder that begin with the same line.

    The folder is listed each time: its time does not tell of a file made within the same moment.
    """
    folder = path.parent
    if folder not in _folders and len(_folders) >= _FOLDERS_MAX:
        _folders.clear()
    first_of = _folders.setdefault(folder, {})
    listed = [each for each in files_in(folder, 0) if _is_session(each)]
    for each in listed:
        if each not in first_of and (first := _UUID.search(read_start(each, _HEAD_BYTES))):
            first_of[each] = first[1]
    own = first_of.get(path)
    return [each for each in listed if own and each != path and first_of.get(each) == own]


def _is_session(path: Path) -> bool:
    return path.suffix == ".jsonl" and not path.name.startswith(_SUBAGENT)


def _read_modified(path: Path) -> int:
    known = transcript_at(path, Harness.CLAUDE_CODE, working_directory="", session_id="")
    return known.modified_ms if known is not None else 0


def _read_held(path: Path) -> _HeldLines:
    times: dict[bytes, int] = {}
    prompts: dict[bytes, str] = {}
    above, is_begun_later = 0, False
    for found in json_lines(path):
        if isinstance(found, Damaged):
            continue
        line = found[1]
        own, at_ms = _print_line(line), millis(line.get("timestamp")) or 0
        if own:
            is_begun_later |= not times and at_ms < above
            times.setdefault(own, at_ms)
            if prompt := limit_id(line.get("promptId")):
                prompts.setdefault(own, prompt)
        elif not times:
            above = max(above, at_ms)
    return _HeldLines(
        path=path,
        modified_ms=_read_modified(path),
        times=times,
        prompts=prompts,
        is_begun_later=is_begun_later,
    )


def _print_line(line: Mapping[str, Any]) -> bytes:
    """Return what a line has in common with its copies alone; nothing where it has no uuid."""
    uuid = limit_id(line.get("uuid"))
    if not uuid:
        return b""
    said = json_text(line.get("message"))
    return hash_text(spell(uuid, str(line.get("timestamp")), str(line.get("type")), said))


def _find_home(holders: Sequence[_HeldLines]) -> Path:
    """Return which of the files that hold some lines tells them.

    Two are compared by what they share, so that a fork of a fork is held against its own.
    """
    first, *others = sorted(holders, key=lambda one: one.path.name)
    for other in others:
        common = frozenset(first.times).intersection(other.times)
        first = min(first, other, key=lambda one: one.rank(common))
    return first.path
