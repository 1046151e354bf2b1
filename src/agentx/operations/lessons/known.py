"""Long-term memory: look at it, decide on what runs offer, correct it."""

from __future__ import annotations

from agentx.kernel.errors import InvalidValue
from agentx.kernel.values import frozen
from agentx.lessons.model import Confidence, Content, LessonKind, LessonRow, Measure
from agentx.lessons.names import area_name
from agentx.lessons.pages import summary
from agentx.project.claims import claim_data
from agentx.project.project import Project
from agentx.project.roles.caller import find_caller
from agentx.redaction.redact import redact
from agentx.wiring.taught.lessons import lesson_row, open_lessons, read_lessons, tell_lessons
from agentx.wiring.trust.persons_word import require_person

PERSON = "person"
_TAKES_BACK = frozenset({"contradict", "resolve", "retire"})


def name_author(project: Project) -> str:
    """Return whose word it is on a lesson: a person's, or the agent's that calls."""
    calls = find_caller(project)
    return calls.said_name if calls.is_agent else PERSON


@frozen
class LessonList:
    """Lessons that were asked for, and what could not be read on the way."""

    lessons: tuple[LessonRow, ...]
    faults: tuple[str, ...]


@frozen
class RunMetrics:
    """How the runs went."""

    runs: tuple[Measure, ...]
    summary: dict[str, int]


def list_lessons(
    project: Project, kinds: tuple[LessonKind, ...], *, everything: bool = False, area: str = ""
) -> LessonList:
    """Return the lessons of some kinds; those that hold no longer only when asked for."""
    found = read_lessons(project)
    wanted = area_name(area)
    rows = tuple(
        lesson_row(lesson)
        for lesson in tell_lessons(project, found.known.of_kind(*kinds))
        if (everything or lesson.is_active) and (not wanted or lesson.content.area == wanted)
    )
    return LessonList(lessons=rows, faults=tuple(str(fault) for fault in found.faults))


def show_lesson(project: Project, name: str) -> LessonRow:
    """Return one lesson.

    Raises: NotFound.
    """
    [lesson] = tell_lessons(project, (read_lessons(project).known.get(name),))
    return lesson_row(lesson)


def show_metrics(project: Project) -> RunMetrics:
    """Return how the runs went, newest first."""
    measures = list(open_lessons(project).read().known.measures.values())
    measures.sort(key=lambda one: one.completed_ms, reverse=True)
    return RunMetrics(runs=tuple(measures), summary=summary(measures))


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
        area=redact(content.area),
        files=tuple(redact(one) for one in content.files),
        line=content.line,
        priority=content.priority,
        consequences=tuple(redact(one) for one in content.consequences),
    )
    claim_data(project, "ltm add")
    added = open_lessons(project).add(
        kind, clean, confidence, run=run_id, actor=name_author(project)
    )
    return lesson_row(added)


def judge_lesson(
    project: Project, name: str, verdict: str, *, run_id: str = "", reason: str = ""
) -> LessonRow:
    """Confirm a lesson, contradict it, resolve it, retire it.

    Raises: NotFound, InvalidValue; NotThePerson for an agent that takes back what a person wrote.
    """
    learning, said = open_lessons(project), redact(reason)
    if verdict in _TAKES_BACK:
        _guard_persons(project, name, verdict)
    match verdict:
        case "confirm":
            lesson = learning.confirm(name, run=run_id, actor=name_author(project), evidence=said)
        case "contradict":
            lesson = learning.contradict(name, run=run_id, actor=name_author(project), reason=said)
        case "resolve":
            lesson = learning.resolve(name, actor=name_author(project), reason=said)
        case "retire":
            lesson = learning.retire(name, actor=name_author(project), reason=said)
        case _:
            raise InvalidValue(f"{verdict!r} is no verdict on a lesson")
    [told] = tell_lessons(project, (lesson,))
    return lesson_row(told)


def _guard_persons(project: Project, name: str, verdict: str) -> None:
    calls = find_caller(project)
    lesson = read_lessons(project).known.get(name) if calls.is_agent else None
    if lesson is not None and lesson.is_persons:
        what = f"what becomes of {lesson.id}, which a person said"
        hint = f"agentx ltm {verdict} {lesson.id}"
        require_person(project, what, hint=hint, caller=calls, about=lesson.id)
