"""The folders of a run's branches: made, found where they are, and brought up.

A folder may be gone from where git has it: deleted, moved by hand, or a container's that is not
seen from here. What only git's notes of it hold stays under a name of our own before it is made
anew. What was found is said by whoever tells the user next (`take_remarks`).
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from agentx.host.crash import CrashPoint, passing
from agentx.host.files.atomic import make_private_directory
from agentx.host.files.plain import exists, is_folder, list_folder, remove
from agentx.host.git.command import NO_HOOKS, name_git, name_hooks
from agentx.host.git.facts import branch as branch_at
from agentx.host.git.half_done import fill_folder
from agentx.host.git.loose import require_over
from agentx.host.git.mending.behind import Lag, bring_up, find_behind
from agentx.host.git.mending.gone import is_loose, list_only_there
from agentx.host.git.mending.half_way import find_half_way
from agentx.host.git.mending.lying import list_names
from agentx.host.git.mending.placing import place, place_unchanged
from agentx.host.git.work import Worktree, git_done, is_ancestor, list_worktrees
from agentx.kernel.errors import ConflictError
from agentx.kernel.text import name_some
from agentx.runs.paths import WORK_FOLDER, RunNotes
from agentx.runs.store.shared.branches import check_name
from agentx.runs.store.shared.kept_commits import keep_commit
from agentx.runs.store.shared.marks import WorkMarks

_SHORT = 10
_UNCOMMITTED = " has changes that are not committed:"
# Whatever the user's settings are: a patch that git can apply, of any file.
_DIFF = "diff --binary --no-ext-diff --no-textconv --no-color --src-prefix=a/ --dst-prefix=b/"


class RunFolders:
    """The folders of one project's runs."""

    def __init__(
        self, root: Path, notes: RunNotes, marks: WorkMarks, check_trust: Callable[[], None]
    ) -> None:
        self._root = root
        self._notes = notes
        self._marks = marks
        self._check_trust = check_trust
        self._remarks: list[str] = []

    def take_remarks(self) -> tuple[str, ...]:
        """Return what was found since this was last asked."""
        found, self._remarks = tuple(dict.fromkeys(self._remarks)), []
        return found

    def note(self, remarks: Iterable[str]) -> None:
        """Let something be said with what is found here."""
        self._remarks += remarks

    def find(self, run_id: str, name: str, branch: str) -> Path:
        """Return where a lane is worked on; say so where that is not to be seen."""
        folder = self._notes.worktree(run_id, name)
        known = list_worktrees(self._root)
        here = [each for each in known if each.branch == branch and each.is_here]
        if here:
            return next((each.folder for each in here if _is_same(each, folder)), here[0].folder)
        for gone in (each for each in known if _is_same(each, folder) or each.branch == branch):
            if not gone.is_here:
                self._remarks.append(self._tell_unseen(name, gone))
        return folder

    def _tell_unseen(self, name: str, gone: Worktree) -> str:
        loose = is_loose(self._root, gone.commit)
        commit = f", nor {gone.commit[:_SHORT]}, which is on no branch" if loose else ""
        return (
            f"{name}: its folder {gone.folder} is gone, so what was not committed there is not "
            f"seen{commit}; if you moved it: git worktree repair NEW"
        )

    def ensure(self, run_id: str, name: str, branch: str) -> Path:
        """Return the folder of a branch, made if it is not there; that of the work branch is ours,
        and is brought up where it lags behind.

        Raises: ConflictError, UnavailableError.
        """
        folder = self._notes.worktree(run_id, name)
        check_name(branch)
        self._marks.await_maker(run_id, name)
        known = list_worktrees(self._root)
        here = [each for each in known if each.branch == branch and each.is_here]
        if any(_is_same(each, folder) for each in here):
            self._check_trust()
            with self._marks.making(run_id, name) as held:
                fill_folder(folder, held)  # where its command was killed
                is_still = name == WORK_FOLDER and not exists(self._notes.git_mark(run_id))
                tell = partial(self._tell_undone, run_id, branch, folder)
                if is_still and bring_up(folder, self._notes.coming_up(run_id), tell, held):
                    self._remarks.append(f"{folder} lagged behind {branch}: it is brought up")
                place_unchanged(folder)
            return folder
        if here:
            raise _refuse_elsewhere(branch, folder, here[0], is_root=here[0] == known[0])
        if exists(folder / ".git"):
            require_over(folder)  # who rebases or bisects is on no branch meanwhile
            raise _refuse_left(branch, folder, known)
        self._check_trust()
        for gone in known:
            self._leave_gone(run_id, branch, gone, folder)
        make_private_directory(folder.parent)
        # Forced only past folders that are gone: what git held of them is kept by now.
        words = ("worktree", "add", "--force", "--quiet", str(folder), branch)
        is_ours = name == WORK_FOLDER
        settings = NO_HOOKS if is_ours else name_hooks(self._root)
        with self._marks.making(run_id, name) as held:
            git_done(self._root, *words, settings=settings, held=held, lets_go=not is_ours)
            place(folder)
            if is_ours:
                remove(self._notes.coming_up(run_id))  # which was of the one before
        passing(CrashPoint.RUN_WORKTREE_MADE)
        return folder

    def _tell_undone(
        self, run_id: str, branch: str, folder: Path, names: frozenset[str], commit: str
    ) -> None:
        """Keep what lay in a folder, and say which files are put back that are nobody's for sure.

        Raises: UnavailableError.
        """
        kept, are = (
            keep_commit(self._root, run_id, branch, commit),
            "is" if len(names) == 1 else "are",
        )
        were = "was" if len(names) == 1 else "were"
        self._remarks.append(
            f"{folder}: {name_some(sorted(names))} {are} put back, which {were} cut off or gone "
            f"where a bring-up was killed; what lay there stays as {kept}"
        )

    def require_nowhere_else(self, run_id: str, name: str, branch: str) -> None:
        """See that a branch is checked out in no folder but its own: who moves it would make of
        all that it brings a change that takes it back there.

        Raises: ConflictError, UnavailableError.
        """
        folder, known = self._notes.worktree(run_id, name), list_worktrees(self._root)
        here = [each for each in known if each.branch == branch and each.is_here]
        if here and not any(_is_same(each, folder) for each in here):
            raise _refuse_elsewhere(branch, folder, here[0], is_root=here[0] == known[0])

    def tell_half_way(self, run_id: str) -> Iterator[str]:
        """Yield what somebody began in the folders of a run and is not over, and how it ends."""
        root = self._notes.worktree(run_id, WORK_FOLDER).parent
        for name in list_folder(root).folders if is_folder(root) else ():
            folder = root / name
            half = find_half_way(folder) if exists(folder / ".git") else None
            if half is not None:
                yield f"{half.says} in {folder} ({half.say_end(folder)})"

    def _leave_gone(self, run_id: str, branch: str, gone: Worktree, folder: Path) -> None:
        """Keep what git holds of a folder that is gone and is made anew, and say so."""
        if _is_same(gone, folder):
            only = list_only_there(self._root, gone)
            kept = [keep_commit(self._root, run_id, branch, commit) for commit in only]
            held = f"; what git held of it is kept: {', '.join(kept)}" if kept else ""
            # Git takes the name for the new one: the old cannot be named to it any more.
            how = "is made anew, without what was not committed in it"
            moved = "if you moved it: take that over from there"
            self._remarks.append(f"{folder} was gone and {how}; {moved}{held}")
        elif gone.branch == branch:
            self._remarks.append(f"{branch} is in {gone.folder} as well, which is not seen here")

    def require_up(self, name: str, folder: Path) -> None:
        """See that a lane's folder does not lag behind its branch: its files would take back what
        was committed elsewhere. Whether somebody wants just that only they know. The repository
        is trusted.

        Raises: ConflictError, UnavailableError.
        """
        lag = find_behind(folder)
        if lag is None:
            return
        if lag.changed:
            up = _say_changed(folder, lag)
        else:
            up = _say_steps(folder, lag) if lag.others else f"{name_git(folder)} reset --hard"
        files = name_some(sorted(lag.files | lag.changed))
        where = _UNCOMMITTED if lag.came_up else ": in its folder"
        raise ConflictError(
            f"{name}: its folder is behind its branch: {files}"
            if lag.is_sure
            else f"{name}{where} {_say_as(lag)}",
            hint=up if lag.changed and lag.is_sure else f"{_say_if(lag)}: {up}; else commit it",
        )

    def require_work_up(self, folder: Path) -> None:
        """See that the work branch's folder does not lag behind with something of somebody's in
        it: put away as it is, that would take back what was merged elsewhere.

        Raises: ConflictError, UnavailableError.
        """
        lag = find_behind(folder)
        if lag is None:
            return
        if lag.changed and lag.is_sure:
            raise ConflictError(
                f"{folder} lags behind its branch, and somebody changed "
                f"{name_some(sorted(lag.changed))} in it",
                hint=_say_changed(folder, lag),
            )
        up = _say_changed(folder, lag) if lag.changed else _say_steps(folder, lag)
        where = f"the work branch{_UNCOMMITTED}" if lag.came_up else f"in {folder}"
        raise ConflictError(
            f"{where} {_say_as(lag)}",
            hint=f"{_say_if(lag)}: {up}; else put it away: {name_git(folder)} stash -u",
        )


def require_not_renamed(folder: Path, branch: str, pushed: str) -> None:
    """See that a branch that is not here is not in its folder under another name, with commits
    that nobody pushed.

    Raises: ConflictError, UnavailableError.
    """
    now = branch_at(folder) if exists(folder / ".git") else ""
    if now not in (None, "", branch) and not (pushed and is_ancestor(folder, "HEAD", pushed)):
        raise ConflictError(
            f"{branch} is not in this repository, and {now} is checked out in its folder {folder}",
            hint=f"if you renamed it: {name_git(folder)} branch -m {branch}",
        )


def _refuse_left(branch: str, folder: Path, known: tuple[Worktree, ...]) -> ConflictError:
    """Return the error for a folder in which somebody left its branch."""
    # Git refuses a branch that it has in another folder, whether that is seen here or not.
    past = "--ignore-other-worktrees " if any(each.branch == branch for each in known) else ""
    return ConflictError(
        f"{branch} is not checked out in its folder {folder}",
        hint=f"{name_git(folder)} switch {past}{branch}; commits that are on no branch first get "
        "one: git branch NAME",
    )


def _refuse_elsewhere(
    branch: str, folder: Path, there: Worktree, *, is_root: bool
) -> ConflictError:
    """Return the error for a branch that somebody has checked out elsewhere."""
    where = there.folder
    moved = shlex.join((str(where), str(folder)))
    back = f"; or, if its folder was moved there: git worktree move {moved}"
    return ConflictError(
        f"{branch} is checked out in {where}",
        hint=f"switch that checkout to another branch: {name_git(where)} switch -"
        + ("" if is_root else back),
    )


def _say_as(lag: Lag) -> str:
    """Return how the files are that may lag."""
    files, changed = (name_some(sorted(each)) for each in (lag.files, lag.changed))
    had = lag.had[:_SHORT] + (", an earlier state of the branch" if lag.came_up else "")
    if not lag.files:
        return f"{changed} is staged as it was at {had}, and is changed"
    return f"{files} is as it was at {had}" + (changed and f", and {changed} is changed")


def _say_if(lag: Lag) -> str:
    """Return when what may lag is to be brought up."""
    kept = "it was put back from a backup and " if lag.came_up else ""
    return f"if {kept}nobody took that back"


def _say_steps(folder: Path, lag: Lag) -> str:
    """Return what brings up what lags, and leaves what else is changed."""
    return "; ".join(f"{name_git(folder)} {shlex.join(words)}" for words in lag.steps)


def _say_changed(folder: Path, lag: Lag) -> str:
    """Return how what somebody changed is told apart from what lags, and kept."""
    new = lag.changed & list_names(folder, "diff-tree", "-r", "--diff-filter=A", lag.had, "HEAD")
    if lag.is_indexed:
        new -= list_names(folder, "diff-index", "--cached", lag.had)  # git tells what is staged
    ways = [f"move {name_some(sorted(new))} in {folder} elsewhere"] if new else []
    git = name_git(folder)
    if lag.changed - new:
        names, had = shlex.join(sorted(lag.changed - new)), lag.had[:_SHORT]
        ways += [] if lag.is_indexed else [f"{git} read-tree {had}"]
        patch = f"~/{folder.name}-{had}.patch"
        ways.append(
            f"{git} {_DIFF} {had} -- {names} > {patch} && {git} restore -s {had} -S -W -- {names}"
            f" (and in a lane: {git} apply --3way {patch})"
        )
    return f"{'; '.join(ways)}; then try again"


def _is_same(each: Worktree, folder: Path) -> bool:
    return each.folder == folder or each.folder.resolve() == folder.resolve()
