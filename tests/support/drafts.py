"""Drafts for tests: one word a kind, everything else by default."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agentx.kernel.capture import Channel, Draft, EventType, Role
from agentx.kernel.clock import Millis
from tests.support.time_and_chance import START_MS

_ROLES = {
    EventType.USER_MESSAGE: Role.USER,
    EventType.ASSISTANT_MESSAGE: Role.ASSISTANT,
    EventType.TOOL_CALL: Role.ASSISTANT,
    EventType.TOOL_RESULT: Role.TOOL,
}


def draft(text: str = "hello", **changes: Any) -> Draft:
    """Return a draft; `kind` is short for `event_type`, `at` for milliseconds after the start."""
    kind = EventType(changes.pop("kind", EventType.USER_MESSAGE))
    at_ms = Millis(START_MS + changes.pop("at", 0))
    made = Draft(
        harness="claude-code",
        session_id="s-1",
        event_type=kind,
        timestamp_ms=at_ms,
        role=_ROLES.get(kind, Role.SYSTEM),
        text=text,
        channel=Channel.HOOK,
    )
    return replace(made, **changes)
