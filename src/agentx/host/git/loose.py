"""What a folder of git's holds that is on no branch: it would be lost with the folder.

Whoever takes a folder away asks `tell_lost_with` first, and stays away where it names something.
"""

from __future__ import annotations

from pathlib import Path

from agentx.host.git.command import name_git, read_git
from agentx.host.git.mending.half_way import find_half_way
from agentx.host.git.work import commit_of, is_ancestor, list_changed_files
from agentx.kernel.errors import ConflictError, UnavailableError
from agentx.kernel.text import name_some

NOT_ALL = "not all in it is committed"


def tell_lost_with(folder: Path) -> str:
    """Return what would be lost with a folder of a trusted repository; or nothing."""
    try:
        half = find_half_way(folder)
        if half is not None:
            return f"{half.says}; {half.say_end(folder)}"
        return (
            NOT_ALL if list_changed_files(folder) else _tell_loose(folder) or _tell_ignored(folder)
        )
    except UnavailableError:  # no worktree of git's any more: whose it is nobody can say
        return NOT_ALL


def require_over(folder: Path, whose: str = "") -> None:
    """See that nothing that somebody began in a folder is half-way.

    Raises: ConflictError that names how it is ended; UnavailableError.
    """
    half = find_half_way(folder)
    if half is not None:
        raise ConflictError(
            f"{whose}{': ' if whose else ''}{half.says} in {folder}",
            hint=f"{half.say_end(folder)}; then try again",
        )


def _tell_loose(folder: Path) -> str:
    """Return what commits would be lost with a folder in which all is committed; or nothing.

    Raises: UnavailableError.
    """
    said = read_git(folder, "rev-list", "--count", "HEAD", "--not", "--branches", "--remotes")
    count = said.out.strip()
    if said.code != 0 or count == "0":
        return ""
    return f"{count} {'commit is' if count == '1' else 'commits are'} on no branch"


def _tell_ignored(folder: Path) -> str:
    """Return which files of a folder git ignores and has nowhere else; whole folders of them do
    not count: they are made again by what made them.

    Raises: UnavailableError.
    """
    words = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    names = [each for each in read_git(folder, *words).names if not each.endswith("/")]
    return f"git ignores {name_some(names)}, and no branch has it" if names else ""


def require_untouched(folder: Path, whose: str) -> None:
    """See that nobody changed anything in a folder of ours: it is nobody's to commit there.

    Raises: ConflictError that names what is changed; UnavailableError.
    """
    changed = list_changed_files(folder)
    if changed:
        raise ConflictError(
            f"{whose} has changes that are not committed: {name_some(changed)}",
            hint=f"AgentX alone works in {folder}. Put them away: "
            f"{name_git(folder)} stash -u (and in a lane: git stash pop)",
        )


def require_committed(folder: Path, whose: str, branch: str) -> None:
    """See that all in a folder is over, committed, and on a branch.

    Raises: ConflictError that names what is not; UnavailableError.
    """
    require_over(folder, whose)
    changed = list_changed_files(folder)
    if changed:
        raise ConflictError(
            f"{whose} has changes that are not committed: {name_some(changed)}",
            hint=f"commit or undo them in {folder}, then try again",
        )
    loose = _tell_loose(folder)
    if not loose and not is_ancestor(folder, "HEAD", f"refs/heads/{branch}"):
        loose = "another branch is checked out"
    if loose and commit_of(folder, f"refs/heads/{branch}"):
        raise ConflictError(
            f"{whose}: {loose} in its folder, and {branch} does not have it",
            hint=f"bring the commits to {branch} in {folder}, then try again",
        )
