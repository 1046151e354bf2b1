"""From events to where the run stands: `evolve` for one, `fold` for all.

Pure and total: any events in any order give a state, because two clones that each did
something legal may together have done something that is not. What was said last holds.
`fold` sorts by (time, id) and steps over an id it has seen, so it gives the same state
in whatever order, and however often, the files arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from agentx.kernel.clock import Millis
from agentx.kernel.ids import each_once
from agentx.kernel.vouching.standing import UNVERIFIED, Vouching
from agentx.runs.asked import Escalation
from agentx.runs.model import (
    PHASES,
    Artifact,
    Check,
    DoubtedEnd,
    Phase,
    PhaseEntry,
    Report,
    Run,
    RunEvent,
    RunStatus,
    TaskStatus,
    Verdict,
)
from agentx.runs.parts.said import Checkpoint
from agentx.runs.parts.taught import Candidate
from agentx.runs.rules.claim_lines import ENDS, read_claim
from agentx.runs.rules.claims import ANSWERS, RAN
from agentx.runs.rules.draft import (
    RunDraft,
    entry_of,
    lane_named,
    name_question,
    settle_question,
    task_meant,
    task_named,
)
from agentx.runs.rules.driving import DRIVE_STEPS
from agentx.runs.rules.steps import WORK_STEPS, settle_checks


def fold(run_id: str, events: Iterable[RunEvent]) -> Run:
    """Return where a run stands after all its events."""
    draft = RunDraft(Run(id=run_id))
    for event in in_order(events):
        _apply(draft, event)
    return draft.finish()


def in_order(events: Iterable[RunEvent]) -> list[RunEvent]:
    """Return the events by (time, id), each once."""
    return sorted(each_once(events), key=lambda each: (each.at_ms, each.id))


def mark_misplaced(run_id: str, events: tuple[RunEvent, ...]) -> tuple[RunEvent, ...]:
    """Return events with each answer marked as a claim that was said to another question."""
    if not any(each.kind == ANSWERS and each.text("about") for each in events):
        return events
    asked = fold(run_id, events).escalations.values()
    misplaced = {
        claim.event_id for each in asked for claim in each.claims if claim.why == Vouching.ELSEWHERE
    }
    return tuple(
        replace(each, actor=UNVERIFIED, standing=Vouching.ELSEWHERE)
        if each.id in misplaced
        else each
        for each in events
    )


def evolve(run: Run, event: RunEvent) -> Run:
    """Return where a run stands after one more event."""
    draft = RunDraft(run)
    _apply(draft, event)
    return draft.finish()


def _apply(draft: RunDraft, event: RunEvent) -> None:
    draft.events += 1
    draft.last_event_id = event.id
    draft.by_kind[event.kind] = draft.by_kind.get(event.kind, 0) + 1
    draft.updated_ms = max(draft.updated_ms, event.at_ms)
    if not draft.created_ms:
        draft.created_ms = event.at_ms
    if event.is_claim and event.text("without"):
        return  # it follows from a give-up that nobody vouches for: that counts for nothing
    step = _STEPS.get(event.kind)
    if step is not None:
        step(draft, event)
    if event.task and (event.kind in ENDS or "checkout" in event.detail):
        _keep_claim(draft, event)


def _keep_claim(draft: RunDraft, event: RunEvent) -> None:
    """Keep what an event says of who holds its task; an end that ends nothing says nothing."""
    line, task = read_claim(event, lane_named(draft, event)), task_meant(draft, event)
    if event.kind == "task-reopened" and task is not None and task.status is TaskStatus.IN_PROGRESS:
        return
    if line is not None and task is not None and (task.claims or line.checkout):
        draft.tasks[task.id] = replace(task, claims=(*task.claims, line))


# --- run and phases -------------------------------------------------------------------------


def _run_started(draft: RunDraft, event: RunEvent) -> None:
    if draft.started:
        return
    draft.started = True
    draft.title = event.text("title")
    draft.description = event.text("description")
    draft.requester = event.text("requester")
    draft.created_ms = event.at_ms
    _checks_declared(draft, event)
    draft.git = replace(
        draft.git,
        base_branch=event.git_name("base_branch"),
        base_commit=event.git_name("base_commit"),
        latest_commit=draft.git.latest_commit or event.git_name("base_commit"),
    )
    if not draft.phases:
        draft.phases[Phase.PLANNING] = _enter(event.at_ms)


def _phase_entered(draft: RunDraft, event: RunEvent) -> None:
    entered = Phase(event.text("phase"))
    turn = PHASES.index(entered)
    for number, phase in enumerate(PHASES):
        before = draft.phases.get(phase, PhaseEntry())
        if number < turn and before.status is not RunStatus.COMPLETED:
            draft.phases[phase] = replace(
                before, status=RunStatus.COMPLETED, completed_ms=event.at_ms
            )
        elif number == turn:
            draft.phases[phase] = _enter(event.at_ms)
        elif number > turn:
            draft.phases.pop(phase, None)
    draft.phase = entered


def _enter(at_ms: Millis) -> PhaseEntry:
    return PhaseEntry(status=RunStatus.IN_PROGRESS, entered_ms=at_ms)


def _run_ended(draft: RunDraft, event: RunEvent) -> None:
    completed = event.kind == "run-completed"
    outcome = RunStatus.COMPLETED if completed else RunStatus.FAILED
    doubted = _doubt_end(draft, event, outcome) if event.is_doubtful else None
    is_over = draft.outcome is not RunStatus.IN_PROGRESS
    if doubted is not None and is_over and not (doubted.counts and draft.doubted_end):
        return  # it is over by a better word
    draft.doubted_end = doubted
    if doubted is not None and not doubted.counts:
        return
    draft.outcome = outcome
    draft.outcome_reason = event.text("text" if completed else "reason")
    draft.ended_ms = event.at_ms
    draft.current_task = ""
    if completed:
        for phase, entry in draft.phases.items():
            if entry.status is RunStatus.IN_PROGRESS:
                draft.phases[phase] = replace(
                    entry, status=RunStatus.COMPLETED, completed_ms=event.at_ms
                )


def _doubt_end(draft: RunDraft, event: RunEvent, outcome: RunStatus) -> DoubtedEnd:
    """Return an end that nobody vouches for, and whether the run is over by it.

    The verbs sign it: what is not signed is no end. Nor is a person's question taken away by a
    line that anybody can write. What an unknown writer signed counts as roles do, and is told.
    """
    assert event.standing is not None, "only what somebody judged is doubted"
    is_asking = any(each.open for each in draft.escalations.values())
    return DoubtedEnd(
        actor=event.actor,
        outcome=outcome,
        why=event.standing,
        writer=event.writer,
        counts=event.standing is Vouching.UNTRUSTED and not is_asking,
    )


def _run_reopened(draft: RunDraft, event: RunEvent) -> None:
    draft.outcome, draft.outcome_reason, draft.ended_ms = RunStatus.IN_PROGRESS, "", None
    draft.doubted_end = None
    draft.phases[draft.phase] = _enter(event.at_ms)


def _decision_made(draft: RunDraft, event: RunEvent) -> None:
    why = event.text("why")
    draft.decisions.append(entry_of(event, event.text("text") + (f" ({why})" if why else "")))


# --- escalations, verification, artifacts, candidates ---------------------------------------


def _escalation_raised(draft: RunDraft, event: RunEvent) -> None:
    name = name_question(draft, event)
    draft.escalations[name] = Escalation(
        id=name,
        at_ms=event.at_ms,
        actor=event.actor,
        question=event.text("question"),
        task=task_named(draft, event),
        lane=lane_named(draft, event),
        tried=event.texts("tried"),
        needed=event.text("needed"),
        options=event.texts("options"),
        blocking=event.detail.get("blocking") is not False,
    )


def _escalation_resolved(draft: RunDraft, event: RunEvent) -> None:
    settle_question(draft, event, event.text("escalation"), event.text("resolution"))


def _verification_recorded(draft: RunDraft, event: RunEvent) -> None:
    report = Report(
        at_ms=event.at_ms,
        actor=event.speaker,
        verdict=Verdict(event.text("verdict")),
        checks=tuple(checks_in(event)),
        summary=event.text("summary"),
        event_id=event.id,
        commit=event.git_name("commit"),
        dirty=event.texts("dirty"),
        was_executed=event.kind == RAN,
        is_vouched=not event.is_doubtful,
    )
    task = task_meant(draft, event) if event.task else None
    if task is None:
        draft.reports.append(report)
    else:
        draft.tasks[task.id] = replace(task, reports=(*task.reports, report))


def checks_in(event: RunEvent) -> Iterable[Check]:
    """Return the checks of a report; only what was executed has a command."""
    found = event.detail.get("checks")
    ran = event.kind == RAN
    for each in found if isinstance(found, list | tuple) else ():
        if isinstance(each, dict):
            code = each.get("exit_code")
            yield Check(
                name=str(each.get("name", "")),
                passed=each.get("passed") is True,
                evidence=str(each.get("evidence", "")),
                command=str(each.get("command", "")) if ran else "",
                exit_code=code if ran and isinstance(code, int) else None,
                output=str(each.get("output", "")) if ran else "",
            )


def _checks_declared(draft: RunDraft, event: RunEvent) -> None:
    draft.checks, draft.doubted = settle_checks(event, draft.checks, draft.doubted)


def _artifact_written(draft: RunDraft, event: RunEvent) -> None:
    name = event.text("name")
    known = draft.artifacts.get(name)
    draft.artifacts[name] = Artifact(
        name=name,
        at_ms=event.at_ms,
        actor=event.speaker,
        task=task_named(draft, event),
        text=event.text("text"),
        event_id=event.id,
        versions=1 if known is None else known.versions + 1,
    )


def _candidate_proposed(draft: RunDraft, event: RunEvent) -> None:
    name = f"CAND-{event.id[-6:]}"
    draft.candidates[name] = Candidate(
        id=name,
        at_ms=event.at_ms,
        actor=event.speaker,
        kind=event.text("kind"),
        words=event.text("text"),
        doubt=event.doubt,
        evidence=event.texts("evidence"),
        confidence=event.text("confidence") or "MEDIUM",
        source=event.text("source") or (task_named(draft, event) or draft.id),
        detail=event.detail,
    )


def _checkpoint_made(draft: RunDraft, event: RunEvent) -> None:
    draft.checkpoint = Checkpoint(
        at_ms=event.at_ms,
        actor=event.speaker,
        words=event.text("text"),
        doubt=event.doubt,
        task=task_named(draft, event) or draft.current_task,
        commit=event.git_name("commit"),
    )


_STEPS: dict[str, Callable[[RunDraft, RunEvent], None]] = {
    **WORK_STEPS,
    **DRIVE_STEPS,
    "run-started": _run_started,
    "run-completed": _run_ended,
    "run-failed": _run_ended,
    "run-reopened": _run_reopened,
    "decision-made": _decision_made,
    "phase-entered": _phase_entered,
    "checkpoint-made": _checkpoint_made,
    "artifact-written": _artifact_written,
    "verification-recorded": _verification_recorded,
    RAN: _verification_recorded,
    "checks-declared": _checks_declared,
    "escalation-raised": _escalation_raised,
    "escalation-resolved": _escalation_resolved,
    "candidate-proposed": _candidate_proposed,
}
