"""The real agent CLIs put before their models what the hook tells them while a session runs.

Method: hooks send for the daemon of one project. What one agent CLI decided must be in the request
of the next, and of a session that was begun before and goes on, though nobody typed a command; a
command that failed here must be answered with the line about it, in a request after the call, and
so must the change of a file that a decision names.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.kernel.text import RECALL_OPEN
from tests.clis import drive, live
from tests.clis.scripted_model import ScriptedModel
from tests.clis.test_capture import HARNESSES, PROMPT, _agentx, _events

pytestmark = pytest.mark.clis

DECIDED = "Decision: we chose PostgreSQL for the ledger because transactions matter."
TOLD = "we chose PostgreSQL for the ledger"
WRONG = "false --all-berths"
KNOWN = f"`{WRONG}` failed: error: unrecognized option '--all-berths'; `true --each` worked"
STANDING = "`ledger.py` keeps amounts in whole cents because floats lost money twice."
PAIRS = tuple(zip(HARNESSES, (*HARNESSES[1:], HARNESSES[0]), strict=True))
_SECONDS_BETWEEN = 5


@pytest.fixture
def where(short_path: Path) -> Iterator[drive.Place]:
    """Give a place whose daemon comes by itself; it goes with the test."""
    made = drive.place(short_path / "place", has_daemon=True)
    yield made
    _agentx(made, "daemon", "stop")


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=lambda name: name)
def test_what_one_decided_is_in_the_request_of_the_next_five_seconds_later(
    one: str, other: str, where: drive.Place
) -> None:
    for harness in (one, other):
        _agentx(where, "setup", harness)
    with ScriptedModel(reply=DECIDED).serving() as model:
        drive.ask(one, where, model, PROMPT)
    time.sleep(_SECONDS_BETWEEN)
    with ScriptedModel(reply="Done.").serving() as model:
        drive.ask(other, where, model, "Which database do we use?")

    assert TOLD in model.questions()[0].text


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=lambda name: name)
def test_what_one_decides_meanwhile_is_in_the_next_prompt_of_a_session_that_was_there(
    one: str, other: str, where: drive.Place
) -> None:
    for harness in (one, other):
        _agentx(where, "setup", harness)
    with ScriptedModel(reply="I looked at it.").serving() as model:
        drive.ask(other, where, model, "Look at the ledger.")
    with ScriptedModel(reply=DECIDED).serving() as model:
        drive.ask(one, where, model, PROMPT)
    time.sleep(_SECONDS_BETWEEN)
    with ScriptedModel(reply="Done.").serving() as model:
        drive.ask(other, where, model, "Which database does the ledger use?", go_on=True)

    assert TOLD in model.questions()[0].text


def test_what_another_decides_is_in_the_next_prompt_of_a_session_that_runs(
    where: drive.Place,
) -> None:
    for harness in ("claude-code", "codex"):
        _agentx(where, "setup", harness)
    with (
        ScriptedModel(reply="I looked at it.").serving() as model,
        live.claude(where, model, "") as session,
    ):
        session.say("Look at the ledger.")
        with ScriptedModel(reply=DECIDED).serving() as others:
            drive.ask("codex", where, others, PROMPT)
        time.sleep(_SECONDS_BETWEEN)
        before = len(model.asked)
        session.say("Which database does the ledger use?")

    assert not any(TOLD in each.text for each in model.asked[:before])
    assert TOLD in model.questions()[-1].text


@pytest.mark.parametrize("harness", HARNESSES)
def test_a_command_that_failed_here_is_answered_with_what_worked(
    harness: str, where: drive.Place
) -> None:
    _agentx(where, "setup", harness)
    error = ("--agent", "engineer", "--category", "error")
    _agentx(where, "memory", "add", *error, KNOWN)
    _agentx(where, "sync")
    with ScriptedModel(command=WRONG, reply="Done.").serving() as model:
        drive.ask(harness, where, model, "Count the berths.")
        told = [each.text.count("`true --each` worked") for each in model.asked]
    _agentx(where, "sync")

    before = next(count for count in told if count)
    assert told[-1] > before, "beside what the start told, the line about the call"
    assert not any(RECALL_OPEN in event["text"] for event in _events(where))


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_change_of_a_file_that_a_decision_names_is_answered_with_it(
    harness: str, where: drive.Place
) -> None:
    def decide() -> None:  # once the session has begun: what its start tells it is told only there
        said = ("--agent", "engineer", "--category", "decision", "--file", "ledger.py")
        _agentx(where, "memory", "add", *said, STANDING)
        _agentx(where, "sync")

    _agentx(where, "setup", harness)
    file = where.repo / "ledger.py"
    file.write_text("x = 1\n", "utf-8")
    with ScriptedModel(file=file, meanwhile=decide, reply="Done.").serving() as model:
        drive.ask(harness, where, model, "Begin the booking of amounts.")

    first, *_, last = model.questions()
    assert file.exists()
    assert (STANDING in first.text, STANDING in last.text) == (False, True)
