"""What git is set to in a repository: read once, and again where a file that says so is another.

Who drives a run asks a hundred times which remotes there are and who commits. Only of a plain
repository (`plain`) whose settings lie in the usual files is that kept; where they include others,
and in every other repository, git is asked each time.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from agentx.host.git.command import ask_git, read_git
from agentx.host.git.plain import find_plain
from agentx.host.system import environment_without

_SYSTEM = "/etc/gitconfig"
_LEGACY = ("remotes", "branches")  # folders in which git once kept remotes, and still looks
_KEPT_MAX = 16
_FILE = "file:"

_Stamp = tuple[tuple[str, int, int, int], ...]


def list_remotes(root: Path) -> tuple[str, ...]:
    """Return the names of the remotes of a repository.

    Raises: UnavailableError where git does not answer, or refuses the repository.
    """
    known = read_kept(root)
    if known is None:
        said = read_git(root, "remote")
        return said.lines if said.code == 0 else ()
    keys = (key for key in known if key.startswith("remote.") and key.count(".") > 1)
    return tuple(sorted({key.removeprefix("remote.").rpartition(".")[0] for key in keys}))


def find_setting(root: Path, name: str) -> str:
    """Return what a setting is, by its name as git spells it; empty where it is not set.

    Raises: as `list_remotes`.
    """
    known = read_kept(root)
    if known is None:
        said = read_git(root, "config", "--get", name)
        return said.out.removesuffix("\n") if said.code == 0 else ""
    return known.get(name, "")


def has_promisor(root: Path) -> bool:
    """Tell whether a remote is to give later what a clone left out.

    Raises: as `list_remotes`.
    """
    known = read_kept(root)
    if known is None:
        return read_git(root, "config", "--get-regexp", r"^remote\..*\.promisor$").code == 0
    return any(key.startswith("remote.") and key.endswith(".promisor") for key in known)


def read_kept(root: Path) -> Mapping[str, str] | None:
    """Return the settings of a plain repository; None where git is to be asked."""
    plain = find_plain(root)
    if plain is None or plain.git is None:
        return None
    if any(_holds_any(plain.git / name) for name in _LEGACY):
        return None
    return _read_once(root, _stamp((_SYSTEM, *_list_own(), str(plain.git / "config"))))


@lru_cache(_KEPT_MAX)
def _read_once(root: Path, stamp: _Stamp) -> Mapping[str, str] | None:
    said = ask_git(root, "config", "--null", "--show-origin", "--list", "--includes")
    if said is None or said.code != 0:
        return None
    files = {path for path, *_ in stamp}
    words = said.out.split("\0")
    found: dict[str, str] = {}
    for origin, entry in zip(words[::2], words[1::2], strict=False):
        name, is_set, value = entry.partition("\n")
        path = os.path.realpath(root / origin.removeprefix(_FILE))
        if name.startswith("include") or (origin.startswith(_FILE) and path not in files):
            return None  # another file counts, too
        if not is_set:
            return None  # some of git's questions fail at that
        found[name] = value
    return found


def _list_own() -> tuple[str, ...]:
    """Return where git looks for the settings of the user."""
    variables = environment_without("GIT_")
    home = variables.get("HOME", "")
    shared = variables.get("XDG_CONFIG_HOME", "") or (home and f"{home}/.config")
    return (
        *([f"{shared}/git/config"] if shared else ()),
        *([f"{home}/.gitconfig"] if home else ()),
    )


def _stamp(files: tuple[str, ...]) -> _Stamp:
    """Return what is another where a file is: who changes settings makes their file anew."""
    found = []
    for path in files:
        try:
            seen = os.stat(path)  # noqa: PTH116  three of them for each question
        except OSError:
            found.append((path, 0, 0, 0))
        else:
            real = _find_real(path, seen.st_ino)
            found.append((real, seen.st_mtime_ns, seen.st_size, seen.st_ino))
    return tuple(found)


@lru_cache(_KEPT_MAX)
def _find_real(path: str, _file: int) -> str:
    """Return where a file really lies, as long as it is that one."""
    return os.path.realpath(path)


def _holds_any(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return any(entries)
    except OSError:
        return False
