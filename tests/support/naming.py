"""Clones that ask and merge in memory, without files: what each question is called in them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count

from agentx.clarification.facts import Asked
from agentx.clarification.store.fold import Folded, fold
from agentx.clarification.store.question_events import (
    QuestionEvent,
    QuestionEventKind,
    say_opening,
)
from agentx.kernel.ids import ulid, ulid_ms
from agentx.kernel.vouching.standing import Vouching
from tests.support.clarifying import clarification
from tests.support.time_and_chance import START_MS

ISSUE = 42
_turns = count(1)


@dataclass(slots=True)
class NamingClone:
    """The events of one clone."""

    writer: str
    events: dict[str, QuestionEvent] = field(default_factory=dict)

    def fold(self) -> Folded:
        return fold(ISSUE, self.events.values())

    def names(self) -> dict[str, str]:
        """Return how each topic is called."""
        told = self.fold().told.values()
        return {each.state.topic: each.id for each in told if each.state is not None}

    def say(self, kind: QuestionEventKind, question: str, detail: dict[str, object]) -> None:
        seen = max((ulid_ms(known) + 1 for known in self.events), default=0)
        known = ulid(max(seen, START_MS + next(_turns)), self.writer.encode().ljust(10, b"-"))
        event = QuestionEvent(
            id=known,
            question=question or known,
            kind=kind,
            detail=detail,
            writer=self.writer,
            standing=Vouching.SIGNED,
        )
        self.events[known] = event

    def ask(self, *topics: str) -> None:
        """Ask as the store does: who writes says the numbers that nobody said."""
        for topic in topics:
            numbers = self.fold().numbers
            state = clarification(topic=topic, issue=ISSUE, at_ms=START_MS + next(_turns))
            state = replace(state, thread=(), round=0)
            asked = Asked(at_ms=state.created_ms, by=state.asker, body=topic)
            opening = say_opening(state, asked, numbers.highest + 1)
            self.say(QuestionEventKind.OPENED, "", opening)
            for uid, number in numbers.unsaid.items():
                self.say(QuestionEventKind.NAMED, uid, {"number": number})

    def merge(self, *others: NamingClone) -> None:
        for other in others:
            self.events |= other.events
