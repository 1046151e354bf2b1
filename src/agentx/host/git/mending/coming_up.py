"""A folder that is being brought up: what its git was writing when it was killed is put back.

While git writes a note tells from which commit to which. It lies where only this place sees it:
whether a git of another place's lives cannot be told here, nor what it wrote in its own folder.

What was written whole is up (`behind`), and one that was to go is gone. Only a file that git was
just about to write is neither: it is not there, or it is the beginning of what it was to be. What
git has staged as it was to be is no such file: that is noted after all are written.

Git writes one file after the other, in the order of their names, and a kill cuts a write off only
where a block ends. Any other that is cut off or gone may be somebody's doing: that is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import fsencode
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
_BLOCK_BYTES = 4096  # of what the system writes at a time

TellUndone = Callable[[frozenset[str], str], None]  # which files; a commit that has what lay there


@contextmanager
def coming_up(note: Path, folder: Path, had: str) -> Iterator[None]:
    """Note that a folder is brought up from a commit to its HEAD; a kill leaves the note."""
    replace_file(note, f"{had} {commit_of(folder, 'HEAD')}".encode())
    yield
    remove(note)


def put_back_begun(
    note: Path, folder: Path, tell: TellUndone, held: int | None = None
) -> Doing | None:
    """Put back what git had begun to write in a folder when it was killed.

    What git need not have done is told before. Where it had written all, that stays: return what it
    did, which nobody noted then.

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
    old, due = (list_names(folder, "diff-tree", "-r", each, seen.files) for each in (had, head))
    written = list_names(folder, "diff-tree", "-r", "--diff-filter=d", had, head)
    odd = (begun & old & due).difference(_find_cut_off(folder, written, due))
    if odd:
        tell(odd, seen.commit)
    # Where the branch was moved on since, nothing of it is up.
    begun &= old & due if head == commit_of(folder, "HEAD") else old
    new = begun & list_names(folder, "diff-tree", "-r", "--diff-filter=A", had, head)
    for name in new:
        remove(folder / name)
    for part in in_parts(begun - new):
        words = ("checkout-index", "--quiet", "--force", "--", *part)
        do_git(folder, *words, settings=NO_HOOKS, held=held)
    remove(note)
    return None


def _find_cut_off(folder: Path, written: frozenset[str], due: frozenset[str]) -> Iterator[str]:
    """Yield the file that git was just about to write: all before it are, and none after it is."""
    names = sorted(written, key=fsencode)
    last = max((at for at, name in enumerate(names) if name not in due), default=-1)
    for name in names[last + 1 : last + 2]:
        try:
            is_cut_off = (folder / name).lstat().st_size % _BLOCK_BYTES == 0
        except OSError:
            is_cut_off = True  # it goes before it is written anew
        if is_cut_off:
            yield name


def in_parts(names: frozenset[str]) -> Iterator[list[str]]:
    """Yield names, as many at a time as a command line takes."""
    ordered = sorted(names)
    for at in range(0, len(ordered), _NAMES_MAX):
        yield ordered[at : at + _NAMES_MAX]
