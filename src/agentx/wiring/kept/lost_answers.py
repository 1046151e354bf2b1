"""What people answered to runs and taught, and what runs ask, that a restore would take back.

The runs and lessons of the file lie laid out beside: whoever signed them, they count here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from agentx.host.files.plain import is_folder
from agentx.kernel.errors import AgentXError
from agentx.kernel.paths import ProjectPaths, StorePaths
from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.text import preview
from agentx.kernel.values import frozen
from agentx.lessons.model import Lesson
from agentx.lessons.store.lesson_store import LessonStore
from agentx.project.project import Project
from agentx.runs.asked import Escalation
from agentx.runs.rules.fold import fold
from agentx.runs.store.archive import Archive
from agentx.runs.store.run_store import RunStore
from agentx.wiring.runs import open_run_store
from agentx.wiring.taught.lessons import open_lessons

_WORDS_CHARS = 80
_WAS_CHARS = 40


@frozen
class LostOfRuns:
    """What a restore would take back of runs and lessons."""

    answers: tuple[str, ...]
    questions: tuple[str, ...]  # that wait, and would be gone
    lessons: tuple[str, ...]


def find_lost_of_runs(project: Project, paths: ProjectPaths, store: StorePaths) -> LostOfRuns:
    """Return what people said to runs and taught that lies not in some other folders."""
    given = paths, store, project.clock, project.entropy
    now = _list_asked(open_run_store(project), Archive(project.paths))
    then = dict(_list_asked(RunStore(*given), Archive(paths)))
    answers: list[str] = []
    questions: list[str] = []
    for name, asked in now:
        was = then.get(name)
        stands = asked.standing
        if stands is not None and stands.by == PERSON_ROLE:
            answers += _compare(asked, stands.text, was)
        elif asked.open and was is None:
            questions.append(f"{asked.id}: {preview(asked.question, _WORDS_CHARS)}")
    return LostOfRuns(
        answers=tuple(answers),
        questions=tuple(questions),
        lessons=tuple(_list_lessons(project, LessonStore(*given))),
    )


def _list_asked(store: RunStore, archive: Archive) -> Iterator[tuple[tuple[str, str], Escalation]]:
    """Yield what runs asked people, each with its run, also of those that are packed away."""
    there = store.ids()
    packed = [name for name in archive.ids() if name not in there]
    for run_id in (*there, *packed):
        with suppress(AgentXError, OSError):
            events = store.read_packed(run_id) if run_id in packed else store.read(run_id).events
            for asked in fold(run_id, events).escalations.values():
                yield (run_id, asked.id), asked


def _compare(asked: Escalation, said: str, was: Escalation | None) -> Iterator[str]:
    if was is None:
        becomes = "would be gone"
    elif was.standing is None:
        becomes = "would be asked again, and the run wait"
    elif was.standing.text != said:
        becomes = f'would be answered otherwise: "{preview(was.standing.text, _WAS_CHARS)}"'
    else:
        return
    question = preview(asked.question, _WORDS_CHARS)
    yield f'{asked.id} {question}: "{preview(said, _WORDS_CHARS)}" {becomes}'


def _list_lessons(project: Project, then: LessonStore) -> Iterator[str]:
    if not is_folder(project.paths.lessons):
        return
    before = then.read().known
    for one in open_lessons(project).read().known.lessons.values():
        was = before.find(one.uid)
        if one.is_persons and one.is_active and was is None:
            yield f"{one.id}: {preview(one.content.text, _WORDS_CHARS)}"
        elif one.is_persons and was is not None and _look(one) != _look(was):
            yield f"{one.id}: {preview(one.content.text, _WORDS_CHARS)} (would be as it was before)"


def _look(lesson: Lesson) -> tuple[str, str, str]:
    return lesson.content.name, lesson.content.text, str(lesson.status)
