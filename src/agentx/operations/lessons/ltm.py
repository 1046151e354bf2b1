"""Long-term memory: look at it, decide on what runs offer, correct it."""

from __future__ import annotations

from dataclasses import dataclass

from agentx.kernel.errors import InvalidValue
from agentx.lessons.model import Confidence, Content, LessonKind, Measure, Promoted, Taught
from agentx.lessons.names import area_name
from agentx.lessons.pages import summary
from agentx.lessons.promotion import Policy
from agentx.lessons.service import found_lesson
from agentx.operations.lessons.teaching import lessons_of
from agentx.project.project import Project
from agentx.redaction.redact import redact
from agentx.runs.model import Run
from agentx.wiring.lessons import LessonRow, lesson_row, open_lessons
from agentx.wiring.runs import open_runs

PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonList:
    """Lessons that were asked for, and what could not be read on the way."""

    lessons: tuple[LessonRow, ...]
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """How the runs went."""

    runs: tuple[Measure, ...]
    summary: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateRow:
    """A lesson that a run offers."""

    key: str
    run_id: str
    kind: str
    name: str
    text: str
    area: str
    confidence: str
    evidence: tuple[str, ...]
    source: str


def list_lessons(
    project: Project, kinds: tuple[LessonKind, ...], *, everything: bool = False, area: str = ""
) -> LessonList:
    """Return the lessons of some kinds; those that hold no longer only when asked for."""
    found = open_lessons(project).refresh()
    wanted = area_name(area)
    rows = tuple(
        lesson_row(lesson)
        for lesson in found.known.of_kind(*kinds)
        if (everything or lesson.is_active) and (not wanted or lesson.content.area == wanted)
    )
    return LessonList(lessons=rows, faults=tuple(str(fault) for fault in found.faults))


def show_lesson(project: Project, name: str) -> LessonRow:
    """Return one lesson.

    Raises: NotFound.
    """
    return lesson_row(found_lesson(open_lessons(project).refresh().known, name))


def show_metrics(project: Project) -> Metrics:
    """Return how the runs went, newest first."""
    measures = list(open_lessons(project).read().known.measures.values())
    measures.sort(key=lambda one: one.completed_ms, reverse=True)
    return Metrics(runs=tuple(measures), summary=summary(measures))


def list_candidates(project: Project, run_id: str = "") -> tuple[CandidateRow, ...]:
    """Return what a run offers and nobody has decided on; of every run when none is named."""
    lessons = open_lessons(project)
    return tuple(
        _row(one) for run in _runs(project, run_id) for one in lessons.candidates(lessons_of(run))
    )


def accept(project: Project, run_id: str, keys: tuple[str, ...], *, everything: bool) -> Promoted:
    """Take lessons of a run in.

    Raises: NotFound, InvalidValue when nothing was named.
    """
    run, _ = open_runs(project).run(run_id)
    if everything:
        return open_lessons(project).accept(lessons_of(run), Policy.ALL, actor=PERSON)
    if not keys:
        raise InvalidValue("say which lessons", hint="name them, or take them all with --all")
    return open_lessons(project).accept_named(run.id, lessons_of(run), keys, actor=PERSON)


def reject(project: Project, run_id: str, keys: tuple[str, ...]) -> int:
    """Lay lessons of a run aside for good.

    Raises: NotFound.
    """
    run, _ = open_runs(project).run(run_id)
    return open_lessons(project).reject(run.id, lessons_of(run), keys, actor=PERSON)


def add_lesson(
    project: Project, kind: LessonKind, content: Content, confidence: Confidence, run_id: str = ""
) -> LessonRow:
    """Write a lesson down; secrets are taken out.

    Raises: InvalidValue.
    """
    clean = Content(
        name=redact(content.name),
        text=redact(content.text),
        context=redact(content.context),
        area=content.area,
        files=content.files,
        line=content.line,
        priority=content.priority,
        consequences=tuple(redact(one) for one in content.consequences),
    )
    added = open_lessons(project).add(kind, clean, confidence, run=run_id, actor=PERSON)
    return lesson_row(added)


def judge_lesson(
    project: Project, name: str, verdict: str, *, run_id: str = "", reason: str = ""
) -> LessonRow:
    """Confirm a lesson, contradict it, resolve it, retire it.

    Raises: NotFound, InvalidValue.
    """
    learning, said = open_lessons(project), redact(reason)
    match verdict:
        case "confirm":
            lesson = learning.confirm(name, run=run_id, actor=PERSON, evidence=said)
        case "contradict":
            lesson = learning.contradict(name, run=run_id, actor=PERSON, reason=said)
        case "resolve":
            lesson = learning.resolve(name, actor=PERSON, reason=said)
        case "retire":
            lesson = learning.retire(name, actor=PERSON, reason=said)
        case _:
            raise InvalidValue(f"{verdict!r} is no verdict on a lesson")
    return lesson_row(lesson)


def _runs(project: Project, run_id: str) -> tuple[Run, ...]:
    runs = open_runs(project)
    return (runs.run(run_id)[0],) if run_id else tuple(runs.all())


def _row(one: Taught) -> CandidateRow:
    return CandidateRow(
        key=one.key.partition("/")[2],
        run_id=one.run,
        kind=str(one.kind),
        name=one.content.name,
        text=one.content.text,
        area=one.content.area,
        confidence=str(one.confidence),
        evidence=one.evidence,
        source=one.source,
    )
