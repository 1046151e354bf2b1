"""What one payload of our OpenCode plugin says.

session.created       session_start       message.part.updated  assistant_message, compaction,
session.ended         session_end                               tool_call, tool_result
chat.message          user_message        session.idle          assistant_stop
session.error         note                session.deleted       note; so is any other
"""

from __future__ import annotations

from collections.abc import Callable

from agentx.adapters.opencode.parts import (
    at,
    did,
    draft_failure,
    draft_prompt,
    draft_start,
    draft_stop,
)
from agentx.adapters.port import HookCall
from agentx.adapters.scene import Scene, hook_scene
from agentx.adapters.shapes import (
    child,
    json_text,
    limit_id,
    session_of,
    unknown_fields,
    word,
)
from agentx.kernel.capture import Draft, EventType, text_print

_KNOWN = frozenset({"hook", "session_id", "cwd", "timestamp", "payload"})


def drafts(call: HookCall) -> tuple[Draft, ...]:
    """Return what the payload says; an unknown one is a note."""
    hook = word(call.payload, "hook")
    return _READERS.get(hook, _draft_note)(call, _scene(call, hook))


def _scene(call: HookCall, hook: str) -> Scene:
    payload = call.payload
    cwd = word(payload, "cwd") or call.working_directory
    session_id = session_of(payload.get("session_id"), cwd)
    return hook_scene(call, hook, session_id, extra=unknown_fields(payload, _KNOWN))


def _draft_start(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    told = child(call.payload, "payload")
    info = child(told, "info")
    here = at(scene, child(info, "time"), "created")
    return draft_start(here, info, resumed=told.get("resumed") is True)


def _draft_prompt(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    told = child(call.payload, "payload")
    parent = limit_id(told.get("parent_id"))
    return draft_prompt(scene, child(told, "message"), told.get("parts"), parent=parent)


def _did(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    told = child(call.payload, "payload")
    return did(scene, child(told, "message"), child(told, "part"))


def _draft_stop(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    told = child(call.payload, "payload")
    return draft_stop(scene, limit_id(told.get("message_id")), limit_id(told.get("parent_id")))


def _draft_failure(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    told = child(call.payload, "payload")
    return draft_failure(scene, told.get("error"), limit_id(told.get("message_id")))


def _draft_end(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    reason = word(child(call.payload, "payload"), "reason")
    return (scene.draft(EventType.SESSION_END, fingerprint="end", reason=reason),)


def _draft_deletion(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    del call
    return (scene.draft(EventType.NOTE, "session deleted by the user", source_id="deleted"),)


def _draft_note(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    text = json_text(call.payload)
    return (scene.draft(EventType.NOTE, text, fingerprint=text_print(text)),)


_READERS: dict[str, Callable[[HookCall, Scene], tuple[Draft, ...]]] = {
    "session.created": _draft_start,
    "session.ended": _draft_end,
    "session.idle": _draft_stop,
    "session.error": _draft_failure,
    "session.deleted": _draft_deletion,
    "chat.message": _draft_prompt,
    "message.part.updated": _did,
}
