"""Issues as files in the repository: `.agentx/issues/<number>.json`, each under its lock.

A number is free when there is no file of that name, and nobody asked about it. It is looked for
under one lock for all numbers, and taken under the lock of the file itself, where it is looked at
once more: two processes never make the same issue, even when one of them was paused so long that it
lost the first lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from agentx.host.documents.document import DocumentFile
from agentx.host.documents.json_file import json_file
from agentx.host.files.disk import unreadable
from agentx.host.files.plain import exists, list_folder
from agentx.host.locks.lock import locked
from agentx.kernel.clock import Clock
from agentx.kernel.errors import CorruptRecord, LimitError, NotFound
from agentx.kernel.limits import ISSUE_NUMBER_MAX
from agentx.kernel.paths import ProjectPaths, check_number
from agentx.kernel.text import compile_late
from agentx.work.model import Comment, Issue, NewIssue
from agentx.work.store.issue_file import from_shape, to_shape

_SHARED_FILE = 0o644  # issues are committed, like the code beside them
_OWNER = "agentx"
_CONFLICT_HINT = (
    "keep one side, then `git add` it; where they are two issues, write the other to a file of its "
    "own, with a number that is free"
)
_FILE = compile_late(r"([0-9]{1,9})\.json(?:\.corrupt-.*)?")


class LocalIssues:
    """The issues of a project in local mode."""

    def __init__(
        self,
        paths: ProjectPaths,
        clock: Clock,
        list_asked: Callable[[], Iterable[int]] = lambda: (),
    ) -> None:
        self._paths = paths
        self._clock = clock
        self._list_asked = list_asked  # numbers about which somebody asked: of issues that git took
        self.damaged: list[CorruptRecord] = []

    def create(self, new: NewIssue) -> Issue:
        """Keep a new issue; its number is nobody else's."""
        now = self._clock.now_ms()
        with locked(self._paths.state / "issue-numbers", owner=_OWNER, clock=self._clock):
            number = max((*self._numbers(), *self._list_asked()), default=0) + 1
            while True:
                if number > ISSUE_NUMBER_MAX:
                    raise LimitError(f"there are no issue numbers beyond {ISSUE_NUMBER_MAX:,}")
                issue = Issue(
                    number=number,
                    title=new.title,
                    body=new.body,
                    labels=new.labels,
                    status=new.status,
                    created_ms=now,
                    updated_ms=now,
                )
                if self._take(issue):
                    return issue
                number += 1

    def get(self, number: int) -> Issue:
        """Return one issue.

        Raises: NotFound, CorruptRecord after moving a file that is no JSON aside.
        """
        file = self._file(number)
        shape = file.read()
        if shape is None:
            raise _unknown(number)
        return from_shape(shape, file.path)

    def all(self, *, with_closed: bool = True) -> tuple[Issue, ...]:
        """Return the issues by number; files that cannot be read are noted in `damaged`."""
        found = []
        for number in sorted(self._numbers()):
            try:
                found.append(self.get(number))
            except NotFound:
                self._note_aside(number)  # or gone since the folder was listed
            except CorruptRecord as error:
                self.damaged.append(error)
        return tuple(issue for issue in found if with_closed or issue.is_open)

    def change(self, number: int, decide: Callable[[Issue], Issue]) -> Issue:
        """Replace an issue by what `decide` makes of it, under its lock.

        Raises: NotFound, CorruptRecord, and what `decide` raises.
        """
        file = self._file(number)
        if not exists(file.path):
            raise _unknown(number)
        with file.editing() as shape:
            if not shape:
                raise _unknown(number)
            before = from_shape(shape, file.path)
            after = decide(before)
            if after != before:
                shape.update(to_shape(after, shape))
        return after

    def comment(self, number: int, body: str, *, author: str = "") -> Issue:
        """Add a comment; a closed issue stays as old as it is.

        Raises: NotFound, CorruptRecord.
        """
        now = self._clock.now_ms()
        said = Comment(body=body, created_ms=now, author=author)

        def comment(issue: Issue) -> Issue:
            updated = now if issue.is_open else issue.updated_ms
            return replace(issue, comments=(*issue.comments, said), updated_ms=updated)

        return self.change(number, comment)

    def _take(self, issue: Issue) -> bool:
        """Make the file of an issue, unless there is one."""
        file = self._file(issue.number)
        with locked(file.path, owner=_OWNER, clock=self._clock) as held:
            if exists(file.path):
                return False
            file.write_in(held, to_shape(issue))
            return True

    def _file(self, number: int) -> DocumentFile:
        path = issue_path(self._paths, number)
        return json_file(
            path, self._clock, owner=_OWNER, mode=_SHARED_FILE, conflict_hint=_CONFLICT_HINT
        )

    def _note_aside(self, number: int) -> None:
        """Note an issue whose file was moved aside: it is there, and nobody can read it."""
        aside = f"{number}.json.corrupt-"
        for name in list_folder(self._paths.issues).files:
            if not name.startswith(aside):
                continue
            says = f"{self._paths.issues / name}: issue #{number} was damaged and moved aside"
            hint = f"mend it and move it back to {number}.json, or remove it"
            self.damaged.append(CorruptRecord(says, hint=hint))

    def _numbers(self) -> set[int]:
        return _numbers_in(self._paths.issues)


def issue_path(paths: ProjectPaths, number: int) -> Path:
    """Return where an issue lies."""
    return paths.issues / f"{check_number(number)}.json"


def _numbers_in(folder: Path) -> set[int]:
    """Return the numbers that files have, also of those that were moved aside."""
    try:
        listing = list_folder(folder)
    except NotADirectoryError:
        return set()
    except OSError as error:
        raise unreadable(folder, error) from error
    found = (_FILE.fullmatch(name) for name in (*listing.files, *listing.refused))
    return {int(name[1]) for name in found if name is not None}


def _unknown(number: int) -> NotFound:
    return NotFound(f"there is no issue #{number}", hint="`agentx issue list` shows them")
