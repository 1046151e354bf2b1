"""Lessons of long-term memory as documents that can be found. What holds no longer ranks below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentx.lessons.model import Lesson
from agentx.lessons.store.lesson_store import LessonStore
from agentx.search.document import Document

LESSON = "lesson"
_ALL = "all"


class LessonSource:
    """The lessons of one project, as a room that can be searched."""

    name = "lessons"

    def __init__(self, store: LessonStore, project: str) -> None:
        self._store = store
        self._project = project

    def parts(self) -> Iterable[tuple[str, str]]:
        """Yield the one part there is, when there is any."""
        stamp = self._store.stamp()
        if not stamp.startswith("0:"):
            yield _ALL, stamp

    def documents(self, key: str) -> Iterator[Document]:
        """Yield every lesson."""
        assert key == _ALL
        known = self._store.read().known.lessons.values()
        for lesson in (one for one in known if not one.is_unverified):
            yield lesson_document(lesson, self._project)


def lesson_document(lesson: Lesson, project: str) -> Document:
    """Return a lesson as a document."""
    content = lesson.content
    texts = (content.name, content.text, content.context, *content.consequences)
    return Document(
        doc_type=LESSON,
        doc_id=lesson.id,
        text="\n".join(dict.fromkeys(text for text in texts if text)),
        timestamp_ms=lesson.changed_ms,
        keywords=(*content.files, content.area, str(lesson.kind)),
        project=project,
        superseded=not lesson.is_active,
    )
