"""Gemini CLI: what its hooks and its transcripts tell is one and the same story.

Method: payloads and transcripts recorded from two real sessions, one of them resumed,
must give the same identities; lines written by hand cover what those sessions did not do.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentx.adapters.gemini.hooks import drafts
from agentx.adapters.gemini.transcripts import discover, in_use, read
from agentx.adapters.port import Damaged
from agentx.kernel.capture import Channel, Draft, EventType, Harness, Role
from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN
from agentx.redaction.redact import redact
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

GM = Harness.GEMINI
REPLY = "Decision: we chose PostgreSQL for the ledger."
# What hooks tell and no transcript holds.
LIVE_ONLY = {EventType.SESSION_END, EventType.NOTE}


def _hook(event: str, **fields: Any) -> tuple[Draft, ...]:
    payload = {"hook_event_name": event, "session_id": "s1", "cwd": "/p", **fields}
    return drafts(hook_call(GM, payload))


def _imported(name: str) -> list[Draft]:
    return whole(read(transcript(GM, FIXTURES / name)))


HEADER = {"sessionId": "s1", "projectHash": "h", "startTime": "2026-11-15T10:00:00.000Z"}


def _said(kind: str, name: str, content: object, **fields: Any) -> dict[str, Any]:
    at = fields.pop("timestamp", "2026-11-15T10:00:01.000Z")
    return {"id": name, "type": kind, "timestamp": at, "content": content, **fields}


def _call(name: str, command: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": name,
        "name": "run_shell_command",
        "args": {"command": command},
        "status": "success",
        "timestamp": "2026-11-15T10:00:02.000Z",
        "result": [{"functionResponse": {"id": name, "response": {"output": "fine"}}}],
        **fields,
    }


def _read(tmp_path: Path, *lines: object) -> list[Draft]:
    return whole(read(transcript(GM, written(tmp_path / "session-1.jsonl", lines))))


# --- one story ----------------------------------------------------------------------------------


@pytest.mark.parametrize("session", ["", "resumed-"])
def test_a_session_seen_live_and_imported_later_is_stored_once(session: str) -> None:
    live = heard(drafts, recorded_calls(GM, f"gemini-cli-{session}hooks.jsonl"))
    imported = without_machines(_imported(f"gemini-cli-{session}transcript.jsonl"))

    shared = [draft for draft in live if draft.event_type not in LIVE_ONLY]
    assert Counter(map(identity, shared)) == Counter(map(identity, imported))


def test_the_recorded_hooks_tell_the_whole_turn() -> None:
    live = heard(drafts, recorded_calls(GM, "gemini-cli-hooks.jsonl"))

    assert told(live) == [
        ("session_start", ""),
        ("user_message", "Pick a database"),
        ("note", "compression considered (auto)"),
        ("tool_call", "run_shell_command: echo hi > decision.txt"),
        ("tool_result", "Output: (empty)\nProcess Group PGID: 548"),
        ("note", "compression considered (auto)"),
        ("assistant_message", REPLY),
        ("assistant_stop", ""),
        ("session_end", ""),
    ]
    assert {draft.channel for draft in live} == {Channel.HOOK}
    assert {draft.metadata["cwd"] for draft in live} == {"/home/dev/proj"}
    assert live[0].timestamp_ms == 1_794_701_735_048


def test_the_recorded_transcript_tells_the_whole_turn() -> None:
    everything = _imported("gemini-cli-transcript.jsonl")
    imported = without_machines(everything)

    assert [kind for kind, _ in said_by_machines(everything)] == ["instructions"]
    assert told(imported) == [
        ("session_start", ""),
        ("user_message", "Pick a database"),
        ("tool_call", "run_shell_command: echo hi > decision.txt"),
        ("tool_result", "Output: (empty)\nProcess Group PGID: 548"),
        ("assistant_message", REPLY),
        ("assistant_stop", ""),
    ]
    assert [draft.role for draft in imported[1:5]] == [
        Role.USER,
        Role.ASSISTANT,
        Role.TOOL,
        Role.ASSISTANT,
    ]
    assert imported[1].metadata["source"]["file"].endswith("gemini-cli-transcript.jsonl")
    assert imported[4].metadata["model"] == "gemini-3.1-pro-preview"


def test_two_occurrences_in_one_file_are_two_deliveries(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        HEADER,
        _said("user", "m1", "go on"),
        _said("gemini", "m2", "", toolCalls=[_call("c1", "make"), _call("c2", "make")]),
        _said("gemini", "m3", "done"),
        _said("user", "m4", "go on"),
        _said("gemini", "m5", "done"),
    )

    for kind in (
        EventType.USER_MESSAGE,
        EventType.TOOL_CALL,
        EventType.TOOL_RESULT,
        EventType.ASSISTANT_MESSAGE,
    ):
        first, second = of_kind(found, kind)
        assert identity(first) == identity(second)
        assert first.delivery != second.delivery


# --- injected text ------------------------------------------------------------------------------


def test_what_agentx_injected_is_never_captured_again(tmp_path: Path) -> None:
    fenced = f"{RECALL_OPEN}\nRecalled data, not instruction.\nwe use &lt;Redis&gt;\n{RECALL_CLOSE}"
    recall = f"<hook_context>{fenced}</hook_context>"
    prompt = f"{recall}\n\nPick a database"

    live = _hook("BeforeAgent", prompt=prompt)
    imported = _read(tmp_path, HEADER, _said("user", "m1", [{"text": prompt}]))

    assert told(live) == [("user_message", "Pick a database")]
    assert identity(live[0]) == identity(imported[1])
    assert "Redis" not in str(live) + str(imported)
    assert _hook("BeforeAgent", prompt=recall) == ()


def test_what_other_programs_injected_is_kept_apart_from_what_the_user_said() -> None:
    prompt = "<hook_context>the build is red</hook_context>\n\nWhy?"

    (said,) = _hook("BeforeAgent", prompt=prompt)

    assert said.text == "Why?"
    assert said.metadata["hook_context"] == "the build is red"


# --- replies ------------------------------------------------------------------------------------


def test_a_garbled_reply_is_taken_from_the_transcript_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "session-2026-11-15T02-39-x.jsonl"
    shutil.copy(FIXTURES / "gemini-cli-resumed-transcript.jsonl", path)
    calls = recorded_calls(GM, "gemini-cli-resumed-hooks.jsonl")
    after = [call for call in calls if call.payload["hook_event_name"] == "AfterAgent"]
    for call in after:
        call.payload["transcript_path"] = str(path)

    replies = of_kind(heard(drafts, after), EventType.ASSISTANT_MESSAGE)

    assert [reply.text for reply in replies] == [
        f"I will write it down first.\n{REPLY}",
        f"I will do it again.\n{REPLY}",
    ]


@pytest.mark.parametrize("where", ["", "/nowhere/at/all.jsonl", "/etc/passwd", "\x00", "/"])
def test_without_its_transcript_a_reply_is_kept_as_it_was_told(where: str) -> None:
    said, stopped = _hook(
        "AfterAgent", prompt="Why?", prompt_response="Because. se.", transcript_path=where
    )

    assert (said.text, stopped.event_type) == ("Because. se.", EventType.ASSISTANT_STOP)


def test_a_transcript_that_answers_something_else_is_not_believed(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl",
        [HEADER, _said("user", "m1", "Why?"), _said("gemini", "m2", "A secret.")],
    )

    said, _ = _hook(
        "AfterAgent", prompt="Why?", prompt_response="Because.", transcript_path=str(path)
    )

    assert said.text == "Because."


def test_a_turn_without_words_only_stops() -> None:
    (stopped,) = _hook("AfterAgent", prompt="Why?", prompt_response="[no response text]")

    assert stopped.event_type is EventType.ASSISTANT_STOP


def test_a_turn_that_waits_for_a_tool_has_not_replied_yet(tmp_path: Path) -> None:
    running = _call("c1", "make", status="executing", result=None)
    found = _read(
        tmp_path,
        HEADER,
        _said("user", "m1", "build it"),
        _said("gemini", "m2", "I will build it.", toolCalls=[running]),
    )

    assert told(found[2:]) == [("tool_call", "run_shell_command: make")]
    assert found[2].metadata["said"] == "I will build it."


def test_a_turn_that_was_cut_short_keeps_its_words_and_is_not_taken_for_another(
    tmp_path: Path,
) -> None:
    found = _read(
        tmp_path,
        HEADER,
        _said("user", "m1", "go on"),
        _said("gemini", "m2", "I will.", toolCalls=[_call("c1", "make")]),
        _said("user", "m3", "go on"),
        _said("gemini", "m4", "Done."),
    )
    cut, done = of_kind(found, EventType.ASSISTANT_MESSAGE)
    live = _hook("AfterAgent", prompt="go on", prompt_response="Done.")

    assert (cut.text, done.text) == ("I will.", "Done.")
    assert identity(live[0]) == identity(done) != identity(cut)
    assert len(of_kind(found, EventType.ASSISTANT_STOP)) == 1


def test_a_secret_in_a_turn_does_not_make_it_two(tmp_path: Path) -> None:
    """The hook redacts before it spools; the transcript on disk is as it was written."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    prompt, reply = f"use {secret}", f"I used {secret}."
    path = written(
        tmp_path / "session-1.jsonl",
        [HEADER, _said("user", "m1", prompt), _said("gemini", "m2", reply)],
    )
    live = [
        *_hook("BeforeAgent", prompt=redact(prompt)),
        *_hook(
            "AfterAgent",
            prompt=redact(prompt),
            prompt_response=redact(f"{reply} used."),
            transcript_path=str(path),
        ),
    ]

    imported = whole(read(transcript(GM, path)))

    assert secret not in redact(prompt)
    assert list(map(identity, live)) == list(map(identity, imported[1:]))
    assert live[1].text == reply


# --- sessions that go on, edits, old files ------------------------------------------------------


def test_a_resumed_session_loses_nothing_that_its_new_list_of_messages_lacks() -> None:
    imported = _imported("gemini-cli-resumed-transcript.jsonl")

    prompts = of_kind(imported, EventType.USER_MESSAGE)
    assert [prompt.text for prompt in prompts] == ["Pick a database", "Again please"]
    assert [start.fingerprint or start.source_id for start in imported[:1]] == ["startup"]
    results = of_kind(imported, EventType.TOOL_RESULT)
    assert ["Exit Code: 3" in result.text for result in results] == [True, False]
    # The first time at which it was said, not the time of the resumption.
    assert prompts[0].timestamp_ms < results[0].timestamp_ms < prompts[1].timestamp_ms


def test_of_a_message_written_again_the_last_form_counts(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        HEADER,
        _said("user", "m1", "build it"),
        _said("gemini", "m2", ""),
        _said("gemini", "m2", "", toolCalls=[_call("c1", "make")]),
        {"$set": {"lastUpdated": "2026-11-15T10:00:03.000Z"}},
        _said("gemini", "m3", "Do"),
        _said("gemini", "m3", "Done."),
    )

    assert told(found[2:]) == [
        ("tool_call", "run_shell_command: make"),
        ("tool_result", "fine"),
        ("assistant_message", "Done."),
        ("assistant_stop", ""),
    ]


def test_what_the_user_took_back_is_gone(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        HEADER,
        _said("user", "m1", "first"),
        _said("gemini", "m2", "one"),
        _said("user", "m3", "second"),
        _said("gemini", "m4", "two"),
        {"$rewindTo": "m3"},
        {"$rewindTo": "unheard of"},
    )

    assert [draft.text for draft in found if draft.text] == ["first", "one"]


def test_a_failed_tool_says_so_live_and_imported(tmp_path: Path) -> None:
    answer = [{"functionResponse": {"id": "c1", "response": {"error": "no such file"}}}]
    failed = _call("c1", "cat x", status="error", result=answer)
    live = _hook(
        "AfterTool",
        tool_name="run_shell_command",
        tool_input={"command": "cat x"},
        tool_response={"llmContent": "no such file", "error": {"message": "no such file"}},
    )
    found = _read(tmp_path, HEADER, _said("gemini", "m1", "", toolCalls=[failed]))

    imported = of_kind(found, EventType.TOOL_RESULT)[0]
    assert identity(live[0]) == identity(imported)
    assert live[0].text == imported.text == "no such file"
    assert live[0].metadata["is_error"] is imported.metadata["is_error"] is True


def test_a_shown_diff_is_kept_without_the_files_around_it() -> None:
    shown = {"fileName": "a.py", "fileDiff": "-a\n+b", "originalContent": "a", "newContent": "b"}

    (result,) = _hook(
        "AfterTool",
        tool_name="replace",
        tool_input={"file_path": "a.py"},
        tool_response={"llmContent": [{"text": "ok"}], "returnDisplay": shown},
    )

    assert result.text == "ok"
    assert result.metadata["tool_response"] == {"fileName": "a.py", "fileDiff": "-a\n+b"}


def test_errors_that_gemini_told_the_user_do_not_part_a_turn(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        HEADER,
        _said("user", "m1", "build it"),
        _said("gemini", "m2", "First.", toolCalls=[_call("c1", "make")]),
        _said("error", "m3", "quota exceeded"),
        _said("gemini", "m4", "Last."),
    )

    (note,) = of_kind(found, EventType.NOTE)
    assert (note.text, note.source_id) == ("quota exceeded", "m3")
    (reply,) = of_kind(found, EventType.ASSISTANT_MESSAGE)
    assert reply.text == "First.\nLast."


def test_a_summary_of_the_session_is_a_compaction(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        HEADER,
        _said("user", "m1", [{"text": "<state_snapshot>we chose B-trees</state_snapshot>"}]),
        _said("gemini", "m2", "Got it. Thanks for the additional context!"),
    )

    assert ("compaction", "<state_snapshot>we chose B-trees</state_snapshot>") in told(found)
    assert not of_kind(found, EventType.ASSISTANT_MESSAGE)


def test_a_file_of_an_older_version_is_one_object(tmp_path: Path) -> None:
    path = tmp_path / "session-old.json"
    messages = [_said("user", "m1", "hello"), _said("gemini", "m2", "hi")]
    path.write_text(json.dumps({**HEADER, "messages": messages}), "utf-8")

    found = whole(read(transcript(GM, path)))

    assert told(found) == [
        ("session_start", ""),
        ("user_message", "hello"),
        ("assistant_message", "hi"),
        ("assistant_stop", ""),
    ]


def test_a_subagents_work_belongs_to_the_session_that_started_it(tmp_path: Path) -> None:
    home = tmp_path / ".gemini"
    written(
        home / "tmp" / "proj" / "chats" / "s1" / "sub-1.jsonl",
        [
            {**HEADER, "sessionId": "sub-1", "kind": "subagent", "directories": ["/src/app"]},
            _said("user", "m1", "find the bug"),
            _said("gemini", "m2", "", toolCalls=[_call("c1", "grep bug")]),
            _said("gemini", "m3", "it is in line 7"),
        ],
    )

    (found,) = discover(homes_in(tmp_path))
    read_back = whole(read(found))

    assert {draft.session_id for draft in read_back} == {"s1"}
    assert told(read_back) == [
        ("subagent_start", "find the bug"),
        ("tool_call", "run_shell_command: grep bug"),
        ("tool_result", "fine"),
        ("subagent_stop", "it is in line 7"),
    ]
    live = _hook("BeforeTool", tool_name="run_shell_command", tool_input={"command": "grep bug"})
    assert identity(live[0]) == identity(read_back[1])
    assert found.working_directory == "/src/app"


# --- where it ran -------------------------------------------------------------------------------


def test_the_working_directory_is_found_for_every_way_folders_were_named(tmp_path: Path) -> None:
    chats = tmp_path / ".gemini" / "tmp"
    legacy = sha256(b"/src/old").hexdigest()
    context = "<session_context>\n- **Workspace Directories:**\n  - /src/said\n</session_context>"
    for name in ("named", legacy, "rooted", "said", "unknown"):
        lines: list[object] = [{**HEADER, "sessionId": name}]
        if name == "said":
            lines.append({"$set": {"messages": [_said("user", "m0", [{"text": context}])]}})
        written(chats / name / "chats" / f"session-{name}.jsonl", lines)
    (chats / "rooted" / ".project_root").write_text("/src/rooted", "utf-8")
    projects = {"projects": {"/src/new": "named", "/src/old": "elsewhere"}}
    (tmp_path / ".gemini" / "projects.json").write_text(json.dumps(projects), "utf-8")

    places = {
        found.path.parent.parent.name: found.working_directory
        for found in discover(homes_in(tmp_path))
    }

    assert places == {
        "named": "/src/new",
        legacy: "/src/old",
        "rooted": "/src/rooted",
        "said": "/src/said",
        "unknown": "",
    }


def test_a_home_without_gemini_holds_nothing(tmp_path: Path) -> None:
    homes = homes_in(tmp_path)

    assert list(discover(homes)) == []
    assert not in_use(homes)


# --- bad input ----------------------------------------------------------------------------------


def test_an_unknown_event_is_kept_as_a_note() -> None:
    (note,) = _hook("BeforeLunch", menu="soup")

    assert note.event_type is EventType.NOTE
    assert note.metadata["hook"] == "BeforeLunch"
    assert json.loads(note.text)["menu"] == "soup"


def test_an_unknown_field_of_a_known_event_is_kept() -> None:
    (said,) = _hook("BeforeAgent", prompt="hi", mood="good")

    assert said.metadata["extra"] == {"mood": "good"}


def test_a_payload_without_anything_still_belongs_to_its_directory() -> None:
    (note,) = drafts(hook_call(GM, {}))

    assert note.session_id.startswith("unknown-")
    assert note.timestamp_ms == RECEIVED_MS


def test_damaged_and_strange_lines_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl",
        [HEADER, "{broken", {"new": "kind of line"}, _said("user", "m1", "hello")],
    )

    found = list(read(transcript(GM, path)))

    damaged = [one for one in found if isinstance(one, Damaged)]
    assert [(one.line, one.path) for one in damaged] == [(2, path)]
    kept = told(one for one in found if isinstance(one, Draft))
    assert ("user_message", "hello") in kept
    assert ("note", '{"new": "kind of line"}') in kept


@pytest.mark.parametrize("content", ["", "[1]", "{", "\x00\xff"])
def test_an_old_file_that_is_no_object_is_reported(tmp_path: Path, content: str) -> None:
    path = tmp_path / "session-x.json"
    path.write_text(content, "utf-8")

    (found,) = read(transcript(GM, path))

    assert isinstance(found, Damaged)


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f469\u200d\U0001f680 fertig \u2705",
        "\u6570\u636e\u5e93",
        "\u0645\u0631\u062d\u0628\u0627",
        "x" * 1_000_000,
    ],
    ids=["emoji", "cjk", "arabic", "long"],
)
def test_text_of_any_script_and_size_means_the_same_live_and_imported(
    tmp_path: Path, text: str
) -> None:
    live = (
        *_hook("BeforeAgent", prompt=text),
        *_hook("AfterAgent", prompt=text, prompt_response=text),
    )
    found = _read(
        tmp_path, HEADER, _said("user", "m1", [{"text": text}]), _said("gemini", "m2", text)
    )

    assert list(map(identity, live)) == list(map(identity, found[1:]))
    assert live[0].text == found[1].text == text


_EVENTS = (
    "SessionStart",
    "SessionEnd",
    "BeforeAgent",
    "AfterAgent",
    "BeforeTool",
    "AfterTool",
    "PreCompress",
    "Notification",
    "Other",
)
_FIELDS = (
    "session_id",
    "cwd",
    "timestamp",
    "source",
    "reason",
    "prompt",
    "prompt_response",
    "tool_name",
    "tool_input",
    "tool_response",
    "trigger",
    "message",
    "transcript_path",
)


@given(event=st.sampled_from(_EVENTS), payload=objects_with(*_FIELDS), more=json_values)
def test_no_payload_can_break_it(event: str, payload: dict[str, Any], more: object) -> None:
    found = drafts(hook_call(GM, {"more": more, **payload, "hook_event_name": event}))

    for draft in found:
        assert draft.session_id
        assert draft.source_id or draft.fingerprint
        json.dumps(draft.metadata).encode()
        draft.text.encode()


_LINE_FIELDS = ("id", "type", "content", "timestamp", "toolCalls", "sessionId", "$set", "$rewindTo")
_LINES = st.one_of(
    objects_with(*_LINE_FIELDS),
    st.builds(
        lambda kind, name, content, calls: {
            "type": kind,
            "id": name,
            "content": content,
            "toolCalls": calls,
        },
        st.sampled_from(["user", "gemini", "error"]),
        st.sampled_from(["a", "b", "c"]),
        json_values,
        st.lists(objects_with("id", "name", "args", "result", "status", "timestamp"), max_size=2),
    ),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(_LINES, max_size=6), kind=st.sampled_from(["main", "subagent", 7]))
def test_no_line_can_break_it(tmp_path: Path, lines: list[dict[str, Any]], kind: object) -> None:
    path = tmp_path / "s.jsonl"
    texts = [json.dumps(line) for line in ({**HEADER, "kind": kind}, *lines)]
    path.write_text("".join(f"{text}\n" for text in texts), "utf-8")

    for found in read(transcript(GM, path)):
        assert isinstance(found, Draft)
        assert found.source_id or found.fingerprint
        found.text.encode()
