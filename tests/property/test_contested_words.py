"""Goal: what a person would be told otherwise if they trusted everybody, they are told of.

Method: random histories of three clones, each with a key of its own; the first trusts all but the
third. In the end what the first is told of each question is held against what the same files come
to for somebody who trusts all: where another word would stand, it is contested.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings

from agentx.clarification.contested import find_contesting
from agentx.clarification.model import Clarification, ClarificationStatus
from agentx.clarification.rendering import find_decided
from agentx.clarification.store.book import Pen
from agentx.clarification.store.ledgers import LedgerStore
from agentx.kernel.paths import ProjectPaths
from tests.property.test_questions_to_people import (
    _REALLY,
    _STEPS,
    CLONES,
    ISSUE,
    Step,
    play_story,
)
from tests.property.test_who_decided import KEYRINGS, SEEDS, SigningClone
from tests.support.clarifying import KeyOfTests
from tests.support.time_and_chance import FakeClock

FIRST, _, THIRD = CLONES
_TOLD = frozenset({ClarificationStatus.ANSWERED, ClarificationStatus.RESOLVED})
WARY = KeyOfTests(SEEDS[FIRST], [seed for name, seed in SEEDS.items() if name != THIRD])


class WaryClone(SigningClone):
    """A clone whose user does not trust the third."""

    @property
    def ledgers(self) -> LedgerStore:
        return open_as(self.root, self, WARY)


def open_as(root: Path, clone: SigningClone, keys: KeyOfTests) -> LedgerStore:
    pen = Pen(writer=lambda: clone.name, secret=clone.name.encode, signatures=keys)
    return LedgerStore(ProjectPaths(root), clone.clock, pen)


def play(folder: Path, steps: list[Step]) -> int:
    """Play a history; return how many words are contested in the end."""
    first, *others = (
        (WaryClone if name == FIRST else SigningClone)(folder / name, name, FakeClock())
        for name in CLONES
    )
    play_story((first, *others), steps)
    told = {state.uid: state for state in first.ledger()}
    copy = folder / "copy"
    shutil.copytree(ProjectPaths(first.root).questions, ProjectPaths(copy).questions)
    trusting = {each.uid: each for each in open_as(copy, first, KEYRINGS[FIRST]).read(ISSUE)}
    for uid, state in told.items():
        word = find_word(trusting[uid]) if uid in trusting else ""
        if find_word(state) and word not in ("", find_word(state)):
            assert find_contesting(state) is not None, f"{find_word(state)!r}, and not {word!r}"
    return sum(find_contesting(state) is not None for state in told.values())


def find_word(state: Clarification) -> str:
    """Return what somebody goes by: the decision, else the answer; nothing while it waits."""
    if state.status not in _TOLD:
        return ""
    return find_decided(state) if state.resolution is not None else state.answer


_A, _C = 0, 2
UNSEEN = [(_C, "decide", 0), (_A, "person", 0)]
AGAINST_AN_AGENT = [(_C, "decide", 1), (_A, "answer", 1)]
SEEN_AND_OVERRULED = [(_A, "person", 0), (_C, "merge", 0), (_C, "decide", 0)]


@pytest.mark.promise("clarify.signed")
@settings(_REALLY, max_examples=25)
@example(UNSEEN)
@example(AGAINST_AN_AGENT)
@example(SEEN_AND_OVERRULED)
@given(_STEPS)
def test_what_would_be_otherwise_is_contested(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = play(Path(folder), steps)
    if steps in (UNSEEN, AGAINST_AN_AGENT, SEEN_AND_OVERRULED):
        assert found == 1


@pytest.mark.soak
@pytest.mark.promise("clarify.signed")
@settings(_REALLY, max_examples=2_000)
@given(_STEPS)
def test_what_would_be_otherwise_is_contested_in_many_histories(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        play(Path(folder), steps)
