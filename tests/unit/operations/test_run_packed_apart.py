"""Goal: a run that one clone packs away, or lays out again, is so in all, and comes to rest.

Method: a bare remote and clones with real git, whose exchanges come in turn.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.operations.runs.archive import archive_run, restore_run
from agentx.operations.runs.phases import go_to_phase
from agentx.operations.runs.read import list_runs
from agentx.operations.runs.recover import rebuild_runs
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.sync import sync_runs
from agentx.operations.runs.write import add_task, record_event, start_run
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.runs.model import Contract
from agentx.runs.store.archive import Archive
from tests.support.repository import git
from tests.support.run_clones import Clones

_PERSON = WhoCalls(role="", agent="", via=Via.TERMINAL)


class Three:
    """Three people who share a run that is over."""

    def __init__(self, folder: Path) -> None:
        self.clones = Clones(folder)
        self.all = tuple(self.clones.clone(name) for name in ("one", "two", "three"))
        self.one, self.two, self.three = self.all
        self.run = start_run(self.one, "shared", actor="orchestrator").id
        self.says = Saying(run_id=self.run, actor="orchestrator")
        add_task(self.one, self.says, Contract(title="first"))
        go_to_phase(self.one, self.says, "fail", reason="enough")
        self.sync(*self.all)

    def sync(self, *projects: Project) -> None:
        for project in projects:
            sync_runs(project, agrees=lambda _where: True, caller=_PERSON)

    def rest(self) -> None:
        """Let everybody exchange until nothing is new."""
        self.sync(*self.all, *self.all)
        tip = self.find_tip()
        self.sync(*self.all, *self.all)
        assert self.find_tip() == tip

    def find_tip(self) -> str:
        return git(self.clones.remote, "rev-parse", "agent-memory")

    def list_laid_out(self) -> list[bool]:
        return [any(row.run_id == self.run for row in list_runs(each)) for each in self.all]


@pytest.fixture
def team(tmp_path: Path) -> Three:
    return Three(tmp_path)


@pytest.mark.promise("runs.kept-exchange")
def test_one_that_was_laid_out_again_is_packed_again_for_all(team: Three) -> None:
    archive_run(team.one, team.run)
    team.rest()
    assert team.list_laid_out() == [False] * 3
    restore_run(team.two, team.run)
    team.rest()
    assert team.list_laid_out() == [True] * 3

    archive_run(team.three, team.run)
    team.rest()

    assert team.list_laid_out() == [False] * 3


def test_who_was_killed_before_the_folder_went_unpacks_it_for_nobody(team: Three) -> None:
    archive_run(team.three, team.run)
    team.sync(team.three)
    Archive(team.one.paths).pack(team.run)  # and killed
    team.rest()
    if team.list_laid_out()[0]:
        archive_run(team.one, team.run)
    team.rest()

    assert team.list_laid_out() == [False] * 3


def test_a_run_stays_laid_out_while_others_write_of_other_runs(team: Three) -> None:
    archive_run(team.one, team.run)
    team.rest()
    restore_run(team.two, team.run)
    start_run(team.one, "more", actor="orchestrator")
    team.rest()

    assert team.list_laid_out() == [True] * 3


def test_a_run_that_somebody_went_on_with_meanwhile_stays_laid_out(team: Three) -> None:
    archive_run(team.one, team.run)
    team.sync(team.one)
    record_event(team.two, team.says, "run-reopened", {})
    team.rest()

    assert team.list_laid_out() == [True] * 3


def test_what_was_kept_aside_of_a_run_keeps_it_from_being_packed_nowhere(team: Three) -> None:
    contract = team.two.paths.runs / team.run / "tasks" / "TASK-001" / "contract.yaml"
    contract.write_text(contract.read_text("utf-8").replace("first", "by hand"), "utf-8")
    rebuild_runs(team.two, team.run)
    team.rest()
    archive_run(team.three, team.run)
    team.rest()

    assert team.list_laid_out() == [False] * 3
    for project in team.all:
        assert any("/aside/" in f"/{name}" for name in Archive(project.paths).files(team.run))


@pytest.mark.promise("runs.kept-exchange")
def test_what_somebody_laid_into_a_run_that_others_pack_is_packed_with_it(team: Three) -> None:
    folder = team.two.paths.runs / team.run
    mine = {"notes.txt": b"mine\n", "aside/words.txt": b"aside\n", "pr/idea.md": b"an idea\n"}
    for name, data in mine.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    archive_run(team.three, team.run)
    team.rest()

    assert team.list_laid_out() == [False] * 3
    for project in team.all:
        held = Archive(project.paths).files(team.run)
        assert {name: held.get(name) for name in mine} == mine
    restore_run(team.two, team.run)
    assert (folder / "notes.txt").read_bytes() == b"mine\n"


def test_a_file_that_somebody_laid_aside_in_a_run_goes_to_nobody(team: Three) -> None:
    stray = team.two.paths.runs / team.run / "aside" / "words.txt"
    stray.parent.mkdir()
    stray.write_text("mine", "utf-8")
    team.rest()

    assert not (team.one.paths.runs / team.run / "aside").exists()
    assert stray.exists()
    stray.unlink()
    team.rest()
    assert not stray.exists()
