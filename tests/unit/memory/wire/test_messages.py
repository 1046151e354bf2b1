"""Goal: what goes through the wire comes out equal, and what is wrong is named.

Method: Hypothesis makes every value of the log, which is written, serialised as
gRPC does, parsed and read again; then messages as another program might send them.
"""

from __future__ import annotations

import json
import math
from typing import Any, TypeVar

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from agentx.conversation.limits import EVENTS_PAGE_MAX
from agentx.conversation.model import (
    Event,
    EventPage,
    EventQuery,
    Forgotten,
    LogStatus,
    Receipt,
    Session,
    SessionQuery,
)
from agentx.kernel.capture import Channel, Draft, EventType, Role
from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue, LimitError
from agentx.kernel.ids import EventId
from agentx.kernel.limits import EVENT_TEXT_CHARS_MAX, METADATA_DEPTH_MAX
from agentx.memory.port import Drained, MemoryStatus
from agentx.memory.wire import messages, status_messages
from agentx.memory.wire._generated import memory_pb2 as pb2
from tests.support.drafts import draft

Wire = TypeVar("Wire", bound=Message)

characters = st.characters(codec="utf-8")
texts = st.text(characters, max_size=60)
words = st.text(characters, min_size=1, max_size=20)
times = st.integers(1, 1 << 47).map(Millis)
counts = st.integers(0, 1 << 40)
limits = st.integers(1, EVENTS_PAGE_MAX)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False).filter(math.isfinite)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
metadata = st.dictionaries(texts, json_values, max_size=4)

drafts = st.builds(
    Draft,
    harness=words,
    session_id=words,
    event_type=st.sampled_from(EventType),
    timestamp_ms=times,
    role=st.sampled_from(Role),
    text=texts,
    channel=st.sampled_from(Channel),
    agent=texts,
    source_id=texts,
    fingerprint=texts,
    delivery=texts,
    metadata=metadata,
)
events = st.builds(
    Event,
    event_id=words.map(EventId),
    session_id=texts,
    timestamp_ms=times,
    event_type=st.sampled_from(EventType),
    role=st.sampled_from(Role),
    text=texts,
    harness=texts,
    agent=texts,
    project=texts,
    metadata=metadata,
)
event_queries = st.builds(
    EventQuery,
    session_id=texts,
    harness=texts,
    agent=texts,
    role=texts,
    event_type=texts,
    since_ms=st.none() | times | st.just(Millis(0)),
    until_ms=st.none() | times | st.just(Millis(0)),
    limit=limits,
    cursor=texts,
    newest_first=st.booleans(),
)
session_queries = st.builds(
    SessionQuery,
    harness=texts,
    agent=texts,
    since_ms=st.none() | times,
    until_ms=st.none() | times,
    limit=limits,
)
sessions = st.builds(
    Session,
    session_id=texts,
    harness=texts,
    agent=texts,
    project=texts,
    first_ms=times,
    last_ms=times,
    events=counts,
    prompts=counts,
    ended=st.booleans(),
    title=texts,
    working_directory=texts,
    branch=texts,
)
statuses = st.builds(
    MemoryStatus,
    log=st.builds(
        LogStatus,
        events=counts,
        sessions=counts,
        forgotten=counts,
        first_ms=st.none() | times,
        last_ms=st.none() | times,
        by_harness=st.dictionaries(texts, counts, max_size=3),
        by_type=st.dictionaries(texts, counts, max_size=3),
        bytes_on_disk=counts,
    ),
    spool_waiting=counts,
    spool_refused=counts,
    served_by=texts,
    daemon_pid=counts,
    daemon_uptime_ms=counts,
)


def sent(message: Wire) -> Wire:
    """Return the message as the other end of a connection has it."""
    return type(message).FromString(message.SerializeToString())


@given(drafts)
def test_a_draft_arrives_as_it_was_sent(value: Draft) -> None:
    assert messages.draft_value(sent(messages.draft_message(value))) == value


@given(events)
def test_an_event_arrives_as_it_was_sent(value: Event) -> None:
    assert messages.event_value(sent(messages.event_message(value))) == value


@given(st.lists(events, max_size=3), texts)
def test_a_page_arrives_as_it_was_sent(found: list[Event], cursor: str) -> None:
    page = EventPage(events=tuple(found), next=cursor)

    assert messages.event_page_value(sent(messages.event_page_message(page))) == page


@given(event_queries)
def test_a_question_for_events_arrives_as_it_was_sent(value: EventQuery) -> None:
    assert messages.event_query_value(sent(messages.event_query_message(value))) == value


@given(session_queries)
def test_a_question_for_sessions_arrives_as_it_was_sent(value: SessionQuery) -> None:
    assert messages.session_query_value(sent(messages.session_query_message(value))) == value


@given(sessions)
def test_a_session_arrives_as_it_was_sent(value: Session) -> None:
    assert messages.session_value(sent(messages.session_message(value))) == value


@given(statuses)
def test_a_status_arrives_as_it_was_sent(value: MemoryStatus) -> None:
    assert status_messages.status_value(sent(status_messages.status_message(value))) == value


@given(st.lists(words.map(EventId), max_size=4), counts, counts)
def test_a_receipt_arrives_as_it_was_sent(
    stored: list[EventId], duplicates: int, forgotten: int
) -> None:
    receipt = Receipt(stored=tuple(stored), duplicates=duplicates, forgotten=forgotten)

    assert messages.receipt_value(sent(messages.receipt_message(receipt))) == receipt


@given(counts, counts)
def test_counts_of_a_drain_and_of_forgetting_arrive_as_they_were_sent(one: int, two: int) -> None:
    drained = Drained(files=one, stored=two, duplicates=one, damaged=two, refused=one)
    forgotten = Forgotten(events=one, sessions=two)

    assert messages.drained_value(sent(messages.drained_message(drained))) == drained
    assert messages.forgotten_value(sent(messages.forgotten_message(forgotten))) == forgotten


@pytest.mark.parametrize(
    "text", ["\U0001f469\u200d\U0001f4bb", "\u6f22\u5b57", "\u0634\u0643\u0631\u0627", "a\x00b"]
)
def test_text_of_any_script_travels_whole(text: str) -> None:
    value = draft(text * 1000, metadata={text: [text]})

    assert messages.draft_value(sent(messages.draft_message(value))) == value


def test_half_a_character_becomes_the_replacement_character() -> None:
    value = draft("a\ud83db", metadata={"k\udc00": "\ud83d\ude00"})

    arrived = messages.draft_value(sent(messages.draft_message(value)))

    assert arrived.text == "a\ufffdb"
    assert arrived.metadata == {"k\ufffd": "\U0001f600"}


def test_a_number_that_json_does_not_have_becomes_null() -> None:
    value = draft(metadata={"a": [math.nan, 1.5], "b": {"c": math.inf}})

    wire = messages.draft_message(value)

    assert json.loads(wire.metadata_json) == {"a": [None, 1.5], "b": {"c": None}}


@pytest.mark.parametrize("field", ["harness", "session_id", "event_type", "timestamp_ms", "role"])
def test_a_missing_field_is_named(field: str) -> None:
    wire = messages.draft_message(draft())
    wire.ClearField(field)

    with pytest.raises(InvalidValue, match=rf"events\[3\]\.{field} is missing"):
        messages.draft_value(wire, "events[3]")


@pytest.mark.parametrize("field", ["event_type", "role", "channel"])
def test_an_unknown_word_is_refused_with_the_known_ones(field: str) -> None:
    wire = messages.draft_message(draft())
    setattr(wire, field, "shout")

    with pytest.raises(InvalidValue, match="'shout'") as refusal:
        messages.draft_value(wire)

    known = {"event_type": "user_message", "role": "assistant", "channel": "transcript"}
    assert known[field] in refusal.value.hint


def test_a_draft_without_a_channel_came_by_the_api() -> None:
    wire = messages.draft_message(draft())
    wire.channel = ""

    assert messages.draft_value(wire).channel is Channel.API


@pytest.mark.parametrize("text", ["{", "[]", "7", "null", "[" * 100_000])
def test_metadata_that_is_no_json_object_is_refused(text: str) -> None:
    wire = messages.draft_message(draft())
    wire.metadata_json = text

    with pytest.raises(InvalidValue, match=r"event\.metadata_json"):
        messages.draft_value(wire)


@pytest.mark.parametrize(
    ("depth", "fits"), [(METADATA_DEPTH_MAX, True), (METADATA_DEPTH_MAX + 1, False)]
)
def test_metadata_is_nested_only_so_deep(depth: int, fits: bool) -> None:
    wire = messages.draft_message(draft())
    wire.metadata_json = '{"a":' * depth + "1" + "}" * depth

    if fits:
        assert messages.draft_value(wire).metadata["a"]
    else:
        with pytest.raises(InvalidValue, match="nested deeper"):
            messages.draft_value(wire)


def test_a_text_of_a_million_characters_passes_and_a_longer_one_is_over_the_limit() -> None:
    wire = messages.draft_message(draft("\u6f22" * EVENT_TEXT_CHARS_MAX))

    assert len(messages.draft_value(wire).text) == EVENT_TEXT_CHARS_MAX
    wire.text += "x"
    with pytest.raises(LimitError, match="1,000,001 characters"):
        messages.draft_value(wire)


def test_a_question_without_a_limit_gets_the_default_page() -> None:
    assert messages.event_query_value(pb2.GetEventsRequest()) == EventQuery()
    assert messages.session_query_value(pb2.ListSessionsRequest()) == SessionQuery()


@pytest.mark.parametrize(("limit", "arrived"), [(0, 0), (-5, 0), (1 << 40, (1 << 32) - 1)])
def test_a_limit_that_cannot_be_arrives_as_one_that_cannot_be(limit: int, arrived: int) -> None:
    wire = sent(messages.event_query_message(EventQuery(limit=limit)))

    assert messages.event_query_value(wire).limit == arrived
