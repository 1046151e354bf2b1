"""What somebody began in a folder and is not over: a merge, a rebase, a series of picks, a bisect.

Each has its own way on and its own way back, and git refuses those of the others.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from agentx.host.files.plain import read_text
from agentx.host.git.command import name_git
from agentx.host.git.work import git_files
from agentx.kernel.values import frozen

MERGE = "a merge"
_SERIES = "sequencer/todo"


@frozen
class HalfWay:
    """What is not over, and how git is told to go on or to give it up."""

    what: str
    goes_on: str
    gives_up: str

    @property
    def says(self) -> str:
        """That it is not over."""
        return f"{self.what} is not over"

    def say_end(self, folder: Path) -> str:
        """Return how it is ended in a folder."""
        on = f"conclude it: {name_git(folder)} {self.goes_on}; or " if self.goes_on else ""
        return f"{on}give it up: {name_git(folder)} {self.gives_up}"


_REBASING = HalfWay(what="a rebase", goes_on="rebase --continue", gives_up="rebase --abort")
_PICKING = HalfWay(what="a pick", goes_on="cherry-pick --continue", gives_up="cherry-pick --abort")
_REVERTING = HalfWay(what="a revert", goes_on="revert --continue", gives_up="revert --abort")
# What lies in git's own folder meanwhile: of two that lie there the first is what was begun.
_MARKS = {
    "rebase-apply/applying": HalfWay(
        what="a git am", goes_on="am --continue", gives_up="am --abort"
    ),
    "rebase-merge": _REBASING,
    "rebase-apply": _REBASING,
    "MERGE_HEAD": HalfWay(what=MERGE, goes_on="commit", gives_up="merge --abort"),
    "CHERRY_PICK_HEAD": _PICKING,
    "REVERT_HEAD": _REVERTING,
    _SERIES: _PICKING,  # a commit of it was concluded by hand, and others are to come
    "BISECT_LOG": HalfWay(what="a bisect", goes_on="", gives_up="bisect reset"),
    "BISECT_START": HalfWay(what="a bisect", goes_on="", gives_up="bisect reset"),
}


def find_half_way(folder: Path) -> HalfWay | None:
    """Return what is not over in a folder; None where nothing is begun.

    Raises: UnavailableError.
    """
    places = git_files(folder, tuple(_MARKS))
    for where, (name, found) in zip(places, _MARKS.items(), strict=False):
        if where.exists():
            return _REVERTING if name == _SERIES and _is_reverting(where) else found
    return None


def _is_reverting(series: Path) -> bool:
    with suppress(OSError, ValueError):
        return read_text(series).startswith("revert")
    return False
