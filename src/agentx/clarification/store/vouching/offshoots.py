"""Where a person is asked two things on one thread by clones that had not seen one another.

Each question is one that a person answers for itself. So of two follow-ups whose writers had not
seen one another the earlier goes on with the thread; the other is an *offshoot*: a question of its
own, known by the event that asked it, which begins with all that its writer had seen. So is a
follow-up beside what a person said on the thread, where neither had seen the other, whatever their
ids say: the word ends what it was said to, and stays told. Whatever is said by who had seen an
offshoot is said to it. Which lines somebody had seen is signed with what they say
(`vouching.sight`), so the threads are the same in every clone, in whatever order lines arrive.

An event lies in the file under its thread's question, also where it is an offshoot's: who does not
trust the one who asked sees one thread, and loses nothing.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace

from agentx.clarification.model import PERSON, Reason
from agentx.clarification.store.question_events import QuestionEvent, QuestionEventKind
from agentx.clarification.store.vouching.sight import (
    SeenLines,
    is_for_person,
    list_seen,
    sum_up,
)
from agentx.clarification.ways import GITHUB, UNVERIFIED_WAYS

_WORDS = frozenset({QuestionEventKind.ANSWERED, QuestionEventKind.RESOLVED})


@dataclass(slots=True)
class _Thread:
    """One thread: its first lines, which an offshoot shares, and then its own."""

    question: str
    lines: list[QuestionEvent] = field(default_factory=list)
    asked: list[QuestionEvent] = field(default_factory=list)  # what a person is asked on it


@dataclass(slots=True)
class Parted:
    """Events, each under the thread that it belongs to."""

    events: list[QuestionEvent]
    offshoots: dict[str, QuestionEvent] = field(default_factory=dict)  # what each begins with


def part_threads(
    known: list[QuestionEvent],
    births: Mapping[str, QuestionEvent],
    sight: SeenLines,
    gone: Container[str] = (),
) -> Parted:
    """Return events, in the order of their ids, with those of offshoots under their own questions.

    `known` has each id once; `gone` are the questions that were forgotten.
    """
    asked: dict[str, list[QuestionEvent]] = {}
    said: dict[str, list[QuestionEvent]] = {}
    for event in known:
        birth = births.get(event.question)
        if birth is None or event is birth:
            continue
        if _asks_person(event, birth):
            asked.setdefault(event.question, []).append(event)
        elif _is_persons_word(event):
            said.setdefault(event.question, []).append(event)
    parted = Parted(known)
    for question, asks in asked.items():
        words = said.get(question, [])
        # One writer had seen all that they said.
        if len({event.writer for event in (*asks, *words)}) > 1 and question not in gone:
            counting = [event for event in asks if event.is_vouched or sight.covers(event)]
            if counting:
                _Parting(births[question], counting, words).part(parted)
    parted.events.sort(key=lambda event: event.id)
    return parted


def _asks_person(event: QuestionEvent, birth: QuestionEvent) -> bool:
    """Tell whether an event asks a person something: a follow-up, or one past the last round."""
    if event.kind is QuestionEventKind.ASKED:
        return is_for_person(birth)
    is_call = event.kind is QuestionEventKind.ESCALATED
    return is_call and event.detail.get("reason") == Reason.MAX_ROUNDS


def _is_persons_word(event: QuestionEvent) -> bool:
    """Tell whether an event is what a person said, who is known to have said it."""
    is_persons = event.kind in _WORDS and event.detail.get("by") == PERSON
    return is_persons and event.is_vouched and event.detail.get("via") not in UNVERIFIED_WAYS


@dataclass(slots=True)
class _Parting:
    """What a person is asked on one thread, and what people said on it."""

    birth: QuestionEvent
    asks: list[QuestionEvent]
    words: list[QuestionEvent]
    # In the order in which they begin, so the deepest that was seen is the last.
    threads: list[_Thread] = field(default_factory=list)
    seen: dict[str, frozenset[str] | None] = field(default_factory=dict)  # by event
    digests: dict[str, str] = field(default_factory=dict)  # by event

    def part(self, parted: Parted) -> None:
        """Put each event of the thread under the question that it belongs to."""
        question, asks = self.birth.question, {event.id for event in self.asks}
        self.threads = [_Thread(question)]
        for event in parted.events:
            if event.question != question:
                continue
            home, is_asked = self._find_home(event, parted), event.id in asks
            if is_asked and self._is_apart(event, home, parted):
                known = [one for one in home.lines if one is self.birth or self._saw(event, one)]
                home = _Thread(event.id, known, [one for one in home.asked if one in known])
                parted.offshoots[event.id] = event
                self.threads.append(home)
            home.lines.append(event)
            if is_asked:
                home.asked.append(event)
        if len(self.threads) == 1:
            return
        others = (event for event in parted.events if event.question != question)
        split = (
            replace(event, question=each.question, stem=question)
            for each in self.threads[1:]
            for event in each.lines
        )
        parted.events = [*others, *self.threads[0].lines, *split]

    def _find_home(self, event: QuestionEvent, parted: Parted) -> _Thread:
        """Return the thread on which an event was said: the deepest that its writer had seen."""
        trunk, *offshoots = self.threads
        seen = (each for each in offshoots if self._saw(event, parted.offshoots[each.question]))
        return max(seen, key=lambda each: each.question, default=trunk)

    def _is_apart(self, ask: QuestionEvent, home: _Thread, parted: Parted) -> bool:
        """Tell whether something is asked beside what its writer had not seen."""
        if self._list_seen(ask) is None:
            return False
        if not all(self._saw(ask, one) for one in home.asked):
            return True
        return any(
            self._is_beside(ask, word, home)
            for word in self.words
            if self._find_home(word, parted) is home
        )

    def _is_beside(self, ask: QuestionEvent, word: QuestionEvent, home: _Thread) -> bool:
        """Tell whether a person said something on a thread, and neither had seen the other."""
        if word.writer == ask.writer or self._list_seen(word) is None:
            return False
        if self._saw(ask, word) or self._saw(word, ask):
            return False
        unseen = (one for one in self.asks if not self._saw(ask, one))
        if any(self._saw(word, one) for one in unseen):
            return False  # it was said to what another asked
        via = str(word.detail.get("via", ""))  # a comment that two clones have taken is heard once
        return not via.startswith(GITHUB) or all(
            one.detail.get("via") != via or not self._saw(ask, one) for one in home.lines
        )

    def _saw(self, event: QuestionEvent, other: QuestionEvent) -> bool:
        seen = self._list_seen(event)
        if not seen:
            return False
        if other.id not in self.digests:
            self.digests[other.id] = sum_up(other)
        return self.digests[other.id] in seen

    def _list_seen(self, event: QuestionEvent) -> frozenset[str] | None:
        if event.id not in self.seen:
            self.seen[event.id] = list_seen(event)
        return self.seen[event.id]
