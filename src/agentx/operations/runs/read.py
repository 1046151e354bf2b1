"""Look at runs: all of them, one of them, and what a task should be handed."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from agentx.host.documents.yaml_file import YAML
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls, find_caller
from agentx.runs.asked import Escalation
from agentx.runs.claiming.driven import tell_driven
from agentx.runs.claiming.own_claims import OwnClaims
from agentx.runs.claiming.telling import say_shortly
from agentx.runs.holding.settling import say_holder
from agentx.runs.model import (
    PHASES,
    Conflict,
    Lane,
    Phase,
    PhaseEntry,
    Run,
    RunEvent,
    Task,
    Verdict,
)
from agentx.runs.rendering import (
    event_line,
    list_answered,
    list_claims,
    mark_event,
    say_doubted_end,
)
from agentx.runs.replies import NextStep, Unmerged
from agentx.runs.rules.gates import Missing, list_uncounted
from agentx.runs.rules.graph import ready, waits_for
from agentx.wiring.runs import find_shown_asks, open_kept, open_run_store, open_runs
from agentx.wiring.taught.given import GivenLesson, list_given

_RECENT_EVENTS = 5


@frozen
class RunRow:
    """One run in a list."""

    run_id: str
    title: str
    status: str
    phase: str
    tasks: int
    tasks_done: int
    lanes_open: int
    blockers: int
    created_ms: int
    updated_ms: int
    active: bool


@frozen
class ArchivedRow:
    """One run that is packed away. Of a damaged archive only the name is known."""

    run_id: str
    title: str
    status: str
    completed_at: str
    archived_at: str
    archive_path: str


@frozen
class PhaseRow:
    """One phase, and how it stands."""

    phase: str
    status: str
    completed_ms: int | None


@frozen
class TaskRow:
    """One task, and how it stands."""

    task_id: str
    title: str
    status: str
    ready: bool
    waits_for: tuple[str, ...]
    depends_on: tuple[str, ...]
    lane: str
    reason: str
    verdict: str
    stale: str  # why the verdict is not of what is there now
    checks: tuple[str, ...]  # commands that must pass
    version: int
    attempts: int
    last_log: str
    holder: str = ""  # who works on it, and in which checkout
    held_until_ms: int | None = None
    held: str = ""  # the same in short, as seen from here
    uncounted: str = ""  # why the verdict opens no gate, whatever is there now

    @property
    def said_verdict(self) -> str:
        """The verdict as it is told, with what is to be known of it in a word."""
        doubt = "stale" if self.stale else "not counted" if self.uncounted else ""
        return ", ".join(word for word in (self.verdict.replace("_", " ").lower(), doubt) if word)


@frozen
class RunOverview:
    """Where a run stands, for a person and for a program."""

    run_id: str
    title: str
    description: str
    requester: str
    status: str
    phase: str
    reason: str
    current_task: str
    created_ms: int
    updated_ms: int
    ended_ms: int | None
    phases: tuple[PhaseRow, ...]
    tasks: tuple[TaskRow, ...]
    lanes: tuple[Lane, ...]
    blockers: tuple[Escalation, ...]
    escalations_open: int
    conflicts: tuple[Conflict, ...]
    artifacts: tuple[str, ...]
    candidates: int
    base_branch: str
    work_branch: str
    latest_commit: str
    last_checkpoint_ms: int | None
    last_event_id: str
    events: int
    by_kind: dict[str, int]
    recent: tuple[str, ...]
    next: tuple[NextStep, ...]
    faults: tuple[str, ...]
    unmerged: tuple[Unmerged, ...] = ()  # lanes that count as merged, and git says otherwise
    answered: tuple[Escalation, ...] = ()  # by people, in the order they did
    checks: tuple[str, ...] = ()  # commands that the whole run must pass
    missing: tuple[Missing, ...] = ()  # what must be so before it goes on
    unverified: tuple[str, ...] = ()  # a person's answer, or an end, for which nobody vouches
    lessons_given: tuple[GivenLesson, ...] = ()  # of earlier runs, to the agents of this one


def bring_back_runs(project: Project) -> tuple[str, ...]:
    """Lay out again what the checkout lost of runs; return what that was, to be said."""
    return open_run_store(project).bring_back()


def tell_runs_elsewhere(project: Project) -> tuple[str, ...]:
    """Return which branches of remotes hold runs that are not here, to be said where none is."""
    kept = open_kept(project)
    return () if kept is None else kept.list_ahead()


def list_runs(project: Project) -> tuple[RunRow, ...]:
    """Return every run, newest first."""
    runs = open_runs(project)
    active = runs.which.active()
    return tuple(_row(run, active) for run in runs.all())


def list_archived(project: Project) -> tuple[ArchivedRow, ...]:
    """Return every run that is packed away, newest first."""
    return tuple(
        ArchivedRow(**{part.name: str(line.get(part.name, "")) for part in fields(ArchivedRow)})
        for line in open_runs(project).list_archived()
    )


def show_run(project: Project, run_id: str = "", *, caller: WhoCalls | None = None) -> RunOverview:
    """Return where a run stands; the active one when none is named.

    Raises: NotFound, also for one that the environment names.
    """
    runs = open_runs(project)
    run, events, faults = runs.story(run_id or runs.which.choose_shown())
    unmerged = runs.list_unmerged(run)
    way = runs.way_on(run, unmerged=unmerged, gone=runs.list_gone(run))
    driven = tell_driven(run, runs.own)
    if driven is not None:  # what is a person's to say is so still
        way = replace(way, next=(driven, *(step for step in way.next if step.is_persons)))
    steps = steps_for(project, way.next, caller)
    stale, now_ms = runs.tell_stale(run), project.clock.now_ms()
    found = overview_of(run, events, steps, faults)
    lifted, uncounted = runs.list_lifted(run), list_uncounted(run)
    told = (
        replace(each, verdict=str(Verdict.PASSED))
        if each.task_id in lifted
        else replace(
            each,
            stale=stale.get(each.task_id, ""),
            uncounted=uncounted.get(each.task_id, ""),
        )
        for each in found.tasks
    )
    tasks = tuple(_tell_held(run, each, runs.own, now_ms) for each in told)
    is_settled = run.over and run.doubted_end is None
    verifies = not is_settled and run.phase not in (Phase.PLANNING, Phase.EXECUTION)
    missing = runs.list_missing(run) if verifies else ()
    given = list_given(project, run)
    return replace(found, tasks=tasks, unmerged=unmerged, missing=missing, lessons_given=given)


def _tell_held(run: Run, row: TaskRow, own: OwnClaims, now_ms: int) -> TaskRow:
    """Return a task's row with who holds it; what another checkout holds is not ready here."""
    task = run.tasks[row.task_id]
    claim = None if run.over or task.over or not task.claims else task.settled.claim
    if claim is None:
        return row
    claim = own.see(claim)
    return replace(
        row,
        holder=say_holder(claim),
        held_until_ms=claim.until_ms,
        held=say_shortly(claim, own.known, now_ms),
        ready=row.ready and (claim.checkout == own.known or not claim.holds_at(now_ms)),
    )


def note_shown(project: Project, found: RunOverview) -> None:
    """Note what a person at a terminal was shown that a run asks."""
    if found.blockers and find_caller(project).via is Via.TERMINAL:
        find_shown_asks(project).note_told((found.run_id, one) for one in found.blockers)


def steps_for(
    project: Project, steps: tuple[NextStep, ...], caller: WhoCalls | None = None
) -> tuple[NextStep, ...]:
    """Return what to do next, to who calls: an agent is told to wait for what a person does."""
    if not any(step.is_persons or step.takes for step in steps):
        return steps
    if not (find_caller(project) if caller is None else caller).is_agent:
        return steps
    waits = "; the user answers in a terminal of their own: wait for it"
    is_held = any(step.holds for step in steps)
    return tuple(
        replace(step, text=f"{step.text}{waits}" if step.is_persons else step.text, command="")
        if step.is_persons or step.takes
        else step
        for step in steps
        if not (is_held and step.takes_on)
    )


def type_for(project: Project, run: Run, command: str) -> str:
    """Return a command about a run as it can be typed here, where others may be in progress."""
    return open_runs(project).which.complete(command, run)


@frozen
class LastEvents:
    """The last events of a run, oldest first, each as a line and with what speaks against it."""

    events: tuple[RunEvent, ...]
    lines: tuple[str, ...]
    marks: tuple[str, ...]


def run_events(project: Project, run_id: str = "", *, limit: int = 100) -> LastEvents:
    """Return the last events of a run."""
    runs = open_runs(project)
    run, events = runs.run(run_id)[0], runs.events(run_id)[-limit:]
    return LastEvents(
        events=events,
        lines=tuple(event_line(each, run) for each in events),
        marks=tuple(mark_event(each, run) for each in events),
    )


def show_schema() -> tuple[dict[str, Any], str]:
    """Return the schema that every event of a run is checked against, and as a page of YAML."""
    from agentx.runs.pages.event_schema import write_schema  # noqa: PLC0415  few ask for it

    found = write_schema()
    return found, YAML.dump(found).decode("utf-8")


def overview_of(
    run: Run, events: tuple[RunEvent, ...], steps: tuple[NextStep, ...], faults: tuple[str, ...]
) -> RunOverview:
    """Return where a run stands, as it is shown."""
    can_start = frozenset(ready(run))
    return RunOverview(
        run_id=run.id,
        title=run.title,
        description=run.description,
        requester=run.requester,
        status=str(run.status),
        phase=str(run.phase),
        reason=run.outcome_reason,
        current_task=run.current_task,
        created_ms=run.created_ms,
        updated_ms=run.updated_ms,
        ended_ms=run.ended_ms,
        phases=tuple(
            PhaseRow(phase=str(phase), status=str(entry.status), completed_ms=entry.completed_ms)
            for phase in PHASES
            for entry in (run.phases.get(phase, PhaseEntry()),)
        ),
        tasks=tuple(_task(run, task, can_start) for task in run.tasks.values()),
        lanes=tuple(run.lanes.values()),
        blockers=run.blockers,
        escalations_open=sum(each.open for each in run.escalations.values()),
        conflicts=tuple(each for each in run.conflicts.values() if each.open),
        artifacts=tuple(run.artifacts),
        candidates=len(run.candidates),
        base_branch=run.git.base_branch,
        work_branch=run.git.work_branch,
        latest_commit=run.git.latest_commit,
        last_checkpoint_ms=None if run.checkpoint is None else run.checkpoint.at_ms,
        last_event_id=run.last_event_id,
        events=run.events,
        by_kind=dict(run.by_kind),
        recent=tuple(event_line(event, run) for event in events[-_RECENT_EVENTS:]),
        next=steps,
        faults=faults,
        answered=tuple(list_answered(run)),
        checks=run.checks,
        unverified=(
            *filter(None, (say_doubted_end(run),)),
            *(
                f"{asked.id}: {claim}"
                for asked in run.escalations.values()
                for claim in list_claims(asked)
            ),
        ),
    )


def _row(run: Run, active: str) -> RunRow:
    return RunRow(
        run_id=run.id,
        title=run.title,
        status=str(run.status),
        phase=str(run.phase),
        tasks=len(run.tasks),
        tasks_done=sum(task.over for task in run.tasks.values()),
        lanes_open=sum(lane.open for lane in run.lanes.values()),
        blockers=len(run.blockers),
        created_ms=run.created_ms,
        updated_ms=run.updated_ms,
        active=run.id == active,
    )


def _task(run: Run, task: Task, can_start: frozenset[str]) -> TaskRow:
    return TaskRow(
        task_id=task.id,
        title=task.contract.title,
        status=str(task.status),
        ready=task.id in can_start,
        waits_for=() if task.over else waits_for(run, task),
        depends_on=task.contract.depends_on,
        lane=task.lane,
        reason=task.reason,
        verdict=str(task.reports[-1].verdict) if task.reports else "",
        stale="",
        checks=task.contract.checks,
        version=task.version,
        attempts=task.attempts,
        last_log=task.log[-1].told if task.log else "",
    )
