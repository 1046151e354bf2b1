"""A folder that is being brought up: what its git was writing when it was killed is put back.

While git writes a note tells from which commit to which. It lies where only this place sees it:
whether a git of another place's lives cannot be told here, nor what it wrote in its own folder.

What was written whole is up (`behind`), and one that was to go is gone. Only a file that git was
just about to write is neither: it is not there, or it is the beginning of what it was to be.
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


def put_back_begun(note: Path, folder: Path, held: int | None = None) -> None:
    """Put back what git had begun to write in a folder when it was killed.

    Raises: ConflictError while a git works there, UnavailableError.
    """
    if not exists(note):
        return
    release_lock(folder)
    had, _, head = read_text(note).partition(" ")
    seen = take_snapshot(folder)
    theirs = list_theirs(folder, Doing(what="reset", before=had, commit=head), seen)
    begun = list_names(folder, "diff-tree", "-r", had, head).difference(theirs)
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


def in_parts(names: frozenset[str]) -> Iterator[list[str]]:
    """Yield names, as many at a time as a command line takes."""
    ordered = sorted(names)
    for at in range(0, len(ordered), _NAMES_MAX):
        yield ordered[at : at + _NAMES_MAX]
