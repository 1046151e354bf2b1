"""Goal: a view that is carried to where other keys count is no edit; what a tool wrote into it is.

Method: random histories of three clones, each with a key of its own, which trust one another or do
not. What one has, with its view as it is or as it was halfway, is laid before a reader with another
key who trusts nobody, one of them, or all: nothing is written. Then another tool writes into it.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentx.clarification.service import Clarifications
from agentx.clarification.store.book import Pen
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.store.view import ledger_path
from agentx.kernel.bus import Bus
from agentx.kernel.paths import ProjectPaths
from tests.property.test_questions_to_people import (
    _ANSWERED_ALL,
    _REALLY,
    _STEPS,
    CLONES,
    EACH_ANSWERED_APART,
    ISSUE,
    ONE_OF_TWO_ANSWERED,
    STOPPED,
    THREE_AT_ONCE,
    Clone,
    Step,
    Story,
    play_story,
)
from tests.support.clarifying import KeyOfTests
from tests.support.time_and_chance import FakeClock

SEEDS = {name: name.encode().ljust(32, b"-") for name in CLONES}
STRANGER = b"somebody else".ljust(32, b"-")
TRUSTS = st.tuples(st.integers(0, 7), st.integers(0, 7))  # who trusts whom, as bits


def choose_seeds(bits: int) -> list[bytes]:
    return [seed for turn, seed in enumerate(SEEDS.values()) if bits >> turn & 1]


@dataclass(slots=True)
class KeyedClone(Clone):
    """A clone whose user has a key of their own, and trusts some."""

    keys: KeyOfTests

    @property
    def store(self) -> LedgerStore:
        pen = Pen(writer=lambda: self.name, secret=self.name.encode, signatures=self.keys)
        return LedgerStore(ProjectPaths(self.root), self.clock, pen)

    @property
    def room(self) -> Clarifications:
        return Clarifications(self.store, clock=self.clock, bus=Bus())

    @property
    def view(self) -> Path:
        return ledger_path(ProjectPaths(self.root), ISSUE)

    def read_lines(self) -> str:
        """Return every event, whoever wrote it."""
        files = sorted((ProjectPaths(self.root).questions / str(ISSUE)).glob("*.jsonl"))
        return "".join(file.read_text(encoding="utf-8") for file in files)

    def write_nothing(self) -> None:
        """Open the ledger to write, which takes in first what others wrote into the view."""
        with self.store.editing(ISSUE, agent="engineer"):
            pass


def tell(folder: Path, steps: list[Step], bits: int) -> tuple[Story, bytes]:
    """Play a history; return it with the first clone's view as it was halfway."""
    clones = tuple(
        KeyedClone(folder / name, name, FakeClock(), KeyOfTests(seed, choose_seeds(bits)))
        for name, seed in SEEDS.items()
    )
    half = len(steps) // 2
    story = play_story(clones, steps[:half])
    clones[0].write_nothing()
    clones[0].store.renew(ISSUE, wait_ms=500)
    before = clones[0].view.read_bytes()
    for who, act, which in steps[half:]:
        story.do(who, act, which)
    for clone in clones:
        for other in clones:
            clone.take(other)
        clone.ledger()
        clone.store.renew(ISSUE, wait_ms=500)
    return story, before


def carry(source: Clone, folder: Path, view: bytes, bits: int) -> KeyedClone:
    """Lay what one clone has, with a view, where another key counts."""
    there = KeyedClone(folder, "ddd444", FakeClock(), KeyOfTests(STRANGER, choose_seeds(bits)))
    there.clock.advance(source.clock.now_ms() - there.clock.now_ms() + 60_000)
    questions = ProjectPaths(source.root).questions
    shutil.copytree(questions, ProjectPaths(folder).questions)
    there.view.parent.mkdir(parents=True)
    there.view.write_bytes(view)
    return there


def play(folder: Path, steps: list[Step], bits: tuple[int, int]) -> None:
    story, before = tell(folder, steps, bits[0])
    for turn, source in enumerate(story.clones):
        assert isinstance(source, KeyedClone)
        views = (source.view.read_bytes(), before) if turn == 0 else (source.view.read_bytes(),)
        for at, view in enumerate(views):
            there = carry(source, folder / f"there-{turn}-{at}", view, bits[1])
            lines = there.read_lines()
            told = there.ledger().clarifications
            there.view.unlink()
            assert there.ledger().clarifications == told, "the events say all of it"
            there.view.write_bytes(view)
            there.write_nothing()
            assert there.read_lines() == lines
            check_edit(there, view)


def check_edit(there: KeyedClone, view: bytes) -> None:
    """Whatever a tool writes into the view that came is kept, and nothing else."""
    document = json.loads(view)
    row = document["clarifications"][-1]
    said = {"round": 1, "from": "architect", "type": "answer", "body": "a tool says"}
    row["thread"].append({**said, "timestamp": "2026-03-09T11:00:00.000Z"})
    row["colour"] = "red"
    there.view.write_text(json.dumps(document), encoding="utf-8")
    before = there.read_lines()
    there.write_nothing()
    new = [json.loads(line) for line in there.read_lines().replace(before, "").splitlines()]
    assert there.read_lines().startswith(before)
    kinds = {line["type"]: line for line in new}
    if set(kinds) == {"taken"}:  # a question that begins with what nobody here vouches for
        assert kinds["taken"]["row"]["colour"] == "red"
        assert "a tool says" in str(kinds["taken"]["row"]["thread"])
        return
    assert set(kinds) == {"answered", "edited"}, new
    assert kinds["answered"]["body"] == "a tool says"
    assert kinds["edited"]["fields"] == {"colour": "red"}
    assert {line["via"] for line in new} == {"file"}


_APART = [*_ANSWERED_ALL, (0, "follow-up", 0), (1, "follow-up", 0), (1, "person", 0)]
_DECIDED = [(0, "person", 0), (0, "resolve", 0), (1, "decide", 0), (0, "merge", 0)]


@pytest.mark.promise("clarify.merge")
@settings(_REALLY, max_examples=8)
@example(_DECIDED, (7, 0))
@example(_DECIDED, (0, 0))
@example(_APART, (7, 0))
@example(_APART, (7, 1))
@example(EACH_ANSWERED_APART, (7, 0))
@example(ONE_OF_TWO_ANSWERED, (7, 2))
@example(THREE_AT_ONCE, (0, 7))
@example(STOPPED, (7, 0))
@given(_STEPS, TRUSTS)
def test_a_view_that_was_carried_writes_nothing(steps: list[Step], bits: tuple[int, int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        play(Path(folder), steps, bits)


@pytest.mark.soak
@settings(_REALLY, max_examples=400)
@given(_STEPS, TRUSTS)
def test_no_view_that_was_carried_writes_anything(steps: list[Step], bits: tuple[int, int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        play(Path(folder), steps, bits)
