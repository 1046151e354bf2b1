"""What one process read of questions and judged of memories: a command opens memory often.

Each entry says of which look at the files it is; who finds it compares that with their own look.
"""

from __future__ import annotations

from functools import lru_cache

from agentx.clarification.model import Clarification
from agentx.clarification.store.vouching.forgetting import ForgottenNames
from agentx.clarification.watch.gathered import GatheredQuestions
from agentx.observations.model import Observation
from agentx.project.project import Project

States = dict[str, Clarification]  # the questions of an issue, as one look found them, by name

_PROJECTS_MAX = 8


class SeenMemories:
    """What is known of the questions of one project, and of the memories of them."""

    def __init__(self) -> None:
        self.read: dict[int, tuple[str, States]] = {}
        self.by_id: dict[int, tuple[States, States]] = {}
        self.gathered: dict[tuple[int, ...], tuple[tuple[States, ...], GatheredQuestions]] = {}
        self.forgotten: dict[int, tuple[States, ForgottenNames]] = {}
        self.judged: dict[str, tuple[str, Observation, Observation]] = {}


def find_seen_memories(project: Project) -> SeenMemories:
    """Return what this process knows of the memories of a project."""
    places = (project.paths.ledgers, project.store.persons, project.observations)
    return find_seen_in(*map(str, places))


@lru_cache(maxsize=_PROJECTS_MAX)
def find_seen_in(*places: str) -> SeenMemories:
    """Return the same, by where the files of a project lie."""
    del places
    return SeenMemories()
