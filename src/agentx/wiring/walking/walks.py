"""What carries an issue along its workflow needs of a project: events, git, templates, sessions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from posixpath import normpath

from agentx.agents.loop.model import LoopSession
from agentx.agents.loop.tools.commands import make_surroundings
from agentx.host.files.atomic import make_private_directory
from agentx.host.files.plain import list_folder, read_bytes
from agentx.host.git.branches import find_default, list_refs
from agentx.host.git.command import NO_HOOKS, read_git
from agentx.host.git.facts import branch as branch_of
from agentx.host.git.work import as_somebody, commit_of, git_done, list_changed_files
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
from agentx.work.limits import WALK_CHECK_OUTPUT_BYTES_MAX, WALK_OUTPUT_BYTES_MAX
from agentx.work.store.walks import WalkFile
from agentx.work.store.workflows import list_templates, read_template

# Ours: agents write their documents elsewhere, and it is committed by its own rules.
_OWN = (".agentx", ".agent-memory")
_OWNER = "workflow run"
_SHELL = "/bin/sh"
_LITERAL = "--literal-pathspecs"  # a name of a file means that file


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


def find_template(project: Project, name: str) -> str:
    """Return the template that a step names: one that ships, or a file of the project.

    Raises: NotFound where there is none, InvalidValue for a file that is no text.
    """
    shipped = read_template(name)
    if shipped:
        return shipped
    try:
        found = read_output(project, name)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidValue(f"the template {name[:200]} cannot be read: {error}") from error
    if found is None:
        ships = ", ".join(list_templates())
        raise NotFound(
            f"there is no template {name[:200]!r}", hint=f"{ships} ship; or a file, by its path"
        )
    return found


class WalkGit:
    """The repository in which agents work on an issue, if there is one."""

    def __init__(self, project: Project) -> None:
        self._root = project.root
        self.is_there = project.trust.common is not None

    @property
    def branch(self) -> str:
        """What is checked out; empty where that is no branch."""
        return (branch_of(self._root) or "") if self.is_there else ""

    @property
    def head(self) -> str:
        """The commit that is checked out."""
        return commit_of(self._root, "HEAD") if self.is_there else ""

    def is_default(self) -> bool:
        """Tell whether the branch that is checked out is the one that others are merged into."""
        return self.branch == find_default(list_refs(self._root) or ())

    def list_changed(self) -> tuple[str, ...]:
        """Return the files that are not committed; none of ours."""
        if not self.is_there:
            return ()
        found = list_changed_files(self._root, one_by_one=True)
        return tuple(name for name in found if name.split("/")[0] not in _OWN)

    def list_since(self, commit: str) -> tuple[str, ...]:
        """Return the files that commits since then changed; none of ours."""
        if not self.is_there or not commit:
            return ()
        words = ("diff", "--name-only", "-z", "--end-of-options", commit, "HEAD")
        found = read_git(self._root, *words).names
        return tuple(name for name in found if name.split("/")[0] not in _OWN)

    def commit(self, saying: str, path: str = "") -> str:
        """Commit a file, or all that was changed; return the commit, or nothing if there is none.

        Raises: UnavailableError.
        """
        wanted = normpath(path) if path else ""
        changed = [each for each in self.list_changed() if wanted in ("", each)]
        if not changed:
            return ""
        git_done(self._root, _LITERAL, "add", "--all", "--", *changed, settings=NO_HOOKS)
        words = (
            _LITERAL,
            *as_somebody(self._root),
            "commit",
            "--quiet",
            "--no-verify",
            "-m",
            saying,
        )
        git_done(self._root, *words, "--", *changed, settings=NO_HOOKS)
        return self.head


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
