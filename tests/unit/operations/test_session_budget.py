"""Goal: a person sees how full a session's context was, and what compaction would leave of it.

Method: the bundled sample in a real store, and a session that fills a context.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentx.conversation.model import SessionQuery
from agentx.kernel.errors import NotFound
from agentx.memory.local import LocalMemory
from agentx.operations.memory.session import session_budget
from agentx.project.project import Project
from agentx.wiring.memory import open_store
from tests.support.drafts import draft
from tests.support.remembering import sample_project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return sample_project(tmp_path_factory.mktemp("sessions"))


@pytest.fixture
def memory(project: Project) -> Iterator[LocalMemory]:
    with open_store(project) as opened:
        yield opened


def test_a_session_is_measured_and_what_compaction_leaves_is_shorter(
    project: Project, memory: LocalMemory
) -> None:
    longest = max(memory.sessions(SessionQuery(limit=50)), key=lambda each: each.events)

    found = session_budget(project, memory, longest.session_id)

    assert 0 < found.compacted_tokens < found.original_tokens
    assert found.messages_kept < found.messages
    assert found.summary
    assert not found.needs_compaction
    assert f"{found.compacted_tokens:,} of {found.original_tokens:,} tokens" in found.report


def test_measuring_captures_nothing_again(project: Project, memory: LocalMemory) -> None:
    memory.catch_up()
    before = {path: path.read_bytes() for path in project.paths.observations.rglob("*.json*")}
    session = memory.sessions(SessionQuery(limit=1))[0]

    session_budget(project, memory, session.session_id)
    memory.catch_up()

    assert {
        path: path.read_bytes() for path in project.paths.observations.rglob("*.json*")
    } == before


def test_a_session_that_fills_its_context_needs_compaction(
    project: Project, memory: LocalMemory
) -> None:
    words = "the harbour office refuses the webhook because the key is old " * 1_000
    memory.append(draft(f"{number} {words}", session_id="full", at=number) for number in range(14))

    found = session_budget(project, memory, "full")

    assert found.needs_compaction
    assert found.level in ("compact", "critical")


def test_a_session_that_is_not_there_is_said_to_be_so(
    project: Project, memory: LocalMemory
) -> None:
    with pytest.raises(NotFound, match="no such session"):
        session_budget(project, memory, "nobody")
