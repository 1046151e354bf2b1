"""What one hook payload of Codex says.

Identity, shared with `transcripts.py`:

| kind                 | source id                        | without it, the fingerprint of      |
|----------------------|----------------------------------|-------------------------------------|
| session_start        | `startup` (also clear)           | `resume`, `compact`                 |
| user_message         | turn id : print of the text      | the text                            |
| tool_call, _result   | call id                          | tool and arguments                  |
| assistant_message    | turn id : print of the text      | the text                            |
| assistant_stop       | turn id                          | the last words                      |
| subagent_start, _stop| agent id (its thread's id)       | agent type                          |
| compaction           |                                  | the turn it happened in             |
| session_end          |                                  | the reason                          |
| note                 | abort, error: turn id : print    | event and payload                   |

A subagent's turns have ids of their own, so its words need no other mark. Codex has no
hook for a failed tool: the rollout tells it. The older `notify` program is understood too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentx.adapters.codex.prompts import hear
from agentx.adapters.port import HookCall
from agentx.adapters.scene import Scene, hook_scene
from agentx.adapters.shapes import (
    entry,
    json_text,
    limit_id,
    session_of,
    text_of,
    unknown_fields,
    word,
)
from agentx.adapters.tools import call_text, result_text, tool_of
from agentx.kernel.capture import Draft, EventType, text_print

Payload = dict[str, Any]
Drafts = tuple[Draft, ...]

_NOTIFY = "agent-turn-complete"
_KNOWN = frozenset(
    {
        "session_id", "turn_id", "transcript_path", "cwd", "hook_event_name", "model",
        "permission_mode", "source", "prompt", "agent_id", "agent_type", "tool_name",
        "tool_input", "tool_use_id", "tool_response", "stop_hook_active", "trigger", "reason",
        "last_assistant_message", "agent_transcript_path", "timestamp", "type", "thread-id",
        "turn-id", "client", "input-messages", "last-assistant-message",
    }
)  # fmt: skip


def drafts(call: HookCall) -> Drafts:
    """Return the events that one hook payload tells. Never raises."""
    event = word(call.payload, "hook_event_name", "type")
    tell = _TELLERS.get(event)
    scene = _scene(call, event, known=tell is not None)
    if tell is None:
        return (scene.draft_note(json_text(call.payload), call.payload),)
    return tell(scene, call.payload)


def _scene(call: HookCall, event: str, *, known: bool) -> Scene:
    payload = call.payload
    return hook_scene(
        call,
        event,
        session_of(entry(payload, "session_id", "thread-id"), call.working_directory),
        model=payload.get("model"),
        permission_mode=payload.get("permission_mode"),
        turn_id=entry(payload, "turn_id", "turn-id"),
        subagent=payload.get("agent_id"),
        agent_type=payload.get("agent_type"),
        extra=unknown_fields(payload, _KNOWN) if known else None,
    )


def _turn(payload: Payload) -> str:
    return limit_id(entry(payload, "turn_id", "turn-id"))


def _session_start(scene: Scene, payload: Payload) -> Drafts:
    return (scene.draft_start(word(payload, "source")),)


def _prompt(scene: Scene, payload: Payload) -> Drafts:
    return _hear(scene, text_of(payload.get("prompt")), _turn(payload))


def _hear(scene: Scene, text: str, turn: str) -> Drafts:
    return tuple(draft for said in hear(text) for draft in scene.draft_said(said, turn=turn))


def _pre_tool(scene: Scene, payload: Payload) -> Drafts:
    return (tool_of(payload).draft_call(scene),)


def _post_tool(scene: Scene, payload: Payload) -> Drafts:
    tool, response = tool_of(payload), payload.get("tool_response")
    return (tool.draft_call(scene), tool.draft_result(scene, result_text(response), response))


def _permission(scene: Scene, payload: Payload) -> Drafts:
    asked = call_text(word(payload, "tool_name"), payload.get("tool_input"))
    return (scene.draft_note(f"permission asked for {asked}", payload),)


def _stop(scene: Scene, payload: Payload) -> Drafts:
    words = text_of(entry(payload, "last_assistant_message", "last-assistant-message"))
    turn = _turn(payload)
    said = scene.draft_words(EventType.ASSISTANT_MESSAGE, words, turn=turn)
    return (*said, scene.draft_stop(turn, words))


def _turn_complete(scene: Scene, payload: Payload) -> Drafts:
    prompts = payload.get("input-messages")
    texts = [text_of(prompt) for prompt in prompts] if isinstance(prompts, list) else []
    turn = _turn(payload)
    said = (draft for text in texts for draft in _hear(scene, text, turn))
    return (*said, *_stop(scene, payload))


def _subagent(scene: Scene, payload: Payload, event_type: EventType) -> Draft:
    kind = word(payload, "agent_type")
    return scene.draft(
        event_type,
        kind,
        source_id=limit_id(payload.get("agent_id")),
        fingerprint=text_print("subagent", kind),
        agent_transcript_path=payload.get("agent_transcript_path"),
    )


def _subagent_start(scene: Scene, payload: Payload) -> Drafts:
    return (_subagent(scene, payload, EventType.SUBAGENT_START),)


def _subagent_stop(scene: Scene, payload: Payload) -> Drafts:
    words = text_of(payload.get("last_assistant_message"))
    said = scene.draft_words(EventType.ASSISTANT_MESSAGE, words, turn=_turn(payload))
    return (*said, _subagent(scene, payload, EventType.SUBAGENT_STOP))


def _compaction_begins(scene: Scene, payload: Payload) -> Drafts:
    trigger = word(payload, "trigger")
    return (scene.draft_note(f"compaction begins: {trigger}", payload, trigger=trigger),)


def _compaction(scene: Scene, payload: Payload) -> Drafts:
    return (
        scene.draft(
            EventType.COMPACTION,
            fingerprint=f"compaction:{_turn(payload)}",
            trigger=payload.get("trigger"),
        ),
    )


def _session_end(scene: Scene, payload: Payload) -> Drafts:
    reason = word(payload, "reason") or "other"
    return (scene.draft(EventType.SESSION_END, fingerprint=f"end:{reason}", reason=reason),)


def _interrupt(scene: Scene, payload: Payload) -> Drafts:
    turn = _turn(payload)
    if not turn:
        return (scene.draft_note("turn interrupted", payload),)
    return scene.draft_words(EventType.NOTE, "turn interrupted", turn=turn)


_TELLERS: dict[str, Callable[[Scene, Payload], Drafts]] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _prompt,
    "PreToolUse": _pre_tool,
    "PostToolUse": _post_tool,
    "PermissionRequest": _permission,
    "Stop": _stop,
    "SubagentStart": _subagent_start,
    "SubagentStop": _subagent_stop,
    "PreCompact": _compaction_begins,
    "PostCompact": _compaction,
    "SessionEnd": _session_end,
    "Interrupt": _interrupt,
    _NOTIFY: _turn_complete,
}
