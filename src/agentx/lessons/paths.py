"""Every path of long-term memory. The root may be empty: then they are relative to it."""

from __future__ import annotations

from pathlib import Path

from agentx.kernel.paths import Below
from agentx.kernel.values import frozen


@frozen(kw_only=False)
class LtmPaths:
    """What lies in the folder of long-term memory. Events are facts, all else is made from them."""

    root: Path = Path()

    events = Below("events")  # the events, one folder an actor
    code_patterns = Below("patterns/code-patterns.yaml")  # what works well in code
    error_patterns = Below("patterns/error-patterns.yaml")  # what goes wrong, and what mends it
    solution_patterns = Below("patterns/solution-patterns.yaml")  # what solved a problem
    decisions = Below("decisions")  # decisions, one page each
    debt = Below("tech-debt/tech-debt-registry.yaml")  # what was left undone
    metrics = Below("metrics/run-metrics.yaml")  # how the runs went
    learnings = Below("learnings/area-learnings")  # what is known of each area, one page each
    aside = Below("aside")  # pages as git left them, kept for a person to look at


@frozen(kw_only=False)
class LessonNotes:
    """What this machine notes of lessons, in the folder of the project's store."""

    root: Path

    # Locked while lessons are written on this machine; it is never written.
    desk = Below("runs/lessons")
    # What was unsigned here before, and what is doubted.
    vouched = Below("lessons/vouched.json")
    pages = Below("runs/lessons.pages")  # what the pages looked like when they were last made here
