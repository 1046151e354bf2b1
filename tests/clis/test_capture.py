"""The real agent CLIs are captured completely, and what is imported again is not stored twice.

Method: each CLI runs headless in a throw-away home against a scripted model, after
nothing but `agentx setup`. The log is then read through `agentx events`, once after the
hooks were drained and once more after the CLI's own history was imported over it.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.clis import drive
from tests.clis.scripted_model import ScriptedModel

pytestmark = pytest.mark.clis

HARNESSES = tuple(drive.PROGRAMS)
PROMPT = "Pick a database \u2705 \u6570\u636e\u5e93"
PREAMBLES = ("I will write it down first.", "I will read it once more.")
# Each of these belongs to every session of every CLI.
WHOLE = {
    "session_start": 1,
    "user_message": 1,
    "tool_call": 1,
    "tool_result": 1,
    "assistant_message": 1,
    "assistant_stop": 1,
    "session_end": 1,
}


def _agentx(where: drive.Place, *arguments: str) -> dict[str, Any]:
    program = Path(sys.executable).parent / "agentx"
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    ran = where.run((str(program), *arguments, "--json"), {"PATH": path})
    assert ran.code == 0, f"agentx {arguments}: {ran.out} {ran.err}"
    reply = json.loads(ran.out)
    assert isinstance(reply, dict)
    return reply


def _events(where: drive.Place) -> list[dict[str, Any]]:
    reply = _agentx(where, "events", "--limit", "1000")
    assert not reply["next"], "there are more events than one page holds"
    events: list[dict[str, Any]] = reply["events"]
    return events


def _kinds(events: list[dict[str, Any]]) -> Counter[str]:
    """Count the events by kind; notes are no part of a conversation."""
    return Counter(event["event_type"] for event in events if event["event_type"] != "note")


def _texts(events: list[dict[str, Any]], kind: str) -> list[str]:
    return [event["text"] for event in events if event["event_type"] == kind]


@pytest.mark.parametrize("harness", HARNESSES)
def test_a_real_session_is_captured_completely_and_exactly_once(
    harness: str, tmp_path: Path
) -> None:
    where = drive.place(tmp_path / "place")
    _agentx(where, "setup", harness)
    with ScriptedModel().serving() as model:
        ran = drive.ask(harness, where, model, PROMPT)
    assert model.reply in ran.out

    _agentx(where, "sync")
    live = _events(where)

    assert _kinds(live) == WHOLE
    assert {event["harness"] for event in live} == {harness}
    assert len({event["session_id"] for event in live}) == 1
    assert [PROMPT in text for text in _texts(live, "user_message")] == [True]
    assert [model.command in text for text in _texts(live, "tool_call")] == [True]
    assert ["done" in text for text in _texts(live, "tool_result")] == [True]
    assert _texts(live, "assistant_message") == [model.reply]

    _agentx(where, "import", harness)

    # What the agent CLI says of itself and of the place is in its transcript alone.
    said = [event for event in _events(where) if not event["metadata"].get("machine")]
    assert said == live


def test_what_a_fork_repeats_is_stored_once_live_and_imported(tmp_path: Path) -> None:
    where = drive.place(tmp_path / "place")
    _agentx(where, "setup", "claude-code")
    with ScriptedModel().serving() as model:
        drive.ask("claude-code", where, model, PROMPT)
        drive.ask(
            "claude-code", where, model, "Are you sure?", go_on=True, more=("--fork-session",)
        )
    _agentx(where, "sync")
    live = _kinds(_events(where))
    _agentx(where, "import", "claude-code")
    events = _events(where)

    assert _kinds(events) == live
    sessions = {event["text"]: event["session_id"] for event in events if PROMPT in event["text"]}
    asked = [(event["session_id"], event["text"]) for event in events if _is_prompt(event)]
    assert [text for _, text in asked] == [PROMPT, "Are you sure?"]
    assert len({session for session, _ in asked}) == 2
    assert list(sessions.values()) == [asked[0][0]]


def _is_prompt(event: dict[str, Any]) -> bool:
    return bool(event["event_type"] == "user_message")


@pytest.mark.parametrize("harness", HARNESSES)
def test_a_session_that_goes_on_is_stored_once_live_and_imported(
    harness: str, tmp_path: Path
) -> None:
    where = drive.place(tmp_path / "place")
    _agentx(where, "setup", harness)
    with ScriptedModel(preamble=PREAMBLES[0]).serving() as model:
        drive.ask(harness, where, model, PROMPT)
        model.preamble = PREAMBLES[1]
        model.command = "cat decision.txt; exit 3"
        drive.ask(harness, where, model, "Are you sure?", go_on=True)
    _agentx(where, "sync")
    _agentx(where, "import", harness)
    events = _events(where)

    once = _kinds(events)
    # Between the tools, Claude Code and Codex tell their hooks nothing: that is imported.
    assert once.pop("assistant_message") in (2, 4)
    assert once == {kind: 2 for kind in WHOLE if kind != "assistant_message"}
    said = "\n".join(_texts(events, "assistant_message"))
    assert [said.count(text) for text in (*PREAMBLES, model.reply)] == [1, 1, 2]
    assert len({event["session_id"] for event in events}) == 1

    _agentx(where, "import", harness)

    assert _events(where) == events


@pytest.mark.parametrize("harness", HARNESSES)
def test_history_from_before_agentx_is_imported(harness: str, tmp_path: Path) -> None:
    where = drive.place(tmp_path / "place")
    with ScriptedModel().serving() as model:
        drive.ask(harness, where, model, PROMPT)

    _agentx(where, "import", harness)
    events = _events(where)

    # No CLI writes the end of a session into its history.
    assert _kinds(events) == {kind: 1 for kind in WHOLE if kind != "session_end"}
    assert [PROMPT in text for text in _texts(events, "user_message")] == [True]
    assert _texts(events, "assistant_message") == [model.reply]


@pytest.mark.parametrize("harness", HARNESSES)
def test_after_uninstalling_a_session_runs_as_before_and_is_not_captured(
    harness: str, tmp_path: Path
) -> None:
    where = drive.place(tmp_path / "place")
    _agentx(where, "setup", harness)
    _agentx(where, "setup", harness, "--uninstall")
    with ScriptedModel().serving() as model:
        ran = drive.ask(harness, where, model, PROMPT)
    _agentx(where, "sync")

    assert model.reply in ran.out
    assert _events(where) == []
