"""Lanes in git: a branch and a folder each, so that they really run at the same time.

    agent/<run-id>/work          the work branch, in a worktree of its own
    agent/<run-id>/lane-001      a lane, in a worktree of its own

Worktrees lie in the project's store, outside of the checkout. The user's own checkout,
branches and files are never touched: only branches under `agent/<run-id>/` are made and
moved, only our worktrees are written. Nothing is pushed and no branch is deleted.

A merge or rebase that does not go through is undone before anyone sees it. One whose
process was killed half-way left a mark; the next command undoes what it did, and no more.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from agentx.host.crash import CrashPoint, passing
from agentx.host.git.command import NO_HOOKS, GitReply, do_git, read_git
from agentx.host.git.facts import branch as branch_at
from agentx.host.git.facts import tell_not_pointed_back
from agentx.host.git.half_done import check_unlocked
from agentx.host.git.loose import NOT_ALL, require_committed, require_untouched, tell_lost_with
from agentx.host.git.mending.lying import require_free
from agentx.host.git.work import (
    as_somebody,
    commit_of,
    git_done,
    is_ancestor,
    list_changed_files,
    list_conflicting_files,
)
from agentx.kernel.errors import ConflictError, NotFound
from agentx.kernel.paths import StorePaths
from agentx.kernel.text import name_some
from agentx.runs.model import Lane, Run
from agentx.runs.paths import WORK_FOLDER, RunNotes
from agentx.runs.replies import Changes, Unmerged
from agentx.runs.rules.gates import Tell
from agentx.runs.store.git_shared import (
    CheckedOut,
    Pushed,
    check_latest,
    check_pushed,
    find_pushed,
    find_start,
    find_tip,
    find_work,
    is_replaced,
    lack_start,
    list_pushed,
    look_at,
    measure_changes,
    tell_moved,
)
from agentx.runs.store.shared.branches import (
    Conflicted,
    Moved,
    check_name,
    fail_git,
    lack_branch,
    lane_branch,
    work_branch,
)
from agentx.runs.store.shared.copies import LaneCopies
from agentx.runs.store.shared.fetching import fetch_run, say_why
from agentx.runs.store.shared.folders import RunFolders, require_not_renamed
from agentx.runs.store.shared.kept_commits import keep_left
from agentx.runs.store.shared.marks import WorkMarks
from agentx.runs.store.shared.merged import find_unmerged, list_held
from agentx.runs.store.shared.replaying import replay


class GitLanes:
    """The branches and worktrees of one project's runs."""

    def __init__(
        self,
        root: Path,
        store: StorePaths,
        here: Path | None = None,
        is_trusted: Callable[[], bool] = lambda: True,
        find_checkout: Callable[[], str] = lambda: "",
    ) -> None:
        self._root = root
        self._notes = RunNotes(store.root)
        self._is_trusted = is_trusted
        self.silent: list[str] = []  # remotes that were not reached when asked last, and why
        self.copies = LaneCopies(root, self._notes, find_checkout)
        self._marks = WorkMarks(root, self._notes, self._check_trust)
        self.folders = RunFolders(root, self._notes, self._marks, self._check_trust)
        self._here = here or root  # where the user is: a run begins from what is checked out there

    @property
    def root(self) -> Path:
        """The repository."""
        return self._root

    @property
    def is_trusted(self) -> bool:
        """Whether git may run what the repository's settings name."""
        return self._is_trusted()

    def base(self) -> tuple[str, str]:
        """Return the branch and the commit that are checked out; both empty without git."""
        name = branch_at(self._here)
        if name is None:
            return "", ""
        return name, commit_of(self._here, "HEAD")

    def folder(self, run_id: str, name: str) -> Path:
        """Return where a lane's files are, or those of the work branch."""
        return self._notes.worktree(run_id, name)

    def has_lane(self, run_id: str, lane: str) -> bool:
        """Tell whether a lane's branch is here."""
        return bool(commit_of(self._root, f"refs/heads/{lane_branch(run_id, lane)}"))

    def find_work(self, run_id: str) -> str:
        """Return the commit of the work branch here; empty where it is not."""
        return commit_of(self._root, f"refs/heads/{work_branch(run_id)}")

    def ensure_work(self, run_id: str, base_commit: str) -> tuple[Path, bool]:
        """Return the folder of the work branch, and whether the branch was made now.

        Raises: NotFound, ConflictError, UnavailableError.
        """
        branch = work_branch(run_id)
        made = False
        if not commit_of(self._root, f"refs/heads/{branch}"):
            pushed = find_pushed(self._root, branch, base_commit)
            start = pushed or base_commit or commit_of(self._root, "HEAD")
            if not start or not commit_of(self._root, start):
                raise lack_start(self._root, start)
            self._make_branch(branch, start)
            made = True
        return self.folders.ensure(run_id, WORK_FOLDER, branch), made

    def open(self, run_id: str, lane: str) -> str:
        """Make a lane's branch and folder from the work branch; return its commit.

        Raises: ConflictError when such a branch is there with somebody's work on it.
        """
        branch = lane_branch(run_id, lane)
        start = commit_of(self._root, f"refs/heads/{work_branch(run_id)}")
        there = commit_of(self._root, f"refs/heads/{branch}")
        if not there:
            self._make_branch(branch, start)
        elif not is_ancestor(self._root, there, start):
            # One without work of its own is what a command that was killed has left behind.
            raise ConflictError(
                f"the branch {branch} is there already and has commits of its own",
                hint="open a lane of another name, or rename that branch",
            )
        self.folders.ensure(run_id, lane, branch)
        return commit_of(self._root, f"refs/heads/{branch}")

    def reopen(self, run_id: str, lane: str, branch: str) -> Path:
        """Return the folder of a lane, made again if it is gone."""
        if not commit_of(self._root, f"refs/heads/{branch}"):
            start = find_pushed(self._root, branch)
            require_not_renamed(self.folder(run_id, lane), branch, start)
            if not start:
                raise lack_branch(branch)
            self._make_branch(branch, start)
            self.copies.note(run_id, lane, start)
        return self.folders.ensure(run_id, lane, branch)

    def list_changed(self, run_id: str, lane: str) -> tuple[str, ...]:
        """Return what is changed or new in a lane's folder, where that is here.

        Raises: ConflictError, UnavailableError.
        """
        folder = self.folder(run_id, lane)
        if not folder.is_dir():
            return ()
        self._check_trust()
        return list_changed_files(folder)

    def tip(self, run: Run, found_lane: Lane) -> str:
        """Return the commit of a lane whose work is all committed.

        Raises: NotFound when the branch is not here, ConflictError for changes that are not
            committed.
        """
        lane, branch = found_lane.id, found_lane.branch
        folder = self.folders.find(run.id, lane, branch)
        if folder.is_dir():
            self._check_trust()
            self.folders.require_up(lane, folder)
            require_committed(folder, lane, branch)
        found = commit_of(self._root, f"refs/heads/{branch}")
        if not found:
            found = find_pushed(self._root, branch)
            require_not_renamed(folder, branch, found)
        if not found:
            raise lack_branch(branch)

        def find_onto() -> str:
            replaced = self.copies.find_replaced(run, found_lane, found)
            return "" if replaced is None else replaced.say_onto(folder, branch)

        check_pushed(self._root, found_lane, found, folder, find_onto)
        return found

    def catch_up(self, run: Run) -> tuple[str, ...]:
        """Fetch what others pushed of a run, bring the work branch up to it; return what was done.

        Raises: NotFound when what the run stands on is not here, ConflictError where the work
            branches do not go together, UnavailableError.
        """
        if not run.git.base_commit and not run.git.work_branch:
            return ()
        self._check_trust()
        self.copies.seen.note(run)  # also what was just pushed from here
        gone, self.silent = fetch_run(self._root, run)
        remarks = [*gone, *self.silent, *self.copies.follow(run)]
        self.copies.seen.note(run)
        branch = work_branch(run.id)
        here = commit_of(self._root, f"refs/heads/{branch}")
        if not here and run.git.work_branch:
            here = find_start(self._root, run, branch)
            if here:
                self._make_branch(branch, here)  # by this name it is spoken of
            if here and not find_pushed(self._root, branch):
                remarks.append(f"{branch} was not here: it is made from {here[:10]}")
        for pushed in list_pushed(self._root, branch) if here else ():
            there = pushed.commit
            if is_ancestor(self._root, there, here):
                continue
            if is_replaced(self._root, there, here, run.git.rebased):
                continue
            took = is_replaced(self._root, here, there, run.git.rebased)
            remarks += self.recover(run)
            self._take_over(run, pushed, is_replaced=took)
            here = commit_of(self._root, f"refs/heads/{branch}")
            remarks.append(f"the work branch holds now what {pushed.name} has")
        check_latest(self._root, run)
        return tuple(remarks)

    def look(self, run: Run) -> tuple[str, ...]:
        """Fetch what others pushed of a run that is over: no branch here follows it."""
        if not run.git.work_branch:
            return ()
        self._check_trust()
        gone, self.silent = fetch_run(self._root, run)
        return (*gone, *self.silent)

    def _take_over(self, run: Run, pushed: Pushed, *, is_replaced: bool) -> None:
        """Bring the work branch up to what was pushed of it, or change nothing."""
        folder, run_id = self._ready(run), run.id
        require_free(folder, pushed.commit, is_merged=not is_replaced)
        if is_replaced:
            self._marks.reset(run_id, pushed.commit)
            return
        who = (*as_somebody(folder), "merge", "--no-edit", "-m", f"Merge {pushed.name}")
        with self._marks.doing(run_id, "merge", pushed.commit) as held:
            said = self._do(folder, *who, pushed.commit, held=held)
            if said.code != 0:
                files = name_some(self._undone(run_id, folder, said, held).files)
                raise ConflictError(
                    f"the work branch does not go together with {pushed.name} in {files}: "
                    "nothing was changed",
                    hint=f"in {folder}: git merge {pushed.name}, mend, commit; then try again",
                )
            passing(CrashPoint.RUN_GIT_DONE)
            self._marks.end(run_id)

    def list_unmerged(self, run: Run) -> tuple[Unmerged, ...]:
        """Return the lanes that count as merged and are not in the work branch here."""
        return find_unmerged(self._root, run, work_branch(run.id), self.copies)

    def list_held(self, run: Run, commit: str) -> tuple[str, ...]:
        """Return where the branches of merged lanes are all of which a commit holds."""
        return list_held(self._root, run, commit)

    def ask(self, run: Run) -> Tell:
        """Return what tells the rules of a run what git has now."""

        def tell(lane: str, commit: str) -> str:
            own = self.copies.checkout
            return tell_moved(self._root, run, lane, work_branch(run.id), commit, own=own)

        return Tell(moved=tell, holds=partial(is_ancestor, self._root))

    def find_tip(self, run: Run, lane: str) -> str:
        """Return the commit that a lane, or the run, has now; empty where it is not known."""
        return find_tip(self._root, run, lane, work_branch(run.id), own=self.copies.checkout)

    def find_checked_out(self, run: Run, lane: str) -> CheckedOut:
        """Return the folder of a lane, of the work branch, or the checkout of a run without one.

        Raises: NotFound, ConflictError, UnavailableError.
        """
        self._check_trust()
        found = run.lanes.get(lane)
        if found is not None:
            folder = self.reopen(run.id, found.id, found.branch)
        elif run.git.work_branch:
            folder, _ = self.ensure_work(run.id, run.git.latest_commit)
        else:
            folder = self._root
        return look_at(folder)

    def merge(self, run: Run, commit: str, saying: str) -> Moved | Conflicted:
        """Merge a lane's commit into the work branch, or change nothing.

        Raises: ConflictError, UnavailableError.
        """
        folder, run_id = self._ready(run), run.id
        if is_ancestor(folder, commit, "HEAD"):
            return Moved(commit=commit_of(folder, "HEAD"), already=True)
        require_free(folder, commit)
        who = (*as_somebody(folder), "merge", "--no-ff", "--no-edit", "-m", saying)
        with self._marks.doing(run_id, "merge", commit) as held:
            said = self._do(folder, *who, commit, held=held)
            if said.code != 0:
                return self._undone(run_id, folder, said, held)
            passing(CrashPoint.RUN_GIT_DONE)
            self._marks.end(run_id)
        return Moved(commit=commit_of(folder, "HEAD"))

    def take_back(self, run_id: str, before: str, commit: str) -> None:
        """Put the work branch back to before a merge, unless somebody went on from that."""
        if self.find_work(run_id) == commit != before:
            self._marks.reset(run_id, before)

    def rebase(self, run: Run, *, is_kept: bool = False) -> Moved | Conflicted:
        """Bring the work branch up to its base as it is now, or change nothing.

        By a rebase where that comes to the same files as a merge of the base, by that merge
        otherwise, and where commits are to stay as they are (`is_kept`): what somebody put together
        in a merge is in no commit that is replayed. Its mark
        stays until `end`: without its event nobody knows which commits it took over.

        Raises: NotFound, ConflictError, UnavailableError.
        """
        base, run_id = run.git.base_branch, run.id
        onto = commit_of(self._root, f"refs/heads/{base}") if base else ""
        if not onto:
            raise NotFound(f"the base branch {base or '(none)'} is not in this repository")
        folder = self._ready(run)
        before = commit_of(folder, "HEAD")
        if is_ancestor(folder, onto, before):
            return Moved(commit=before, onto=onto, already=True)
        require_free(folder, onto)
        who = as_somebody(folder)
        with self._marks.doing(run_id, "rebase", onto) as held:
            words = (*who, "merge", "--no-edit", "-m", f"Merge {base}", onto)
            said = self._do(folder, *words, held=held)
            if said.code != 0:
                return self._undone(run_id, folder, said, held)
            if not is_kept:
                replay(folder, before, onto, who, held)
            passing(CrashPoint.RUN_GIT_DONE)
        return Moved(commit=commit_of(folder, "HEAD"), onto=onto)

    def _undone(self, run_id: str, folder: Path, said: GitReply, held: int) -> Conflicted:
        """Leave the work branch as it was before a merge; return what was in the way."""
        files = list_conflicting_files(folder)
        remarks: tuple[str, ...] = ()
        if self._do(folder, "merge", "--abort", held=held).code == 0:
            self._marks.end(run_id)
        else:
            remarks = self._marks.recover(run_id, held=held)  # a lock was in the way, say
        if not files:
            raise fail_git(folder, "merge", said)
        return Conflicted(files=files, remarks=remarks)

    def end(self, run_id: str) -> None:
        """Note that what git did for a run is recorded."""
        self._marks.end(run_id)

    def recover(self, run: Run) -> tuple[str, ...]:
        """Undo what git was doing for a run when its process died; say what was done.

        Raises: ConflictError where somebody's changes are in the way, UnavailableError.
        """
        return self._marks.recover(run.id, recorded=run.git.latest_commit)

    def leave(self, run_id: str, lane: str) -> str:
        """Take away a lane's folder if everything in it is on a branch; return why it stays."""
        folder = self.folder(run_id, lane)
        if not folder.is_dir():
            return ""
        why = tell_lost_with(folder) if self._is_trusted() else f"{self._root} is not trusted"
        if why:
            return why
        self.folders.note(keep_left(self._root, folder, run_id, lane))
        done = self._do(self._root, "worktree", "remove", str(folder))
        return "" if done.code == 0 else say_why(done.err, NOT_ALL)

    def leave_all(self, run_id: str) -> dict[Path, str]:
        """Take away all folders of a run; return those that stay, and why."""
        root = self.folder(run_id, WORK_FOLDER).parent
        folders = sorted(root.iterdir()) if root.is_dir() else []
        why = {folder: self.leave(run_id, folder.name) for folder in folders}
        stay = {folder: said for folder, said in why.items() if said}
        if folders and not stay:
            root.rmdir()
        return stay

    def strays(self, run_id: str, lanes: frozenset[str]) -> tuple[str, ...]:
        """Return branches of a run's lanes that no event speaks of: left by a killed command."""
        prefix = f"refs/heads/agent/{run_id}/lane-"
        said = read_git(self._root, "for-each-ref", "--format=%(refname:short)", f"{prefix}*")
        return tuple(name for name in said.lines if said.code == 0 and name not in lanes)

    def changes(self, run: Run, base: str) -> Changes | None:
        """Return what the work branch changes; None when there is no such branch."""
        return measure_changes(self._root, find_work(self._root, run, work_branch(run.id)), base)

    # --- parts ---------------------------------------------------------------------------------

    def _ready(self, run: Run) -> Path:
        """Return the work branch's folder with nothing half-done or uncommitted in it."""
        self.recover(run)
        folder, _ = self.ensure_work(run.id, run.git.latest_commit or run.git.base_commit)
        check_unlocked(folder)
        self.folders.require_work_up(folder)
        require_untouched(folder, "the work branch")
        return folder

    def _make_branch(self, branch: str, start: str) -> None:
        self._check_trust()
        apart = tell_not_pointed_back(self._root)
        if apart is not None:
            raise apart
        check_name(branch)
        git_done(self._root, "branch", "--no-track", "--end-of-options", branch, start)
        passing(CrashPoint.RUN_BRANCH_MADE)

    def _do(self, folder: Path, *words: str, held: int | None = None) -> GitReply:
        """Let git work in the folder of the work branch."""
        self._check_trust()
        return do_git(folder, *words, settings=NO_HOOKS, held=held)

    def _check_trust(self) -> None:
        """See that the user trusts the repository: git will run what its settings name.

        Raises: ConflictError.
        """
        if not self._is_trusted():
            raise ConflictError(
                f"{self._root} is not trusted: git would run its hooks and filters",
                hint="look at them, then say `agentx trust`",
            )
