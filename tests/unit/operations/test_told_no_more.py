"""Goal: what a person took out of memory is told to no session that begins after.

Method: memories in a real store, with what lies prepared for hooks; a person drops, removes and
edits them, and nobody syncs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentx.kernel.capture import Harness
from agentx.observations.model import Category
from agentx.operations.memory.curate import memory_drop, memory_edit
from agentx.operations.memory.write import memory_remove
from agentx.project.project import Project
from agentx.wiring.memory import open_store
from agentx.wiring.observations import open_observations
from agentx.wiring.section import renew_digests
from tests.support.clarifying import project_at

GONE = "Run `make wolves` before you commit, else the build of zebras fails."
STAYS = "Berths are kept for seven minutes."


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return project_at(tmp_path)


def keep(project: Project, text: str, category: Category) -> str:
    room = open_observations(project)
    try:
        return room.add(text, agent="engineer", issue=1, category=category).id
    finally:
        room.close()


def read_prepared(project: Project) -> str:
    files = [path for path in project.store.digests.iterdir() if path.is_file()]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def edit(project: Project, name: str) -> None:
    memory_edit(project, name, "Run nothing before you commit.")


@pytest.mark.parametrize("take_away", [memory_drop, memory_remove, edit])
def test_what_was_taken_away_lies_prepared_no_more(
    project: Project, take_away: Callable[[Project, str], object]
) -> None:
    gone = keep(project, GONE, Category.KEY_FACT)
    stays = keep(project, STAYS, Category.DECISION)
    with open_store(project) as memory:
        renew_digests(project, memory)
    with project.store.cautions.open("a", encoding="utf-8") as file:
        for each, said in ((gone, GONE), (stays, STAYS)):
            file.write(f"file\ta.py\t\t{each}\t- {said}\n")
    assert "make wolves" in read_prepared(project)
    digest = project.store.digest(Harness.CLAUDE_CODE, "", "")

    take_away(project, gone)

    told = read_prepared(project)
    assert "wolves" not in told
    assert gone not in told
    assert STAYS in digest.read_text(encoding="utf-8")
    assert STAYS in project.store.cautions.read_text(encoding="utf-8")
    memory_remove(project, stays)
    assert not digest.exists()
