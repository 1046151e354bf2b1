"""What carries an issue along its workflow needs of a project: events, git, templates, sessions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentx.agents.loop.model import LoopSession
from agentx.agents.loop.tools.commands import make_surroundings
from agentx.host.files.atomic import make_private_directory
from agentx.host.files.plain import list_folder, read_bytes
from agentx.host.locks.lock import locked
from agentx.host.orphans import ending_orphans
from agentx.host.program import ProgramCall, run_to_end
from agentx.kernel.errors import (
    ConflictError,
    CorruptRecord,
    InvalidValue,
    LockHeld,
    NotFound,
    UnsupportedVersion,
)
from agentx.kernel.ids import digest
from agentx.kernel.roles import HUB_ROLE
from agentx.kernel.text import printable
from agentx.project.project import Project
from agentx.redaction.redact import redact
from agentx.wiring.loop.desk import open_loop_sessions
from agentx.wiring.walking.walk_git import WalkGit
from agentx.work.limits import WALK_CHECK_OUTPUT_BYTES_MAX, WALK_OUTPUT_BYTES_MAX
from agentx.work.store.walks import WalkFile
from agentx.work.store.workflows import list_templates, read_template

_OWNER = "workflow run"
_SHELL = "/bin/sh"


def open_walk(project: Project, issue: int) -> WalkFile:
    """Open what happened on an issue's way."""
    return WalkFile(project.store.walks, issue, project.clock)


def list_walk_files(project: Project) -> tuple[Path, ...]:
    """Return the files of all ways."""
    folder = project.store.walks
    return tuple(folder / name for name in list_folder(folder).files if name.endswith(".jsonl"))


@contextmanager
def holding_walk(project: Project, issue: int) -> Iterator[WalkFile]:
    """Be the one who carries an issue on, and the only one in this folder who carries any.

    Raises: ConflictError while another process does.
    """
    make_private_directory(project.store.walks)
    walk = open_walk(project, issue)
    folder = project.store.walks / f"at-{digest(str(project.root), size=6).hex()}"
    try:
        with locked(walk.path, folder, owner=_OWNER, clock=project.clock, wait_ms=0):
            yield walk
    except LockHeld as held:
        raise ConflictError(
            f"#{issue}, or another issue in this folder, is carried on by another process",
            hint="wait for it, or stop it there with Ctrl-C; a worktree is another folder",
        ) from held


def find_loop_session(project: Project, role: str, issue: int, since_ms: int) -> LoopSession | None:
    """Return the session that a role's agent began on an issue since a moment, the newest."""
    sessions = open_loop_sessions(project)
    for name in sessions.list_ids():
        if name.startswith(f"{role}-"):
            found = sessions.load(name)
            if found.created_ms < since_ms:
                return None
            if found.issue == issue:
                return found
    return None


def load_loop_session(project: Project, session_id: str) -> LoopSession | None:
    """Return a session; None where it is gone or cannot be read.

    Raises: UnavailableError.
    """
    try:
        return open_loop_sessions(project).load(session_id)
    except (NotFound, InvalidValue, CorruptRecord, UnsupportedVersion):
        return None


def read_output(project: Project, path: str) -> str | None:
    """Return the text of a step's output; None where there is none.

    Raises: UnsafePath, OSError, UnicodeDecodeError.
    """
    try:
        found = read_bytes(
            project.root / path, bytes_max=WALK_OUTPUT_BYTES_MAX, ground=project.root
        )
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.decode("utf-8")


def find_template(project: Project, name: str, commit: str = "") -> str:
    """Return the template that a step names: one that ships, or a file of the project.

    Where a commit holds the file it counts as it is there: agents may have changed it since.

    Raises: NotFound where there is none, InvalidValue for a file that is no text.
    """
    found = read_template(name) or (WalkGit(project).read_file(commit, name) if commit else "")
    if found:
        return found
    try:
        lying = read_output(project, name)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidValue(f"the template {name[:200]} cannot be read: {error}") from error
    if lying is None:
        ships = ", ".join(list_templates())
        raise NotFound(
            f"there is no template {name[:200]!r}", hint=f"{ships} ship; or a file, by its path"
        )
    return lying


def run_check(project: Project, command: str, wait_ms: int) -> str:
    """Run a command that must pass, in the project's folder; return what is wrong, or nothing.

    A shell reads it, as a person named it. It sees of the environment what commands of agents see:
    it runs the code that they just wrote.
    """
    try:
        with ending_orphans():
            ended = run_to_end(
                ProgramCall(
                    # Both streams as one, in the order in which they were written.
                    arguments=(_SHELL, "-c", f"exec 2>&1\n{command}"),
                    said="",
                    folder=project.root,
                    environment=make_surroundings(project.environment.variables, HUB_ROLE),
                    time_limit_ms=wait_ms,
                    output_bytes_max=WALK_CHECK_OUTPUT_BYTES_MAX,
                    end_bytes_max=WALK_CHECK_OUTPUT_BYTES_MAX,
                    can_wait=True,
                )
            )
    except OSError as error:
        return f"`{command}` could not be run: {error}"
    if ended.code == 0 and not ended.too_late:
        return ""
    how = f"exit code {ended.code}"
    if ended.too_late:
        how = f"it had not ended after {wait_ms / 1000:g} s"
    middle = "\n[...]\n" if ended.end else ""
    printed = printable(redact(f"{ended.out}{middle}{ended.end}")).strip("\n")
    return f"`{command}` failed ({how}):\n{printed}"
