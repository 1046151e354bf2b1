"""Goal: a memory that a daemon serves is the same memory, by whichever way it is asked.

Method: the real servers and the real client over Unix sockets, with a memory that lies in a
dictionary; each test runs over gRPC and through the hatch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.conversation.limits import EVENTS_PAGE_MAX
from agentx.conversation.model import EventQuery, SessionQuery
from agentx.kernel.capture import Draft, EventType, Role
from agentx.kernel.errors import (
    AgentXError,
    CorruptRecord,
    DaemonUnavailable,
    InvalidValue,
    NotFound,
    UnavailableError,
)
from agentx.memory.found import SearchReply, SearchRequest
from agentx.memory.port import MemoryStatus
from agentx.memory.remote import dial
from agentx.surfaces.grpc import service
from agentx.surfaces.hatch import server
from tests.support.drafts import draft
from tests.support.served import Served, serve


@pytest.fixture(params=["grpc", "hatch"])
def served(short_path: Path, request: pytest.FixtureRequest) -> Iterator[Served]:
    with serve(short_path, through_hatch=request.param == "hatch") as made:
        yield made


def numbered(count: int, session: str = "s-1") -> list[Draft]:
    return [
        draft(f"event {index}", at=index, source_id=f"{index}", session_id=session)
        for index in range(count)
    ]


def all_texts(served: Served, query: EventQuery) -> list[str]:
    texts: list[str] = []
    while True:
        page = served.remote.events(query)
        texts += [event.text for event in page.events]
        if not page.next:
            return texts
        query = replace(query, cursor=page.next)


def test_a_page_too_large_for_an_answer_comes_shorter_with_a_cursor(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.remote.append([draft("x" * 1000 * (index % 3 + 1), at=index) for index in range(40)])
    monkeypatch.setattr(service, "_PAGE_BYTES_MAX", 10_000)
    monkeypatch.setattr(server, "_PAGE_BYTES_MAX", 10_000)

    page = served.remote.events(EventQuery(limit=40))

    assert 0 < len(page.events) < 40
    assert page.next
    assert len(all_texts(served, EventQuery(limit=40))) == 40


@pytest.mark.parametrize("mode", ["auto", "bm25", "vector", "hybrid"])
def test_every_mode_of_searching_reaches_the_memory(served: Served, mode: str) -> None:
    asked: list[SearchRequest] = []

    def note(request: SearchRequest) -> SearchReply:
        asked.append(request)
        return SearchReply(hits=())

    served.memory.search = note  # type: ignore[method-assign]  # a note of what arrives
    request = SearchRequest(query="\u6f22 why?", kinds=("event",), mode=mode, limit=3)

    assert served.remote.search(request).hits == ()
    assert asked == [request]


def test_what_is_appended_can_be_read_back(served: Served) -> None:
    receipt = served.remote.append(
        [
            draft(
                "\U0001f469\u200d\U0001f4bb \u6f22\u5b57",
                metadata={"tool": {"name": "x", "n": [1, None]}},
            )
        ]
    )

    (event,) = served.remote.events(EventQuery()).events
    assert served.remote.event(event.event_id) == event
    assert receipt.stored == (event.event_id,)
    assert event == served.memory.kept[event.event_id]
    assert event.metadata == {"tool": {"name": "x", "n": [1, None]}}


def test_every_filter_reaches_the_memory(served: Served) -> None:
    served.remote.append(
        [
            draft("a", at=0, session_id="one", agent="engineer"),
            draft("b", at=10, session_id="two", harness="codex"),
            draft("c", at=20, session_id="two", kind=EventType.TOOL_CALL),
        ]
    )
    start = served.clock.now_ms()

    def found(**filters: object) -> list[str]:
        return all_texts(served, EventQuery(**filters))  # type: ignore[arg-type]  # names below

    assert found(session_id="two") == ["b", "c"]
    assert found(harness="codex") == ["b"]
    assert found(agent="engineer") == ["a"]
    assert found(role=Role.ASSISTANT) == ["c"]
    assert found(event_type=EventType.TOOL_CALL) == ["c"]
    assert found(since_ms=start + 10) == ["b", "c"]
    assert found(until_ms=start + 10) == ["a"]
    assert found(newest_first=True, limit=2) == ["c", "b", "a"]


@pytest.mark.parametrize("limit", [0, -1, EVENTS_PAGE_MAX + 1, 1 << 40])
def test_a_limit_that_cannot_be_is_refused_by_the_memory(served: Served, limit: int) -> None:
    with pytest.raises(InvalidValue, match="cannot be"):
        served.remote.events(EventQuery(limit=limit))


def test_sessions_and_status_are_told(served: Served) -> None:
    served.remote.append([*numbered(2, "s-1"), *numbered(3, "s-2")])
    served.clock.advance(1_500)

    found = served.remote.sessions(SessionQuery(limit=1))
    status: MemoryStatus = served.remote.status()

    assert [session.events for session in found] == [3]
    assert status.log.events == 5
    assert (status.served_by, status.daemon_pid, status.daemon_uptime_ms) == ("daemon", 77, 1_500)


def test_drain_and_forget_reach_the_memory(served: Served) -> None:
    served.memory.spooled = numbered(3)

    assert served.remote.drain().stored == 3
    assert served.remote.forget(session_id="s-1").events == 3
    with pytest.raises(NotFound, match="nothing has that id"):
        served.remote.event("01ARZ3NDEKTSV4RRFFQ69G5FAV")
    with pytest.raises(NotFound, match="nothing has that id"):
        served.remote.forget(event_id="01ARZ3NDEKTSV4RRFFQ69G5FAV")


def test_forgetting_must_name_one_thing(served: Served) -> None:
    with pytest.raises(InvalidValue, match="nothing to forget"):
        served.remote.forget()
    with pytest.raises(InvalidValue, match="an event and a session"):
        served.remote.forget(event_id="a", session_id="b")


def every_error() -> list[type[AgentXError]]:
    found, waiting = [], [AgentXError]
    while waiting:
        kind = waiting.pop()
        waiting.extend(kind.__subclasses__())
        if "code" in vars(kind):
            found.append(kind)
    return found


@pytest.mark.parametrize("kind", every_error(), ids=lambda kind: kind.code)
def test_the_client_raises_the_error_that_the_daemon_raised(
    served: Served, kind: type[AgentXError]
) -> None:
    def fail() -> None:
        raise kind("\u6f22\u5b57 is wrong\nhere %41", hint="try \U0001f600")

    served.memory.drain = fail  # type: ignore[method-assign, assignment]  # to fail

    with pytest.raises(kind) as failure:
        served.remote.drain()
    assert type(failure.value) is kind
    assert failure.value.message == "\u6f22\u5b57 is wrong\nhere %41"
    assert failure.value.hint == "try \U0001f600"


def test_an_error_with_a_very_long_sentence_still_arrives(served: Served) -> None:
    def fail() -> None:
        raise CorruptRecord("\u6f22" * 100_000, hint="y" * 100_000)

    served.memory.drain = fail  # type: ignore[method-assign, assignment]  # to fail

    with pytest.raises(CorruptRecord, match="characters cut"):
        served.remote.drain()


def test_a_failure_nobody_foresaw_is_told_and_the_service_goes_on(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise OSError(28, "No space left on device")

    drain, served.memory.drain = served.memory.drain, fail  # type: ignore[method-assign, assignment]  # to fail
    with pytest.raises(UnavailableError, match="No space left on device"):
        served.remote.drain()
    served.memory.drain = drain  # type: ignore[method-assign]  # and not to fail

    assert len(served.remote.append([draft()]).stored) == 1
    assert served.remote.drain().files == 0
    assert "a call failed" in caplog.text


@pytest.mark.parametrize("hatch", ["", "/nowhere/hatch.sock"])
def test_a_memory_that_is_not_there_is_unavailable_with_a_hint(
    short_path: Path, hatch: str
) -> None:
    with dial(f"unix:{short_path}/nobody.sock", hatch=hatch) as remote:
        with pytest.raises(DaemonUnavailable) as failure:
            remote.append([draft()])
        with pytest.raises(DaemonUnavailable):
            remote.status()

    assert "agentx daemon stop" in failure.value.hint


def test_an_index_is_rebuilt_over_there_and_one_that_is_none_is_refused(served: Served) -> None:
    told: list[tuple[int, int]] = []
    assert served.remote.rebuild_index("search", lambda done, all_: told.append((done, all_))) == 0
    assert told == [(1, 1)]
    with pytest.raises(InvalidValue, match="none of search"):
        served.remote.rebuild_index("toc")
