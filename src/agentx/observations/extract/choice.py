"""Which candidates are kept: the worthiest, each telling what none before it told.

The number grows with the root of what was said: a session ten times as long teaches about
three times as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from agentx.observations.extract.agreements import ANSWERED
from agentx.observations.extract.candidates import Keepable
from agentx.prose.likeness import likeness
from agentx.prose.salience import Occasion

_KEPT_BASE = 2
_WORTH_MIN = 0.25
_FOUND_BY_RULES = (Occasion.CHANGE, Occasion.DECISION, Occasion.ERROR)
_ANSWERS_MAX = 8  # what the user answered, chose or refused is kept before all else
_KEPT_BY_ROOT = 1.4
_NOVELTY = 0.5  # how much it counts that a candidate's words are new
_ALIKE = 0.7


def choose(candidates: Sequence[Keepable]) -> list[Keepable]:
    """Return the candidates that are kept, the worthiest first."""
    room = _room(len(candidates))
    pool = [
        one
        for one in candidates
        if one.about and (one.worth >= _WORTH_MIN or one.said.source in _FOUND_BY_RULES)
    ]
    told: set[str] = set()
    kept = _list_answers(candidates)
    told.update(*(one.about for one in kept))
    while pool and len(kept) < room:
        best = max(pool, key=lambda one: _gain(one, told))
        pool.remove(best)
        if all(likeness(best.about, other.about) < _ALIKE for other in kept):
            kept.append(best)
            told |= best.about
    return kept


def _room(candidates: int) -> int:
    return round(_KEPT_BASE + _KEPT_BY_ROOT * sqrt(candidates))


def _list_answers(candidates: Sequence[Keepable]) -> list[Keepable]:
    answers = [one for one in candidates if one.finding.weight >= ANSWERED and one.about]
    return answers[-_ANSWERS_MAX:]


def _gain(one: Keepable, told: set[str]) -> float:
    new = len(one.about - told) / len(one.about)
    return float(one.worth * new**_NOVELTY)
