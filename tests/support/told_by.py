"""One session, as each agent CLI would have written it down.

A story is a list of what happened, one entry an event; each function here writes it in the form
of one agent CLI and returns where the transcript lies.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from agentx.adapters.port import Transcript
from agentx.adapters.registry import ADAPTERS
from agentx.conversation.cleaning import clean
from agentx.conversation.model import Event
from agentx.kernel.capture import Draft, Harness
from agentx.kernel.clock import Millis
from agentx.kernel.ids import EventId

PLACE = "/home/dev/shop"
_BEGUN_MS = 1_772_445_600_000
_STEP_MS = 20_000
_SESSION = "0a1b2c3d-0000-4000-8000-000000000001"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Something that happened: `what` is user, agent, shell or edit."""

    what: str
    text: str = ""  # what was said, run, or the file
    output: str = ""
    code: int = 0
    old: str = ""
    new: str = ""


Story = list[Told]


def read_events(harness: Harness, path: Path, session_id: str = _SESSION) -> list[Event]:
    """Return the events of a transcript, as an import would have them."""
    transcript = Transcript(
        harness=harness,
        path=path,
        size_bytes=path.stat().st_size,
        modified_ms=Millis(_BEGUN_MS),
        working_directory=PLACE,
        session_id=session_id,
    )
    drafts = [one for one in ADAPTERS[harness].read(transcript) if isinstance(one, Draft)]
    drafts.sort(key=lambda one: one.timestamp_ms)
    cleaned = [clean(draft, now_ms=Millis(2 * _BEGUN_MS)) for draft in drafts]
    return [
        Event(
            event_id=EventId(f"event-{number:04}"),
            session_id=kept.session_id,
            timestamp_ms=kept.timestamp_ms,
            event_type=kept.event_type,
            role=kept.role,
            text=kept.text,
            harness=kept.harness,
            agent=kept.agent,
            project="shop",
            metadata=kept.metadata,
        )
        for number, kept in enumerate(cleaned)
    ]


def write_claude_code(story: Story, folder: Path) -> Path:
    """Write a story as Claude Code does."""
    rows: list[dict[str, object]] = []
    for number, told in enumerate(story):
        if told.what == "user":
            rows.append(_claude("user", number, told.text))
        elif told.what == "agent":
            rows.append(_claude("assistant", number, [{"type": "text", "text": told.text}]))
        else:
            call = f"toolu_{number}"
            name, given = ("Bash", {"command": told.text})
            if told.what == "edit":
                name = "Edit"
                given = {
                    "file_path": f"{PLACE}/{told.text}",
                    "old_string": told.old,
                    "new_string": told.new,
                }
            used = {"type": "tool_use", "id": call, "name": name, "input": given}
            text = f"Exit code {told.code}\n{told.output}" if told.code else told.output
            back = {
                "type": "tool_result",
                "tool_use_id": call,
                "content": text,
                "is_error": bool(told.code),
            }
            rows.append(_claude("assistant", number, [used]))
            rows.append(_claude("user", number, [back]))
    return _lines(folder / "claude.jsonl", rows)


def _claude(role: str, number: int, content: object) -> dict[str, object]:
    return {
        "type": role,
        "isSidechain": False,
        "uuid": f"u{number}-{role}",
        "timestamp": _stamp(number),
        "cwd": PLACE,
        "sessionId": _SESSION,
        "message": {"role": role, "content": content},
    }


def write_codex(story: Story, folder: Path) -> Path:
    """Write a story as Codex does."""
    rows: list[tuple[str, dict[str, object]]] = [("session_meta", {"id": _SESSION, "cwd": PLACE})]
    for number, told in enumerate(story):
        call = f"call_{number}"
        if told.what in ("user", "agent"):
            role, kind = ("user", "input") if told.what == "user" else ("assistant", "output")
            content = [{"type": f"{kind}_text", "text": told.text}]
            rows.append(("response_item", {"type": "message", "role": role, "content": content}))
            continue
        if told.what == "shell":
            given = json.dumps({"cmd": told.text})
            used = {"type": "function_call", "name": "exec_command", "arguments": given}
            text = f"Process exited with code {told.code}\nOutput:\n{told.output}"
        else:
            used = {"type": "custom_tool_call", "name": "apply_patch", "input": _patch(told)}
            text = f"Exit code: 0\nOutput:\n{told.output}"
        rows.append(("response_item", {**used, "call_id": call}))
        answer = "function_call_output" if told.what == "shell" else "custom_tool_call_output"
        rows.append(("response_item", {"type": answer, "call_id": call, "output": text}))
    return _lines(
        folder / f"rollout-2026-03-02T10-00-00-{_SESSION}.jsonl",
        [
            {"timestamp": _stamp(number), "type": kind, "payload": payload}
            for number, (kind, payload) in enumerate(rows)
        ],
    )


def write_gemini(story: Story, folder: Path) -> Path:
    """Write a story as Gemini CLI does: what is said before a call stands in its message."""
    rows: list[dict[str, object]] = [
        {"sessionId": _SESSION, "startTime": _stamp(0), "kind": "main"},
    ]
    said = ""
    for number, told in enumerate(story):
        follows = story[number + 1].what if number + 1 < len(story) else "user"
        here = {"id": f"m{number}", "timestamp": _stamp(number)}
        if told.what == "user":
            rows.append({**here, "type": "user", "content": [{"text": told.text}]})
        elif told.what == "agent" and follows in ("shell", "edit"):
            said = told.text
        elif told.what == "agent":
            rows.append({**here, "type": "gemini", "content": told.text})
        else:
            rows.append(
                {**here, "type": "gemini", "content": said, "toolCalls": [_gemini(told, number)]}
            )
            said = ""
    return _lines(folder / "session-2026-03-02T10-00-0a1b2c3d.jsonl", rows)


def _gemini(told: Told, number: int) -> dict[str, object]:
    name, given, text = "run_shell_command", {"command": told.text}, f"Output: {told.output}"
    text += f"\nExit Code: {told.code}" if told.code else ""
    if told.what == "edit":
        name, text = "replace", told.output
        given = {
            "file_path": f"{PLACE}/{told.text}",
            "old_string": told.old,
            "new_string": told.new,
        }
    call = f"{name}-{number}"
    answer = {"functionResponse": {"id": call, "name": name, "response": {"output": text}}}
    return {
        "id": call,
        "name": name,
        "args": given,
        "result": [answer],
        "status": "success",
        "timestamp": _stamp(number),
    }


def write_opencode(story: Story, folder: Path) -> Path:
    """Write a story as OpenCode does."""
    path = folder / "opencode.db"
    with closing(sqlite3.connect(path)) as store, store:
        store.executescript(
            "CREATE TABLE session (id text, parent_id text, directory text, title text,"
            " time_created integer, time_updated integer);"
            "CREATE TABLE message (id text, session_id text, time_created integer, data text);"
            "CREATE TABLE part (id text, message_id text, session_id text, data text);"
        )
        store.execute(
            "INSERT INTO session VALUES (?, NULL, ?, 't', ?, ?)",
            (_SESSION, PLACE, _BEGUN_MS, _BEGUN_MS),
        )
        for number, told in enumerate(story):
            at_ms = _BEGUN_MS + number * _STEP_MS
            time = {"created": at_ms, "completed": at_ms, "start": at_ms, "end": at_ms}
            message = {"role": "user" if told.what == "user" else "assistant", "time": time}
            part: dict[str, object] = {"type": "text", "text": told.text, "time": time}
            if told.what in ("shell", "edit"):
                part = _opencode(told, number, time)
            store.execute(
                "INSERT INTO message VALUES (?, ?, ?, ?)",
                (f"msg_{number:04}", _SESSION, at_ms, json.dumps(message)),
            )
            store.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?)",
                (f"prt_{number:04}", f"msg_{number:04}", _SESSION, json.dumps(part)),
            )
    return path


def _opencode(told: Told, number: int, time: dict[str, int]) -> dict[str, object]:
    tool, given = "bash", {"command": told.text}
    if told.what == "edit":
        tool = "edit"
        given = {
            "filePath": f"{PLACE}/{told.text}",
            "oldString": told.old,
            "newString": told.new,
        }
    state = {
        "status": "completed",
        "input": given,
        "output": told.output,
        "metadata": {"exit": told.code} if tool == "bash" else {},
        "time": time,
    }
    return {"type": "tool", "tool": tool, "callID": f"call_{number}", "state": state}


def _patch(told: Told) -> str:
    old = "\n".join(f"-{line}" for line in told.old.split("\n"))
    new = "\n".join(f"+{line}" for line in told.new.split("\n"))
    return f"*** Begin Patch\n*** Update File: {told.text}\n@@\n{old}\n{new}\n*** End Patch"


def _stamp(number: int) -> str:
    minutes, seconds = divmod(number * _STEP_MS // 1_000, 60)
    return f"2026-03-02T{10 + minutes // 60:02}:{minutes % 60:02}:{seconds:02}.000Z"


def _lines(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
