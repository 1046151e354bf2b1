"""A run while it is being changed, and what an event of it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from agentx.kernel.clock import Millis
from agentx.kernel.vouching.standing import UNVERIFIED, Vouching
from agentx.runs.asked import Escalation, PersonsAnswer
from agentx.runs.holding.settling import ClaimLine
from agentx.runs.model import (
    Artifact,
    Conflict,
    Contract,
    DoubtedEnd,
    GitState,
    Lane,
    Phase,
    PhaseEntry,
    Report,
    Run,
    RunEvent,
    RunStatus,
    Task,
    TaskStatus,
)
from agentx.runs.parts.said import Checkpoint, LogEntry
from agentx.runs.parts.taught import Candidate
from agentx.runs.parts.turns import AgentTurn

_MAPPINGS = (
    *("phases", "tasks", "lanes", "escalations", "conflicts", "candidates", "artifacts"),
    *("births", "by_kind"),
)
_LISTS = ("reports", "decisions", "turns", "drives")
_NAMES = tuple(field.name for field in fields(Run))


class RunDraft:
    """A run while it is being changed: the same fields, open to writing."""

    id: str
    title: str
    description: str
    requester: str
    started: bool
    created_ms: Millis
    updated_ms: Millis
    ended_ms: Millis | None
    outcome: RunStatus
    outcome_reason: str
    doubted_end: DoubtedEnd | None
    phase: Phase
    phases: dict[Phase, PhaseEntry]
    current_task: str
    tasks: dict[str, Task]
    lanes: dict[str, Lane]
    escalations: dict[str, Escalation]
    conflicts: dict[str, Conflict]
    reports: list[Report]
    checks: tuple[str, ...]
    doubted: tuple[str, ...]
    candidates: dict[str, Candidate]
    artifacts: dict[str, Artifact]
    decisions: list[LogEntry]
    turns: list[AgentTurn]
    drives: list[ClaimLine]
    checkpoint: Checkpoint | None
    git: GitState
    births: dict[str, str]
    events: int
    last_event_id: str
    by_kind: dict[str, int]

    def __init__(self, run: Run) -> None:
        for name in _NAMES:
            value = getattr(run, name)
            if name in _MAPPINGS:
                value = dict(value)
            elif name in _LISTS:
                value = list(value)
            setattr(self, name, value)
        # Work logs grow an entry at a time; a tuple that grows so is quadratic.
        self.logs: dict[str, list[LogEntry]] = {}
        # How many tasks are worked on: whoever looks for one need not look where there is none.
        self.at_work = sum(task.status is TaskStatus.IN_PROGRESS for task in run.tasks.values())

    def put_task(self, task: Task) -> None:
        """Take a task as it is now."""
        before = self.tasks[task.id].status is TaskStatus.IN_PROGRESS
        self.at_work += (task.status is TaskStatus.IN_PROGRESS) - before
        self.tasks[task.id] = task

    def finish(self) -> Run:
        """Return the run as it is now."""
        for name, log in self.logs.items():
            task = self.tasks[name]
            self.tasks[name] = replace(task, log=(*task.log, *log))
        values = {name: getattr(self, name) for name in _NAMES}
        return Run(**values | {name: tuple(values[name]) for name in _LISTS})


def task_named(draft: RunDraft, event: RunEvent) -> str:
    """Return the task an event speaks of: the one it was told of, whatever it is called now."""
    return draft.births.get(event.task_of) or event.task


def task_meant(draft: RunDraft, event: RunEvent) -> Task | None:
    """Return the task an event is about; one that was never written down is made."""
    name = task_named(draft, event)
    if not name:
        return None
    if name not in draft.tasks:
        draft.tasks[name] = Task(id=name, born="", contracts=(Contract(title=name),))
    return draft.tasks[name]


def lane_named(draft: RunDraft, event: RunEvent) -> str:
    """Return the lane an event speaks of."""
    return draft.births.get(event.lane_of) or event.lane


def free_name(name: str, taken: Mapping[str, object]) -> str:
    """Return a name for a second thing that was given a name that is taken."""
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"


def entry_of(event: RunEvent, text: str) -> LogEntry:
    """Return what an event adds to a log."""
    return LogEntry(
        at_ms=event.at_ms, actor=event.speaker, words=text, doubt=event.doubt, event_id=event.id
    )


def settle_question(draft: RunDraft, event: RunEvent, escalation: str, resolution: str) -> None:
    """Keep an answer to a question, and settle it by the answer that stands.

    What nobody vouches for, or was said to another question, is kept and settles nothing.
    """
    found = draft.escalations.get(escalation)
    if found is None:
        return
    about = event.text("about")
    why = str(event.standing) if event.is_claim else ""
    if about and about != found.digest:
        why = why or str(Vouching.ELSEWHERE)
    answer = PersonsAnswer(
        event_id=event.id,
        at_ms=event.at_ms,
        by=event.actor,
        text=resolution,
        via=event.text("via"),
        owner=event.owner,
        writer=event.writer,
        key=event.key,
        saw=event.texts("saw"),
        why=why,
    )
    if why:
        claim = replace(answer, by=UNVERIFIED)
        draft.escalations[found.id] = replace(found, claims=(*found.claims, claim))
        return
    found = replace(found, answers=(*found.answers, answer))
    stands = found.standing or answer
    draft.escalations[found.id] = replace(
        found, resolution=stands.text, resolved_by=stands.by, resolved_ms=stands.at_ms
    )


def escalation_name(event_id: str) -> str:
    """Return the name of the escalation that an event raised."""
    return f"ESC-{event_id[-6:]}"


def name_question(draft: RunDraft, event: RunEvent) -> str:
    """Return the name of a question to a person; no other question loses its own by it.

    Names are short, so somebody could type an event whose name is taken: one that nobody vouches
    for never has the plain name.
    """
    name = escalation_name(event.id)
    is_taken = draft.births.get(event.id) != name and name in draft.escalations
    if event.is_doubtful or is_taken:
        name = draft.births.get(event.id) or free_name(name, draft.escalations)
    draft.births[event.id] = name
    return name
