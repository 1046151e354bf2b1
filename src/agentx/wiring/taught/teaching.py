"""What a run taught: what its actors proposed, and what its own story shows.

    proposed by an actor             as it was proposed
    decision-made                    a decision
    a question a person answered     a decision; where another person answered otherwise, with that
    a check that failed, then passed an error pattern: what failed, and what mended it
    a conflict that was resolved     a learning about the files that clash
    a review that led to a change    a learning: what was asked for, and what was done
    a task that was dropped          tech debt

Nothing is invented: every lesson names the events that prove it. All are candidates; a
person or a policy decides. What a person said stays theirs, whoever packs the run; what only
claims to be a person's teaches nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from agentx.kernel.clock import MINUTE_MS, Millis
from agentx.kernel.roles import is_persons_name
from agentx.kernel.text import preview
from agentx.kernel.values import frozen
from agentx.kernel.vouching.standing import UNVERIFIED
from agentx.lessons.fold import canonical, content_of, word
from agentx.lessons.limits import LESSONS_PER_RUN_MAX
from agentx.lessons.model import (
    Confidence,
    Content,
    LessonKind,
    Measure,
    Priority,
    Taught,
    texts,
)
from agentx.lessons.names import area_of, name_failing, one_line
from agentx.project.project import Project
from agentx.runs.asked import Escalation
from agentx.runs.model import (
    Conflict,
    Run,
    RunStatus,
    Task,
    TaskStatus,
)
from agentx.runs.parts.reviews import REVIEW, read_rounds
from agentx.runs.parts.taught import Candidate
from agentx.runs.parts.turns import AgentTurn
from agentx.runs.rendering import mark_taught, say_both, tell_otherwise
from agentx.wiring.runs import open_runs
from agentx.wiring.taught.mended import (
    Holds,
    is_proven,
    list_done_turns,
    list_mended,
    name_commit,
    summarise,
    tell_resolved,
)

_PROPOSED = {
    "pattern": LessonKind.CODE,
    "error-pattern": LessonKind.ERROR,
    "solution": LessonKind.SOLUTION,
    "decision": LessonKind.DECISION,
    "tech-debt": LessonKind.DEBT,
    "learning": LessonKind.LEARNING,
}
_ASKED_CHARS = 300
_WORST_FIRST = ("FAILED", "PASSED_WITH_WARNINGS", "PASSED")


def _knows_nothing(_older: str, _newer: str) -> bool:
    """Say of no commit that another holds it: for who cannot ask git."""
    return False


def lessons_of(run: Run, holds: Holds = _knows_nothing) -> tuple[Taught, ...]:
    """Return what a run taught, what its actors proposed first; `holds` is told by git."""
    found = [*_list_proposed(run), *_list_decided(run), *_list_answered(run)]
    found += [*_list_mended(run, holds), *_list_clashes(run), *_list_reviewed(run), *_left(run)]
    seen: dict[tuple[LessonKind, str, str], Taught] = {}
    for one in found:
        # Two questions that a person answered alike are two decisions.
        asked = one.content.name if one.said_by else ""
        seen.setdefault((one.kind, one.content.text.casefold(), asked), one)
    return tuple(seen.values())[:LESSONS_PER_RUN_MAX]


def offer_lessons(project: Project, run: Run) -> tuple[Taught, ...]:
    """Return what a run taught, with what of it git proves."""
    return lessons_of(run, open_runs(project).git.ask(run).holds)


@frozen(kw_only=False)
class Churn:
    """How much a run changed, as git counts it."""

    files_changed: int = 0
    lines_added: int = 0
    lines_removed: int = 0


def measure_run(run: Run, churn: Churn, lifted: frozenset[str]) -> Measure:
    """Return how a run went, in figures; what `lifted` tasks failed passed since with all."""
    ended_ms = run.ended_ms if run.ended_ms is not None else run.updated_ms
    judged = (task for task in run.tasks.values() if task.reports and task.id not in lifted)
    verdicts = [task.reports[-1].verdict for task in judged]
    verdicts += [report.verdict for report in run.reports[-1:]]
    worst = next((word for word in _WORST_FIRST if word in verdicts), "NOT_VERIFIED")
    counts = [task.status for task in run.tasks.values()]
    return Measure(
        run_id=run.id,
        completed_ms=Millis(ended_ms),
        duration_minutes=max(ended_ms - run.created_ms, 0) // MINUTE_MS,
        tasks_completed=counts.count(TaskStatus.COMPLETED),
        tasks_failed=counts.count(TaskStatus.FAILED),
        escalations=len(run.escalations),
        files_changed=churn.files_changed,
        lines_added=churn.lines_added,
        lines_removed=churn.lines_removed,
        verification_status=str(worst),
        outcome=str(run.outcome if run.outcome is not RunStatus.IN_PROGRESS else run.status),
    )


def _teach(
    run: Run,
    key: str,
    kind: LessonKind,
    content: Content,
    *,
    confidence: Confidence,
    evidence: tuple[str, ...],
    source: str,
    said_by: str = "",
    against: str = "",
) -> Taught:
    return Taught(
        key=f"{run.id}/{key}",
        run=run.id,
        kind=kind,
        content=canonical(kind, content),
        confidence=confidence,
        evidence=evidence,
        source=source,
        said_by=said_by if is_persons_name(said_by) else "",
        against=against,
    )


def _list_proposed(run: Run) -> Iterator[Taught]:
    for candidate in run.candidates.values():
        kind = _PROPOSED.get(candidate.kind)
        is_claim = candidate.actor == UNVERIFIED
        if kind is not None and candidate.words.strip() and not is_claim:
            yield _of_candidate(run, candidate, kind)


def _of_candidate(run: Run, candidate: Candidate, kind: LessonKind) -> Taught:
    content = content_of({**candidate.detail, "text": candidate.words})
    if not content.area:
        content = content_of(
            {**candidate.detail, "text": candidate.words, "area": area_of(content.files)}
        )
    return Taught(
        key=f"{run.id}/{candidate.id}",
        run=run.id,
        kind=kind,
        content=canonical(kind, content),
        confidence=word(Confidence, candidate.confidence, Confidence.LOW),
        evidence=candidate.evidence or (candidate.id,),
        contradicts=texts(candidate.detail.get("contradicts", ())),
        source=candidate.source or candidate.actor,
        said_by=candidate.actor if is_persons_name(candidate.actor) else "",
        against=candidate.doubt,
    )


def _list_decided(run: Run) -> Iterator[Taught]:
    for decision in run.decisions:
        if decision.actor == UNVERIFIED:
            continue
        name, _, _ = decision.words.partition(". ")
        yield _teach(
            run,
            decision.event_id,
            LessonKind.DECISION,
            Content(
                name=preview(name, 80),
                text=decision.words,
                context=f'During "{one_line(run.title)}" ({run.id}).',
            ),
            confidence=Confidence.MEDIUM,
            evidence=(decision.event_id,),
            source=decision.actor,
            said_by=decision.actor,
            against=decision.doubt,
        )


def _list_answered(run: Run) -> Iterator[Taught]:
    conflicts = {conflict.escalation for conflict in run.conflicts.values()}
    for escalation in run.escalations.values():
        if escalation.resolution.strip() and escalation.id not in conflicts:
            otherwise = escalation.contrary
            text = say_both(escalation) if otherwise else escalation.resolution
            yield _teach(
                run,
                escalation.id,
                LessonKind.DECISION,
                Content(
                    name=preview(escalation.question, 80),
                    text=text,
                    context=_tell_question(escalation),
                    area=_area_of_task(run, escalation.task),
                ),
                confidence=_trust_answer(escalation),
                evidence=(escalation.id,),
                source=escalation.resolved_by or escalation.actor,
                said_by=_name_speaker(escalation),
                against=mark_taught(escalation, text),
            )


def _trust_answer(escalation: Escalation) -> Confidence:
    """Return how far an answer may be believed."""
    stands = escalation.standing
    is_doubtful = escalation.contrary or escalation.contesting or (stands and stands.doubt)
    return Confidence.MEDIUM if is_doubtful else Confidence.HIGH


def _name_speaker(escalation: Escalation) -> str:
    stands = escalation.standing
    return escalation.resolved_by if stands is None else stands.speaker


def _tell_question(escalation: Escalation) -> str:
    lines = [one_line(escalation.question)]
    if escalation.tried:
        lines.append("Tried: " + "; ".join(map(one_line, escalation.tried)))
    if escalation.options:
        lines.append("Options: " + "; ".join(map(one_line, escalation.options)))
    if escalation.contesting:
        lines.append("Contested as it was taught: a writer who is not trusted answered otherwise")
    if escalation.contrary:
        lines.append(f"Answered: {one_line(escalation.resolution)}")
        lines += map(tell_otherwise, escalation.contrary)
    return "\n".join(lines)


def _list_mended(run: Run, holds: Holds) -> Iterator[Taught]:
    for mended in list_mended(run):
        task, name = mended.task, one_line(mended.check.name)
        of = "run" if task is None else task.id
        files = () if task is None else task.contract.files
        taught = _teach(
            run,
            f"{of}-report-{mended.number}-{name}",
            LessonKind.ERROR,
            Content(
                name=name_failing(name),
                text=_story(mended.symptom, mended.mend),
                context=run.title if task is None else task.contract.title,
                area=area_of(files),
                files=files,
            ),
            confidence=Confidence.LOW,
            evidence=(f"{run.id}/{of}", *mended.evidence),
            source=mended.failed.actor,
        )
        yield replace(taught, is_proven=is_proven(run, mended, holds))


def _story(symptom: str, mend: str) -> str:
    return f"{symptom.rstrip('.')}. Mended by: {mend}" if mend else symptom


def _list_clashes(run: Run) -> Iterator[Taught]:
    for conflict in run.conflicts.values():
        if conflict.resolution.strip() and conflict.files:
            yield _of_conflict(run, conflict)


def _of_conflict(run: Run, conflict: Conflict) -> Taught:
    names = ", ".join(conflict.files)
    how, evidence = tell_resolved(run, conflict)
    text = f"Parallel lanes clash in {names}. Resolved: {how}"
    asked = run.escalations.get(conflict.escalation)
    against = mark_taught(asked, text) if asked is not None and asked.id in evidence else ""
    return _teach(
        run,
        conflict.id,
        LessonKind.LEARNING,
        Content(
            name="",
            text=text,
            area=area_of(conflict.files),
            files=conflict.files,
        ),
        confidence=Confidence.LOW,
        evidence=evidence,
        source=conflict.operation,
        against=against,
    )


def _list_reviewed(run: Run) -> Iterator[Taught]:
    artifact = run.artifacts.get(REVIEW)
    rounds = {} if artifact is None else read_rounds(artifact.text)
    for task, said in rounds.items():
        turns = list_done_turns(run, task)
        for number, each in enumerate(said if turns else (), start=1):
            yield _of_review(run, f"{task}-review-{number}", each, turns[-1])


def _of_review(run: Run, key: str, said: Mapping[str, object], turn: AgentTurn) -> Taught:
    path, where = str(said.get("path") or ""), str(said.get("where") or "")
    asked = preview(str(said.get("text") or ""), _ASKED_CHARS)
    did = preview(summarise(turn), _ASKED_CHARS)
    files = (path,) if path else ()
    return _teach(
        run,
        key,
        LessonKind.LEARNING,
        Content(
            name="",
            text=f"Asked for in review{f' of {where}' if where else ''}: {asked} Done: {did}",
            area=area_of(files),
            files=files,
        ),
        confidence=Confidence.LOW,
        evidence=(turn.id, f"said by {said.get('author')}", *name_commit(turn.commit)),
        source="review",
    )


def _left(run: Run) -> Iterator[Taught]:
    for task in run.tasks.values():
        if task.status in (TaskStatus.DROPPED, TaskStatus.FAILED):
            yield _of_undone(run, task)


def _of_undone(run: Run, task: Task) -> Taught:
    because = f" ({one_line(task.reason)})" if task.reason else ""
    return _teach(
        run,
        f"{task.id}-undone",
        LessonKind.DEBT,
        Content(
            name="",
            text=f"Not done: {one_line(task.contract.title)}{because}",
            context=one_line(task.contract.goal),
            area=area_of(task.contract.files),
            files=task.contract.files,
            priority=Priority.MEDIUM if task.status is TaskStatus.FAILED else Priority.LOW,
        ),
        confidence=Confidence.MEDIUM,
        evidence=(f"{run.id}/{task.id}",),
        source="run",
    )


def _area_of_task(run: Run, task_id: str) -> str:
    task = run.tasks.get(task_id)
    return area_of(task.contract.files) if task is not None else ""
