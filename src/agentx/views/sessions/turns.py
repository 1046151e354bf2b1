"""Events of the log, as the rules of extraction read them.

Two rooms meet here and nowhere else: the log's events become plain turns. What each agent
CLI left in an event's metadata is read without trust.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from agentx.conversation.model import Event
from agentx.exchanges.turns import Turn, TurnKind
from agentx.kernel.capture import EventType, MachineWords
from agentx.kernel.text import compile_late
from agentx.views.sessions.checkouts import find_root

_KINDS = {
    EventType.USER_MESSAGE: TurnKind.PROMPT,
    EventType.ASSISTANT_MESSAGE: TurnKind.REPLY,
    EventType.TOOL_CALL: TurnKind.CALL,
    EventType.TOOL_RESULT: TurnKind.RESULT,
    EventType.SUBAGENT_START: TurnKind.SUBAGENT,
    EventType.SUBAGENT_STOP: TurnKind.SUBAGENT,
    EventType.COMPACTION: TurnKind.SUMMARY,
}
# What agent CLIs say in the user's name, where it is more than a note.
_MACHINES: dict[str, TurnKind] = {
    MachineWords.CONTINUATION: TurnKind.SUMMARY,
    MachineWords.REPORT: TurnKind.REPORT,
    MachineWords.DELEGATION: TurnKind.SUBAGENT,
}
# A call that was never made, because another one of the same moment went wrong or was stopped.
_NOT_MADE = compile_late(
    r"\s*(?:<tool_use_error>)?\s*(?:Sibling tool call errored|Cancelled: parallel tool call\b"
    r"|Streaming fallback - tool execution discarded)"
)
_REPORTED = compile_late(r"<result>\s*(.*?)\s*(?:</result>|\Z)", re.DOTALL)
_CALL_IDS = ("tool_use_id", "native_call_id", "tool_call_id")


def turns_of(events: Iterable[Event]) -> tuple[Turn, ...]:
    """Return the turns of a session's events, in their order."""
    return tuple(turn for event in events for turn in (*_find_said_with(event), _turn(event)))


def _find_said_with(event: Event) -> Iterator[Turn]:
    """Yield what was said before a call, where the agent CLI tells it with the call."""
    said = _word(event.metadata, "said")
    if event.event_type is EventType.TOOL_CALL and said.strip():
        yield Turn(
            event_id=event.event_id, at_ms=event.timestamp_ms, kind=TurnKind.REPLY, text=said
        )


def _turn(event: Event) -> Turn:
    metadata = event.metadata
    kind = _KINDS.get(event.event_type, TurnKind.OTHER)
    if event.machine:
        kind = _MACHINES.get(event.machine, TurnKind.OTHER)
    if kind is TurnKind.RESULT and _NOT_MADE.match(event.text):
        kind = TurnKind.OTHER
    # What a subagent is told is the agent's words, not the user's.
    if metadata.get("subagent") and kind in (TurnKind.PROMPT, TurnKind.REPLY):
        kind = TurnKind.SUBAGENT
    response = metadata.get("tool_response")
    code = metadata.get("exit_code")
    where = _word(metadata, "cwd")
    return Turn(
        event_id=event.event_id,
        at_ms=event.timestamp_ms,
        kind=kind,
        text=_read_report(event.text) if kind is TurnKind.REPORT else event.text,
        tool=_word(metadata, "tool_name"),
        call_id=next((found for name in _CALL_IDS if (found := _word(metadata, name))), ""),
        arguments=metadata.get("tool_input"),
        response=response if isinstance(response, dict) else {},
        failed=metadata.get("is_error") is True,
        exit_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
        directory=where,
        root=find_root(where) if where else "",
        sender=_word(metadata, "sender"),
    )


def _read_report(text: str) -> str:
    """Return what an agent reported, out of the notification that it has."""
    found = _REPORTED.search(text)
    return found[1] if found else text


def _word(metadata: dict[str, Any], name: str) -> str:
    value = metadata.get(name)
    return value if isinstance(value, str) else ""
