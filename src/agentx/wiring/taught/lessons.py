"""Long-term memory of a project, opened here; and what others need to know of it cheaply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from agentx.host.files.plain import is_folder, look
from agentx.kernel.bus import Bus
from agentx.kernel.errors import CorruptRecord, DataError, InputError
from agentx.kernel.text import join_marks
from agentx.kernel.vouching.standing import SAID_FOR_PERSON, Vouching
from agentx.lessons.confidence import judge
from agentx.lessons.model import (
    Lesson,
    LessonKind,
    LessonLearnt,
    LessonRow,
    LtmEvent,
)
from agentx.lessons.pages import name_status
from agentx.lessons.paths import LessonNotes, LtmPaths
from agentx.lessons.promotion import POLICY
from agentx.lessons.service import Lessons
from agentx.lessons.store.lesson_store import Knowledge, LessonStore
from agentx.lessons.vouching.pen import LessonPen
from agentx.project.audit import AuditAct, record_act
from agentx.project.project import Project
from agentx.runs.store.archive import Archive
from agentx.views.lesson_pages import LessonPages
from agentx.wiring.listeners.log import log_told
from agentx.wiring.trust.keys import open_keyring

if TYPE_CHECKING:
    from agentx.runs.model import Run

_ASKED = "ESC-"
_TRUST = "it counts for nothing; `agentx trust --show` lists the writers, and whom you trust"


def open_lessons(project: Project, bus: Bus | None = None) -> Lessons:
    """Return the long-term memory of a project."""
    bell = bus if bus is not None else Bus()
    log_told(project, bell, {LessonLearnt: "lesson-learnt"})
    return Lessons(open_lesson_store(project), bell)


def open_lesson_store(project: Project) -> LessonStore:
    """Return the files of a project's lessons; whose words they are is told by the user's keys."""
    keyring = open_keyring(project)

    def doubt(event: LtmEvent, standing: Vouching) -> None:
        facts = {"line": event.id, "writer": event.writer, "via": str(standing)}
        record_act(project, AuditAct.UNVERIFIED, type=str(event.kind), room="lessons", **facts)

    pen = LessonPen(writer=keyring.choose_writer, signatures=keyring, doubt=doubt)
    return LessonStore(project.paths, project.store, project.clock, project.entropy, pen)


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
        status=name_status(lesson),
        learned_from=lesson.learned_from,
        contradicted_by=lesson.contradicted_by,
        evidence=lesson.evidence,
        consequences=content.consequences,
        reason=lesson.reason,
        created_ms=lesson.created_ms,
        changed_ms=lesson.changed_ms,
        uid=lesson.uid,
        accepted_by=f"{POLICY} {lesson.by_policy}" if lesson.by_policy else "",
        against=lesson.against,
    )


def tell_lessons(project: Project, lessons: Iterable[Lesson]) -> Iterator[Lesson]:
    """Yield lessons as they are told, wherever that is: those that rest on what a person said to a
    run, packed away or not, with what speaks against that by now.
    """

    @cache
    def look(name: str) -> Run | None:
        from agentx.wiring.runs import story_of  # noqa: PLC0415  few lessons are a person's

        with suppress(InputError, DataError):  # a run may be gone with its archive
            return story_of(project, name)[0]
        return None

    for lesson in lessons:
        said = _tell_against(lesson, look)
        yield replace(lesson, against=said) if said else lesson


def _tell_against(lesson: Lesson, look: Callable[[str], Run | None]) -> str:
    """Return what must be told with a lesson; what its run tells by now comes before what was so
    when it was learnt. Of one that was reworded nothing is told: those are other words.
    """
    if lesson.is_reworded or not (lesson.is_persons or _list_asked(lesson)):
        return ""
    from agentx.runs.rendering import mark_taught  # noqa: PLC0415  as above

    text, names = lesson.content.text, _list_asked(lesson)
    runs = [run for each in lesson.learned_from if (run := look(each)) is not None]
    asked = [each for run in runs for name, each in run.escalations.items() if name in names]
    made = [each for run in runs for each in run.decisions if each.event_id in lesson.evidence]
    if asked or made:
        return join_marks(*(mark_taught(each, text) for each in asked), *(e.doubt for e in made))
    return SAID_FOR_PERSON if lesson.is_unconfirmed else ""


def _list_asked(lesson: Lesson) -> list[str]:
    """Return the questions of runs whose answers a lesson repeats."""
    return [each for each in lesson.evidence if each.startswith(_ASKED)]


def read_lessons(project: Project) -> Knowledge:
    """Return what is known, after taking in what people changed on the pages.

    The pages of a stranger's repository are left alone, and where there are none, none are made.
    """
    lessons = open_lessons(project)
    if is_folder(project.store.root):  # who only reads makes none
        lessons.begin()
    is_ours = is_folder(project.paths.lessons) and project.trust.has_data
    return lessons.refresh() if is_ours else lessons.read()


def relevant_lessons(
    project: Project,
    files: Iterable[str] = (),
    words: str = "",
    limit: int = 10,
    checks: Iterable[str] = (),
) -> Iterator[Lesson]:
    """Yield the lessons that concern some files, words or checks, the surest first. Cheap without
    any.
    """
    if not project.trust.has_data:
        return
    if not any(map(is_folder, project.taught)):
        note_first_look(project)
    else:
        lesson_pages(project).catch_up()
        found = open_lessons(project).relevant(files, words, limit, checks)
        yield from tell_lessons(project, found)


def note_first_look(project: Project) -> None:
    """Note that this checkout looked and found no lessons; cheap once it did."""
    noted = look(LessonNotes(project.store.root).vouched)
    if noted is None and is_folder(project.store.root):
        open_lessons(project).begin()


def lesson_pages(project: Project) -> LessonPages:
    """Return the pages of a project's lessons as the view they are."""
    return LessonPages(
        project.paths.lessons, lambda: open_lessons(project), lambda: project.trust.has_data
    )


def list_damaged_memory(project: Project) -> Iterator[tuple[str, str, str]]:
    """Yield what is wrong with lessons and archives: which of them, what, and how to mend it."""
    if is_folder(LtmPaths(project.paths.lessons).events):
        found = open_lessons(project).read()
        for fault in found.faults:
            yield "lessons", str(fault), "mend the line, or bring the file back with git"
        for lesson in found.known.lessons.values():
            if lesson.is_unverified and lesson.is_active:
                yield "lessons", f"{lesson.id} claims a person, and nobody vouches for it", _TRUST
        for event in found.known.unheeded:
            named = found.known.get(event.lesson).id
            says = f"{named} is a person's, and nobody vouches for a line ({event.kind}) against it"
            yield "lessons", says, _TRUST
    archive = open_archive(project)
    for run_id in archive.ids():
        try:
            archive.files(run_id)
        except CorruptRecord as error:
            yield "archive", error.message, error.hint
