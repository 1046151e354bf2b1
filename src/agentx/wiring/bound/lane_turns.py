"""What a driver does in the lanes of a run, with git and with what this machine notes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.plain import exists, is_folder, read_text
from agentx.host.git.work import commit_of
from agentx.kernel.errors import AgentXError, ConflictError
from agentx.project.project import Project
from agentx.runs.limits import RUN_CHECK_OUTPUT_CHARS_MAX
from agentx.runs.model import Run
from agentx.runs.paths import RunNotes
from agentx.runs.store.executing import execute
from agentx.runs.store.git_exchange import find_remote
from agentx.runs.store.git_shared import look_at
from agentx.runs.store.local.approved import ApprovedChecks
from agentx.runs.store.local.turn_notes import TurnNotes
from agentx.runs.store.shared import lane_turns
from agentx.runs.store.shared.lane_roots import mend_link, return_to_branch, take_in_nested
from agentx.runs.store.shared.lane_turns import BroughtIn
from agentx.wiring.bound.run_branch import open_exchange
from agentx.wiring.bound.steering import look_at_steering, put_back_steering
from agentx.wiring.runs import open_lane_git

commit_left, is_merging = lane_turns.commit_left, lane_turns.is_merging
_SETUP_WAIT_MS = 20 * 60 * 1000


def turn_notes(project: Project, run_id: str) -> TurnNotes:
    """Return what is noted here of a run's agents at work."""
    return TurnNotes(RunNotes(project.store.root), run_id)


def open_approvals(project: Project, run_id: str) -> ApprovedChecks:
    """Return which checks of a run a person approved here."""
    return ApprovedChecks(RunNotes(project.store.root).approvals(run_id))


def list_lying(project: Project, run: Run, lane: str) -> tuple[str, ...]:
    """Return what lies in a lane's folder and is not committed.

    Raises: as `lane_folder`.
    """
    return look_at(lane_folder(project, run, lane)).changed


def lane_folder(project: Project, run: Run, lane: str) -> Path:
    """Return the folder of a lane, made again if it is gone.

    Raises: NotFound, ConflictError, UnavailableError.
    """
    found = run.lanes[lane]
    return open_lane_git(project).reopen(run.id, found.id, found.branch)


def mend_lane(project: Project, run: Run, lane: str) -> Iterator[str]:
    """See that the folder of a lane where an agent was at work is the lane's still; yield what was
    put right.

    Raises: ConflictError, UnavailableError, OSError.
    """
    notes, found = RunNotes(project.store.root), run.lanes[lane]
    folder = notes.worktree(run.id, found.id)
    if is_folder(folder):
        yield from filter(None, [mend_link(project.root, folder, notes.strange(run.id, found.id))])
        yield from filter(None, [return_to_branch(folder, found.branch)])
        work = _find_work(project, run, lane)
        yield from take_in_nested(folder, work, notes.strange(run.id, found.id))


def find_holders(run: Run, lane: str, folder: Path) -> tuple[str, ...]:
    """Return which branches of people hold what an agent committed in a lane since its last turn.

    Raises: UnavailableError.
    """
    found = run.lanes[lane]
    return lane_turns.find_holders(folder, found.commit or found.start_commit)


def bring_work(project: Project, run: Run, folder: Path) -> BroughtIn:
    """Merge the work branch into a lane; what does not go together holds marks.

    Raises: UnavailableError.
    """
    return lane_turns.bring_work(folder, open_lane_git(project).find_work(run.id))


def push_branch(project: Project, remote: str, branch: str) -> str:
    """Push a branch of a run; return why that was not possible, or nothing."""
    return lane_turns.push_branch(project.root, remote, branch)


def make_ready(
    project: Project, run: Run, lane: str, setup: str, copies: tuple[str, ...]
) -> tuple[str, ...]:
    """Give a lane what the checkout needs to run, once; return what was done.

    Raises: InvalidValue, NotFound for what cannot be copied; ConflictError where the command fails.
    """
    note = RunNotes(project.store.root).outfit(run.id, lane)
    if exists(note) or not (setup or copies):
        return ()
    folder = lane_folder(project, run, lane)
    done = [f"copied {name}" for name in lane_turns.copy_ignored(project.root, folder, copies)]
    if setup:
        ended = execute(setup, folder, _SETUP_WAIT_MS, project.clock)
        if not ended.passed:
            why = ended.why or f"exit {ended.exit_code}"
            raise ConflictError(
                f"`{setup}` failed in {folder} ({why}): "
                f"{ended.output[-min(400, RUN_CHECK_OUTPUT_CHARS_MAX) :]}",
                hint="mend the command (--setup), or run it there by hand",
            )
        done.append(f"ran {setup}")
    make_private_directory(note.parent)
    replace_file(note, json.dumps(look_at_steering(folder)).encode())
    return tuple(done)


def put_back(project: Project, run: Run, lane: str, folder: Path) -> tuple[str, ...]:
    """Put back what an agent changed of what agents go by; return which files those were.

    Raises: UnavailableError, OSError.
    """
    note, known = RunNotes(project.store.root).outfit(run.id, lane), dict[str, str]()
    with suppress(OSError, ValueError):
        known = json.loads(read_text(note))
    return put_back_steering(folder, project.root, _find_work(project, run, lane), known)


def _find_work(project: Project, run: Run, lane: str) -> str:
    """Return where the work is; where its branch is not here yet, of what the lane was made."""
    return open_lane_git(project).find_work(run.id) or run.lanes[lane].start_commit


def tell_tips(project: Project, run: Run) -> tuple[str, ...]:
    """Return where the work of a run and its base are now."""
    names = (run.git.work_branch, run.git.base_branch)
    return tuple(commit_of(project.root, f"refs/heads/{name}") for name in names if name)


def find_push_remote(project: Project) -> str:
    """Return the remote to which a person agreed that runs are pushed; empty where none."""
    try:
        find_remote(project.root)  # first: where there is none, nothing is begun
        exchange = open_exchange(project)
        is_agreed = exchange is not None and exchange.is_agreed()
        return exchange.remote.name if exchange is not None and is_agreed else ""
    except AgentXError:
        return ""
