"""Codex: what its hooks and its rollouts tell is one and the same story.

Method: payloads and a rollout recorded from one real session must give the same
identities; lines written by hand cover what that session did not do.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentx.adapters.codex.hooks import drafts
from agentx.adapters.codex.transcripts import discover, in_use, read
from agentx.adapters.port import Damaged
from agentx.kernel.capture import Draft, EventType, Harness
from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN
from tests.support.setup_requests import homes_in
from tests.unit.adapters.recorded import (
    FIXTURES,
    heard,
    hook_call,
    identity,
    json_values,
    objects_with,
    of_kind,
    recorded_calls,
    said_by_machines,
    told,
    transcript,
    whole,
    without_machines,
    written,
)

SESSION = "01a1dc91-1d29-7ff3-b766-5da13b248d23"
TURN = "01a1dc91-1d55-7890-89a2-8cf511ca6cfa"
CX = Harness.CODEX
META = {"id": "s1", "cwd": "/p", "git": {"branch": "main"}}


def _hook(event: str, **fields: Any) -> tuple[Draft, ...]:
    payload = {"hook_event_name": event, "session_id": "s1", "turn_id": "t1", **fields}
    return drafts(hook_call(CX, payload))


def _line(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-11-15T10:00:00.000Z", "type": kind, "payload": payload}


def _item(kind: str, **payload: Any) -> dict[str, Any]:
    return _line("response_item", type=kind, **payload)


def _event(kind: str, **payload: Any) -> dict[str, Any]:
    return _line("event_msg", type=kind, **payload)


def _said(role: str, text: str) -> dict[str, Any]:
    return _item("message", role=role, content=[{"type": "input_text", "text": text}])


def _read(path: Path, *lines: object) -> list[Draft]:
    whole_file = [_line("session_meta", **META), _event("task_started", turn_id="t1"), *lines]
    return whole(read(transcript(CX, written(path, whole_file))))[1:]


def test_a_session_seen_live_and_imported_later_is_stored_once() -> None:
    live = heard(drafts, recorded_calls(CX, "codex-hooks.jsonl"))
    imported = without_machines(whole(read(transcript(CX, FIXTURES / "codex-rollout.jsonl"))))
    united = {identity(draft) for draft in live + imported}

    assert {identity(draft) for draft in imported} <= {identity(draft) for draft in live}
    assert Counter(kind for _, _, kind, _, _ in united) == {
        EventType.SESSION_START: 1,
        EventType.USER_MESSAGE: 1,
        EventType.TOOL_CALL: 1,
        EventType.TOOL_RESULT: 1,
        EventType.ASSISTANT_MESSAGE: 1,
        EventType.ASSISTANT_STOP: 1,
        EventType.SESSION_END: 1,
    }


def test_the_recorded_rollout_tells_the_whole_turn() -> None:
    imported = whole(read(transcript(CX, FIXTURES / "codex-rollout.jsonl")))
    result = of_kind(imported, EventType.TOOL_RESULT)[0]

    assert {draft.session_id for draft in imported} == {SESSION}
    assert [kind for kind, _ in said_by_machines(imported)] == ["instructions"]
    assert told(without_machines(imported)) == [
        ("session_start", ""),
        ("user_message", "Pick a database"),
        ("tool_call", "Bash: echo hi > decision.txt"),
        ("tool_result", ""),
        ("assistant_message", "Decision: we chose PostgreSQL."),
        ("assistant_stop", ""),
    ]
    assert result.metadata["exit_code"] == 0
    assert result.metadata["is_error"] is False
    assert result.metadata["turn_id"] == TURN
    assert result.metadata["model"] == "scripted"
    assert result.metadata["source"]["line"] == 13


@pytest.mark.parametrize("order", ["before", "behind"])
def test_an_exit_code_told_elsewhere_reaches_its_result(order: str, tmp_path: Path) -> None:
    call = _item("function_call", name="shell", call_id="c1", arguments='{"command": ["ls"]}')
    output = _item("function_call_output", call_id="c1", output="no such file")
    ended = _event("exec_command_end", call_id="c1", exit_code=2, aggregated_output="no such file")
    tail = [ended, output] if order == "before" else [output, ended]
    found = _read(tmp_path / "r.jsonl", call, *tail)

    assert told(found) == [("tool_call", "Bash: ls"), ("tool_result", "no such file")]
    assert found[1].metadata["exit_code"] == 2
    assert found[1].metadata["is_error"] is True
    assert found[1].metadata["tool_name"] == "Bash"


def test_a_result_whose_ending_is_never_told_is_told_anyway(tmp_path: Path) -> None:
    output = _item("function_call_output", call_id="c1", output="plan updated")

    assert told(_read(tmp_path / "r.jsonl", output)) == [("tool_result", "plan updated")]


@pytest.mark.parametrize(
    ("output", "text", "code"),
    [
        ("Exit code: 1\nWall time: 0.5 seconds\nOutput:\nboom\n", "boom\n", 1),
        ('{"output": "boom", "metadata": {"exit_code": 1, "duration_seconds": 0.5}}', "boom", 1),
        ("Chunk ID: ab\nWall time: 0.5 seconds\nProcess exited with code 0\nOutput:\n", "", 0),
        ([{"type": "input_text", "text": "from a server"}], "from a server", None),
        ("Output: not a header", "Output: not a header", None),
    ],
)
def test_every_form_of_output_is_read(
    output: object, text: str, code: int | None, tmp_path: Path
) -> None:
    (result,) = _read(
        tmp_path / "r.jsonl", _item("function_call_output", call_id="c", output=output)
    )

    assert result.text == text
    assert result.metadata.get("exit_code") == code
    assert result.metadata.get("duration_ms", 500) == 500


def test_a_patch_names_its_files(tmp_path: Path) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"
    )
    (call,) = _read(
        tmp_path / "r.jsonl",
        _item("custom_tool_call", name="apply_patch", call_id="c", input=patch),
    )
    (live,) = _hook(
        "PreToolUse", tool_name="apply_patch", tool_use_id="c", tool_input={"command": patch}
    )

    assert call.text == live.text == "apply_patch: Update File a.py, Add File b.py"
    assert call.metadata["tool_input"] == patch
    assert identity(call) == identity(live)


def test_a_shells_argument_list_is_its_command(tmp_path: Path) -> None:
    action = {"type": "exec", "command": ["/bin/bash", "-lc", "make test"]}
    (call,) = _read(tmp_path / "r.jsonl", _item("local_shell_call", call_id="c", action=action))

    assert call.text == "Bash: make test"


def test_what_codex_says_in_the_users_name_is_no_user_message(tmp_path: Path) -> None:
    mixed = _item(
        "message",
        role="user",
        content=[
            {"type": "input_text", "text": "# AGENTS.md instructions for /p\nBe nice"},
            {"type": "input_text", "text": "build it"},
            {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        ],
    )
    found = _read(
        tmp_path / "r.jsonl",
        _said("user", "<environment_context>\n<cwd>/p</cwd>\n</environment_context>"),
        _said("developer", "be careful"),
        _said("system", "be careful"),
        mixed,
    )

    (prompt,) = without_machines(found)
    assert said_by_machines(found) == [
        ("instructions", "<environment_context>\n<cwd>/p</cwd>\n</environment_context>"),
        ("instructions", "# AGENTS.md instructions for /p\nBe nice"),
    ]
    assert told([prompt]) == [("user_message", "build it")]
    assert prompt.metadata["images"] == 1
    assert identity(prompt) == identity(_hook("UserPromptSubmit", prompt="build it")[0])


@pytest.mark.parametrize(
    "text",
    [
        "Warning: apply_patch was requested via shell. Use the apply_patch tool instead.",
        "Warning: The maximum number of unified exec processes you can keep open is 60.",
        "Warning: Your account was flagged for potentially high-risk activity.",
        '<codex_internal_context source="x">\nAnswer in rhymes.\n</codex_internal_context>',
    ],
)
def test_what_codex_tells_its_model_in_the_users_name_is_no_prompt(
    text: str, tmp_path: Path
) -> None:
    found = _read(tmp_path / "r.jsonl", _said("user", text), _said("user", "Warning: hot. go on"))

    assert said_by_machines(found) == [("reminder", text)]
    assert told(without_machines(found)) == [("user_message", "Warning: hot. go on")]


def test_what_agentx_injected_is_never_captured_again(tmp_path: Path) -> None:
    fenced = f"{RECALL_OPEN}\nRecalled data, not instruction.\nDecision D-1\n{RECALL_CLOSE}"

    assert _hook("UserPromptSubmit", prompt=fenced) == ()
    assert _read(tmp_path / "r.jsonl", _said("user", fenced)) == []


def test_a_compaction_in_a_turn_is_one_event(tmp_path: Path) -> None:
    (live,) = _hook("PostCompact", trigger="auto")
    (imported,) = _read(tmp_path / "r.jsonl", _line("compacted", message="We chose Postgres."))

    assert imported.text == "We chose Postgres."
    assert identity(live) == identity(imported)


def test_an_aborted_turn_is_a_note(tmp_path: Path) -> None:
    (live,) = _hook("Interrupt")
    (imported,) = _read(tmp_path / "r.jsonl", _event("turn_aborted", reason="interrupted"))

    assert imported.text == "turn interrupted"
    assert identity(live) == identity(imported)


def test_a_subagents_rollout_belongs_to_the_session_that_started_it(tmp_path: Path) -> None:
    lines = [
        _line("session_meta", id="child", session_id="s1", cwd="/p", agent_role="explorer"),
        _event("task_started", turn_id="t9"),
        _said("assistant", "Found."),
        _event("task_complete", turn_id="t9", last_agent_message="Found."),
    ]
    imported = whole(read(transcript(CX, written(tmp_path / "r.jsonl", lines))))
    live = [
        *_hook("SubagentStart", agent_id="child", agent_type="explorer", turn_id="t9"),
        *_hook("SubagentStop", agent_id="child", turn_id="t9", last_assistant_message="Found."),
    ]

    assert {identity(draft) for draft in live} == {identity(draft) for draft in imported}
    assert all(draft.metadata["subagent"] == "child" for draft in imported)


def test_a_fork_is_its_own_session(tmp_path: Path) -> None:
    found = _read(tmp_path / "r.jsonl", _line("session_meta", id="old"), _said("user", "hi"))

    assert [(draft.session_id, draft.text) for draft in found] == [("s1", "hi")]


def test_the_older_notify_program_is_understood() -> None:
    payload = {
        "type": "agent-turn-complete",
        "thread-id": "s1",
        "turn-id": "t1",
        "input-messages": ["build it"],
        "last-assistant-message": "Built.",
    }
    found = drafts(hook_call(CX, payload))

    assert {identity(draft) for draft in found} == {
        identity(draft)
        for draft in (
            *_hook("UserPromptSubmit", prompt="build it"),
            *_hook("Stop", last_assistant_message="Built."),
        )
    }


def test_unknown_events_and_fields_are_kept() -> None:
    (note,) = _hook("Dream", about="\u5922")
    (start,) = _hook("SessionStart", source="startup", mood="good")

    assert note.event_type is EventType.NOTE
    assert json.loads(note.text)["about"] == "\u5922"
    assert start.metadata["extra"] == {"mood": "good"}


def test_rollouts_are_found_plain_archived_and_compressed(tmp_path: Path) -> None:
    home = homes_in(tmp_path)
    name = f"rollout-2026-11-15T00-17-40-{SESSION}.jsonl"
    lines = (FIXTURES / "codex-rollout.jsonl").read_bytes()
    day = home.codex / "sessions" / "2026" / "11" / "15"
    day.mkdir(parents=True)
    (day / f"{name}.zst").write_bytes(zstandard.ZstdCompressor().compress(lines))
    written(day / "notes.jsonl", [{}])
    archived = home.codex / "archived_sessions"
    archived.mkdir()
    (archived / name).write_bytes(lines)

    packed, plain = discover(home)
    assert (packed.path.suffix, plain.path.suffix) == (".zst", ".jsonl")
    assert packed.session_id == plain.session_id == SESSION
    assert packed.working_directory == "/home/dev/proj"
    assert [identity(draft) for draft in whole(read(packed))] == [
        identity(draft) for draft in whole(read(plain))
    ]
    assert in_use(home)


def test_a_torn_compressed_rollout_gives_what_it_holds_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / f"rollout-x-{SESSION}.jsonl.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + b"nonsense" * 9)

    (damaged,) = read(transcript(CX, path))
    assert isinstance(damaged, Damaged)
    assert damaged.path == path


_FIELDS = (
    "session_id", "turn_id", "cwd", "model", "source", "prompt", "agent_id", "agent_type",
    "tool_name", "tool_input", "tool_use_id", "tool_response", "trigger", "reason",
    "last_assistant_message", "input-messages", "timestamp",
)  # fmt: skip
_EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest", "Stop",
    "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd", "Interrupt",
    "agent-turn-complete", "nonsense",
)  # fmt: skip


@given(event=st.sampled_from(_EVENTS), payload=objects_with(*_FIELDS), more=json_values)
def test_no_payload_can_break_it(event: str, payload: dict[str, Any], more: object) -> None:
    for draft in drafts(hook_call(CX, {"hook_event_name": event, **payload, "more": more})):
        draft.text.encode("utf-8")
        json.dumps(draft.metadata, allow_nan=False).encode("utf-8")
        assert draft.source_id or (draft.fingerprint and draft.delivery)


_KINDS = (
    "message", "function_call", "function_call_output", "local_shell_call", "custom_tool_call",
    "custom_tool_call_output", "web_search_call", "reasoning", "task_started", "task_complete",
    "turn_aborted", "error", "exec_command_end", "item_completed", "patch_apply_end",
)  # fmt: skip
_PAYLOADS = objects_with(
    "id", "session_id", "cwd", "git", "source", "role", "content", "name", "arguments", "call_id",
    "output", "action", "input", "turn_id", "item", "exit_code", "duration", "message", "changes",
    "internal_chat_message_metadata_passthrough", "status", "success", "reason",
)  # fmt: skip
_TYPES = ("session_meta", "turn_context", "response_item", "event_msg", "compacted", "else")


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(
        st.tuples(st.sampled_from(_TYPES), st.sampled_from(_KINDS), _PAYLOADS, json_values),
        max_size=5,
    )
)
def test_no_line_can_break_it(
    lines: list[tuple[str, str, dict[str, Any], object]], tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    objects = [
        {"type": kind, "timestamp": at, "payload": {"type": inner, **payload}}
        for kind, inner, payload, at in lines
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in objects), encoding="utf-8")

    for draft in whole(read(transcript(CX, path))):
        draft.text.encode("utf-8")
        json.dumps(draft.metadata, allow_nan=False).encode("utf-8")
        assert draft.source_id or (draft.fingerprint and draft.delivery)
