"""Files in a lane by which an agent CLI goes when it is started there: settings, hooks, plugins.

An agent may edit files in its lane and run little else; by one of these it would give the next one
programs to run. So they stay as the work has them, and what git ignores of them as the person's
checkout has it, or as it was when the lane was made ready. Everything else is put back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from agentx.agents.loop.tools.paths import list_steering, steers_agents
from agentx.host.files.plain import is_folder, read_bytes, remove, remove_tree
from agentx.host.git.command import NO_HOOKS, read_git
from agentx.host.git.work import OUTSIDE, git_done
from agentx.kernel.ids import digest
from agentx.runs.store.shared.lane_turns import is_merging

_NEW = ("ls-files", "--others", "-z")


def put_back_steering(
    folder: Path, checkout: Path, work: str, known: Mapping[str, str]
) -> tuple[str, ...]:
    """Put back what was changed of them in a lane; return their names. `known` is how those that
    git ignores were when the lane was made ready.

    Raises: UnavailableError, OSError.
    """
    since = work if is_merging(folder) else _find_common(folder, work)
    changed = {name for name in _diff(folder, since) if steers_agents(name)}
    new = {name for name in _list_new(folder) if not _is_known(folder, checkout, name, known)}
    held = _list_held(folder, since, sorted(changed))
    for name in sorted((changed | new) - held):
        _remove(folder, name)
    if held:
        words = ("checkout", "--quiet", since, "--", *map(_literal, sorted(held)))
        git_done(folder, *words, settings=NO_HOOKS)
    return tuple(sorted(changed | new))


def list_steering_since(folder: Path, since: str, before: Mapping[str, str]) -> tuple[str, ...]:
    """Return which of them are not as a commit has them, or as `before` tells of the others.

    Raises: UnavailableError.
    """
    now = look_at_steering(folder)
    moved = {name for name in {*now, *before} if now.get(name) != before.get(name)}
    changed = {name for name in _diff(folder, since) if steers_agents(name)}
    # What lay there and was committed since is as it was.
    same = {name for name in changed if before.get(name) == _sum_up(folder, name)}
    return tuple(sorted((moved | changed) - same))


def look_at_steering(folder: Path) -> dict[str, str]:
    """Return how those are now that git does not hold."""
    return {name: _sum_up(folder, name) for name in _list_new(folder)}


def _is_known(folder: Path, checkout: Path, name: str, known: Mapping[str, str]) -> bool:
    now = _sum_up(folder, name)
    return bool(now) and now in (known.get(name), _sum_up(checkout, name))


def _find_common(folder: Path, work: str) -> str:
    """Return up to where a lane is the work; the work itself where they have nothing in common."""
    return read_git(folder, "merge-base", work, "HEAD").out.strip() or work


def _diff(folder: Path, since: str) -> Iterable[str]:
    words = ("diff", "--name-only", "-z", "--no-renames", OUTSIDE, since, "--")
    return git_done(folder, *words).names


def _list_new(folder: Path) -> set[str]:
    """Return such files that git does not hold; ignored ones only where agent CLIs look first."""
    first = (f":(top,icase){name}" for name in list_steering())
    found = {
        *git_done(folder, *_NEW, "--exclude-standard").names,
        *git_done(folder, *_NEW, "--", *first).names,
    }
    return {name for name in found if steers_agents(name.rstrip("/"))}


def _list_held(folder: Path, since: str, names: list[str]) -> set[str]:
    if not names:
        return set()
    words = ("ls-tree", "--name-only", "-z", "--full-tree", "-r", since, "--")
    return set(git_done(folder, *words, *names).names)


def _literal(name: str) -> str:
    return f":(top,literal){name}"


def _sum_up(folder: Path, name: str) -> str:
    """Return a text that tells what is in a file; nothing for what is no plain file."""
    try:
        return digest(read_bytes(folder / name, ground=folder).hex()).hex()
    except OSError:
        return ""


def _remove(folder: Path, name: str) -> None:
    path = folder / name.rstrip("/")
    words = ("rm", "-r", "--cached", "--quiet", "--ignore-unmatch", "--", _literal(name))
    git_done(folder, *words, settings=NO_HOOKS)
    try:
        (remove_tree if is_folder(path, ground=folder) else remove)(path, ground=folder)
    except NotADirectoryError:
        return  # what it lay in was taken away
