"""Goal: what was forgotten is in no line, no older version, no grip and no file.

Method: something is said that rises to the year and is then forgotten, by event and by session,
with crashes and lost notices in between. Rows are searched, and every file with its compressed
blocks opened.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.host.kv.port import Family
from agentx.kernel.clock import DAY_MS, MINUTE_MS
from agentx.kernel.errors import NotFound
from tests.support.contents import Shelf, prove
from tests.support.desk import Desk, drop_outbox, everywhere, talk
from tests.support.drafts import draft
from tests.support.on_disk import on_disk


def with_a_slip(shelf: Shelf) -> str:
    """Say something that will be regretted, and let it rise to the top; return its id."""
    shelf.log.append(talk("s-1"))
    slip = draft(
        "We decided to move the wombatine ledger to Postgres because SQLite locks.",
        kind="assistant_message",
        at=6 * MINUTE_MS,
        source_id="slip",
    )
    (slipped,) = shelf.log.append([slip]).stored
    shelf.contents.catch_up()
    for n in range(3):
        shelf.log.append([draft(f"go on {n}", at=(7 + n) * MINUTE_MS, source_id=f"on{n}")])
        shelf.contents.catch_up()
    assert "wombatine" in str(shelf.contents.node("toc:year:2026"))
    return slipped


def test_a_forgotten_event_leaves_no_trace(desk: Desk) -> None:
    shelf = desk.open()
    slipped = with_a_slip(shelf)
    assert set(everywhere(shelf.kv, "wombatine")) == {Family.TOC_NODES, Family.GRIPS}

    shelf.log.forget_event(slipped)
    shelf.contents.catch_up()

    assert everywhere(shelf.kv, "wombatine") == []
    assert prove(shelf) > 0
    assert shelf.view() == shelf.rebuilt()


def test_a_forgotten_event_is_in_no_file(tmp_path: Path) -> None:
    desk = Desk("rocks", tmp_path / "db")
    slipped = with_a_slip(desk.open())
    for family in (Family.TOC_NODES, Family.GRIPS):
        desk.open().kv.erase(family)
    desk.close()
    assert on_disk(desk.folder, "wombatine"), "the check can fail: it is there before"

    shelf = desk.open()
    shelf.log.forget_event(slipped)
    shelf.contents.catch_up()
    desk.close()

    assert on_disk(desk.folder, "wombatine") == []


def test_what_was_forgotten_before_a_crash_leaves_no_trace_after_it(tmp_path: Path) -> None:
    desk = Desk("rocks", tmp_path / "db")
    shelf = desk.open()
    slipped = with_a_slip(shelf)
    shelf.log.forget_event(slipped)

    shelf = desk.open()  # the process died before it had told the view
    shelf.contents.catch_up()
    desk.close()

    assert on_disk(desk.folder, "wombatine") == []


def test_what_was_forgotten_unseen_leaves_no_trace_of_a_view_begun_again(tmp_path: Path) -> None:
    desk = Desk("rocks", tmp_path / "db")
    shelf = desk.open()
    slipped = with_a_slip(shelf)
    shelf.log.forget_event(slipped)
    drop_outbox(shelf, before=2**40)
    shelf.log.append(talk("s-9", begin=20 * MINUTE_MS))
    desk.open().contents.catch_up()
    desk.close()

    assert on_disk(desk.folder, "wombatine") == []


def test_a_forgotten_session_leaves_its_days_empty(desk: Desk) -> None:
    desk.clock.advance(60 * DAY_MS)
    shelf = desk.open()
    shelf.log.append(talk("s-1", words="wombatine") + talk("s-2", begin=45 * DAY_MS))
    shelf.contents.catch_up()

    shelf.log.forget_session("s-1")
    shelf.contents.catch_up()

    assert [node.sessions for node in shelf.levels()["segment"]] == [("s-2",)]
    assert [len(nodes) for nodes in shelf.levels().values()] == [1, 1, 1, 1, 1]
    assert everywhere(shelf.kv, "wombatine") == []
    assert shelf.view() == shelf.rebuilt()


def test_when_everything_is_forgotten_nothing_is_left(desk: Desk) -> None:
    shelf = desk.open()
    shelf.log.append(talk())
    shelf.contents.catch_up()

    shelf.log.forget_session("s-1")
    shelf.contents.catch_up()

    assert shelf.view().nodes == {}
    assert shelf.view().grips == {}
    assert shelf.contents.roots() == ()


def test_a_grip_whose_words_were_forgotten_is_gone(desk: Desk) -> None:
    shelf = desk.open()
    slipped = with_a_slip(shelf)
    (held,) = (g for g in shelf.view().grips.values() if g.event_id_start == slipped)

    shelf.log.forget_event(slipped)

    with pytest.raises(NotFound, match="forgotten"):
        shelf.contents.expand(held.grip_id, before=1, after=1)
    shelf.contents.catch_up()
    with pytest.raises(NotFound, match="no such grip"):
        shelf.contents.expand(held.grip_id, before=1, after=1)
