"""What a loop needs of a project: where its sessions lie, and what its commands may see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from agentx.agents.loop.limits import LOOP_SESSION_BYTES_MAX
from agentx.agents.loop.store.session_file import LoopSessions
from agentx.agents.loop.store.workspace import Workspace
from agentx.agents.loop.tools.commands import make_surroundings, read_allowed
from agentx.agents.loop.tools.files import FileWork
from agentx.agents.loop.tools.running import CommandWork
from agentx.agents.store import list_names
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.plain import exists, read_bytes
from agentx.host.locks.lock import locked
from agentx.kernel.bus import Bus
from agentx.kernel.errors import ConflictError, LockHeld
from agentx.observations.events import ContextCompacted
from agentx.project.claims import claim_private
from agentx.project.project import Project
from agentx.project.settings import AgentsSettings
from agentx.project.trust.private import LOOP_STATE
from agentx.wiring.listeners.log import log_fields
from agentx.wiring.listeners.observations import start_capture
from agentx.wiring.observations import open_observations, prepare_observations

_SESSIONS = "sessions"
_BEGUN = "loops"  # in the store, where no repository puts anything
_COMPACTED = {
    "agent": "agent",
    "issueNumber": "issue_number",
    "session": "session_id",
    "originalTokens": "original_tokens",
    "compactedTokens": "compacted_tokens",
}


def open_loop_sessions(project: Project) -> LoopSessions:
    """Open the sessions of the loop."""
    place = project.private.place
    begun = project.store.root / _BEGUN
    return LoopSessions(place(_SESSIONS), place(LOOP_STATE), begun, project.clock)


def prepare_loop_sessions(project: Project) -> None:
    """Make the folder of the sessions, before the first is kept; in a repository git is told so."""
    claim_private(project)
    folder = project.private.place(_SESSIONS)
    if exists(folder):
        return
    make_private_directory(folder)
    is_ours = folder.is_relative_to(project.paths.own)
    if is_ours and not exists(project.paths.ignore_file):
        replace_file(folder / ".gitignore", b"*\n")


def list_session_files(project: Project) -> tuple[Path, ...]:
    """Return the files of all sessions, whoever put them there, also those moved aside."""
    folder = project.private.place(_SESSIONS)
    return tuple(folder / name for name in list_names(folder, "") if ".json" in name)


def read_session_file(path: Path) -> bytes:
    """Return what is in the file of a session.

    Raises: OSError, UnsafePath.
    """
    return read_bytes(path, bytes_max=LOOP_SESSION_BYTES_MAX)


def open_file_work(project: Project) -> FileWork:
    """Open the project's folder for a model."""
    return FileWork(Workspace(project.root), project.clock)


def open_command_work(project: Project, role: str) -> CommandWork:
    """Return what runs the commands that the user allowed.

    Raises: InvalidValue for a setting that would allow everything.
    """
    return CommandWork(
        project.root,
        read_allowed(project.config.section(AgentsSettings).commands),
        make_surroundings(project.environment.variables, role),
        project.entropy,
    )


@contextmanager
def keeping_what_is_taught(project: Project, bus: Bus) -> Iterator[None]:
    """Keep what compactions tell on a bus, as long as the block runs: the loop has no other log."""
    log_fields(project, bus, ContextCompacted, "context-compacted", _COMPACTED)
    prepare_observations(project)
    with closing(open_observations(project, bus)) as room:
        stop = start_capture(project, bus, lambda: room)
        try:
            yield
        finally:
            stop()


@contextmanager
def holding_session(project: Project, session_id: str) -> Iterator[None]:
    """Be the one who works on a session.

    Raises: ConflictError while another process does.
    """
    place = project.store.root / _BEGUN / session_id
    try:
        with locked(place, owner="agent run", clock=project.clock, wait_ms=0):
            yield
    except LockHeld as held:
        raise ConflictError(
            f"{session_id} is at work in another process",
            hint="wait for it, or stop it there with Ctrl-C",
        ) from held
