"""Which store what a hook spooled belongs to: settled at every drain, and noted for hooks too.

A spool folder stands for a working directory. Its project is asked for anew each time, for a
repository may have been moved, another may lie in its place, or a setting may have changed. The
note of the last answer serves hooks, which look for their digest, and directories that are
gone: nothing but the note knows any more whose they were. A note is believed by the *name* of
the store it tells, within this data folder, so that a home may be moved with everything in it.

In the fallback folder, which all homes of a user share, a folder also stands for the data
folder that could not be written. A data folder that was moved is known by the notes in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from agentx.host.files.atomic import replace_file
from agentx.kernel.errors import AgentXError, InvalidValue, NotFound
from agentx.kernel.paths import DataPaths, SpoolPaths
from agentx.kernel.places import OPEN_ROLE, encode_name, origin_of
from agentx.kernel.values import frozen
from agentx.project.config import ROLE_VARIABLE, Environment
from agentx.project.moves import find_moved
from agentx.project.project import Project, Rule, look_up, name_after, store_of
from agentx.project.roles.played import find_setting_role, read_setting_role
from agentx.project.trust.trust import Trust

_OF_SESSION = ("MEMORY_PROJECT_ID", ROLE_VARIABLE)  # what is said to one session, and no other


@frozen
class SpoolOrigin:
    """What a spool folder stands for."""

    directory: str
    project: str = ""  # that `MEMORY_PROJECT_ID` named
    data: str = ""  # the data folder that could not be written; empty where it lies in one


@frozen
class SpoolBinding:
    """Where what lies in a spool folder goes."""

    store: Path
    project: str
    is_gone: bool = False  # neither the directory nor a store of it is there
    role: str = ""  # that its sessions play unless they say otherwise
    mark: str | None = None  # of the repository, if that is seen: hooks tell nothing in another


def settle(project: Project) -> None:
    """Note which store this project's folder belongs to, so that its hooks find their digest."""
    role = find_setting_role(project)
    mark = _mark_of(project.trust)
    bound = SpoolBinding(store=project.store.root, project=project.id, role=role, mark=mark)
    for directory in {str(project.root), str(project.directory)}:
        origin = SpoolOrigin(directory=directory, project=project.environment.project_id)
        note_settled(_spool(project.data, origin), origin, bound)


def is_settled(project: Project) -> bool:
    """Tell whether it is known of this project's folder to which store it belongs, and as what."""
    paths = _own_spool(project)
    is_bound = read_lines(paths.store) == [str(project.store.root), project.id]
    return is_bound and _read_role(paths) == find_setting_role(project)


def read_noted_role(project: Project) -> str:
    """Return the role that hooks take sessions of this project for, if nothing else is said."""
    role = _read_role(_own_spool(project))
    return "" if role == OPEN_ROLE else role


def unsettle_roles(data: DataPaths) -> None:
    """Let every folder find out anew which role its sessions play: a setting of it changed."""
    for folder in list_folders(data.spools):
        with suppress(AgentXError):
            replace_file(SpoolPaths(folder).role, f"{OPEN_ROLE}\n".encode())


def bind(project: Project, origin: SpoolOrigin, noted: list[str]) -> SpoolBinding:
    """Settle which store of this data folder an origin belongs to.

    `noted` is what was settled before: the store's folder and the project, or nothing.

    Raises: AgentXError when the directory's settings or the id that was named cannot be.
    """
    is_here = Path(origin.directory).is_dir()
    if not is_here and len(noted) == 2:
        kept = project.data.root / Path(noted[0]).name
        if kept.is_dir():
            return SpoolBinding(store=kept, project=noted[1])
    moved = None if is_here else find_moved(origin.directory, project.trust)
    if moved is not None and not origin.project:
        kept = project.data.root / (moved.natural or name_after(Path(moved.root)))
        if kept.is_dir():
            return SpoolBinding(store=kept, project=kept.name)
    environment = project.environment
    identity, config, trust = look_up(
        origin.directory, _speaking_for(environment, origin, own=False)
    )
    if identity.root == project.root and _own_words(environment.variables):
        own = _speaking_for(environment, origin, own=True)
        identity, config, trust = look_up(origin.directory, own)
    store = store_of(identity, config, environment.data)
    is_gone = not is_here and identity.rule is Rule.DIRECTORY and not store.root.is_dir()
    role, mark = read_setting_role(config), _mark_of(trust) if is_here else None
    return SpoolBinding(
        store=store.root, project=identity.id, is_gone=is_gone, role=role, mark=mark
    )


def note_settled(paths: SpoolPaths, origin: SpoolOrigin, bound: SpoolBinding) -> None:
    """Note what a working directory is bound to and which role is played there, where it is news.

    Raises: UnavailableError.
    """
    before, store, project = read_lines(paths.store), str(bound.store), bound.project
    if before != [store, project]:
        former = Path(before[0]).parent if before else Path(store).parent
        if former != Path(store).parent:
            # The data folder was moved: what lies in a fallback still calls it by that name.
            _know_as(DataPaths(paths.root.parents[1]), str(former))
        replace_file(paths.store, f"{store}\n{project}\n".encode("utf-8", "surrogateescape"))
    if _read_role(paths) != bound.role:
        replace_file(paths.role, f"{bound.role}\n".encode())
    if bound.mark is not None and bound.mark != "".join(read_lines(paths.mark)[:1]):
        replace_file(paths.mark, f"{bound.mark}\n".encode())
    if not read_lines(paths.directory):
        replace_file(paths.directory, os.fsencode(origin_of(origin.directory, origin.project)))


def is_ours(data: DataPaths, named: str) -> bool:
    """Tell whether a data folder that a record names is this one, also under an older name."""
    if named == str(data.root) or Path(named).resolve() == data.root.resolve():
        return True
    return is_gone(Path(named)) and named in _former_names(data)


def is_gone(data: Path) -> bool:
    """Tell whether a home is not there any more; one that cannot be written is still there."""
    return not os.path.lexists(data) and not os.path.lexists(data.parent)


def adopt(project: Project, path: str) -> None:
    """Let what waits for a folder that is gone belong here: a data folder, or a directory.

    Raises: InvalidValue when the folder is there, NotFound when nothing waits for it.
    """
    gone = Path(path).absolute()
    if gone.is_dir():
        raise InvalidValue(f"{gone} is there", hint="run `agentx sync` there, or with its home")
    folder = project.data.spool(str(gone))
    if folder.new.is_dir():
        origin = SpoolOrigin(directory=str(gone))
        role = find_setting_role(project)
        bound = SpoolBinding(store=project.store.root, project=project.id, role=role)
        note_settled(folder, origin, bound)
        return
    data = str(gone)
    if not any(_names(root, data) for root in project.environment.spools[1:]):
        raise NotFound(f"nothing waits for {gone}", hint="`agentx doctor` lists what waits")
    _know_as(project.data, data)


def read_origin(paths: SpoolPaths) -> SpoolOrigin:
    """Return what a spool folder stands for, as its note says; an empty directory without one."""
    try:
        raw = paths.directory.read_bytes()
    except OSError:
        raw = b""
    directory, project, data, *_ = [*os.fsdecode(raw).split("\0"), "", ""]
    return SpoolOrigin(directory=anchor(directory), project=project, data=data)


def anchor(directory: str) -> str:
    """Return a directory as a place of its own: `.` would be wherever the one who reads it is."""
    return str(Path("/") / directory) if directory else ""


def list_folders(root: Path) -> Iterator[Path]:
    """Yield the folders of a spool, in order: no links, and nothing of somebody else's."""
    with suppress(OSError):
        if root.lstat().st_uid != os.getuid():
            return  # somebody else's folder under the temporary one
        with os.scandir(root) as entries:
            found = [Path(one.path) for one in entries if one.is_dir(follow_symlinks=False)]
        yield from sorted(found)


def read_lines(path: Path) -> list[str]:
    """Return the lines of a note; none where there is no such note."""
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []


def _mark_of(trust: Trust) -> str:
    marker = None if trust.common is None else trust.marker()
    return "" if marker is None else marker.mark


def _read_role(paths: SpoolPaths) -> str:
    return "".join(read_lines(paths.role)[:1])


def _own_spool(project: Project) -> SpoolPaths:
    directory, named = str(project.root), project.environment.project_id
    return _spool(project.data, SpoolOrigin(directory=directory, project=named))


def _spool(data: DataPaths, origin: SpoolOrigin) -> SpoolPaths:
    return SpoolPaths(data.spools / encode_name(origin_of(origin.directory, origin.project)))


def _speaking_for(environment: Environment, origin: SpoolOrigin, *, own: bool) -> Environment:
    """Return the surroundings as they hold for an origin.

    The variables of a shell speak for the project it is in and for no other; which project a
    session was told to belong to, its own record says.
    """
    variables = {
        name: value
        for name, value in environment.variables.items()
        if name not in _OF_SESSION and (own or not name.startswith("AGENTX_"))
    }
    if origin.project:
        variables["MEMORY_PROJECT_ID"] = origin.project
    return replace(environment, variables=variables)


def _own_words(variables: Mapping[str, str]) -> bool:
    return any(name.startswith("AGENTX_") for name in variables)


def _know_as(data: DataPaths, name: str) -> None:
    known = read_lines(data.known_as)
    if name not in known:
        text = "".join(f"{one}\n" for one in (*known, name))
        replace_file(data.known_as, text.encode("utf-8", "surrogateescape"))


def _former_names(data: DataPaths) -> set[str]:
    """Return where this data folder was when its notes were written, and what was adopted."""
    names = set(read_lines(data.known_as))
    for folder in list_folders(data.spools):
        noted = read_lines(SpoolPaths(folder).store)
        names.update(str(Path(line).parent) for line in noted[:1])
    return names


def _names(root: Path, data: str) -> bool:
    return any(read_origin(SpoolPaths(folder)).data == data for folder in list_folders(root))
