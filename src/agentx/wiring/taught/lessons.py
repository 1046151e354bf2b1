"""Long-term memory of a project, opened here; and what others need to know of it cheaply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentx.host.files.plain import is_folder
from agentx.kernel.bus import Bus
from agentx.kernel.errors import CorruptRecord
from agentx.lessons.confidence import judge
from agentx.lessons.model import (
    Lesson,
    LessonKind,
    LessonLearnt,
    LessonRow,
)
from agentx.lessons.paths import LtmPaths
from agentx.lessons.service import Lessons
from agentx.lessons.store import Knowledge, LessonStore
from agentx.project.project import Project
from agentx.runs.store.archive import Archive
from agentx.views.lesson_pages import LessonPages
from agentx.wiring.listeners.log import log_told


def open_lessons(project: Project, bus: Bus | None = None) -> Lessons:
    """Return the long-term memory of a project."""
    bell = bus if bus is not None else Bus()
    log_told(project, bell, {LessonLearnt: "lesson-learnt"})
    store = LessonStore(project.paths, project.store, project.clock, project.entropy)
    return Lessons(store, bell)


def open_archive(project: Project) -> Archive:
    """Return the packed runs of a project."""
    return Archive(project.paths)


def lesson_row(lesson: Lesson) -> LessonRow:
    """Return a lesson as it is shown."""
    content = lesson.content
    return LessonRow(
        id=lesson.id,
        kind=str(lesson.kind),
        name=content.name,
        text=content.text,
        context=content.context,
        area=content.area,
        files=content.files,
        line=content.line,
        priority=str(content.priority) if lesson.kind is LessonKind.DEBT else "",
        confidence=str(judge(lesson)),
        status=str(lesson.status),
        learned_from=lesson.learned_from,
        contradicted_by=lesson.contradicted_by,
        evidence=lesson.evidence,
        consequences=content.consequences,
        reason=lesson.reason,
        created_ms=lesson.created_ms,
        changed_ms=lesson.changed_ms,
        uid=lesson.uid,
    )


def read_lessons(project: Project) -> Knowledge:
    """Return what is known, after taking in what people changed on the pages.

    The pages of a stranger's repository are left alone, and where there are none, none are made.
    """
    lessons = open_lessons(project)
    is_ours = is_folder(project.paths.lessons) and project.trust.has_data
    return lessons.refresh() if is_ours else lessons.read()


def relevant_lessons(
    project: Project, files: Iterable[str] = (), words: str = "", limit: int = 10
) -> Iterator[Lesson]:
    """Yield the lessons that concern some files or words, the surest first. Cheap without any."""
    if project.trust.has_data and is_folder(LtmPaths(project.paths.lessons).events):
        lesson_pages(project).catch_up()
        yield from open_lessons(project).relevant(files, words, limit)


def lesson_pages(project: Project) -> LessonPages:
    """Return the pages of a project's lessons as the view they are."""
    return LessonPages(
        project.paths.lessons, lambda: open_lessons(project), lambda: project.trust.has_data
    )


def list_damaged_memory(project: Project) -> Iterator[tuple[str, str, str]]:
    """Yield what is wrong with lessons and archives: which of them, what, and how to mend it."""
    if is_folder(LtmPaths(project.paths.lessons).events):
        for fault in open_lessons(project).read().faults:
            yield "lessons", str(fault), "mend the line, or bring the file back with git"
    archive = open_archive(project)
    for run_id in archive.ids():
        try:
            archive.files(run_id)
        except CorruptRecord as error:
            yield "archive", error.message, error.hint
