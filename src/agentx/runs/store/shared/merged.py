"""What of a run is really merged.

An event says that a lane was merged; only its commits in the work branch make it so.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agentx.host.git.command import read_git
from agentx.host.git.work import checkouts, is_ancestor, is_shallow_clone
from agentx.runs.model import Lane, LaneStatus, Run
from agentx.runs.replies import Unmerged
from agentx.runs.store.git_shared import Pushed, find_work, list_here, list_outside, list_pushed
from agentx.runs.store.shared.copies import LaneCopies

_SHORT = 10
_WRITER_CHARS_MAX = 40


def find_unmerged(root: Path, run: Run, branch: str, copies: LaneCopies) -> tuple[Unmerged, ...]:
    """Return the lanes that count as merged and commits of which the work branch here lacks.

    An event says which commit holds the lane; what git has on the lane's branch counts as well,
    but for a mere copy here of one that another checkout has.
    """
    merged = [lane for lane in run.lanes.values() if lane.status is LaneStatus.MERGED]
    if not merged:
        return ()
    tip = find_work(root, run, branch)
    commits = frozenset(lane.merged_as for lane in merged if lane.merged_as)
    here = list_here(root, commits)
    out = list_outside(root, here, tip)
    left = _find_left(root, run, merged, tip)
    found = []
    for lane in merged:
        commit, ends, doubted = lane.merged_as, left.get(lane.branch, ()), ""
        is_away = copies.is_away(lane)
        if is_away and ends:
            ends = _leave_copy(ends, is_copy=copies.is_copy(run.id, lane))
        if not tip:
            nor = f", nor in {run.git.base_branch}" if run.over else ""
            why = f"the work branch {branch} is not here{nor}"
        elif not commit:
            why = "no commit was recorded"
        elif commit not in here:
            why = f"{commit[:_SHORT]} is not in this repository"
        elif commit in out:
            why = f"{commit[:_SHORT]} is not in {branch}"
        elif ends:
            doubted = _find_doubted(root, run, ends, tip)
            why = _say_left(root, ends, branch) + _say_doubted(doubted)
        else:
            continue
        is_elsewhere = not tip or commit not in here or commit in out
        found.append(
            Unmerged(
                lane=lane.id,
                task=lane.task,
                commit=commit,
                why=why,
                is_elsewhere=is_elsewhere,
                is_here=commit in out,
                is_pushed=commit in out and _is_pushed(root, branch, commit),
                lacks_branch=not tip and commit in here,
                left=tuple(each.name for each in ends),
                is_persons=is_away and bool(ends) and not ends[0].remote,
                folder=_find_folder(root, ends),
                doubted=doubted,
                is_over=run.over,
            )
        )
    if any(not each.lacks_branch for each in found) and is_shallow_clone(root):
        return tuple(each if each.lacks_branch else _leave_unsaid(each) for each in found)
    return tuple(found)


def _is_pushed(root: Path, branch: str, commit: str) -> bool:
    return any(is_ancestor(root, commit, each.commit) for each in list_pushed(root, branch))


def _leave_unsaid(found: Unmerged) -> Unmerged:
    """Return a lane of which git cannot tell whether it is merged: history is cut off here."""
    return replace(
        found,
        why="this clone is shallow: git cannot tell here",
        is_elsewhere=True,
        is_here=False,
        left=(),
        is_persons=False,
        folder="",
        is_shallow=True,
    )


def _find_left(root: Path, run: Run, merged: list[Lane], tip: str) -> dict[str, tuple[Pushed, ...]]:
    """Return where the branches of lanes are, here or at a remote, that hold more than `tip`.

    What a recorded rebase took over is held by it.
    """
    ends = _list_ends(root, run.id, {lane.branch for lane in merged}) if tip else ()
    out = list_outside(root, frozenset(each.commit for _, each in ends), tip)
    if out and run.git.rebased:
        took = (each for each in run.git.rebased if each.is_vouched)
        known = [each for each in took if is_ancestor(root, each.commit, tip)]
        old = {name for each in known for name in (each.before, *each.took) if name}
        out = list_outside(root, out, tip, *sorted(list_here(root, frozenset(old))))
        out = frozenset(each for each in out if not _is_replayed(root, each, tip))
    found: dict[str, dict[str, Pushed]] = {}
    for branch, each in ends:
        if each.commit in out:
            found.setdefault(branch, {}).setdefault(each.commit, each)
    return {branch: tuple(there.values()) for branch, there in found.items()}


def _find_doubted(root: Path, run: Run, ends: tuple[Pushed, ...], tip: str) -> str:
    """Return who says that a rebase of theirs holds all that is left, and is not trusted here."""
    for each in run.git.rebased:
        if each.is_vouched or not _is_plain(each.writer) or not is_ancestor(root, each.commit, tip):
            continue
        old = list_here(root, frozenset({each.before, *each.took} - {""}))
        if not list_outside(root, frozenset(end.commit for end in ends), tip, *sorted(old)):
            return each.writer
    return ""


def _is_plain(writer: str) -> bool:
    """Tell whether a name may stand in a command: anybody may have written it."""
    return writer.isascii() and writer.isalnum() and len(writer) <= _WRITER_CHARS_MAX


def _say_doubted(writer: str) -> str:
    return f"; {writer}, whom you do not trust, says that a rebase holds it" if writer else ""


def _leave_copy(ends: tuple[Pushed, ...], *, is_copy: bool) -> tuple[Pushed, ...]:
    """Return ends of a lane that another checkout has: what was pushed counts before what is here.

    A copy here that nothing was added to says nothing that a remote does not say, or took back.
    """
    pushed = tuple(each for each in ends if each.remote)
    return pushed if pushed or is_copy else ends


def _find_folder(root: Path, ends: tuple[Pushed, ...]) -> str:
    """Return where the branch is checked out that holds what is left; empty where it is not."""
    if not ends or ends[0].remote:
        return ""
    return str(checkouts(root).get(ends[0].name, ""))


def list_held(root: Path, run: Run, tip: str) -> tuple[str, ...]:
    """Return where the branches of merged lanes are all of which a commit holds."""
    merged = [lane for lane in run.lanes.values() if lane.status is LaneStatus.MERGED]
    ends = _list_ends(root, run.id, {lane.branch for lane in merged})
    left = _find_left(root, run, merged, tip)
    out = {each.commit for there in left.values() for each in there}
    return tuple(sorted({each.commit for _, each in ends} - out))


def _list_ends(root: Path, run_id: str, branches: set[str]) -> tuple[tuple[str, Pushed], ...]:
    """Return branches of a run with where they are, here and at each remote, by asking once."""
    patterns = (f"refs/heads/agent/{run_id}/", f"refs/remotes/**/agent/{run_id}/*")
    said = read_git(root, "for-each-ref", "--format=%(refname:short) %(objectname)", *patterns)
    rows = (line.rpartition(" ") for line in said.lines if said.code == 0)
    found = (
        (name[name.find(f"agent/{run_id}/") :], Pushed(name=name, commit=commit))
        for name, _, commit in rows
    )
    return tuple((branch, each) for branch, each in found if branch in branches)


def _is_replayed(root: Path, commit: str, tip: str) -> bool:
    """Tell whether a branch makes every change of a commit's history, though by other commits.

    What was put together in a merge cannot be told so.
    """
    if read_git(root, "rev-list", "--merges", "--max-count=1", commit, "--not", tip).lines:
        return False
    words = ("--cherry-pick", "--right-only", "--no-merges", "--max-count=1")
    said = read_git(root, "rev-list", *words, f"{tip}...{commit}")
    return said.code == 0 and not said.lines


def _say_left(root: Path, ends: tuple[Pushed, ...], branch: str) -> str:
    first = ends[0]
    words = ("rev-list", "--count", first.commit, "--not", f"refs/heads/{branch}")
    count = read_git(root, *words).out.strip()
    many = "1 commit" if count == "1" else f"{count or 'some'} commits"
    are = "is" if count == "1" else "are"
    where = f" at {first.remote}" if first.remote else ""
    return f"{many} on its branch{where} {are} not in the work branch: {first.commit[:_SHORT]}"
