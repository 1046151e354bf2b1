"""Copilot CLI: what its hooks and its session events tell is one and the same story.

Method: one session written by hand after the documented shapes, told three times: by
camelCase hooks, by PascalCase hooks, and by the session's own events.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentx.adapters.copilot.hooks import drafts
from agentx.adapters.copilot.transcripts import discover, in_use, read
from agentx.adapters.port import Damaged
from agentx.kernel.capture import Draft, EventType, Harness
from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN
from tests.support.setup_requests import homes_in
from tests.unit.adapters.recorded import (
    heard,
    hook_call,
    identity,
    json_values,
    objects_with,
    of_kind,
    told,
    transcript,
    whole,
    written,
)

CP = Harness.COPILOT
AT_MS = 1_794_701_692_338
AT_ISO = "2026-11-15T00:14:52.338Z"

CAMEL: list[dict[str, Any]] = [
    {"source": "new", "initialPrompt": "Pick a database"},
    {"prompt": "Pick a database"},
    {
        "toolName": "bash",
        "toolArgs": json.dumps({"command": "echo hi", "description": "say hi"}),
        "toolResult": {"resultType": "success", "textResultForLlm": "hi\n"},
    },
    {"toolName": "view", "toolArgs": {"path": "/p/none"}, "error": "no such file"},
    {"transcriptPath": "/t", "stopReason": "end_turn", "stop_hook_active": False},
    {"reason": "complete"},
]
PASCAL: list[dict[str, Any]] = [
    {"hook_event_name": "SessionStart", "source": "new"},
    {"hook_event_name": "UserPromptSubmit", "prompt": "Pick a database"},
    {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"description": "say hi", "command": "echo hi"},
        "tool_result": {"result_type": "success", "text_result_for_llm": "hi\n"},
    },
    {
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Read",
        "tool_input": {"path": "/p/none"},
        "error": "no such file",
    },
    {"hook_event_name": "Stop", "stop_reason": "end_turn"},
    {"hook_event_name": "SessionEnd", "reason": "complete"},
]
EVENTS: list[tuple[str, dict[str, Any]]] = [
    (
        "session.start",
        {
            "sessionId": "s1",
            "copilotVersion": "1.0.40",
            "selectedModel": "gpt-x",
            "context": {"cwd": "/home/dev/proj", "branch": "main", "repository": "o/r"},
        },
    ),
    ("system.message", {"content": "You are Copilot"}),
    (
        "user.message",
        {"content": "Pick a database", "transformedContent": "<date/>Pick a database"},
    ),
    ("assistant.turn_start", {"turnId": "0"}),
    (
        "assistant.message",
        {
            "messageId": "m1",
            "content": "",
            "toolRequests": [{"toolCallId": "c1", "name": "bash", "arguments": {}}],
        },
    ),
    (
        "tool.execution_start",
        {
            "toolCallId": "c1",
            "toolName": "bash",
            "arguments": {"command": "echo hi", "description": "say hi"},
        },
    ),
    (
        "tool.execution_complete",
        {"toolCallId": "c1", "success": True, "result": {"content": "hi\n"}},
    ),
    (
        "tool.execution_start",
        {"toolCallId": "c2", "toolName": "view", "arguments": {"path": "/p/none"}},
    ),
    (
        "tool.execution_complete",
        {"toolCallId": "c2", "success": False, "error": {"message": "no such file"}},
    ),
    ("assistant.turn_end", {"turnId": "0"}),
    (
        "assistant.message",
        {"messageId": "m2", "content": "We take PostgreSQL.", "toolRequests": []},
    ),
    ("assistant.turn_end", {"turnId": "1"}),
    ("session.shutdown", {"shutdownType": "routine", "codeChanges": {"linesAdded": 1}}),
]


def _hook(payload: dict[str, Any], delivery: str = "d-1") -> tuple[Draft, ...]:
    camel = {"sessionId": "s1", "timestamp": AT_MS, "cwd": "/home/dev/proj"}
    snake = {"session_id": "s1", "timestamp": AT_ISO, "cwd": "/home/dev/proj"}
    common = snake if "hook_event_name" in payload else camel
    return drafts(hook_call(CP, {**common, **payload}, delivery))


def _heard(payloads: list[dict[str, Any]]) -> list[Draft]:
    return [
        draft
        for number, payload in enumerate(payloads)
        for draft in _hook(payload, f"delivery-{number}")
    ]


def _lines(events: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    return [
        {"type": kind, "id": f"e{number}", "timestamp": AT_ISO, "parentId": None, "data": data}
        for number, (kind, data) in enumerate(events)
    ]


def _read(path: Path, *events: tuple[str, dict[str, Any]]) -> list[Draft]:
    return whole(read(transcript(CP, written(path, _lines(list(events))), "s1")))


@pytest.mark.parametrize("payloads", [CAMEL, PASCAL], ids=["camelCase", "PascalCase"])
def test_a_session_seen_live_and_imported_later_is_stored_once(
    payloads: list[dict[str, Any]], tmp_path: Path
) -> None:
    live, imported = _heard(payloads), _read(tmp_path / "events.jsonl", *EVENTS)
    only_imported = {identity(draft) for draft in imported} - {identity(draft) for draft in live}

    assert {identity(draft) for draft in live} <= {identity(draft) for draft in imported}
    assert {kind for _, _, kind, _, _ in only_imported} == {EventType.ASSISTANT_MESSAGE}
    assert Counter(draft.event_type for draft in imported) == {
        EventType.SESSION_START: 1,
        EventType.USER_MESSAGE: 1,
        EventType.TOOL_CALL: 2,
        EventType.TOOL_RESULT: 2,
        EventType.ASSISTANT_MESSAGE: 1,
        EventType.ASSISTANT_STOP: 1,
        EventType.SESSION_END: 1,
    }
    assert Counter(identity(draft) for draft in imported).most_common(1)[0][1] == 1


def test_the_session_events_tell_the_whole_session(tmp_path: Path) -> None:
    imported = _read(tmp_path / "events.jsonl", *EVENTS)
    failed = of_kind(imported, EventType.TOOL_RESULT)[1]

    assert told(imported) == [
        ("session_start", ""),
        ("user_message", "Pick a database"),
        ("tool_call", "Bash: echo hi"),
        ("tool_result", "hi\n"),
        ("tool_call", "Read: /p/none"),
        ("tool_result", "no such file"),
        ("assistant_message", "We take PostgreSQL."),
        ("assistant_stop", ""),
        ("session_end", ""),
    ]
    assert failed.metadata["is_error"] is True
    assert failed.metadata["git_branch"] == "main"
    assert failed.metadata["source"]["line"] == 9
    assert failed.timestamp_ms == AT_MS


def test_both_spellings_of_time_are_read() -> None:
    camel, pascal = _heard(CAMEL), _heard(PASCAL)

    assert {draft.timestamp_ms for draft in camel + pascal} == {AT_MS}


def test_the_same_call_made_twice_is_two_events_of_one_fingerprint(tmp_path: Path) -> None:
    again = [event for event in EVENTS if event[0].startswith("tool.")]
    calls = of_kind(_read(tmp_path / "e.jsonl", *again, *again), EventType.TOOL_CALL)

    assert len(calls) == 4
    assert len({identity(call) for call in calls}) == 2
    assert len({call.delivery for call in calls}) == 4


def test_a_call_that_has_not_happened_yet_is_not_told_by_hooks() -> None:
    assert _hook({"toolName": "bash", "toolArgs": "{}"}) == ()
    assert _hook({"hook_event_name": "PreToolUse", "tool_name": "Bash"}) == ()


def test_a_subagents_start_and_stop_meet(tmp_path: Path) -> None:
    live = [
        *_hook({"transcriptPath": "/t", "agentName": "reviewer", "agentDescription": "reviews"}),
        *_hook(
            {
                "agentId": "a1",
                "agentName": "reviewer",
                "response": "Looks good.",
                "stopReason": "end_turn",
            }
        ),
    ]
    imported = _read(
        tmp_path / "e.jsonl",
        ("subagent.started", {"toolCallId": "c", "agentName": "reviewer"}),
        ("assistant.message", {"content": "Looks good.", "parentToolCallId": "c"}),
        ("subagent.completed", {"toolCallId": "c", "agentName": "reviewer"}),
    )

    assert {identity(draft) for draft in live} == {identity(draft) for draft in imported}


def test_a_compaction_and_an_error_meet(tmp_path: Path) -> None:
    live = [
        *_hook({"transcriptPath": "/t", "trigger": "auto", "customInstructions": ""}),
        *_hook({"error": {"message": "rate limit", "name": "E"}, "errorContext": "model_call"}),
    ]
    imported = _read(
        tmp_path / "e.jsonl",
        ("session.compaction_complete", {"success": True, "summaryContent": "We chose."}),
        ("session.error", {"errorType": "rate_limit", "message": "rate limit"}),
    )

    assert {identity(draft) for draft in live} == {identity(draft) for draft in imported}
    assert imported[0].text == "We chose."


def test_what_others_say_in_the_users_name_is_a_note(tmp_path: Path) -> None:
    found = _read(
        tmp_path / "e.jsonl", ("user.message", {"content": "Use it", "source": "skill-pdf"})
    )

    assert told(found) == [("note", "Use it")]


def test_what_agentx_injected_is_never_captured_again(tmp_path: Path) -> None:
    fenced = f"{RECALL_OPEN}\nRecalled data, not instruction.\nDecision D-1\n{RECALL_CLOSE}"

    assert _hook({"prompt": fenced}) == ()
    assert _read(tmp_path / "e.jsonl", ("user.message", {"content": fenced})) == []


def test_events_for_the_screen_only_are_skipped(tmp_path: Path) -> None:
    line = {**_lines([("assistant.message", {"content": "hal"})])[0], "ephemeral": True}

    assert list(read(transcript(CP, written(tmp_path / "e.jsonl", [line]), "s1"))) == []


def test_unknown_events_and_fields_are_kept() -> None:
    (note,) = _hook({"hook_event_name": "Dream", "about": "\u5922"})
    (nameless,) = _hook({"shape": "unheard of"})
    (prompt,) = _hook({"prompt": "\u05e9\u05dc\u05d5\u05dd \U0001f600", "mood": "good"})

    assert json.loads(note.text)["about"] == "\u5922"
    assert json.loads(nameless.text)["shape"] == "unheard of"
    assert note.event_type is nameless.event_type is EventType.NOTE
    assert prompt.text == "\u05e9\u05dc\u05d5\u05dd \U0001f600"
    assert prompt.metadata["extra"] == {"mood": "good"}


def test_a_damaged_event_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    first, second = _lines([("user.message", {"content": "a"}), ("user.message", {"content": "b"})])
    path = written(tmp_path / "e.jsonl", [first, "{broken", second])
    found = list(read(transcript(CP, path, "s1")))

    assert [one.text for one in found if isinstance(one, Draft)] == ["a", "b"]
    assert [(one.path, one.line) for one in found if isinstance(one, Damaged)] == [(path, 2)]


def test_sessions_are_found_by_their_folders(tmp_path: Path) -> None:
    home = homes_in(tmp_path)
    state = home.copilot / "session-state"
    written(state / "s1" / "events.jsonl", _lines(EVENTS))
    written(state / "s1" / "files" / "data.jsonl", [{}])
    written(state / "s0.jsonl", _lines(EVENTS))

    older, newer = discover(home)
    assert (older.session_id, newer.session_id) == ("s0", "s1")
    assert newer.working_directory == "/home/dev/proj"
    assert in_use(home)


_FIELDS = (
    "sessionId", "session_id", "timestamp", "cwd", "hook_event_name", "source", "reason", "prompt",
    "toolName", "tool_name", "toolArgs", "tool_input", "toolResult", "tool_result", "error",
    "stopReason", "agentId", "agentName", "response", "trigger", "message", "title",
)  # fmt: skip


@given(payload=objects_with(*_FIELDS), more=json_values)
def test_no_payload_can_break_it(payload: dict[str, Any], more: object) -> None:
    for draft in heard(drafts, [hook_call(CP, {**payload, "more": more})]):
        draft.text.encode("utf-8")
        json.dumps(draft.metadata, allow_nan=False).encode("utf-8")
        assert draft.source_id or (draft.fingerprint and draft.delivery)


_KINDS = tuple(
    {kind for kind, _ in EVENTS}
    | {"session.resume", "subagent.started", "subagent.failed", "skill.invoked", "abort"}
    | {"session.error", "session.task_complete", "session.compaction_complete"}
)
_DATA = objects_with(
    "sessionId", "context", "startTime", "content", "source", "attachments", "toolRequests",
    "toolCallId", "toolName", "arguments", "success", "result", "error", "agentName", "name",
    "message", "summary", "summaryContent", "parentToolCallId", "model",
)  # fmt: skip


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    events=st.lists(
        st.tuples(st.sampled_from(sorted(_KINDS)), _DATA | json_values, json_values), max_size=5
    )
)
def test_no_event_can_break_it(events: list[tuple[str, object, object]], tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    lines = [
        {"type": kind, "id": odd, "timestamp": odd, "data": data} for kind, data, odd in events
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")

    for draft in whole(read(transcript(CP, path))):
        draft.text.encode("utf-8")
        json.dumps(draft.metadata, allow_nan=False).encode("utf-8")
        assert draft.source_id or (draft.fingerprint and draft.delivery)


@pytest.mark.parametrize(
    ("result", "code"),
    [
        ({"content": "2 failed\n<exited with exit code 1>"}, 1),
        ({"content": "2 passed\n<exited with exit code 0>\n"}, 0),
        ({"content": "broken", "contents": [{"type": "terminal", "exitCode": 137}]}, 137),
        ({"content": "it prints <exited with exit code 1> and goes on"}, None),
    ],
)
def test_a_command_that_ended_badly_has_failed_though_the_call_is_a_success(
    tmp_path: Path, result: dict[str, Any], code: int | None
) -> None:
    started = {"toolCallId": "c1", "toolName": "bash", "arguments": {"command": "pytest"}}
    done = {"toolCallId": "c1", "success": True, "result": result}
    imported = _read(
        tmp_path / "events.jsonl",
        ("tool.execution_start", started),
        ("tool.execution_complete", done),
    )

    told = of_kind(imported, EventType.TOOL_RESULT)[0]
    assert told.metadata.get("exit_code") == code
    assert bool(told.metadata["is_error"]) is bool(code)
    assert told.text == result["content"]


def test_a_hook_tells_how_a_command_ended() -> None:
    heard = _hook(
        {
            "toolName": "bash",
            "toolArgs": '{"command": "pytest"}',
            "toolResult": {
                "resultType": "success",
                "textResultForLlm": "1 failed\n<exited with exit code 1>",
            },
        }
    )

    told = of_kind(list(heard), EventType.TOOL_RESULT)[0]
    assert told.metadata["exit_code"] == 1
    assert told.metadata["is_error"] is True
