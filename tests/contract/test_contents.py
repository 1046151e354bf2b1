"""Goal: the table of contents follows its log, whatever happens to the log and whenever.

Method: one suite over memory and over RocksDB, with a clock in the hands of the test. What a
view must be is what making it from nothing gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from agentx.conversation.limits import EXPAND_EVENTS_MAX, NODE_VERSIONS_MAX
from agentx.host.kv import keys
from agentx.host.kv.port import Family
from agentx.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.limits import TOC_PAGE_MAX
from tests.support.contents import Shelf, prove
from tests.support.desk import Desk, drop_outbox, talk
from tests.support.drafts import draft
from tests.support.time_and_chance import START_MS, CountingEntropy

# --- following the log ------------------------------------------------------------------------


def test_a_conversation_becomes_a_segment_a_day_a_week_a_month_and_a_year(desk: Desk) -> None:
    shelf = desk.open()
    shelf.log.append(talk())

    caught = shelf.contents.catch_up()

    assert (caught.events, caught.nodes) == (5, 5)
    (year,) = shelf.contents.roots()
    assert (year.node_id, year.event_count) == ("toc:year:2026", 5)
    path = [year]
    while path[-1].children:
        path += shelf.contents.browse(path[-1].node_id).nodes
    assert [str(node.level) for node in path] == ["year", "month", "week", "day", "segment"]
    assert any("decided" in bullet.text for bullet in path[-1].bullets)
    assert prove(shelf) > 0


def test_catching_up_again_changes_nothing(desk: Desk) -> None:
    shelf = desk.open()
    shelf.log.append(talk())
    shelf.contents.catch_up()
    before = shelf.contents.node("toc:year:2026")

    assert shelf.contents.catch_up().nodes == 0
    shelf = desk.open()
    assert shelf.contents.catch_up().events == 0
    assert shelf.contents.node("toc:year:2026") == before


def test_an_empty_log_has_an_empty_table(desk: Desk) -> None:
    shelf = desk.open()

    assert shelf.contents.catch_up().nodes == 0
    assert shelf.contents.roots() == ()
    assert shelf.contents.browse("").nodes == ()


def test_new_events_touch_their_own_ancestors_only(desk: Desk) -> None:
    desk.clock.advance(40 * DAY_MS)
    shelf = desk.open()
    shelf.log.append(talk("s-1") + talk("s-2", begin=30 * DAY_MS))
    shelf.contents.catch_up()
    (march, april) = shelf.contents.browse("toc:year:2026").nodes

    shelf.log.append(talk("s-3", begin=30 * DAY_MS + HOUR_MS, words="tracing"))
    caught = shelf.contents.catch_up()

    assert shelf.contents.node(march.node_id) == march
    assert shelf.contents.node(april.node_id).version == april.version + 1
    assert caught.nodes == 5  # a segment, its day, week, month and year
    assert shelf.view() == shelf.rebuilt()


def test_a_late_event_changes_the_segment_it_falls_into(desk: Desk) -> None:
    desk.clock.advance(DAY_MS)
    shelf = desk.open()
    shelf.log.append(talk("s-1") + talk("s-1", begin=2 * HOUR_MS, words="limits"))
    shelf.contents.catch_up()

    late = draft(
        "We decided to keep the ledger in Postgres.",
        kind="assistant_message",
        at=2 * HOUR_MS - 10 * MINUTE_MS,
        source_id="late",
    )
    shelf.log.append([late])
    shelf.contents.catch_up()

    first, second = shelf.levels()["segment"]
    assert (first.event_count, second.event_count) == (5, 6)
    assert second.start_ms == START_MS + 2 * HOUR_MS - 10 * MINUTE_MS
    assert any("ledger in Postgres" in bullet.text for bullet in second.bullets)
    assert shelf.view() == shelf.rebuilt()
    prove(shelf)


def test_a_late_event_joins_two_segments(desk: Desk) -> None:
    desk.clock.advance(DAY_MS)
    shelf = desk.open()
    shelf.log.append(talk("s-1") + talk("s-1", begin=50 * MINUTE_MS, words="limits"))
    shelf.contents.catch_up()
    assert len(shelf.levels()["segment"]) == 2

    shelf.log.append([draft("still here", at=25 * MINUTE_MS, source_id="bridge")])
    shelf.contents.catch_up()

    (joined,) = shelf.levels()["segment"]
    assert joined.event_count == 11
    assert shelf.view() == shelf.rebuilt()
    prove(shelf)


def test_sessions_of_two_agents_at_one_time_stay_apart(desk: Desk) -> None:
    shelf = desk.open()
    mine = talk("s-1")
    theirs = [replace(one, harness="codex") for one in talk("s-1", begin=30_000, words="locks")]
    shelf.log.append(sorted(mine + theirs, key=lambda one: one.timestamp_ms))
    shelf.contents.catch_up()

    assert [(one.harnesses, one.event_count) for one in shelf.levels()["segment"]] == [
        (("claude-code",), 5),
        (("codex",), 5),
    ]
    prove(shelf)


def test_a_session_longer_than_a_batch_is_made_in_parts_and_equals_one_made_live(
    desk: Desk,
) -> None:
    desk.clock.advance(5 * DAY_MS)
    shelf = desk.open()
    many = [
        draft(f"We decided that number {n} is {n * 7}.", at=n * 40_000, source_id=str(n))
        for n in range(1_200)
    ]
    shelf.log.append(many)
    seen: list[tuple[int, int]] = []

    assert shelf.contents.catch_up(lambda *told: seen.append(told)).events == 1_200

    assert len(seen) > 2
    assert seen[-1] == (1_200, 1_200)
    whole = shelf.view()
    live = desk.open(project="q")
    for start in range(0, 1_200, 171):
        live.log.append(many[start : start + 171])
        live.contents.catch_up()
    assert sorted(n.title for n in live.view().nodes.values()) == sorted(
        n.title for n in whole.nodes.values()
    )
    assert live.view() == live.rebuilt()


# --- versions and time ------------------------------------------------------------------------


def test_versions_are_appended_and_bounded(desk: Desk) -> None:
    shelf = desk.open()
    for n in range(NODE_VERSIONS_MAX + 5):
        shelf.log.append([draft(f"We decided on plan {n}.", at=n * 1_000, source_id=str(n))])
        shelf.contents.catch_up()

    year = shelf.contents.node("toc:year:2026")
    kept = list(shelf.kv.scan(Family.TOC_NODES, *keys.toc_node_range("p", "toc:year:2026")))
    assert year.version == NODE_VERSIONS_MAX + 5
    assert len(kept) == NODE_VERSIONS_MAX
    assert shelf.rebuilt().nodes["toc:year:2026"] == replace(year, version=0)


def test_a_node_is_provisional_until_its_time_is_over(desk: Desk) -> None:
    shelf = desk.open()
    shelf.log.append(talk())  # Monday, 2 March 2026, 10:00 to 10:04

    def provisional() -> list[str]:
        shelf.contents.catch_up()
        nodes = shelf.view().nodes.values()
        return sorted(str(node.level) for node in nodes if node.provisional)

    desk.clock.advance(-HOUR_MS + 10 * MINUTE_MS)
    assert provisional() == ["day", "month", "segment", "week", "year"]
    desk.clock.advance(25 * MINUTE_MS)  # half an hour of silence
    assert provisional() == ["day", "month", "week", "year"]
    desk.clock.advance(14 * HOUR_MS)  # after midnight
    assert provisional() == ["month", "week", "year"]
    desk.clock.advance(7 * DAY_MS)
    assert provisional() == ["month", "year"]
    desk.clock.advance(25 * DAY_MS)
    assert provisional() == ["year"]
    desk.clock.advance(300 * DAY_MS)
    assert provisional() == []
    assert shelf.view() == shelf.rebuilt()


def test_a_session_that_goes_on_makes_its_segment_provisional_again(desk: Desk) -> None:
    shelf = desk.open()
    shelf.log.append(talk())
    shelf.contents.catch_up()
    (closed,) = shelf.levels()["segment"]
    assert not closed.provisional

    shelf.log.append([draft("one more thing", at=33 * MINUTE_MS, source_id="more")])
    desk.clock.advance(-26 * MINUTE_MS)
    shelf.contents.catch_up()

    (open_again,) = shelf.levels()["segment"]
    assert (open_again.node_id, open_again.provisional) == (closed.node_id, True)
    assert shelf.view() == shelf.rebuilt()


def test_another_time_zone_puts_events_into_other_days(desk: Desk) -> None:
    desk.clock.advance(2 * DAY_MS)
    shelf = desk.open()
    shelf.log.append(talk(begin=13 * HOUR_MS + 58 * MINUTE_MS))  # 23:58 to 00:02
    shelf.contents.catch_up()
    assert [node.node_id for node in shelf.levels()["day"]] == [
        "toc:day:2026-03-02",
        "toc:day:2026-03-03",
    ]

    tokyo = desk.open(zone=ZoneInfo("Asia/Tokyo"))
    assert tokyo.contents.catch_up().events == 5

    assert [node.node_id for node in tokyo.levels()["day"]] == ["toc:day:2026-03-03"]
    assert tokyo.view() == tokyo.rebuilt()
    prove(tokyo)
    assert desk.open(zone=UTC).contents.catch_up().events == 5


# --- an outbox that is not what it was --------------------------------------------------------


def test_entries_that_the_outbox_dropped_unread_lose_nothing(desk: Desk) -> None:
    shelf = desk.open()
    shelf.log.append(talk("s-1"))
    shelf.contents.catch_up()
    shelf.log.append(talk("s-2", begin=HOUR_MS // 2, words="limits"))
    drop_outbox(shelf, before=9)
    shelf.log.append(talk("s-3", begin=HOUR_MS // 3, words="locks"))

    shelf.contents.catch_up()

    assert len(shelf.levels()["segment"]) == 3
    prove(shelf)


def test_entries_that_were_dropped_after_reading_cost_nothing(desk: Desk) -> None:
    shelf = desk.open()
    shelf.log.append(talk("s-1"))
    shelf.contents.catch_up()
    drop_outbox(shelf, before=4)
    shelf.log.append([draft("more", at=6 * MINUTE_MS, source_id="more")])

    assert shelf.contents.catch_up().events == 1


@pytest.mark.parametrize("later", [1, 5, 9])
def test_an_outbox_that_began_anew_is_noticed(desk: Desk, later: int) -> None:
    shelf = desk.open()
    shelf.log.append(talk("s-1"))
    shelf.contents.catch_up()
    drop_outbox(shelf, before=2**40)

    shelf = desk.open()  # it counts from one again
    shelf.log.append(
        [draft(f"more {n}", session_id="s-2", at=n, source_id=str(n)) for n in range(later)]
    )
    shelf.contents.catch_up()

    assert sum(node.event_count for node in shelf.levels()["segment"]) == 5 + later
    prove(shelf)


# --- projects ---------------------------------------------------------------------------------


def test_two_projects_in_one_store_stay_apart(desk: Desk) -> None:
    shelf = desk.open()
    other = Shelf(shelf.kv, desk.clock, CountingEntropy(), project="q")
    shelf.log.append(talk("s-1", words="retries"))
    shelf.contents.catch_up()
    other.log.append(talk("s-1", begin=1_000, words="lanterns"))
    shelf.contents.catch_up()
    other.contents.catch_up()

    assert "lanterns" not in str(shelf.view())
    assert "retries" not in str(other.view())
    mine, theirs = shelf.view(), other.view()
    (held, *_) = theirs.grips
    with pytest.raises(NotFound):
        shelf.contents.expand(held, before=0, after=0)

    other.log.forget_session("s-1")
    other.contents.catch_up()
    assert other.view().nodes == {}
    assert shelf.view() == mine
    shelf.contents.rebuild()
    assert (shelf.view(), other.view().nodes) == (mine, {})


# --- reading ----------------------------------------------------------------------------------


def test_a_grip_of_one_event_expands_to_that_event_and_its_neighbours(desk: Desk) -> None:
    shelf = desk.open()
    shelf.log.append(
        [
            draft(f"We decided that step {n} is next.", at=n * MINUTE_MS, source_id=str(n))
            for n in range(9)
        ]
    )
    shelf.log.append([draft("elsewhere", session_id="s-2", at=4 * MINUTE_MS, source_id="e")])
    shelf.contents.catch_up()
    texts = shelf.texts()
    held = next(iter(shelf.view().grips.values()))
    at = int(texts[held.event_id_start].split()[4])

    found = shelf.contents.expand(held.grip_id, before=2, after=1)

    steps = [
        [int(event.text.split()[4]) for event in events]
        for events in (found.events_before, found.excerpt_events, found.events_after)
    ]
    assert steps == [[n for n in (at - 2, at - 1) if n >= 0], [at], [at + 1] if at < 8 else []]
    none = shelf.contents.expand(held.grip_id, before=0, after=0)
    assert (none.events_before, len(none.excerpt_events), none.events_after) == ((), 1, ())


def test_pages_of_a_node_follow_one_another_even_if_the_last_one_seen_is_gone(desk: Desk) -> None:
    desk.clock.advance(DAY_MS)
    shelf = desk.open()
    shelf.log.append([one for n in range(7) for one in talk(f"s-{n}", begin=n * HOUR_MS)])
    shelf.contents.catch_up()
    day = "toc:day:2026-03-02"
    seen: list[str] = []
    cursor = ""
    while True:
        page = shelf.contents.browse(day, cursor=cursor, limit=3)
        seen += [node.node_id for node in page.nodes]
        cursor = page.next
        if not cursor:
            break
    assert seen == list(shelf.contents.node(day).children)
    assert len(seen) == 7

    cursor = shelf.contents.browse(day, limit=3).next
    shelf.log.forget_session("s-2")
    shelf.contents.catch_up()
    rest = shelf.contents.browse(day, cursor=cursor)
    assert [node.node_id for node in rest.nodes] == seen[3:]


def test_years_are_paged_too(desk: Desk) -> None:
    desk.clock.advance(800 * DAY_MS)
    shelf = desk.open()
    shelf.log.append([one for n in range(3) for one in talk(f"s-{n}", begin=n * 366 * DAY_MS)])
    shelf.contents.catch_up()

    first = shelf.contents.browse("", limit=2)
    assert [node.node_id for node in first.nodes] == ["toc:year:2026", "toc:year:2027"]
    rest = shelf.contents.browse("", cursor=first.next, limit=2)
    assert ([node.node_id for node in rest.nodes], rest.next) == (["toc:year:2028"], "")
    assert shelf.contents.roots()[0].node_id == "toc:year:2028"


@pytest.mark.parametrize(
    ("wrong", "ask"),
    [
        (InvalidValue, lambda c: c.node("nonsense")),
        (InvalidValue, lambda c: c.node("")),
        (InvalidValue, lambda c: c.node("toc:week:2026:W54")),
        (InvalidValue, lambda c: c.node("toc:day:2026-02-30")),
        (NotFound, lambda c: c.node("toc:day:2020-01-01")),
        (NotFound, lambda c: c.node("toc:segment:2026-03-02:01ARZ3NDEKTSV4RRFFQ69G5FAV")),
        (NotFound, lambda c: c.browse("toc:year:1999")),
        (InvalidValue, lambda c: c.browse("", cursor="nonsense")),
        (InvalidValue, lambda c: c.browse("", limit=0)),
        (InvalidValue, lambda c: c.browse("", limit=TOC_PAGE_MAX + 1)),
        (InvalidValue, lambda c: c.expand("nonsense", before=0, after=0)),
        (NotFound, lambda c: c.expand(f"grip:1772445600000:{'0' * 26}", before=0, after=0)),
        (InvalidValue, lambda c: c.expand("grip", before=-1, after=0)),
        (InvalidValue, lambda c: c.expand("grip", before=0, after=EXPAND_EVENTS_MAX + 1)),
    ],
)
def test_what_is_not_there_is_refused_in_words(
    desk: Desk, wrong: type[Exception], ask: Callable[[object], object]
) -> None:
    shelf = desk.open()
    shelf.log.append(talk())
    shelf.contents.catch_up()

    with pytest.raises(wrong):
        ask(shelf.contents)
