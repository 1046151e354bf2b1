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

from agentx.adapters.gemini.transcripts import PromptReply, as_written
from agentx.adapters.gemini.words import (
    NO_REPLY,
    hear,
    pick_display,
    prompt_of,
    reply_print,
    tool_words,
)
from agentx.adapters.port import HookCall
from agentx.adapters.scene import Scene, hook_scene
from agentx.adapters.shapes import (
    child,
    clean_words,
    entry,
    json_text,
    session_of,
    text_of,
    unknown_fields,
    word,
)
from agentx.adapters.tools import ToolUse
from agentx.kernel.capture import Draft, EventType, text_print

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
    return _READERS.get(event, _draft_note)(call, _scene(call, event))


def _scene(call: HookCall, event: str) -> Scene:
    payload = call.payload
    cwd = word(payload, "cwd") or call.working_directory
    session_id = session_of(payload.get("session_id"), cwd)
    return hook_scene(call, event, session_id, extra=unknown_fields(payload, _KNOWN))


def _draft_start(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    return (scene.draft_start(word(call.payload, "source") or "startup"),)


def _draft_end(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    reason = word(call.payload, "reason")
    return (scene.draft(EventType.SESSION_END, fingerprint="end", reason=reason),)


def _draft_prompt(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    prompt = text_of(call.payload.get("prompt"))
    context = prompt_of(prompt)[1]
    return tuple(
        draft for said in hear(prompt) for draft in scene.draft_said(said, hook_context=context)
    )


def _draft_reply(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    prompt, _ = prompt_of(text_of(call.payload.get("prompt")))
    reply = text_of(call.payload.get("prompt_response"))
    if reply.strip() == NO_REPLY:
        reply = ""
    stopped = scene.draft_stop("", prompt)
    if not clean_words(reply).strip():
        return (stopped,)
    transcript = word(call.payload, "transcript_path")
    asked = PromptReply(prompt=prompt, reply=reply, at_ms=scene.timestamp_ms)
    words = as_written(Path(transcript), asked) if transcript else ""
    said = scene.draft(EventType.ASSISTANT_MESSAGE, words or reply, fingerprint=reply_print(prompt))
    return said, stopped


def _draft_call(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    return (_tool(call).draft_call(scene),)


def _tool(call: HookCall) -> ToolUse:
    return ToolUse(
        name=word(call.payload, "tool_name"), arguments=entry(call.payload, "tool_input")
    )


def _draft_result(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    response = entry(call.payload, "tool_response")
    said = entry(response, "llmContent")
    text = tool_words(response if said is None else said)
    error = entry(response, "error")
    answered = _tool(call).draft_result(
        scene,
        text or word(child(response, "error"), "message"),
        pick_display(entry(response, "returnDisplay")),
        error=error,
        is_error=True if error else None,
    )
    return (answered,)


def _draft_choice(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    trigger = word(call.payload, "trigger")
    text = f"compression considered ({trigger})" if trigger else "compression considered"
    return (scene.draft(EventType.NOTE, text, fingerprint=text_print("PreCompress", trigger)),)


def _draft_note(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    text = json_text(call.payload)
    return (scene.draft(EventType.NOTE, text, fingerprint=text_print(text)),)


def _draft_notice(call: HookCall, scene: Scene) -> tuple[Draft, ...]:
    text = word(call.payload, "message")
    if not text:
        return _draft_note(call, scene)
    return (scene.draft(EventType.NOTE, text, fingerprint=text_print("Notification", text)),)


_READERS: dict[str, Callable[[HookCall, Scene], tuple[Draft, ...]]] = {
    "SessionStart": _draft_start,
    "SessionEnd": _draft_end,
    "BeforeAgent": _draft_prompt,
    "AfterAgent": _draft_reply,
    "BeforeTool": _draft_call,
    "AfterTool": _draft_result,
    "PreCompress": _draft_choice,
    "Notification": _draft_notice,
}
