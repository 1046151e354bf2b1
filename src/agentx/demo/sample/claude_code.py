"""A session as Claude Code tells it: hook payloads, and the JSONL transcript in its home.

Ids: a prompt's `prompt_id` is `promptId` in the transcript, a `tool_use_id` is the
same in both. Hooks do not carry what the agent says between two tool calls, nor a
plan that the person sent back; only the transcript does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import assert_never

from agentx.demo.sample.claude_code_tools import (
    MODEL,
    Native,
    agent_id,
    delegation,
    native_call,
    tool_id,
)
from agentx.demo.sample.likeness import Payload, Place, letters, random_uuid
from agentx.demo.sample.timeline import (
    Delegated,
    PromptTurn,
    Said,
    SampleSession,
    Summarised,
    ToolCall,
)
from agentx.kernel.clock import to_iso
from agentx.kernel.values import frozen

_VERSION = "2.1.197"
_EFFORT = {"level": "high"}
_REFUSAL = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. "
    "To tell you how to proceed, the user said:\n"
)
_CONTINUED = (
    "This session is being continued from a previous conversation that ran out of context. "
    "The summary below covers the earlier portion of the conversation.\n\n"
)


# --- hooks ----------------------------------------------------------------------------------


def hook_calls(session: SampleSession, place: Place) -> Iterator[tuple[int, Payload]]:
    """Yield every hook payload of a session with its time."""
    hooks = _Hooks(session, place)
    yield session.start_ms, hooks.event("SessionStart", source="startup")
    for turn in session.turns:
        yield from hooks.turn(turn)
    last = session.turns[-1]
    yield (
        session.end_ms,
        hooks.event("SessionEnd", prompt_id=_prompt_id(last), reason=session.end_reason),
    )


@frozen(kw_only=False)
class _Hooks:
    session: SampleSession
    place: Place

    def event(self, name: str, **own: object) -> Payload:
        payload: Payload = {
            "session_id": self.session.session_id,
            "transcript_path": self.place.transcript(_transcript_path(self.session, self.place)),
            "cwd": self.session.directory,
        }
        for early in ("prompt_id", "permission_mode", "agent_id", "agent_type", "effort"):
            if early in own:
                payload[early] = own.pop(early)
        return {**payload, "hook_event_name": name, **own}

    def turn(self, turn: PromptTurn) -> Iterator[tuple[int, Payload]]:
        common: Payload = {"prompt_id": _prompt_id(turn), "permission_mode": turn.mode}
        yield turn.at_ms, self.event("UserPromptSubmit", **common, prompt=turn.prompt)
        working: Payload = {**common, "effort": _EFFORT}
        for step in turn.steps:
            match step:
                case Said():
                    pass
                case ToolCall():
                    yield from self.call(step, working)
                case Delegated():
                    yield from self.delegate(step, working)
                case Summarised():
                    yield from self.compact(step, common)
                case _:
                    assert_never(step)
        if not turn.is_interrupted:
            yield turn.replied_ms, self.event("Stop", **working, **_make_stop(turn.reply))

    def call(self, call: ToolCall, common: Payload) -> Iterator[tuple[int, Payload]]:
        native = native_call(call)
        asked: Payload = {"tool_name": native.name, "tool_input": native.request}
        id_: Payload = {"tool_use_id": tool_id(call.key)}
        yield call.at_ms, self.event("PreToolUse", **common, **asked, **id_)
        took: Payload = {"duration_ms": call.done_ms - call.at_ms}
        if native.error:
            failed: Payload = {"error": native.error, "is_interrupt": False}
            yield (
                call.done_ms,
                self.event("PostToolUseFailure", **common, **asked, **id_, **failed, **took),
            )
        elif not native.refusal:
            answer: Payload = {"tool_response": native.response}
            yield (
                call.done_ms,
                self.event("PostToolUse", **common, **asked, **answer, **id_, **took),
            )

    def delegate(self, step: Delegated, common: Payload) -> Iterator[tuple[int, Payload]]:
        native = delegation(step)
        asked: Payload = {"tool_name": native.name, "tool_input": native.request}
        id_: Payload = {"tool_use_id": tool_id(step.key)}
        yield step.at_ms, self.event("PreToolUse", **common, **asked, **id_)
        inside: Payload = {"agent_id": agent_id(step), "agent_type": step.kind}
        quiet = {key: value for key, value in common.items() if key != "effort"}
        yield step.at_ms + 100, self.event("SubagentStart", **quiet, **inside)
        for inner in step.steps:
            if isinstance(inner, ToolCall):
                yield from self.call(inner, {**common, **inside})
        yield (
            step.replied_ms,
            self.event(
                "SubagentStop",
                **common,
                **inside,
                **_make_stop(step.reply),
                agent_transcript_path=self.place.transcript(
                    _sub_transcript_path(self.session, self.place, step)
                ),
            ),
        )
        answer: Payload = {
            "tool_response": native.response,
            **id_,
            "duration_ms": step.done_ms - step.at_ms,
        }
        yield step.done_ms, self.event("PostToolUse", **common, **asked, **answer)

    def compact(self, step: Summarised, common: Payload) -> Iterator[tuple[int, Payload]]:
        named: Payload = {"prompt_id": common["prompt_id"], "trigger": step.trigger}
        yield step.at_ms, self.event("PreCompact", **named, custom_instructions="")
        yield (
            step.done_ms - 5,
            self.event("SessionStart", prompt_id=common["prompt_id"], source="compact"),
        )
        yield step.done_ms, self.event("PostCompact", **named, compact_summary=step.summary)


def _make_stop(reply: str) -> Payload:
    return {
        "stop_hook_active": False,
        "last_assistant_message": reply,
        "background_tasks": [],
        "session_crons": [],
    }


# --- transcript -----------------------------------------------------------------------------


def transcripts(session: SampleSession, place: Place) -> Iterator[tuple[str, str]]:
    """Yield the transcript of a session and of its sub-agents: path in the home, and text."""
    main = _Chain(session)
    for turn in session.turns:
        main.prompt(turn)
        for step in turn.steps:
            match step:
                case Said():
                    main.say(step.at_ms, step.key, step.text, last=False)
                case ToolCall():
                    main.call(step)
                case Delegated():
                    main.tool(step.at_ms, step.done_ms, step.key, delegation(step))
                    yield (
                        _sub_transcript_path(session, place, step),
                        place.lines(_side(session, step)),
                    )
                case Summarised():
                    main.compact(step)
                case _:
                    assert_never(step)
        if turn.is_interrupted:
            main.interrupt(turn)
        else:
            main.say(turn.replied_ms, f"{turn.key}/reply", turn.reply, last=True)
    main.close()
    yield _transcript_path(session, place), place.lines(main.lines)


def _side(session: SampleSession, step: Delegated) -> list[Payload]:
    side = _Chain(session, agent_id=agent_id(step))
    side.user(step.at_ms + 100, f"{step.key}/prompt", {"role": "user", "content": step.prompt})
    for inner in step.steps:
        if isinstance(inner, Said):
            side.say(inner.at_ms, inner.key, inner.text, last=False)
        else:
            side.call(inner)
    side.say(step.replied_ms, f"{step.key}/reply", step.reply, last=True)
    return side.lines


@dataclass(slots=True)
class _Chain:
    """Lines that each name the one before."""

    session: SampleSession
    agent_id: str = ""
    lines: list[Payload] = field(default_factory=list)
    parent: str | None = None
    turn: PromptTurn | None = None

    def prompt(self, turn: PromptTurn) -> None:
        self.turn = turn
        own: Payload = {"permissionMode": turn.mode, "promptSource": "typed"}
        self.user(turn.at_ms, turn.key, {"role": "user", "content": turn.prompt}, **own)

    def call(self, call: ToolCall) -> None:
        self.tool(call.at_ms, call.done_ms, call.key, native_call(call))

    def tool(self, at_ms: int, done_ms: int, key: str, native: Native) -> None:
        id_ = tool_id(key)
        use = {"type": "tool_use", "id": id_, "name": native.name, "input": native.request}
        asked = self.assistant(at_ms, key, use, "tool_use")
        failed = native.error or (_REFUSAL + native.refusal if native.refusal else "")
        result = {
            "tool_use_id": id_,
            "type": "tool_result",
            "content": failed or native.text,
            "is_error": bool(failed),
        }
        self.user(
            done_ms,
            f"{key}/result",
            {"role": "user", "content": [result]},
            toolUseResult=f"Error: {failed}" if failed else native.response,
            sourceToolAssistantUUID=asked,
        )

    def say(self, at_ms: int, key: str, text: str, *, last: bool) -> None:
        block = {"type": "text", "text": text}
        self.assistant(at_ms, key, block, "end_turn" if last else "tool_use")

    def interrupt(self, turn: PromptTurn) -> None:
        block = {"type": "text", "text": "[Request interrupted by user]"}
        message = {"role": "user", "content": [block]}
        self.user(turn.replied_ms, f"{turn.key}/interrupted", message)

    def compact(self, step: Summarised) -> None:
        before, self.parent = self.parent, None
        self._add(
            step.at_ms,
            step.key,
            type="system",
            subtype="compact_boundary",
            content="Conversation compacted",
            isMeta=False,
            level="info",
            logicalParentUuid=before,
            compactMetadata={"trigger": step.trigger, "preTokens": step.tokens},
        )
        message = {"role": "user", "content": _CONTINUED + step.summary}
        own: Payload = {"isCompactSummary": True, "isVisibleInTranscriptOnly": True}
        self.user(step.done_ms, f"{step.key}/summary", message, **own)

    def close(self) -> None:
        last = self.turn
        self.lines.append(
            {
                "type": "last-prompt",
                "lastPrompt": last.prompt if last else "",
                "leafUuid": self.parent,
                "sessionId": self.session.session_id,
            }
        )

    def user(self, at_ms: int, key: str, message: Payload, **own: object) -> None:
        prompt: Payload = {"promptId": _prompt_id(self.turn)} if self.turn else {}
        self._add(at_ms, key, **prompt, type="user", message=message, **own)

    def assistant(self, at_ms: int, key: str, block: Payload, stop_reason: str) -> str:
        message = {
            "id": "msg_01" + letters(22, "message", key),
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": [block],
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": {
                "input_tokens": 6,
                "cache_creation_input_tokens": 412,
                "cache_read_input_tokens": 18_204 + 950 * len(self.lines),
                "output_tokens": 24 + len(str(block)) // 4,
                "service_tier": "standard",
            },
        }
        return self._add(at_ms, key, message=message, type="assistant")

    def _add(self, at_ms: int, key: str, **own: object) -> str:
        uuid = random_uuid("line", key, self.agent_id)
        side: Payload = {"agentId": self.agent_id} if self.agent_id else {}
        self.lines.append(
            {
                "parentUuid": self.parent,
                "isSidechain": bool(self.agent_id),
                **side,
                **own,
                "uuid": uuid,
                "timestamp": to_iso(at_ms),
                "userType": "external",
                "entrypoint": "cli",
                "cwd": self.session.directory,
                "sessionId": self.session.session_id,
                "version": _VERSION,
                "gitBranch": self.session.branch,
            }
        )
        self.parent = uuid
        return uuid


# --- ids and paths --------------------------------------------------------------------------


def _prompt_id(turn: PromptTurn) -> str:
    return random_uuid("prompt", turn.key)


def _folder(place: Place) -> str:
    return ".claude/projects/" + re.sub(r"[^A-Za-z0-9]", "-", place.project)


def _transcript_path(session: SampleSession, place: Place) -> str:
    return f"{_folder(place)}/{session.session_id}.jsonl"


def _sub_transcript_path(session: SampleSession, place: Place, step: Delegated) -> str:
    return f"{_folder(place)}/{session.session_id}/subagents/agent-{agent_id(step)}.jsonl"
