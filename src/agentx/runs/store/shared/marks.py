"""The mark that is there while git works in a run's work branch: what it does, and from where.

A command that died left it; the next one takes back what was half-done, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agentx.host.crash import CrashPoint, passing
from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import is_folder, read_text, remove
from agentx.host.git.half_done import find_doing, undo
from agentx.host.git.mending.ours import Doing
from agentx.host.git.work import commit_of
from agentx.runs.paths import WORK_FOLDER, RunNotes
from agentx.runs.store.shared.branches import work_branch
from agentx.runs.store.shared.kept_commits import keep_commit


class WorkMarks:
    """What git does in the work branches of one project's runs."""

    def __init__(self, root: Path, notes: RunNotes, check_trust: Callable[[], None]) -> None:
        self._root = root
        self._notes = notes
        self._check_trust = check_trust

    def begin(self, run_id: str, what: str, commit: str) -> None:
        """Note what is begun, from where, and with which commit."""
        before = commit_of(self._root, f"refs/heads/{work_branch(run_id)}")
        replace_file(self._notes.git_mark(run_id), f"{what} {before} {commit}".encode())
        passing(CrashPoint.RUN_GIT_BEGUN)

    def end(self, run_id: str) -> None:
        """Note that it is over."""
        remove(self._notes.git_mark(run_id))

    def recover(self, run_id: str) -> tuple[str, ...]:
        """Undo what git was doing for a run when its process died; say what was done.

        Raises: ConflictError where somebody's changes are in the way, UnavailableError.
        """
        try:
            what, *known = read_text(self._notes.git_mark(run_id)).split()
        except (OSError, ValueError):
            return ()
        folder = self._notes.worktree(run_id, WORK_FOLDER)
        undone = self._undo(run_id, folder, what, known) if is_folder(folder) else None
        self.end(run_id)
        if undone is None:
            return ()
        lay = (f"what lay in {folder} is kept: {name}" for name in undone)
        return (f"a {what} that was cut short was undone", *lay)

    def _undo(
        self, run_id: str, folder: Path, what: str, known: list[str]
    ) -> tuple[str, ...] | None:
        """Undo it; return the names of what is kept, or None where nothing was half-done."""
        self._check_trust()
        branch = work_branch(run_id)
        if len(known) == len(("before", "commit")):
            doing: Doing | None = Doing(what=what, before=known[0], commit=known[1])
        else:  # noted by an older version
            doing = find_doing(folder, what)
        if doing is None:
            return None

        def keep(commit: str) -> str:
            return keep_commit(self._root, run_id, branch, commit)

        return undo(folder, branch, doing, keep)
