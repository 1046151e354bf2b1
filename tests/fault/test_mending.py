"""Every part of a memory that is damaged is told by `diagnose`, mended, and told no more."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.conversation.model import EventQuery
from agentx.daemon.door import open_memory
from agentx.operations.setup.installation import setup_inputs
from agentx.operations.upkeep.doctor import diagnose, fix
from agentx.operations.upkeep.health import Health
from agentx.operations.upkeep.mend import mend, plan_mending
from agentx.project.project import Project
from agentx.wiring.keeping.backup import backup_memory, list_backups
from agentx.wiring.keeping.restore import restore_memory
from tests.fault.test_damage import project_of
from tests.golden.story import Town
from tests.support.damage import STORE, copy_of, delete, flip, prepare, victims


@pytest.fixture(scope="module")
def whole() -> Iterator[tuple[Town, Path]]:
    """Lend a golden house that is well, and a copy to begin again from."""
    with tempfile.TemporaryDirectory(prefix="agentx-mending-") as folder:
        town = prepare(Path(folder) / "house")
        town.agentx("sync")
        town.agentx("doctor", "--fix", "--yes", "--json", expect=None)
        kept = Path(folder) / "kept"
        shutil.copytree(town.root, kept, symlinks=True)
        yield town, kept


@pytest.fixture
def town(whole: tuple[Town, Path]) -> Town:
    """Return the house as it was."""
    return copy_of(*whole)


def ill(project: Project) -> dict[str, str]:
    """Return what is not good by its name, in words."""
    found = diagnose(project, lambda: open_memory(project), setup_inputs(project), deep=True)
    return {check.name: check.says for check in found.checks if check.health is not Health.GOOD}


def texts(project: Project) -> list[str]:
    """Return every text of the log."""
    with open_memory(project) as memory:
        return [event.text for event in memory.events(EventQuery(limit=1000)).events]


@pytest.mark.parametrize(
    ("kind", "name", "says"),
    [
        ("index postings", "index", "the index is made again"),
        ("jobs", "document", "put aside"),
        ("words of observations", "cache", "it is made again"),
    ],
)
def test_a_part_that_is_damaged_is_mended_and_the_rest_is_as_it_was(
    town: Town, kind: str, name: str, says: str
) -> None:
    project = project_of(town)
    before, ills = texts(project), ill(project).keys()
    flip(victims(town.root, kind)[0])

    assert ill(project).keys() - ills, "the damage is not told"
    plan = plan_mending(project, deep=True)
    assert ({damage.part for damage in plan.damages}, plan.touches_log) == ({name}, False)
    done = mend(project, plan)

    assert any(says in each for each in done), done
    assert plan_mending(project, deep=True).damages == ()
    assert texts(project) == before


def test_a_log_without_its_manifest_is_salvaged_with_every_event(town: Town) -> None:
    project = project_of(town)
    before = texts(project)
    delete(town.root / STORE / "db" / "CURRENT")

    assert ill(project)
    plan = plan_mending(project, deep=False)
    assert plan.touches_log
    assert any("salvage every readable event" in step for step in plan.steps)
    done = mend(project, plan)

    assert any("nothing that the log named is gone" in each for each in done), done
    assert texts(project) == before
    assert "log" not in ill(project)


def test_a_backup_brings_a_log_back_that_is_gone(town: Town) -> None:
    project = project_of(town)
    before = texts(project)
    newest = backup_memory(project).paths[-1]
    assert list_backups(project).paths[-1] == newest
    shutil.rmtree(town.root / STORE / "db")

    restore_memory(project, newest)

    assert texts(project) == before


def test_fixing_closes_folders_and_writes_the_commands_that_agent_clis_call(town: Town) -> None:
    project, inputs = project_of(town), setup_inputs(project_of(town))
    project.store.root.chmod(0o755)
    project.data.launcher.unlink(missing_ok=True)

    done = fix(project, inputs)

    assert any("to other users" in each for each in done), done
    assert "wrote the hook command" in done
    assert project.store.root.stat().st_mode & 0o077 == 0
    assert fix(project, inputs) == ()
