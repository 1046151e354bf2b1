"""Goal: what cannot travel is changed, what is wrong is refused, and each by its name.

Method: drafts and questions as they are rarely made here, and messages as another
program might send them.
"""

from __future__ import annotations

import json
import math
from typing import TypeVar

import pytest
from google.protobuf.message import Message

from agentx.conversation.model import EventQuery, SessionQuery
from agentx.conversation.toc_model import NodePage
from agentx.kernel.capture import Channel
from agentx.kernel.errors import InvalidValue, LimitError
from agentx.kernel.limits import EVENT_TEXT_CHARS_MAX, METADATA_DEPTH_MAX
from agentx.memory.port import Memory
from agentx.memory.wire._generated import memory_pb2 as pb2
from agentx.memory.wire.calls import MEMORY_CALLS
from agentx.memory.wire.codec import Codec
from agentx.memory.wire.messages import DRAFT, messages_of
from tests.support.drafts import draft

Wire = TypeVar("Wire", bound=Message)

EVENTS = messages_of(MEMORY_CALLS[Memory.events])
SESSIONS = messages_of(MEMORY_CALLS[Memory.sessions])


def sent(message: Wire) -> Wire:
    """Return the message as the other end of a connection has it."""
    return type(message).FromString(message.SerializeToString())


@pytest.mark.parametrize(
    "text", ["\U0001f469\u200d\U0001f4bb", "\u6f22\u5b57", "\u0634\u0643\u0631\u0627", "a\x00b"]
)
def test_text_of_any_script_travels_whole(text: str) -> None:
    value = draft(text * 1000, metadata={text: [text]})

    assert DRAFT.read(sent(DRAFT.write(value))) == value


def test_half_a_character_becomes_the_replacement_character() -> None:
    value = draft("a\ud83db", metadata={"k\udc00": "\ud83d\ude00"})

    arrived = DRAFT.read(sent(DRAFT.write(value)))

    assert arrived.text == "a\ufffdb"
    assert arrived.metadata == {"k\ufffd": "\U0001f600"}


def test_a_number_that_json_does_not_have_becomes_null() -> None:
    value = draft(metadata={"a": [math.nan, 1.5], "b": {"c": math.inf}})

    wire = DRAFT.write(value)

    assert json.loads(wire.metadata_json) == {"a": [None, 1.5], "b": {"c": None}}


@pytest.mark.parametrize("field", ["harness", "session_id", "event_type", "timestamp_ms", "role"])
def test_a_missing_field_is_named(field: str) -> None:
    wire = DRAFT.write(draft())
    wire.ClearField(field)

    with pytest.raises(InvalidValue, match=rf"events\[3\]\.{field} is missing"):
        DRAFT.read(wire, "events[3].")


@pytest.mark.parametrize("field", ["event_type", "role", "channel"])
def test_an_unknown_word_is_refused_with_the_known_ones(field: str) -> None:
    wire = DRAFT.write(draft())
    setattr(wire, field, "shout")

    with pytest.raises(InvalidValue, match="'shout'") as refusal:
        DRAFT.read(wire)

    known = {"event_type": "user_message", "role": "assistant", "channel": "transcript"}
    assert known[field] in refusal.value.hint


def test_a_draft_without_a_channel_came_by_the_api() -> None:
    wire = DRAFT.write(draft())
    wire.channel = ""

    assert DRAFT.read(wire).channel is Channel.API


@pytest.mark.parametrize("text", ["{", "[]", "7", "null", "[" * 100_000])
def test_metadata_that_is_no_json_object_is_refused(text: str) -> None:
    wire = DRAFT.write(draft())
    wire.metadata_json = text

    with pytest.raises(InvalidValue, match=r"^metadata_json is "):
        DRAFT.read(wire)


@pytest.mark.parametrize(
    ("depth", "fits"), [(METADATA_DEPTH_MAX, True), (METADATA_DEPTH_MAX + 1, False)]
)
def test_metadata_is_nested_only_so_deep(depth: int, fits: bool) -> None:
    wire = DRAFT.write(draft())
    wire.metadata_json = '{"a":' * depth + "1" + "}" * depth

    if fits:
        assert DRAFT.read(wire).metadata["a"]
    else:
        with pytest.raises(InvalidValue, match="nested deeper"):
            DRAFT.read(wire)


def test_a_text_of_a_million_characters_passes_and_a_longer_one_is_over_the_limit() -> None:
    wire = DRAFT.write(draft("\u6f22" * EVENT_TEXT_CHARS_MAX))

    assert len(DRAFT.read(wire).text) == EVENT_TEXT_CHARS_MAX
    wire.text += "x"
    with pytest.raises(LimitError, match="1,000,001 characters"):
        DRAFT.read(wire)


def test_a_question_without_a_limit_gets_the_default_page() -> None:
    assert EVENTS.read_request(pb2.GetEventsRequest()) == {"query": EventQuery()}
    assert SESSIONS.read_request(pb2.ListSessionsRequest()) == {"query": SessionQuery()}


@pytest.mark.parametrize(("limit", "arrived"), [(0, 0), (-5, 0), (1 << 40, (1 << 32) - 1)])
def test_a_limit_that_cannot_be_arrives_as_one_that_cannot_be(limit: int, arrived: int) -> None:
    wire = sent(EVENTS.write_request(EventQuery(limit=limit, cursor="c")))

    assert EVENTS.read_request(wire) == {"query": EventQuery(limit=arrived, cursor="c")}


def test_what_is_wrong_deep_in_a_message_is_named_by_its_path() -> None:
    wire = pb2.GetTocRootResponse(
        nodes=[
            pb2.TocNode(level="year"),
            pb2.TocNode(level="year", bullets=[pb2.Bullet(kind="shout")]),
        ]
    )

    with pytest.raises(InvalidValue, match=r"^nodes\[1\]\.bullets\[0\]\.kind is 'shout'"):
        messages_of(MEMORY_CALLS[Memory.toc_roots]).read_reply(wire)


def test_a_value_and_a_message_that_do_not_match_are_told_at_the_first_use() -> None:
    pair = Codec().pair(NodePage, pb2.ForgetEventsResponse)

    with pytest.raises(TypeError, match=r"ForgetEventsResponse\.\w+ is not in"):
        pair.write(NodePage(nodes=()))
    with pytest.raises(TypeError, match=r"NodePage'>\.nodes is not in agentx"):
        pair.read(pb2.ForgetEventsResponse())
