"""Branches that were replaced at their remote: what lies here of them that was there once.

    runs/seen/<run-id>/<lane>     where a lane's branch was at remotes when AgentX looked

Git's own log of a remote's branch knows more, where git keeps one. What was there once and is
there no more was taken out: a merge would bring it back. What was never there is put onto what
replaced it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.plain import is_folder, read_bytes
from agentx.host.git.command import name_git, read_git
from agentx.host.git.work import is_ancestor
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen
from agentx.runs.model import Lane, Run
from agentx.runs.paths import RunNotes
from agentx.runs.store.git_shared import (
    Pushed,
    find_pushed,
    list_branches,
    list_here,
    list_pushed,
)

_SHORT = 10
_MOVES_MAX = 200  # of a remote's branch that are looked at
_SEEN_MAX = 50


@frozen
class Replaced:
    """What lies here of a branch that was replaced at its remote."""

    by: Pushed
    last: str  # the last commit of it that was there once
    is_all: bool  # nothing was added to that here

    def say_onto(self, folder: Path, branch: str) -> str:
        """Return the command that puts what was added here onto what is there now."""
        made = f"git worktree add {shlex.quote(str(folder))} {branch} && "
        there = "" if is_folder(folder) else made
        return f"{there}{name_git(folder)} rebase --onto {self.by.name} {self.last[:_SHORT]}"


class SeenBranches:
    """Where the lanes' branches of one repository were at its remotes."""

    def __init__(self, root: Path, notes: RunNotes) -> None:
        self._root = root
        self._notes = notes

    def note(self, run: Run) -> None:
        """Note where the branches of a run are at remotes now, of lanes that are here as well."""
        here = list_branches(self._root, run.id)
        if not here:
            return
        there: dict[str, list[str]] = {}
        for each in list_pushed(self._root, f"agent/{run.id}/*"):
            there.setdefault(each.name.removeprefix(f"{each.remote}/"), []).append(each.commit)
        for lane in run.lanes.values():
            if lane.branch in here and lane.branch in there:
                self._add(run.id, lane.id, there[lane.branch])

    def _add(self, run_id: str, lane: str, commits: Iterable[str]) -> None:
        path, known = self._notes.places(run_id, lane), self._list(run_id, lane)
        seen = dict.fromkeys((*known, *commits))
        if len(seen) == len(known):
            return
        with suppress(AgentXError, OSError):  # git's own log knows it as well, as a rule
            make_private_directory(path.parent)
            text = "".join(f"{commit}\n" for commit in tuple(seen)[-_SEEN_MAX:])
            replace_file(path, text.encode("ascii"), is_synced=False)

    def _list(self, run_id: str, lane: str) -> tuple[str, ...]:
        try:
            said = read_bytes(self._notes.places(run_id, lane)).decode("ascii", "replace")
        except OSError:
            return ()
        return tuple(said.split())

    def find_replaced(self, run: Run, lane: Lane, here: str, copied: str = "") -> Replaced | None:
        """Return what was once at a remote of what a lane has here, and is there no more.

        `copied` is a commit of which the branch was made here.
        """
        tip = find_pushed(self._root, lane.branch, lane.commit)
        if tip in ("", here) or is_ancestor(self._root, here, tip):
            return None
        pushed = list_pushed(self._root, lane.branch)
        logged = (commit for each in pushed for commit in _list_moves(self._root, each.name))
        known = frozenset((*self._list(run.id, lane.id), copied, *logged)) - {""}
        own, ends = _split(self._root, here, list_here(self._root, known))
        gone = (end for end in ends if not is_ancestor(self._root, end, tip))
        last, by = next(gone, ""), next(each for each in pushed if each.commit == tip)
        return Replaced(by=by, last=last, is_all=not own) if last else None


def _split(root: Path, here: str, known: frozenset[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return which commits of a branch none that are known hold, and on which they stand."""
    if not known:
        return (), ()
    said = read_git(root, "rev-list", "--boundary", here, "--not", *sorted(known))
    rows = said.lines if said.code == 0 else ()
    own = tuple(row for row in rows if not row.startswith("-"))
    ends = tuple(row[1:] for row in rows if row.startswith("-")) if own else (here,)
    if len(ends) > 1:
        last = read_git(root, "merge-base", "--independent", *ends).lines
        ends = tuple(each for each in ends if each in last)
    return own, ends if said.code == 0 else ()


def _list_moves(root: Path, name: str) -> tuple[str, ...]:
    words = ("reflog", "show", f"--max-count={_MOVES_MAX}", "--format=%H", f"refs/remotes/{name}")
    said = read_git(root, *words)
    return tuple(dict.fromkeys(said.lines)) if said.code == 0 else ()
