"""Goal: what sessions are told is counted once for each id, and never found as conversation.

Method: real drains of spooled notes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.capture.limits import DRAIN_BATCH_FILES_MAX
from agentx.conversation.model import EventQuery
from agentx.kernel.bus import Bus
from agentx.kernel.clock import Millis
from agentx.memory.found import KINDS, SearchRequest
from agentx.views.limits import RECALLED_DOCUMENTS_MAX, RECALLED_NOTES_MAX, TELLINGS_KEPT_MAX
from agentx.views.recall_tally import (
    Note,
    RecallTally,
    SessionTold,
    count_recalls,
    list_tellings,
    note_of,
    recall_counts,
)
from agentx.wiring.memory import open_store
from tests.support.desk import talk
from tests.support.notes import spool_note
from tests.support.remembering import project_in, remember


def note(name: str, *doc_ids: str, at_ms: int = 5) -> Note:
    fact = SessionTold(
        project="p", harness="codex", session_id="s", at_ms=Millis(at_ms), doc_ids=doc_ids
    )
    return Note(name=name, fact=fact)


def test_a_note_that_is_taken_again_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "store" / "recalled.json"

    first = count_recalls(path, [note("a", "x", "y"), note("b", "x", at_ms=9)])
    again = count_recalls(path, [note("b", "x"), note("c", "x")])

    assert [each.name for each in first] == ["a", "b"]
    assert [each.name for each in again] == ["c"]
    assert path.stat().st_mode & 0o077 == 0


def test_it_is_known_when_a_thing_was_told_the_last_times(tmp_path: Path) -> None:
    path = tmp_path / "recalled.json"
    said = {"digest": "prompt", "ids": ["x", 7, ""]}
    at_prompt = note_of(
        said, name="p", project="p", harness="codex", session_id="s", at_ms=Millis(7)
    )

    count_recalls(path, [note("a", "x"), at_prompt])
    count_recalls(path, [note(f"n-{n}", "y") for n in range(TELLINGS_KEPT_MAX - 1)])

    told = list_tellings(path)
    assert len(told) == TELLINGS_KEPT_MAX
    assert (told[0].moment, told[0].at_ms, told[0].ids) == ("prompt", 7, ("x",))
    assert told[1].moment == "start"


@pytest.mark.parametrize("said", [None, [], {"digest": 7}, {"digest": "\x1b[31m", "ids": 3}])
def test_a_note_that_says_anything_else_is_of_a_start(said: object) -> None:
    noted = note_of(said, name="n", project="p", harness="h", session_id="s", at_ms=Millis(1))

    assert noted.fact.moment == "start"
    assert noted.fact.doc_ids == ()


def test_a_damaged_view_begins_anew_and_both_bounds_hold(tmp_path: Path) -> None:
    path = tmp_path / "recalled.json"
    path.write_text("{ torn")
    many = tuple(f"d-{n}" for n in range(RECALLED_DOCUMENTS_MAX + 10))

    count_recalls(path, [note(f"n-{n}") for n in range(RECALLED_NOTES_MAX + 10)])
    count_recalls(path, [note("big", *many)])
    count_recalls(path, [note("last", "d-10")])

    assert path.read_text().count("n-") <= RECALLED_NOTES_MAX
    assert RECALLED_NOTES_MAX > DRAIN_BATCH_FILES_MAX
    assert path.read_text().count('":{"count"') == RECALLED_DOCUMENTS_MAX
    assert '"d-10":{"count":2' in path.read_text()


@pytest.mark.promise("recall.counted")
def test_what_a_session_was_told_is_counted_told_and_not_found(tmp_path: Path) -> None:
    project = remember(project_in(tmp_path), talk())
    path = project.store.recall_counts(project.id)
    heard: list[SessionTold] = []
    bus = Bus()
    bus.listen(SessionTold, heard.append)
    with open_store(project, bus) as memory:
        told = memory.events(EventQuery(limit=2)).events
        ids = tuple(event.event_id for event in told)
        spool_note(project, "1-1-a", ids)
        memory.drain()
        spool_note(project, "1-1-a", ids)  # as a drain that was killed would find it
        spool_note(project, "2-1-b", ids[:1])
        memory.drain()
        memory.catch_up()
        counted = {doc_id: seen.count for doc_id, seen in recall_counts(path).items()}
        asked = SearchRequest(query="recall injected digest told", kinds=KINDS)
        found = memory.search(asked).hits
        rebuilt = RecallTally(path, memory).rebuild()
        after = {doc_id: seen.count for doc_id, seen in recall_counts(path).items()}
        memory.forget(event_id=ids[0])
        left = set(recall_counts(path))

    assert counted == {ids[0]: 2, ids[1]: 1}
    assert [fact.doc_ids for fact in heard] == [ids, ids[:1]]
    assert {fact.session_id for fact in heard} == {"told"}
    assert not any("injected" in hit.snippet or hit.session_id == "told" for hit in found)
    assert (rebuilt, after) == (2, counted)
    assert left == {ids[1]}
    assert "memory-recalled" in project.store.log.read_text()
