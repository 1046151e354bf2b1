"""What one payload of our OpenCode plugin says.

session.created       session_start       message.part.updated  assistant_message, compaction,
session.ended         session_end                               tool_call, tool_result
chat.message          user_message        session.idle          assistant_stop
session.error         note                session.deleted       note; so is any other
"""

from __future__ import annotations

from collections.abc import Callable

from agentx.adapters.opencode.parts import asked, at, did, failed, started, stopped
from agentx.adapters.port import HookCall
from agentx.adapters.scene import Scene
from agentx.adapters.shapes import (
    bounded_id,
    child,
    json_text,
    millis,
    session_of,
    unknown_fields,
    word,
)
from agentx.kernel.capture import Channel, Draft, EventType, text_print

_KNOWN = frozenset({"hook", "session_id", "cwd", "timestamp", "payload"})


def drafts(call: HookCall) -> tuple[Draft, ...]:
    """Return what the payload says; an unknown one is a note."""
    hook = word(call.payload, "hook")
    return _READERS.get(hook, _noted)(call, _scene(call, hook))


def _scene(call: HookCall, hook: str) -> Scene:
    payload = call.payload
    cwd = word(payload, "cwd") or call.working_directory
    return Scene(
        harness=call.harness,
        session_id=session_of(payload.get("session_id"), cwd),
        timestamp_ms=millis(payload.get("timestamp")) or call.received_ms,
        channel=Channel.HOOK,
        delivery=call.delivery,
        agent=call.agent,
        metadata={"hook": hook, "cwd": cwd, "extra": unknown_fields(payload, _KNOWN)},
    )


def _started(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    told = child(call.payload, "payload")
    info = child(told, "info")
    here = at(scene, child(info, "time"), "created")
    return started(here, info, resumed=told.get("resumed") is True)


def _asked(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    told = child(call.payload, "payload")
    return asked(scene, child(told, "message"), told.get("parts"))


def _did(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    told = child(call.payload, "payload")
    return did(scene, child(told, "message"), child(told, "part"))


def _stopped(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    told = child(call.payload, "payload")
    return stopped(scene, bounded_id(told.get("message_id")), bounded_id(told.get("parent_id")))


def _failed(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    told = child(call.payload, "payload")
    return failed(scene, told.get("error"), bounded_id(told.get("message_id")))


def _ended(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    reason = word(child(call.payload, "payload"), "reason")
    return (scene.draft(EventType.SESSION_END, fingerprint="end", reason=reason),)


def _deleted(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    del call
    return (scene.draft(EventType.NOTE, "session deleted by the user", source_id="deleted"),)


def _noted(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    text = json_text(call.payload)
    return (scene.draft(EventType.NOTE, text, fingerprint=text_print(text)),)


_READERS: dict[str, Callable[[HookCall, Scene], tuple[Draft, ...]]] = {
    "session.created": _started,
    "session.ended": _ended,
    "session.idle": _stopped,
    "session.error": _failed,
    "session.deleted": _deleted,
    "chat.message": _asked,
    "message.part.updated": _did,
}
