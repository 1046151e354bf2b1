"""Goal: the laws every fact store must pass, for the log, over every key-value store.

Method: one suite, run over memory and over RocksDB: append-then-read, replay, reopen, two
interleaved writers, forgetting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from agentx.conversation.model import EventQuery, SessionQuery
from agentx.conversation.service import Conversation, EventsAppended
from agentx.conversation.store import log as log_store
from agentx.conversation.store.log import LogStore
from agentx.host.kv.port import KeyValue
from agentx.host.kv.rocks import open_rocks
from agentx.kernel.bus import Bus
from agentx.kernel.capture import Channel
from agentx.kernel.clock import HOUR_MS
from agentx.kernel.errors import InvalidValue, NotFound
from tests.support.drafts import draft
from tests.support.memory_kv import MemoryStore
from tests.support.time_and_chance import START_MS, CountingEntropy, FakeClock

Open = Callable[[], Conversation]


class _Undying:
    """Keeps a memory store alive over `close`, as a disk would."""

    def __init__(self) -> None:
        self.kv = MemoryStore()
        self.kv.close = lambda: None  # type: ignore[method-assign]  # the disk outlives the process


@pytest.fixture(params=["memory", "rocks"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Return a function that opens the same log again, after closing it."""
    clock, entropy, bus = FakeClock(START_MS + HOUR_MS), CountingEntropy(), Bus()
    undying = _Undying()
    opened: list[Conversation] = []

    def kv() -> KeyValue:
        return undying.kv if request.param == "memory" else open_rocks(tmp_path / "db", clock)

    def again() -> Conversation:
        for old in opened:
            old.close()
        opened.clear()
        log = Conversation(LogStore(kv(), entropy=entropy), project="p", clock=clock, bus=bus)
        opened.append(log)
        return log

    yield again
    for old in opened:
        old.close()


def _texts(log: Conversation, **wanted: object) -> list[str]:
    return [event.text for event in log.events(EventQuery(**{"limit": 100, **wanted})).events]  # type: ignore[arg-type]  # a test's short form


@pytest.mark.promise("log.append-only")
def test_what_was_appended_is_read_back_whole(reopen: Open) -> None:
    log = reopen()
    text = (
        "emoji \U0001f469\u200d\U0001f680, \u65e5\u672c\u8a9e, \u05e2\u05d1\u05e8\u05d9\u05ea "
        + "x" * 1_000_000
    )
    receipt = log.append([draft(text[:900_000], agent="engineer", metadata={"deep": {"a": [1]}})])

    (event,) = reopen().events(EventQuery()).events
    assert (event.event_id,) == receipt.stored
    assert event.text == text[:900_000]
    assert event.metadata == {"deep": {"a": [1]}}
    assert (event.harness, event.agent, event.project) == ("claude-code", "engineer", "p")
    assert event.timestamp_ms == START_MS


@pytest.mark.promise("log.append-only")
def test_events_are_in_the_order_of_their_own_time_not_of_arrival(reopen: Open) -> None:
    log = reopen()
    log.append([draft("third", at=3_000)])
    log.append([draft("first", at=1_000), draft("second", at=2_000)])

    assert _texts(log) == ["first", "second", "third"]
    assert _texts(log, newest_first=True) == ["third", "second", "first"]


def test_events_of_one_millisecond_keep_the_order_in_which_they_came(reopen: Open) -> None:
    log = reopen()
    log.append([draft(f"n{n:02}", source_id=str(n), at=7) for n in range(50)])

    assert _texts(log) == [f"n{n:02}" for n in range(50)]


@pytest.mark.promise("log.identity")
def test_the_same_event_live_and_imported_is_stored_once(reopen: Open) -> None:
    log = reopen()
    live = draft("Bash: ls", kind="tool_call", source_id="toolu_1")
    imported = draft("Bash: ls", kind="tool_call", source_id="toolu_1", channel=Channel.TRANSCRIPT)

    log.append([live, live])
    receipt = reopen().append([imported])
    assert (receipt.stored, receipt.duplicates) == ((), 1)
    assert len(_texts(reopen())) == 1


def test_alike_events_without_ids_pair_up_across_channels(reopen: Open) -> None:
    log = reopen()
    log.append([draft("yes", delivery=f"h{n}", at=n * 60_000) for n in range(3)])
    imported = [
        draft("yes", delivery=f"t{n}", at=n * 60_000 + 40, channel=Channel.TRANSCRIPT)
        for n in range(4)
    ]

    receipt = reopen().append(imported)
    assert (len(receipt.stored), receipt.duplicates) == (1, 3)
    assert reopen().append(imported).stored == ()


def test_pages_follow_one_another_without_gap_or_overlap(reopen: Open) -> None:
    log = reopen()
    log.append([draft(f"n{n:03}", at=n, delivery=str(n)) for n in range(250)])

    for newest_first in (False, True):
        seen: list[str] = []
        cursor = ""
        while True:
            page = log.events(EventQuery(limit=37, cursor=cursor, newest_first=newest_first))
            seen += [event.text for event in page.events]
            cursor = page.next
            if not cursor:
                break
        assert seen == sorted(seen, reverse=newest_first)
        assert len(set(seen)) == 250


def test_filters_narrow_what_is_returned(reopen: Open) -> None:
    log = reopen()
    log.append(
        [
            draft("a", session_id="s-1", at=1_000),
            draft("b", session_id="s-2", harness="codex", agent="architect", at=2_000),
            draft("c", session_id="s-2", harness="codex", kind="note", at=3_000),
        ]
    )

    assert _texts(log, session_id="s-2") == ["b", "c"]
    assert _texts(log, harness="claude-code") == ["a"]
    assert _texts(log, agent="architect") == ["b"]
    assert _texts(log, event_type="note") == ["c"]
    assert _texts(log, role="user") == ["a", "b"]
    assert _texts(log, since_ms=START_MS + 2_000, until_ms=START_MS + 3_000) == ["b"]


def test_a_session_is_found_by_the_beginning_of_its_id(reopen: Open) -> None:
    log = reopen()
    log.append([draft("a", session_id="abcd-1"), draft("b", session_id="abce-1")])

    assert _texts(log, session_id="abcd") == ["a"]
    with pytest.raises(InvalidValue, match="begin like that"):
        log.events(EventQuery(session_id="abc"))
    with pytest.raises(NotFound):
        log.events(EventQuery(session_id="zz"))


@pytest.mark.parametrize(
    "query",
    [
        EventQuery(limit=0),
        EventQuery(limit=1_000_000),
        EventQuery(cursor="nonsense"),
        EventQuery(cursor="0" * 25),
        EventQuery(event_type="message"),
        EventQuery(role="robot"),
    ],
)
def test_a_query_that_cannot_be_is_refused(reopen: Open, query: EventQuery) -> None:
    with pytest.raises(InvalidValue):
        reopen().events(query)


def test_sessions_say_who_worked_on_what(reopen: Open) -> None:
    log = reopen()
    log.append(
        [
            draft("", kind="session_start", source_id="startup"),
            draft("Fix the  login\nbug", at=5, metadata={"cwd": "/w", "git_branch": "fix/7"}),
            draft("", kind="session_end", at=9, source_id="end"),
            draft("later", session_id="s-2", at=HOUR_MS),
        ]
    )

    newest, oldest = reopen().sessions(SessionQuery())
    assert (newest.session_id, newest.ended) == ("s-2", False)
    assert (oldest.title, oldest.branch, oldest.working_directory) == (
        "Fix the login bug",
        "fix/7",
        "/w",
    )
    assert (oldest.events, oldest.prompts, oldest.ended) == (3, 1, True)
    assert oldest.first_ms == START_MS
    assert oldest.last_ms == START_MS + 9


def test_the_status_counts_what_there_is(reopen: Open) -> None:
    log = reopen()
    log.append([draft("a"), draft("b", harness="codex", kind="note"), draft("c", session_id="s-3")])

    status = log.status()
    assert (status.events, status.sessions) == (3, 3)
    assert status.by_harness == {"claude-code": 2, "codex": 1}
    assert status.by_type == {"user_message": 2, "note": 1}
    assert status.bytes_on_disk > 0


def test_two_projects_in_one_store_do_not_see_each_other(reopen: Open) -> None:
    log = reopen()
    other = log.of_project("q")
    log.append([draft("mine")])
    other.append([draft("theirs")])

    assert _texts(log) == ["mine"]
    assert _texts(other) == ["theirs"]
    assert log.status().events == 1


def test_a_forgotten_event_stays_away_after_reopening_and_reimporting(reopen: Open) -> None:
    log = reopen()
    (kept, gone) = log.append(
        [draft("keep", source_id="1"), draft("oops", source_id="2", at=1)]
    ).stored

    assert log.forget_event(gone).events == 1
    again = reopen()
    assert again.append([draft("oops", source_id="2", at=1)]).duplicates == 1
    assert _texts(again) == ["keep"]
    assert again.get(kept).text == "keep"
    with pytest.raises(NotFound):
        again.get(gone)
    assert again.status().forgotten == 1


@pytest.mark.promise("log.forget")
def test_a_forgotten_session_stays_away_and_its_title_too(reopen: Open) -> None:
    log = reopen()
    log.append([draft("secret plan", source_id="1"), draft("other", session_id="s-2")])

    gone = log.forget_session("s-1")
    again = reopen()
    receipt = again.append(
        [draft("secret plan", source_id="1"), draft("more", source_id="9", at=2)]
    )
    assert (gone.events, gone.sessions) == (1, 1)
    assert receipt.forgotten == 2
    assert _texts(again) == ["other"]
    assert [session.session_id for session in again.sessions(SessionQuery())] == ["s-2"]


def test_a_session_goes_on_after_it_was_forgotten(reopen: Open) -> None:
    log = reopen()
    log.append([draft("before")])
    log.forget_session("s-1")
    log.append([draft("after", at=2 * HOUR_MS)])

    assert _texts(reopen()) == ["after"]


def test_the_bus_hears_of_new_events_after_they_are_stored(reopen: Open) -> None:
    log = reopen()
    heard: list[int] = []
    log._bus.listen(EventsAppended, lambda fact: heard.append(len(_texts(log))))
    log.append([draft("a"), draft("b", at=1)])
    log.append([draft("a")])

    assert heard == [2]


@pytest.mark.parametrize("most", [5, 40, 2_000])
def test_the_newest_sessions_are_the_same_however_they_are_found(
    reopen: Open, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(log_store, "_NEWEST_ROWS", most)
    log, chance = reopen(), Random(most)
    for number in range(120):
        name = f"s-{chance.randrange(25)}"
        at, harness = chance.randrange(60), chance.choice(["codex", "gemini"])
        log.append([draft(f"n{number}", session_id=name, harness=harness, at=at)])
    log.forget_session("s-3")
    newest = log.events(EventQuery(newest_first=True, limit=20)).events
    log.forget_events([event.event_id for event in newest[::3]])

    every = log.sessions(SessionQuery(limit=1_000))
    assert len(every) > 20
    for limit in (1, 3, 20, 60):
        assert log.sessions(SessionQuery(limit=limit)) == every[:limit]
        of_one = tuple(each for each in every if each.harness == "codex")
        assert log.sessions(SessionQuery(limit=limit, harness="codex")) == of_one[:limit]
        since = every[len(every) // 2].last_ms
        lately = tuple(each for each in every if each.last_ms >= since)
        assert log.sessions(SessionQuery(limit=limit, since_ms=since)) == lately[:limit]
    assert log.sessions(SessionQuery(limit=0)) == ()
