"""What the verbs of the room say back: values alone, so that whoever shows them needs no verb."""

from __future__ import annotations

from enum import StrEnum

from agentx.kernel.values import frozen
from agentx.runs.model import Conflict, Lane, Phase, Report, Run, RunEvent, RunStatus

REOPEN = "agentx run event --type run-reopened"  # what takes up again what is over
UNSHALLOW = "git fetch --unshallow"  # what brings the history of a shallow clone


def say_push_all(run_id: str, remote: str) -> str:
    """Return the command that pushes every branch of a run."""
    return f"git push {remote} 'refs/heads/agent/{run_id}/*'"


@frozen
class Told:
    """What came of a verb: where the run stands, what was added, what was found on the way."""

    run: Run
    added: tuple[RunEvent, ...] = ()
    remarks: tuple[str, ...] = ()


@frozen
class Rebuilt:
    """What a rebuild found and did."""

    run: Run
    files_changed: int
    remarks: tuple[str, ...]
    faults: tuple[str, ...]


@frozen
class LaneTold:
    """What came of a verb of lanes."""

    told: Told
    lane: Lane | None
    folder: str
    conflict: Conflict | None = None


@frozen
class Checked:
    """What came of running checks."""

    told: Told
    report: Report
    folder: str
    unrun: tuple[str, ...] = ()  # declared by nobody who is trusted here


class Interruption(StrEnum):
    """What stopped a run."""

    CONFLICT = "merge conflict"
    LANE = "lane failure"
    QUESTION = "open question"
    TASK = "task interrupted"
    LOST = "what counts as merged is not in the work branch here"
    NONE = "nothing in the way"
    OVER = "over"


_TAKES_ON = tuple(
    f"agentx run {verb}"
    for verb in ("phase", "task start", "lane open", "lane merge", "lane retry")
)


@frozen
class NextStep:
    """One thing to do, and the command for it."""

    text: str
    command: str = ""
    is_persons: bool = False  # only a person can do it
    holds: bool = False  # until it is done no agent takes the run on
    takes: bool = False  # what somebody else holds: only a person can, and nobody waits for it

    @property
    def takes_on(self) -> bool:
        """Whether it takes the run on."""
        return self.command.startswith(_TAKES_ON)


@frozen
class Resumption:
    """Everything somebody needs who takes a run up again."""

    run_id: str
    interruption: Interruption
    phase: Phase
    status: RunStatus
    current_task: str
    happened: tuple[str, ...]  # a line each
    stopped_at: str
    last_checkpoint: str
    last_log: str
    next: tuple[NextStep, ...]
    answered: tuple[str, ...] = ()  # by people, each with its question


@frozen
class Archived:
    """What came of packing a run away."""

    run_id: str
    archive_path: str
    learnt: tuple[str, ...]
    confirmed: tuple[str, ...]
    undecided: int  # lessons offered that nobody accepted: they are in the archive
    folders_kept: tuple[str, ...] = ()  # of lanes, with which something would be lost
    folders_why: tuple[str, ...] = ()  # what that is, folder by folder
    remarks: tuple[str, ...] = ()


@frozen
class Unmerged:
    """A lane that counts as merged, and commits of which the work branch here lacks."""

    lane: str
    task: str
    commit: str
    why: str
    is_elsewhere: bool = True  # who merged it has what is missing
    is_here: bool = False  # in this repository, and not in the work branch
    is_pushed: bool = False  # the work branch has it at a remote
    lacks_branch: bool = False  # its commits are here, and no work branch is
    left: tuple[str, ...] = ()  # where its branch is, here or at a remote, beyond the work branch
    is_persons: bool = False  # it lies here alone, and another checkout has the lane
    folder: str = ""  # where that is checked out
    is_shallow: bool = False  # history is cut off here: git cannot tell
    is_over: bool = False  # the run is: nothing is merged before it is taken up again
    doubted: str = ""  # the writer, not trusted here, who says that their rebase holds what is left


@frozen
class GoneCommit:
    """A commit that a run stands on, and what it is."""

    commit: str
    what: str
    lane: str = ""  # empty: the work branch
    is_at_work: bool = False  # the last of a lane that is open
    is_shallow: bool = False  # history is cut off here: it may lie beyond


@frozen
class Landed:
    """Where the work of a run came in."""

    where: str  # a branch, here or as a remote has it
    is_other: bool = False  # as other commits: squashed, or rebased
    is_sure: bool = True  # or it only looks like that, and was changed since


@frozen
class Changes:
    """What the work branch changes, compared with its base."""

    commit: str
    files: tuple[str, ...]
    lines_added: int
    lines_removed: int
