"""From events to what is known: pure and total, the same in whatever order they arrive.

Two branches may both have learnt the same, and may both have called what they learnt
PAT-007. The first in the order of (time, id) keeps the lesson and the number: the same
lesson again is a confirmation, another lesson gets the next number that nobody asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

from agentx.kernel.clock import Millis
from agentx.kernel.roles import UNCONFIRMED
from agentx.kernel.text import preview
from agentx.kernel.vouching.standing import UNVERIFIED, fold_said
from agentx.lessons.confidence import is_refuted
from agentx.lessons.likeness import fingerprint
from agentx.lessons.limits import LESSON_NAME_CHARS
from agentx.lessons.model import (
    PREFIXES,
    Confidence,
    Content,
    Detail,
    Lesson,
    LessonKind,
    LessonStatus,
    LongTerm,
    LtmEvent,
    LtmKind,
    Measure,
    Priority,
    texts,
)
from agentx.lessons.names import EVERYWHERE, area_name, one_line
from agentx.lessons.vouching.claims import claims_person

Word = TypeVar("Word", bound=StrEnum)


Vouches = Callable[[LtmEvent], bool]


def fold(events: Iterable[LtmEvent], vouches: Vouches = lambda _event: True) -> LongTerm:
    """Return what all events add up to; `vouches` tells whether somebody vouches for one.

    It is asked of what claims a person, and of what changes a lesson that is a person's.
    """
    ordered = sorted(_choose_each(events, vouches), key=lambda event: event.place)
    draft = _Draft(free=_first_free(ordered), vouches=vouches)
    for event in ordered:
        _STEPS[event.kind](draft, event)
    return LongTerm(
        lessons=draft.lessons,
        measures=draft.measures,
        same_as=draft.same_as,
        settled=frozenset(draft.settled),
        events=len(ordered),
        last_event_id=ordered[-1].id if ordered else "",
        last_ms=ordered[-1].at_ms if ordered else 0,
        unheeded=tuple(draft.unheeded),
    )


def _choose_each(events: Iterable[LtmEvent], vouches: Vouches) -> tuple[LtmEvent, ...]:
    """Return each id once: of several that differ, the one that somebody vouches for."""
    found: dict[str, LtmEvent] = {}
    for each in events:
        other = found.setdefault(each.id, each)
        if other != each and not (other.signature and vouches(other)) and each.signature:
            found[each.id] = each if vouches(each) else other
    return tuple(found.values())


def content_of(detail: Detail) -> Content:
    """Read what a lesson says; what is missing or of another type is left empty."""

    def text(name: str) -> str:
        value = detail.get(name, "")
        return value.strip() if isinstance(value, str) else ""

    line = detail.get("line", 0)
    return Content(
        name=text("name"),
        text=text("text"),
        context=text("context"),
        area=text("area"),
        files=texts(detail.get("files", ())),
        line=line if isinstance(line, int) else 0,
        priority=word(Priority, detail.get("priority"), Priority.MEDIUM),
        consequences=texts(detail.get("consequences", ())),
    )


def canonical(kind: LessonKind, content: Content) -> Content:
    """Return what a lesson of this kind says in the form that its page can hold."""
    is_debt = kind is LessonKind.DEBT
    is_decision = kind is LessonKind.DECISION
    text = content.text.strip()
    named = kind not in (LessonKind.DEBT, LessonKind.LEARNING)
    return Content(
        name=(one_line(content.name) or preview(text, LESSON_NAME_CHARS)) if named else "",
        text=text,
        context=content.context.strip(),
        area=area_name(content.area) or (EVERYWHERE if kind is LessonKind.LEARNING else ""),
        files=() if is_decision else content.files[:1] if is_debt else content.files,
        line=content.line if is_debt and content.files else 0,
        priority=content.priority if is_debt else Priority.MEDIUM,
        consequences=tuple(one_line(one) for one in content.consequences) if is_decision else (),
    )


def word(words: type[Word], value: object, otherwise: Word) -> Word:
    """Return the word that a value spells, or another one."""
    try:
        return words(str(value).upper())
    except ValueError:
        return otherwise


@dataclass
class _Draft:
    """What is known while it is being added up."""

    free: dict[str, int]
    vouches: Vouches
    unheeded: list[LtmEvent] = field(default_factory=list)
    lessons: dict[str, Lesson] = field(default_factory=dict)
    measures: dict[str, Measure] = field(default_factory=dict)
    same_as: dict[str, str] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    taken: set[tuple[str, int]] = field(default_factory=set)
    by_print: dict[tuple[LessonKind, str], str] = field(default_factory=dict)

    def find_number(self, kind: LessonKind, wanted: int) -> int:
        """Return the number asked for, or the next that nobody asks for."""
        prefix = PREFIXES[kind]
        number = wanted
        if number < 1 or (prefix, number) in self.taken:
            number = self.free[prefix]
            self.free[prefix] += 1
        self.taken.add((prefix, number))
        return number

    def lesson(self, uid: str) -> Lesson | None:
        """Return a lesson by the id of any event that taught it."""
        return self.lessons.get(self.same_as.get(uid, uid))

    def find_changed(self, event: LtmEvent) -> Lesson | None:
        """Return the lesson that an event may change: a person's, where somebody vouches for it."""
        lesson = self.lesson(event.lesson)
        if lesson is not None and lesson.is_persons and not self.vouches(event):
            self.unheeded.append(event)
            return None
        return lesson

    def put(self, lesson: Lesson) -> None:
        """Keep a lesson as it is now."""
        if lesson.is_active and is_refuted(lesson):
            lesson = replace(lesson, status=LessonStatus.RETIRED)
        self.lessons[lesson.uid] = lesson


def _first_free(events: list[LtmEvent]) -> dict[str, int]:
    """Return the first number of each row that no event asks for, nor any number below it."""
    free = dict.fromkeys(PREFIXES.values(), 1)
    for event in events:
        kind = _kind(event)
        if event.kind is LtmKind.LEARNT and kind is not None:
            prefix = PREFIXES[kind]
            free[prefix] = max(free[prefix], event.number("number") + 1)
    return free


def _kind(event: LtmEvent) -> LessonKind | None:
    try:
        return LessonKind(event.text("kind"))
    except ValueError:
        return None


def _learn(draft: _Draft, event: LtmEvent) -> None:
    is_persons = claims_person(event) and draft.vouches(event)
    is_unverified = claims_person(event) and not is_persons
    if not is_unverified:
        draft.settled.update(event.texts("candidates"))
    kind = _kind(event)
    if kind is None or not event.text("text").strip():
        return
    content = canonical(kind, content_of(event.detail))
    said_by = UNVERIFIED if is_unverified else event.text("said_by")
    # A person's "No" is to what they were asked: with another question it is another lesson.
    asked = f"{said_by}: {content.name}. " if said_by else ""
    print_ = (kind, fingerprint(f"{asked}{content.area} {content.text}"))
    first = draft.by_print.get(print_)
    if first is not None:
        draft.same_as[event.id] = first
        _confirm(draft, first, event)
        known = draft.lessons[first]
        if not is_persons or known.is_persons:
            return
        # An agent had said the same: from now on it is the person's.
        person = said_by or event.actor
        theirs = replace(known, author=person, is_persons=True, by_policy="")
        theirs = replace(theirs, is_unconfirmed=UNCONFIRMED in person)
        theirs = replace(theirs, status=LessonStatus.ACTIVE)
        draft.put(replace(theirs, content=content, contradicted_by=(), pinned=None))
        return
    draft.by_print[print_] = event.id
    draft.put(
        Lesson(
            uid=event.id,
            kind=kind,
            number=draft.find_number(kind, event.number("number")),
            content=content,
            started_at=word(Confidence, event.detail.get("confidence"), Confidence.LOW),
            created_ms=event.at_ms,
            changed_ms=event.at_ms,
            evidence=event.texts("evidence"),
            learned_from=(event.run,) if event.run else (),
            revisions=(content,),
            author=said_by or event.actor,
            is_persons=is_persons,
            is_unverified=is_unverified,
            is_unconfirmed=UNCONFIRMED in said_by,
            by_policy=event.text("by_policy"),
        )
    )


def _confirm_named(draft: _Draft, event: LtmEvent) -> None:
    draft.settled.update(event.texts("candidates"))
    _confirm(draft, event.lesson, event)


def _confirm(draft: _Draft, uid: str, event: LtmEvent) -> None:
    lesson = draft.lesson(uid)
    if lesson is None:
        return
    runs = lesson.learned_from
    if event.run and event.run not in runs:
        runs = (*runs, event.run)
    evidence = (*lesson.evidence, *(e for e in event.texts("evidence") if e not in lesson.evidence))
    draft.put(replace(lesson, learned_from=runs, evidence=evidence, changed_ms=event.at_ms))


def _contradict(draft: _Draft, event: LtmEvent) -> None:
    lesson = draft.find_changed(event)
    if lesson is None:
        return
    against = lesson.contradicted_by
    read_texts = event.run or event.actor
    if read_texts not in against:
        against = (*against, read_texts)
    draft.put(
        replace(
            lesson,
            contradicted_by=against,
            pinned=None,
            reason=event.text("reason") or lesson.reason,
            changed_ms=event.at_ms,
        )
    )


def _edit(draft: _Draft, event: LtmEvent) -> None:
    lesson = draft.find_changed(event)
    if lesson is None:
        return
    content = canonical(lesson.kind, content_of(event.detail))
    if lesson.is_persons and content.text and not claims_person(event):
        said = lesson.revisions[0]
        is_reworded = _fold_words(content) != _fold_words(said)
        # What a person said proves nothing of other words.
        evidence = () if is_reworded else lesson.evidence
        lesson = replace(lesson, is_reworded=is_reworded, evidence=evidence)
    pinned = event.detail.get("confidence")
    draft.put(
        replace(
            lesson,
            content=content if content.text else lesson.content,
            revisions=(*lesson.revisions, content) if content.text else lesson.revisions,
            author=event.actor if content.text else lesson.author,
            pinned=word(Confidence, pinned, Confidence.LOW) if pinned else lesson.pinned,
            changed_ms=event.at_ms,
        )
    )


def _fold_words(content: Content) -> tuple[str, str]:
    """Return what a lesson says: a capital more is no other word."""
    return fold_said(content.name), fold_said(content.text)


def _resolve(draft: _Draft, event: LtmEvent) -> None:
    _stand(draft, event, LessonStatus.RESOLVED)


def _retire(draft: _Draft, event: LtmEvent) -> None:
    again = event.detail.get("again") is True
    _stand(draft, event, LessonStatus.ACTIVE if again else LessonStatus.RETIRED)


def _stand(draft: _Draft, event: LtmEvent, status: LessonStatus) -> None:
    lesson = draft.find_changed(event)
    if lesson is not None:
        reason = event.text("reason")
        draft.lessons[lesson.uid] = replace(
            lesson, status=status, reason=reason or lesson.reason, changed_ms=event.at_ms
        )


def _reject(draft: _Draft, event: LtmEvent) -> None:
    draft.settled.update(event.texts("candidates"))


def _measure(draft: _Draft, event: LtmEvent) -> None:
    if not event.run:
        return
    count = event.number
    draft.measures[event.run] = Measure(
        run_id=event.run,
        completed_ms=Millis(count("completed_ms")),
        duration_minutes=count("duration_minutes"),
        tasks_completed=count("tasks_completed"),
        tasks_failed=count("tasks_failed"),
        escalations=count("escalations"),
        files_changed=count("files_changed"),
        lines_added=count("lines_added"),
        lines_removed=count("lines_removed"),
        verification_status=event.text("verification_status"),
        outcome=event.text("outcome"),
    )


_STEPS: dict[LtmKind, Callable[[_Draft, LtmEvent], None]] = {
    LtmKind.LEARNT: _learn,
    LtmKind.CONFIRMED: _confirm_named,
    LtmKind.CONTRADICTED: _contradict,
    LtmKind.EDITED: _edit,
    LtmKind.RESOLVED: _resolve,
    LtmKind.RETIRED: _retire,
    LtmKind.REJECTED: _reject,
    LtmKind.MEASURED: _measure,
}
