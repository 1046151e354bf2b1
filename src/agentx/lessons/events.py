"""What is told when long-term memory grows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonLearnt:
    """A run taught something that was not known."""

    lesson: str
    kind: str
    run: str
    actor: str
