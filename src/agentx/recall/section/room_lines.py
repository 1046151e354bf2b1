"""What the rooms have to tell an agent that begins: questions, the run, observations, lessons.

Each within a bound of its own, so that none crowds out the rest. What a room cannot give,
because a file of it is damaged or held, is left out and logged: a session begins anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

from agentx.kernel.text import preview
from agentx.kernel.tokens import estimate
from agentx.observations.model import Observation, Recall
from agentx.observations.service import Observations
from agentx.project.project import Project
from agentx.recall.section.moment import Present
from agentx.recall.section.notices import WORK, notice_lines, tolerant
from agentx.recall.section.render import RecallLine
from agentx.views.sessions.issue_of import of_branch
from agentx.wiring.observations import open_observations
from agentx.wiring.runs import active_run, digest_lines
from agentx.wiring.taught.lessons import worth_recalling

RUN = "The run that goes on"
OBSERVATIONS = "Memory Recall"
LESSONS = "Lessons of earlier runs"
# How things stand: several lines may point to the same place.
STANDING = frozenset({RUN, WORK})

_OBSERVATIONS_MAX = 12
_LESSONS_MAX = 6
_TEXT_CHARS_MAX = 280


class RoomLines:
    """What the rooms tell; each room is opened once, whoever asks."""

    def __init__(self, project: Project, now: Present) -> None:
        self._project = project
        self._now = now
        self._room: Observations | None = None
        self._run = tolerant(project, lambda: _run(project, now))
        self._lessons = tolerant(project, lambda: _lessons(project, now))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._room is not None:
            self._room.close()

    def of(
        self, *, branch: str = "", role: str = "", issue: int | None = None, context: str = ""
    ) -> list[RecallLine]:
        """Return what a role on a branch, or on an issue, should know, most urgent first."""
        standing = notice_lines(self._project, self._now, role)
        return [*standing, *self.known(branch=branch, role=role, issue=issue, context=context)]

    def known(
        self, *, branch: str = "", role: str = "", issue: int | None = None, context: str = ""
    ) -> list[RecallLine]:
        """Return the same without what notices say: the run, what was learnt."""
        about = Recall(
            agent=role,
            issue_number=of_branch(branch) if issue is None else issue,
            context=context,
            counted=False,
        )
        learnt = tolerant(self._project, lambda: self._observations(about))
        return [*self._run, *learnt, *self._lessons]

    def _observations(self, about: Recall) -> Iterator[RecallLine]:
        if not self._project.paths.observations.is_dir():
            return
        if self._room is None:
            self._room = open_observations(self._project)
        for one in self._room.best(about, _OBSERVATIONS_MAX):
            yield self._now.line(
                group=OBSERVATIONS,
                text=_observation(one),
                doc_id=one.id,
                at_ms=one.timestamp_ms,
                source=f"{one.agent}, issue {one.issue_number}" if one.issue_number else one.agent,
                tokens=one.tokens,
            )


def _run(project: Project, now: Present) -> Iterator[RecallLine]:
    run_id = active_run(project)
    if run_id:
        for line in digest_lines(project):
            yield now.line(
                group=RUN,
                text=line,
                doc_id=run_id,
                at_ms=now.now_ms,
                source="run",
                tokens=estimate(line),
            )


def _observation(one: Observation) -> str:
    doubts = ""
    if one.superseded_by:
        doubts += f" (superseded by {one.superseded_by})"
    if one.changed_files:
        doubts += f" (changed since: {', '.join(one.changed_files[:2])})"
    said = preview(one.content, _TEXT_CHARS_MAX - len(doubts))
    return f"{one.category}: {said}{doubts}"


def _lessons(project: Project, now: Present) -> Iterator[RecallLine]:
    for row in worth_recalling(project, limit=_LESSONS_MAX):
        said = f"{row.name}: {row.text}" if row.name and row.name != row.text else row.text
        yield now.line(
            group=LESSONS,
            text=f"{row.confidence} {row.kind}: {preview(said, _TEXT_CHARS_MAX - 30)}",
            doc_id=row.id,
            at_ms=row.changed_ms,
            source=row.area or "runs",
            tokens=estimate(row.text),
        )
