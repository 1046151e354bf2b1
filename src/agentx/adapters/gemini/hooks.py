"""What one Gemini CLI hook payload says.

SessionStart   session_start          BeforeTool    tool_call
SessionEnd     session_end            AfterTool     tool_result
BeforeAgent    user_message           PreCompress   note: it fires without compressing too
AfterAgent     assistant_message      Notification  note
               and assistant_stop     any other     note
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agentx.adapters.gemini.transcripts import Exchange, as_written
from agentx.adapters.gemini.words import (
    NO_REPLY,
    prompt_of,
    reply_print,
    shown,
    tool_words,
)
from agentx.adapters.port import HookCall
from agentx.adapters.scene import Scene
from agentx.adapters.shapes import (
    child,
    entry,
    json_text,
    millis,
    session_of,
    spoken,
    text_of,
    unknown_fields,
    word,
)
from agentx.adapters.tools import ToolUse
from agentx.kernel.capture import Channel, Draft, EventType, text_print

_KNOWN = frozenset(
    {
        "session_id",
        "transcript_path",
        "cwd",
        "hook_event_name",
        "timestamp",
        "source",
        "reason",
        "prompt",
        "prompt_response",
        "stop_hook_active",
        "tool_name",
        "tool_input",
        "tool_response",
        "trigger",
        "message",
    }
)


def drafts(call: HookCall) -> tuple[Draft, ...]:
    """Return what the payload says; an unknown event is a note."""
    event = word(call.payload, "hook_event_name")
    return _READERS.get(event, _noted)(call, _scene(call, event))


def _scene(call: HookCall, event: str) -> Scene:
    payload = call.payload
    cwd = word(payload, "cwd") or call.working_directory
    return Scene(
        harness=call.harness,
        session_id=session_of(payload.get("session_id"), cwd),
        timestamp_ms=millis(payload.get("timestamp")) or call.received_ms,
        channel=Channel.HOOK,
        delivery=call.delivery,
        agent=call.agent,
        metadata={"hook": event, "cwd": cwd, "extra": unknown_fields(payload, _KNOWN)},
    )


def _started(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    return (scene.started(word(call.payload, "source") or "startup"),)


def _ended(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    reason = word(call.payload, "reason")
    return (scene.draft(EventType.SESSION_END, fingerprint="end", reason=reason),)


def _asked(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    words, injected = prompt_of(text_of(call.payload.get("prompt")))
    return scene.said(EventType.USER_MESSAGE, words, hook_context=injected)


def _replied(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    prompt, _ = prompt_of(text_of(call.payload.get("prompt")))
    reply = text_of(call.payload.get("prompt_response"))
    if reply.strip() == NO_REPLY:
        reply = ""
    stopped = scene.stopped("", prompt)
    if not spoken(reply).strip():
        return (stopped,)
    transcript = word(call.payload, "transcript_path")
    asked = Exchange(prompt=prompt, reply=reply, at_ms=scene.timestamp_ms)
    words = as_written(Path(transcript), asked) if transcript else ""
    said = scene.draft(EventType.ASSISTANT_MESSAGE, words or reply, fingerprint=reply_print(prompt))
    return said, stopped


def _called(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    return (_tool(call).called(scene),)


def _tool(call: HookCall) -> ToolUse:
    return ToolUse(
        name=word(call.payload, "tool_name"), arguments=entry(call.payload, "tool_input")
    )


def _answered(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    response = entry(call.payload, "tool_response")
    said = entry(response, "llmContent")
    text = tool_words(response if said is None else said)
    error = entry(response, "error")
    answered = _tool(call).answered(
        scene,
        text or word(child(response, "error"), "message"),
        shown(entry(response, "returnDisplay")),
        error=error,
        is_error=True if error else None,
    )
    return (answered,)


def _considered(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    trigger = word(call.payload, "trigger")
    text = f"compression considered ({trigger})" if trigger else "compression considered"
    return (scene.draft(EventType.NOTE, text, fingerprint=text_print("PreCompress", trigger)),)


def _noted(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    text = json_text(call.payload)
    return (scene.draft(EventType.NOTE, text, fingerprint=text_print(text)),)


def _notified(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    text = word(call.payload, "message")
    if not text:
        return _noted(call, scene)
    return (scene.draft(EventType.NOTE, text, fingerprint=text_print("Notification", text)),)


_READERS: dict[str, Callable[[HookCall, Scene], tuple[Draft, ...]]] = {
    "SessionStart": _started,
    "SessionEnd": _ended,
    "BeforeAgent": _asked,
    "AfterAgent": _replied,
    "BeforeTool": _called,
    "AfterTool": _answered,
    "PreCompress": _considered,
    "Notification": _notified,
}
