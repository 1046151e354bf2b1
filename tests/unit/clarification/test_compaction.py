"""Goal: settled threads get small on disk, and old ones go; nothing that decided anything is lost.

Method: a real folder, clones whose files are laid together, a process killed at every step.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentx.clarification.model import PERSON, Clarification, ClarificationStatus
from agentx.host.crash import CrashPoint, arm, disarm
from agentx.kernel.clock import DAY_MS, Millis
from tests.support.clarifying import Room, request, room
from tests.unit.clarification.test_events import bring, clone, document, lines, write

LONG = "First of all we looked at what the sessions hold. " * 30
LAST = "Server sessions, because a token cannot be taken back. " * 20


@pytest.fixture
def here(tmp_path: Path) -> Room:
    """Give a room with a thread of two rounds that was settled long ago."""
    made = room(tmp_path / "one")
    settle(made)
    made.clock.advance(40 * DAY_MS)
    return made


def settle(here: Room, question: str = "JWT or server sessions?", by: str = "") -> Clarification:
    state = here.ask(request(question=question))
    here.clarifications.answer(state.id, LONG, by=by)
    here.clarifications.follow_up(state.id, f"And how long? {question}", by="engineer")
    here.clarifications.answer(state.id, LAST, by=by)
    return here.clarifications.resolve(state.id, "" if by == PERSON else "Taken.")


def before(here: Room, days: int = 30) -> Millis:
    return Millis(here.clock.now_ms() - days * DAY_MS)


def size(here: Room) -> int:
    return sum(path.stat().st_size for path in (here.paths.questions / "42").iterdir())


def bodies(here: Room) -> list[str]:
    return [entry.body for entry in here.clarifications.find("CLR-42-001").thread]


@pytest.mark.promise("clarify.compact")
def test_a_settled_thread_keeps_its_questions_its_last_answer_and_what_was_decided(
    here: Room,
) -> None:
    known, large = here.clarifications.find("CLR-42-001"), size(here)

    assert here.clarifications.compact(before(here)) == 1

    now = here.clarifications.find("CLR-42-001")
    said, kept = bodies(here), [entry.body for entry in known.thread]
    assert [said[0], *said[2:]] == [kept[0], *kept[2:]]
    assert said[1].startswith("First of all we looked")
    assert len(said[1]) <= 120
    assert now.summary == known.summary
    assert now.status is ClarificationStatus.RESOLVED
    assert size(here) < large - 1_000
    assert here.clarifications.compact(before(here)) == 0
    assert not now.thread[1].doubt, "it is signed as before"
    here.ask(request(question="Something new?"))
    assert [path.name for path in (here.paths.questions / "42").iterdir()] == ["a1b2c3.jsonl"]


def test_what_is_open_young_short_or_a_persons_stays_as_it_is(tmp_path: Path) -> None:
    made = room(tmp_path)
    settle(made, by=PERSON)
    state = made.ask(request(question="Open?"))
    made.clarifications.answer(state.id, LONG)
    made.clarifications.follow_up(state.id, "And?", by="engineer")
    made.clock.advance(40 * DAY_MS)
    settle(made, "Young?")
    kept = lines(made)

    assert made.clarifications.compact(before(made)) == 0
    assert lines(made) == kept


@pytest.mark.promise("clarify.compact")
def test_no_merge_and_no_old_copy_brings_back_what_was_shortened(
    here: Room, tmp_path: Path
) -> None:
    old, view = clone(here, tmp_path / "two", "d4e5f6"), document(here)
    whole = (here.paths.questions / "42" / "a1b2c3.jsonl").read_bytes()
    here.clarifications.compact(before(here))
    short = bodies(here)
    file = here.paths.questions / "42" / "a1b2c3.jsonl"
    both = file.read_bytes()

    file.write_bytes(whole + both)  # a union of the two
    assert bodies(here) == short
    file.write_bytes(both + whole)
    assert bodies(here) == short
    assert here.clarifications.compact(before(here)) == 1, "and out of the file again"
    assert LONG[:200].encode() not in file.read_bytes()
    write(here, view)  # a tool that had read the ledger before writes it
    assert bodies(here) == short
    here.ask(request(question="Something new?"))
    assert bodies(here) == short
    # Each clone shortens what it wrote itself.
    old.ask(request(question="Asked elsewhere?"))
    assert old.clarifications.compact(before(old)) == 0
    bring(old, here)
    assert bodies(here) == short
    assert len(tuple(here.clarifications.ledger(42))) == 3


@pytest.mark.parametrize(
    "point",
    [
        CrashPoint.QUESTION_SHORTENED,
        CrashPoint.ATOMIC_TEMP_WRITTEN,
        CrashPoint.ATOMIC_REPLACED,
        CrashPoint.LOCK_IN_GUARD,
    ],
)
def test_killed_at_any_step_everything_is_there_whole_or_shortened(
    here: Room, point: CrashPoint
) -> None:
    whole = bodies(here)
    child = os.fork()
    if child == 0:
        arm(point, lambda: os._exit(9))
        try:
            here.clarifications.compact(before(here))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    disarm()

    left = bodies(here)
    assert [left[0], *left[2:]] == [whole[0], *whole[2:]]
    assert left[1] == whole[1] or left[1].startswith("First of all")
    here.clock.advance(DAY_MS)  # whose lock it was is known to be dead by then
    here.clarifications.compact(before(here))
    here.clarifications.answer(here.ask(request(question="Next?")).id, "Yes.")
    assert len(bodies(here)[1]) <= 120
    assert here.clarifications.find("CLR-42-002").answer == "Yes."


@pytest.mark.promise("clarify.compact")
def test_what_was_settled_before_the_retention_is_forgotten_where_it_was_asked(
    here: Room, tmp_path: Path
) -> None:
    other = clone(here, tmp_path / "two", "d4e5f6")
    open_one = here.ask(request(question="Open for ever?"))
    here.clock.advance(400 * DAY_MS)
    young = settle(here, "Young?")

    gone = here.clarifications.forget_settled(before(here, 365))

    assert [state.id for state in gone] == ["CLR-42-001"]
    left = (here.paths.questions / "42" / "a1b2c3.jsonl").read_bytes()
    assert (b"JWT or server sessions" in left, b"Young?" in left) == (False, True)
    assert [each.id for each in here.clarifications.ledger(42)] == [open_one.id, young.id]
    other.clock.advance(here.clock.now_ms() - other.clock.now_ms())
    assert other.clarifications.forget_settled(before(other, 365)) == (), "asked elsewhere"
    shutil.copy(other.paths.questions / "42" / "a1b2c3.jsonl", tmp_path / "theirs")
    file = here.paths.questions / "42" / "a1b2c3.jsonl"
    file.write_bytes(file.read_bytes() + (tmp_path / "theirs").read_bytes())
    assert [each.id for each in here.clarifications.ledger(42)] == [open_one.id, young.id]
    assert here.clarifications.forget_settled(before(here, 365)) == ()
    assert here.ask(request(question="Next?")).id == "CLR-42-004"


def test_an_escalation_that_was_decided_is_shortened_too(tmp_path: Path) -> None:
    made = room(tmp_path)
    state = made.ask()
    made.clarifications.answer(state.id, LONG)
    made.clarifications.escalate(state.id, "no agreement")
    made.clarifications.resolve(state.id, "Server sessions.", by=PERSON, via="terminal")
    made.clock.advance(40 * DAY_MS)
    decided: dict[str, Any] = document(made)["clarifications"][0]

    assert made.clarifications.compact(before(made)) == 1

    now = made.clarifications.find(state.id)
    assert now.resolution is not None
    assert (now.resolution.body, now.resolution.doubt) == ("Server sessions.", "")
    assert now.answer == LONG.strip() or now.answer == LONG
    assert now.summary == decided["summary"]
    told = json.dumps(lines(made))
    assert len(told) < len(json.dumps(decided)) + 1_500
