"""What of a run is not in git here, and what mends it.

Pure: git said what lacks.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace

from agentx.kernel.errors import IllegalTransition
from agentx.kernel.ids import shorten_run
from agentx.runs.model import Run
from agentx.runs.replies import REOPEN, UNSHALLOW, GoneCommit, NextStep, Unmerged, say_push_all

_SHORT = 10


def list_unshallow_steps(
    run: Run, unmerged: tuple[Unmerged, ...], gone: tuple[GoneCommit, ...]
) -> Iterator[NextStep]:
    """Yield what to do where history is cut off: what of a run is here cannot be told before."""
    lanes = [each.lane for each in unmerged if each.is_shallow]
    lacks = [each.commit[:_SHORT] for each in gone if each.is_shallow]
    names = tuple(dict.fromkeys(lanes or lacks))
    if names:
        yield NextStep(
            text=f"this clone is shallow: git cannot tell what of {', '.join(names[:3])} is here; "
            "bring its history",
            command=f"{UNSHALLOW}; agentx run resume {run.id}",
        )


def list_lost_steps(
    run: Run, unmerged: tuple[Unmerged, ...], name_remote: Callable[[str], str]
) -> Iterator[NextStep]:
    """Yield what to do about lanes that count as merged and are not in the work branch here.

    Of a run that is over nothing is merged before it is taken up again. `name_remote` says which
    remote is meant for a branch.
    """
    for step in _list_lost_steps(run, unmerged, name_remote):
        is_refused = run.over and step.command.endswith(_merges(unmerged))
        named = f"{step.command} --run {shorten_run(run.id)}"
        text = f"{step.text} ({named}); first take the run up again"
        yield replace(step, text=text, command=REOPEN) if is_refused else step


def _merges(unmerged: tuple[Unmerged, ...]) -> tuple[str, ...]:
    return tuple(f"agentx run lane merge {each.lane}" for each in unmerged)


def _list_lost_steps(
    run: Run, unmerged: tuple[Unmerged, ...], name_remote: Callable[[str], str]
) -> Iterator[NextStep]:
    unmerged = tuple(each for each in unmerged if not each.is_shallow)
    again = [each for each in unmerged if each.is_here and not each.is_pushed]
    elsewhere = [each for each in unmerged if each.is_elsewhere and each not in again]
    if elsewhere:
        names = ", ".join(each.lane for each in elsewhere[:3])
        push = say_push_all(run.id, name_remote(run.git.work_branch))
        ways = f"take in what was pushed; where it was not yet, who merged pushes it first ({push})"
        then = f"agentx run resume {run.id}"
        what = "merged elsewhere, and not in the work branch here"
        if all(each.is_pushed for each in elsewhere):
            ways = "it is in this repository: mend what keeps the work branch from it, then"
            then = REOPEN if run.over else then
        elif all(each.lacks_branch for each in elsewhere):
            what, ways = "merged", "its commits are here: the branch is made anew by"
            if run.over:
                ways = (
                    f"where {run.git.base_branch} took it over in other commits all is well; else"
                )
                then = f"git branch {run.git.work_branch} {run.git.latest_commit[:_SHORT]}"
        yield NextStep(text=f"{names}: {what} ({elsewhere[0].why}); {ways}", command=then)
    for each in again:
        yield NextStep(
            text=f"{each.lane} counts as merged, but {each.why}: merge it once more",
            command=_say_merge(run, each),
            takes=each.is_persons,
        )
    for each in unmerged:
        if each.doubted:
            yield NextStep(
                text=f"{each.lane} counts as merged, but {each.why}; believe them, or take it in "
                f"once more (agentx run lane merge {each.lane} --run {shorten_run(run.id)})",
                command=f"agentx trust --writer {each.doubted}",
                takes=True,
            )
        elif not each.is_elsewhere:
            yield NextStep(
                text=f"{each.lane} counts as merged, but {each.why}; where nobody wants that: "
                f"{_say_delete(each)}; else "
                + ("a person takes it in" if each.is_persons else "take it in"),
                command=f"agentx run lane merge {each.lane}",
                takes=each.is_persons,
            )


def _say_merge(run: Run, lost: Unmerged) -> str:
    """Return what merges a lane once more whose commit is here; its branch may be gone."""
    lane, merge = run.lanes[lost.lane], f"agentx run lane merge {lost.lane}"
    return merge if lost.left else f"git branch {lane.branch} {lost.commit[:_SHORT]}; {merge}"


def list_gone_steps(run: Run, gone: tuple[GoneCommit, ...]) -> Iterator[NextStep]:
    """Yield what to do about commits that the run stands on and that are not here."""
    by_commit = {each.commit: each for each in reversed(gone) if not each.is_shallow}
    for each in by_commit.values():
        short = each.commit[:_SHORT]
        yield NextStep(
            text=f"{short}, {each.what}, is not in this repository: take in what was pushed; where "
            "it was not yet, who made it pushes it first; only where it is gone for good a person "
            f"goes on without it (`agentx run resume {run.id} --without {short}`)",
            command=f"agentx run resume {run.id}",
        )


def refuse_unmerged(run: Run, lost: Unmerged) -> IllegalTransition:
    """Return that a lane which counts as merged keeps a run from going on."""
    does = "makes it anew" if lost.lacks_branch else "says what to do"
    hint = f"`agentx run resume {run.id}` {does}"
    return IllegalTransition(
        f"{lost.lane} counts as merged, but {lost.why}",
        hint=f"`{UNSHALLOW}`, then try again" if lost.is_shallow else hint,
    )


def say_mending(run_id: str, lost: Unmerged | GoneCommit) -> str:
    """Return in a line what to do about something of a run that is not here."""
    if lost.is_shallow:
        return f"`{UNSHALLOW}`, then `agentx run resume {run_id}`"
    if isinstance(lost, GoneCommit):
        return (
            "who made it pushes it; where it is gone for good: "
            f"`agentx run resume {run_id} --without {lost.commit[:_SHORT]}`"
        )
    named = f"--run {shorten_run(run_id)}"  # a lane is called the same in each run of a checkout
    again = f"`{REOPEN} {named}`, then " if lost.is_over else ""
    merge = f"{again}`agentx run lane merge {lost.lane} {named}`"
    if lost.doubted:
        return f"`agentx trust --writer {lost.doubted}`, or {merge}"
    if (lost.is_here and not lost.is_pushed) or not lost.is_elsewhere:
        return f"{merge} takes that in"
    if lost.is_over and lost.lacks_branch:
        return f"git has its commits here, and no branch: `agentx run show {shorten_run(run_id)}`"
    by = "" if lost.lacks_branch else "who merged it pushes the run's branches; then "
    return f"{by}`agentx run resume {run_id}`"


def _say_delete(left: Unmerged) -> str:
    """Return what takes a branch away: here, or at a remote and as last seen of it."""
    branch = left.left[0]
    remote, _, name = branch.partition("/agent/")
    if not name:
        folder = f"git worktree remove {shlex.quote(left.folder)}; " if left.folder else ""
        return f"{folder}git branch -D {branch}"
    return f"git push {remote} --delete agent/{name}; git branch -r -d {branch}"
