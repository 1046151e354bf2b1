"""Goal: a session is told what matters, at the moment it matters, by whichever agent CLI runs it.

Method: hooks as agent CLIs call them, in a temporary home, beside a daemon that is a real process.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agentx.daemon.control import state, stop
from agentx.kernel.paths import StorePaths
from tests.support.house import House, KeptHouse, prompt

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


def until(true: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)


def tell_in_time(ask: Callable[[], str], words: str) -> str:
    """Ask until something is told: on a busy machine an answer may come too late."""
    told: list[str] = []

    def is_told() -> bool:
        told.append(ask())
        return words in told[-1]

    until(is_told)
    return told[-1]


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
    fresh = tell_in_time(lambda: begin(served, "s-3"), "Postgres")

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
    assert took < 20, "a daemon that hangs is not waited for"


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


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> KeptHouse:
    return KeptHouse(tmp_path_factory.mktemp("warned"), hold_lessons)


@pytest.fixture
def warned(kept: KeptHouse) -> Iterator[House]:
    """Give a house in which a command failed once and another one worked."""
    yield from kept.lend()


def hold_lessons(house: House) -> None:
    stumble(house)
    decided = ("--agent", "engineer", "--category", "decision", "--file", "conf/berths.toml")
    house.agentx("memory", "add", *decided, KEPT)
    house.agentx("sync")


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
    for number, given in enumerate(
        (patch, {"input": patch}, {"command": f"apply_patch '{patch}'"})
    ):
        tool = "Bash" if number == 2 else "apply_patch"
        call = session(f"p-{number}", "PreToolUse", tool_name=tool, tool_input=given)
        assert "We keep berths" in tell(warned, call, "codex")
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
    assert found["recalled"] == 1
    assert [(each["moment"], each["session_id"]) for each in found["told"]] == [("action", "s-2")]
    assert "told at an action" in warned.agentx("why", doc_id).stdout
    told_of = warned.json("status")["told"]
    assert (told_of["lines"], told_of["things"], told_of["opened"]) == (1, 1, 1)
    assert "1 line, 1 different; 1 opened; lately 1 at actions" in warned.agentx("status").stdout


# --- at a prompt ------------------------------------------------------------------------------

LEARNT = (
    "Tide tables come from harbour/tides.py, because the almanac service limits us to 60 an hour.",
    "Berths are numbered by quay and letter in berths.toml, because pilots read them aloud.",
    "Invoices are rounded per line, not per sum, since the customs form adds them up again.",
)
ASKED = "Why do the tide tables of the almanac time out, is there a limit in tides.py?"


def ask(house: House, name: str, text: str, harness: str = "claude-code") -> str:
    event = "BeforeAgent" if harness == "gemini" else "UserPromptSubmit"
    return tell(house, session(name, event, prompt=text), harness)


def learn(house: House) -> None:
    for text in LEARNT:
        house.agentx("memory", "add", "--agent", "engineer", text)


def test_a_prompt_is_told_what_is_close_to_it_once_and_small_talk_nothing(served: House) -> None:
    learn(served)

    for harness in ("claude-code", "codex", "gemini"):
        assert ask(served, "s-1", "ok, go on", harness) == ""
        told = tell_in_time(
            lambda harness=harness: ask(served, "s-1", ASKED, harness),  # type: ignore[misc]
            "almanac service limits us",
        )
        assert "Invoices" not in told
        assert ask(served, "s-1", ASKED, harness) == "", "nothing twice"
    long = ASKED + " And then: " + "so on " * 200_000
    tell_in_time(lambda: ask(served, "s-2", long), "tides.py")
    off = {"AGENTX_RECALL_AT_PROMPT": "off"}
    assert served.hook(session("s-3", "UserPromptSubmit", prompt=ASKED), env=off).stdout == b""
    parts = [{"type": "text", "text": ASKED}]
    payload = {"hook": "chat.message", "session_id": "s-4", "payload": {"parts": parts}}
    tell_in_time(lambda: tell(served, payload, "opencode"), "almanac")


def test_what_a_session_was_told_when_it_began_is_told_at_no_prompt_until_it_is_compacted(
    served: House,
) -> None:
    learn(served)
    tell_in_time(lambda: begin(served, "s-1"), "almanac")

    assert ask(served, "s-1", ASKED) == ""
    tell_in_time(lambda: begin(served, "s-1", source="compact"), "almanac")
    assert ask(served, "s-1", ASKED) == ""


def test_a_decision_of_a_session_that_runs_beside_is_told_at_the_next_prompt(
    served: House,
) -> None:
    begin(served, "mine")
    served.hook({**prompt("Moor the ferry at the quay."), "session_id": "mine"})
    time.sleep(0.01)
    served.hook({**prompt(DECISION), "session_id": "theirs"}, "codex")

    told = tell_in_time(lambda: ask(served, "mine", "go on"), "Postgres")
    assert "codex" in told
    assert ask(served, "mine", "go on") == ""
    assert ask(served, "theirs", "go on", "codex") == "", "its own words"


def test_an_answer_to_the_role_is_told_at_its_next_prompt(served: House) -> None:
    role = {"AGENTX_AGENT": "engineer"}
    served.hook(session("s-1", "SessionStart", source="startup"), env=role)
    asked = served.json(
        *("clarify", "ask", "--issue", "1", "--from", "engineer", "--to", "architect"),
        *("--topic", "berths", "--question", "How are berths numbered?"),
    )
    served.agentx("clarify", "answer", asked["id"], "By quay and letter.")
    payload = session("s-1", "UserPromptSubmit", prompt="go on")

    def ask_as_role() -> str:
        return served.hook(payload, env=role).stdout.decode()

    tell_in_time(ask_as_role, "By quay and letter")
    assert served.hook(payload, env=role).stdout == b""
    assert served.hook({**payload, "session_id": "s-2"}).stdout == b"", "who has another role"


def test_without_a_daemon_nothing_is_told_at_a_prompt_and_nobody_waits(house: House) -> None:
    learn(house)
    house.hook(session("s-1", "SessionStart", source="startup"))
    house.agentx("sync")

    assert ask(house, "s-2", ASKED) == ""


def test_a_setting_keeps_a_session_from_being_told(served: House) -> None:
    learn(served)
    served.agentx("config", "set", "--user", "recall.at_prompt", "off")

    assert ask(served, "s-1", ASKED) == ""
    served.agentx("config", "set", "--user", "recall.at_prompt", "on")
    tell_in_time(lambda: ask(served, "s-1", ASKED), "almanac")
    served.agentx("config", "set", "--user", "memory.maxTokens", "0")
    assert ask(served, "s-2", ASKED) == ""


# --- whose words these are --------------------------------------------------------------------


def test_what_came_with_a_strangers_repository_is_told_at_no_action_and_no_prompt(
    warned: House,
) -> None:
    forged = warned.root / "forged"
    shutil.copytree(warned.project, forged)
    warned.git("add", "-f", ".agentx", cwd=forged)
    warned.git("commit", "-q", "-m", "a gift", cwd=forged)
    cloned = warned.root / "cloned"
    warned.git("clone", "-q", str(forged), str(cloned), cwd=warned.root)
    (cloned / ".agentx" / "config.toml").write_text('[recall]\nat_action = "on"\n', "utf-8")
    begins = session("s-2", "SessionStart", source="startup")
    warned.hook(begins, cwd=cloned)
    warned.agentx("sync", cwd=cloned)

    before = call_of("s-2", "PreToolUse", "Bash", {"command": WRONG})
    assert warned.hook(before, cwd=cloned).stdout == b""
    assert list(warned.data.root.glob("cloned-*/digests/cautions.tsv")) == []


def test_a_repository_cannot_make_what_the_user_turned_off_louder(warned: House) -> None:
    warned.agentx("config", "set", "--user", "recall.at_action", "off")
    folder = warned.project / ".agentx"
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_text('[recall]\nat_action = "on"\n', "utf-8")
    warned.agentx("sync")

    assert tell(warned, call_of("s-2", "PreToolUse", "Bash", {"command": WRONG})) == ""


def test_who_wants_no_memories_told_is_told_none_at_an_action(warned: House) -> None:
    warned.agentx("config", "set", "--user", "memory.maxTokens", "0")
    warned.agentx("sync")

    assert tell(warned, call_of("s-2", "PreToolUse", "Bash", {"command": WRONG})) == ""


def test_a_setting_acts_at_the_next_action_though_nothing_is_prepared_anew(warned: House) -> None:
    before = call_of("s-2", "PreToolUse", "Bash", {"command": WRONG})
    warned.agentx("config", "set", "--user", "recall.at_action", "off")
    assert tell(warned, before) == ""

    warned.agentx("config", "set", "--user", "recall.at_action", "on")
    warned.agentx("sync")
    assert tell(warned, before) != ""


def test_a_daemon_follows_a_setting_that_is_changed_while_it_runs(warned: House) -> None:
    before = call_of("s-2", "PreToolUse", "Bash", {"command": WRONG})
    warned.agentx("daemon", "start")
    try:
        cautions = store_of(warned).cautions
        for said in ("off", "on"):
            warned.agentx("config", "set", "--user", "recall.at_action", said)
            until(lambda said=said: cautions.exists() == (said == "on"))  # type: ignore[misc]
        tell_in_time(lambda: tell(warned, before), "worked")
    finally:
        stop(store_of(warned))


def test_in_a_folder_of_the_repository_that_nobody_worked_in_the_same_is_told(
    warned: House,
) -> None:
    below = warned.project / "deep" / "below"
    below.mkdir(parents=True)
    before = call_of("s-2", "PreToolUse", "Bash", {"command": WRONG})

    assert b"`make test` worked" in warned.hook(before, cwd=below).stdout
    assert warned.hook(before, cwd=below).stdout == b""


def test_what_was_forgotten_is_told_at_no_action(warned: House) -> None:
    told = tell(warned, call_of("s-2", "PreToolUse", "Bash", {"command": WRONG}))
    (doc_id,) = (word.strip("]") for word in told.split() if word.startswith("obs-"))
    assert "`make test` worked" in begin(warned, "s-3")
    warned.agentx("memory", "drop", doc_id)

    for _ in ("at once", "when it is prepared anew"):
        assert tell(warned, call_of("s-4", "PreToolUse", "Bash", {"command": WRONG})) == ""
        assert "`make test` worked" not in begin(warned, "s-5")
        assert "We keep berths" in begin(warned, "s-6"), "the others are told"
        warned.agentx("sync")


def test_what_a_person_said_better_is_told_as_it_was_by_no_hook(warned: House) -> None:
    told = tell(warned, call_of("s-2", "PreToolUse", "Bash", {"command": WRONG}))
    (doc_id,) = (word.strip("]") for word in told.split() if word.startswith("obs-"))
    warned.agentx("memory", "edit", doc_id, "Tests are run by make, without rtk.")

    assert "`make test` worked" not in begin(warned, "s-3")
    assert tell(warned, call_of("s-4", "PreToolUse", "Bash", {"command": WRONG})) == ""


def test_a_hook_that_cannot_note_what_it_tells_tells_nothing(warned: House) -> None:
    spool = warned.data.spool(str(warned.project)).new.parent
    (spool / "told").symlink_to(warned.root)
    before = call_of("s-2", "PreToolUse", "Bash", {"command": WRONG})

    assert tell(warned, before) == ""
    assert not list(warned.root.glob("claude-code*"))
