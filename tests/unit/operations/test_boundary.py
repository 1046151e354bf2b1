"""Goal: an agent that begins is told all that `agentx recall` tells of its role and its issue.

Method: the operation on the bundled sample, with an observation and a lesson added.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from agentx.kernel.errors import UnavailableError
from agentx.kernel.tokens import estimate
from agentx.lessons.model import Confidence, Content, LessonKind
from agentx.memory.port import Memory
from agentx.observations.model import Category, Observation, SearchFilters
from agentx.operations.agents.boundary import start
from agentx.operations.lessons.known import add_lesson
from agentx.operations.memory.read import memory_show
from agentx.operations.recall.recall import recall
from agentx.operations.recall.section import RecallRequest
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.recall.section.digests import make_digest
from agentx.wiring.memory import open_store
from agentx.wiring.observations import open_observations
from agentx.wiring.section import section_sources
from tests.support.remembering import sample_project

ISSUE = 31


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Return a project that remembers sessions, an observation and a lesson."""
    made = sample_project(tmp_path)
    lesson = Content(name="", text="Back off with jitter", area="webhooks")
    add_lesson(made, LessonKind.CODE, lesson, Confidence.HIGH)
    return made


def learn(project: Project) -> Observation:
    with closing(open_observations(project)) as room:
        return room.add("Keys live 7 days.", agent="engineer", issue=31, category=Category.DECISION)


def recalls_of(project: Project, one: Observation) -> int:
    with closing(open_observations(project)) as room:
        rows = room.store.search_by_filters(SearchFilters(issue_number=ISSUE))
        return next(row.recall_count for row in rows if row.id == one.id)


def test_an_agent_that_begins_is_told_what_recall_tells(project: Project) -> None:
    learn(project)

    def open_memory() -> Memory:
        return open_store(project)

    begun = start(project, agent="engineer", issue=ISSUE, open_memory=open_memory)
    with open_store(project) as memory:
        asked = recall(project, memory, RecallRequest(agent="engineer", issue=ISSUE))

    assert begun.recall == asked.text
    for heading in ("## Memory Recall", "### Lessons of earlier runs", "### Of this issue"):
        assert f"\n{heading}" in begun.recall


@pytest.mark.promise("observations.recall-counted")
def test_what_an_agent_is_told_at_its_start_counts_only_when_it_is_opened(
    project: Project,
) -> None:
    one = learn(project)

    assert one.id[-6:] in start(project, agent="engineer", issue=ISSUE).recall
    assert recalls_of(project, one) == 0
    assert memory_show(project, f"obs-{one.id[-6:]}").observation == one
    assert recalls_of(project, one) == 1


def test_an_agent_begins_with_what_can_be_had_when_the_memory_cannot(project: Project) -> None:
    learn(project)

    def open_memory() -> NoReturn:
        raise UnavailableError("the store is held")

    begun = start(project, agent="engineer", issue=ISSUE, open_memory=open_memory)

    assert "Keys live 7 days." in begun.recall
    assert "## Outcomes" not in begun.recall
    assert "the store is held" in project.store.log.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "value"),
    [("AGENTX_MEMORY_MAX_TOKENS", "0"), ("AGENTX_MEMORY_ENABLED", "false")],
)
def test_who_wants_nothing_recalled_is_told_no_summary_instead(
    project: Project, name: str, value: str
) -> None:
    variables = {**project.environment.variables, name: value}
    silent = replace(open_project(project.root, read_environment(variables)), clock=project.clock)
    with open_store(silent) as memory:
        assert recall(project, memory, RecallRequest()).lines
        said = recall(silent, memory, RecallRequest())
        with section_sources(silent, memory) as sources:
            begun = make_digest(sources, "claude-code")

    assert (said.text, said.budget_tokens, begun) == ("", 0, "")


def test_a_section_is_no_longer_than_the_user_lets_it_be(project: Project) -> None:
    variables = {**project.environment.variables, "AGENTX_MEMORY_MAX_TOKENS": "200"}
    sparing = replace(open_project(project.root, read_environment(variables)), clock=project.clock)
    with open_store(sparing) as memory:
        said = recall(sparing, memory, RecallRequest())
        with section_sources(sparing, memory) as sources:
            begun = make_digest(sources, "claude-code")

    assert 0 < said.tokens <= said.budget_tokens == 200
    assert 0 < estimate("\n".join(row.partition("\t")[2] for row in begun.split("\n"))) <= 200


def test_a_budget_of_nothing_tells_nothing_and_counts_nothing(project: Project) -> None:
    one = learn(project)
    variables = {**project.environment.variables, "AGENTX_MEMORY_MAX_TOKENS": "0"}
    silent = open_project(project.root, read_environment(variables))

    begun = start(replace(silent, clock=project.clock), agent="engineer", issue=ISSUE)

    assert begun.recall == ""
    assert recalls_of(project, one) == 0
