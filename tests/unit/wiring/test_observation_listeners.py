"""A loop's compactions are kept through the bus, and whatever is wrong stands in nobody's way."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.agents.compaction import ContextCompactor, Message, Work
from agentx.kernel.bus import Bus
from agentx.kernel.errors import UnavailableError
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.wiring.listeners.observations import start_capture
from agentx.wiring.observations import open_observations
from tests.support.time_and_chance import FakeClock


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "shop").mkdir()
    environment = read_environment({"HOME": str(tmp_path / "home")})
    return open_project(tmp_path / "shop", environment)


def talk() -> list[Message]:
    return [
        Message(role="user", content="where are the zones?"),
        Message(role="assistant", content="In `zones.py`, because there was no file once."),
        Message(role="user", content="we will keep them in TOML instead, ops must edit them"),
    ]


@pytest.mark.promise("observations.compaction-told")
def test_what_a_loop_compacts_is_in_the_project_once_and_no_more_after_stopping(
    project: Project,
) -> None:
    bus = Bus()
    room = open_observations(project, bus)
    stop = start_capture(project, bus, lambda: room)
    compactor = ContextCompactor(bus, FakeClock())
    compactor.compact_conversation(talk(), Work(agent="engineer", session_id="l", issue_number=7))
    compactor.compact_conversation(talk(), Work(agent="engineer", session_id="l", issue_number=7))
    kept = len(room.store.get_by_issue(7))
    stop()
    compactor.compact_conversation(talk(), Work(agent="engineer", session_id="m", issue_number=7))

    assert kept >= 2
    assert len(room.store.get_by_issue(7)) == kept
    room.close()


def test_a_store_that_cannot_be_opened_is_logged_and_the_loop_goes_on(project: Project) -> None:
    def broken() -> None:
        raise UnavailableError("the disk is full")

    bus = Bus()
    start_capture(project, bus, broken)  # type: ignore[arg-type]  # it never returns
    done = ContextCompactor(bus, FakeClock()).compact_conversation(talk(), Work(agent="engineer"))

    assert done.summary
    assert "the disk is full" in project.store.log.read_text("utf-8")
