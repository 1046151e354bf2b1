"""Whether what git holds of some folders was made in this repository, or came from elsewhere.

By git's own log of what was done here, which no clone carries. What was committed here is one's
own. What git made of one's own commits (a revert, a rebase, a pick, a merge) is so too, where it
adds no line but theirs. What is staged is as much one's own as the files themselves, except for
lines that a commit from elsewhere brought. What git cannot say may be anything.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path

from agentx.host.files.plain import read_text
from agentx.host.git.command import ask_git
from agentx.host.git.facts import PLAIN_DIFF
from agentx.kernel.text import compile_late

# How git's log of what was done begins for a commit of one's own: "commit (cherry-pick)" is none.
_COMMITTED = tuple(
    f"--grep-reflog=^commit{how}: " for how in ("", " (initial)", " (amend)", " (merge)")
)
# And where git made a commit of others.
_REMADE = (
    "--extended-regexp",
    *(r"--grep-reflog=^(revert|cherry-pick): ", r"--grep-reflog=^commit \(cherry-pick\): "),
    r"--grep-reflog=^(rebase|pull)[^:]*\((pick|reword|edit|squash|fixup|merge|continue)\): ",
    r"--grep-reflog=^(merge|pull)[^:]*: Merge made by ",
)
_KEPT = "--grep-reflog=^fast-import"  # as AgentX writes a branch of its own (`own_branch`)
# Where git notes what it brings in and is not done with, and what it fetched last.
_PENDING, _FETCHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"), ("FETCH_HEAD",)
_APPLYING = "rebase-apply"  # patches, which are no commits
_NOTE_BYTES_MAX = 1024 * 1024
# All that can be reached, and not only what a branch still has of it; what was put aside is ours.
_ANYWHERE = ("--full-history", "--ignore-missing", "--exclude=refs/stash", "--all")
_COMMITS_MAX = 2_000  # whose lines are compared: a command line has room for them
_LINES = ("--patch", "--unified=0", "--text", "--no-color", "--src-prefix=a/", "--dst-prefix=b/")
_SETTINGS = ("log.showRoot=true", "diff.noprefix=false", "diff.mnemonicPrefix=false")
_HASH = compile_late(r"(?m)^(?:[0-9a-f]{64}|[0-9a-f]{40})\b")
_UNCLEAR = compile_late(r"(?:^|\0):\d+ 160000 ")  # another repository: git knows nothing of it
_UNMERGED = compile_late(r"(?:^|\0):[^\0]* U\0")

Lines = AbstractSet[tuple[str, str]]  # each with its file, as git names it in a comparison


class _NoAnswerError(Exception):
    """Git did not say."""


def is_made_here(
    path: Path, common: Path, *folders: str, head: str, known: Collection[str] = ()
) -> bool:
    """Tell whether all that git tracks of folders below the root was made in this repository.

    `common` is git's own folder, where it notes what it is about; `head` the commit that is checked
    out, if there is one. `known` are commits of which this was true: git's log goes back some
    months.
    """
    look = _Look(path, tuple(f":(top,icase){folder}" for folder in folders), head)
    try:
        pending = _read_hashes(common, _PENDING)
        made = look.list_done(*_COMMITTED)
        others = look.list_since(known, head, *pending) - made if head else frozenset()
        if others and not _is_remade(look, others):
            return False
        staged = look.list_staged()
        if not staged:
            return True
        if _UNCLEAR.search(staged) or os.path.lexists(common / _APPLYING):
            return False
        if _UNMERGED.search(staged) and not pending:
            return False  # it is noted nowhere what the other side was
        fetched = _read_hashes(common, _FETCHED)
        foreign = look.list_commits(*_ANYWHERE, *look.list_stations(), *fetched) - made - others
        if foreign:
            foreign -= look.list_done(_KEPT)
            foreign -= look.list_commits("--ignore-missing", *known) if known else frozenset()
        brought = look.find_staged() & look.find_added(foreign) if foreign else frozenset()
        return not brought or brought <= look.find_own()
    except _NoAnswerError:
        return False


def _is_remade(look: _Look, others: AbstractSet[str]) -> bool:
    """Tell whether git made commits here, with no line but what commits of one's own added."""
    return others <= look.list_done(*_REMADE) and look.find_added(others) <= look.find_own()


class _Look:
    """What git says of some folders."""

    def __init__(self, path: Path, named: tuple[str, ...], head: str) -> None:
        self._path = path
        self._named = named
        self._head = head

    def list_stations(self) -> AbstractSet[str]:
        """Return where this checkout was, also on what no branch has any more."""
        said = self._ask("rev-list", "--walk-reflogs", "HEAD") if self._head else ""
        return frozenset(said.split()[:_COMMITS_MAX])

    def list_done(self, *kinds: str) -> AbstractSet[str]:
        """Return the commits of which git's log says that they were made here in such ways."""
        return frozenset(self._ask("rev-list", "--walk-reflogs", "--all", *kinds).split())

    def list_commits(self, *tips: str) -> AbstractSet[str]:
        """Return the commits that changed the folders."""
        return frozenset(self._ask("rev-list", *tips, "--", *self._named).split())

    def list_since(self, known: Collection[str], *tips: str) -> AbstractSet[str]:
        """Return those of them that came after what is known; all where git lost that."""
        if known:
            with suppress(_NoAnswerError):
                return self.list_commits(*tips, "--not", *known)
        return self.list_commits(*tips)

    def list_staged(self) -> str:
        """Return what is staged and not committed, in git's words."""
        told = ("--cached", "--raw", "-z", "--no-renames", "--ignore-submodules=none")
        return self._ask("diff-index", *told, self._find_base(), "--", *self._named)

    def find_staged(self) -> Lines:
        """Return the lines that are staged and not committed."""
        words = (
            "diff-index",
            "--cached",
            *_LINES,
            *PLAIN_DIFF,
            self._find_base(),
            "--",
            *self._named,
        )
        return _read_added(self._ask(*words))

    def find_added(self, commits: Iterable[str]) -> Lines:
        """Return the lines that commits added; a merge those that none of its sides had."""
        asked = sorted(commits)
        if len(asked) > _COMMITS_MAX:
            raise _NoAnswerError
        return self._find_added("--no-walk=unsorted", *asked)

    def find_own(self) -> Lines:
        """Return the lines that were committed here."""
        return self._find_added("--walk-reflogs", "--all", *_COMMITTED)

    def _find_base(self) -> str:
        # Before the first commit everything is new.
        return self._head or self._ask("hash-object", "-t", "tree", "--stdin")

    def _find_added(self, *which: str) -> Lines:
        words = ("log", "--format=", "-c", *_LINES, *PLAIN_DIFF, *which, "--", *self._named)
        return _read_added(self._ask(*words))

    def _ask(self, *words: str) -> str:
        said = ask_git(self._path, *words, settings=_SETTINGS, is_costly=True)
        if said is None or said.code != 0:
            raise _NoAnswerError
        return said.out.removesuffix("\n")


def _read_added(told: str) -> Lines:
    """Return the added lines of a comparison."""
    found = set[tuple[str, str]]()
    name, sides = "", 0
    for row in told.split("\n"):
        if row.startswith("@@"):
            sides = len(row) - len(row.lstrip("@")) - 1
        elif row.startswith("diff --"):
            sides = 0
        elif sides and row.startswith("+" * sides):
            found.add((name, row[sides:]))
        elif not sides and row.startswith("+++ "):
            name = row
    return found


def _read_hashes(common: Path, names: Iterable[str]) -> tuple[str, ...]:
    found: list[str] = []
    for name in names:
        try:
            found += _HASH.findall(read_text(common / name, bytes_max=_NOTE_BYTES_MAX))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            raise _NoAnswerError from error
    return tuple(found)
