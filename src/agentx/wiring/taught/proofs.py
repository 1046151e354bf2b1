"""What a lesson rests on: the runs it was learnt from, and what was said in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from agentx.kernel.errors import DataError, InputError
from agentx.kernel.values import frozen
from agentx.lessons.likeness import fingerprint
from agentx.lessons.model import Lesson, LessonRow
from agentx.project.project import Project
from agentx.runs.model import Run, RunEvent
from agentx.runs.rendering import event_line
from agentx.wiring.runs import open_runs, story_of
from agentx.wiring.taught.given import say_given
from agentx.wiring.taught.lessons import lesson_row, open_lessons, tell_lessons

_SHORT_ID_CHARS = 6  # by which candidates, escalations and conflicts are named after their event


@frozen
class RunSaying:
    """What somebody said in a run."""

    event_id: str
    at_ms: int
    actor: str
    text: str


@frozen
class RunProof:
    """A run, and what of it speaks for a lesson. The title of one that is gone is empty."""

    run_id: str
    title: str = ""
    at_ms: int = 0
    status: str = ""
    said: tuple[RunSaying, ...] = ()


@frozen
class LessonProof:
    """A lesson, the runs that taught it, and what else is named as evidence."""

    lesson: LessonRow
    runs: tuple[RunProof, ...]
    evidence: tuple[str, ...]
    given: tuple[str, ...] = ()  # to whom, run by run


def lesson_proof(project: Project, name: str) -> LessonProof:
    """Return what a lesson rests on.

    Raises: NotFound.
    """
    lesson = open_lessons(project).read().known.get(name)
    runs = tuple(_of_run(project, lesson, run_id) for run_id in lesson.learned_from)
    shown = {said.event_id[-_SHORT_ID_CHARS:] for proof in runs for said in proof.said}
    return LessonProof(
        lesson=lesson_row(next(tell_lessons(project, (lesson,)))),
        runs=runs,
        evidence=tuple(one for one in lesson.evidence if one[-_SHORT_ID_CHARS:] not in shown),
        given=tuple(_list_given(project, lesson.uid)),
    )


def _list_given(project: Project, lesson: str) -> Iterator[str]:
    for run in open_runs(project).all():
        to = say_given(run, lesson)
        if to:
            yield f"{run.id}: {', '.join(to)}"


def _of_run(project: Project, lesson: Lesson, run_id: str) -> RunProof:
    # A run may be gone with its archive: the lesson stays.
    with suppress(InputError, DataError):
        run, events = story_of(project, run_id)
        return _tell(run, tuple(_find_said(lesson, run, events)))
    return RunProof(run_id=run_id)


def _tell(run: Run, said: tuple[RunSaying, ...]) -> RunProof:
    return RunProof(
        run_id=run.id, title=run.title, at_ms=run.updated_ms, status=str(run.status), said=said
    )


def _find_said(lesson: Lesson, run: Run, events: tuple[RunEvent, ...]) -> Iterator[RunSaying]:
    named = {one[-_SHORT_ID_CHARS:] for one in lesson.evidence}
    ever = (lesson.content,) if lesson.is_reworded else lesson.revisions
    texts = {fingerprint(revision.text) for revision in ever}
    for event in events:
        if event.id[-_SHORT_ID_CHARS:] in named or fingerprint(event.text("text")) in texts:
            yield RunSaying(
                event_id=event.id, at_ms=event.at_ms, actor=event.actor, text=event_line(event, run)
            )
