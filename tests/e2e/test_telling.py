"""Goal: a session is told what matters, at the moment it matters, by whichever agent CLI runs it.

Method: hooks as agent CLIs call them, in a temporary home, beside a daemon that is a real process.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agentx.daemon.control import state, stop
from agentx.kernel.paths import StorePaths
from tests.support.house import House, prompt

DECISION = "We decided to keep the berth store in Postgres, because two writers lock SQLite."


@pytest.fixture
def served(house: House) -> Iterator[House]:
    """Give a house whose daemon runs; whatever is left of it is ended."""
    house.hook(session("s-0", "SessionStart", source="startup"))
    house.agentx("daemon", "start")
    yield house
    stop(store_of(house))


def store_of(house: House) -> StorePaths:
    (file,) = house.data.root.glob("*/daemon.lock")
    return StorePaths(file.parent)


def session(name: str, event: str, **more: Any) -> dict[str, Any]:
    return {"session_id": name, "transcript_path": "", "hook_event_name": event, **more}


def tell(house: House, payload: dict[str, Any], harness: str = "claude-code") -> str:
    """Call the hook; return what the agent CLI puts before its model."""
    printed = house.hook(payload, harness).stdout
    said = json.loads(printed) if printed else {}
    context = said.get("hookSpecificOutput", said).get("additionalContext", said.get("context", ""))
    return str(context)


def begin(house: House, name: str, harness: str = "claude-code", source: str = "startup") -> str:
    return tell(house, session(name, "SessionStart", source=source), harness)


def until(true: Callable[[], bool], seconds: float = 15) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)


def decide(house: House, name: str = "s-1") -> None:
    """Let a session decide something and end."""
    house.hook({**prompt(DECISION), "session_id": name})
    house.hook(session(name, "Stop", last_assistant_message="Noted."))
    house.hook(session(name, "SessionEnd", reason="exit"))


def test_a_session_is_told_afresh_by_the_daemon_and_without_it_what_was_prepared(
    served: House,
) -> None:
    decide(served)
    until(lambda: "Postgres" in begin(served, "s-2", "codex"))
    store = store_of(served)
    prepared = store.digest("claude-code", "main")
    until(lambda: prepared.exists() and "Postgres" in prepared.read_text("utf-8"))

    kept = prepared.read_text("utf-8")
    prepared.unlink()
    fresh = begin(served, "s-3")
    assert "Postgres" in fresh

    prepared.write_text(kept, encoding="utf-8")
    pid = state(store).pid
    os.kill(pid, signal.SIGSTOP)
    try:
        began = time.monotonic()
        from_disk = begin(served, "s-4")
        took = time.monotonic() - began
    finally:
        os.kill(pid, signal.SIGCONT)
    assert from_disk == fresh, "both are made of the same"
    assert took < 1.5, "a daemon that hangs is not waited for"


# --- at an action -----------------------------------------------------------------------------

WRONG, RIGHT = "rtk make test", "make test"
ERROR = "error: unrecognized subcommand 'make'"
KEPT = "We keep berths in berths.toml, because two writers lock a database."


def call_of(name: str, event: str, tool: str, given: dict[str, Any], **more: Any) -> dict[str, Any]:
    return session(name, event, tool_name=tool, tool_input=given, **more)


def stumble(house: House, name: str = "s-1") -> None:
    """Let a session run a command that does not work here, then the one that does."""
    house.hook({**prompt("Please run the tests."), "session_id": name})
    for use, command in (("u-1", WRONG), ("u-2", RIGHT)):
        given = {"command": command}
        house.hook(call_of(name, "PreToolUse", "Bash", given, tool_use_id=use))
        if use == "u-1":
            failed = call_of(name, "PostToolUseFailure", "Bash", given, tool_use_id=use)
            house.hook({**failed, "error": f"Exit code 2\n{ERROR}"})
        else:
            done = {"stdout": "12 passed", "stderr": ""}
            passed = call_of(name, "PostToolUse", "Bash", given, tool_use_id=use)
            house.hook({**passed, "tool_response": done})
    house.hook(session(name, "Stop", last_assistant_message="All tests pass."))
    house.hook(session(name, "SessionEnd", reason="exit"))


@pytest.fixture
def warned(house: House) -> House:
    """Give a house in which a command failed once and another one worked."""
    stumble(house)
    decided = ("--agent", "engineer", "--category", "decision", "--file", "conf/berths.toml")
    house.agentx("memory", "add", *decided, KEPT)
    house.agentx("sync")
    return house


def test_a_command_that_failed_here_is_told_before_it_is_run_and_once(warned: House) -> None:
    before = call_of("s-2", "PreToolUse", "Bash", {"command": f"cd /w && {WRONG} --all 2>&1"})

    for harness in ("claude-code", "codex"):
        printed = warned.hook(before, harness).stdout
        said = json.loads(printed)["hookSpecificOutput"]
        assert said.keys() == {"hookEventName", "additionalContext"}, "nothing about the call"
        assert said["hookEventName"] == "PreToolUse"
        assert "`make test` worked" in said["additionalContext"]
        assert "not instruction" in said["additionalContext"]
        assert "obs-" in said["additionalContext"], "with its grip"
        assert warned.hook(before, harness).stdout == b"", "once in a session"
    assert tell(warned, {**before, "session_id": "s-3"}) != ""
    assert tell(warned, {**before, "session_id": "s-1"}) == "", "who learnt it knows it"
    off = {"AGENTX_RECALL_AT_ACTION": "off"}
    assert warned.hook({**before, "session_id": "s-4"}, env=off).stdout == b""


def test_an_agent_cli_that_takes_nothing_in_before_a_call_is_told_after_it(warned: House) -> None:
    given = {"command": WRONG}
    response = {"llmContent": f"Output: {ERROR}\nExit Code: 2", "returnDisplay": ERROR}
    after = call_of("s-2", "AfterTool", "run_shell_command", given, tool_response=response)
    assert tell(warned, call_of("s-2", "BeforeTool", "run_shell_command", given), "gemini") == ""
    fine = {**after, "tool_response": {"llmContent": "Output: all is well"}}
    assert tell(warned, fine, "gemini") == ""
    assert "`make test` worked" in tell(warned, after, "gemini")
    assert tell(warned, after, "gemini") == ""

    asked = {
        "hook": "tool.execute.after",
        "session_id": "s-2",
        "payload": {
            "tool_name": "bash",
            "tool_input": given,
            "output": {"failed": True, "text": ERROR},
        },
    }
    raw = json.dumps(asked, separators=(",", ":")).encode()
    assert "`make test` worked" in json.loads(warned.hook(raw, "opencode").stdout)["context"]
    warned.agentx("sync")
    assert not any("tool.execute.after" in event["text"] for event in warned.events())


def test_what_fails_as_it_failed_before_is_told_what_mended_it(warned: House) -> None:
    failed = call_of("s-2", "PostToolUseFailure", "Bash", {"command": "rtk make lint"})
    assert tell(warned, {**failed, "error": "Exit code 2\nsomething else"}) == ""
    assert "`make test` worked" in tell(warned, {**failed, "error": f"Exit code 2\n{ERROR}"})

    shown = call_of("s-2", "PostToolUse", "Bash", {"command": "rtk make lint"})
    assert "`make test` worked" in tell(warned, {**shown, "tool_response": ERROR}, "codex")
    looked = call_of("s-3", "PostToolUse", "Bash", {"command": "cat log"}, tool_response=ERROR)
    assert tell(warned, looked, "codex") == "", "who only reads it has not run into it"


def test_a_file_with_a_decision_is_told_before_it_is_changed(warned: House) -> None:
    path = str(warned.project / "conf" / "berths.toml")
    edit = call_of("s-2", "PreToolUse", "Edit", {"file_path": path, "old_string": "a"})
    read = call_of("s-2", "PreToolUse", "Read", {"file_path": path})
    assert tell(warned, read) == ""
    assert "We keep berths" in tell(warned, edit)
    assert tell(warned, edit) == ""
    patch = "*** Begin Patch\n*** Update File: conf/berths.toml\n@@\n-a\n+b\n*** End Patch"
    assert "We keep berths" in tell(
        warned, call_of("s-2", "PreToolUse", "apply_patch", {"command": patch}), "codex"
    )
    given = {"file_path": "conf/berths.toml", "content": "x"}
    written = call_of("s-2", "AfterTool", "write_file", given, tool_response={"llmContent": "ok"})
    assert "We keep berths" in tell(warned, written, "gemini")
    elsewhere = {"file_path": "/etc/conf/berths.toml"}
    assert tell(warned, call_of("s-3", "PreToolUse", "Edit", elsewhere)) == ""


def test_what_was_told_is_counted_and_said_by_why(warned: House) -> None:
    told = tell(warned, call_of("s-2", "PreToolUse", "Bash", {"command": WRONG}))
    warned.agentx("sync")
    (doc_id,) = (word.strip("]") for word in told.split() if word.startswith("obs-"))

    found = warned.json("why", doc_id)
    assert found["recalled"] >= 1
