"""Take AgentX out of a machine: what calls it first, then what runs, then what it wrote.

What cannot be undone does not stop the rest, and is named with what a person can do. The memory
stays unless its removal is asked for. Done twice, nothing is left to do.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import exists, remove
from agentx.host.system import SystemClock
from agentx.kernel.errors import AgentXError
from agentx.kernel.paths import StorePaths
from agentx.kernel.values import frozen
from agentx.operations.setup.installation import inputs_for
from agentx.operations.setup.leaving.account import GoneThing, LeavingAccount, LeftThing
from agentx.operations.setup.leaving.memory import (
    MemoryHeld,
    erase,
    leave_projects,
    list_roots,
    list_stores,
    measure,
)
from agentx.operations.setup.leaving.settings import leave_plugins, leave_settings
from agentx.operations.setup.service import list_services, remove_named
from agentx.operations.setup.setup import SetupInputs
from agentx.project.config import Environment
from agentx.wiring.trust.persons_word import require_person_to_leave

_LAUNCHER_MODE = 0o700
# Where settings still call the hook and could not be changed: it takes nothing and says nothing.
_STUB = """\
#!/bin/sh
# AgentX was uninstalled, but something still calls this: it captures nothing.
cat >/dev/null 2>&1
exit 0
"""


@frozen
class LeaveRequest:
    """What to take out besides what agent CLIs and the machine have of AgentX."""

    remove_memory: bool = False
    dry_run: bool = False


@frozen
class LeaveReply:
    """What was, or would be, taken out, and what stays."""

    dry_run: bool
    removes_memory: bool
    gone: tuple[GoneThing, ...]
    left: tuple[LeftThing, ...]
    memory: MemoryHeld  # as it was before
    memory_left: tuple[str, ...] = ()  # the projects whose memory is still there


def uninstall(
    environment: Environment,
    directory: Path,
    stop: Callable[[StorePaths], bool],
    request: LeaveRequest,
) -> LeaveReply:
    """Take AgentX out of every agent CLI, project and service; remove its memory if wished.

    `stop` ends the daemon of a store and tells whether one ran.

    Raises: NotThePerson for an agent: memory stops with the hooks, and goes with the user's key.
    """
    if not request.dry_run:
        what = "the memory is removed" if request.remove_memory else "AgentX is taken out"
        hint = "agentx uninstall" + (" --remove-memory" if request.remove_memory else "")
        require_person_to_leave(environment, directory, what, hint)
    account, clock = LeavingAccount(dry_run=request.dry_run), SystemClock()
    inputs = inputs_for(environment, clock)
    roots = list_roots(environment, directory)
    held = measure(environment.data)
    leave_settings(inputs, roots, account)
    leave_plugins(environment, inputs, account)
    for manager, name in list_services(environment):
        with account.trying(name):
            gone = remove_named(environment, manager, name, clock, request.dry_run)
            account.go("Service", gone.path, f"- {manager} starts it no more")
            for said in gone.said:
                account.leave(gone.path, said)
    running = tuple(_stop_all(environment, stop, account))
    _leave_programs(inputs, account)
    leave_projects(environment, roots, account, with_memory=request.remove_memory)
    if request.remove_memory:
        called = {path.parent for path in account.called if exists(path)}
        erase(environment, account, kept={*running, *called})
    return LeaveReply(
        dry_run=request.dry_run,
        removes_memory=request.remove_memory,
        gone=tuple(account.gone),
        left=tuple(account.left),
        memory=held,
        memory_left=tuple(paths.root.name for paths in list_stores(environment.data)),
    )


def _stop_all(
    environment: Environment, stop: Callable[[StorePaths], bool], account: LeavingAccount
) -> list[Path]:
    """End every daemon; return the stores whose daemon does not end."""
    stuck = []
    for paths in list_stores(environment.data):
        if not exists(paths.daemon_lock):
            continue
        try:
            if stop(paths):
                account.go("Daemon", paths.root, "- stopped")
        except AgentXError as error:
            account.leave(paths.root, error.message, error.hint)
            stuck.append(paths.root)
    return stuck


def _leave_programs(inputs: SetupInputs, account: LeavingAccount) -> None:
    """Take the programs away, but for what is still called; of the hook one that does nothing."""
    data, gone = inputs.data, []
    for path in (data.launcher, data.command):
        if not exists(path):
            continue
        with account.trying(path):
            if path in account.called:
                if path == data.launcher and not account.dry_run:
                    replace_file(path, _STUB.encode(), _LAUNCHER_MODE)
                does = (
                    "does nothing from now on" if path == data.launcher else "stays for that long"
                )
                account.leave(path, f"something still calls it: it {does}")
                continue
            if not account.dry_run:
                remove(path)
            gone.append(f"- {path.name}")
    if gone:
        account.go("Programs", data.launcher.parent, ", ".join(gone))
    if not account.dry_run:
        with suppress(OSError):
            data.launcher.parent.rmdir()
