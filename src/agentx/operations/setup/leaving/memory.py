"""The memory: where it lies, how much it is, and all of it removed for good.

Only what AgentX makes is taken: what else lies in its folders stays and is named. No link is
followed. What belongs to a repository (issues, questions, runs, settings) is the repository's.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from agentx.host.files.plain import (
    exists,
    is_folder,
    read_text,
    remove,
    remove_tree,
)
from agentx.host.git import facts as git
from agentx.kernel.errors import AgentXError
from agentx.kernel.paths import (
    RESERVED_STORE_NAMES,
    DataPaths,
    ProjectPaths,
    SpoolPaths,
    StorePaths,
)
from agentx.kernel.values import frozen
from agentx.operations.setup.init import IGNORE_RULES
from agentx.operations.setup.leaving.account import LeavingAccount
from agentx.project.config import Environment
from agentx.project.project import Project, locate, open_project
from agentx.project.settlement import is_ours, list_folders, read_origin
from agentx.project.trust.private import PRIVATE_NAMES
from agentx.project.trust.record import TrustFolder
from agentx.wiring.bound.run_branch import find_run_branch

_PROJECTS_MAX = 2_000
_OWN_NAMES = RESERVED_STORE_NAMES | {"clis", "audit.jsonl", "writers.json"}
_LOCKS = (".lock", ".guard")
# One of these is in every folder of a store.
_STORE_NAMES = (
    "db",
    "import-cursors.json",
    "digests",
    "notes.json",
    "private",
    "logs",
    "daemon.log",
)


@frozen
class MemoryHeld:
    """How much is remembered on this machine."""

    folder: str
    projects: tuple[str, ...]
    files: int
    bytes: int


def measure(data: DataPaths) -> MemoryHeld:
    """Say what the data folder holds, without opening anything."""
    files, size = 0, 0
    for folder, _, names in os.walk(data.root):
        for name in names:
            with suppress(OSError):
                size += Path(folder, name).lstat().st_size
                files += 1
    stores = tuple(paths.root.name for paths in list_stores(data))
    return MemoryHeld(folder=str(data.root), projects=stores, files=files, bytes=size)


def list_stores(data: DataPaths) -> Iterator[StorePaths]:
    """Yield every store in the data folder."""
    for path in list_folders(data.root):
        named = path.name not in _OWN_NAMES or path.name == data.unified_store.root.name
        if named and any(exists(path / name) for name in _STORE_NAMES):
            yield StorePaths(path)


def list_roots(environment: Environment, directory: Path) -> tuple[Path, ...]:
    """Return the projects that AgentX knows on this machine, and the one of a directory."""
    found = {record.root for _, record in TrustFolder(environment.data.trust).list_marked()}
    notes = (read_origin(SpoolPaths(folder)) for folder in list_folders(environment.data.spools))
    worked_in = {note.directory for note in notes if note.directory} | {str(directory)}
    plain = _without_settings(environment)
    for place in sorted(worked_in)[:_PROJECTS_MAX]:
        with suppress(AgentXError, OSError):
            found.add(str(locate(place, plain)[0].root))
    home = environment.homes.home
    return tuple(path for path in map(Path, sorted(found)) if path.is_dir() and path != home)


def leave_projects(
    environment: Environment, roots: Iterable[Path], account: LeavingAccount, *, with_memory: bool
) -> None:
    """Take away what lies in projects for this machine alone; the ignore rules if they are all."""
    plain = _without_settings(environment)
    for root in roots:
        with account.trying(root):
            _leave_project(open_project(root, plain), account, with_memory=with_memory)


def erase(environment: Environment, account: LeavingAccount, *, kept: Iterable[Path] = ()) -> None:
    """Remove the memory: all stores but those that are kept, and everything of ours beside them."""
    data = environment.data
    stores = {paths.root for paths in list_stores(data)}
    kept_paths = set(kept)
    for path in _list_below(data.root):
        if path in kept_paths:
            continue
        if path in stores or path.name in _OWN_NAMES or path.name.endswith(_LOCKS):
            _take(path, "Memory", account)
        else:
            account.leave(path, "is not of AgentX", is_fault=False)
    for root in environment.spools[1:]:
        for folder in list_folders(root):
            named = read_origin(SpoolPaths(folder)).data
            if named and is_ours(data, named):
                _take(folder, "Memory", account)
    _erase_settings(environment, account)
    if not account.dry_run:
        _clear(data.root)


def _without_settings(environment: Environment) -> Environment:
    """Return the surroundings without what the user set: what is wrong there keeps nobody here."""
    said = environment.variables.items()
    variables = {name: value for name, value in said if not name.startswith("AGENTX_")}
    nowhere = environment.data.root / "no-settings.toml"
    return replace(environment, variables=variables, user_settings=nowhere)


def _erase_settings(environment: Environment, account: LeavingAccount) -> None:
    folder = environment.user_settings.parent
    for path in (environment.user_settings, folder / "projects"):
        if exists(path):
            _take(path, "Settings", account)
    if not account.dry_run:
        _clear(folder)


def _leave_project(project: Project, account: LeavingAccount, *, with_memory: bool) -> None:
    paths, own = project.paths, project.paths.own
    private: list[Path] = []
    if with_memory and project.trust.has_private:
        tracked = project.private.list_tracked()
        private = [own / name for name in PRIVATE_NAMES if name.partition("/")[0] not in tracked]
    # Without git the marker lies there too: it stays as long as the memory that it is of.
    private += [project.trust.marker_path] if with_memory else []
    if project.trust.record() is not None and _is_bare(paths, private):
        has_memory = any(exists(path, ground=project.root) for path in private)
        says = "- memory, - ignore rules" if has_memory else "- ignore rules"
        _take(own, "Project", account, says, ground=project.root)
    else:
        for path in private[:-1]:
            if exists(path, ground=project.root):
                _take(path, "Memory", account, ground=project.root)
    if not with_memory:
        return
    marker = project.trust.marker_path
    if project.trust.marker() is not None and not (
        own in marker.parents and any(gone.path == str(own) for gone in account.gone)
    ):
        _take(marker, "Project", account, "- marker")
    for path in (own, paths.run_memory):
        if not any(str(path) == gone.path for gone in account.gone) and exists(path):
            why = "belongs to the repository: issues, runs, settings"
            account.leave(path, why, "delete it there if nobody needs it", is_fault=False)
    branch = find_run_branch(project)
    if branch:
        why = f"the branch {branch} of it keeps its runs"
        account.leave(project.root, why, f"git branch -D {branch}", is_fault=False)


def _is_bare(paths: ProjectPaths, private: Iterable[Path]) -> bool:
    """Tell whether nothing but ours is left: the rules of `init`, not tracked, and what is private.

    Locks are as good as nothing.
    """
    own, rules = paths.own, paths.ignore_file
    if not is_folder(own, ground=paths.root) or git.list_tracked(paths.root, own.name):
        return False
    walked = [(Path(at), folders, names) for at, folders, names in os.walk(own)]
    found = {at / name for at, _, names in walked for name in names}
    found |= {
        at / name for at, folders, _ in walked for name in folders if (at / name).is_symlink()
    }
    going = [path for each in private for path in found if path.is_relative_to(each)]
    left = {path for path in found if not path.name.endswith(_LOCKS)} - set(going)
    if rules in left and read_text(rules, ground=paths.root) == IGNORE_RULES:
        left.remove(rules)
    return not left


def _list_below(folder: Path) -> tuple[Path, ...]:
    with suppress(OSError):
        return tuple(sorted(Path(entry.path) for entry in os.scandir(folder)))
    return ()


def _take(
    path: Path,
    owner: str,
    account: LeavingAccount,
    says: str = "- for good",
    *,
    ground: Path | None = None,
) -> None:
    with account.trying(path):
        is_link = ground is None and path.is_symlink()
        if is_link:
            account.leave(path.resolve(), f"{path} led there: it stays", is_fault=False)
        if not account.dry_run:
            if is_link:
                path.unlink()
            elif is_folder(path, ground=ground):
                remove_tree(path, ground=ground)
            else:
                remove(path, ground=ground)
        account.go(owner, path, says)


def _clear(folder: Path) -> None:
    """Take away a folder of ours that is empty, and the link by which the user had put it there."""
    with suppress(OSError):
        folder.resolve().rmdir()
        if folder.is_symlink():
            folder.unlink()
