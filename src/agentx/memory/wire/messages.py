"""The calls of a memory over gRPC: the message of each question and of each answer.

What does not travel as its name and its type say is listed here, with its reason.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from types import SimpleNamespace
from typing import Any, Generic, get_type_hints

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from agentx.conversation.model import Event, Receipt
from agentx.kernel.capture import Channel, Draft
from agentx.kernel.errors import InvalidValue, LimitError
from agentx.kernel.limits import EVENT_TEXT_CHARS_MAX, TOC_PAGE_MAX
from agentx.memory.found import REMEMBERED, SearchHit, SearchRequest
from agentx.memory.port import Memory
from agentx.memory.wire._generated import memory_pb2 as pb2
from agentx.memory.wire.calls import Call, Given, Reply
from agentx.memory.wire.codec import Codec, Exemption, Pair
from agentx.memory.wire.fields import read_word
from agentx.memory.wire.metadata import read_metadata, read_new_metadata, write_metadata

SERVICE = pb2.DESCRIPTOR.services_by_name["MemoryService"]


def path_of(name: str) -> str:
    """Return how gRPC addresses a call."""
    return f"/{SERVICE.full_name}/{name}"


def _check_draft(message: pb2.Draft) -> None:
    for name in ("harness", "session_id", "event_type", "timestamp_ms", "role"):
        if not getattr(message, name):
            raise InvalidValue(f".{name} is missing", hint="every event must carry it")
    if len(message.text) > EVENT_TEXT_CHARS_MAX:
        raise LimitError(
            f".text has {len(message.text):,} characters: more than an event holds",
            hint=f"cut it to {EVENT_TEXT_CHARS_MAX:,}, or send several events",
        )


def _check_event_sent(message: pb2.IngestEventRequest) -> None:
    if not message.HasField("event"):
        raise InvalidValue("event is missing", hint="send the event to store")


def _check_event_named(message: pb2.GetEventRequest) -> None:
    if not message.event_id:
        raise InvalidValue("event_id is missing", hint="send the id of an event")


_read_channel = read_word(Channel)

CODEC = Codec(
    Exemption(Draft, "", "another program may send anything", check=_check_draft),
    Exemption(Memory.append, "", "an empty draft was left out", check=_check_event_sent),
    Exemption(
        Memory.append,
        "drafts",
        "a call carries one draft; many go in a stream",
        "event",
        write=lambda drafts: DRAFT.write(*drafts),
        read=lambda message: (DRAFT.read_part(message),),
    ),
    Exemption(Memory.event, "", "an empty id was left out", check=_check_event_named),
    Exemption(Draft, "metadata", "JSON", "metadata_json", write_metadata, read_new_metadata),
    Exemption(Event, "metadata", "JSON", "metadata_json", write_metadata, read_metadata),
    Exemption(
        Draft,
        "channel",
        "who does not say how the event came is a program",
        read=lambda word: _read_channel(word or Channel.API),
    ),
    Exemption(Receipt, "stored", "the message says what is stored", "stored_event_ids"),
    Exemption(SearchRequest, "kinds", "none is all", read=lambda kinds: tuple(kinds) or REMEMBERED),
    Exemption(SearchRequest, "limit", "0 is left out", read=lambda limit: limit or 10),
    Exemption(
        SearchHit,
        "marks",
        "protobuf has no list of pairs",
        write=lambda marks: [position for mark in marks for position in mark],
        read=lambda flat: tuple(zip(flat[::2], flat[1::2], strict=False)),
    ),
    Exemption(Memory.rebuild_index, "name", "the message says of what", "index"),
    Exemption(Memory.browse, "limit", "0 is left out", read=lambda limit: limit or TOC_PAGE_MAX),
)

DRAFT: Pair[Draft] = CODEC.pair(Draft, pb2.Draft)
RECEIPT: Pair[Receipt] = CODEC.pair(Receipt, pb2.Receipt)


class CallMessages(Generic[Given, Reply]):
    """The messages of one call."""

    def __init__(self, call: Call[Given, Reply], codec: Codec) -> None:
        self._call = call
        self._codec = codec

    @property
    def path(self) -> str:
        """How gRPC addresses the call."""
        return path_of(self._call.name)

    def write_request(self, *arguments: Given.args, **named: Given.kwargs) -> Message:
        """Write what the verb is given."""
        given = self._call.bind(*arguments, **named)
        message: Message = self._request.write(SimpleNamespace(**given))
        return message

    def read_request(self, message: Message) -> dict[str, Any]:
        """Read what the verb is to be given, by its parameters.

        Raises: InvalidValue.
        """
        arguments: dict[str, Any] = self._request.read(message)
        return arguments

    def write_reply(self, reply: Reply) -> Message:
        """Write what the verb returned."""
        part = self._call.part
        message: Message = self._reply.write(SimpleNamespace(**{part: reply}) if part else reply)
        return message

    def read_reply(self, message: Message) -> Reply:
        """Read what the verb returned.

        Raises: InvalidValue.
        """
        value = self._reply.read(message)
        reply: Reply = value[self._call.part] if self._call.part else value
        return reply

    @cached_property
    def request_class(self) -> type[Message]:
        """The message of the question."""
        return GetMessageClass(SERVICE.methods_by_name[self._call.name].input_type)

    @cached_property
    def reply_class(self) -> type[Message]:
        """The message of the answer."""
        return GetMessageClass(SERVICE.methods_by_name[self._call.name].output_type)

    @cached_property
    def _request(self) -> Pair[Any]:
        return self._codec.arguments(self._call.verb, self.request_class)

    @cached_property
    def _reply(self) -> Pair[Any]:
        returned = get_type_hints(self._call.verb)["return"]
        if self._call.part:
            return self._codec.part(self._call.part, returned, self.reply_class)
        return self._codec.pair(returned, self.reply_class)


_made: dict[Call[..., Any], CallMessages[..., Any]] = {}


def messages_of(call: Call[Given, Reply]) -> CallMessages[Given, Reply]:
    """Return the messages of a call; they are made once."""
    if call not in _made:
        _made[call] = CallMessages(call, codec_of(call.exemptions))
    messages: Any = _made[call]  # a dict of many cannot say that each has the types of its key
    found: CallMessages[Given, Reply] = messages
    return found


@lru_cache
def codec_of(exemptions: tuple[Exemption, ...]) -> Codec:
    """Return the codec of calls with exemptions of their own; without any, the memory's."""
    return Codec(*exemptions) if exemptions else CODEC
