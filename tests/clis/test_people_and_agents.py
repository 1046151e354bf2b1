"""Goal: a team of real agent CLIs and a person relies on its questions from end to end.

Method: Claude Code as one session that runs on, and Codex beside it, each with a scripted model
and a role of its own, in one project with a daemon; the person sits at a terminal. What must reach
an agent is looked for in the requests to its model.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clis import drive, live
from tests.clis.scripted_model import ScriptedModel
from tests.clis.test_capture import _agentx
from tests.clis.test_hub import _prepared
from tests.support.clarifying import CIRCLE, LONG_AGO
from tests.support.house import BIN
from tests.support.terminal import converse_in

pytestmark = pytest.mark.clis

QUESTION = "Which database keeps the ledger?"
ANSWER = "PostgreSQL keeps the ledger, because transactions matter."
DECIDED = "Take SQLite, we stay on one machine."
IDLE = "true"


@pytest.fixture
def where(short_path: Path) -> Iterator[drive.Place]:
    """Give a project with one feature that both agent CLIs and a daemon are set up for."""
    made = drive.place(short_path / "place")
    (made.repo / ".agentx").mkdir()
    for harness in ("claude-code", "codex"):
        _agentx(made, "setup", harness)
    _agentx(made, "issue", "create", "--title", "Ledger", "--label", "type:feature")
    _agentx(made, "daemon", "start")
    yield made
    _agentx(made, "daemon", "stop")


def ask(question: str, to: str, *more: str) -> str:
    """Return the command with which an agent asks; its role is its session's."""
    words = f"--topic Storage --question '{question}' {' '.join(more)}"
    return f"{BIN}/agentx clarify ask --issue 1 --to {to} {words} 2>&1"


def answer(name: str, text: str) -> str:
    """Return the command with which an agent answers."""
    return f"{BIN}/agentx clarify answer {name} '{text}' 2>&1"


def row(where: drive.Place, number: int = 1) -> dict[str, Any]:
    """Return what the ledger says of a question; nothing while there is none."""
    ledger = where.repo / ".agentx" / "state" / "clarifications" / "issue-1.json"
    rows = json.loads(ledger.read_text("utf-8"))["clarifications"] if ledger.exists() else []
    return dict(rows[number - 1]) if len(rows) >= number else {}


def statuses(where: drive.Place) -> dict[str, str]:
    found = _agentx(where, "state")["agents"]
    return {one["agent"]: one["status"] for one in found}


def until(true: Callable[[], bool], what: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.1)


def let_time_pass(where: drive.Place) -> None:
    """Write the deadline of every question as if it was long over."""
    path = where.repo / ".agentx" / "state" / "clarifications" / "issue-1.json"
    found = json.loads(path.read_text("utf-8"))
    for each in found["clarifications"]:
        each["staleAfter"] = LONG_AGO
    path.write_text(json.dumps(found), encoding="utf-8")


def sit_down(where: drive.Place, *arguments: str) -> str:
    """Type a command at a terminal of one's own; return what is on the screen."""
    code, screen = converse_in(where.repo, where.environment(), arguments)
    assert code == 0, screen
    return screen


@pytest.mark.promise("clarify.hub")
def test_one_asks_and_another_answers_in_the_middle_of_its_session(where: drive.Place) -> None:
    with (
        ScriptedModel(command=IDLE, reply="I look at the design.").serving() as designs,
        ScriptedModel(
            command=ask(QUESTION, "architect", "--wait"), reply="On with it."
        ).serving() as builds,
        live.claude(where, designs, "architect") as architect,
    ):
        architect.say("Look at the design.")
        with live.begin("codex", where, builds, "Build the ledger.", "engineer") as engineer:
            until(lambda: bool(row(where)), "the engineer asks")
            until(lambda: "architect" in statuses(where), "the hub notes who is asked")
            blocked = statuses(where)
            assert engineer.poll() is None, "it waits"
            designs.command, seen = answer("CLR-1-001", ANSWER), len(designs.asked)
            architect.say("Go on.")
            out, _ = engineer.communicate(timeout=drive.RUN_SECONDS_MAX)
        to_architect = " ".join(one.text for one in designs.asked[seen:])
        to_engineer = builds.results()

    assert (blocked["engineer"], blocked["architect"]) == ("blocked-clarification", "clarifying")
    assert QUESTION in to_architect
    assert engineer.returncode == 0, out
    assert ANSWER in to_engineer
    kept = row(where)
    assert kept["status"] == "answered"
    assert [(one["from"], one.get("via", "")) for one in kept["thread"]] == [
        ("engineer", ""),
        ("architect", "claude-code"),
    ]
    assert statuses(where)["engineer"] != "blocked-clarification"


@pytest.mark.promise("clarify.person")
def test_nobody_answers_and_a_person_decides_from_the_first_screen(where: drive.Place) -> None:
    with (
        ScriptedModel(command=ask(QUESTION, "architect"), reply="I wait.").serving() as builds,
        ScriptedModel(command=IDLE, reply=" ").serving() as silent,
        live.claude(where, builds, "engineer") as engineer,
    ):
        engineer.say("Build the ledger.")
        assert row(where)["status"] == "pending"
        played = _prepared("codex", where, silent)
        _agentx(where, "config", "set", "--user", "agents.runner", "architect=codex")
        let_time_pass(where)
        looked = where.run(
            (str(BIN / "agentx"), "clarify"),
            {**played, "PATH": live.surroundings(where, "")["PATH"]},
        )
        assert looked.code == 0, looked.err
        until(lambda: row(where)["status"] == "escalated", "a person is called")
        called = row(where)

        first = sit_down(where)
        inbox = sit_down(where, "clarify", "inbox")
        settled = sit_down(where, "clarify", "resolve", "CLR-1-001", DECIDED)

        builds.command, seen = IDLE, len(builds.asked)
        engineer.say("Go on.")
        told = " ".join(one.text for one in builds.asked[seen:])
        engineer.say("And on.")

    assert silent.asked, "the architect was really asked once more"
    assert (called["retries"], called["retry"]["runner"]) == (1, "codex")
    assert called["retry"]["outcome"] == "failed"
    assert "codex was asked once more and failed" in called["summary"]
    assert "engineer waits for your decision on Storage (CLR-1-001)" in first
    assert "agentx clarify inbox" in first
    assert QUESTION in " ".join(inbox.split())
    assert "agentx clarify resolve CLR-1-001" in inbox
    assert "resolved" in settled
    assert f"decided: Storage: {DECIDED}" in told
    kept = row(where)
    assert (kept["status"], kept["thread"][-1]["via"]) == ("resolved", "terminal")


@pytest.mark.promise("clarify.deadlock")
def test_two_that_wait_for_each_other_are_parted_and_both_go_on(where: drive.Place) -> None:
    workflows = where.repo / ".agentx" / "workflows"
    workflows.mkdir()
    (workflows / "feature.toml").write_text(CIRCLE, encoding="utf-8")
    _agentx(where, "trust", "--yes")
    back = "How many writers are there?"
    with (
        ScriptedModel(
            command=ask(QUESTION, "architect", "--wait"), reply="On."
        ).serving() as builds,
        ScriptedModel(command=ask(back, "engineer", "--wait"), reply="On.").serving() as designs,
        live.claude(where, builds, "engineer") as engineer,
        live.begin("codex", where, designs, "Decide.", "architect") as architect,
    ):
        began = time.monotonic()
        engineer.say("Build the ledger.")  # comes back, though nobody answered
        freed = time.monotonic() - began
        to_engineer = builds.results()
        parted = row(where, 1), row(where, 2)
        assert architect.poll() is None, "the upstream question stays"
        theirs = next(one for one in parted if one["from"] == "architect")
        builds.command, seen = answer(theirs["id"], "Two."), len(builds.asked)
        engineer.say("Go on.")
        told = " ".join(one.text for one in builds.asked[seen:])
        out, _ = architect.communicate(timeout=drive.RUN_SECONDS_MAX)
        to_architect = designs.results()

    mine = next(one for one in parted if one["from"] == "engineer")
    assert (mine["status"], mine["reason"]) == ("escalated", "deadlock")
    assert theirs["status"] == "pending"
    assert freed < 30
    assert "[ESCALATED]" in to_engineer
    assert back in told
    assert architect.returncode == 0, out
    assert "Two." in to_architect
    assert "blocked-clarification" not in statuses(where).values()
