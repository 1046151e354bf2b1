"""From what a run offers to what is known: learn it, count it as a confirmation, or leave it.

    by a person    what they name
    all            everything that was offered
    confident      what is MEDIUM or HIGH and has evidence
    proven         what the run's own events and git prove

No policy takes in what a person took back: it waits for a word. What a policy took in says so.
A lesson that says what is already known confirms it. One that names what it contradicts
takes confidence from that, unless a person said it: only a person takes that back. What a person
answered is a lesson of its own, with what they were asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, field
from enum import StrEnum

from agentx.kernel.values import frozen
from agentx.lessons.likeness import ALIKE, alike
from agentx.lessons.model import (
    PREFIXES,
    Confidence,
    Content,
    Detail,
    Lesson,
    LessonKind,
    LessonStatus,
    LongTerm,
    LtmKind,
    Taught,
)


class Policy(StrEnum):
    """Who decides what is promoted."""

    ASK = "ask"
    PROVEN = "proven"
    CONFIDENT = "confident"
    ALL = "all"


POLICY = "policy"  # who takes in what nobody was asked about


@frozen
class LessonChange:
    """Something to be said of what is known: an event without a time and an id."""

    kind: LtmKind
    lesson: str = ""
    run: str = ""
    detail: Detail = field(default_factory=dict)


def accepts(policy: Policy, offered: Taught) -> bool:
    """Tell whether a policy takes a lesson without asking anybody."""
    if policy is Policy.ALL:
        return True
    if policy is Policy.PROVEN:
        return offered.is_proven
    sure = offered.confidence is not Confidence.LOW and bool(offered.evidence)
    return policy is Policy.CONFIDENT and sure


def open_candidates(known: LongTerm, offered: Iterable[Taught]) -> tuple[Taught, ...]:
    """Return what nobody has accepted or rejected yet."""
    return tuple(one for one in offered if one.key not in known.settled)


def is_taken_back(known: LongTerm, offered: Taught) -> bool:
    """Tell whether somebody retired what a lesson says."""
    return any(
        lesson.status is LessonStatus.RETIRED
        and alike(lesson.content.text, offered.content.text) >= ALIKE
        for lesson in known.of_kind(offered.kind)
    )


def promote(
    known: LongTerm, offered: Iterable[Taught], *, by_person: bool = False, by_policy: str = ""
) -> Iterator[LessonChange]:
    """Yield the changes that take lessons in; what was settled before changes nothing."""
    unasked = {"by_policy": by_policy} if by_policy else {}
    numbers = _next_numbers(known)
    learnt: list[Taught] = []
    for one in open_candidates(known, offered):
        same = most_alike(known, one)
        if same is not None:
            yield LessonChange(
                kind=LtmKind.CONFIRMED,
                lesson=same.uid,
                run=one.run,
                detail={"candidates": [one.key], "evidence": list(one.evidence), **unasked},
            )
        elif not any(_same(one, other) for other in learnt):
            learnt.append(one)
            prefix = PREFIXES[one.kind]
            yield LessonChange(
                kind=LtmKind.LEARNT,
                run=one.run,
                detail={**_detail(one, numbers[prefix]), **unasked},
            )
            numbers[prefix] += 1
        else:
            yield reject(one)
        for against in one.contradicts:
            lesson = known.find(against)
            if lesson is not None and (by_person or not lesson.is_persons):
                yield LessonChange(
                    kind=LtmKind.CONTRADICTED,
                    lesson=lesson.uid,
                    run=one.run,
                    detail={"reason": one.content.text},
                )


def reject(offered: Taught) -> LessonChange:
    """Return the change that lays a candidate aside."""
    return LessonChange(
        kind=LtmKind.REJECTED, run=offered.run, detail={"candidates": [offered.key]}
    )


def most_alike(known: LongTerm, offered: Taught) -> Lesson | None:
    """Return the lesson that says the same already, if there is one."""
    best, nearest = ALIKE, None
    for lesson in known.of_kind(offered.kind):
        if offered.said_by and not _is_same_answer(offered, lesson):
            continue
        likeness = alike(lesson.content.text, offered.content.text)
        if lesson.is_active and not lesson.is_unverified and likeness >= best:
            best, nearest = likeness, lesson
    return nearest


def detail_of(content: Content) -> dict[str, object]:
    """Return what a lesson says as an event holds it."""
    return {name: _plain(value) for name, value in asdict(content).items() if value}


def next_number(known: LongTerm, kind: LessonKind) -> int:
    """Return the number that the next lesson of a kind asks for."""
    return _next_numbers(known)[PREFIXES[kind]]


def _next_numbers(known: LongTerm) -> dict[str, int]:
    numbers = dict.fromkeys(PREFIXES.values(), 1)
    for lesson in known.lessons.values():
        prefix = PREFIXES[lesson.kind]
        numbers[prefix] = max(numbers[prefix], lesson.number + 1)
    return numbers


def _detail(one: Taught, number: int) -> dict[str, object]:
    said_by = {"said_by": one.said_by} if one.said_by else {}
    return {
        **detail_of(one.content),
        **said_by,
        "kind": str(one.kind),
        "number": number,
        "confidence": str(one.confidence),
        "evidence": list(one.evidence),
        "candidates": [one.key],
    }


def _is_same_answer(offered: Taught, lesson: Lesson) -> bool:
    said = lesson.content
    return lesson.is_persons and (said.name, said.text) == (
        offered.content.name,
        offered.content.text,
    )


def _same(one: Taught, other: Taught) -> bool:
    if one.said_by:
        return False  # what a run offers is told apart already
    return one.kind is other.kind and alike(one.content.text, other.content.text) >= ALIKE


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
