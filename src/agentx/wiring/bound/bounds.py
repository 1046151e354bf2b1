"""The memories of a section, marked with how far they reach: imported where one has a branch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from agentx.observations.model import Observation
from agentx.observations.relevance import Subject, keywords, score
from agentx.observations.service import Observations
from agentx.project.project import Project
from agentx.recall.branches.bonds import is_bound, part_wishes
from agentx.recall.branches.marks import share_of
from agentx.recall.branches.reach import Extent, Reach
from agentx.recall.section.learnt import Memories, WeighedMemory
from agentx.recall.section.sources import About
from agentx.wiring.bound.branches import (
    PREPARER_WAIT_MS,
    READER_WAIT_MS,
    list_restored,
    open_reaches,
)


class Bounds:
    """Marks what was learnt on branches, for one section after the other."""

    def __init__(self, project: Project, room: Observations, *, may_wait: bool) -> None:
        wait_ms = PREPARER_WAIT_MS if may_wait else READER_WAIT_MS
        self._project = project
        self._room = room
        self._reaches = open_reaches(project, wait_ms=wait_ms)

    def mark(self, found: Memories, about: About) -> Memories:
        """Return memories with where those hold that do not hold here."""
        if self._reaches is None:
            return found
        parts = (part for one in found.weighed for part in part_wishes(one.observation))
        reaches = self._reaches.find(parts, about.branch)
        if not any(reach.mark for reach in reaches.values()):
            return found
        restored = list_restored(self._room, self._reaches, about.branch)
        known = {one.observation.id for one in found.weighed}
        more = [one for name, (one, _) in restored.items() if name not in known]
        every = (
            replace(one, observation=part)
            for one in (*found.weighed, *self._weigh(more, about))
            for part in part_wishes(one.observation)
        )
        weighed = (_mark(one, reaches) for one in every)
        return replace(
            found,
            weighed=tuple(_restore(one, restored) for one in weighed),
            standing=found.standing + len(restored),
            elsewhere=_list_sessions(found, reaches),
        )

    def _weigh(self, restored: list[Observation], about: About) -> list[WeighedMemory]:
        asked = Subject(now_ms=self._project.clock.now_ms(), words=keywords(about.context))
        scores = {each.entry.id: each.score for each in score((o.index() for o in restored), asked)}
        return [
            WeighedMemory(
                observation=one,
                score=scores[one.id],
                is_of_issue=bool(about.issue) and one.issue_number == about.issue,
            )
            for one in restored
        ]


def _mark(one: WeighedMemory, reaches: Mapping[str, Reach]) -> WeighedMemory:
    reach = reaches.get(one.observation.id) if is_bound(one.observation) else None
    if reach is None or not reach.mark:
        return one
    return replace(one, mark=reach.mark, share=share_of(reach, pinned=one.observation.pinned))


def _restore(
    one: WeighedMemory, restored: Mapping[str, tuple[Observation, Reach]]
) -> WeighedMemory:
    """Return a memory that stands here, with where it was replaced if that still goes on."""
    if one.observation.id not in restored:
        return one
    reach = restored[one.observation.id][1]
    return replace(one, restored=reach.mark if reach.extent is Extent.ELSEWHERE else "")


def _list_sessions(found: Memories, reaches: Mapping[str, Reach]) -> dict[str, str]:
    """Return the sessions of which all that is bound to a branch holds elsewhere, with where."""
    marks: dict[str, set[str]] = {}
    for one in found.weighed:
        reach = reaches.get(one.observation.id)
        if reach is not None and one.observation.event_ids:
            marks.setdefault(one.observation.session_id, set()).add(reach.mark)
    return {name: said.pop() for name, said in marks.items() if len(said) == 1 and "" not in said}
