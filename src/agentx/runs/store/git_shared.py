"""What git knows of a run that several clones work on: what was pushed, what is really merged.

An event says that a lane was merged; only its commit in the work branch makes it so. A clone that
has the event and not the commit says that, and builds on nothing else meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from agentx.host.git.command import do_git, read_git
from agentx.host.git.work import commit_of, is_ancestor
from agentx.kernel.errors import NotFound, UnavailableError
from agentx.kernel.values import frozen
from agentx.runs.model import LaneStatus, Run, RunEvent
from agentx.runs.replies import Unmerged

_REMOTES_MAX = 5
_SHORT = 10
_FETCH_WAIT_MS = 20_000


@frozen
class Pushed:
    """Where a branch of a run is on a remote, as last seen."""

    name: str  # origin/agent/<run-id>/work
    commit: str


def fetch_run(root: Path, run_id: str) -> tuple[str, ...]:
    """Fetch the branches of a run from every remote; return what could not be reached."""
    said = read_git(root, "remote")
    remarks = []
    for remote in said.lines[:_REMOTES_MAX] if said.code == 0 else ():
        refs = f"+refs/heads/agent/{run_id}/*:refs/remotes/{remote}/agent/{run_id}/*"
        try:
            done = do_git(
                *(root, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head"),
                *("--no-recurse-submodules", "--end-of-options", remote, refs),
                wait_ms=_FETCH_WAIT_MS,
            )
            why = "" if done.code == 0 else (done.err.splitlines() or ["git fetch failed"])[-1]
        except UnavailableError as error:
            why = error.message
        if why:
            remarks.append(f"{remote} was not reached, so what others pushed is not seen: {why}")
    return tuple(remarks)


def list_pushed(root: Path, branch: str) -> tuple[Pushed, ...]:
    """Return where a branch is on each remote, as last fetched."""
    pattern = f"refs/remotes/*/{branch}"
    said = read_git(root, "for-each-ref", "--format=%(refname:short) %(objectname)", pattern)
    rows = (line.rpartition(" ") for line in said.lines if said.code == 0)
    return tuple(Pushed(name=name, commit=commit) for name, _, commit in rows)


def is_replaced(root: Path, old: str, new: str, events: Iterable[RunEvent]) -> bool:
    """Tell whether a recorded rebase that `new` holds took over all that `old` holds."""
    for event in events:
        before = event.text("before")
        if event.kind != "work-rebased" or not before:
            continue
        took = old == before or is_ancestor(root, old, before)
        if took and is_ancestor(root, event.text("commit"), new):
            return True
    return False


def check_latest(root: Path, run: Run) -> None:
    """See that what the run stands on is here.

    Raises: NotFound.
    """
    latest = run.git.latest_commit
    if not run.git.work_branch or not latest or commit_of(root, latest):
        return
    raise NotFound(
        f"{latest[:_SHORT]}, the last commit of {run.git.work_branch}, is not in this repository",
        hint="who made it pushes it, then try again: "
        f"git push origin 'refs/heads/agent/{run.id}/*:refs/heads/agent/{run.id}/*'",
    )


def find_unmerged(root: Path, run: Run, branch: str) -> tuple[Unmerged, ...]:
    """Return the lanes that count as merged and whose commits the work branch here lacks."""
    merged = [lane for lane in run.lanes.values() if lane.status is LaneStatus.MERGED]
    if not merged:
        return ()
    tip = commit_of(root, f"refs/heads/{branch}")
    tip = tip or next((each.commit for each in list_pushed(root, branch)), "")
    commits = frozenset(lane.merged_as for lane in merged if lane.merged_as)
    here = _list_here(root, commits)
    out = _list_outside(root, here, tip)
    found = []
    for lane in merged:
        commit = lane.merged_as
        if not tip:
            why = f"the work branch {branch} is not here"
        elif not commit:
            why = "no commit was recorded"
        elif commit not in here:
            why = f"{commit[:_SHORT]} is not in this repository"
        elif commit in out:
            why = f"{commit[:_SHORT]} is not in {branch}"
        else:
            continue
        found.append(Unmerged(lane=lane.id, task=lane.task, commit=commit, why=why))
    return tuple(found)


def _list_here(root: Path, commits: frozenset[str]) -> frozenset[str]:
    """Return the commits that this repository has, by asking git once."""
    if not commits:
        return commits
    words = ("rev-list", "--no-walk", "--ignore-missing", "--end-of-options", *sorted(commits))
    said = read_git(root, *words)
    return commits & frozenset(said.lines) if said.code == 0 else frozenset()


def _list_outside(root: Path, commits: frozenset[str], tip: str) -> frozenset[str]:
    """Return the commits that are not part of a branch's history, by asking git once."""
    if not commits or not tip:
        return frozenset()
    said = read_git(root, "rev-list", *sorted(commits), "--not", tip)
    return commits & frozenset(said.lines) if said.code == 0 else commits
