"""Branches and folders that are left of runs: those that are over, packed away, or not known here.

A folder goes if nothing is lost with it (`loose`), a branch if others, here or pushed, have its
commits. So does a commit that was kept (`kept_commits`); it is nobody's reason to let a branch go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from agentx.host.files.plain import is_folder, list_folder, remove_tree
from agentx.host.git.command import do_git, name_git, read_git
from agentx.host.git.kept.settings import list_remotes
from agentx.host.git.loose import tell_lost_with
from agentx.host.git.work import checkouts, is_ancestor
from agentx.kernel.errors import UnavailableError
from agentx.kernel.ids import is_run_id
from agentx.kernel.values import frozen
from agentx.runs.paths import RunNotes
from agentx.runs.store.shared.kept_commits import KEPT, keep_left, list_kept

_PREFIX = "agent/"
_BRANCHES_MAX = 1_000
_REMOTE_WAIT_MS = 20_000
_ROWS = "--format=%(refname) %(objectname)"


@frozen
class Leftover:
    """A branch or a folder that is left of a run."""

    run_id: str
    name: str  # of the branch, the folder, or what a commit is kept under
    is_folder: bool
    why: str  # that of the run it is a leftover
    stays: str = ""  # what would be lost with it
    commit: str = ""

    @property
    def ref(self) -> str:
        """How git calls it, where it is no folder."""
        return self.name if self.name.startswith(KEPT) else f"refs/heads/{self.name}"


def list_leftovers(
    root: Path, notes: RunNotes, tell_over: Callable[[str], str], *, is_trusted: bool
) -> Iterator[Leftover]:
    """Yield what is left of runs, folders first; `tell_over` says why a run is over, if it is.

    Into folders only git itself can look, with its filters: not where nobody trusts them.

    Raises: UnavailableError.
    """
    unseen = "" if is_trusted else f"{root} is not trusted"
    folders = tuple(_list_folders(notes, tell_over, unseen))
    yield from folders
    going = frozenset(left.name for left in folders if not left.stays)
    words = ("for-each-ref", f"--count={_BRANCHES_MAX}", "--format=%(refname:short) %(objectname)")
    said = read_git(root, *words, f"refs/heads/{_PREFIX}")
    if said.code != 0:
        return
    used = checkouts(root)
    for line in said.lines:
        name, _, commit = line.rpartition(" ")
        run_id = name.removeprefix(_PREFIX).partition("/")[0]
        why = tell_over(run_id) if is_run_id(run_id) else ""
        if why:
            found = Leftover(run_id=run_id, name=name, is_folder=False, why=why, commit=commit)
            stays = _tell_lost(root, found)
            where = used.get(name)
            if where is not None and is_folder(where) and str(where) not in going:
                stays = f"it is checked out in {where}"
            yield replace(found, stays=stays)
    for run_id, name, commit in list_kept(root):  # last: what is a branch yet has stayed
        why = tell_over(run_id) if is_run_id(run_id) else ""
        if why:
            found = Leftover(run_id=run_id, name=name, is_folder=False, why=why, commit=commit)
            yield replace(found, stays=_tell_lost(root, found))


def _list_folders(
    notes: RunNotes, tell_over: Callable[[str], str], unseen: str
) -> Iterator[Leftover]:
    for run_id in _list_below(notes.worktrees):
        why = tell_over(run_id) if is_run_id(run_id) else ""
        for name in _list_below(notes.worktrees / run_id) if why else ():
            folder = notes.worktree(run_id, name)
            stays = unseen or tell_lost_with(folder)
            yield Leftover(run_id=run_id, name=str(folder), is_folder=True, why=why, stays=stays)


def _list_below(folder: Path) -> tuple[str, ...]:
    try:
        return list_folder(folder).folders
    except OSError:
        return ()


def _tell_lost(root: Path, left: Leftover, pushed: SeenPushed | None = None) -> str:
    """Return what would be lost with a branch; nothing where other branches have its commits.

    Without an answer of the remotes what was last fetched of them is believed.
    """
    # Branches of runs may all go, so none of them holds another; what is kept goes after them.
    is_kept = left.name.startswith(KEPT)
    ours = () if is_kept else (f"--exclude={_PREFIX}*",)
    words = ("rev-list", "--count", left.ref, "--not", *ours, "--branches")
    stale = () if pushed is None else pushed.stale
    said = read_git(root, *words, *(f"--exclude={each}" for each in stale), "--remotes")
    count = said.out.strip()
    if said.code == 0 and count == "0":
        return ""
    lost = "1 commit is" if count == "1" else f"{count or 'its'} commits are"
    silent = () if pushed is None else pushed.silent
    seen = f" that is seen now: {', '.join(silent)} was not reached" if silent else ""
    drop = f"; if nobody wants it: {name_git(root)} update-ref -d {left.name}" if is_kept else ""
    return f"{lost} on no other branch{seen}{drop}"


@frozen
class SeenPushed:
    """What remotes say of the branches that were seen at them."""

    stale: tuple[str, ...] = ()  # names, or patterns of them, that count for nothing
    silent: tuple[str, ...] = ()  # remotes that were not reached


def ask_remotes(root: Path) -> SeenPushed:
    """Ask every remote which of the branches that were seen there it still has."""
    stale: list[str] = []
    silent: list[str] = []
    for remote in list_remotes(root):
        there = _list_there(root, remote)
        if there is None:
            silent.append(remote)
            stale.append(f"{remote}/*")
            continue
        seen = read_git(root, "for-each-ref", _ROWS, f"refs/remotes/{remote}/")
        for name, _, commit in (line.rpartition(" ") for line in seen.lines):
            branch = name.removeprefix(f"refs/remotes/{remote}/")
            now = there.get(branch, "")
            # What it was moved to counts only where it is known to hold what was there.
            if branch != "HEAD" and now != commit and not (now and is_ancestor(root, commit, now)):
                stale.append(f"{remote}/{branch}")
    return SeenPushed(stale=tuple(stale), silent=tuple(silent))


def _list_there(root: Path, remote: str) -> dict[str, str] | None:
    """Return where a remote has its branches now; None where it is not reached."""
    try:
        done = do_git(root, "ls-remote", "--heads", "--", remote, wait_ms=_REMOTE_WAIT_MS)
    except UnavailableError:
        return None
    if done.code != 0:
        return None
    rows = (line.partition("\t") for line in done.lines)
    return {ref.removeprefix("refs/heads/"): commit for commit, _, ref in rows}


def tell_staying(root: Path, left: Leftover, pushed: SeenPushed) -> str:
    """Return why a leftover stays, once the remotes were asked; empty where it may go."""
    if left.stays or left.is_folder:
        return left.stays
    return _tell_lost(root, left, pushed)


def prune(root: Path, left: Leftover, pushed: SeenPushed) -> str:
    """Take a leftover away; return why it stays, if it does.

    Raises: UnavailableError.
    """
    stays = tell_staying(root, left, pushed)
    if left.is_folder and not stays:
        stays = tell_lost_with(Path(left.name))  # the remotes took their time since it was listed
    if stays:
        return stays
    if left.is_folder:
        keep_left(root, Path(left.name), left.run_id, Path(left.name).name)
        done = do_git(root, "worktree", "remove", left.name)
        parent = Path(left.name).parent
        if done.code == 0 and not _list_below(parent):
            remove_tree(parent)
    else:
        where = checkouts(root).get(left.name)
        if where is not None and is_folder(where):
            return f"it is checked out in {where}"
        done = do_git(root, "update-ref", "-d", left.ref, left.commit)
    return "" if done.code == 0 else (done.err.splitlines() or ["git refused"])[-1]
