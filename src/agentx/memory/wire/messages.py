"""Our values as protobuf messages, and back.

Both ends of a connection read and write messages here and nowhere else, so a value
that went through is equal to the one that was sent. Two things cannot travel and
are changed on the way out: half a character (a lone surrogate) becomes U+FFFD, and
a number that JSON does not have (NaN, infinity) becomes null.

An event that another program sent is checked here, because a draft cannot be wrong:
a field that is missing or a word that nobody knows is an `InvalidValue` that names
the field. Questions are passed on as they are: the memory judges them.
"""

from __future__ import annotations

import json
import math
from enum import StrEnum
from typing import Any, TypeVar

from agentx.conversation.model import (
    Event,
    EventPage,
    EventQuery,
    Forgotten,
    Receipt,
    Session,
    SessionQuery,
)
from agentx.conversation.toc_model import Kind
from agentx.kernel.capture import Channel, Draft, EventType, Metadata, Role
from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue, LimitError
from agentx.kernel.ids import EventId
from agentx.kernel.limits import EVENT_TEXT_CHARS_MAX, METADATA_DEPTH_MAX
from agentx.kernel.periods import Level
from agentx.memory.limits import EVENTS_PAGE_DEFAULT
from agentx.memory.port import Drained
from agentx.memory.wire._generated import memory_pb2 as pb2

Word = TypeVar("Word", bound=StrEnum)

_UINT32_MAX = (1 << 32) - 1


def level_word(text: str) -> Level:
    """Read the level of a node.

    Raises: InvalidValue.
    """
    return _word(Level, text, "level")


def kind_word(text: str) -> Kind:
    """Read the kind of a bullet.

    Raises: InvalidValue.
    """
    return _word(Kind, text, "kind")


# --- drafts and events ------------------------------------------------------------------------


def draft_message(draft: Draft) -> pb2.Draft:
    """Write a draft."""
    return pb2.Draft(
        harness=whole(draft.harness),
        session_id=whole(draft.session_id),
        event_type=draft.event_type,
        timestamp_ms=draft.timestamp_ms,
        role=draft.role,
        text=whole(draft.text),
        agent=whole(draft.agent),
        metadata_json=_metadata_json(draft.metadata),
        source_id=whole(draft.source_id),
        fingerprint=whole(draft.fingerprint),
        delivery=whole(draft.delivery),
        channel=draft.channel,
    )


def draft_value(message: pb2.Draft, where: str = "event") -> Draft:
    """Read a draft; `where` names it in an error.

    Raises: InvalidValue, LimitError.
    """
    for name in ("harness", "session_id", "event_type", "timestamp_ms", "role"):
        if not getattr(message, name):
            raise InvalidValue(f"{where}.{name} is missing", hint="every event must carry it")
    if len(message.text) > EVENT_TEXT_CHARS_MAX:
        raise LimitError(
            f"{where}.text has {len(message.text):,} characters: more than an event holds",
            hint=f"cut it to {EVENT_TEXT_CHARS_MAX:,}, or send several events",
        )
    return Draft(
        harness=message.harness,
        session_id=message.session_id,
        event_type=_word(EventType, message.event_type, f"{where}.event_type"),
        timestamp_ms=Millis(message.timestamp_ms),
        role=_word(Role, message.role, f"{where}.role"),
        text=message.text,
        channel=_word(Channel, message.channel or Channel.API, f"{where}.channel"),
        agent=message.agent,
        source_id=message.source_id,
        fingerprint=message.fingerprint,
        delivery=message.delivery,
        metadata=_metadata(message.metadata_json, f"{where}.metadata_json"),
    )


def event_message(event: Event) -> pb2.Event:
    """Write an event."""
    return pb2.Event(
        event_id=event.event_id,
        session_id=whole(event.session_id),
        timestamp_ms=event.timestamp_ms,
        event_type=event.event_type,
        role=event.role,
        text=whole(event.text),
        harness=whole(event.harness),
        agent=whole(event.agent),
        project=whole(event.project),
        metadata_json=_metadata_json(event.metadata),
    )


def event_value(message: pb2.Event) -> Event:
    """Read an event."""
    return Event(
        event_id=EventId(message.event_id),
        session_id=message.session_id,
        timestamp_ms=Millis(message.timestamp_ms),
        event_type=_word(EventType, message.event_type, "event_type"),
        role=_word(Role, message.role, "role"),
        text=message.text,
        harness=message.harness,
        agent=message.agent,
        project=message.project,
        metadata=_metadata(message.metadata_json, "metadata_json", depth_max=None),
    )


def receipt_message(receipt: Receipt) -> pb2.Receipt:
    """Write a receipt."""
    return pb2.Receipt(
        stored_event_ids=receipt.stored,
        duplicates=receipt.duplicates,
        forgotten=receipt.forgotten,
    )


def receipt_value(message: pb2.Receipt) -> Receipt:
    """Read a receipt."""
    return Receipt(
        stored=tuple(EventId(event_id) for event_id in message.stored_event_ids),
        duplicates=message.duplicates,
        forgotten=message.forgotten,
    )


# --- questions and pages ----------------------------------------------------------------------


def event_query_message(query: EventQuery) -> pb2.GetEventsRequest:
    """Write a question for events."""
    return pb2.GetEventsRequest(
        limit=_sendable(query.limit),
        cursor=whole(query.cursor),
        newest_first=query.newest_first,
        session_id=whole(query.session_id),
        harness=whole(query.harness),
        agent=whole(query.agent),
        role=whole(query.role),
        event_type=whole(query.event_type),
        since_ms=query.since_ms,
        until_ms=query.until_ms,
    )


def event_query_value(message: pb2.GetEventsRequest) -> EventQuery:
    """Read a question for events; whether it can be answered is the memory's to say."""
    return EventQuery(
        session_id=message.session_id,
        harness=message.harness,
        agent=message.agent,
        role=message.role,
        event_type=message.event_type,
        since_ms=Millis(message.since_ms) if message.HasField("since_ms") else None,
        until_ms=Millis(message.until_ms) if message.HasField("until_ms") else None,
        limit=_limit(message),
        cursor=message.cursor,
        newest_first=message.newest_first,
    )


def event_page_message(page: EventPage) -> pb2.GetEventsResponse:
    """Write a page of events."""
    return pb2.GetEventsResponse(
        events=[event_message(event) for event in page.events], next=page.next
    )


def event_page_value(message: pb2.GetEventsResponse) -> EventPage:
    """Read a page of events."""
    return EventPage(
        events=tuple(event_value(event) for event in message.events), next=message.next
    )


def session_query_message(query: SessionQuery) -> pb2.ListSessionsRequest:
    """Write a question for sessions."""
    return pb2.ListSessionsRequest(
        limit=_sendable(query.limit),
        harness=whole(query.harness),
        agent=whole(query.agent),
        since_ms=query.since_ms,
        until_ms=query.until_ms,
    )


def session_query_value(message: pb2.ListSessionsRequest) -> SessionQuery:
    """Read a question for sessions."""
    return SessionQuery(
        harness=message.harness,
        agent=message.agent,
        since_ms=Millis(message.since_ms) if message.HasField("since_ms") else None,
        until_ms=Millis(message.until_ms) if message.HasField("until_ms") else None,
        limit=_limit(message),
    )


def session_message(session: Session) -> pb2.Session:
    """Write a session."""
    return pb2.Session(
        session_id=whole(session.session_id),
        harness=whole(session.harness),
        agent=whole(session.agent),
        project=whole(session.project),
        first_ms=session.first_ms,
        last_ms=session.last_ms,
        events=session.events,
        prompts=session.prompts,
        ended=session.ended,
        title=whole(session.title),
        working_directory=whole(session.working_directory),
        branch=whole(session.branch),
    )


def session_value(message: pb2.Session) -> Session:
    """Read a session."""
    return Session(
        session_id=message.session_id,
        harness=message.harness,
        agent=message.agent,
        project=message.project,
        first_ms=Millis(message.first_ms),
        last_ms=Millis(message.last_ms),
        events=message.events,
        prompts=message.prompts,
        ended=message.ended,
        title=message.title,
        working_directory=message.working_directory,
        branch=message.branch,
    )


# --- what was done, and how things stand ------------------------------------------------------


def drained_message(drained: Drained) -> pb2.DrainSpoolResponse:
    """Write what a drain took."""
    return pb2.DrainSpoolResponse(
        files=drained.files,
        stored=drained.stored,
        duplicates=drained.duplicates,
        damaged=drained.damaged,
        refused=drained.refused,
    )


def drained_value(message: pb2.DrainSpoolResponse) -> Drained:
    """Read what a drain took."""
    return Drained(
        files=message.files,
        stored=message.stored,
        duplicates=message.duplicates,
        damaged=message.damaged,
        refused=message.refused,
    )


def forgotten_message(forgotten: Forgotten) -> pb2.ForgetEventsResponse:
    """Write what was erased."""
    return pb2.ForgetEventsResponse(events=forgotten.events, sessions=forgotten.sessions)


def forgotten_value(message: pb2.ForgetEventsResponse) -> Forgotten:
    """Read what was erased."""
    return Forgotten(events=message.events, sessions=message.sessions)


# --- parts ------------------------------------------------------------------------------------


def whole(text: str) -> str:
    """Return text that UTF-8 can carry: what is no whole character becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _word(kind: type[Word], text: str, where: str) -> Word:
    try:
        return kind(text)
    except ValueError:
        raise InvalidValue(
            f"{where} is {text[:40]!r}: not a word that is known here",
            hint=f"use one of: {', '.join(kind)}",
        ) from None


def _limit(message: pb2.GetEventsRequest | pb2.ListSessionsRequest) -> int:
    return message.limit if message.HasField("limit") else EVENTS_PAGE_DEFAULT


def _sendable(limit: int) -> int:
    """Return a limit that the wire can carry; the memory says what is wrong with it."""
    return min(max(limit, 0), _UINT32_MAX)


def _metadata_json(metadata: Metadata) -> str:
    if not metadata:
        return ""
    try:
        text = json.dumps(metadata, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        numbers = _with_json_numbers(metadata)
        text = json.dumps(numbers, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return whole(text)


def _with_json_numbers(value: Any) -> Any:
    match value:
        case dict():
            return {key: _with_json_numbers(item) for key, item in value.items()}
        case list() | tuple():
            return [_with_json_numbers(item) for item in value]
        case float():
            return value if math.isfinite(value) else None
        case _:
            return value


def _metadata(text: str, where: str, *, depth_max: int | None = METADATA_DEPTH_MAX) -> Metadata:
    if not text:
        return {}
    try:
        value = json.loads(text)
    except RecursionError:
        raise InvalidValue(f"{where} is nested too deeply", hint="flatten it") from None
    except ValueError as error:
        raise InvalidValue(f"{where} is not JSON: {error}", hint="send a JSON object") from None
    if not isinstance(value, dict):
        raise InvalidValue(f"{where} is not a JSON object", hint='send one, such as {"tool": "x"}')
    if depth_max is not None and _deeper(value, depth_max):
        raise InvalidValue(f"{where} is nested deeper than {depth_max}", hint="flatten it")
    return value


def _deeper(value: object, depth_max: int) -> bool:
    """Tell whether something lies deeper than `depth_max`, without climbing down recursively."""
    level = [value]
    for _ in range(depth_max):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else _items(outer))
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _items(outer: object) -> list[object]:
    return outer if isinstance(outer, list) else []
