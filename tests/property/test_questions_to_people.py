"""Goal: what a person is asked or called for in one clone is never settled by another unseen.

Method: random histories of three clones that ask people and agents, ask on, call a person, answer
and settle apart, and merge now and then; beside each thing a person was asked stands what people
had seen when they spoke. In the end all clones say the same, every word is there, and what no
person saw still waits for one, and holds its asker: each question for itself, also where clones
asked on one thread at once, until a person answers just that one. And what a person said who was
asked stands, or is told as contradicted, unless somebody went on from it who knew it.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from agentx.clarification.errors import MaxRoundsExceeded
from agentx.clarification.model import (
    PERSON,
    Clarification,
    ClarificationStatus,
    EntryType,
    Ledger,
    Reason,
)
from agentx.clarification.service import Clarifications
from agentx.clarification.store.book import Pen
from agentx.clarification.store.ledgers import LedgerStore
from agentx.kernel.bus import Bus
from agentx.kernel.errors import AgentXError
from agentx.kernel.paths import ProjectPaths
from tests.support.clarifying import KEYS, SCOPE, request
from tests.support.time_and_chance import FakeClock

ISSUE = 42
ANYBODY = replace(SCOPE, can_clarify=("architect", PERSON))
CLONES = ("aaa111", "bbb222", "ccc333")
_ACTS = ("answer", "person", "follow-up", "follow-up", "resolve", "decide", "escalate", "merge")
_STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(_ACTS), st.integers(0, 3)),
    min_size=4,
    max_size=18,
)
_REALLY = settings(phases=[Phase.explicit, Phase.generate], deadline=None)
Step = tuple[int, str, int]


@dataclass(slots=True)
class Clone:
    """One clone; a merge is a union of files."""

    root: Path
    name: str
    clock: FakeClock

    @property
    def room(self) -> Clarifications:
        pen = Pen(writer=lambda: self.name, secret=self.name.encode, signatures=KEYS)
        return Clarifications(
            LedgerStore(ProjectPaths(self.root), self.clock, pen), clock=self.clock, bus=Bus()
        )

    def ledger(self) -> Ledger:
        return self.room.ledger(ISSUE)

    def take(self, other: Clone) -> None:
        source, mine = (ProjectPaths(each.root).questions / str(ISSUE) for each in (other, self))
        mine.mkdir(parents=True, exist_ok=True)
        for file in source.glob("*.jsonl"):
            here = mine / file.name
            if not here.exists() or here.stat().st_size < file.stat().st_size:
                shutil.copyfile(file, here)


@dataclass(slots=True)
class Wanted:
    """What a person was asked, or called for: the words, and the questions there were then."""

    word: str
    questions: frozenset[str]
    is_call: bool


@dataclass(slots=True)
class Story:
    """What the clones do, what people were asked, and what they had seen when they spoke."""

    clones: tuple[Clone, ...]
    words: set[str] = field(default_factory=set)
    wanted: list[Wanted] = field(default_factory=list)
    seen: list[tuple[frozenset[str], str]] = field(default_factory=list)
    answered: set[str] = field(default_factory=set)  # what a person was asked last who spoke
    calls: set[str] = field(default_factory=set)  # said with a call by hand
    about: dict[str, str] = field(default_factory=dict)  # by a person's word: what they were asked
    left: set[str] = field(default_factory=set)  # people's words from which somebody went on
    said: set[str] = field(default_factory=set)  # people's words who were asked themselves
    _numbers: count[int] = field(default_factory=lambda: count(1))

    def do(self, who: int, act: str, which: int) -> None:
        clone = self.clones[who]
        clone.clock.advance(700)
        if act == "merge":
            clone.take(self.clones[(who + 1 + which) % len(self.clones)])
            return
        word, state = f"{clone.name} says {next(self._numbers)}", clone.ledger().clarifications
        with suppress(AgentXError):
            self._say(clone, state[which % len(state)], act, word)

    def _say(self, clone: Clone, state: Clarification, act: str, word: str) -> None:
        room = clone.room
        match act:
            case "answer":
                room.answer(state.id, word, by="architect")
            case "person":
                room.answer(state.id, word, by=PERSON, via="terminal")
            case "decide":
                room.resolve(state.id, word, by=PERSON, via="terminal")
            case "resolve":
                room.resolve(state.id, by=state.asker)
                return
            case "escalate":
                room.escalate(state.id, word, reason=Reason.MANUAL, by=state.asker)
            case _:
                with suppress(MaxRoundsExceeded):  # a person is called instead
                    room.follow_up(state.id, word, by=state.asker)
        self.words.add(word)
        after = next(each for each in clone.ledger() if each.uid == state.uid)
        there = frozenset(entry.body for entry in after.thread)
        assert any(word in body for body in there), "it was kept"
        asked = frozenset(each.body for each in after.asked)
        if act != "answer":
            self.left |= {each.body for each in state.thread if each.is_persons_word}
        if act in ("person", "decide"):
            self.seen.append((asked, "\n".join(there)))
            self.answered.add(self.find_asked_last(state))
            self.about[word] = state.question
            self.said |= {word} if state.to == PERSON else set()
        elif act == "escalate" or (act == "follow-up" and after.waits_for_person):
            is_call = act == "escalate"
            self.calls |= {word} if is_call else set()
            self.wanted.append(Wanted(word, asked, is_call))

    def find_asked_last(self, state: Clarification) -> str:
        """Return what was asked last on a thread, also past its last round; a call asks nothing."""
        asking = (EntryType.QUESTION, EntryType.ESCALATION)
        said = (each.body for each in state.thread if each.type in asking and not each.late)
        return [body for body in said if not any(word in body for word in self.calls)][-1]

    def is_seen(self, wanted: Wanted) -> bool:
        """Tell whether a person spoke who had seen it; or all that a call was about."""
        return any(
            wanted.word in there or (wanted.is_call and asked >= wanted.questions)
            for asked, there in self.seen
        )


def play_story(clones: tuple[Clone, ...], steps: list[Step]) -> Story:
    """Let clones that know two questions, to a person and to a role, do what a history says."""
    for turn, to in enumerate((PERSON, "architect")):
        wanted = request(issue=ISSUE, to=to, topic=to, question=f"{turn}?")
        clones[0].room.ask(replace(wanted, rounds_max=3), ANYBODY)
        clones[0].clock.advance(1_000)
    for turn, clone in enumerate(clones[1:]):
        clone.take(clones[0])
        clone.clock.advance(2_150 + 150 * turn)
    story = Story(clones)
    for who, act, which in steps:
        story.do(who, act, which)
    for _ in range(2):
        for clone in clones:
            for other in clones:
                clone.take(other)
    return story


def play(folder: Path, steps: list[Step]) -> None:
    check(play_story(tuple(Clone(folder / name, name, FakeClock()) for name in CLONES), steps))


def check(story: Story) -> None:
    first, *others = (clone.ledger().clarifications for clone in story.clones)
    assert all(other == first for other in others)
    said = "\n".join(entry.body for state in first for entry in state.thread)
    assert [word for word in story.words if word not in said] == []
    assert len({state.uid for state in first}) == len({state.id for state in first}) == len(first)
    for wanted in story.wanted:
        if not story.is_seen(wanted):
            holders = [state for state in first if is_said(wanted.word, state)]
            assert any(is_open(state) for state in holders), wanted.word
    for word in list_unanswered(story):
        asking = [state for state in first if word in story.find_asked_last(state)]
        assert [state.id for state in asking if is_open(state)] == [asking[0].id], word
    for state in first:
        assert state.round <= state.rounds_max
        if state.status is ClarificationStatus.RESOLVED:
            assert state.decision is not None
            assert state.decision in state.thread
    check_told(story, first)


def is_said(word: str, state: Clarification) -> bool:
    return any(word in entry.body for entry in state.thread)


def is_open(state: Clarification) -> bool:
    """Tell whether a person is asked on a thread, and its asker waits."""
    return state.waits_for_person and state.holds_its_asker and state.resolution is None


def list_unanswered(story: Story) -> list[str]:
    """Return what a person was asked further and no person answered whom just that was asked."""
    further = (wanted.word for wanted in story.wanted if not wanted.is_call)
    return [word for word in further if not any(word in said for said in story.answered)]


def check_told(story: Story, states: tuple[Clarification, ...]) -> None:
    """What a person said is told with what they were asked last when they said it."""
    for state in states:
        for entry in state.thread:
            if entry.is_persons_word:
                assert state.question_of(entry) == story.about[entry.body], entry.body
    told = {
        entry.body
        for state in states
        for entry in (state.persons_word, *state.contrary_words)
        if entry is not None
    }
    assert story.said - story.left - told == set()


_A, _B, _C = 0, 1, 2
ASKED_ON = [(_A, "person", 0), (_B, "merge", 1), (_A, "resolve", 0), (_B, "follow-up", 0)]
CALLED = [(_A, "answer", 1), (_B, "merge", 1), (_A, "resolve", 1), (_B, "escalate", 1)]
DECIDED_BEFORE = [(_A, "person", 0), (_B, "merge", 1), (_B, "follow-up", 0), (_A, "decide", 0)]
ANSWERED_TWICE = [(_A, "person", 0), (_B, "person", 0), (_B, "follow-up", 0), (_A, "resolve", 0)]
_ANSWERED_ALL = [(_A, "person", 0), (_B, "merge", 1), (_C, "merge", 0)]
TWO_AT_ONCE = [*_ANSWERED_ALL, (_A, "follow-up", 0), (_B, "follow-up", 0)]
ONE_OF_TWO_ANSWERED = [*TWO_AT_ONCE, (_B, "merge", 1), (_B, "person", 0)]
THREE_AT_ONCE = [*TWO_AT_ONCE, (_C, "follow-up", 0), (_B, "merge", 1), (_B, "person", 2)]
EACH_ANSWERED_APART = [*TWO_AT_ONCE, (_A, "person", 0), (_B, "person", 0), (_A, "resolve", 0)]
SETTLED_UNSEEN = [*_ANSWERED_ALL, (_A, "follow-up", 0), (_A, "person", 0), (_B, "resolve", 0)]
LAST_ROUND = [*EACH_ANSWERED_APART[:-1], *((who, act, 0) for who in (_A, _B) for act in _ACTS[1:4])]
_WENT_ON = [(_A, "follow-up", 0), (_A, "person", 0), (_A, "resolve", 0)]
STOPPED = [*_ANSWERED_ALL, *_WENT_ON, (_B, "escalate", 0), (_B, "decide", 0)]
STOPPED_BEFORE = [*_ANSWERED_ALL, (_B, "escalate", 0), (_B, "decide", 0), *_WENT_ON]
CONTRADICTED = [(_B, "person", 0), (_B, "resolve", 0), (_A, "person", 0), *_WENT_ON]
CONTRADICTED_AFTER = [(_A, "person", 0), *_WENT_ON, (_B, "person", 0), (_B, "resolve", 0)]


@pytest.mark.promise("clarify.merge")
@settings(_REALLY, max_examples=12)
@example(ASKED_ON)
@example(CALLED)
@example(DECIDED_BEFORE)
@example(ANSWERED_TWICE)
@example(TWO_AT_ONCE)
@example(ONE_OF_TWO_ANSWERED)
@example(THREE_AT_ONCE)
@example(EACH_ANSWERED_APART)
@example(SETTLED_UNSEEN)
@example(LAST_ROUND)
@example(STOPPED)
@example(STOPPED_BEFORE)
@example(CONTRADICTED)
@example(CONTRADICTED_AFTER)
@given(_STEPS)
def test_what_a_person_is_asked_is_settled_by_nobody_who_did_not_see_it(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        play(Path(folder), steps)


@pytest.mark.soak
@settings(_REALLY, max_examples=600)
@given(_STEPS)
def test_what_a_person_is_asked_waits_over_many_histories(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        play(Path(folder), steps)
