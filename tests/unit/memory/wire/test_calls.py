"""Goal: everything that a call takes and returns comes out equal on the other side.

Method: for every row of the tables Hypothesis makes arguments and replies out of the
types of the verb; they are written, serialised as gRPC or as JSON, parsed and read again.
"""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from functools import cache
from inspect import signature
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import pytest
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.daemon.remote import SCHEDULER_CALLS, STATUS, STOP
from agentx.daemon.scheduler.model import JobRecord, SchedulerStatus
from agentx.kernel.capture import Draft, Metadata
from agentx.memory.found import REMEMBERED, SearchRequest
from agentx.memory.port import Memory
from agentx.memory.wire import plain
from agentx.memory.wire.calls import MEMORY_CALLS, SEARCH_CALLS, Call
from agentx.memory.wire.messages import CODEC, SERVICE, codec_of, messages_of
from agentx.search.model import Capabilities

Wire = TypeVar("Wire", bound=Message)

CALLS = (*MEMORY_CALLS.values(), *SEARCH_CALLS.values(), *SCHEDULER_CALLS, STOP)
# What is asked through the hatch: of the memory all but what is stored.
PLAIN_CALLS = tuple(
    call
    for call in (*MEMORY_CALLS.values(), *SEARCH_CALLS.values())
    if call.verb is not Memory.append
)
# What is on the wire in one form only: what stays behind, and what 0 or nothing stands for.
GIVEN: dict[tuple[object, str], st.SearchStrategy[Any]] = {
    (Memory.append, "drafts"): st.deferred(lambda: st.tuples(whole_drafts())),
    (SearchRequest, "mode"): st.just("auto"),
    (SearchRequest, "kinds"): st.lists(st.sampled_from(REMEMBERED), min_size=1).map(tuple),
    (SearchRequest, "limit"): st.integers(1, 100),
    (Memory.browse, "limit"): st.integers(1, 500),
    (Memory.event, "event_id"): st.text(st.characters(codec="utf-8"), min_size=1),
    (SchedulerStatus, "daemon_runs"): st.just(True),
    (JobRecord, "planned_by"): st.just(""),
}

texts = st.text(st.characters(codec="utf-8"), max_size=40)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False).filter(math.isfinite),
    lambda inner: st.lists(inner | texts, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: texts,
    int: st.integers(0, (1 << 31) - 1),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    Metadata: st.dictionaries(texts, json_values, max_size=4),
    dict[str, int]: st.dictionaries(texts, st.integers(0, 1 << 40), max_size=3),
}


def values_of(owner: object, name: str, kind: Any) -> st.SearchStrategy[Any]:
    """Everything that a field or a parameter can be."""
    return GIVEN[owner, name] if (owner, name) in GIVEN else values(kind)


@cache  # to make one, of parts of parts, takes longer than to draw from it
def values(kind: Any) -> st.SearchStrategy[Any]:
    """Everything that a type allows."""
    while hasattr(kind, "__supertype__"):
        kind = kind.__supertype__
    if kind in PLAIN:
        return PLAIN[kind]
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        parts = {each.name: values_of(kind, each.name, hints[each.name]) for each in fields(kind)}
        return st.builds(kind, **parts)  # type: ignore[arg-type]  # a class
    if get_origin(kind) is tuple:
        first, *others = get_args(kind)
        if others == [...]:
            return st.lists(values(first), max_size=3).map(tuple)
        return st.tuples(*map(values, get_args(kind)))
    if NoneType in get_args(kind):
        return st.one_of(
            *(st.none() if each is NoneType else values(each) for each in get_args(kind))
        )
    assert issubclass(kind, StrEnum), kind
    return st.sampled_from(kind)


def whole_drafts() -> st.SearchStrategy[Draft]:
    """Drafts with all that another program must send."""
    return values(Draft).filter(
        lambda made: bool(made.harness and made.session_id and made.timestamp_ms)
    )


def travel(message: Wire) -> Wire:
    """Return the message as the other end of a connection has it."""
    return type(message).FromString(message.SerializeToString())


def travel_plainly(value: object) -> Any:
    """Return the value as the other end of a hatch has it, before it is read."""
    return plain.decode(plain.encode({"value": value}))["value"]


def one_name(reply: Any) -> Any:
    """A job is named once in its message, and so in its record."""
    if isinstance(reply, SchedulerStatus):
        return replace(reply, jobs=tuple(map(one_name, reply.jobs)))
    if hasattr(reply, "record"):
        return replace(reply, record=replace(reply.record, name=reply.name))
    return reply


def test_the_tables_hold_every_call_of_the_proto() -> None:
    named = {call.name for call in CALLS}

    assert named | {"IngestEvents"} == set(SERVICE.methods_by_name)
    assert len(named) == len(CALLS)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
@settings(max_examples=25)
@given(data=st.data())
def test_what_a_verb_takes_arrives_as_it_was_sent(
    call: Call[..., Any], data: st.DataObject
) -> None:
    hints = get_type_hints(call.verb)
    arguments = {
        name: data.draw(values_of(call.verb, name, hints[name]), name)
        for name in signature(call.verb).parameters
        if name not in ("self", "told")
    }
    if call.verb is Memory.forget:  # one of the two that are alone, and many beside
        del arguments[data.draw(st.sampled_from(["event_id", "session_id"]))]
        arguments = {name: text if text != "" else "x" for name, text in arguments.items()}

    messages = messages_of(call)
    sent = {name: value for name, value in arguments.items() if value != ""}

    arrived = messages.read_request(travel(messages.write_request(**arguments)))
    assert {name: value for name, value in arrived.items() if value != ""} == sent
    if call in PLAIN_CALLS:
        arrived = plain.read_given(call, travel_plainly(plain.write_given(call, **arguments)))
        assert {name: value for name, value in arrived.items() if value != ""} == sent


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
@settings(max_examples=25)
@given(data=st.data())
def test_what_a_verb_returns_arrives_as_it_was_sent(
    call: Call[..., Any], data: st.DataObject
) -> None:
    reply = one_name(data.draw(values(get_type_hints(call.verb)["return"])))

    messages = messages_of(call)
    assert messages.read_reply(travel(messages.write_reply(reply))) == reply
    if call in PLAIN_CALLS:
        assert plain.read_reply(call, travel_plainly(reply)) == reply


def test_every_exemption_has_a_reason() -> None:
    exemptions = [*CODEC.exemptions.values(), *codec_of(STATUS.exemptions).exemptions.values()]

    assert all(each.why for each in exemptions)
    assert len(exemptions) < 20


def test_the_modes_that_work_are_told_to_other_programs() -> None:
    capabilities = messages_of(MEMORY_CALLS[Memory.capabilities])
    message = capabilities.write_reply(Capabilities())

    assert list(message.modes) == ["auto", "bm25"]  # type: ignore[attr-defined]  # generated
