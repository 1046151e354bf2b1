"""The branches of a run as each remote has them: fetched, and forgotten where they were deleted.

Only what lies below `refs/remotes/<remote>/agent/<run-id>/` is touched. A commit that was only on
a branch that was deleted there, or replaced by force, stays under a name of our own; not where a
merged lane's branch was deleted: who did that was done with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agentx.host.files.disk import tells_no_room
from agentx.host.git.command import do_git, read_git
from agentx.host.git.kept.settings import list_remotes
from agentx.host.git.work import is_shallow_clone
from agentx.kernel.errors import UnavailableError
from agentx.runs.model import LaneStatus, Run
from agentx.runs.replies import UNSHALLOW
from agentx.runs.store.git_shared import is_replaced
from agentx.runs.store.shared.kept_commits import keep_commit, list_lost

_REMOTES_MAX = 5
_SHORT = 10
_FETCH_WAIT_MS = 20_000
# What git says of a hook, a lock or rights here; what a remote says begins with `remote: `.
_REFUSED_HERE = ("updates aborted by hook", "cannot lock ref", "unable to update local ref")


def fetch_run(root: Path, run: Run) -> tuple[list[str], list[str]]:
    """Fetch the branches of a run from every remote.

    Return what is gone there, and which was not reached, and why.
    """
    gone: list[str] = []
    silent: list[str] = []
    for remote in list_remotes(root)[:_REMOTES_MAX]:
        before = _list_seen(root, remote, run.id)
        why = _fetch(root, remote, run.id)
        gone += _list_gone(root, run, remote, before)  # also of one that was cut short
        if why:
            what, _, because = why.partition(": ")
            silent.append(f"{what}, so what others pushed is not seen: {because}")
    return gone, silent


def _fetch(root: Path, remote: str, run_id: str) -> str:
    """Fetch from a remote; return why that was not done."""
    refs = f"+refs/heads/agent/{run_id}/*:refs/remotes/{remote}/agent/{run_id}/*"
    try:
        done = do_git(
            *(root, "fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head"),
            *("--no-recurse-submodules", "--end-of-options", remote, refs),
            wait_ms=_FETCH_WAIT_MS,
        )
    except UnavailableError as error:
        return say_failed(remote, error.message)
    return "" if done.code == 0 else say_failed(remote, done.err)


def is_refused_here(err: str) -> bool:
    """Tell whether it was git here, and no remote, that ended a fetch: a hook, a lock, the disk."""
    return any(word in err for word in _REFUSED_HERE) or bool(find_no_room(err))


def find_no_room(err: str) -> str:
    """Return the line in which git says that the disk here is full; empty where it is not."""
    return next((line.strip() for line in err.splitlines() if tells_no_room(line)), "")


def say_failed(remote: str, err: str) -> str:
    """Return that a fetch failed, and why; who was not reached is said only of who was not."""
    why = say_why(find_no_room(err) or err, "git fetch failed")
    if not is_refused_here(err):
        return f"{remote} was not reached: {why}"
    return f"git here took in nothing of {remote}: {why}"


def say_why(err: str, otherwise: str) -> str:
    """Return what git says first of why it failed; the rest is advice."""
    first = next((line.strip() for line in err.splitlines() if line.strip()), otherwise)
    return first.removeprefix("fatal: ").removeprefix("error: ")


def _list_seen(root: Path, remote: str, run_id: str) -> dict[str, str]:
    """Return where a remote has the branches of a run, as last fetched."""
    words = ("--format=%(refname) %(objectname)", f"refs/remotes/{remote}/agent/{run_id}/")
    said = read_git(root, "for-each-ref", *words)
    rows = (line.rpartition(" ") for line in said.lines if said.code == 0)
    return {ref: commit for ref, _, commit in rows}


def _list_gone(root: Path, run: Run, remote: str, before: dict[str, str]) -> Iterator[str]:
    """Yield what went with branches that were deleted or replaced at a remote; keep what must not.

    What another branch holds here, or at a remote, is not lost and not spoken of; nor is what a
    rebase took over that somebody vouches for.
    """
    now = _list_seen(root, remote, run.id) if before else {}
    gone = {ref: commit for ref, commit in before.items() if now.get(ref) != commit}
    lost = list_lost(root, frozenset(gone.values()))
    merged = {lane.branch for lane in run.lanes.values() if lane.status is LaneStatus.MERGED}
    vouched = tuple(each for each in run.git.rebased if each.is_vouched)
    for ref, commit in gone.items():
        branch = ref.removeprefix(f"refs/remotes/{remote}/")
        is_there = ref in now
        if commit not in lost or (is_there and is_replaced(root, commit, now[ref], vouched)):
            continue
        how = f"{branch} was replaced at {remote}" if is_there else f"{remote} has {branch} no more"
        what = f"{how}; {commit[:_SHORT]}, which only it had,"
        if branch in merged and not is_there:
            yield f"{what} went with it"
            continue
        try:
            yield f"{what} stays here as {keep_commit(root, run.id, branch, commit)}"
        except UnavailableError as error:
            yield f"{what} has no name here now, `git branch NAME {commit}`: {error.message}"


def check_reached(root: Path, run: Run) -> None:
    """See that every remote is asked and no history is cut off: what lacks is nowhere, then.

    Raises: UnavailableError.
    """
    for remark in fetch_run(root, run)[1]:
        raise UnavailableError(
            f"nobody knows whether it is gone: {remark}", hint="try again when it is reached"
        )
    if is_shallow_clone(root):
        raise UnavailableError(
            "nobody knows whether it is gone: this clone is shallow",
            hint=f"`{UNSHALLOW}`, then try again",
        )
