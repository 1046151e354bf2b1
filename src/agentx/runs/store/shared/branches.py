"""What the branches of a run are called, and what comes of moving one."""

from __future__ import annotations

from pathlib import Path

from agentx.host.git.command import GitReply
from agentx.host.git.work import is_shallow_clone
from agentx.kernel.errors import InvalidValue, NotFound, UnavailableError
from agentx.kernel.values import frozen
from agentx.runs.paths import WORK_FOLDER
from agentx.runs.replies import UNSHALLOW

_UNSIGNED = "merge.verifySignatures false"
OURS = "agent/"  # how the branches of runs begin


@frozen
class Conflicted:
    """Git could not put changes together: nothing was changed."""

    files: tuple[str, ...]
    remarks: tuple[str, ...] = ()


@frozen
class Moved:
    """Where a branch is now; `already` when there was nothing to do."""

    commit: str
    onto: str = ""
    already: bool = False


def work_branch(run_id: str) -> str:
    """Return the name of a run's work branch."""
    return f"agent/{run_id}/{WORK_FOLDER}"


def lane_branch(run_id: str, lane: str) -> str:
    """Return the name of a lane's branch: `lane-` stands before its id, once."""
    return f"agent/{run_id}/lane-{lane.removeprefix('lane-')}"


def check_name(branch: str) -> None:
    """See that a branch is one of ours: which it is, events say that others may have written.

    Raises: InvalidValue.
    """
    if not branch.startswith(OURS):
        raise InvalidValue(f"{branch!r} is no branch of a run", hint="they begin with agent/")


def fail_git(folder: Path, doing: str, said: GitReply) -> UnavailableError:
    """Return that git did not do something with a branch, and for no conflict."""
    hint = ""
    # Two branches of a shallow clone have nothing in common that is here.
    if "unrelated histories" in said.err and is_shallow_clone(folder):
        hint = f"this clone is shallow: `{UNSHALLOW}`, then try again"
    elif "GPG signature" in said.err:
        hint = "you merge only what is signed: sign it, or here: git config " + _UNSIGNED
    return UnavailableError(f"git {doing}: {(said.err or said.out)[:500]}", hint=hint)


def lack_branch(branch: str) -> NotFound:
    """Return that a branch of a run is not here."""
    return NotFound(
        f"the branch {branch} is not in this repository",
        hint="it was made in another clone: fetch it from there first",
    )
