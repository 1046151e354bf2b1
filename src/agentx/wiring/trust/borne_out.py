"""Which memories of questions were found to be told just as they lie, and what that hung on.

A command judges thousands of memories, and most of them as the one before it did. What was found is
noted in the project's store with what every file looked like that has a say in it: the ledger of
the question, its issue, whose words count, what people had kept. Where any of these looks otherwise
the memories of that issue are judged again. Only what is told as it lies is noted, by a salted
digest; whatever is marked, withheld or nobody's is judged each time. A lost note costs time alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

import msgspec

from agentx import __version__
from agentx.clarification.store.files.stamps import Stamp, list_stamps
from agentx.host.files.atomic import replace_file
from agentx.host.files.ground import opening
from agentx.host.files.plain import is_folder, look, read_bytes
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import digest
from agentx.observations.model import Observation
from agentx.project.project import Project
from agentx.wiring.trust.keys import open_keyring
from agentx.wiring.work import is_github

# Raised where memories are judged otherwise than before.
RULES = 3
_SETTLED_MS = 2_000  # a file may change again within the same tick of the disk's clock
_SALT_BYTES, _MARK_BYTES = 16, 12
_BYTES_MAX = 16 * 1024 * 1024


class _Noted(msgspec.Struct):
    """What was found of the memories of one issue, and what it hung on."""

    mark: str
    told: list[str]  # a digest of each that is told as it lies


class _Notes(msgspec.Struct):
    salt: str = ""
    issues: dict[str, _Noted] = {}


class BorneOut:
    """The memories of one project that are told just as they lie, as long as all looks the same."""

    def __init__(self, project: Project, look_at_record: Callable[[], str]) -> None:
        """Take what changes when the record of people's memories does, as `look_at_record`."""
        self._project = project
        self._look_at_record = look_at_record
        self._marks: Mapping[int, str] | None = None  # of issues, as all looked at the last look
        self._notes: _Notes | None = None
        self._told: dict[int, frozenset[str]] = {}
        self._new: dict[int, set[str]] = {}

    def look_again(self) -> None:
        """Look at all the files again with the next memory."""
        self._marks = None
        self._told.clear()
        self._new.clear()

    def look(self) -> bool:
        """Look at the files, unless that was just done, and tell whether it was not.

        Most commands have too few memories.
        """
        if self._marks is not None:
            return False
        try:
            self._marks = self._look()
        except (AgentXError, OSError):
            self._marks = {}
        return True

    def holds(self, one: Observation) -> bool:
        """Tell whether a memory is known to be told as it lies, since somebody looked."""
        if not self._marks or one.superseded_by or one.issue_number not in self._marks:
            return False
        issue = one.issue_number
        if issue not in self._told:
            noted = self._read().issues.get(str(issue))
            is_same = noted is not None and noted.mark == self._marks[issue]
            self._told[issue] = frozenset(noted.told if noted is not None and is_same else ())
        return bool(self._told[issue]) and self._sum_up(one) in self._told[issue]

    def note(self, found: Iterable[Observation]) -> None:
        """Note memories that were judged since somebody looked, and are told as they lie."""
        for one in found:
            if self._marks and one.issue_number in self._marks and not one.superseded_by:
                self._new.setdefault(one.issue_number, set()).add(self._sum_up(one))
        if not (self._new and is_folder(self._project.store.root)):
            return
        marks, notes = self._marks or {}, self._read()
        for issue, told in self._new.items():
            mark, before = marks[issue], notes.issues.get(str(issue))
            known = before.told if before is not None and before.mark == mark else ()
            notes.issues[str(issue)] = _Noted(mark, sorted({*known, *told}))
        self._new.clear()
        # Nothing stays of what is gone. A name may be made of anything: it is compared as text.
        known_by = {str(issue): mark for issue, mark in marks.items()}
        notes.issues = {
            name: each for name, each in notes.issues.items() if each.mark == known_by.get(name)
        }
        with suppress(AgentXError, OSError):
            replace_file(self._project.store.borne_out, msgspec.json.encode(notes))

    def _read(self) -> _Notes:
        if self._notes is None:
            try:
                raw = read_bytes(self._project.store.borne_out, bytes_max=_BYTES_MAX)
                self._notes = msgspec.json.decode(raw, type=_Notes)
            except (OSError, ValueError, AgentXError, RecursionError):
                self._notes = _Notes()
            if not self._notes.salt:
                self._notes = _Notes(salt=self._project.entropy(_SALT_BYTES).hex())
        return self._notes

    def _sum_up(self, one: Observation) -> str:
        return digest(self._read().salt, repr(one), size=_MARK_BYTES).hex()

    def _look(self) -> dict[int, str]:
        """Return what changes when memories of an issue are judged otherwise.

        Of issues whose files changed just now nothing: they may change once more unseen.
        """
        project = self._project
        # The key seals what ledgers were made into; one that is gone makes others of them.
        files = (project.data.signing_key, project.data.writers, project.store.github_changed)
        looks = [
            seen and (seen.st_ino, seen.st_size, seen.st_mtime_ns) for seen in map(look, files)
        ]
        counting = (open_keyring(project).stamp(), self._look_at_record(), looks)
        everywhere = repr((__version__, RULES, str(project.root), is_github(project), counting))
        issues = None if is_github(project) else _look_at_issues(project)
        latest_ns = (project.clock.now_ms() - _SETTLED_MS) * 1_000_000
        found: dict[int, str] = {}
        for stamp in list_stamps(project.paths, project.held_questions):
            issue = () if issues is None else issues.get(stamp.issue)
            if issue is not None and _find_newest(stamp, issue) <= latest_ns:
                beside = repr((stamp.looks, stamp.held, issue))
                found[stamp.issue] = digest(everywhere, beside).hex()
        return found


_Look = tuple[int, ...]  # of an issue's file: inode, size, time


def _find_newest(stamp: Stamp, issue: _Look) -> int:
    return max((*(each[-1] for each in (*stamp.looks, *stamp.held)), *issue[-1:]), default=0)


def _look_at_issues(project: Project) -> dict[int, _Look]:
    """Return what the files of issues look like; one that is a link is none."""
    found: dict[int, _Look] = {}
    with (
        suppress(FileNotFoundError),
        opening(project.paths.issues) as here,
        os.scandir(here.descriptor) as entries,
    ):
        for entry in entries:
            number = entry.name.removesuffix(".json")
            # Only that has the say which is named as AgentX names it: not "02.json".
            is_issue = number.isascii() and number.isdecimal() and number == str(int(number))
            if is_issue and number != entry.name and entry.is_file(follow_symlinks=False):
                seen = entry.stat(follow_symlinks=False)
                found[int(number)] = (seen.st_ino, seen.st_size, seen.st_mtime_ns)
    return found
