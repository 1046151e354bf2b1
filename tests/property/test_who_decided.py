"""Goal: whatever clones do apart and merge, what a question came to is told with the name of the
person who said just those words, and with what they were asked.

Method: random histories of three clones, each with a key of its own; in the end the word of every
settled question is looked up among the signed events.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings

from agentx.clarification.model import PERSON
from agentx.clarification.service import Clarifications
from agentx.clarification.store.book import Pen
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.store.vouching.signers import find_sayer
from agentx.kernel.bus import Bus
from agentx.kernel.paths import ProjectPaths
from agentx.recall.known.answers import find_word, read_decision
from tests.property.test_questions_to_people import (
    _REALLY,
    _STEPS,
    CLONES,
    ISSUE,
    Clone,
    Step,
    Story,
    play_story,
)
from tests.support.clarifying import KeyOfTests
from tests.support.time_and_chance import FakeClock

SEEDS = {name: name.encode().ljust(32, b"-") for name in CLONES}
KEYRINGS = {name: KeyOfTests(seed, SEEDS.values()) for name, seed in SEEDS.items()}
WHOSE = {keys.sign(b"")[0]: name for name, keys in KEYRINGS.items()}


class SigningClone(Clone):
    """A clone whose user has a key of their own, and trusts the others."""

    @property
    def ledgers(self) -> LedgerStore:
        pen = Pen(writer=lambda: self.name, secret=self.name.encode, signatures=KEYRINGS[self.name])
        return LedgerStore(ProjectPaths(self.root), self.clock, pen)

    @property
    def room(self) -> Clarifications:
        return Clarifications(self.ledgers, clock=self.clock, bus=Bus())


def play(folder: Path, steps: list[Step]) -> int:
    """Play a history; return how many decisions of people it came to."""
    clones = tuple(SigningClone(folder / name, name, FakeClock()) for name in CLONES)
    story = play_story(clones, steps)
    return sum(check(story, clone) for clone in clones)


def check(story: Story, clone: SigningClone) -> int:
    judged, found = clone.ledgers.list_judged(ISSUE), 0
    for state in clone.ledger():
        word = find_word(state)
        decision = read_decision(state, by="somebody")
        if decision is None or word is None or word.speaker != PERSON:
            continue
        sayer = WHOSE[find_sayer(state, word, judged)]
        told = read_decision(state, by=sayer)
        assert told is not None
        said = word.body or next(iter(state.answer.splitlines()), "")
        assert said.startswith(f"{sayer} says "), "the words begin with who says them"
        assert f"{said}" in told.content
        assert f"Decided by {sayer}, asked: {story.about[said]} [" in told.content
        found += 1
    return found


_A, _B, _C = 0, 1, 2
TWO_ASKED_ON = [
    *[(_A, "person", 0), (_B, "merge", 1), (_A, "follow-up", 0), (_A, "person", 0)],
    *[(_B, "follow-up", 0), (_B, "person", 0), (_A, "merge", 0), (_A, "resolve", 0)],
]
TWO_DECIDE = [(_A, "escalate", 0), (_B, "merge", 1), (_A, "decide", 0), (_B, "decide", 0)]


@pytest.mark.parametrize("steps", [TWO_ASKED_ON, TWO_DECIDE])
def test_people_who_answer_apart_are_each_named_with_their_own_word(
    tmp_path: Path, steps: list[Step]
) -> None:
    assert play(tmp_path, steps) > 0


@settings(_REALLY, max_examples=30)
@example(TWO_ASKED_ON)
@given(_STEPS)
def test_every_decision_names_who_signed_it(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        play(Path(folder), steps)
