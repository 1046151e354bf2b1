"""What a merge, rebase or reset of ours writes: all else in its folder is somebody's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agentx.host.git.command import read_git
from agentx.host.git.mending.snapshot import Snapshot
from agentx.host.git.work import commit_of, is_ancestor, merge_trees
from agentx.kernel.values import frozen

REBASE = "rebase"
_RESET = "reset"
_ABSENT = "000000"
_UNMERGED = "U"
# Git writes one file at a time: only so many may be cut off half-way.
_CUT_OFF_MAX = 8
_REPLAYED_MAX = 500
_AS_ROWS = ("--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none")

Entry = tuple[str, str]  # mode and blob


@frozen
class Doing:
    """What git did in a folder when it was cut short."""

    what: str  # merge, rebase, reset
    before: str  # where the branch was
    commit: str  # what was merged, what it was put upon, or where it was to go


def is_commit_ours(folder: Path, doing: Doing, head: str) -> bool:
    """Tell whether a commit is where the branch was, or a step of a rebase of ours.

    A merge is over once its commit is there: whoever made that.
    """
    if head == doing.before:
        return True
    if doing.what != REBASE or not head:
        return False
    said = read_git(folder, "rev-list", "--max-count=1", "--parents", head)
    if said.out.split()[1:] == [doing.before, doing.commit]:
        return _tree_of(folder, head) == merge_trees(folder, doing.before, doing.commit)
    if not is_ancestor(folder, doing.commit, head):
        return False
    # Each commit upon the new base is one of the old, replayed without a change.
    sides = ("--cherry-pick", "--right-only", f"{doing.before}...{head}", f"^{doing.commit}")
    return read_git(folder, "rev-list", "--count", *sides).out.strip() == "0"


def list_theirs(folder: Path, doing: Doing, seen: Snapshot) -> tuple[str, ...]:
    """Return the files of a folder that hold what none of our steps writes.

    Raises: UnavailableError.
    """
    known: dict[str, set[Entry]] = {}
    for tree in _list_written(folder, doing):
        for name, old, new in _list_changes(folder, "diff-tree", "-r", doing.before, tree):
            known.setdefault(name, set()).update((old, new))
    for name, old, new in _list_replayed(folder, doing):
        known.setdefault(name, set()).update((old, new))
    odd = {
        name: new
        for name, _, new in _list_changes(folder, "diff-index", "--cached", doing.before)
        if new[0] != _UNMERGED and new not in known.get(name, ())
    }
    for name, _, new in _list_changes(folder, "diff-tree", "-r", doing.before, seen.files):
        # A file is taken away before it is written anew.
        is_gone = new[0] == _ABSENT and name in known
        if not is_gone and new not in known.get(name, ()):
            odd[name] = new
    return _list_whole(folder, odd, known)


def list_overwritten(folder: Path, seen: Snapshot) -> tuple[str, ...]:
    """Return the files of a folder that hold something else than HEAD has of them.

    Raises: UnavailableError.
    """
    odd: dict[str, Entry] = {}
    known: dict[str, set[Entry]] = {}
    for name, old, new in _list_changes(folder, "diff-tree", "-r", "HEAD", seen.files):
        if _ABSENT not in (old[0], new[0]):
            odd[name], known[name] = new, {old}
    return _list_whole(folder, odd, known)


def _list_whole(
    folder: Path, odd: dict[str, Entry], known: dict[str, set[Entry]]
) -> tuple[str, ...]:
    """Return the files that are not just the beginning of what was to be written."""
    if len(odd) > _CUT_OFF_MAX:
        return tuple(sorted(odd))
    return tuple(
        name for name in sorted(odd) if not _is_cut_off(folder, odd[name], known.get(name, set()))
    )


def _list_written(folder: Path, doing: Doing) -> Iterator[str]:
    """Yield the trees of which our steps write files."""
    yield doing.commit
    if doing.what == _RESET:
        return
    # The marks of a conflict name both sides as they were given.
    head = commit_of(folder, "HEAD")
    ours = "HEAD" if head == doing.before else doing.before
    merged = merge_trees(folder, ours, doing.commit)
    if merged:
        yield merged
    # What git wrote when it stopped at a conflict.
    said = read_git(folder, "rev-parse", "--verify", "--quiet", "AUTO_MERGE^{tree}")
    if said.code == 0:
        yield said.out.strip()


def _list_changes(folder: Path, *words: str) -> Iterator[tuple[str, Entry, Entry]]:
    """Yield each file that differs: its name, what it was and what it is."""
    what, *rest = words
    said = iter(read_git(folder, what, *_AS_ROWS, *rest, "--").names)
    for row, name in zip(said, said, strict=False):
        old_mode, new_mode, old, new, status = row.removeprefix(":").split()
        yield name, (old_mode, old), (status if status == _UNMERGED else new_mode, new)


def _list_replayed(folder: Path, doing: Doing) -> Iterator[tuple[str, Entry, Entry]]:
    """Yield what the commits change that a rebase replays, and those that it made of them."""
    if doing.what == REBASE:
        words = ("-m", "--format=", f"--max-count={_REPLAYED_MAX}", doing.before, "HEAD")
        yield from _list_changes(folder, "log", *words, f"^{doing.commit}")


def _is_cut_off(folder: Path, found: Entry, written: set[Entry]) -> bool:
    """Tell whether a file is the beginning of one that was to be written."""
    begun = _read_blob(folder, found)
    if begun is None:
        return False
    wholes = (_read_blob(folder, each) for each in written)
    return any(whole is not None and whole.startswith(begun) for whole in wholes)


def _read_blob(folder: Path, entry: Entry) -> str | None:
    mode, blob = entry
    if not mode.startswith("100"):  # no plain file
        return None
    said = read_git(folder, "cat-file", "blob", blob)
    return said.out if said.code == 0 else None


def _tree_of(folder: Path, commit: str) -> str:
    return read_git(folder, "rev-parse", "--verify", f"{commit}^{{tree}}").out.strip()
