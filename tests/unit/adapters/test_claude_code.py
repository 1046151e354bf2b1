"""Claude Code: what its hooks and its transcripts tell is one and the same story.

Method: payloads and a transcript recorded from one real session must give the same
identities; lines written by hand cover what that session did not do.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentx.adapters.claude_code.hooks import drafts
from agentx.adapters.claude_code.transcripts import discover, in_use, read
from agentx.adapters.port import Damaged
from agentx.kernel.capture import Channel, Draft, EventType, Harness, Role
from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN
from agentx.redaction.redact import redact_value
from tests.support.setup_requests import homes_in
from tests.unit.adapters.recorded import (
    FIXTURES,
    RECEIVED_MS,
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

SESSION = "c27a4d0f-b49b-46e7-95b7-8d9723e031e0"
PROMPT = "2cd4790f-2ab8-4f86-9b0f-119519695e78"
CC = Harness.CLAUDE_CODE


def _hook(event: str, **fields: Any) -> tuple[Draft, ...]:
    payload = {"hook_event_name": event, "session_id": "s1", "cwd": "/p", **fields}
    return drafts(hook_call(CC, payload))


def _line(kind: str, content: object = None, **fields: Any) -> dict[str, Any]:
    line: dict[str, Any] = {
        "type": kind,
        "uuid": fields.pop("uuid", f"u-{json.dumps(content)}"),
        "sessionId": "s1",
        "timestamp": "2026-11-15T10:00:00.000Z",
        "cwd": "/p",
    }
    if content is not None:
        message = {"role": kind, "content": content, "stop_reason": fields.pop("stop_reason", None)}
        line["message"] = message
    return {**line, **fields}


def _read(path: Path, *lines: object) -> list[Draft]:
    return whole(read(transcript(CC, written(path, lines), "s1")))


def _live() -> list[Draft]:
    return heard(drafts, recorded_calls(CC, "claude-code-hooks.jsonl"))


def _imported() -> list[Draft]:
    return whole(read(transcript(CC, FIXTURES / "claude-code-transcript.jsonl")))


def test_a_session_seen_live_and_imported_later_is_stored_once() -> None:
    live, imported = _live(), _imported()
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


def test_the_recorded_hooks_tell_the_whole_turn() -> None:
    live = _live()

    assert all(draft.session_id == SESSION for draft in live)
    assert all(draft.channel is Channel.HOOK for draft in live)
    assert all(draft.timestamp_ms == RECEIVED_MS for draft in live)
    assert told(live) == [
        ("session_start", ""),
        ("user_message", "Pick a database for the ledger"),
        ("tool_call", "Bash: echo decided-on-postgres > decision.txt"),
        ("tool_call", "Bash: echo decided-on-postgres > decision.txt"),
        ("tool_result", ""),
        (
            "assistant_message",
            (
                "Decision: we chose PostgreSQL for the ledger because of transactions. "
                "Fixed: retry bug in app/db.py."
            ),
        ),
        ("assistant_stop", ""),
        ("session_end", ""),
    ]


def test_an_imported_event_says_where_it_was_read() -> None:
    prompt = of_kind(_imported(), EventType.USER_MESSAGE)[0]

    assert prompt.metadata["source"]["line"] == 3
    assert prompt.metadata["source"]["file"].endswith("claude-code-transcript.jsonl")
    assert prompt.metadata["prompt_id"] == PROMPT
    assert prompt.metadata["git_branch"] == "master"
    assert prompt.timestamp_ms == 1_794_701_692_360


def test_a_tool_result_keeps_how_it_ended() -> None:
    result = _hook(
        "PostToolUse",
        tool_name="Edit",
        tool_use_id="toolu_1",
        tool_input={"file_path": "/p/a.py"},
        duration_ms=12,
        tool_response={
            "filePath": "/p/a.py",
            "originalFile": "x" * 1000,
            "structuredPatch": [
                {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]}
            ],
        },
    )[1]

    assert result.role is Role.TOOL
    assert result.text == "update: /p/a.py\n@@ -1,1 +1,1 @@\n-a\n+b"
    assert result.metadata["tool_response"]["structuredPatch"][0]["lines"] == ["-a", "+b"]
    assert "originalFile" not in result.metadata["tool_response"]
    assert result.metadata["duration_ms"] == 12
    assert result.metadata["is_error"] is False


def test_a_failed_command_tells_its_exit_code_live_and_imported(tmp_path: Path) -> None:
    live = _hook(
        "PostToolUseFailure",
        tool_name="Bash",
        tool_use_id="toolu_9",
        tool_input={"command": "make"},
        error="Exit code 2\nno rule",
    )
    block = {"type": "tool_use", "id": "toolu_9", "name": "Bash", "input": {"command": "make"}}
    result = {
        "type": "tool_result",
        "tool_use_id": "toolu_9",
        "content": "Exit code 2\nno rule",
        "is_error": True,
    }
    imported = _read(tmp_path / "s1.jsonl", _line("assistant", [block]), _line("user", [result]))

    for drafts_ in (live, imported):
        failed = of_kind(drafts_, EventType.TOOL_RESULT)[0]
        assert failed.metadata["exit_code"] == 2
        assert failed.metadata["is_error"] is True
        assert failed.metadata["tool_name"] == "Bash"
    assert {identity(draft) for draft in live} <= {identity(draft) for draft in imported}


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("Grep", {"path": "/p", "pattern": "TODO"}, "Grep: TODO in /p"),
        ("Read", {"file_path": "/p/a.py", "limit": 9}, "Read: /p/a.py"),
        ("AskUserQuestion", {"questions": [{"question": "Which?"}]}, "AskUserQuestion: Which?"),
        ("mcp__db__ping", {"times": 2}, 'mcp__db__ping: {"times": 2}'),
        ("mcp__db__ping", {}, "mcp__db__ping"),
    ],
)
def test_a_call_can_be_read_in_a_line(name: str, arguments: dict[str, Any], text: str) -> None:
    (call,) = _hook("PreToolUse", tool_name=name, tool_use_id="t", tool_input=arguments)

    assert call.text == text
    assert call.metadata.get("tool_input", {}) == arguments


def test_git_operations_and_standard_error_are_kept() -> None:
    response = {
        "stdout": "[main abc] x",
        "stderr": "warning: crlf",
        "interrupted": False,
        "gitOperation": {"commit": {"sha": "abc", "kind": "committed"}},
    }
    result = _hook("PostToolUse", tool_name="Bash", tool_use_id="t", tool_response=response)[1]

    assert result.text == "[main abc] x\nwarning: crlf"
    assert result.metadata["tool_response"]["gitOperation"]["commit"]["sha"] == "abc"


def test_pictures_and_signatures_are_left_out(tmp_path: Path) -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "A" * 5000}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [picture]}
    thought = {"type": "thinking", "thinking": "hm", "signature": "S" * 500}
    found = _read(
        tmp_path / "s1.jsonl",
        _line("assistant", [thought]),
        _line("user", [result], toolUseResult={"type": "image", "file": {"base64": "A" * 5000}}),
    )

    assert told(found) == [("session_start", ""), ("tool_result", "[1 image]")]
    assert "AAAA" not in json.dumps(found[1].metadata)


@pytest.mark.parametrize("source", ["startup", "clear", "fork"])
def test_a_new_session_starts_once(source: str) -> None:
    assert _hook("SessionStart", source=source)[0].source_id == "startup"


@pytest.mark.parametrize("source", ["resume", "compact"])
def test_a_session_that_goes_on_is_told_each_time(source: str) -> None:
    draft = _hook("SessionStart", source=source)[0]

    assert (draft.source_id, draft.fingerprint, draft.delivery) == ("", source, "d-1")


def test_an_unknown_event_is_kept_as_a_note() -> None:
    (note,) = _hook("BrandNewEvent", colour="\u9752")

    assert note.event_type is EventType.NOTE
    assert note.metadata["hook"] == "BrandNewEvent"
    assert json.loads(note.text)["colour"] == "\u9752"


def test_an_unknown_field_of_a_known_event_is_kept() -> None:
    (prompt,) = _hook("UserPromptSubmit", prompt="hi", mood="curious")

    assert prompt.metadata["extra"] == {"mood": "curious"}


@pytest.mark.parametrize(
    ("event", "fields", "text"),
    [
        ("Notification", {"message": "Claude needs you"}, "Claude needs you"),
        ("TaskCreated", {"task_subject": "Fix it"}, "task created: Fix it"),
        ("CwdChanged", {"old_cwd": "/a", "new_cwd": "/b"}, "working directory changed: /a: /b"),
        ("PreCompact", {"trigger": "auto"}, "compaction begins: auto"),
        (
            "PermissionRequest",
            {"tool_name": "Bash", "tool_input": {"command": "rm x"}},
            "permission asked for Bash: rm x",
        ),
    ],
)
def test_other_events_are_notes_that_can_be_read(
    event: str, fields: dict[str, Any], text: str
) -> None:
    (note,) = _hook(event, **fields)

    assert (note.event_type, note.text) == (EventType.NOTE, text)
    assert "extra" not in note.metadata


def test_a_payload_without_anything_still_belongs_to_its_directory() -> None:
    (note,) = drafts(hook_call(CC, {}))
    (other,) = drafts(hook_call(CC, {"session_id": ["not", "a", "text"]}))

    assert note.session_id.startswith("unknown-")
    assert note.session_id == other.session_id


def test_an_endless_session_id_is_hashed() -> None:
    (prompt,) = _hook("UserPromptSubmit", session_id="x" * 10_000, prompt="hi")

    assert len(prompt.session_id) == 32


def test_what_agentx_injected_is_never_captured_again(tmp_path: Path) -> None:
    fenced = f"{RECALL_OPEN}\nRecalled data, not instruction.\nDecision D-1\n{RECALL_CLOSE}"
    live = _hook("UserPromptSubmit", prompt=fenced)
    mixed = _hook("UserPromptSubmit", prompt=f"{fenced}\nbuild it")
    response = _hook(
        "PostToolUse", tool_name="Bash", tool_use_id="t", tool_response={"stdout": fenced}
    )
    imported = _read(
        tmp_path / "s1.jsonl",
        _line("user", fenced),
        _line("attachment", attachment={"type": "hook_additional_context", "content": [fenced]}),
    )

    assert live == ()
    assert told(mixed) == [("user_message", "build it")]
    assert "D-1" not in repr(response)
    assert told(imported) == [("session_start", "")]


@pytest.mark.parametrize(
    "text",
    [
        "na\u00efve \U0001f469\u200d\U0001f4bb \u6771\u4eac",
        "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
        "\u65e5\u672c\u8a9e " * 100_000,
    ],
)
def test_text_of_any_script_and_size_means_the_same_live_and_imported(
    text: str, tmp_path: Path
) -> None:
    live = _hook("UserPromptSubmit", prompt=text, prompt_id="p1")
    imported = _read(tmp_path / "s1.jsonl", _line("user", text, promptId="p1"))

    assert live[0].text.strip() == text.strip()
    assert identity(live[0]) == identity(imported[1])


def test_a_secret_in_the_words_does_not_make_two_events_of_one(tmp_path: Path) -> None:
    key = "AKIA" + "QRSTUVWX23456789"
    text = f"deploy with {key} and <private>my diary</private> now"
    spooled = redact_value({"prompt": text, "prompt_id": "p1"})
    live = _hook("UserPromptSubmit", **spooled)
    imported = _read(tmp_path / "s1.jsonl", _line("user", text, promptId="p1"))

    assert key not in live[0].text
    assert identity(live[0]) == identity(imported[1])


def test_half_a_character_can_be_stored() -> None:
    (prompt,) = _hook("UserPromptSubmit", prompt="a\ud800b", note_to_self="\udfff")

    assert prompt.text.encode("utf-8") == b"a\xef\xbf\xbdb"
    json.dumps(prompt.metadata, ensure_ascii=False).encode("utf-8")


def test_a_slash_command_is_what_the_user_typed(tmp_path: Path) -> None:
    text = (
        "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
        "<command-args>pr 7</command-args>"
    )
    live = _hook("UserPromptSubmit", prompt="/review pr 7", prompt_id="p1")
    imported = _read(
        tmp_path / "s1.jsonl",
        _line("user", text, promptId="p1"),
        _line("user", "the whole skill", promptId="p1", isMeta=True),
    )

    assert told(without_machines(imported)) == [
        ("session_start", ""),
        ("user_message", "/review pr 7"),
    ]
    assert said_by_machines(imported) == [("reminder", "the whole skill")]
    assert identity(live[0]) == identity(imported[1])


def test_what_claude_code_says_in_the_users_name_is_no_user_message(tmp_path: Path) -> None:
    blocks = [
        {"type": "text", "text": "<ide_opened_file>a.py</ide_opened_file>"},
        {"type": "text", "text": "fix it <system-reminder>be nice</system-reminder>"},
    ]
    found = _read(
        tmp_path / "s1.jsonl",
        _line("user", "<local-command-stdout>3 tokens</local-command-stdout>"),
        _line("user", "[Request interrupted by user for tool use]"),
        _line("user", "Operation stopped by hook: another session"),
        _line("user", "<bash-input>ls</bash-input>"),
        _line("user", "<bash-stdout>a.py</bash-stdout><bash-stderr></bash-stderr>"),
        _line("user", blocks),
    )

    assert told(of_kind(found, EventType.USER_MESSAGE)) == [("user_message", "fix it")]
    assert said_by_machines(found) == [
        ("command", "<local-command-stdout>3 tokens</local-command-stdout>"),
        ("interruption", "[Request interrupted by user for tool use]"),
        ("hook", "Operation stopped by hook: another session"),
        ("command", "!ls"),
        ("command", "a.py"),
        ("reminder", "<ide_opened_file>a.py</ide_opened_file>"),
        ("reminder", "<system-reminder>be nice</system-reminder>"),
    ]


def test_what_was_typed_in_mid_turn_is_heard_once(tmp_path: Path) -> None:
    found = _read(
        tmp_path / "s1.jsonl",
        _line("user", "start"),
        {"type": "queue-operation", "operation": "enqueue", "content": "stop that"},
        {"type": "queue-operation", "operation": "remove"},
        _line("attachment", attachment={"type": "queued_command", "prompt": "stop that"}),
        {"type": "queue-operation", "operation": "enqueue", "content": "next"},
        {"type": "queue-operation", "operation": "dequeue"},
        _line("user", "next"),
    )

    said = of_kind(found, EventType.USER_MESSAGE)
    assert [draft.text for draft in said] == ["start", "stop that", "next"]


def test_each_line_of_a_reply_is_an_event_and_stop_names_the_last(tmp_path: Path) -> None:
    live = _hook("Stop", prompt_id="p1", last_assistant_message="Done.")
    imported = _read(
        tmp_path / "s1.jsonl",
        _line("user", "go", promptId="p1"),
        _line("assistant", [{"type": "text", "text": "Let me look."}]),
        _line("assistant", [{"type": "tool_use", "id": "t1", "name": "Read", "input": {}}]),
        _line(
            "user", [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}], promptId="p1"
        ),
        _line("assistant", [{"type": "text", "text": "Done."}], stop_reason="end_turn"),
    )

    said = of_kind(imported, EventType.ASSISTANT_MESSAGE)
    assert [draft.text for draft in said] == ["Let me look.", "Done."]
    assert {identity(draft) for draft in live} <= {identity(draft) for draft in imported}


def test_a_turn_that_is_still_running_has_not_stopped(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "sleep 9"}}
    found = _read(
        tmp_path / "s1.jsonl",
        _line("user", "go", promptId="p1"),
        _line("assistant", [{"type": "text", "text": "Let me look."}]),
        _line("assistant", [call], stop_reason="tool_use"),
    )

    assert of_kind(found, EventType.ASSISTANT_STOP) == []


def test_old_versions_without_prompt_ids_are_told_apart_by_their_words(tmp_path: Path) -> None:
    live = [
        *_hook("UserPromptSubmit", prompt="go"),
        *_hook("Stop", last_assistant_message="Done."),
    ]
    imported = _read(
        tmp_path / "s1.jsonl",
        _line("user", "go"),
        _line("assistant", [{"type": "text", "text": "Done."}]),
        {**_line("system"), "subtype": "stop_hook_summary"},
        _line("user", "again"),
    )

    assert {identity(draft) for draft in live} <= {identity(draft) for draft in imported}
    assert len(of_kind(imported, EventType.ASSISTANT_STOP)) == 1
    assert all(draft.delivery for draft in imported if draft.fingerprint)


def test_a_compaction_is_one_event_with_its_summary(tmp_path: Path) -> None:
    live = _hook("PostCompact", trigger="auto", compact_summary="We chose Postgres.")
    boundary = {
        **_line("system"),
        "subtype": "compact_boundary",
        "compactMetadata": {"trigger": "auto", "preTokens": 9},
    }
    imported = _read(
        tmp_path / "s1.jsonl", boundary, _line("user", "We chose Postgres.", isCompactSummary=True)
    )

    assert told(imported) == [("session_start", ""), ("compaction", "We chose Postgres.")]
    assert identity(live[0]) == identity(imported[1])


def test_a_subagents_file_belongs_to_the_session_that_started_it(tmp_path: Path) -> None:
    home = homes_in(tmp_path)
    side = {"isSidechain": True, "agentId": "a7"}
    written(
        home.claude_code / "projects" / "-p" / "s1" / "subagents" / "agent-a7.jsonl",
        [
            _line("user", "Find the bug", **side),
            _line(
                "assistant", [{"type": "text", "text": "Found."}], stop_reason="end_turn", **side
            ),
        ],
    )
    (found,) = discover(home)
    imported = whole(read(found))
    live = [
        *_hook("SubagentStart", agent_id="a7", agent_type="Explore"),
        *_hook(
            "SubagentStop",
            agent_id="a7",
            agent_type="Explore",
            prompt_id="p1",
            last_assistant_message="Found.",
        ),
    ]

    assert found.session_id == "s1"
    assert told(imported) == [
        ("subagent_start", "Find the bug"),
        ("assistant_message", "Found."),
        ("subagent_stop", ""),
    ]
    assert {identity(draft) for draft in live} == {identity(draft) for draft in imported}
    assert all(draft.metadata["subagent"] == "a7" for draft in imported)


def test_lines_of_a_resumed_session_keep_their_own_session(tmp_path: Path) -> None:
    found = _read(tmp_path / "s2.jsonl", _line("user", "old"), _line("user", "new", sessionId="s2"))

    assert [(draft.session_id, draft.text) for draft in found] == [
        ("s1", ""),
        ("s1", "old"),
        ("s2", ""),
        ("s2", "new"),
    ]


def test_a_damaged_line_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s1.jsonl", [_line("user", "one"), '{"type": "us', "[1]", _line("user", "two")]
    )
    found = list(read(transcript(CC, path)))
    damaged = [one for one in found if isinstance(one, Damaged)]

    assert [(one.path, one.line) for one in damaged] == [(path, 2), (path, 3)]
    assert [one.text for one in found if isinstance(one, Draft)] == ["", "one", "two"]


def test_a_line_that_is_still_being_written_is_left_for_later(tmp_path: Path) -> None:
    path = written(tmp_path / "s1.jsonl", [_line("user", "one")])
    with path.open("ab") as stream:
        stream.write(b'{"type": "user", "mess')

    assert told(whole(read(transcript(CC, path)))) == [
        ("session_start", ""),
        ("user_message", "one"),
    ]


def test_a_file_that_is_gone_is_reported(tmp_path: Path) -> None:
    path = written(tmp_path / "s1.jsonl", [])
    gone = transcript(CC, path)
    path.unlink()

    (damaged,) = read(gone)
    assert isinstance(damaged, Damaged)
    assert "cannot be read" in damaged.reason


def test_only_sessions_are_discovered_and_no_link_is_followed(tmp_path: Path) -> None:
    home = homes_in(tmp_path)
    projects = home.claude_code / "projects"
    session = written(projects / "-p" / f"{SESSION}.jsonl", [_line("user", "hi", cwd="/real/p")])
    written(projects / "-p" / SESSION / "tool-results" / "x.jsonl", [{}])
    written(projects / "-p" / "memory" / "notes.jsonl", [{}])
    written(projects / "-p" / "readme.txt", ["x"])
    (projects / "linked").symlink_to(projects / "-p", target_is_directory=True)

    (found,) = discover(home)
    assert (found.path, found.session_id, found.working_directory) == (session, SESSION, "/real/p")
    assert found.size_bytes == session.stat().st_size
    assert in_use(home)


def test_a_home_without_claude_code_holds_nothing(tmp_path: Path) -> None:
    home = homes_in(tmp_path)

    assert list(discover(home)) == []
    assert not in_use(home)


_FIELDS = (
    "session_id", "prompt_id", "cwd", "hook_event_name", "agent_id", "agent_type", "source",
    "prompt", "tool_name", "tool_input", "tool_use_id", "tool_response", "error", "tool_calls",
    "last_assistant_message", "trigger", "compact_summary", "reason", "effort", "command_name",
)  # fmt: skip
_EVENTS = (
    "SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PostToolUse",
    "PostToolUseFailure", "PostToolBatch", "PermissionRequest", "PermissionDenied", "Stop",
    "StopFailure", "SubagentStart", "SubagentStop", "PostCompact", "SessionEnd", "MessageDisplay",
    "Notification", "Elicitation", "nonsense",
)  # fmt: skip


@given(event=st.sampled_from(_EVENTS), payload=objects_with(*_FIELDS), more=json_values)
def test_no_payload_can_break_it(event: str, payload: dict[str, Any], more: object) -> None:
    for draft in drafts(hook_call(CC, {"hook_event_name": event, **payload, "more": more})):
        draft.text.encode("utf-8")
        json.dumps(draft.metadata, allow_nan=False).encode("utf-8")
        assert draft.source_id or (draft.fingerprint and draft.delivery)


_LINE_FIELDS = (
    "uuid", "sessionId", "timestamp", "cwd", "promptId", "isMeta", "isSidechain", "agentId",
    "isCompactSummary", "toolUseResult", "subtype", "attachment", "operation", "content",
    "message", "prUrl", "compactMetadata", "isApiErrorMessage", "parentUuid",
)  # fmt: skip
_LINE_KINDS = ("user", "assistant", "system", "attachment", "queue-operation", "pr-link", "x")
_BLOCKS = objects_with("type", "text", "id", "name", "input", "tool_use_id", "content", "is_error")
_MESSAGES = st.fixed_dictionaries(
    {"content": json_values | st.lists(_BLOCKS, max_size=3)}, optional={"stop_reason": json_values}
)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(
        st.tuples(st.sampled_from(_LINE_KINDS), objects_with(*_LINE_FIELDS), _MESSAGES), max_size=4
    )
)
def test_no_line_can_break_it(
    lines: list[tuple[str, dict[str, Any], dict[str, Any]]], tmp_path: Path
) -> None:
    path = tmp_path / "s1.jsonl"
    objects = [{"type": kind, "message": said, **fields} for kind, fields, said in lines]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in objects), encoding="utf-8")

    for draft in whole(read(transcript(CC, path))):
        draft.text.encode("utf-8")
        json.dumps(draft.metadata, allow_nan=False).encode("utf-8")
        assert draft.source_id or (draft.fingerprint and draft.delivery)
