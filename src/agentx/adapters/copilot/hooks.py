"""What one hook payload of Copilot CLI says, in either of its spellings (see `names.py`).

Identity, shared with `transcripts.py`. Hooks carry no ids but the session's, so almost
everything is told apart by what it says and how often it was said:

| kind                 | source id | fingerprint of                                             |
|----------------------|-----------|------------------------------------------------------------|
| session_start        | `startup` | `resume`                                                   |
| user_message         |           | the text                                                   |
| tool_call, _result   |           | tool and arguments                                         |
| assistant_message    |           | the text                                                   |
| assistant_stop       |           | `stop`                                                     |
| subagent_start, _stop|           | the agent's name                                           |
| compaction           |           | `compaction`                                               |
| session_end          |           | `end`                                                      |
| note                 |           | an error: its message; else event and payload              |

`postToolUse` tells the call as well. `preToolUse` tells nothing: it has no id that would
join the two, and a refused call is in the session's events. camelCase payloads do not
name their event; it is known by its fields.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentx.adapters.copilot.names import SHELL, find_exit_code, tool_use
from agentx.adapters.port import HookCall
from agentx.adapters.scene import Scene, hook_scene
from agentx.adapters.shapes import (
    child,
    entry,
    json_text,
    session_of,
    text_of,
    unknown_fields,
    word,
)
from agentx.adapters.tools import ToolUse, call_text, exit_code, result_text
from agentx.adapters.voices import hear_words
from agentx.kernel.capture import Draft, EventType, text_print

Payload = dict[str, Any]
Drafts = tuple[Draft, ...]

_KNOWN = frozenset(
    {
        "sessionId", "session_id", "timestamp", "cwd", "hook_event_name", "hookEventName",
        "source", "initialPrompt", "initial_prompt", "reason", "prompt", "transformedPrompt",
        "transformed_prompt", "toolName", "tool_name", "toolArgs", "tool_args", "tool_input",
        "toolResult", "tool_result", "tool_response", "error", "errorContext", "error_context",
        "recoverable", "transcriptPath", "transcript_path", "stopReason", "stop_reason",
        "stop_hook_active", "stopHookActive", "agentId", "agent_id", "agentType", "agent_type",
        "agentName", "agent_name", "agentDisplayName", "agent_display_name", "agentDescription",
        "agent_description", "response", "last_assistant_message", "trigger", "message", "title",
        "customInstructions", "custom_instructions", "notification_type", "notificationType",
    }
)  # fmt: skip

# How a payload that does not name its event is known: the first whose fields are all there.
_SIGNS: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    ("posttooluse", (("toolName", "tool_name"), ("toolResult", "tool_result", "tool_response"))),
    ("posttoolusefailure", (("toolName", "tool_name"), ("error",))),
    ("pretooluse", (("toolName", "tool_name"),)),
    ("userprompttransformed", (("transformedPrompt", "transformed_prompt"),)),
    ("userpromptsubmitted", (("prompt",),)),
    ("erroroccurred", (("error",),)),
    ("subagentstop", (("agentName", "agent_name", "agentId"), ("stopReason", "response"))),
    ("subagentstart", (("agentName", "agent_name"),)),
    ("agentstop", (("stopReason", "stop_reason"),)),
    ("precompact", (("trigger",),)),
    ("notification", (("notification_type", "notificationType"),)),
    ("sessionend", (("reason",),)),
    ("sessionstart", (("source", "initialPrompt"),)),
)


def drafts(call: HookCall) -> Drafts:
    """Return the events that one hook payload tells. Never raises."""
    event = _event(call.payload)
    tell = _TELLERS.get(event.lower())
    scene = _scene(call, event, known=tell is not None)
    if tell is None:
        return (scene.draft_note(json_text(call.payload), call.payload),)
    return tell(scene, call.payload)


def _event(payload: Payload) -> str:
    named = word(payload, "hook_event_name", "hookEventName")
    if named:
        return named
    for event, signs in _SIGNS:
        if all(entry(payload, *names) is not None for names in signs):
            return event
    return ""


def _scene(call: HookCall, event: str, *, known: bool) -> Scene:
    payload = call.payload
    return hook_scene(
        call,
        event,
        session_of(entry(payload, "sessionId", "session_id"), call.working_directory),
        subagent=entry(payload, "agentId", "agent_id"),
        agent_type=entry(payload, "agentType", "agent_type"),
        extra=unknown_fields(payload, _KNOWN) if known else None,
    )


def _session_start(scene: Scene, payload: Payload) -> Drafts:
    return (
        scene.draft_start(
            word(payload, "source"),
            initial_prompt=entry(payload, "initialPrompt", "initial_prompt"),
        ),
    )


def _session_end(scene: Scene, payload: Payload) -> Drafts:
    reason = word(payload, "reason")
    return (scene.draft(EventType.SESSION_END, fingerprint="end", reason=reason),)


def _prompt(scene: Scene, payload: Payload) -> Drafts:
    return scene.draft_said(hear_words(text_of(payload.get("prompt"))))


def _tool(payload: Payload) -> ToolUse:
    return tool_use(
        word(payload, "toolName", "tool_name"),
        entry(payload, "toolArgs", "tool_args", "tool_input"),
    )


def _post_tool(scene: Scene, payload: Payload) -> Drafts:
    tool = _tool(payload)
    result = entry(payload, "toolResult", "tool_result", "tool_response")
    kind = word(result, "resultType", "result_type")
    words = word(result, "textResultForLlm", "text_result_for_llm") or result_text(result)
    code = find_exit_code(words) if tool.name == SHELL else None
    failed = kind not in ("", "success") or bool(code)
    answered = tool.draft_result(
        scene, words, None, is_error=failed, exit_code=code, result_type=kind
    )
    return (tool.draft_call(scene), answered)


def _tool_failure(scene: Scene, payload: Payload) -> Drafts:
    tool = _tool(payload)
    error = _error_text(payload)
    answered = tool.draft_result(scene, error, None, is_error=True, exit_code=exit_code(error))
    return (tool.draft_call(scene), answered)


def _permission(scene: Scene, payload: Payload) -> Drafts:
    tool = _tool(payload)
    asked = call_text(tool.name, tool.arguments)
    return (scene.draft_note(f"permission asked for {asked}", payload),)


def _stop(scene: Scene, payload: Payload) -> Drafts:
    words = text_of(payload.get("last_assistant_message"))
    stopped = scene.draft(
        EventType.ASSISTANT_STOP,
        fingerprint="stop",
        stop_reason=entry(payload, "stopReason", "stop_reason"),
    )
    return (*scene.draft_words(EventType.ASSISTANT_MESSAGE, words), stopped)


def _subagent(scene: Scene, payload: Payload, event_type: EventType) -> Draft:
    name = word(payload, "agentName", "agent_name", "agentType", "agent_type")
    about = word(payload, "agentDescription", "agent_description")
    return scene.draft(
        event_type,
        name,
        fingerprint=text_print("subagent", name),
        agent_name=name,
        agent_description=about,
    )


def _subagent_start(scene: Scene, payload: Payload) -> Drafts:
    return (_subagent(scene, payload, EventType.SUBAGENT_START),)


def _subagent_stop(scene: Scene, payload: Payload) -> Drafts:
    words = text_of(entry(payload, "response", "last_assistant_message"))
    stopped = _subagent(scene, payload, EventType.SUBAGENT_STOP)
    return (*scene.draft_words(EventType.ASSISTANT_MESSAGE, words), stopped)


def _error(scene: Scene, payload: Payload) -> Drafts:
    return scene.draft_words(
        EventType.NOTE,
        _error_text(payload) or json_text(payload),
        error=word(child(payload, "error"), "name") or "error",
        error_context=entry(payload, "errorContext", "error_context"),
        recoverable=payload.get("recoverable"),
    )


def _compaction(scene: Scene, payload: Payload) -> Drafts:
    return (
        scene.draft(
            EventType.COMPACTION,
            fingerprint="compaction",
            trigger=payload.get("trigger"),
            custom_instructions=entry(payload, "customInstructions", "custom_instructions"),
        ),
    )


def _notification(scene: Scene, payload: Payload) -> Drafts:
    parts = (word(payload, "title"), text_of(payload.get("message")))
    return (scene.draft_note(": ".join(part for part in parts if part), payload),)


def _nothing(_scene: Scene, _payload: Payload) -> Drafts:
    return ()


def _error_text(payload: Payload) -> str:
    error = payload.get("error")
    return word(error, "message") or result_text(error)


_TELLERS: dict[str, Callable[[Scene, Payload], Drafts]] = {
    "sessionstart": _session_start,
    "sessionend": _session_end,
    "userpromptsubmitted": _prompt,
    "userpromptsubmit": _prompt,
    "userprompttransformed": _nothing,  # userPromptSubmitted told what the user wrote
    "pretooluse": _nothing,
    "posttooluse": _post_tool,
    "posttoolusefailure": _tool_failure,
    "permissionrequest": _permission,
    "agentstop": _stop,
    "stop": _stop,
    "subagentstart": _subagent_start,
    "subagentstop": _subagent_stop,
    "erroroccurred": _error,
    "precompact": _compaction,
    "notification": _notification,
}
