"""Let the service manager of the user start the daemon of a project, or take that back.

Nothing is said to be enabled but by the service manager itself: where it does not run, a file is
written only on request, and the commands are named that have it read. What is taken back is
exactly what was added: the file, the link by which it was enabled, the folders made for it.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from agentx.adapters.port import FileEdit
from agentx.adapters.settings.edits import apply, diff_text
from agentx.host.files.plain import look, read_text
from agentx.host.program import ProgramCall, run_to_end
from agentx.host.system import environment_without
from agentx.kernel.clock import Clock
from agentx.kernel.errors import ConflictError, UnavailableError
from agentx.kernel.paths import DataPaths
from agentx.kernel.values import frozen
from agentx.operations.setup.service_files import (
    WRITTEN_BY,
    Manager,
    Service,
    count_folders_made,
    find_file,
    list_disabling,
    list_enabling,
    write_file,
)
from agentx.project.config import Environment
from agentx.project.project import Project

_WAIT_MS = 30_000
_FILE_MODE = 0o644
_SAID_CHARS_MAX = 300
_BOOTED = Path("/run/systemd/system")  # there if systemd runs, as `sd_booted` has it


@frozen
class ServiceReply:
    """What became, or would become, of the file of a service, and what is left to do."""

    manager: Manager
    name: str
    path: Path
    is_running: bool  # the service manager, on this machine
    changed: bool
    diff: str
    dry_run: bool
    uninstall: bool
    backup: Path | None = None
    enabled: bool | None = None  # as the service manager said when it was told; None: it was not
    said: tuple[str, ...] = ()  # by the service manager, where something went wrong
    to_run: tuple[str, ...] = ()


def find_manager() -> Manager | None:
    """Return the service manager that runs here; None where there is none that we know."""
    if sys.platform == "darwin":
        return Manager.LAUNCHD
    return Manager.SYSTEMD if _BOOTED.is_dir() else None


def choose_manager(wished: str | None) -> Manager:
    """Return the service manager that was named, or the one that runs here.

    Raises: UnavailableError when none is named and none runs.
    """
    found = Manager(wished) if wished else find_manager()
    if found is None:
        raise UnavailableError(
            "neither systemd nor launchd runs here: nothing would start the daemon",
            hint="hooks start it as sessions begin; `--manager systemd` writes its file anyway",
        )
    return found


def choose_installed(project: Project, wished: str | None) -> Manager:
    """Return the service manager that was named, or else one that has a file of this project."""
    if wished:
        return Manager(wished)
    variables, name = project.environment.variables, _name(project)
    known = (each for each in Manager if look(find_file(each, name, variables)) is not None)
    return next(known, find_manager() or Manager.SYSTEMD)


def install_service(
    project: Project, manager: Manager, *, enable: bool = False, dry_run: bool = False
) -> ServiceReply:
    """Write what the service manager needs to start the daemon of a project; enable it on request.

    Raises: ConflictError when a file that is not ours has the name, InvalidValue for a path that
    cannot be written, UnavailableError.
    """
    name = _name(project)
    edit = _find_edit(project.environment, name, manager)
    service = Service(
        name=name,
        root=project.root,
        python=sys.executable,
        variables=project.environment.variables,
        log=project.store.daemon_log,
        folders_made=_count_missing(edit.path) if edit.before is None else _count_made(edit),
    )
    edit = replace(edit, after=write_file(manager, service))
    backup = None if dry_run else _apply(project.data, project.clock, edit)
    commands = tuple(list_enabling(manager, name, edit.path))
    reply = _reply(manager, name, edit, dry_run=dry_run)
    if dry_run or not enable:
        return replace(reply, backup=backup, to_run=_to_run(commands))
    failed = _tell(commands)
    return replace(
        reply,
        backup=backup,
        enabled=not failed,
        said=failed,
        to_run=_to_run(commands) if failed else (),
    )


def remove_service(project: Project, manager: Manager, *, dry_run: bool = False) -> ServiceReply:
    """Take away what `install_service` wrote; a service that is enabled is disabled first.

    Raises: ConflictError when a file that is not ours has the name, UnavailableError.
    """
    return remove_named(project.environment, manager, _name(project), project.clock, dry_run)


def list_services(environment: Environment) -> Iterator[tuple[Manager, str]]:
    """Yield every service of ours that a service manager of this user may find, by its name."""
    for manager in Manager:
        pattern = find_file(manager, "agentx-*", environment.variables)
        for path in sorted(pattern.parent.glob(pattern.name)):
            with suppress(OSError, UnicodeDecodeError):
                if WRITTEN_BY in read_text(path):
                    yield manager, path.stem


def remove_named(
    environment: Environment, manager: Manager, name: str, clock: Clock, dry_run: bool
) -> ServiceReply:
    """Take away the service of a name.

    Raises: ConflictError when a file that is not ours has the name, UnavailableError.
    """
    edit = _find_edit(environment, name, manager)
    reply = replace(_reply(manager, name, edit, dry_run=dry_run), uninstall=True)
    if dry_run or edit.before is None:
        return reply
    failed: tuple[str, ...] = ()
    if reply.is_running:
        failed = _tell(tuple(list_disabling(manager, name)))
    backup = _apply(environment.data, clock, edit)
    _clear(edit)
    if reply.is_running and manager is Manager.SYSTEMD:
        _tell((("systemctl", "--user", "daemon-reload"),))
    return replace(reply, backup=backup, enabled=False if not failed else None, said=failed)


def _name(project: Project) -> str:
    return f"agentx-{project.id}"


def _find_edit(environment: Environment, name: str, manager: Manager) -> FileEdit:
    """Return the file as it is, to be taken away.

    Raises: ConflictError, UnavailableError.
    """
    path = find_file(manager, name, environment.variables)
    try:
        before = read_text(path) if look(path) is not None else None
    except (OSError, UnicodeDecodeError) as error:
        raise ConflictError(f"{path} cannot be read: {error}", hint="move it away") from error
    if before is not None and WRITTEN_BY not in before:
        raise ConflictError(
            f"{path} was not written by AgentX: it is left as it is", hint="move it away first"
        )
    return FileEdit(path=path, before=before, after=None)


def _reply(manager: Manager, name: str, edit: FileEdit, *, dry_run: bool) -> ServiceReply:
    return ServiceReply(
        manager=manager,
        name=name,
        path=edit.path,
        is_running=find_manager() is manager,
        changed=edit.before != edit.after,
        diff=diff_text(edit),
        dry_run=dry_run,
        uninstall=False,
    )


def _apply(data: DataPaths, clock: Clock, edit: FileEdit) -> Path | None:
    (applied,) = apply((edit,), data, clock, new_mode=_FILE_MODE)
    return applied.backup


def _count_made(edit: FileEdit) -> int:
    return count_folders_made(edit.before or "")


def _count_missing(path: Path) -> int:
    """Return how many of the folders above a file are not there yet."""
    return sum(not folder.exists() for folder in path.parents)


def _clear(edit: FileEdit) -> None:
    """Take away the link by which a unit was enabled, and the folders that were made for it."""
    wants = edit.path.parent / "default.target.wants"
    link = wants / edit.path.name
    with suppress(OSError):
        if link.is_symlink():
            link.unlink()
            wants.rmdir()
    for folder in list(edit.path.parents)[: _count_made(edit)]:
        with suppress(OSError):  # others have put something there since
            folder.rmdir()


def _tell(commands: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """Run commands of a service manager; return what the one that failed said, nothing if none."""
    for command in commands:
        call = ProgramCall(
            arguments=command,
            said="",
            folder=Path("/"),
            environment=environment_without("\0"),  # where its socket is
            time_limit_ms=_WAIT_MS,
        )
        try:
            ended = run_to_end(call)
        except OSError as error:
            return (f"{command[0]}: {error.strerror}",)
        if ended.code != 0 or ended.too_late:
            said = (ended.err or ended.out).strip()[:_SAID_CHARS_MAX]
            return (f"`{' '.join(command)}` failed: {said or f'code {ended.code}'}",)
    return ()


def _to_run(commands: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    return tuple(map(shlex.join, commands))


def list_words(reply: ServiceReply) -> Iterator[str]:
    """Yield what a person is told of what was done, line by line."""
    yield f"{_did(reply)} {reply.path}"
    if reply.backup is not None:
        yield f"  copy of the file before: {reply.backup}"
    yield from (f"  {line}" for line in reply.said)
    if reply.uninstall or not reply.to_run:
        if reply.enabled:
            yield f"  {reply.manager} starts it, now and at every login"
        return
    if reply.enabled is False:
        yield "  it is not enabled: what is to be run is"
    elif reply.is_running:
        yield "  it is not enabled yet: `--enable`, or run"
    else:
        yield f"  {reply.manager} does not run here, so nothing is enabled; where it does, run"
    yield from (f"    {command}" for command in reply.to_run)


def _did(reply: ServiceReply) -> str:
    if not reply.changed:
        return "there is no" if reply.uninstall else "nothing to change in"
    if reply.dry_run:
        return "would remove" if reply.uninstall else "would write"
    return "removed" if reply.uninstall else "wrote"
