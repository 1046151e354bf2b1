"""Goal: a view made from nothing answers as the one before it did.

Method: a small project with a talk and two observations; each view is made anew, or found
damaged, and asked the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.conversation.model import EventQuery
from agentx.kernel.errors import InvalidValue
from agentx.memory.found import SearchHit, SearchRequest
from agentx.memory.local import LocalMemory
from agentx.operations.upkeep.rebuild import VIEWS, rebuild
from agentx.project.project import Project
from agentx.wiring.memory import open_store
from agentx.wiring.observations import open_observations
from tests.support.drafts import draft
from tests.support.observations import observation
from tests.support.remembering import project_in, remember

SAID = (
    "where do we keep the sessions of the ferry?",
    "sessions of the ferry are kept in redis, because it was there",
    "the timetable is printed on Fridays",
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = project_in(tmp_path)
    return remember(
        project, [draft(text, at=at, source_id=str(at)) for at, text in enumerate(SAID)]
    )


@pytest.fixture
def memory(project: Project) -> Iterator[LocalMemory]:
    with open_store(project) as memory:
        yield memory


def hits(memory: LocalMemory, **asked: object) -> tuple[SearchHit, ...]:
    wanted = SearchRequest(query="sessions of the ferry in redis")
    return memory.search(replace(wanted, **asked)).hits  # type: ignore[arg-type]  # by name


def learn(project: Project, memory: LocalMemory) -> tuple[str, str]:
    """Keep what was decided, and what replaced it; return both ids."""
    said = memory.events(EventQuery(limit=2)).events[1]
    now_ms = project.clock.now_ms()
    old = observation(
        "Sessions of the ferry are kept in redis, all sessions, only in redis.",
        at_ms=now_ms - 1,
        event_ids=(said.event_id,),
    )
    new = observation("Sessions of the ferry went from redis to postgres.", at_ms=now_ms)
    with closing(open_observations(project)) as room:
        room.store.store([old, new])
        room.store.amend([replace(old, superseded_by=new.id)])
    memory.catch_up()
    return old.id, new.id


def test_every_view_is_made_anew_and_answers_the_same(
    project: Project, memory: LocalMemory
) -> None:
    learn(project, memory)
    before = hits(memory)
    roots = [node.title for node in memory.toc_roots()]
    made = {view: rebuild(project, memory, view).count for view in VIEWS}
    memory.catch_up()
    assert [hit.doc_id for hit in hits(memory)] == [hit.doc_id for hit in before]
    assert [node.title for node in memory.toc_roots()] == roots
    assert made["search"] == memory.index_report().text.passages
    with closing(open_observations(project)) as room:
        assert made["observations"] == len(room.store.get_by_issue(0) + room.store.get_by_issue(29))
    assert made["toc"] > 0
    assert made["digests"] > 0


def test_what_is_no_view_is_refused(project: Project, memory: LocalMemory) -> None:
    with pytest.raises(InvalidValue, match="no view"):
        rebuild(project, memory, "log")
    with pytest.raises(InvalidValue, match="none of search"):
        memory.rebuild_index("toc")


@pytest.mark.promise("recall.superseded")
def test_what_was_learnt_stands_with_what_was_said_and_below_what_replaced_it(
    project: Project, memory: LocalMemory
) -> None:
    old, new = learn(project, memory)
    found = hits(memory)
    assert old not in [hit.doc_id for hit in found], "it takes no place of its own"
    assert [hit.snippet for hit in found if old in hit.also] == [SAID[1]]
    learnt = [hit.doc_id for hit in hits(memory, kinds=("observation",))]
    only = [each for each in learnt if each in (old, new)]
    assert only == [new, old], "though the old one has more of the words"
