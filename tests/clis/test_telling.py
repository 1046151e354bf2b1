"""The real agent CLIs put before their models what the hook tells them while a session runs.

Method: a daemon serves one project. What one agent CLI decided must be in the request of the
next, though nobody typed a command; a command that failed here must be answered with the line
about it, in a request after the call.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.kernel.text import RECALL_OPEN
from tests.clis import drive
from tests.clis.scripted_model import ScriptedModel
from tests.clis.test_capture import HARNESSES, PROMPT, _agentx, _events

pytestmark = pytest.mark.clis

DECIDED = "Decision: we chose PostgreSQL for the ledger because transactions matter."
WRONG = "false --all-berths"
KNOWN = f"`{WRONG}` failed: error: unrecognized option '--all-berths'; `true --each` worked"
PAIRS = tuple(zip(HARNESSES, (*HARNESSES[1:], HARNESSES[0]), strict=True))
_SECONDS_BETWEEN = 5


@pytest.fixture
def where(short_path: Path) -> Iterator[drive.Place]:
    """Give a place with a daemon; it goes with the test."""
    made = drive.place(short_path / "place")
    _agentx(made, "daemon", "start")
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
        asked = model.asked

    assert any("we chose PostgreSQL for the ledger" in each.text for each in asked)


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
