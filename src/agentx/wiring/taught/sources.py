"""What other rooms know of a task: lessons of earlier runs, observations of sessions."""

from __future__ import annotations

from collections.abc import Iterator

from agentx.host.files.plain import is_folder
from agentx.kernel.text import disarm, preview
from agentx.kernel.tokens import Budget, estimate
from agentx.lessons.limits import LESSON_TOLD_CHARS, LESSONS_TOLD_TOKENS
from agentx.project.project import Project
from agentx.runs.context import Area, ContextSource, Piece, Tier
from agentx.wiring.observations import open_observations
from agentx.wiring.taught.lessons import lesson_row, relevant_lessons

_LESSONS_MAX = 10
_OBSERVATIONS_MAX = 8
_RUNS_NAMED_MAX = 3


class Learnt:
    """Long-term memory: what earlier runs taught of the files, words and checks of a task."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def pieces(self, area: Area) -> Iterator[Piece]:
        """Yield the lessons that concern the task, the surest first, as far as the tokens go."""
        budget = Budget(LESSONS_TOLD_TOKENS)
        found = relevant_lessons(
            self._project, area.files, area.words, _LESSONS_MAX, checks=area.checks
        )
        for lesson in map(lesson_row, found):
            text = f"{lesson.name}: {lesson.text}" if lesson.name else lesson.text
            learnt = ", ".join(lesson.learned_from[-_RUNS_NAMED_MAX:]) or "a person"
            facts = f"{lesson.kind}, {lesson.confidence}, from {learnt}"
            source = f"{lesson.id} ({'; '.join(filter(None, (facts, lesson.against)))})"
            text = disarm(preview(text, LESSON_TOLD_CHARS))
            cost = estimate(f"{source}\n{text}")
            if cost <= budget.left:
                budget.take(cost)
                yield Piece(tier=Tier.ON_DEMAND, source=source, text=text, lesson=lesson.uid)


class ObservationSource:
    """What sessions decided, changed and found out about the words of a task."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def pieces(self, area: Area) -> Iterator[Piece]:
        """Yield the observations that fit best."""
        if not is_folder(self._project.observations):
            return
        room = open_observations(self._project)
        try:
            for hit in room.search(area.words, _OBSERVATIONS_MAX):
                if not hit.superseded_by:
                    found, _ = room.get(hit.id)
                    facts = f"{hit.category} by {hit.agent}, issue {hit.issue_number}"
                    source = f"{hit.id} ({'; '.join(filter(None, (facts, found.against)))})"
                    yield Piece(tier=Tier.ON_DEMAND, source=source, text=found.content)
        finally:
            room.close()


def context_sources(project: Project) -> tuple[ContextSource, ...]:
    """Return everybody who may know something of a task."""
    return Learnt(project), ObservationSource(project)
