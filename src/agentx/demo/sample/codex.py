"""A session as Codex tells it: hook payloads, and the rollout in its home.

Ids: a `turn_id` and a `tool_use_id` (`call_id` in the rollout) are the same in both.
Codex has two tools here, the shell and `apply_patch`; its hooks do not say how a
command ended, the rollout does. The rollout tells everything twice, once for the
model and once for the screen, as the real one does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from agentx.demo.sample.likeness import Payload, Place, hexes, letters, make_dated_uuid
from agentx.demo.sample.script import Patch, Shell, Write, whole
from agentx.demo.sample.timeline import PromptTurn, Said, SampleSession, Step, Summarised, ToolCall
from agentx.kernel.clock import to_iso
from agentx.kernel.errors import InvalidValue

_VERSION = "0.166.0"
_MODEL = "gpt-5.2-codex"
_MODES = {"default": "default", "acceptEdits": "acceptEdits"}


# --- hooks ----------------------------------------------------------------------------------


def hook_calls(session: SampleSession, place: Place) -> Iterator[tuple[int, Payload]]:
    """Yield every hook payload of a session with its time."""
    common: Payload = {
        "session_id": session.session_id,
        "transcript_path": place.transcript(_rollout_path(session)),
        "cwd": session.directory,
    }
    start = {"permission_mode": "default", "source": "startup"}
    yield session.start_ms, {**common, "hook_event_name": "SessionStart", "model": _MODEL, **start}
    for turn in session.turns:
        yield from _turn_hooks(turn, common)
    end = {"hook_event_name": "SessionEnd", "reason": session.end_reason}
    yield session.end_ms, {**common, **end}


def _turn_hooks(turn: PromptTurn, common: Payload) -> Iterator[tuple[int, Payload]]:
    def event(name: str, **own: object) -> Payload:
        id_ = {"session_id": common["session_id"], "turn_id": _turn_id(turn)}
        mode = {"model": _MODEL, "permission_mode": _MODES[turn.mode]}
        return {**id_, **common, "hook_event_name": name, **mode, **own}

    yield turn.at_ms, event("UserPromptSubmit", prompt=turn.prompt)
    for step in turn.steps:
        if isinstance(step, ToolCall):
            name, request, answer = _hook_tool(step)
            asked: Payload = {"tool_name": name, "tool_input": request}
            id_: Payload = {"tool_use_id": _call_id(step)}
            yield step.at_ms, event("PreToolUse", **asked, **id_)
            yield step.done_ms, event("PostToolUse", **asked, tool_response=answer, **id_)
        elif isinstance(step, Summarised):
            yield step.at_ms, event("PreCompact", trigger=step.trigger)
            yield step.done_ms, event("PostCompact", trigger=step.trigger)
    if not turn.is_interrupted:
        stopped: Payload = {"stop_hook_active": False, "last_assistant_message": turn.reply}
        yield turn.replied_ms, event("Stop", **stopped)


def _hook_tool(call: ToolCall) -> tuple[str, Payload, str]:
    match call.action:
        case Shell(command=command, output=output):
            return "Bash", {"command": whole(command)}, whole(output)
        case Patch() | Write():
            return "apply_patch", {"command": _patch(call.action)}, _make_patch(call.action)
        case _:
            raise _unknown(call)


# --- rollout --------------------------------------------------------------------------------


def transcripts(session: SampleSession, place: Place) -> Iterator[tuple[str, str]]:
    """Yield the rollout of a session: path in the home, and text."""
    rollout = _Rollout(session)
    rollout.add(session.start_ms, "session_meta", _meta(session))
    for turn in session.turns:
        rollout.begin(turn)
        for step in turn.steps:
            rollout.step(turn, step)
        rollout.finish(turn)
    yield _rollout_path(session), place.lines(rollout.lines)


@dataclass(slots=True)
class _Rollout:
    session: SampleSession
    lines: list[Payload] = field(default_factory=list)

    def add(self, at_ms: int, kind: str, payload: Payload) -> None:
        self.lines.append(
            {
                "timestamp": to_iso(at_ms),
                "ordinal": len(self.lines),
                "type": kind,
                "payload": payload,
            }
        )

    def item(self, at_ms: int, turn: PromptTurn, payload: Payload) -> None:
        passed = {"turn_id": _turn_id(turn), "create_time": at_ms / 1000}
        marked = {**payload, "internal_chat_message_metadata_passthrough": passed}
        self.add(at_ms, "response_item", marked)

    def show(self, begun_ms: int, at_ms: int, turn: PromptTurn, item: Payload) -> None:
        payload = {
            "type": "item_completed",
            "thread_id": self.session.session_id,
            "turn_id": _turn_id(turn),
            "item": item,
            "started_at_ms": begun_ms,
            "completed_at_ms": at_ms,
        }
        self.add(at_ms, "event_msg", payload)

    def begin(self, turn: PromptTurn) -> None:
        turn_id = _turn_id(turn)
        started = {
            "type": "task_started",
            "turn_id": turn_id,
            "root_turn_id": turn_id,
            "started_at": turn.at_ms // 1000,
            "model_context_window": 258_400,
            "collaboration_mode_kind": "default",
        }
        self.add(turn.at_ms, "event_msg", started)
        if turn is self.session.turns[0]:
            self.item(turn.at_ms, turn, _message("user", _surroundings(self.session), turn.key))
        context = {
            "turn_id": turn_id,
            "cwd": self.session.directory,
            "approval_policy": "on-request",
            "sandbox_policy": {"type": "workspace-write"},
            "model": _MODEL,
            "effort": "medium",
            "summary": "auto",
        }
        self.add(turn.at_ms, "turn_context", context)
        key = f"{turn.key}/prompt"
        self.item(turn.at_ms, turn, _message("user", turn.prompt, key))
        content = [{"type": "text", "text": turn.prompt, "text_elements": []}]
        said = {"type": "UserMessage", "id": make_dated_uuid(turn.at_ms, key), "content": content}
        self.show(turn.at_ms, turn.at_ms, turn, said)

    def step(self, turn: PromptTurn, step: Step) -> None:
        match step:
            case Said():
                self.reply(turn, step.at_ms, step.key, step.text, "commentary")
            case ToolCall(action=Shell() as action):
                self.command(turn, step, action)
            case ToolCall(action=(Patch() | Write()) as action):
                self.patch(turn, step, action)
            case Summarised():
                self.add(step.done_ms, "compacted", {"message": step.summary})
                self.add(step.done_ms, "event_msg", {"type": "context_compacted"})
            case _:
                raise _unknown(step)

    def reply(self, turn: PromptTurn, at_ms: int, key: str, text: str, phase: str) -> None:
        message = _message("assistant", text, key)
        shown = {
            "type": "AgentMessage",
            "id": message["id"],
            "content": [{"type": "Text", "text": text}],
            "phase": phase,
        }
        self.show(at_ms, at_ms, turn, shown)
        self.item(at_ms, turn, {**message, "status": "completed", "phase": phase})

    def command(self, turn: PromptTurn, call: ToolCall, action: Shell) -> None:
        command, output, id_ = whole(action.command), whole(action.output), _call_id(call)
        asked = {
            "type": "function_call",
            "status": "completed",
            "id": "fc_" + hexes(24, "function", call.key),
            "name": "exec_command",
            "arguments": json.dumps({"cmd": command}, ensure_ascii=False),
            "call_id": id_,
        }
        self.item(call.at_ms, turn, asked)
        took_ms = call.done_ms - call.at_ms
        ran = {
            "type": "CommandExecution",
            "id": id_,
            "command": ["/bin/bash", "-lc", command],
            "cwd": f"file://{self.session.directory}",
            "source": "unified_exec_startup",
            "status": "failed" if action.exit else "completed",
            "aggregated_output": output,
            "exit_code": action.exit,
            "duration": {"secs": took_ms // 1000, "nanos": took_ms % 1000 * 1_000_000},
        }
        self.show(call.at_ms, call.done_ms, turn, ran)
        told = (
            f"Chunk ID: {hexes(6, 'chunk', call.key)}\n"
            f"Wall time: {took_ms / 1000:.4f} seconds\n"
            f"Process exited with code {action.exit}\n"
            f"Original token count: {len(output) // 4}\n"
            f"Output:\n{output}"
        )
        answer = {"type": "function_call_output", "call_id": id_, "output": told}
        self.item(call.done_ms, turn, answer)

    def patch(self, turn: PromptTurn, call: ToolCall, action: Patch | Write) -> None:
        id_ = _call_id(call)
        asked = {
            "type": "custom_tool_call",
            "status": "completed",
            "call_id": id_,
            "name": "apply_patch",
            "input": _patch(action),
        }
        self.item(call.at_ms, turn, asked)
        changed = {
            "type": "FileChange",
            "id": id_,
            "changes": {action.path: _change(action)},
            "status": "completed",
        }
        self.show(call.at_ms, call.done_ms, turn, changed)
        answer = {"type": "custom_tool_call_output", "call_id": id_, "output": _make_patch(action)}
        self.item(call.done_ms, turn, answer)

    def finish(self, turn: PromptTurn) -> None:
        turn_id = _turn_id(turn)
        if turn.is_interrupted:
            aborted = {"type": "turn_aborted", "turn_id": turn_id, "reason": "interrupted"}
            self.add(turn.replied_ms, "event_msg", aborted)
            return
        self.reply(turn, turn.replied_ms, f"{turn.key}/reply", turn.reply, "final_answer")
        done = {
            "type": "task_complete",
            "root_turn_id": turn_id,
            "turn_id": turn_id,
            "last_agent_message": turn.reply,
            "started_at": turn.at_ms // 1000,
            "completed_at": turn.replied_ms // 1000,
            "duration_ms": turn.replied_ms - turn.at_ms,
        }
        self.add(turn.replied_ms, "event_msg", done)


def _meta(session: SampleSession) -> Payload:
    return {
        "session_id": session.session_id,
        "id": session.session_id,
        "timestamp": to_iso(session.start_ms),
        "cwd": session.directory,
        "originator": "codex_cli_rs",
        "cli_version": _VERSION,
        "source": "cli",
        "thread_source": "user",
        "model_provider": "openai",
        "git": {"branch": session.branch},
    }


def _surroundings(session: SampleSession) -> str:
    day = to_iso(session.start_ms)[:10]
    return (
        f"<environment_context>\n  <cwd>{session.directory}</cwd>\n  <shell>bash</shell>\n"
        f"  <current_date>{day}</current_date>\n  <timezone>Etc/UTC</timezone>\n"
        "</environment_context>"
    )


def _message(role: str, text: str, key: str) -> Payload:
    kind = "output_text" if role == "assistant" else "input_text"
    return {
        "type": "message",
        "id": "msg_" + hexes(32, "message", role, key),
        "role": role,
        "content": [{"type": kind, "text": text}],
    }


# --- ids, paths, patches --------------------------------------------------------------------


def _turn_id(turn: PromptTurn) -> str:
    return make_dated_uuid(turn.at_ms, "turn", turn.key)


def _call_id(call: ToolCall) -> str:
    return "call_" + letters(24, "call", call.key)


def _rollout_path(session: SampleSession) -> str:
    stamp = to_iso(session.start_ms)[:19]
    day, time = stamp.split("T")
    name = f"rollout-{day}T{time.replace(':', '-')}-{session.session_id}.jsonl"
    return f".codex/sessions/{day.replace('-', '/')}/{name}"


def _patch(action: Patch | Write) -> str:
    if isinstance(action, Patch):
        body = [f"*** Update File: {action.path}", "@@", *action.hunk]
    else:
        lines = whole(action.text).split("\n")
        body = [f"*** Add File: {action.path}", *(f"+{line}" for line in lines)]
    return "\n".join(["*** Begin Patch", *body, "*** End Patch"]) + "\n"


def _make_patch(action: Patch | Write) -> str:
    letter = "M" if isinstance(action, Patch) else "A"
    return (
        "Exit code: 0\nWall time: 0 seconds\nOutput:\n"
        f"Success. Updated the following files:\n{letter} {action.path}\n"
    )


def _change(action: Patch | Write) -> Payload:
    if isinstance(action, Write):
        return {"type": "add", "content": whole(action.text) + "\n"}
    removed = sum(not line.startswith("+") for line in action.hunk)
    added = sum(not line.startswith("-") for line in action.hunk)
    header = f"@@ -{action.line},{removed} +{action.line},{added} @@"
    diff = "\n".join([header, *action.hunk]) + "\n"
    return {"type": "update", "unified_diff": diff, "move_path": None}


def _unknown(step: Step) -> InvalidValue:
    return InvalidValue(f"{step.key}: Codex has no such step", hint="use shell, edit or write")
