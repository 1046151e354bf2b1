"""Goal: what waits for a person is seen wherever they look, and what they decided comes back.

Method: the real commands and hooks in a throw-away project, without a daemon; then beside one.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest

from agentx.surfaces.cli.layout import measure
from tests.support.house import BIN, House, prompt
from tests.support.mcp_talk import Talk
from tests.support.terminal import converse

DECIDED = "Take PostgreSQL, because two writers lock SQLite."


@pytest.fixture
def asked(house: House) -> House:
    """Give a project where an engineer's question was brought to a person."""
    (house.project / ".agentx").mkdir()
    house.agentx("issue", "create", "--title", "Login", "--label", "type:feature")
    ask(house)
    house.agentx("clarify", "escalate", "CLR-1-001", "no agreement")
    return house


def ask(house: House, *more: str, to: str = "architect") -> Any:
    return house.json(
        *("clarify", "ask", "--issue", "1", "--from", "engineer", "--to", to),
        *("--topic", "Storage", "--question", "Which database?", *more),
    )


def context(house: House, payload: dict[str, Any], role: str) -> str:
    """Return what an agent CLI puts before its model."""
    printed = house.hook(payload, env={"AGENTX_AGENT": role} if role else {}).stdout
    return str(json.loads(printed)["hookSpecificOutput"]["additionalContext"]) if printed else ""


def begin(house: House, role: str, name: str = "") -> str:
    start = {"session_id": name or f"s-{role}", "hook_event_name": "SessionStart"}
    return context(house, {**start, "source": "startup"}, role)


def say(house: House, role: str, name: str = "") -> str:
    return context(house, prompt("go on", session=name or f"s-{role}"), role)


def until(true: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


@pytest.mark.promise("clarify.person")
def test_what_waits_for_a_person_is_seen_wherever_they_look(asked: House) -> None:
    inbox = asked.json("clarify", "inbox")
    assert (inbox["who"], [one["id"] for one in inbox["clarifications"]]) == (
        "human",
        ["CLR-1-001"],
    )
    assert asked.json("clarify", "inbox", "human")["clarifications"] == inbox["clarifications"]
    drawn = asked.agentx("clarify", "inbox").stdout
    assert "engineer (waits for it)" in drawn
    assert "a person was called; no agreement" in drawn
    assert 'agentx clarify resolve CLR-1-001 "your decision"' in drawn

    first = asked.agentx().stdout
    assert "engineer waits for your decision on Storage (CLR-1-001)  agentx clarify inbox" in first
    assert "1 for you: `agentx clarify inbox`" in asked.agentx("status").stdout
    yours = asked.json("status")["rooms"]["questions_yours"]
    assert [one["id"] for one in yours] == ["CLR-1-001"]

    ready = asked.json("ready")
    assert ready["inbox"] == ["CLR-1-001"]
    assert ready["blocked"][0]["waiting_on"] == "human"
    assert "CLR-1-001 pending from a person" in asked.agentx("ready").stdout
    agents = {one["agent"]: one for one in asked.json("state")["agents"]}
    assert agents["engineer"]["waitingOn"] == "human"

    told = begin(asked, "")
    assert "Questions that wait for the user" in told
    assert "the user decides in a terminal: agentx clarify resolve CLR-1-001 TEXT" in told
    # Whoever plays a role is not asked to decide in the user's place, prepared or not.
    assert "CLR-1-001" not in begin(asked, "tester")
    assert "brought to a person" in begin(asked, "engineer")


@pytest.mark.promise("clarify.person")
def test_a_decision_comes_back_to_whoever_asked(asked: House) -> None:
    begin(asked, "engineer", "s-running")
    assert "CLR-1-001" not in say(asked, "engineer", "s-running")

    settled = asked.json(
        "clarify", "answer", "CLR-1-001", DECIDED, "--from", "human", "--as-person"
    )

    assert (settled["status"], settled["resolution"]) == ("resolved", DECIDED)
    told = say(asked, "engineer", "s-running")
    assert f"decided: Storage: {DECIDED}" in told
    assert "[human (unconfirmed), issue 1" in told
    assert say(asked, "engineer", "s-running") == ""  # once
    assert DECIDED in begin(asked, "engineer", "s-next")
    assert DECIDED not in begin(asked, "architect")
    assert DECIDED not in begin(asked, "")
    started = asked.json("hook", "start", "--agent", "engineer", "--issue", "1")
    assert DECIDED in started["inbox"][0]
    assert DECIDED in started["recall"]
    assert DECIDED in asked.agentx("recall", "--agent", "engineer").stdout
    mine = asked.json("clarify", "inbox", "engineer")["clarifications"]
    assert [(one["id"], one["resolvedBy"]) for one in mine] == [("CLR-1-001", "human")]
    assert asked.json("clarify", "inbox")["clarifications"] == []
    with Talk([str(BIN / "agentx"), "mcp"], asked.project, asked.environment) as talk:
        talk.begin()
        said = talk.ask("tools/call", name="inbox", arguments={"role": "engineer"})["result"]
    assert f"Decided by a person (unconfirmed): {DECIDED}" in said["content"][0]["text"]


def test_what_speaks_against_an_answer_is_told_to_a_session_that_was_told_it(house: House) -> None:
    (house.project / ".agentx").mkdir()
    house.agentx("issue", "create", "--title", "Login", "--label", "type:feature")
    ask(house, to="human")
    begin(house, "engineer")
    house.agentx("clarify", "answer", "CLR-1-001", DECIDED, "--as-person")
    assert f"answered: Storage: {DECIDED} --" in say(house, "engineer")
    assert say(house, "engineer") == ""  # once

    ask(house, "--from", "tester", "--ask-anyway", to="human")
    house.agentx("clarify", "answer", "CLR-1-002", "None at all.", "--as-person")
    told = say(house, "engineer")
    assert "(later decided otherwise: None at all. (unconfirmed, CLR-1-002))" in told
    assert say(house, "engineer") == ""


def test_every_answer_of_a_thread_is_told_to_a_session_that_runs(house: House) -> None:
    (house.project / ".agentx").mkdir()
    house.agentx("issue", "create", "--title", "Login", "--label", "type:feature")
    ask(house)
    begin(house, "engineer")
    assert "Which database?" in begin(house, "architect")
    house.agentx("clarify", "answer", "CLR-1-001", "PostgreSQL.")
    assert "answered: Storage: PostgreSQL." in say(house, "engineer")

    put = house.agentx("clarify", "ask", "--follow-up", "CLR-1-001", "--question", "Which version?")

    assert "next: agentx clarify wait CLR-1-001" in put.stdout  # who asks does not answer
    assert "Which version?" in say(house, "architect")
    house.agentx("clarify", "answer", "CLR-1-001", "Sixteen.")
    assert "answered: Storage (Which version?): Sixteen." in say(house, "engineer")
    quiet = {"AGENTX_AGENT": "engineer", "AGENTX_RECALL_AT_PROMPT": "off"}
    house.agentx("clarify", "escalate", "CLR-1-001")
    printed = house.hook(prompt("go on", session="s-engineer"), env=quiet).stdout
    assert b"brought to a person" in printed  # it is for this session, close to its prompt or not


def test_what_was_just_created_and_who_is_blocked_is_said(asked: House) -> None:
    step = "#1 Login is in Backlog: agentx issue update 1 --status ready"
    assert step in asked.agentx("ready").stdout
    asked.agentx("issue", "update", "1", "--status", "ready")
    assert step not in asked.agentx("ready").stdout
    started = asked.agentx("hook", "start", "--agent", "engineer", "--issue", "1").stdout
    assert "engineer: blocked-clarification (CLR-1-001), waits for human" in started
    script = asked.root / "script.json"
    script.write_text(json.dumps([{"answer": "Done."}]), encoding="utf-8")
    ran = asked.agentx(
        *("agent", "run", "engineer", "--issue", "1", "--runner", "scripted"),
        *("--script", str(script)),
        expect=None,
    )
    assert "engineer is blocked: CLR-1-001 waits for human" in ran.stderr


def test_a_person_can_be_asked_by_whoever_may_ask_nobody(house: House) -> None:
    (house.project / ".agentx").mkdir()
    house.agentx("issue", "create", "--title", "Login", "--label", "type:feature")
    everybody = {"AGENTX_AGENTS_RUNNER": "claude-code"}  # no agent CLI answers for a person
    house.agentx(
        *("clarify", "ask", "--issue", "1", "--from", "tester", "--to", "human", "--wait"),
        *("--timeout", "0", "--topic", "Budget", "--question", "How much may it cost?"),
        env=everybody,
        expect=6,  # asked, and not answered in time
    )

    assert [one["id"] for one in house.json("clarify", "inbox")["clarifications"]] == ["CLR-1-001"]
    assert "human" not in {one["agent"] for one in house.json("state")["agents"]}
    house.agentx("clarify", "answer", "CLR-1-001", "Ten a month.", "--as-person")
    told = begin(house, "tester")
    assert "answered: Budget: Ten a month." in told
    house.agentx("clarify", "ask", "--follow-up", "CLR-1-001", "--question", "Or twelve?")
    shown = [line.split() for line in house.agentx("clarify", "inbox").stdout.splitlines()]
    assert ["what", "Or", "twelve?"] in shown
    assert ["before", *"How much may it cost? -> Ten a month.".split()] in [
        row[:10] for row in shown
    ]
    assert "answer" not in [row[0] for row in shown if row]


def test_who_waits_is_told_of_the_escalation_and_of_the_decision(asked: House) -> None:
    asked.agentx("clarify", "resolve", "CLR-1-001", "first things first", "--as-person")
    waiting = subprocess.Popen(
        [
            *(str(BIN / "agentx"), "clarify", "ask", "--issue", "1", "--from", "engineer"),
            *("--to", "architect", "--topic", "Keys", "--question", "Which keys?"),
            *("--wait", "--timeout", "300", "--json"),
        ],
        cwd=asked.project,
        env=asked.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: len(asked.json("clarify")["clarifications"]) == 1)
    asked.agentx("clarify", "escalate", "CLR-1-002")
    time.sleep(0.5)
    assert waiting.poll() is None  # a person is waited for as well
    asked.agentx("clarify", "resolve", "CLR-1-002", "Ed25519.", "--as-person")

    out, err = waiting.communicate(timeout=60)

    assert "[ESCALATED] CLR-1-002" in err
    assert "[Human (unconfirmed)] Ed25519." in err
    found = json.loads(out)
    assert (found["status"], found["resolution"], found["resolvedBy"]) == (
        "resolved",
        "Ed25519.",
        "human",
    )


def test_a_command_of_the_users_is_told_once_for_each_question_that_waits(asked: House) -> None:
    told = asked.root / "told.txt"
    teller = asked.root / "tell me"
    teller.write_text(f'#!/bin/sh\nprintf "%s|%s\\n" "$1" "$2" >> {told}\n', encoding="utf-8")
    teller.chmod(0o755)
    asked.agentx("config", "set", "--user", "notify.command", f"'{teller}' --title")
    hostile = "; touch hacked; $(touch hacked)"

    words = ("--topic", hostile, "--question", "Which?")
    asked.agentx(
        *("clarify", "ask", "--issue", "1", "--from", "engineer", "--to", "architect", *words),
    )
    asked.agentx("clarify", "escalate", "CLR-1-002")
    until(told.exists)
    asked.agentx("clarify", "resolve", "CLR-1-002", "--as-person")
    asked.agentx("clarify")

    [line] = told.read_text(encoding="utf-8").splitlines()
    assert line.startswith(f"--title|AgentX: engineer waits for your decision on {hostile}")
    assert "CLR-1-002 in shop" in line
    assert not list(asked.root.rglob("hacked"))
    # A repository may not choose what is run here.
    settings = asked.project / ".agentx" / "config.toml"
    settings.write_text('[notify]\ncommand = "touch hacked"\n', encoding="utf-8")
    asked.agentx("trust", "--yes")
    asked.agentx("config", "set", "--user", "notify.command", "no-such-program")
    asked.agentx("clarify", "ask", *("--issue", "1", "--from", "engineer", "--to", "human"), *words)
    logged = asked.agentx("logs", "--json", "--limit", "200").stdout
    assert "no-such-program" in logged
    assert not list(asked.root.rglob("hacked"))


@pytest.mark.parametrize("columns", [60, 80])
def test_the_inbox_fits_the_terminal(asked: House, columns: int) -> None:
    wide = "\u6570\u636e\u5e93 for the orders of every customer in Europe and elsewhere"
    asked.agentx(
        *("clarify", "ask", "--issue", "1", "--from", "engineer", "--to", "human"),
        *("--topic", wide, "--question", "Which of the two, " * 12 + "\x1b[2Jand why?"),
    )

    code, shown = converse(asked, ["clarify", "inbox"], [], columns=columns)

    assert code == 0
    assert "CLR-1-002" in shown
    prose = [line for line in shown.splitlines() if "agentx clarify" not in line]
    assert max(map(measure, prose)) <= columns
    assert "and why?" in shown.replace("\n", "")


@pytest.mark.promise("clarify.person")
def test_a_session_that_runs_beside_a_daemon_is_told_once_too(asked: House) -> None:
    begin(asked, "engineer")
    asked.agentx("daemon", "start")
    try:
        assert "Storage" in say(asked, "", "s-users")  # nobody told this session before
        asked.agentx("clarify", "resolve", "CLR-1-001", DECIDED, "--as-person")
        asked.agentx("config", "set", "--user", "recall.at_prompt", "off")

        assert f"decided: Storage: {DECIDED}" in say(asked, "engineer")
        assert say(asked, "engineer") == ""
        assert say(asked, "", "s-users") == ""
    finally:
        asked.agentx("daemon", "stop")


def test_a_closed_stream_takes_what_is_told_nowhere(asked: House) -> None:
    script = f'"{BIN / "agentx"}" clarify inbox >&-'
    done = subprocess.run(
        ["/bin/sh", "-c", script],
        cwd=asked.project,
        env=asked.environment,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (done.returncode, done.stderr) == (0, "")
