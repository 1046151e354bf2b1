"""Goal: projects that share a store have a memory each, and none writes what is another's; where
the folder of one is moved while it is open, nothing is written where it was.

Method: two projects in one unified store; one is opened, and asked for the other. A folder moves.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.conversation.model import EventQuery
from agentx.kernel.errors import UnavailableError
from agentx.memory.found import SearchRequest
from agentx.project.project import Project
from agentx.views.recall_tally import Note, SessionTold, count_recalls, recall_counts
from agentx.wiring.memory import open_store
from tests.support.desk import talk
from tests.support.notes import spool_note
from tests.support.remembering import project_in


def shared(root: Path, name: str) -> Project:
    """Return a project of a store that others use too."""
    own = project_in(root, name)
    return replace(own, store=replace(own.data.unified_store, shared_by=own.id))


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Project, Project]:
    return shared(tmp_path, "ferry"), shared(tmp_path, "shop")


def test_one_pass_brings_every_project_of_a_store_up_to_date(pair: tuple[Project, Project]) -> None:
    ferry, shop = pair
    asked = SearchRequest(query="heliotrope")
    with open_store(ferry) as memory:
        memory.of_project(shop.id).append(talk(words="heliotrope"))
        memory.catch_up()

        assert memory.search(asked).hits == ()
        assert memory.of_project(shop.id).search(asked).hits
        assert memory.of_project(shop.id).of_project(ferry.id) is memory


def test_a_sibling_writes_no_digest_and_forgets_in_its_own_tally(
    pair: tuple[Project, Project],
) -> None:
    ferry, shop = pair
    with open_store(ferry) as memory:
        memory.catch_up()
        before = sorted(ferry.store.digests.iterdir())
        sibling = memory.of_project(shop.id)
        sibling.append(talk(words="heliotrope"))
        told = sibling.events(EventQuery(limit=1)).events[0]
        for project in pair:
            fact = SessionTold(
                project=project.id,
                harness="codex",
                session_id="s",
                at_ms=told.timestamp_ms,
                doc_ids=(told.event_id,),
            )
            count_recalls(project.store.recall_counts(project.id), [Note(name="n", fact=fact)])
        sibling.catch_up()
        sibling.forget(event_id=told.event_id)

    assert sorted(ferry.store.digests.iterdir()) == before
    assert not any("heliotrope" in path.read_text("utf-8") for path in before)
    assert set(recall_counts(ferry.store.recall_counts(ferry.id))) == {told.event_id}
    assert not recall_counts(shop.store.recall_counts(shop.id))


def test_what_a_session_that_goes_on_no_longer_tells_is_no_longer_found(tmp_path: Path) -> None:
    asked = SearchRequest(query="lantern webhook sender", kinds=("grip",), limit=50)
    said = talk(words="lantern")
    with open_store(project_in(tmp_path, "ferry")) as memory:
        memory.append(said[:1])
        memory.catch_up()
        before = {hit.doc_id for hit in memory.search(asked).hits}
        memory.append(said[1:])
        memory.catch_up()
        after = {hit.doc_id for hit in memory.search(asked).hits}

        assert before - after, "nothing was taken out of the table of contents"
        for grip_id in after:
            assert memory.expand(grip_id, before=0, after=0).grip.grip_id == grip_id


@pytest.mark.parametrize("is_replaced", [False, True])
def test_where_the_folder_is_moved_nothing_is_taken_in_nor_written_where_it_was(
    tmp_path: Path, is_replaced: bool
) -> None:
    project = project_in(tmp_path)
    with open_store(project) as memory:
        memory.append(talk())
        spool_note(project, "01KJ0000000000000000000001", ("CLR-1-001",))
        project.root.rename(tmp_path / "moved")
        if is_replaced:
            project.root.mkdir()
        with suppress(UnavailableError):
            memory.settle()
        memory.drain()

        assert memory.status().spool_waiting == 1
        assert not list(tmp_path.glob("shop/*"))
