"""The marks that are there while git works for a run: what it does, and from where.

A command that died left its mark; the next one takes back what was half-done, and nothing else.
The git of a command holds the mark: while it lives, nobody touches what it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from agentx.host.crash import CrashPoint, passing
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.plain import exists, is_folder, read_text, remove
from agentx.host.git.command import NO_HOOKS
from agentx.host.git.half_done import find_doing, undo
from agentx.host.git.mending.holding import hold
from agentx.host.git.mending.ours import REBASE, Doing
from agentx.host.git.work import commit_of, git_done
from agentx.runs.paths import WORK_FOLDER, RunNotes
from agentx.runs.store.shared.branches import work_branch
from agentx.runs.store.shared.kept_commits import keep_commit


class WorkMarks:
    """What git does in the work branches of one project's runs."""

    def __init__(self, root: Path, notes: RunNotes, check_trust: Callable[[], None]) -> None:
        self._root = root
        self._notes = notes
        self._check_trust = check_trust

    @contextmanager
    def doing(self, run_id: str, what: str, commit: str) -> Iterator[int]:
        """Note what is begun, from where, and with which commit; gives what its git holds.

        The note stays until `end` takes it away.

        Raises: ConflictError.
        """
        before = commit_of(self._root, f"refs/heads/{work_branch(run_id)}")
        mark = self._notes.git_mark(run_id)
        replace_file(mark, f"{what} {before} {commit}".encode())
        with hold(mark, self._notes.worktree(run_id, WORK_FOLDER)) as held:
            passing(CrashPoint.RUN_GIT_BEGUN)
            yield held

    def end(self, run_id: str) -> None:
        """Note that it is over."""
        remove(self._notes.git_mark(run_id))

    def reset(self, run_id: str, commit: str) -> None:
        """Put the work branch, and its folder, to a commit.

        Raises: ConflictError, UnavailableError.
        """
        folder = self._notes.worktree(run_id, WORK_FOLDER)
        with self.doing(run_id, "reset", commit) as held:
            words = ("reset", "--quiet", "--keep", commit)
            git_done(folder, *words, settings=NO_HOOKS, held=held)
            self.end(run_id)

    def recover(
        self, run_id: str, *, recorded: str = "", held: int | None = None
    ) -> tuple[str, ...]:
        """Undo what git was doing for a run when its process died; say what was done.

        `recorded` is the commit of the work branch that an event tells: that is over.

        Raises: ConflictError where it still works or somebody's changes are in the way,
            UnavailableError.
        """
        mark = self._notes.git_mark(run_id)
        if not exists(mark):
            return ()
        folder = self._notes.worktree(run_id, WORK_FOLDER)
        with hold(mark, folder) if held is None else nullcontext(held) as holding:
            what, *known = read_text(mark).split() or ("",)
            undone = None
            now = commit_of(self._root, f"refs/heads/{work_branch(run_id)}")
            before = known[0] if known else ""
            is_recorded = what == REBASE and now == recorded and before not in ("", now)
            if what and is_folder(folder) and not is_recorded:
                undone = self._undo(run_id, folder, what, known, holding)
            self.end(run_id)
        if undone is None:
            return ()
        lay = (f"what lay in {folder} is kept: {name}" for name in undone)
        return (f"a {what} that was cut short was undone", *lay)

    @contextmanager
    def making(self, run_id: str, name: str) -> Iterator[int]:
        """Let nobody else fill a folder of a run's meanwhile; gives what its git holds.

        Raises: ConflictError where another fills it and does not end.
        """
        mark = self._notes.making(run_id, name)
        make_private_directory(mark.parent)
        with hold(mark, self._notes.worktree(run_id, name)) as held:
            yield held
            remove(mark)

    def await_maker(self, run_id: str, name: str) -> None:
        """Wait for the git of a killed command that still fills a folder.

        Raises: ConflictError where it does not end.
        """
        if exists(self._notes.making(run_id, name)):
            with self.making(run_id, name):
                pass

    def _undo(
        self, run_id: str, folder: Path, what: str, known: list[str], held: int
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

        return undo(folder, branch, doing, keep, held)
