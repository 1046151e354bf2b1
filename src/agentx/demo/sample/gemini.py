"""A session as Gemini CLI tells it: hook payloads, and the chat recording in its home.

Gemini's hooks carry no ids of prompts or tool calls; only the recording does, so
importing after capture meets them by what they say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from agentx.demo.sample.likeness import Payload, Place, hexes, in_project, random_uuid
from agentx.demo.sample.script import Patch, Read, Search, Shell, Write, whole
from agentx.demo.sample.timeline import PromptTurn, Said, SampleSession, Step, Summarised, ToolCall
from agentx.kernel.clock import to_iso
from agentx.kernel.errors import InvalidValue
from agentx.kernel.values import frozen

_MODEL = "gemini-3.1-pro-preview"


@frozen
class _Native:
    """One tool call in Gemini CLI's words."""

    name: str
    title: str
    request: Payload
    text: str  # what the model reads
    shown: str | Payload
    about: str


# --- hooks ----------------------------------------------------------------------------------


def hook_calls(session: SampleSession, place: Place) -> Iterator[tuple[int, Payload]]:
    """Yield every hook payload of a session with its time."""

    def event(at_ms: int, name: str, **own: object) -> tuple[int, Payload]:
        return at_ms, {
            "session_id": session.session_id,
            "transcript_path": place.transcript(_recording_path(session, place)),
            "cwd": session.directory,
            "hook_event_name": name,
            "timestamp": to_iso(at_ms),
            **own,
        }

    yield event(session.start_ms, "SessionStart", source="startup")
    for turn in session.turns:
        yield event(turn.at_ms, "BeforeAgent", prompt=turn.prompt)
        for step in turn.steps:
            if isinstance(step, ToolCall):
                native = _native(step)
                asked: Payload = {"tool_name": native.name, "tool_input": native.request}
                answer = {"llmContent": native.text, "returnDisplay": native.shown}
                yield event(step.at_ms, "BeforeTool", **asked)
                yield event(step.done_ms, "AfterTool", **asked, tool_response=answer)
            elif isinstance(step, Summarised):
                yield event(step.at_ms, "PreCompress", trigger=step.trigger)
        if not turn.is_interrupted:
            replied: Payload = {"prompt": turn.prompt, "prompt_response": turn.reply}
            yield event(turn.replied_ms, "AfterAgent", **replied, stop_hook_active=False)
    yield event(session.end_ms, "SessionEnd", reason=session.end_reason)


# --- recording ------------------------------------------------------------------------------


def transcripts(session: SampleSession, place: Place) -> Iterator[tuple[str, str]]:
    """Yield the chat recording of a session and the note of whose folder it lies in."""
    recording = _Recording()
    began = to_iso(session.start_ms)
    recording.lines.append(
        {
            "sessionId": session.session_id,
            "projectHash": sha256(place.project.encode()).hexdigest(),
            "startTime": began,
            "lastUpdated": began,
            "kind": "main",
        }
    )
    for turn in session.turns:
        recording.turn(turn)
    yield f"{_folder(place)}/.project_root", place.project
    yield _recording_path(session, place), place.lines(recording.lines)


@dataclass(slots=True)
class _Recording:
    lines: list[Payload] = field(default_factory=list)

    def turn(self, turn: PromptTurn) -> None:
        self.add(turn.at_ms, turn.key, type="user", content=[{"text": turn.prompt}])
        for step in turn.steps:
            self.step(step)
        if not turn.is_interrupted:
            self.model(turn.replied_ms, f"{turn.key}/reply", turn.reply)

    def step(self, step: Step) -> None:
        match step:
            case Said():
                self.model(step.at_ms, step.key, step.text)
            case ToolCall():
                self.call(step)
            case Summarised():
                self.add(step.done_ms, step.key, type="info", content="Chat history compressed.")
            case _:
                raise _unknown(step)

    def call(self, call: ToolCall) -> None:
        native = _native(call)
        id_ = f"{native.name}__{native.name}_{call.at_ms}_0"
        answered = {"id": id_, "name": native.name, "response": {"output": native.text}}
        part = {"functionResponse": answered}
        made = {
            "id": id_,
            "name": native.name,
            "args": native.request,
            "result": [part],
            "status": "success",
            "timestamp": to_iso(call.done_ms),
            "resultDisplay": native.shown,
            "description": native.about,
            "displayName": native.title,
            "renderOutputAsMarkdown": False,
        }
        # Gemini CLI writes a message when it comes and again, whole, when its tools are done.
        self.model(call.at_ms, call.key, "")
        self.model(call.at_ms, call.key, "", toolCalls=[made])
        self.add(call.done_ms, f"{call.key}/result", type="user", content=[part])

    def model(self, at_ms: int, key: str, text: str, **own: object) -> None:
        tokens = {"input": 3100, "output": 20 + len(text) // 4, "cached": 0, "thoughts": 0}
        total = {"tool": 0, "total": 3120 + len(text) // 4}
        fixed: Payload = {"thoughts": [], "tokens": {**tokens, **total}, "model": _MODEL}
        self.add(at_ms, key, type="gemini", content=text, **fixed, **own)

    def add(self, at_ms: int, key: str, **own: object) -> None:
        stamp = to_iso(at_ms)
        self.lines.append({"id": random_uuid("message", key), "timestamp": stamp, **own})
        self.lines.append({"$set": {"lastUpdated": stamp}})


def _recording_path(session: SampleSession, place: Place) -> str:
    minute = to_iso(session.start_ms)[:16].replace(":", "-")
    return f"{_folder(place)}/chats/session-{minute}-{session.session_id[:8]}.jsonl"


def _folder(place: Place) -> str:
    name = place.project.rstrip("/").rpartition("/")[2].lower()
    return ".gemini/tmp/" + (re.sub(r"[^a-z0-9]+", "-", name).strip("-") or "project")


# --- tools ----------------------------------------------------------------------------------


def _native(call: ToolCall) -> _Native:
    match call.action:
        case Shell():
            return _shell(call.action, call.key)
        case Read():
            return _read(call.action)
        case Search():
            return _search(call.action)
        case Patch():
            return _replace(call.action)
        case Write():
            return _write(call.action)
        case _:
            raise _unknown(call)


def _shell(action: Shell, key: str) -> _Native:
    command, output = whole(action.command), whole(action.output)
    ended = f"\nExit Code: {action.exit}" if action.exit else ""
    group = 300 + int(hexes(4, "group", key), 16) % 30_000
    told = f"Output: {output or '(empty)'}{ended}\nProcess Group PGID: {group}"
    return _Native(
        name="run_shell_command",
        title="Shell",
        request={"command": command, "description": action.why},
        text=f"<untrusted_context>\n{told}\n</untrusted_context>",
        shown=output,
        about=command,
    )


def _read(action: Read) -> _Native:
    text = whole(action.text)
    request: Payload = {"file_path": in_project(action.path)}
    if action.of:
        last = action.line + len(text.split("\n")) - 1
        request |= {"start_line": action.line, "end_line": last}
    return _Native(
        name="read_file",
        title="ReadFile",
        request=request,
        text=text,
        shown="",
        about=action.path,
    )


def _search(action: Search) -> _Native:
    output = whole(action.output)
    count = len(output.splitlines())
    where = action.where or "."
    found = f'Found {count} matches for pattern "{action.pattern}" in path "{where}"'
    return _Native(
        name="grep_search",
        title="SearchText",
        request={"pattern": action.pattern, "dir_path": where},
        text=f"{found}:\n---\n{output}\n---",
        shown=f"Found {count} matches",
        about=f"'{action.pattern}' within {where}",
    )


def _replace(action: Patch) -> _Native:
    path = in_project(action.path)
    diff = "\n".join([f"@@ -{action.line} +{action.line} @@", *action.hunk])
    return _Native(
        name="replace",
        title="Edit",
        request={"file_path": path, "old_string": action.old, "new_string": action.new},
        text=f"Successfully modified file: {path} (1 replacements).",
        shown={"fileDiff": diff, "fileName": action.path.rpartition("/")[2], "filePath": path},
        about=action.path,
    )


def _write(action: Write) -> _Native:
    path, content = in_project(action.path), whole(action.text) + "\n"
    return _Native(
        name="write_file",
        title="WriteFile",
        request={"file_path": path, "content": content},
        text=f"Successfully created and wrote to new file: {path}.",
        shown={"fileName": action.path.rpartition("/")[2], "filePath": path},
        about=action.path,
    )


def _unknown(step: Step) -> InvalidValue:
    return InvalidValue(f"{step.key}: Gemini CLI has no such step", hint="see `_native`")
