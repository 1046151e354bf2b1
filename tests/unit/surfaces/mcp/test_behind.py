"""Goal: a tool answers at once whatever waits, and says how much its answer does not know."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.kernel.errors import NotFound
from agentx.memory.port import Behind
from agentx.project.config import read_environment
from agentx.surfaces.mcp.answer import tell_behind
from tests.support.fake_memory import FakeMemory
from tests.support.mcp_agent import Agent


class Late(FakeMemory):
    """A memory that is behind by so many events."""

    def __init__(self, events: int) -> None:
        super().__init__()
        self.events_left = events

    def freshen(self, wait_ms: int, *, views: bool = True) -> Behind:
        return Behind(events=self.events_left)


def late_agent(folder: Path, events: int) -> Agent:
    (folder / "shop" / ".agentx").mkdir(parents=True)
    known = {"HOME": str(folder / "home"), "PATH": "/nowhere", "AGENTX_DAEMON_AUTO": "false"}
    agent = Agent(folder / "shop", read_environment(known), lambda _project: Late(events))
    agent.performer.desk.project().store.db.mkdir(parents=True)
    return agent


@pytest.mark.parametrize("tool", ["timeline", "recall"])
def test_an_answer_says_how_many_events_it_does_not_know(tmp_path: Path, tool: str) -> None:
    result = late_agent(tmp_path, 12_345).performer.call_tool({"name": tool, "arguments": {}})

    assert "12,345 events are not taken in yet" in result["content"][0]["text"]
    assert result["_meta"] == {"agentx/behind": 12_345}


def test_an_answer_that_knows_everything_says_nothing_of_it(tmp_path: Path) -> None:
    result = late_agent(tmp_path, 0).performer.call_tool({"name": "timeline", "arguments": {}})

    assert "not taken in" not in result["content"][0]["text"]
    assert set(result) == {"content"}


def test_what_one_answer_did_not_know_is_not_said_of_the_next(tmp_path: Path) -> None:
    agent = late_agent(tmp_path, 3)

    assert agent.performer.desk.ask(lambda _project, _memory: 1, fresh=True) == 1
    assert agent.performer.desk.take_behind().events == 3
    assert agent.performer.desk.take_behind().events == 0
    with pytest.raises(NotFound):
        agent.performer.desk.ask(lambda _project, memory: memory.toc_node("toc:year:2026"))
    assert agent.performer.desk.take_behind().events == 0


def test_who_goes_on_decides_what_is_to_be_done() -> None:
    assert "ask again" in tell_behind(2, goes_on=True)
    assert "agentx sync" in tell_behind(1, goes_on=False)
    assert "questions, memories and runs may not all be taken in yet" in tell_behind(
        0, goes_on=True
    )
