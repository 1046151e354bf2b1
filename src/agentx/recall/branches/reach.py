"""How far something reaches that was learnt on a branch: a rule over what git knows of branches.

    everywhere   its branch was merged, or nothing speaks against that: unknown counts as merged
    here         its branch is checked out, or what is checked out contains it
    elsewhere    its branch is there and not merged
    abandoned    its branch is gone and was never merged, or nobody touched it for months

A branch is merged when the default branch contains it, when its changes came in as other commits
(rebased or squashed), or when a merge names it. One that is gone goes by the last commit that is
known of it; one that was renamed by the branch that contains that commit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from agentx.kernel.clock import DAY_MS, Millis
from agentx.kernel.text import preview, printable
from agentx.kernel.values import frozen

ABANDONED_DAYS = 90
# A branch that was made so long after something was learnt on it is another of the same name.
_NAMESAKE_MS = 60 * 60 * 1000

_NAME_CHARS_MAX = 80
_LANDED = {
    "contained": "the default branch contains it",
    "picked": "the default branch has its commits as others",
    "squashed": "the default branch has its changes as one commit",
}
_UNTOLD = "git cannot tell whether it was merged, which counts as merged"


class Extent(StrEnum):
    """How far something reaches."""

    EVERYWHERE = "everywhere"
    HERE = "here"
    ELSEWHERE = "elsewhere"
    ABANDONED = "abandoned"


class Landing(StrEnum):
    """How something came into the default branch."""

    CONTAINED = "contained"
    PICKED = "picked"
    SQUASHED = "squashed"


@frozen
class Bond:
    """Where and when something was learnt."""

    branch: str
    head: str = ""  # what the branch was at then, if the default branch did not have that
    at_ms: int = 0
    is_start: bool = False  # the commit is only what a session began at: it may be the fork itself


@frozen
class BranchLine:
    """A line of commits: of a branch, or up to a commit."""

    tip: str
    landed: Landing | None = None
    holders: tuple[str, ...] = ()  # the branches that contain its tip, if it has not landed
    committed_ms: int = 0
    created_ms: int = 0  # of a branch: when it was made here; 0: not known
    authored_ms: int = 0  # of a branch: when its tip was written, however often it was rebased
    is_empty: bool = False  # of a branch: nothing was ever committed on it
    is_known: bool = True  # False: git could not say whether it landed


@frozen
class BranchFacts:
    """What git knows of the branches of a repository."""

    default: str = ""  # empty: nothing says which
    branches: Mapping[str, BranchLine] = field(default_factory=dict)
    commits: Mapping[str, BranchLine] = field(default_factory=dict)
    last_tips: Mapping[str, str] = field(default_factory=dict)  # of branches that are gone
    merges: Mapping[str, int] = field(default_factory=dict)  # branches that a merge names, and when


@frozen
class Reach:
    """How far something reaches, and by what that is known."""

    extent: Extent = Extent.EVERYWHERE
    branch: str = ""  # where it holds, as that is called now
    why: str = ""

    @property
    def mark(self) -> str:
        """Return what is said where it does not hold; empty where it does."""
        where = f"on {show_name(self.branch)}"
        if self.extent is Extent.ELSEWHERE:
            return f"{where}, not merged"
        return f"{where}, abandoned" if self.extent is Extent.ABANDONED else ""


def show_name(branch: str) -> str:
    """Return the name of a branch as it may be told: it is somebody else's text."""
    return preview(printable(branch), _NAME_CHARS_MAX)


def find_reach(learnt: Bond, facts: BranchFacts, here: str, now_ms: Millis) -> Reach:
    """Return how far something reaches, for who has `here` checked out: a branch, or a commit."""
    name = learnt.branch
    if not name:
        return Reach()
    if name == here:
        return Reach(extent=Extent.HERE, branch=name, why="it is checked out")
    if name == facts.default or not facts.default:
        return _everywhere(name, "it is the default branch" if facts.default else _UNTOLD)
    if facts.merges.get(name, 0) >= max(learnt.at_ms, 1):
        return _everywhere(name, "a merge names it")
    line = facts.branches.get(name)
    if line is None:
        return _find_gone(learnt, facts, here)
    return _find_there(learnt, line, facts, here, now_ms)


def _find_there(
    learnt: Bond, line: BranchLine, facts: BranchFacts, here: str, now_ms: Millis
) -> Reach:
    """Return how far something reaches whose branch is there."""
    name = learnt.branch
    was = _find_line(learnt, facts)
    is_same = was is not None and name in was.holders
    # A branch whose tip was written by then was there: it was rebased, or cloned, since.
    is_old = 0 < line.authored_ms <= learnt.at_ms + _NAMESAKE_MS and not line.is_empty
    if line.created_ms > learnt.at_ms + _NAMESAKE_MS and not is_same and not is_old:
        return _everywhere(name, "the branch of that name was made later")
    landed = was.landed if was is not None else None  # merged then, and the branch went on
    if landed is None and not (line.is_empty and learnt.at_ms >= line.created_ms):
        landed = line.landed
    if landed is not None:
        return _everywhere(name, _LANDED[landed])
    if not line.is_known:
        return _everywhere(name, _UNTOLD)
    if here in line.holders or (is_same and was is not None and here in was.holders):
        return Reach(extent=Extent.HERE, branch=name, why="what is checked out contains it")
    untouched_ms = now_ms - max(line.committed_ms, line.created_ms, learnt.at_ms)
    if untouched_ms > ABANDONED_DAYS * DAY_MS:
        why = f"untouched for {untouched_ms // DAY_MS} days"
        return Reach(extent=Extent.ABANDONED, branch=name, why=why)
    why = "nothing is committed on it" if line.is_empty else "the default branch does not have it"
    return Reach(extent=Extent.ELSEWHERE, branch=name, why=why)


def _find_line(learnt: Bond, facts: BranchFacts) -> BranchLine | None:
    """Return the line up to the commit that something was learnt at, if that says anything.

    Where a session began on a fresh branch, the default branch has that commit from the start.
    """
    line = facts.commits.get(learnt.head)
    if line is not None and learnt.is_start and line.landed is Landing.CONTAINED:
        return None
    return line


def _find_gone(learnt: Bond, facts: BranchFacts, here: str) -> Reach:
    """Return how far something reaches whose branch is gone, by the last that is known of it."""
    name = learnt.branch
    last = facts.commits.get(facts.last_tips.get(name, ""))
    lines = [line for line in (last, _find_line(learnt, facts)) if line is not None]
    if not lines:
        return _everywhere(name, "the branch is gone, and nothing is known of its commits")
    for line in lines:
        if line.landed is not None:
            return _everywhere(name, _LANDED[line.landed])
        if not line.is_known:
            return _everywhere(name, _UNTOLD)
    for line in lines:
        if here in line.holders:
            return Reach(extent=Extent.HERE, branch=name, why="what is checked out contains it")
    for line in lines:
        if line.holders:
            why = f"the branch is gone; {show_name(line.holders[0])} contains its commits"
            return Reach(extent=Extent.ELSEWHERE, branch=line.holders[0], why=why)
    why = "the branch is gone and was not merged"
    return Reach(extent=Extent.ABANDONED, branch=name, why=why)


def _everywhere(name: str, why: str) -> Reach:
    return Reach(branch=name, why=why)
