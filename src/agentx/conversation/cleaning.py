"""What is done to every draft before the log sees it: secrets out, bounds kept, time made sane.

Applied once, here, whatever way a draft came. Everything that is cut or changed is
said in the event itself.
"""

from __future__ import annotations

from typing import Any

import msgspec

from agentx.conversation.limits import CLOCK_AHEAD_MS_MAX, EVENT_TIME_MS_MIN
from agentx.kernel.capture import CleanDraft, Draft, Metadata
from agentx.kernel.clock import Millis
from agentx.kernel.ids import digest
from agentx.kernel.limits import EVENT_TEXT_CHARS_MAX, SESSION_ID_CHARS_MAX
from agentx.kernel.text import cut, encodable
from agentx.redaction.redact import redact, redact_value


def clean(draft: Draft, *, now_ms: Millis) -> CleanDraft:
    """Return the draft as it may be stored; one that was cleaned before is left as it is."""
    if isinstance(draft, CleanDraft):
        return draft
    at_ms, claimed = sane_time(draft.timestamp_ms, now_ms=now_ms)
    metadata = clean_metadata(draft.metadata)
    if claimed is not None:
        metadata = {**metadata, "claimed_timestamp_ms": claimed}
    return CleanDraft(
        harness=draft.harness,
        session_id=short_session(draft.session_id),
        event_type=draft.event_type,
        timestamp_ms=at_ms,
        role=draft.role,
        text=encodable(cut(redact(draft.text), EVENT_TEXT_CHARS_MAX)),
        channel=draft.channel,
        agent=draft.agent,
        source_id=draft.source_id,
        fingerprint=draft.fingerprint,
        delivery=draft.delivery,
        known_as=draft.known_as,
        metadata=metadata,
    )


def clean_metadata(metadata: Metadata) -> Metadata:
    """Return metadata that can be stored: without secrets, and whole Unicode."""
    if not metadata:
        return metadata
    clean: Metadata = redact_value(metadata)
    try:
        msgspec.json.encode(clean)
    except (UnicodeEncodeError, TypeError, msgspec.MsgspecError):
        return _whole(clean)  # type: ignore[no-any-return]
    return metadata if clean == metadata else clean


def _whole(value: Any) -> Any:
    match value:
        case str():
            return encodable(value)
        case dict():
            return {encodable(str(key)): _whole(item) for key, item in value.items()}
        case list() | tuple():
            return [_whole(item) for item in value]
        case int() | float() | bool() | None:
            return value
        case _:
            return encodable(str(value))


def sane_time(at_ms: int, *, now_ms: Millis) -> tuple[Millis, int | None]:
    """Return the time to file an event under, and the time it claimed where that cannot be true.

    A clock that runs ahead or stands in 1970 must neither bury an event nor float it above all
    others; it is filed under the time it reached us.
    """
    if EVENT_TIME_MS_MIN <= at_ms <= now_ms + CLOCK_AHEAD_MS_MAX:
        return Millis(at_ms), None
    return now_ms, at_ms


def short_session(session_id: str) -> str:
    """Return a session id that is not absurdly long."""
    if 0 < len(session_id) <= SESSION_ID_CHARS_MAX:
        return encodable(session_id)
    if not session_id:
        return "unknown"
    return "long-" + digest(session_id).hex()
