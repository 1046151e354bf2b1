"""Which candidates are kept: the worthiest, each telling what none before it told.

The number grows with the root of what was said: a session ten times as long teaches about
three times as much. A candidate counts less for each that was kept out of the same turn, and a
little less for each that was said on the same occasion: the third line of a report tells
mostly what its first two told, in other words.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from math import sqrt

from agentx.observations.extract.candidates import Keepable
from agentx.observations.extract.settled.agreements import ANSWERED
from agentx.observations.limits import OBSERVATIONS_PER_CAPTURE_MAX
from agentx.prose.likeness import likeness
from agentx.prose.salience import Occasion

_MOST = OBSERVATIONS_PER_CAPTURE_MAX - 1  # the overview has a place of its own
_OF_A_MESSAGE = 2
_KEPT_BASE = 2
_WORTH_MIN = 0.25
_FOUND_BY_RULES = (
    Occasion.CHANGE,
    Occasion.DECISION,
    Occasion.ERROR,
    Occasion.STUMBLE,
    Occasion.LEFT,
)
# What the user answered, chose or refused is kept before all else, with what is open: that of so
# many messages, and so much in all.
_ANSWERED_MAX = 8
_ANSWERS_MAX = 24
_KEPT_BY_ROOT = 1.4
_NOVELTY = 0.5  # how much it counts that a candidate's words are new
_SAME_TURN = 0.85  # what is left of the worth for each that is kept of the same turn
_SAME_OCCASION = 0.95
_ALIKE = 0.7
_WEIGHED_MAX = 1_000  # the worthiest, of a session without end


class _Kept:
    """What is kept so far."""

    def __init__(self, answers: Sequence[Keepable]) -> None:
        self.every: list[Keepable] = []
        self._told: set[str] = set()
        self._by_turn: Counter[str] = Counter()
        self._by_occasion: Counter[Occasion] = Counter()
        for one in answers:
            self.add(one)

    def add(self, one: Keepable) -> None:
        self.every.append(one)
        self._told |= one.about
        self._by_turn[one.finding.event_ids[0]] += 1
        self._by_occasion[one.said.source] += 1

    def gain(self, one: Keepable) -> float:
        """Return what a candidate would add: never more than it would have before."""
        new = len(one.about - self._told) / len(one.about)
        left: float = _SAME_TURN ** self._by_turn[one.finding.event_ids[0]]
        left *= _SAME_OCCASION ** self._by_occasion[one.said.source]
        return float(one.worth * new**_NOVELTY * left)

    def tells(self, one: Keepable) -> bool:
        return any(likeness(one.about, other.about) >= _ALIKE for other in self.every)


def choose(candidates: Sequence[Keepable]) -> list[Keepable]:
    """Return the candidates that are kept, the worthiest first."""
    answers = _list_answers(candidates)
    kept = _Kept(answers)
    # What one message settled takes the room of two, however much it is.
    said = [one.finding.event_ids[-1] for one in answers if one.said.source is not Occasion.LEFT]
    more = sum(max(0, count - _OF_A_MESSAGE) for count in Counter(said).values())
    room = min(_MOST, _room(len(candidates)) + more)
    # What a candidate adds only shrinks, so that whoever leads after a second look leads.
    waiting = [(-kept.gain(candidates[number]), number) for number in _list_worthy(candidates)]
    heapq.heapify(waiting)
    while waiting and len(kept.every) < room:
        _, number = heapq.heappop(waiting)
        one = candidates[number]
        again = (-kept.gain(one), number)
        if waiting and again > waiting[0]:
            heapq.heappush(waiting, again)
        elif not kept.tells(one):
            kept.add(one)
    return kept.every


def _list_worthy(candidates: Sequence[Keepable]) -> list[int]:
    worthy = [
        number
        for number, one in enumerate(candidates)
        if one.about and (one.worth >= _WORTH_MIN or one.said.source in _FOUND_BY_RULES)
    ]
    return heapq.nsmallest(_WEIGHED_MAX, worthy, key=lambda number: -candidates[number].worth)


def _room(candidates: int) -> int:
    return min(_MOST, round(_KEPT_BASE + _KEPT_BY_ROOT * sqrt(candidates)))


def _list_answers(candidates: Sequence[Keepable]) -> list[Keepable]:
    answers = [one for one in candidates if one.finding.weight >= ANSWERED and one.about]
    left = [one for one in candidates if one.said.source is Occasion.LEFT and one.about]
    last = list(dict.fromkeys(one.finding.event_ids[-1] for one in reversed(answers)))
    newest = frozenset(last[:_ANSWERED_MAX])
    held = [one for one in answers if one.finding.event_ids[-1] in newest]
    return [*held[-_ANSWERS_MAX:], *left]
