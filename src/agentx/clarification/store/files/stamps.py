"""Which ledgers there are, with what changes when they do; none is opened for it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from agentx.clarification.store.files.question_files import look_at_events
from agentx.host.files.disk import unreadable
from agentx.host.files.ground import Folder, opening
from agentx.host.files.plain import look
from agentx.kernel.errors import AgentXError, CorruptRecord
from agentx.kernel.paths import ProjectPaths, check_number
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_HELD = "held"
_VIEW = compile_late(r"issue-(0|[1-9][0-9]{0,17})\.json")
_ISSUE = compile_late(r"0|[1-9][0-9]{0,17}")
Look = tuple[str, int, int, int]  # of a file: name, inode, size, time


@frozen(kw_only=False)
class Stamp:
    """What changes when a ledger does."""

    issue: int
    looks: tuple[Look, ...]  # of its files
    held: tuple[Look, ...] = ()  # of those in which lines of it are held

    @property
    def sizes(self) -> dict[str, int]:
        """How long each of its files of events is."""
        return {name: size for name, _, size, _ in self.looks if name.endswith(".jsonl")}

    @property
    def files(self) -> tuple[Look, ...]:
        """What its own files look like, whether lines of it are held or not."""
        return tuple(each for each in self.looks if each[0] != _HELD)

    def __str__(self) -> str:
        return ";".join(":".join(map(str, each)) for each in self.looks)


def list_stamps(paths: ProjectPaths, held: Path | None = None) -> tuple[Stamp, ...]:
    """Return which ledgers there are, by issue, with what changes when they do.

    `held` is where lines are held: they count whatever lies in the files.

    Raises: UnavailableError, UnsafePath.
    """
    found: dict[int, list[Look]] = {}
    lines: dict[int, list[Look]] = {}
    _look_at_views(paths.ledgers, found)
    _look_at_questions(paths.questions, found)
    if held is not None:
        with suppress(AgentXError):  # nobody knows: as if nothing were held
            _look_at_questions(held, lines)
    for issue in lines:
        found.setdefault(issue, []).append((_HELD, 0, 0, 0))
    return tuple(
        Stamp(issue, tuple(looks), tuple(lines.get(issue, ())))
        for issue, looks in sorted(found.items())
        if looks
    )


def look_at_ledger(paths: ProjectPaths, issue: int, held: Path | None) -> Stamp:
    """Return what changes when one ledger does; of none, nothing.

    Raises: UnavailableError, UnsafePath.
    """
    lines: list[Look] = []
    if held is not None:
        with suppress(AgentXError, OSError), opening(held) as here:
            lines += _look_at_issue(here, str(issue))
    view, looks = paths.ledgers / f"issue-{check_number(issue)}.json", list[Look]()
    try:
        if (seen := look(view)) is not None:
            looks.append(_note(view.name, seen))
        with opening(paths.questions) as here:
            looks += _look_at_issue(here, str(issue))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise unreadable(paths.questions, error) from error
    return Stamp(issue, tuple(looks), tuple(lines))


def _look_at_views(folder: Path, found: dict[int, list[Look]]) -> None:
    try:
        with opening(folder) as here, os.scandir(here.descriptor) as entries:
            for entry in entries:
                named = _VIEW.fullmatch(entry.name)
                if named is not None:
                    seen = _note(entry.name, entry.stat(follow_symlinks=False))
                    found.setdefault(int(named[1]), []).append(seen)
    except FileNotFoundError:
        return
    except OSError as error:
        raise unreadable(folder, error) from error


def _look_at_questions(folder: Path, found: dict[int, list[Look]]) -> None:
    try:
        with opening(folder) as here, os.scandir(here.descriptor) as entries:
            for name in (entry.name for entry in entries):
                if _ISSUE.fullmatch(name):
                    found.setdefault(int(name), []).extend(_look_at_issue(here, name))
    except FileNotFoundError:
        return
    except OSError as error:
        raise unreadable(folder, error) from error


def _look_at_issue(above: Folder, name: str) -> list[Look]:
    try:
        here = above.enter(name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except CorruptRecord:  # a link: whoever opens the ledger says so, and no other is harmed
        return [("", 0, 0, 0)]
    try:
        return [_note(*each) for each in sorted(look_at_events(here).items())]
    finally:
        here.close()


def _note(name: str, seen: os.stat_result) -> Look:
    return name, seen.st_ino, seen.st_size, seen.st_mtime_ns
