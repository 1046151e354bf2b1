"""Goal: two clones ask, answer and resolve apart, commit, and merge without conflict.

Method: random histories with real git. Each clone does what its law allows, loses its view, has it
edited by another tool, and merges the other at random moments, both ways; in the end both hold the
same questions and every word of both, and no view says anything else than the events.
"""

from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agentx.clarification.model import PERSON, Clarification, Ledger, Reason
from agentx.clarification.service import Clarifications
from agentx.clarification.store.book import Pen
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.store.view import ledger_path
from agentx.clarification.watch.monitor import World
from agentx.kernel.bus import Bus
from agentx.kernel.clock import MINUTE_MS
from agentx.kernel.errors import AgentXError
from agentx.kernel.paths import ProjectPaths
from tests.support.clarifying import KEYS, SCOPE, request
from tests.support.clones import merge
from tests.support.repository import commit, git, repository
from tests.support.time_and_chance import FakeClock

ISSUE = 42
_ACTS = ("ask", "answer", "person-answers", "follow-up", "resolve", "decide", "escalate", "monitor")
_STEPS = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from((*_ACTS, *_ACTS, "merge", "tool", "tool-resolves", "lose-view")),
        st.integers(0, 3),
    ),
    min_size=8,
    max_size=16,
)
_REALLY = settings(
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
    deadline=None,
)


@dataclass(slots=True)
class Clone:
    """One clone: a checkout, its clock and its pen."""

    root: Path
    name: str
    clock: FakeClock

    @property
    def store(self) -> LedgerStore:
        git_folder = self.root / ".git"
        pen = Pen(
            writer=lambda: self.name,
            secret=self.name.encode,
            signatures=KEYS,
            common=git_folder,
        )
        return LedgerStore(ProjectPaths(self.root), self.clock, pen)

    @property
    def room(self) -> Clarifications:
        return Clarifications(self.store, clock=self.clock, bus=Bus())

    @property
    def view(self) -> Path:
        return ledger_path(ProjectPaths(self.root), ISSUE)

    def ledger(self) -> Ledger:
        return self.room.ledger(ISSUE)


class Story:
    """What the clones do, and every word that was acknowledged."""

    def __init__(self, clones: tuple[Clone, Clone]) -> None:
        self.clones = clones
        self.words: set[str] = set()
        self._numbers = count(1)

    def do(self, who: int, act: str, which: int) -> None:
        clone = self.clones[who]
        clone.clock.advance(700)
        if act == "merge":
            merge(clone.root, self.clones[1 - who].root)
        elif act == "lose-view":
            with clone.store.editing(ISSUE, agent="engineer"):
                pass  # what a tool wrote last is kept by the next who writes
            clone.view.unlink(missing_ok=True)
        elif act == "monitor":
            clone.clock.advance(40 * MINUTE_MS)
            clone.room.check(clone.room.survey(), World(now_ms=clone.clock.now_ms()))
        else:
            with suppress(AgentXError):
                self._say(clone, act, which)

    def _say(self, clone: Clone, act: str, which: int) -> None:
        word = f"{clone.name} says {next(self._numbers)}"
        room, known = clone.room, clone.ledger().clarifications
        if act == "ask" or not known:
            room.ask(request(issue=ISSUE, topic=word, question=word), SCOPE)
        else:
            self._go_on(clone, known[which % len(known)], act, word)
        self.words.add(word)

    def _go_on(self, clone: Clone, state: Clarification, act: str, word: str) -> None:
        room = clone.room
        match act:
            case "answer":
                room.answer(state.id, word)
            case "person-answers":
                room.answer(state.id, word, by=PERSON)
            case "follow-up":
                room.follow_up(state.id, word, by=state.asker)
            case "resolve":
                room.resolve(state.id, word, by=state.asker)
            case "decide":
                room.resolve(state.id, word, by=PERSON)
            case "escalate":
                room.escalate(state.id, word, reason=Reason.MANUAL)
            case _:
                _edit(clone, state.id, act, word)


def _edit(clone: Clone, known: str, act: str, word: str) -> None:
    """Write the view as another tool would that knows the format alone."""
    if not clone.view.exists():
        raise AgentXError("no view to write")
    document = json.loads(clone.view.read_bytes())
    row = next((row for row in document["clarifications"] if row["id"] == known), None)
    if row is None:
        raise AgentXError("the view is older")
    entry = {"round": row["round"], "from": row["to"], "type": "answer", "body": word}
    if act == "tool-resolves":
        entry |= {"from": row["from"], "type": "resolution"}
        row |= {"status": "resolved", "resolvedAt": "2026-03-02T11:00:00.000Z"}
    row["thread"].append({**entry, "timestamp": "2026-03-02T11:00:00.000Z"})
    clone.view.write_text(json.dumps(document), encoding="utf-8")


def _play(folder: Path, steps: list[tuple[int, str, int]]) -> None:
    root = repository(folder / "one")
    first = Clone(root, "aaa111", FakeClock())
    first.room.ask(request(issue=ISSUE, topic="begin", question="begin"), SCOPE)
    commit(root, "begun")
    git(folder, "clone", "-q", str(root), "two")
    second = Clone(folder / "two", "bbb222", FakeClock())
    second.clock.advance(1_500)
    story = Story((first, second))
    for who, act, which in steps:
        story.do(who, act, which)
    for clone in story.clones:  # as above
        clone.room.ask(request(issue=ISSUE, topic=clone.name, question="the end"), SCOPE)
    merge(first.root, second.root)
    merge(second.root, first.root)

    ledgers = [clone.ledger() for clone in story.clones]
    assert ledgers[0].clarifications == ledgers[1].clarifications
    assert [ledger.faults for ledger in ledgers] == [(), ()]
    said = "\n".join(entry.body for state in ledgers[0] for entry in state.thread)
    assert [word for word in story.words if word not in said] == []
    names = [state.id for state in ledgers[0]]
    assert len(set(names)) == len(names)
    for clone in story.clones:
        clone.store.renew(ISSUE, wait_ms=500)
    views = [json.loads(clone.view.read_bytes()) for clone in story.clones]
    assert views[0]["clarifications"] == views[1]["clarifications"]
    for clone in story.clones:
        kept = clone.ledger()
        clone.view.unlink()
        assert clone.ledger().clarifications == kept.clarifications


@pytest.mark.promise("clarify.merge")
@settings(_REALLY, max_examples=2)
@given(_STEPS)
def test_two_clones_merge_both_ways_and_have_the_same_questions(
    steps: list[tuple[int, str, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _play(Path(folder), steps)


@pytest.mark.soak
@settings(_REALLY, max_examples=120)
@given(_STEPS)
def test_two_clones_agree_on_questions_over_many_histories(
    steps: list[tuple[int, str, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _play(Path(folder), steps)
