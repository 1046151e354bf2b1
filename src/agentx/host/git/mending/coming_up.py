"""A folder that is being brought up: what its git was writing when it was killed is put back.

While git writes a note tells from which commit to which. It lies where only this place sees it:
whether a git of another place's lives cannot be told here, nor what it wrote in its own folder.

What was written whole is up (`behind`), and one that was to go is gone. Only a file that git was
just about to write is neither: it is not there, or it is the beginning of what it was to be. What
git has staged as it was to be is no such file: that is noted after all are written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import exists, read_text, remove
from agentx.host.git.command import NO_HOOKS, do_git
from agentx.host.git.mending.holding import release_lock
from agentx.host.git.mending.lying import list_names
from agentx.host.git.mending.ours import Doing, list_theirs
from agentx.host.git.mending.snapshot import take_snapshot
from agentx.host.git.work import commit_of

_NAMES_MAX = 200


@contextmanager
def coming_up(note: Path, folder: Path, had: str) -> Iterator[None]:
    """Note that a folder is brought up from a commit to its HEAD; a kill leaves the note."""
    replace_file(note, f"{had} {commit_of(folder, 'HEAD')}".encode())
    yield
    remove(note)


def put_back_begun(note: Path, folder: Path, held: int | None = None) -> Doing | None:
    """Put back what git had begun to write in a folder when it was killed.

    Where it had written all, that stays: return what it did, which nobody noted then.

    Raises: ConflictError while a git works there, UnavailableError.
    """
    if not exists(note):
        return None
    release_lock(folder)
    had, _, head = read_text(note).partition(" ")
    doing = Doing(what="reset", before=had, commit=head)
    begun = list_names(folder, "diff-tree", "-r", had, head)
    if begun and begun.isdisjoint(list_names(folder, "diff-index", "--cached", head)):
        return doing
    seen = take_snapshot(folder)
    begun -= list_names(folder, "diff-index", "--cached", had)
    begun = begun.difference(list_theirs(folder, doing, seen))
    # Where the branch was moved on since, nothing of it is up.
    for whole in (had, head) if head == commit_of(folder, "HEAD") else (had,):
        begun &= list_names(folder, "diff-tree", "-r", whole, seen.files)
    new = begun & list_names(folder, "diff-tree", "-r", "--diff-filter=A", had, head)
    for name in new:
        remove(folder / name)
    for part in in_parts(begun - new):
        words = ("checkout-index", "--quiet", "--force", "--", *part)
        do_git(folder, *words, settings=NO_HOOKS, held=held)
    remove(note)
    return None


def in_parts(names: frozenset[str]) -> Iterator[list[str]]:
    """Yield names, as many at a time as a command line takes."""
    ordered = sorted(names)
    for at in range(0, len(ordered), _NAMES_MAX):
        yield ordered[at : at + _NAMES_MAX]
