"""Every path of long-term memory. The root may be empty: then they are relative to it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class LtmPaths:
    """What lies in the folder of long-term memory. Events are facts, all else is made from them."""

    root: Path = Path()

    @property
    def events(self) -> Path:
        """The events, one folder an actor."""
        return self.root / "events"

    @property
    def code_patterns(self) -> Path:
        """What works well in code."""
        return self.root / "patterns" / "code-patterns.yaml"

    @property
    def error_patterns(self) -> Path:
        """What goes wrong, and what mends it."""
        return self.root / "patterns" / "error-patterns.yaml"

    @property
    def solution_patterns(self) -> Path:
        """What solved a problem."""
        return self.root / "patterns" / "solution-patterns.yaml"

    @property
    def decisions(self) -> Path:
        """Decisions, one page each."""
        return self.root / "decisions"

    @property
    def debt(self) -> Path:
        """What was left undone."""
        return self.root / "tech-debt" / "tech-debt-registry.yaml"

    @property
    def metrics(self) -> Path:
        """How the runs went."""
        return self.root / "metrics" / "run-metrics.yaml"

    @property
    def learnings(self) -> Path:
        """What is known of each area, one page each."""
        return self.root / "learnings" / "area-learnings"

    @property
    def aside(self) -> Path:
        """Pages as git left them, kept for a person to look at."""
        return self.root / "aside"


@dataclass(frozen=True, slots=True)
class LessonNotes:
    """What this machine notes of lessons, in the folder of the project's store."""

    root: Path

    @property
    def desk(self) -> Path:
        """Locked while lessons are written on this machine; it is never written."""
        return self.root / "runs" / "lessons"

    @property
    def pages(self) -> Path:
        """What the pages looked like when they were last made here."""
        return self.root / "runs" / "lessons.pages"
