"""What people changed by hand on the pages: taken in as events, so that nothing is lost.

A page that differs from what the events give is one of three things: old, because events
came in since; a mixture, because git merged two of them; or edited. Each page says what
it was made as. Where that is still what the events give, every difference is a person's.
Otherwise only what no lesson ever said is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from pathlib import Path

from agentx.lessons.confidence import judge
from agentx.lessons.likeness import fingerprint
from agentx.lessons.model import (
    Content,
    Lesson,
    LessonKind,
    LessonStatus,
    LongTerm,
    LtmKind,
)
from agentx.lessons.pages import PageEntry, page_of
from agentx.lessons.promotion import LessonChange, detail_of, next_number

HAND = "by-hand"
_FIELDS = tuple(field.name for field in fields(Content))


def edits(known: LongTerm, found: Iterable[PageEntry], *, is_fresh: bool) -> Iterator[LessonChange]:
    """Yield what a person changed on a page; a fresh one was made from the events there are."""
    said = _ever_said(known)
    prints = {
        (lesson.kind, fingerprint(text.text))
        for lesson in known.lessons.values()
        for text in lesson.revisions
    }
    added: dict[LessonKind, int] = {}
    listed = list(found)
    copied = _find_copies(known, listed) if is_fresh else frozenset()
    for entry in listed:
        lesson = known.find(entry.uid) if entry.uid else None
        if lesson is not None and entry.content.text != lesson.content.text:
            lesson = None if lesson.uid in copied else lesson
        if lesson is not None:
            yield from _edit(lesson, entry, said, is_fresh=is_fresh)
        elif (entry.kind, fingerprint(entry.content.text)) not in prints:
            offset = added.get(entry.kind, 0)
            added[entry.kind] = offset + 1
            yield _addition(known, entry, offset)


def _find_copies(known: LongTerm, found: list[PageEntry]) -> frozenset[str]:
    """Return the lessons that stand on a page as they were, and once more as the draft of another.

    People copy an entry and write over it; the uid they leave in is not theirs to mind.
    """
    lessons = {entry.uid: known.find(entry.uid) for entry in found if entry.uid}
    as_it_was = {
        lesson.uid
        for entry in found
        if (lesson := lessons.get(entry.uid)) is not None
        and entry.content.text == lesson.content.text
    }
    counts = Counter(lesson.uid for entry in found if (lesson := lessons.get(entry.uid)))
    return frozenset(uid for uid in as_it_was if counts[uid] > 1)


def deletions(known: LongTerm, fresh: set[Path], seen: set[str]) -> Iterator[LessonChange]:
    """Yield the lessons that were taken off fresh pages and stand on no other.

    A page that is gone altogether says nothing: it is made again, as any view is.
    """
    for lesson in known.lessons.values():
        if (
            page_of(lesson) in fresh
            and lesson.uid not in seen
            and lesson.status is not LessonStatus.RETIRED
        ):
            yield LessonChange(
                kind=LtmKind.RETIRED,
                lesson=lesson.uid,
                detail={"reason": "taken off its page"},
            )


def _ever_said(known: LongTerm) -> dict[str, set[object]]:
    said: dict[str, set[object]] = {name: set() for name in _FIELDS}
    for lesson in known.lessons.values():
        for revision in lesson.revisions:
            for name in _FIELDS:
                said[name].add(getattr(revision, name))
    return said


def _edit(
    lesson: Lesson, entry: PageEntry, said: dict[str, set[object]], *, is_fresh: bool
) -> Iterator[LessonChange]:
    changed = {
        name: getattr(entry.content, name)
        for name in _FIELDS
        if getattr(entry.content, name) != getattr(lesson.content, name)
        and (is_fresh or getattr(entry.content, name) not in said[name])
    }
    detail: dict[str, object] = {}
    if changed and entry.content.text:
        detail = detail_of(replace(lesson.content, **changed))
    if is_fresh and entry.confidence not in (None, judge(lesson)):
        detail = detail or detail_of(lesson.content)
        detail["confidence"] = str(entry.confidence)
    if detail:
        yield LessonChange(kind=LtmKind.EDITED, lesson=lesson.uid, detail=detail)
    if is_fresh and entry.status is not lesson.status:
        yield _standing(lesson, entry.status)


def _standing(lesson: Lesson, status: LessonStatus) -> LessonChange:
    if status is LessonStatus.RESOLVED:
        return LessonChange(kind=LtmKind.RESOLVED, lesson=lesson.uid)
    again = status is LessonStatus.ACTIVE
    return LessonChange(
        kind=LtmKind.RETIRED, lesson=lesson.uid, detail={"again": again} if again else {}
    )


def _addition(known: LongTerm, entry: PageEntry, offset: int) -> LessonChange:
    return LessonChange(
        kind=LtmKind.LEARNT,
        detail={
            **detail_of(entry.content),
            "kind": str(entry.kind),
            "number": next_number(known, entry.kind) + offset,
            "confidence": str(entry.confidence or "MEDIUM"),
        },
    )
