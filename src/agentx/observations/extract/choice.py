"""Which candidates are kept: the worthiest, each telling what none before it told.

The number grows with the root of what was said: a session ten times as long teaches about
three times as much. A candidate counts less for each that was kept out of the same turn, and a
little less for each that was said on the same occasion: the third line of a report tells
mostly what its first two told, in other words.

What a person ruled, chose, answered or refused never competes with the rest: it is kept beside
it, however much else a session holds. Only a session with more of it than a capture may hold
loses some: first what was said of the work at hand, the oldest of it first.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from math import sqrt

from agentx.observations.extract.candidates import Keepable
from agentx.observations.extract.session.spoken import is_told_of_person
from agentx.observations.extract.settled.agreements import ANSWERED
from agentx.observations.labels import BY_USER
from agentx.observations.limits import OBSERVATIONS_PER_CAPTURE_MAX
from agentx.observations.model import Category
from agentx.prose.likeness import adds_reason, likeness
from agentx.prose.salience import Occasion
from agentx.prose.settling.rulings import rules_for_good

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
# So much of what people settled and of what is open is kept; of the room, so much is the rest's.
_SETTLED_MAX = 40
_REST_SHARE = 0.4
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
        return any(
            likeness(one.about, other.about) >= _ALIKE
            and not adds_reason(one.said.text, other.said.text)
            for other in self.every
        )


def choose(candidates: Sequence[Keepable]) -> list[Keepable]:
    """Return the candidates that are kept, the worthiest first."""
    settled = _list_settled(candidates)
    kept = _Kept(settled)
    # What one message settled takes the room of two, however much it is.
    said = [one.finding.event_ids[-1] for one in settled if one.said.source is not Occasion.LEFT]
    more = sum(max(0, count - _OF_A_MESSAGE) for count in Counter(said).values())
    room = _room(len(candidates))
    room = min(_MOST, max(room + more, len(settled) + round(_REST_SHARE * room)))
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


def count_beyond(candidates: Sequence[Keepable], kept: Sequence[Keepable]) -> int:
    """Return how much of what people settled a capture had no room for."""
    left, ruled = _list_held(candidates)
    taken = frozenset(map(id, kept))
    return sum(id(one) not in taken for one in (*left, *ruled))


def _list_settled(candidates: Sequence[Keepable]) -> list[Keepable]:
    """Return what people settled, and what is open: as much of it as a capture may hold."""
    left, ruled = _list_held(candidates)
    room = max(0, _SETTLED_MAX - len(left))
    if len(ruled) > room:
        ranked = sorted(ruled, key=lambda one: (not _is_for_good(one), -one.finding.at_ms))
        taken = frozenset(map(id, ranked[:room]))
        ruled = [one for one in ruled if id(one) in taken]
    return [*ruled, *left[:_SETTLED_MAX]]


def _list_held(candidates: Sequence[Keepable]) -> tuple[list[Keepable], list[Keepable]]:
    """Return what is open, and what people settled."""
    left = [one for one in candidates if one.said.source is Occasion.LEFT and one.about]
    ruled = [one for one in candidates if one.about and _is_settled_by_person(one)]
    return left, [one for one in _list_once(ruled, left) if one not in left]


def _list_once(ruled: Sequence[Keepable], left: Sequence[Keepable]) -> list[Keepable]:
    """Return what was settled, but for what was said again; an answer is never that."""
    kept = _Kept([*left, *(one for one in ruled if one.finding.weight >= ANSWERED)])
    for one in ruled:
        if one.finding.weight < ANSWERED and not kept.tells(one):
            kept.add(one)
    return kept.every


def _is_settled_by_person(one: Keepable) -> bool:
    """Tell whether a person ruled, chose, answered or refused something with it."""
    if one.finding.weight >= ANSWERED:
        return True
    is_decided = one.finding.category is Category.DECISION
    return is_decided and is_told_of_person(one.finding.content)


def _is_for_good(one: Keepable) -> bool:
    return rules_for_good(one.finding.content.removeprefix(BY_USER).split("; Asked: ")[0])
