"""What a folder of git's holds that is on no branch: it would be lost with the folder.

Whoever takes a folder away asks `tell_lost_with` first, and stays away where it names something.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from agentx.host.files.plain import is_file
from agentx.host.git.command import do_git, name_git, read_git
from agentx.host.git.mending.half_way import find_half_way
from agentx.host.git.work import commit_of, is_ancestor, list_changed_files
from agentx.kernel.errors import ConflictError, UnavailableError
from agentx.kernel.text import name_some

NOT_ALL = "not all in it is committed"

_ANOTHER_REPOSITORY = "160000"  # the mode of one that git only points at
_NAMES_AT_ONCE = 200
_IGNORES = ".gitignore"


def tell_lost_with(folder: Path) -> str:
    """Return what would be lost with a folder of a trusted repository; or nothing."""
    try:
        half = find_half_way(folder)
        if half is not None:
            return f"{half.says}; {half.say_end(folder)}"
        if list_changed_files(folder):
            return NOT_ALL
        return _tell_loose(folder) or _tell_ignored(folder) or _tell_overlooked(folder)
    except UnavailableError as error:  # no worktree of git's any more, or one that git refuses
        return error.message


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
    found = read_git(folder, *words).names
    # Caches lay a file there that has git ignore all of the folder, and the file.
    own = tuple(each[: -len(_IGNORES)] for each in found if each.endswith(f"/{_IGNORES}"))
    names = [each for each in found if not (each.endswith("/") or each.startswith(own))]
    return f"git ignores {name_some(names)}, and no branch has it" if names else ""


def _tell_overlooked(folder: Path) -> str:
    """Return which files somebody changed of those that git was told to overlook; or nothing.

    Raises: UnavailableError.
    """
    blobs: dict[str, str] = {}
    for row in read_git(folder, "ls-files", "-v", "--stage", "-z").names:
        what, _, name = row.partition("\t")
        tag, mode, blob, _ = what.split()
        is_overlooked = tag.islower() or tag == "S"
        if is_overlooked and mode != _ANOTHER_REPOSITORY and os.path.lexists(folder / name):
            blobs[name] = blob
    lying = list(blobs)
    chunks = (lying[at : at + _NAMES_AT_ONCE] for at in range(0, len(lying), _NAMES_AT_ONCE))
    changed = [name for chunk in chunks for name in _find_otherwise(folder, chunk, blobs)]
    they = f"git overlooks changes of {name_some(changed)} (update-index), and no branch has them"
    return they if changed else ""


def _find_otherwise(folder: Path, names: list[str], blobs: Mapping[str, str]) -> list[str]:
    """Return those of some files whose content is not the one that git has; all where one is no
    plain file."""
    links = [name for name in names if not is_file(folder / name)]
    plain = [name for name in names if name not in links]
    said = do_git(folder, "hash-object", "--", *plain) if plain else None
    if said is None or said.code != 0 or len(said.lines) != len(plain):
        return names
    return links + [
        name for name, blob in zip(plain, said.lines, strict=True) if blob != blobs[name]
    ]


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
            hint=f"commit or undo them in {folder}, or have git ignore them; then try again",
        )
    loose = _tell_loose(folder)
    if not loose and not is_ancestor(folder, "HEAD", f"refs/heads/{branch}"):
        loose = "another branch is checked out"
    if loose and commit_of(folder, f"refs/heads/{branch}"):
        raise ConflictError(
            f"{whose}: {loose} in its folder, and {branch} does not have it",
            hint=f"bring the commits to {branch} in {folder}, then try again",
        )
