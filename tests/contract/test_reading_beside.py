"""Goal: who reads the log or its table of contents waits for nobody who writes, and is told nothing
that was forgotten.

Method: over memory and over RocksDB, with a write that does not end before everything was read.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from agentx.conversation.model import EventQuery, SessionQuery
from agentx.host.kv.port import Batch
from agentx.kernel.clock import HOUR_MS
from agentx.kernel.errors import NotFound
from tests.support.contents import Shelf
from tests.support.desk import Desk, talk

WAIT_S = 120


def read_all(shelf: Shelf) -> tuple[list[str], list[str], list[str]]:
    """Return the sessions, the texts of the first one, and the ids of nodes."""
    sessions = shelf.log.sessions(SessionQuery())
    events = shelf.log.events(EventQuery(session_id="s-1")).events
    texts = [shelf.log.get(one.event_id).text for one in events]
    (year,) = shelf.contents.roots()
    nodes = [shelf.contents.node(year.node_id), *shelf.contents.browse(year.node_id).nodes]
    return [one.session_id for one in sessions], texts, [node.node_id for node in nodes]


@pytest.mark.parametrize("writes", ["append", "catch_up"])
def test_who_reads_waits_for_nobody_who_writes(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, writes: str
) -> None:
    shelf = desk.open()
    shelf.log.append(talk())
    shelf.contents.catch_up()
    more = talk("s-2", begin=HOUR_MS)
    if writes == "catch_up":
        shelf.log.append(more)
    before = read_all(shelf)
    write, begun, may_end = shelf.kv.write, Event(), Event()

    def wait(batch: Batch, *, sync: bool = True) -> None:
        begun.set()
        assert may_end.wait(WAIT_S)
        write(batch, sync=sync)

    monkeypatch.setattr(shelf.kv, "write", wait)
    work = shelf.contents.catch_up if writes == "catch_up" else lambda: shelf.log.append(more)
    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(work)
        try:
            assert begun.wait(WAIT_S)
            found = pool.submit(read_all, shelf).result(WAIT_S)
        finally:
            may_end.set()
        writing.result(WAIT_S)

    assert found == before
    assert len(found[1]) == len(talk())
    assert read_all(shelf)[0] == ["s-2", "s-1"]


def test_what_was_read_before_it_was_forgotten_is_read_no_more(desk: Desk) -> None:
    shelf = desk.open()
    shelf.log.append(talk())
    shelf.log.append(talk("s-2", begin=HOUR_MS))
    titles = [one.title for one in shelf.log.sessions(SessionQuery())]
    assert ["retries" in title for title in titles] == [True, True]
    first, *rest = shelf.log.events(EventQuery(session_id="s-1")).events

    shelf.log.forget_event(first.event_id)
    left = shelf.log.events(EventQuery(session_id="s-1")).events
    assert [one.event_id for one in left] == [one.event_id for one in rest]
    titles = [one.title for one in shelf.log.sessions(SessionQuery())]
    assert ["retries" in title for title in titles] == [True, False]
    shelf.log.forget_session("s-1")
    for one in (first, *rest):
        with pytest.raises(NotFound):
            shelf.log.get(one.event_id)
    assert [one.session_id for one in shelf.log.sessions(SessionQuery())] == ["s-2"]
