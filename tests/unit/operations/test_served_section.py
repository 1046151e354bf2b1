"""Goal: a section that a daemon makes is the section that the command would have made.

Method: a real hatch in front of a real store, and commands' operations on both sides of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentx.daemon.activity import Activity
from agentx.daemon.servers import Host, Offer
from agentx.host.system import SystemClock
from agentx.kernel.errors import AgentXError, InvalidValue, NotFound
from agentx.memory.remote import RemoteMemory, dial
from agentx.operations.recall.recall import recall, recall_for
from agentx.operations.recall.section import RECALL, RecallReply, RecallRequest
from agentx.project.project import Project, open_project
from agentx.surfaces.hatch.server import HatchServer
from agentx.wiring.memory import open_store
from tests.support.remembering import sample_project

ASKED = RecallRequest(context="retries of webhooks", issue=31, agent="engineer", budget_tokens=900)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a project that remembers the sample, as a command opens it."""
    made = sample_project(tmp_path_factory.mktemp("sample"))
    return open_project(made.directory, made.environment)


@pytest.fixture
def served(sample: Project, short_path: Path) -> Iterator[tuple[RemoteMemory, list[RecallReply]]]:
    """Serve its memory; the sections that were made for others are noted."""
    made: list[RecallReply] = []

    def make(*given: Any, **named: Any) -> RecallReply:
        made.append(recall_for(sample.store, *given, **named))
        return made[-1]

    clock = SystemClock()
    host = Host(pid=1, started_ms=clock.now_ms(), clock=clock, end=lambda: None)
    with open_store(sample) as memory:
        offer = Offer(memory=memory, host=host, activity=Activity(), besides=((RECALL, make),))
        server = HatchServer(offer)
        address = server.listen(short_path / "hatch.sock")
        server.start()
        try:
            with dial("unix:/nowhere", hatch=address, project=sample.id) as remote:
                yield remote, made
        finally:
            server.refuse_new_calls(0)
            server.wait_until_ended()


def test_a_daemon_makes_the_section_that_is_made_without_one(
    sample: Project, served: tuple[RemoteMemory, list[RecallReply]]
) -> None:
    remote, made = served

    asked = recall(sample, remote, ASKED)

    assert made == [asked]
    assert asked == _without_daemon(sample, remote)


def test_whoever_asks_from_another_project_is_refused_and_makes_it_alone(
    sample: Project, served: tuple[RemoteMemory, list[RecallReply]], tmp_path: Path
) -> None:
    remote, made = served

    with pytest.raises(InvalidValue, match="another store"):
        remote.ask_hatch(RECALL, directory=str(tmp_path), variables={}, request=ASKED)
    elsewhere = replace(sample, directory=tmp_path)

    assert recall(elsewhere, remote, ASKED).lines
    assert made == []


def _without_daemon(sample: Project, memory: RemoteMemory) -> RecallReply:
    """Make it here, from what the daemon has."""

    class Older:
        """A memory behind a daemon that knows no sections."""

        def __getattr__(self, name: str) -> Any:
            if name == "ask_hatch":
                raise AttributeError(name)
            return getattr(memory, name)

    return recall(sample, Older(), ASKED)


@pytest.mark.parametrize("error", [InvalidValue("no call"), NotFound("no folder")])
def test_a_daemon_that_cannot_make_it_is_asked_for_what_it_has(
    sample: Project, error: AgentXError
) -> None:
    with open_store(sample) as memory:
        plain = recall(sample, memory, ASKED)

        class Older:
            """A memory behind a daemon that knows no sections."""

            def __getattr__(self, name: str) -> Any:
                return getattr(memory, name)

            def ask_hatch(self, *_given: object, **_named: object) -> RecallReply:
                raise error

        assert recall(sample, Older(), ASKED) == plain


def test_a_budget_that_cannot_be_is_refused_before_a_daemon_is_asked(
    sample: Project, served: tuple[RemoteMemory, list[RecallReply]]
) -> None:
    remote, made = served

    with pytest.raises(InvalidValue, match="budget"):
        recall(sample, remote, replace(ASKED, budget_tokens=0))
    assert made == []
