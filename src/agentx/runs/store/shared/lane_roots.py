"""A lane's folder belongs to the repository, and to the branch of the lane.

An agent may take its `.git` away, or put a repository of its own there, whose settings would name
programs for git to run; it may go to another branch. So that is put right before git is asked
anything in a folder where an agent was at work, or told.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.plain import exists, is_file, is_folder, list_folder, read_text, rename
from agentx.host.git.command import NO_HOOKS, name_git
from agentx.host.git.facts import branch as branch_at
from agentx.host.git.loose import require_over
from agentx.host.git.work import commit_of, git_done, git_file, is_ancestor, list_nested
from agentx.kernel.errors import ConflictError

_LINK = "gitdir: "
_SHORT = 10


def mend_link(root: Path, folder: Path, aside: Path) -> str:
    """See that a folder is the repository's still; return what was put right, or nothing.

    What lies there in the place of its link is moved aside.

    Raises: OSError.
    """
    own = next(_find_own(root, folder), None)
    link = folder / ".git"
    if own is None or not is_folder(folder) or _reads(link, own):
        return ""
    strange = exists(link, ground=folder)
    if strange:
        make_private_directory(aside.parent)
        rename(link, _find_free(aside))
    replace_file(link, f"{_LINK}{own}\n".encode(), ground=folder)
    what = "is a repository of its own" if strange else "lost its .git"
    where = f"; what lay there is {aside}" if strange else ""
    return f"{folder.name} {what}: it is the lane's folder again{where}"


def tell_submodules(folder: Path) -> tuple[str, ...]:
    """Return how submodules are laid out in a folder that git made: it leaves theirs empty."""
    if not is_file(folder / ".gitmodules", ground=folder):
        return ()
    return (f"git lays out no submodules there: `{name_git(folder)} submodule update --init`",)


def take_in_nested(folder: Path, work: str, aside: Path) -> Iterator[str]:
    """See that what an agent wrote in a lane is the lane's: a repository that it made there would
    be committed as a name, without its files. Yield what was put right; submodules of the work
    stay.

    Raises: UnavailableError, OSError.
    """
    while found := list_nested(folder, work):
        for name in found:
            link, free = folder / name / ".git", _find_free(aside)
            git_done(folder, "update-index", "--force-remove", "--", name, settings=NO_HOOKS)
            if exists(link, ground=folder):
                make_private_directory(aside.parent)
                rename(link, free)
                yield (
                    f"{name} is a repository of its own: its files are the lane's now; "
                    f"what lay there is {free}"
                )


def return_to_branch(folder: Path, branch: str) -> str:
    """See that a lane's folder is on its branch; return what was put right, or nothing.

    What was committed on top of it elsewhere is brought along.

    Raises: ConflictError where an agent went to other work; UnavailableError.
    """
    at = branch_at(folder)
    if at in (None, branch):
        return ""
    require_over(folder)
    ref = f"refs/heads/{branch}"
    tip, head = commit_of(folder, ref), commit_of(folder, "HEAD")
    where = at or head[:_SHORT]
    if not tip or not is_ancestor(folder, tip, head):
        raise ConflictError(
            f"{folder.name} was left for {where}, which does not hold its work",
            hint=f"look at it, then: {name_git(folder)} switch {branch}",
        )
    git_done(folder, "update-ref", "--end-of-options", ref, head, tip, settings=NO_HOOKS)
    git_done(folder, "symbolic-ref", "HEAD", ref, settings=NO_HOOKS)
    return f"{folder.name} was left for {where}: what was done there is on its branch"


def _find_own(root: Path, folder: Path) -> Iterator[Path]:
    """Yield where git keeps what it knows of a folder."""
    known = git_file(root, "worktrees")
    for name in list_folder(known).folders if is_folder(known) else ():
        told = known / name / "gitdir"
        if is_file(told) and (known / name / read_text(told).strip()) == folder / ".git":
            yield (known / name).absolute()


def _reads(link: Path, own: Path) -> bool:
    if not is_file(link, ground=link.parent):
        return False
    said = read_text(link, ground=link.parent).strip()
    return said.startswith(_LINK) and (link.parent / said.removeprefix(_LINK)).resolve() == own


def _find_free(aside: Path) -> Path:
    names = (aside.with_name(f"{aside.name}-{number}") for number in range(2, 1_000))
    return aside if not exists(aside) else next(each for each in names if not exists(each))
