"""How far a lesson may be trusted: it rises with confirmation and falls with contradiction.

    points = where it started (LOW 1, MEDIUM 2, HIGH 3)
             + runs that confirmed it - 2 x runs that contradicted it
    LOW up to 1, MEDIUM at 2, HIGH from 3; below 0 it is retired

One run counts once, however often it says the same: what a run repeats is no new evidence. A
person's own judgement stands until the next contradiction. What claims a person and is
vouched for by nobody is LOW; a person's words that were changed on the page are at most MEDIUM.
"""

from __future__ import annotations

from agentx.lessons.model import Confidence, Lesson

START = {Confidence.LOW: 1, Confidence.MEDIUM: 2, Confidence.HIGH: 3}
CONTRADICTION = 2
RETIRED_BELOW = 0


def points(started_at: Confidence, confirmations: int, contradictions: int) -> int:
    """Return what speaks for a lesson, less what speaks against it."""
    return START[started_at] + confirmations - CONTRADICTION * contradictions


def level(count: int) -> Confidence:
    """Return the word for some points."""
    if count >= START[Confidence.HIGH]:
        return Confidence.HIGH
    return Confidence.MEDIUM if count == START[Confidence.MEDIUM] else Confidence.LOW


def judge(lesson: Lesson) -> Confidence:
    """Return how far a lesson may be trusted."""
    if lesson.is_unverified:
        return Confidence.LOW
    found = _judge(lesson)
    is_high = found is Confidence.HIGH
    return Confidence.MEDIUM if lesson.is_reworded and is_high else found


def _judge(lesson: Lesson) -> Confidence:
    if lesson.pinned is not None:
        return lesson.pinned
    confirmations = max(len(lesson.learned_from) - 1, 0)
    return level(points(lesson.started_at, confirmations, len(lesson.contradicted_by)))


def is_refuted(lesson: Lesson) -> bool:
    """Tell whether more speaks against a lesson than for it."""
    confirmations = max(len(lesson.learned_from) - 1, 0)
    count = points(lesson.started_at, confirmations, len(lesson.contradicted_by))
    return count < RETIRED_BELOW
