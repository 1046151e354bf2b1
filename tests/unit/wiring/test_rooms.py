"""Goal: a room is opened only when its files changed, and never answers with what it was before.

Method: a real project whose observations are asked for through the rooms, its files old or new.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentx.operations.memory.write import NewObservation, memory_add
from agentx.project.project import Project
from agentx.project.setting_files import set_value
from agentx.views.documents.rooms import Rooms
from agentx.wiring.rooms import searchable_rooms
from tests.support.remembering import project_in


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = project_in(tmp_path)
    made.store.text_index.mkdir(parents=True)
    learn(made, "retries stop after eight")
    return made


def learn(project: Project, text: str) -> None:
    memory_add(project, NewObservation(agent="engineer", issue=7, category="decision", text=text))


def settle_files(project: Project, seconds_ago: int) -> None:
    """Let the files of the observations be that old, by the project's clock."""
    then = project.clock.now_ms() // 1000 - seconds_ago
    for file in project.paths.observations.rglob("*"):
        os.utime(file, (then, then))


def was_opened(rooms: Rooms) -> bool:
    return "_source" in vars(rooms._sources["observations"])


def test_a_room_whose_files_are_the_same_is_not_opened_again(project: Project) -> None:
    settle_files(project, 10)
    first, second = searchable_rooms(project), searchable_rooms(project)

    assert first.stamps() == second.stamps() != {}
    assert was_opened(first)
    assert not was_opened(second)
    assert [one for part in second.stamps() for one in second.documents(part)]


def test_a_room_that_changed_is_asked(project: Project) -> None:
    settle_files(project, 10)
    before = searchable_rooms(project).stamps()
    learn(project, "the queue is drained before the deploy")

    assert searchable_rooms(project).stamps() != before


def test_files_that_may_still_change_within_a_tick_are_looked_at_every_time(
    project: Project,
) -> None:
    settle_files(project, 1)
    searchable_rooms(project).stamps()
    again = searchable_rooms(project)
    again.stamps()

    assert was_opened(again)


def test_observations_kept_in_another_way_are_other_observations(
    project: Project, tmp_path: Path
) -> None:
    settle_files(project, 10)
    in_files = searchable_rooms(project).stamps()
    own = project.environment.settings_here(project.identity.natural)
    set_value(own, "memory.backend", "sqlite")

    assert searchable_rooms(project_in(tmp_path)).stamps() == {} != in_files


def test_what_a_link_leads_to_is_no_part_of_a_room(project: Project, tmp_path: Path) -> None:
    file = next(one for one in project.paths.observations.rglob("*") if one.is_file())
    real = file.rename(tmp_path / file.name)
    file.symlink_to(real)
    settle_files(project, 10)
    os.utime(file, (1, 1), follow_symlinks=False)
    searchable_rooms(project).stamps()
    os.utime(real, (1, 1))
    again = searchable_rooms(project)
    again.stamps()

    assert not was_opened(again)


def test_a_room_that_is_a_link_is_left_out_and_the_others_are_searched(
    project: Project, tmp_path: Path
) -> None:
    project.paths.ledgers.mkdir(parents=True)
    (project.paths.ledgers / "issue-1.json").write_text("{}", encoding="utf-8")
    elsewhere = tmp_path / "elsewhere"
    project.paths.observations.rename(elsewhere)
    project.paths.observations.symlink_to(elsewhere)

    assert list(searchable_rooms(project).stamps()) == ["clarifications/1"]


@pytest.mark.parametrize(
    "damage", [b"", b"[1]", b'{"observations": 7}', b'{"observations": ["a"]}']
)
def test_a_damaged_note_costs_a_look_and_nothing_else(project: Project, damage: bytes) -> None:
    settle_files(project, 10)
    known = searchable_rooms(project).stamps()
    [note] = project.store.text_index.iterdir()
    note.write_bytes(damage)

    assert searchable_rooms(project).stamps() == known


def test_another_release_asks_every_room_anew(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle_files(project, 10)
    searchable_rooms(project).stamps()
    monkeypatch.setattr("agentx.host.files.notes.__version__", "another")
    rooms = searchable_rooms(project)
    rooms.stamps()

    assert was_opened(rooms)
