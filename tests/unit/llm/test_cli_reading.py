"""Goal: what an agent CLI printed is read in one way, whoever asked it.

Method: outputs in the form of each CLI, whole, broken off and in the place of an answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from agentx.llm.clis.reading import (
    CliReply,
    find_object,
    is_login_notice,
    is_quota_notice,
    read_claude,
    read_codex,
    read_gemini,
    read_opencode,
    read_words,
)

ANSWER = '{"answer": "42"}'
NOTICES = (
    "You've hit your weekly limit · resets Mon 12am",
    "Claude AI usage limit reached|1794790000",
    "You exceeded your current quota, please check your plan and billing details.",
    "429 Too Many Requests",
    "Credit balance is too low",
)
LOGINS = (
    "Not logged in · Please run /login",
    "Invalid API key · Fix external API key",
    "OAuth token has expired. Please obtain a new token.",
)
Read = Callable[[str], CliReply]
READERS: tuple[Read, ...] = (read_claude, read_codex, read_gemini, read_opencode)


def lines(*values: object) -> str:
    return "\n".join(map(json.dumps, values))


def opencode(kind: str, **part: object) -> dict[str, object]:
    return {"type": kind, "sessionID": "s", "part": part}


WHOLE: dict[Read, str] = {
    read_claude: json.dumps(
        {"type": "result", "subtype": "success", "result": "Done.", "session_id": "s"}
    ),
    read_codex: lines(
        {"type": "thread.started", "thread_id": "s"},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "Done."}},
    ),
    read_gemini: "Loaded.\n" + json.dumps({"session_id": "s", "response": "Done."}, indent=2),
    read_opencode: lines(opencode("step_start"), opencode("text", text="Done.")),
}


@pytest.mark.parametrize("read", READERS)
def test_an_answer_is_read_with_the_session_it_was_given_in(read: Read) -> None:
    heard = read(WHOLE[read])

    assert (heard.text, heard.session_id, heard.fault) == ("Done.", "s", "")
    assert heard.is_told


@pytest.mark.parametrize("read", READERS)
def test_what_is_printed_in_the_place_of_an_answer_is_told_apart_from_one(read: Read) -> None:
    notice = read("Please run /login\n")
    silent = read("")

    assert (notice.text, notice.fault, notice.is_told) == ("", "Please run /login", False)
    assert (silent.text, silent.fault) == ("", "no answer in what it printed")


def test_what_opencode_says_before_it_uses_a_tool_is_no_answer_yet() -> None:
    said = lines(
        opencode("text", text="Let me see."), opencode("tool_use"), opencode("text", text="It is.")
    )

    assert read_opencode(said).text == "It is."


def test_a_turn_that_claude_ended_early_is_a_fault_that_says_how() -> None:
    ended = {"type": "result", "subtype": "error_max_turns", "is_error": False, "session_id": "s"}
    heard = read_claude(json.dumps(ended))

    assert (heard.text, heard.fault, heard.is_told) == ("", "error_max_turns", True)


def test_two_objects_are_no_answer() -> None:
    assert find_object(f"either {ANSWER} or {ANSWER}") == f"either {ANSWER} or {ANSWER}"
    assert find_object(f"so: {ANSWER}.") == ANSWER
    assert find_object("{ not JSON, " + ANSWER) == ANSWER
    assert find_object("none") == "none"


def test_notices_are_known_by_their_words_and_by_being_short() -> None:
    assert all(map(is_quota_notice, NOTICES))
    assert all(map(is_login_notice, LOGINS))
    assert not is_quota_notice("429 Too Many Requests " * 100)
    assert not is_login_notice("Please run /login. " * 100)


def test_what_an_agent_says_on_the_way_is_read_line_by_line() -> None:
    said = {
        '{"type":"assistant","message":{"content":[{"type":"text","text":"I look."},'
        '{"type":"tool_use","name":"Read","input":{}}]}}': "I look. (uses Read)",
        '{"type":"item.completed","item":{"type":"agent_message","text":"Here."}}': "Here.",
        '{"type":"item.started","item":{"type":"command_execution","command":"ls"}}': "(runs ls)",
        '{"type":"text","part":{"text":"So."}}': "So.",
        '{"type":"tool_use","part":{"tool":"grep"}}': "(uses grep)",
        '{"type":"result","result":"PostgreSQL."}': "",
        '{"type":"assistant","message":{"content":"x"}}': "",
        "plain words": "",
        '{"type":': "",
    }
    assert {line: read_words(line) for line in said} == said
