"""What one hook payload of Claude Code says.

Identity, shared with `transcripts.py`:

| kind                 | source id                          | without it, the fingerprint of    |
|----------------------|------------------------------------|-----------------------------------|
| session_start        | `startup` (also clear, fork)       | `resume`, `compact`               |
| user_message         | prompt id : print of the text      | the text                          |
| tool_call, _result   | tool use id                        | tool and arguments                |
| assistant_message    | prompt id : print of the text      | the text                          |
| assistant_stop       | prompt id                          | the last words                    |
| subagent_start, _stop| agent id                           | agent type                        |
| ... its messages     | agent id : print of the text       |                                   |
| compaction           |                                    | its trigger                       |
| session_end          | reason : prompt id                 | the reason                        |
| note                 | error of a turn: prompt id : print | event and payload                 |

`last_assistant_message` is the text of the last *line* of the transcript that the
assistant wrote, not of the whole API message: so the transcript gives an event a line.
`PostToolUse` tells the call as well, in case `PreToolUse` is not hooked. `PreCompact` is
a note, because the compaction may still be refused; `PostCompact` is the compaction.
`MessageDisplay` streams fragments of what `Stop` and the transcript hold whole: nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentx.adapters.claude_code.prompts import hear
from agentx.adapters.port import HookCall
from agentx.adapters.scene import Scene, hook_scene
from agentx.adapters.shapes import (
    child,
    entry,
    json_text,
    limit_id,
    objects,
    session_of,
    text_of,
    unknown_fields,
    word,
)
from agentx.adapters.tools import call_text, exit_code, result_text, tool_of
from agentx.kernel.capture import Draft, EventType, text_print

Payload = dict[str, Any]
Drafts = tuple[Draft, ...]

# Fields that have a place of their own in the draft or its metadata.
_KNOWN = frozenset(
    {
        "session_id", "prompt_id", "transcript_path", "cwd", "permission_mode", "effort",
        "hook_event_name", "agent_id", "agent_type", "timestamp", "source", "model",
        "session_title", "prompt", "expansion_type", "command_name", "command_args",
        "command_source", "tool_name", "tool_input", "tool_use_id", "tool_response",
        "duration_ms", "error", "error_details", "is_interrupt", "reason", "tool_calls",
        "stop_hook_active", "last_assistant_message", "background_tasks", "session_crons",
        "agent_transcript_path", "trigger", "custom_instructions", "compact_summary",
    }
)  # fmt: skip

# Events that are told in a sentence: what happened, and the fields that say to what.
_SENTENCES: dict[str, tuple[str, tuple[str, ...]]] = {
    "Setup": ("setup", ("trigger",)),
    "Notification": ("", ("title", "message")),
    "TeammateIdle": ("teammate idle", ("teammate_name",)),
    "TaskCreated": ("task created", ("task_subject", "task_description")),
    "TaskCompleted": ("task completed", ("task_subject", "task_description")),
    "InstructionsLoaded": ("instructions loaded", ("file_path", "load_reason")),
    "ConfigChange": ("settings changed", ("source", "file_path")),
    "CwdChanged": ("working directory changed", ("old_cwd", "new_cwd")),
    "DirectoryAdded": ("directory added", ("directory",)),
    "FileChanged": ("file changed", ("event", "file_path")),
    "WorktreeCreate": ("worktree created", ("name",)),
    "WorktreeRemove": ("worktree removed", ("worktree_path",)),
    "PreCompact": ("compaction begins", ("trigger", "custom_instructions")),
    "Elicitation": ("asked by an MCP server", ("mcp_server_name", "message")),
    "ElicitationResult": ("answered to an MCP server", ("mcp_server_name", "action")),
}


def drafts(call: HookCall) -> Drafts:
    """Return the events that one hook payload tells. Never raises."""
    event = word(call.payload, "hook_event_name")
    scene = _scene(call, event)
    if event in _SENTENCES:
        return _sentence(scene, call.payload, event)
    return _TELLERS.get(event, _unknown)(scene, call.payload)


def _scene(call: HookCall, event: str) -> Scene:
    payload = call.payload
    known = _KNOWN | frozenset(_SENTENCES[event][1]) if event in _SENTENCES else _KNOWN
    return hook_scene(
        call,
        event,
        session_of(payload.get("session_id"), call.working_directory),
        permission_mode=payload.get("permission_mode"),
        effort=child(payload, "effort").get("level"),
        prompt_id=payload.get("prompt_id"),
        subagent=payload.get("agent_id"),
        agent_type=payload.get("agent_type"),
        extra=unknown_fields(payload, known) if event in _ALL else None,
    )


def _turn(payload: Payload) -> str:
    """Return the id that words are told apart by: a subagent's own, else the prompt's."""
    return limit_id(entry(payload, "agent_id", "prompt_id"))


def _session_start(scene: Scene, payload: Payload) -> Drafts:
    return (
        scene.draft_start(
            word(payload, "source"),
            model=payload.get("model"),
            session_title=payload.get("session_title"),
        ),
    )


def _prompt(scene: Scene, payload: Payload) -> Drafts:
    turn = _turn(payload)
    heard = hear(text_of(payload.get("prompt")))
    return tuple(draft for said in heard for draft in scene.draft_said(said, turn=turn))


def _expansion(scene: Scene, payload: Payload) -> Drafts:
    name = word(payload, "command_name").lstrip("/")
    typed = f"/{name} {text_of(payload.get('command_args'))}".strip() if name else ""
    prompt = text_of(payload.get("prompt"))
    text = prompt if prompt.startswith("/") or not typed else typed
    return scene.draft_words(
        EventType.USER_MESSAGE,
        text,
        turn=_turn(payload),
        command_source=payload.get("command_source"),
    )


def _pre_tool(scene: Scene, payload: Payload) -> Drafts:
    return (tool_of(payload).draft_call(scene),)


def _post_tool(scene: Scene, payload: Payload) -> Drafts:
    tool = tool_of(payload)
    response = payload.get("tool_response")
    answered = tool.draft_result(
        scene,
        result_text(response),
        response,
        is_error=False,
        duration_ms=payload.get("duration_ms"),
    )
    return (tool.draft_call(scene), answered)


def _tool_failure(scene: Scene, payload: Payload) -> Drafts:
    tool = tool_of(payload)
    error = result_text(payload.get("error"))
    answered = tool.draft_result(
        scene,
        error,
        None,
        is_error=True,
        exit_code=exit_code(error),
        interrupted=payload.get("is_interrupt"),
        duration_ms=payload.get("duration_ms"),
    )
    return (tool.draft_call(scene), answered)


def _tool_batch(scene: Scene, payload: Payload) -> Drafts:
    calls = objects(payload.get("tool_calls"))
    # Only calls with an id: without one, PostToolUse has told them and nothing would join the two.
    return tuple(
        draft
        for one in calls
        if limit_id(one.get("tool_use_id"))
        for draft in _post_tool(scene, one)
    )


def _permission(scene: Scene, payload: Payload) -> Drafts:
    asked = call_text(word(payload, "tool_name"), payload.get("tool_input"))
    denied = word(payload, "hook_event_name") == "PermissionDenied"
    reason = word(payload, "reason")
    text = f"permission {'denied' if denied else 'asked'} for {asked}"
    return (scene.draft_note(f"{text} ({reason})" if reason else text, payload),)


def _stop(scene: Scene, payload: Payload) -> Drafts:
    last_words = text_of(payload.get("last_assistant_message"))
    turn = _turn(payload)
    stopped = scene.draft_stop(turn, last_words, background_tasks=payload.get("background_tasks"))
    return (*scene.draft_words(EventType.ASSISTANT_MESSAGE, last_words, turn=turn), stopped)


def _stop_failure(scene: Scene, payload: Payload) -> Drafts:
    error = text_of(payload.get("error")) or "unknown"
    words = text_of(payload.get("last_assistant_message"))
    details = payload.get("error_details")
    if not words:
        return (scene.draft_note(f"turn failed: {error}", payload, error_details=details),)
    return scene.draft_words(
        EventType.NOTE, words, turn=_turn(payload), error=error, error_details=details
    )


def _subagent_start(scene: Scene, payload: Payload) -> Drafts:
    kind = word(payload, "agent_type")
    return (
        scene.draft(
            EventType.SUBAGENT_START,
            kind,
            source_id=limit_id(payload.get("agent_id")),
            fingerprint=text_print("subagent", kind),
        ),
    )


def _subagent_stop(scene: Scene, payload: Payload) -> Drafts:
    kind = word(payload, "agent_type")
    words = text_of(payload.get("last_assistant_message"))
    stopped = scene.draft(
        EventType.SUBAGENT_STOP,
        kind,
        source_id=limit_id(payload.get("agent_id")),
        fingerprint=text_print("subagent", kind),
        agent_transcript_path=payload.get("agent_transcript_path"),
    )
    return (*scene.draft_words(EventType.ASSISTANT_MESSAGE, words, turn=_turn(payload)), stopped)


def _compaction(scene: Scene, payload: Payload) -> Drafts:
    trigger = word(payload, "trigger")
    return (
        scene.draft(
            EventType.COMPACTION,
            text_of(payload.get("compact_summary")),
            fingerprint=f"compaction:{trigger}",
            trigger=trigger,
        ),
    )


def _session_end(scene: Scene, payload: Payload) -> Drafts:
    reason = word(payload, "reason") or "other"
    prompt = limit_id(payload.get("prompt_id"))
    return (
        scene.draft(
            EventType.SESSION_END,
            source_id=f"{reason}:{prompt}" if prompt else "",
            fingerprint=f"end:{reason}",
            reason=reason,
        ),
    )


def _sentence(scene: Scene, payload: Payload, event: str) -> Drafts:
    happened, names = _SENTENCES[event]
    said = [text_of(payload.get(name)) for name in names]
    return (scene.draft_note(": ".join(part for part in (happened, *said) if part), payload),)


def _unknown(scene: Scene, payload: Payload) -> Drafts:
    return (scene.draft_note(json_text(payload), payload),)


def _nothing(_scene: Scene, _payload: Payload) -> Drafts:
    return ()


_TELLERS: dict[str, Callable[[Scene, Payload], Drafts]] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _prompt,
    "UserPromptExpansion": _expansion,
    "PreToolUse": _pre_tool,
    "PostToolUse": _post_tool,
    "PostToolUseFailure": _tool_failure,
    "PostToolBatch": _tool_batch,
    "PermissionRequest": _permission,
    "PermissionDenied": _permission,
    "Stop": _stop,
    "StopFailure": _stop_failure,
    "SubagentStart": _subagent_start,
    "SubagentStop": _subagent_stop,
    "PostCompact": _compaction,
    "SessionEnd": _session_end,
    "MessageDisplay": _nothing,
}
_ALL = frozenset(_TELLERS) | frozenset(_SENTENCES)
