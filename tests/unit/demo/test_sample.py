"""The bundled sample: what newcomers see first, and what every later feature is shown on.

Goal: the scripts stay a believable three weeks, and the two renderings of a session (hook
payloads, transcripts) are what the real agent CLIs write and agree with each other.
Method: every session is rendered both ways; prompts, tool calls and replies are collected
from each by nothing but the native fields, and compared.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest

from agentx.adapters.port import HookCall
from agentx.adapters.registry import ADAPTERS
from agentx.demo import sample
from agentx.demo.sample.script import MarkKind, parse_script
from agentx.demo.sample.timeline import Delegated, Said, SampleSession, Step, time_script
from agentx.kernel.capture import Draft, EventType, Harness
from agentx.kernel.clock import HOUR_MS, MINUTE_MS, Millis
from agentx.kernel.errors import CorruptRecord
from agentx.surfaces.hooks.cleaning import clean
from tests.support.setup_requests import homes_in

PROJECT = Path("/srv/demo/tide book")
HOME = Path("/srv/demo/home")
SESSIONS = sample.sessions()
FOLDER = Path(sample.__file__).parent

each_session = pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.slug)

Payload = dict[str, Any]


@cache
def calls(session: SampleSession) -> tuple[tuple[int, Payload], ...]:
    return tuple(sample.hook_calls(session, PROJECT, home=HOME))


@cache
def transcripts(session: SampleSession) -> tuple[tuple[str, tuple[Payload, ...]], ...]:
    return tuple(
        (path, tuple(json.loads(line) for line in text.splitlines()))
        for path, text in sample.transcript_files(PROJECT, [session])
        if path.endswith(".jsonl")
    )


def of(harness: Harness) -> tuple[SampleSession, ...]:
    return tuple(session for session in SESSIONS if session.harness is harness)


def day(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, tz=UTC).date().isoformat()


# --- the three weeks ------------------------------------------------------------------------


def test_the_sample_is_three_weeks_of_two_people_in_three_agent_clis() -> None:
    assert 22 <= len(SESSIONS) <= 28
    assert day(SESSIONS[0].start_ms) == "2026-03-02"
    assert day(SESSIONS[-1].end_ms) == "2026-03-20"
    assert {session.person for session in SESSIONS} == {"Mira", "Tomas"}
    by_harness = Counter(session.harness for session in SESSIONS)
    assert by_harness[Harness.CLAUDE_CODE] >= 8
    assert by_harness[Harness.CODEX] >= 8
    assert by_harness[Harness.GEMINI] >= 2


def test_the_sample_holds_between_500_and_800_events() -> None:
    assert 500 <= sum(len(calls(session)) for session in SESSIONS) <= 800


def test_sessions_are_numbered_as_they_began_and_lie_on_working_days() -> None:
    assert [session.number for session in SESSIONS] == list(range(1, len(SESSIONS) + 1))
    for session in SESSIONS:
        assert datetime.fromtimestamp(session.start_ms / 1000, tz=UTC).weekday() < 5


def test_some_sessions_run_side_by_side_and_never_two_of_one_person() -> None:
    together = [
        (one, other)
        for one, other in combinations(SESSIONS, 2)
        if one.start_ms < other.end_ms and other.start_ms < one.end_ms
    ]

    assert len(together) >= 3
    assert all(one.person != other.person for one, other in together)


def test_one_session_crosses_midnight_and_one_has_a_long_pause() -> None:
    crossing = [each for each in SESSIONS if day(each.start_ms) != day(each.end_ms)]
    paused = [
        each
        for each in SESSIONS
        for one, other in pairwise(each.turns)
        if other.at_ms - one.replied_ms > 30 * MINUTE_MS
    ]

    assert [each.slug for each in crossing] == ["incident"]
    assert [each.slug for each in paused] == ["api-guide"]


def test_every_id_is_unique_and_the_same_on_every_reading() -> None:
    ids = [session.session_id for session in SESSIONS]
    tool_ids = [
        payload["tool_use_id"]
        for session in SESSIONS
        for _, payload in calls(session)
        if payload["hook_event_name"] == "PreToolUse"
    ]

    assert len(set(ids)) == len(ids)
    assert len(set(tool_ids)) == len(tool_ids)
    again = list(sample.hook_calls(SESSIONS[0], PROJECT, home=HOME))
    assert again == list(calls(SESSIONS[0]))


@each_session
def test_times_never_go_back_within_a_session(session: SampleSession) -> None:
    times = [at_ms for at_ms, _ in calls(session)]

    assert times == sorted(times)
    assert times[0] == session.start_ms
    assert times[-1] == session.end_ms
    assert times[-1] - times[0] < 4 * HOUR_MS


# --- the story ------------------------------------------------------------------------------


def test_at_least_four_decisions_are_reversed_by_a_later_session_on_the_same_topic() -> None:
    by_number = {session.number: session for session in SESSIONS}
    reversals = [
        (session, mark)
        for session in SESSIONS
        for mark in session.story
        if mark.kind is MarkKind.REVERSAL
    ]

    assert len(reversals) >= 4
    for session, mark in reversals:
        fallen = by_number[mark.reverses]
        assert fallen.start_ms < session.start_ms
        assert mark.topic in {each.topic for each in fallen.story if each.kind is MarkKind.DECISION}


def test_a_flaky_test_is_hunted_in_three_sessions_and_an_incident_has_its_postmortem() -> None:
    kinds = Counter(mark.kind for session in SESSIONS for mark in session.story)

    assert kinds[MarkKind.FLAKY] == 3
    assert kinds[MarkKind.INCIDENT] == 2
    assert kinds[MarkKind.MEASURE] >= 1
    assert kinds[MarkKind.PREFERENCE] >= 3
    assert kinds[MarkKind.CORRECTION] >= 3
    assert kinds[MarkKind.QUESTION] >= 3
    assert kinds[MarkKind.ERROR] >= 10


def test_what_must_not_survive_capture_is_really_in_the_sample() -> None:
    planted = [(session, text) for session in SESSIONS for text in session.planted]

    assert len(planted) >= 3
    for session, text in planted:
        assert any(text in json.dumps(payload) for _, payload in calls(session))
    private = [turn.prompt for session in SESSIONS for turn in session.turns]
    assert any(re.search(r"<private>.+</private>", prompt) for prompt in private)


def test_prompts_come_in_english_german_japanese_and_with_emoji() -> None:
    prompts = "\n".join(turn.prompt for session in SESSIONS for turn in session.turns)

    assert "Liegeplatz" in prompts
    assert "リマインダーメール" in prompts
    assert "🎉" in prompts


def test_no_prompt_and_no_long_reply_is_written_twice() -> None:
    prompts = Counter(turn.prompt for session in SESSIONS for turn in session.turns)
    replies = Counter(turn.reply for session in SESSIONS for turn in session.turns if turn.reply)

    assert prompts.most_common(1)[0][1] == 1
    assert replies.most_common(1)[0][1] == 1


def test_commits_carry_short_hashes_that_are_never_reused() -> None:
    hashes = [
        payload["tool_response"]["gitOperation"]["commit"]["sha"]
        for session in of(Harness.CLAUDE_CODE)
        for _, payload in calls(session)
        if "gitOperation" in (payload.get("tool_response") or {})
    ]

    assert len(hashes) >= 8
    assert len(set(hashes)) == len(hashes)


def test_the_page_tells_where_each_answer_is() -> None:
    page = sample.story()
    questions = page.partition("## Questions to ask it")[2].partition("\n## ")[0]
    rows = [row for row in questions.splitlines() if row.startswith("| ") and row.endswith(" |")]
    numbers = {session.number for session in SESSIONS}

    assert 10 <= len(rows) - 1 <= 15
    for row in rows[1:]:
        named = row.rstrip("| ").rpartition("|")[2]
        assert {int(number) for number in named.split(",")} <= numbers


# --- hook payloads --------------------------------------------------------------------------

COMMON = {"session_id", "transcript_path", "cwd", "hook_event_name"}
OWN = {
    Harness.CLAUDE_CODE: {
        "SessionStart": {"source"},
        "UserPromptSubmit": {"prompt_id", "permission_mode", "prompt"},
        "PreToolUse": {"prompt_id", "tool_name", "tool_input", "tool_use_id"},
        "PostToolUse": {"tool_name", "tool_input", "tool_response", "tool_use_id", "duration_ms"},
        "PostToolUseFailure": {"tool_name", "tool_input", "tool_use_id", "error", "is_interrupt"},
        "SubagentStart": {"agent_id", "agent_type"},
        "SubagentStop": {"agent_id", "agent_transcript_path", "last_assistant_message"},
        "PreCompact": {"trigger", "custom_instructions"},
        "PostCompact": {"trigger", "compact_summary"},
        "Stop": {"prompt_id", "stop_hook_active", "last_assistant_message", "background_tasks"},
        "SessionEnd": {"reason"},
    },
    Harness.CODEX: {
        "SessionStart": {"model", "permission_mode", "source"},
        "UserPromptSubmit": {"turn_id", "model", "permission_mode", "prompt"},
        "PreToolUse": {"turn_id", "tool_name", "tool_input", "tool_use_id"},
        "PostToolUse": {"turn_id", "tool_name", "tool_input", "tool_response", "tool_use_id"},
        "Stop": {"turn_id", "stop_hook_active", "last_assistant_message"},
        "SessionEnd": {"reason"},
    },
    Harness.GEMINI: {
        "SessionStart": {"timestamp", "source"},
        "BeforeAgent": {"timestamp", "prompt"},
        "BeforeTool": {"timestamp", "tool_name", "tool_input"},
        "AfterTool": {"timestamp", "tool_name", "tool_input", "tool_response"},
        "AfterAgent": {"timestamp", "prompt", "prompt_response", "stop_hook_active"},
        "SessionEnd": {"timestamp", "reason"},
    },
}


@each_session
def test_every_payload_is_json_with_the_fields_its_agent_cli_sends(session: SampleSession) -> None:
    for _, payload in calls(session):
        assert json.loads(json.dumps(payload)) == payload
        assert payload.keys() >= COMMON | OWN[session.harness][payload["hook_event_name"]]
        assert payload["session_id"] == session.session_id
        assert payload["cwd"] == str(PROJECT)
        assert payload["transcript_path"].startswith(f"{HOME}/.")


@pytest.mark.parametrize("harness", OWN)
def test_every_kind_of_hook_event_is_in_the_sample(harness: Harness) -> None:
    seen = {payload["hook_event_name"] for session in of(harness) for _, payload in calls(session)}

    assert seen == OWN[harness].keys()


@each_session
def test_no_place_holder_is_left_in_what_is_rendered(session: SampleSession) -> None:
    rendered = json.dumps([calls(session), transcripts(session)])

    assert "{project}" not in rendered
    assert "{home}" not in rendered


def test_shell_commands_fail_and_pass_in_each_agent_cli_as_it_tells_so() -> None:
    claude = [
        payload["error"]
        for session in of(Harness.CLAUDE_CODE)
        for _, payload in calls(session)
        if payload["hook_event_name"] == "PostToolUseFailure"
    ]
    codex = [
        line["payload"]["item"]["exit_code"]
        for session in of(Harness.CODEX)
        for _, lines in transcripts(session)
        for line in lines
        if line["payload"].get("item", {}).get("type") == "CommandExecution"
    ]

    assert len(claude) >= 8
    assert all(re.match(r"Exit code [1-9]\d*\n", error) for error in claude)
    assert 5 <= sum(code != 0 for code in codex) < len(codex)


def test_an_edit_carries_a_patch_that_turns_the_old_text_into_the_new() -> None:
    edits = [
        payload["tool_response"]
        for session in of(Harness.CLAUDE_CODE)
        for _, payload in calls(session)
        if payload["hook_event_name"] == "PostToolUse" and payload["tool_name"] == "Edit"
    ]

    assert len(edits) >= 10
    for edit in edits:
        (hunk,) = edit["structuredPatch"]
        assert all(line[:1] in {" ", "-", "+"} for line in hunk["lines"])
        kept = [line[1:] for line in hunk["lines"] if line[0] != "+"]
        made = [line[1:] for line in hunk["lines"] if line[0] != "-"]
        assert (edit["oldString"], edit["newString"]) == ("\n".join(kept), "\n".join(made))
        assert (hunk["oldLines"], hunk["newLines"]) == (len(kept), len(made))
        assert edit["oldString"] != edit["newString"]


# --- both renderings agree ------------------------------------------------------------------


@each_session
def test_hooks_point_to_the_transcript_that_is_rendered(session: SampleSession) -> None:
    paths = {f"{HOME}/{path}" for path, _ in transcripts(session)}
    named = {payload["transcript_path"] for _, payload in calls(session)}
    named |= {
        payload["agent_transcript_path"]
        for _, payload in calls(session)
        if "agent_transcript_path" in payload
    }

    assert named == paths


@pytest.mark.parametrize("session", of(Harness.CLAUDE_CODE), ids=lambda session: session.slug)
def test_claude_codes_hooks_and_transcript_agree(session: SampleSession) -> None:
    lines = [line for _, lines in transcripts(session) for line in lines]
    blocks = list(_blocks(lines))
    events = [payload for _, payload in calls(session)]

    assert {
        (payload["prompt_id"], payload["prompt"])
        for payload in events
        if payload["hook_event_name"] == "UserPromptSubmit"
    } == {
        (line["promptId"], line["message"]["content"])
        for line in lines
        if line.get("promptSource") == "typed"
    }
    assert {
        (payload["tool_use_id"], payload["tool_name"], json.dumps(payload["tool_input"]))
        for payload in events
        if payload["hook_event_name"] == "PreToolUse"
    } == {
        (block["id"], block["name"], json.dumps(block["input"]))
        for block in blocks
        if block["type"] == "tool_use"
    }
    replies = {
        payload["last_assistant_message"]
        for payload in events
        if payload["hook_event_name"] in {"Stop", "SubagentStop"}
    }
    assert replies <= {block["text"] for block in blocks if block["type"] == "text"}


@pytest.mark.parametrize("session", of(Harness.CLAUDE_CODE), ids=lambda session: session.slug)
def test_each_line_of_claude_code_names_the_one_before(session: SampleSession) -> None:
    for _, lines in transcripts(session):
        chained = [line for line in lines if "uuid" in line]
        for before, line in pairwise(chained):
            boundary = line.get("subtype") == "compact_boundary"
            assert line["logicalParentUuid" if boundary else "parentUuid"] == before["uuid"]
        stamps = [line["timestamp"] for line in chained]
        assert stamps == sorted(stamps)


@pytest.mark.parametrize("session", of(Harness.CODEX), ids=lambda session: session.slug)
def test_codexs_hooks_and_rollout_agree(session: SampleSession) -> None:
    ((_, lines),) = transcripts(session)
    items = [line["payload"] for line in lines if line["type"] == "response_item"]
    events = [payload for _, payload in calls(session)]

    assert lines[0]["payload"]["id"] == session.session_id
    assert {
        (payload["turn_id"], payload["prompt"])
        for payload in events
        if payload["hook_event_name"] == "UserPromptSubmit"
    } == {
        (item["internal_chat_message_metadata_passthrough"]["turn_id"], _text(item))
        for item in items
        if item.get("role") == "user" and not _text(item).startswith("<environment_context>")
    }
    assert {
        (payload["tool_use_id"], payload["tool_input"]["command"])
        for payload in events
        if payload["hook_event_name"] == "PreToolUse"
    } == {
        (item["call_id"], item.get("input") or json.loads(item["arguments"])["cmd"])
        for item in items
        if item["type"] in {"function_call", "custom_tool_call"}
    }
    assert {
        payload["last_assistant_message"]
        for payload in events
        if payload["hook_event_name"] == "Stop"
    } == {_text(item) for item in items if item.get("phase") == "final_answer"}
    assert [line["ordinal"] for line in lines] == list(range(len(lines)))


@pytest.mark.parametrize("session", of(Harness.GEMINI), ids=lambda session: session.slug)
def test_gemini_clis_hooks_and_recording_agree(session: SampleSession) -> None:
    ((_, lines),) = transcripts(session)
    messages = {line["id"]: line for line in lines if "id" in line}.values()  # the last one wins
    events = [payload for _, payload in calls(session)]

    assert [
        payload["prompt"] for payload in events if payload["hook_event_name"] == "BeforeAgent"
    ] == [
        message["content"][0]["text"]
        for message in messages
        if message["type"] == "user" and "text" in message["content"][0]
    ]
    assert [
        (payload["tool_name"], payload["tool_input"])
        for payload in events
        if payload["hook_event_name"] == "BeforeTool"
    ] == [
        (call["name"], call["args"])
        for message in messages
        for call in message.get("toolCalls", ())
    ]
    assert {
        payload["prompt_response"]
        for payload in events
        if payload["hook_event_name"] == "AfterAgent"
    } <= {message["content"] for message in messages if message["type"] == "gemini"}


def test_a_transcript_tells_what_hooks_cannot() -> None:
    session = next(each for each in SESSIONS if each.slug == "idempotency")
    told = json.dumps([lines for _, lines in transcripts(session)])
    heard = json.dumps(calls(session))

    assert "I want to see failure cases in a plan first" in told
    assert "I want to see failure cases in a plan first" not in heard


# --- the sample meets the house -------------------------------------------------------------


def test_importing_after_replaying_adds_only_what_hooks_do_not_carry(tmp_path: Path) -> None:
    for path, text in sample.transcript_files(PROJECT):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    imported: Counter[tuple[str, EventType]] = Counter()
    known = {identity(draft) for session in SESSIONS for draft in heard(session)}
    for harness in OWN:
        found = list(ADAPTERS[harness].discover(homes_in(tmp_path)))
        assert {each.working_directory for each in found} == {str(PROJECT)}
        for draft in (draft for each in found for draft in ADAPTERS[harness].read(each)):
            assert isinstance(draft, Draft)
            if identity(draft) not in known:
                imported[slugs()[draft.session_id], draft.event_type] += 1

    kinds = {kind for _, kind in imported}
    assert kinds == {EventType.ASSISTANT_MESSAGE, EventType.TOOL_RESULT, EventType.NOTE}
    assert imported["idempotency", EventType.TOOL_RESULT] == 1  # the plan that was sent back
    assert imported["availability", EventType.NOTE] == 1  # the turn that was interrupted
    spoken = sum(isinstance(step, Said) for each in SESSIONS for step in steps(each))
    surroundings = sum(each.harness is Harness.CODEX for each in SESSIONS)  # told by the CLI itself
    assert sum(imported.values()) == spoken + 2 + surroundings


@pytest.mark.parametrize(
    "session", [each for each in SESSIONS if each.planted], ids=lambda session: session.slug
)
def test_planted_secrets_and_private_words_go_and_nothing_else_does(session: SampleSession) -> None:
    for _, payload in calls(session):
        written = json.dumps(payload)
        kept, _ = clean(written.encode())

        assert not any(text.encode() in kept for text in session.planted)
        if not any(text in written for text in session.planted):
            assert json.loads(kept) == payload


def heard(session: SampleSession) -> Iterator[Draft]:
    for number, (at_ms, payload) in enumerate(calls(session)):
        yield from ADAPTERS[session.harness].drafts(
            HookCall(
                harness=session.harness,
                received_ms=Millis(at_ms),
                working_directory=str(PROJECT),
                payload=payload,
                delivery=str(number),
            )
        )


def identity(draft: Draft) -> tuple[str, EventType, str]:
    return draft.session_id, draft.event_type, draft.source_id or draft.fingerprint


def steps(session: SampleSession) -> Iterator[Step]:
    for turn in session.turns:
        for step in turn.steps:
            yield step
            if isinstance(step, Delegated):
                yield from step.steps


def slugs() -> dict[str, str]:
    return {session.session_id: session.slug for session in SESSIONS}


def _blocks(lines: list[Payload]) -> Iterator[Payload]:
    for line in lines:
        if line["type"] == "assistant":
            yield from line["message"]["content"]


def _text(item: Payload) -> str:
    return "".join(part["text"] for part in item["content"])


# --- scripts --------------------------------------------------------------------------------


def test_a_slip_in_a_script_is_named_with_its_file_and_place() -> None:
    raw = (FOLDER / "sessions" / "01-skeleton.json").read_bytes()

    with pytest.raises(CorruptRecord, match=r"01-skeleton\.json: .*comand.*steps"):
        parse_script("01-skeleton.json", raw.replace(b'"command"', b'"comand"', 1))


def test_a_turn_that_begins_before_the_last_is_over_is_refused() -> None:
    raw = (FOLDER / "sessions" / "01-skeleton.json").read_bytes()
    moved = raw.replace(b'"at": "0:09:40"', b'"at": "0:00:15"', 1)

    with pytest.raises(CorruptRecord, match="turn 1 at 0:00:15"):
        time_script("01-skeleton", parse_script("01-skeleton.json", moved))


def test_code_is_ascii_and_data_is_utf_8() -> None:
    for path in FOLDER.glob("*.py"):
        assert path.read_bytes().isascii(), path.name
    scripts = sorted((FOLDER / "sessions").glob("*.json"))
    assert len(scripts) == len(SESSIONS)
    assert any(not path.read_bytes().isascii() for path in scripts)
    for path in scripts:
        path.read_text(encoding="utf-8")
