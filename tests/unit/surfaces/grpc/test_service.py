"""Goal: the service keeps its word, seen from a client.

Method: the real server and the real client over a Unix socket, with a memory that
lies in a dictionary; and raw messages where another program would send them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from agentx.conversation.model import EventQuery
from agentx.daemon.remote import STOP
from agentx.kernel.capture import Draft
from agentx.kernel.errors import (
    AgentXError,
    CorruptRecord,
    DaemonUnavailable,
    InvalidValue,
    LimitError,
    NotFound,
    StaleVersion,
)
from agentx.kernel.limits import APPEND_BATCH_EVENTS_MAX, EVENT_TEXT_CHARS_MAX
from agentx.memory.remote import dial
from agentx.memory.wire._generated import memory_pb2 as pb2
from agentx.memory.wire.connection import connect_to
from agentx.memory.wire.errors import CODE_KEY, HINT_KEY
from agentx.memory.wire.messages import DRAFT
from tests.support.drafts import draft
from tests.support.grpc_stub import MemoryServiceStub
from tests.support.served import Served


@pytest.fixture
def stub(served: Served) -> Iterator[MemoryServiceStub]:
    with grpc.insecure_channel(served.address) as channel:
        yield MemoryServiceStub(channel)


def numbered(count: int, session: str = "s-1", text: str = "event") -> list[Draft]:
    return [
        draft(f"{text} {index}", at=index, source_id=f"{index}", session_id=session)
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


def test_an_append_of_nothing_makes_no_call(served: Served) -> None:
    assert served.remote.append([]).stored == ()
    assert served.memory.batches == []


def test_a_long_append_goes_in_batches_and_keeps_the_order(served: Served) -> None:
    count = 2 * APPEND_BATCH_EVENTS_MAX + 7

    receipt = served.remote.append(iter(numbered(count)))

    assert len(receipt.stored) == count
    assert served.memory.batches == [APPEND_BATCH_EVENTS_MAX, APPEND_BATCH_EVENTS_MAX, 7]
    assert all_texts(served, EventQuery(limit=900)) == [f"event {index}" for index in range(count)]


def test_texts_of_a_megabyte_are_split_over_batches_that_fit_a_message(served: Served) -> None:
    drafts = [draft("\u6f22" * EVENT_TEXT_CHARS_MAX, at=index) for index in range(6)]

    receipt = served.remote.append(drafts)

    assert len(receipt.stored) == 6
    assert len(served.memory.batches) == 3
    assert {len(event.text) for event in served.memory.kept.values()} == {EVENT_TEXT_CHARS_MAX}


def test_a_text_beyond_the_limit_is_cut_and_marked_by_the_client(served: Served) -> None:
    served.remote.append([draft("x" * (EVENT_TEXT_CHARS_MAX + 500))])

    (event,) = served.remote.events(EventQuery()).events
    assert len(event.text) <= EVENT_TEXT_CHARS_MAX
    assert "characters cut by agentx" in event.text


def test_appending_twice_stores_once(served: Served) -> None:
    served.remote.append(numbered(5))

    again = served.remote.append(numbered(6))

    assert (len(again.stored), again.duplicates) == (1, 5)


def test_a_source_that_fails_raises_its_own_error_and_leaves_no_stream_open(
    served: Served,
) -> None:
    def failing() -> Iterator[Draft]:
        yield from numbered(APPEND_BATCH_EVENTS_MAX + 1)
        raise OSError("the transcript is gone")

    with pytest.raises(OSError, match="the transcript is gone"):
        served.remote.append(failing())

    assert served.remote.status().log.events <= APPEND_BATCH_EVENTS_MAX


def test_each_acknowledgement_comes_after_its_batch_is_stored(
    served: Served, stub: MemoryServiceStub
) -> None:
    def batches() -> Iterator[pb2.IngestEventsRequest]:
        for sequence in (4, 9, 11):
            events = [DRAFT.write(item) for item in numbered(3, session=f"s-{sequence}")]
            yield pb2.IngestEventsRequest(sequence=sequence, events=events)

    seen = []
    for ack in stub.IngestEvents(batches(), timeout=60):
        assert set(ack.receipt.stored_event_ids) <= set(served.memory.kept)
        seen.append((ack.sequence, len(ack.receipt.stored_event_ids)))

    assert seen == [(4, 3), (9, 3), (11, 3)]


@pytest.mark.parametrize(
    ("second", "status", "sentence"),
    [
        (
            pb2.IngestEventsRequest(sequence=1, events=[]),
            grpc.StatusCode.INVALID_ARGUMENT,
            "batch 1 came after batch 1",
        ),
        (
            pb2.IngestEventsRequest(
                sequence=2, events=[pb2.Draft()] * (APPEND_BATCH_EVENTS_MAX + 1)
            ),
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "batch 2 has 1,001 events",
        ),
        (
            pb2.IngestEventsRequest(
                sequence=2,
                events=[DRAFT.write(draft("good")), pb2.Draft(harness="codex")],
            ),
            grpc.StatusCode.INVALID_ARGUMENT,
            "batch 2 events[1].session_id is missing",
        ),
    ],
)
def test_a_refused_batch_stores_nothing_and_what_came_before_stays(
    served: Served,
    stub: MemoryServiceStub,
    second: pb2.IngestEventsRequest,
    status: grpc.StatusCode,
    sentence: str,
) -> None:
    first = pb2.IngestEventsRequest(sequence=1, events=[DRAFT.write(item) for item in numbered(2)])

    acks = iter(stub.IngestEvents(iter((first, second)), timeout=60))
    assert next(acks).sequence == 1
    with pytest.raises(grpc.RpcError) as failure:
        next(acks)

    assert failure.value.code() is status
    assert sentence in str(failure.value.details())
    assert served.memory.batches == [2]


def test_one_event_is_stored_by_the_plain_call(served: Served, stub: MemoryServiceStub) -> None:
    request = pb2.IngestEventRequest(event=DRAFT.write(draft("one", source_id="a")))

    first = stub.IngestEvent(request, timeout=60)
    second = stub.IngestEvent(request, timeout=60)

    assert list(first.receipt.stored_event_ids) == list(served.memory.kept)
    assert second.receipt.duplicates == 1


def test_a_call_without_an_event_is_refused(served: Served, stub: MemoryServiceStub) -> None:
    with pytest.raises(grpc.RpcError) as failure:
        stub.IngestEvent(pb2.IngestEventRequest(), timeout=60)

    trailing = {item.key: item.value for item in failure.value.trailing_metadata()}
    assert failure.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert str(trailing[CODE_KEY]) == "invalid_value"
    assert trailing[HINT_KEY] == b"send the event to store"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidValue("x"), grpc.StatusCode.INVALID_ARGUMENT),
        (NotFound("x"), grpc.StatusCode.NOT_FOUND),
        (StaleVersion("x"), grpc.StatusCode.ABORTED),
        (CorruptRecord("x"), grpc.StatusCode.DATA_LOSS),
        (LimitError("x"), grpc.StatusCode.RESOURCE_EXHAUSTED),
        (DaemonUnavailable("x"), grpc.StatusCode.UNAVAILABLE),
    ],
)
def test_other_programs_see_the_status_of_its_kind(
    served: Served, stub: MemoryServiceStub, error: AgentXError, status: grpc.StatusCode
) -> None:
    def fail() -> None:
        raise error

    served.memory.before_append = fail
    request = pb2.IngestEventRequest(event=DRAFT.write(draft()))

    with pytest.raises(grpc.RpcError) as failure:
        stub.IngestEvent(request, timeout=60)
    assert failure.value.code() is status


def test_health_says_serving(served: Served) -> None:
    with grpc.insecure_channel(served.address) as channel:
        check = health_pb2_grpc.HealthStub(channel).Check
        for name in ("", "agentx.v1.MemoryService"):
            answer = check(health_pb2.HealthCheckRequest(service=name), timeout=60)
            assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_reflection_describes_the_service(served: Served) -> None:
    asked = reflection_pb2.ServerReflectionRequest(list_services="")
    with grpc.insecure_channel(served.address) as channel:
        info = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo
        (answer,) = info(iter((asked,)), timeout=60)

    names = {item.name for item in answer.list_services_response.service}
    assert {"agentx.v1.MemoryService", "grpc.health.v1.Health"} <= names


def test_four_clients_at_once_lose_nothing(served: Served) -> None:
    def streaming(name: str) -> int:
        with dial(served.address) as remote:
            return sum(
                len(remote.append(numbered(300, session=f"{name}-{turn}")).stored)
                for turn in range(3)
            )

    def unary(name: str) -> int:
        with grpc.insecure_channel(served.address) as channel:
            call = MemoryServiceStub(channel).IngestEvent
            return sum(
                len(
                    call(
                        pb2.IngestEventRequest(event=DRAFT.write(item)), timeout=60
                    ).receipt.stored_event_ids
                )
                for item in numbered(100, session=name)
            )

    work: list[tuple[Callable[[str], int], str]] = [
        (streaming, "a"),
        (streaming, "b"),
        (unary, "c"),
        (unary, "d"),
    ]
    with ThreadPoolExecutor(4) as pool:
        stored = list(pool.map(lambda item: item[0](item[1]), work))

    assert stored == [900, 900, 100, 100]
    assert served.remote.status().log.events == 2_000


def test_a_call_in_flight_is_finished_before_the_server_ends(served: Served) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slowly() -> None:
        begun.set()
        assert go_on.wait(60)

    served.memory.before_append = slowly
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(served.remote.append, [draft()])
        assert begun.wait(60)
        served.server.refuse_new_calls(5_000)
        with dial(served.address) as late, pytest.raises(DaemonUnavailable):
            late.status()
        go_on.set()

        assert len(answer.result(5).stored) == 1
        served.server.wait_until_ended()


def test_stop_asks_the_host_to_end(served: Served) -> None:
    with closing(connect_to(served.address)) as connection:
        assert connection.ask(STOP) == 77
    assert served.stops == ["stop"]


def test_an_open_stream_counts_as_activity(served: Served, stub: MemoryServiceStub) -> None:
    release = threading.Event()

    def batches() -> Iterator[pb2.IngestEventsRequest]:
        yield pb2.IngestEventsRequest(sequence=1)
        release.wait(60)

    acks = iter(stub.IngestEvents(batches(), timeout=60))
    next(acks)

    assert served.activity.idle_ms() == 0
    release.set()
    assert list(acks) == []
