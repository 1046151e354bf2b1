"""Which memories are told, and in which order of worth: by kind and by session, each fact once.

One after the other the best of what is left is taken, where "best" is its worth, less for each
line that its kind and its session already have, and less for what it has in common with the
lines that were taken. So a budget of any size is filled with what is different first, and
whoever has room for fewer lines takes the first of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.observations.ids import ID_PREFIX
from agentx.prose.likeness import likeness
from agentx.recall.section.kinds import Kind

# Sharing so much with a line that is told, another says the same in other words.
SAME = 0.6
_LIKENESS_COSTS = 0.6
# What a further line of the same session, and of the same kind, is worth less.
_SESSION_COSTS = 0.12
_KIND_COSTS = {
    Kind.OPEN_END: 0.25,
    Kind.PREFERENCE: 0.15,
    Kind.DECISION: 0.06,
    Kind.FACT: 0.04,
    Kind.ERROR: 0.10,
    Kind.CHANGE: 0.08,
}
# What a line says beside its text: who, how long ago, its id.
_BESIDE_TOKENS = 10
# Past so many lines nothing is weighed against the others any more.
_WEIGHED_MAX = 150


@frozen
class Tellable:
    """Something that may be told."""

    doc_id: str
    text: str
    words: frozenset[str]
    kind: Kind
    session: str
    at_ms: int
    worth: float
    author: str = ""
    has_place: bool = False  # of its own: told before what is chosen by worth
    answers: bool = False  # what is to be done
    is_of_issue: bool = False  # the one at hand
    replaced_by: str = ""  # told only after what replaced it


def choose(candidates: Sequence[Tellable], count: int) -> list[Tellable]:
    """Return at most so many, best first, none of which says what another does."""
    standing = (one for one in candidates if not one.replaced_by)
    left = sorted(standing, key=lambda one: (-one.worth, -one.at_ms, one.doc_id))
    likest = [0.0] * len(left)
    taken: list[Tellable] = []
    kinds: Counter[Kind] = Counter()
    sessions: Counter[str] = Counter()
    while left and len(taken) < count:
        at = max(range(len(left)), key=lambda at: _value(left[at], likest[at], kinds, sessions))
        one = left.pop(at)
        if likest.pop(at) >= SAME:
            continue
        taken.append(one)
        kinds[one.kind] += 1
        sessions[one.session] += 1
        if len(taken) > _WEIGHED_MAX:
            continue
        for other, each in enumerate(left):
            likest[other] = max(likest[other], likeness(one.words, each.words))
    return taken


def follow(chosen: Sequence[Tellable], candidates: Sequence[Tellable]) -> list[Tellable]:
    """Return what was chosen, each followed by what it replaced, where somebody asks of that."""
    replaced: dict[str, list[Tellable]] = {}
    for one in candidates:
        if one.replaced_by and one.answers:
            replaced.setdefault(one.replaced_by, []).append(one)
    return [each for one in chosen for each in (one, *replaced.get(one.doc_id, ())[:1])]


def within(chosen: Sequence[Tellable], tokens: int) -> list[Tellable]:
    """Return some without the observations that do not fit into so many tokens."""
    left, kept = tokens, []
    for one in chosen:
        if one.doc_id.startswith(ID_PREFIX):
            left -= estimate(one.text) + _BESIDE_TOKENS
            if left < 0:
                continue
        kept.append(one)
    return kept


def _value(one: Tellable, like: float, kinds: Counter[Kind], sessions: Counter[str]) -> float:
    if like >= SAME:
        return -2.0
    crowd = 1 + _KIND_COSTS[one.kind] * kinds[one.kind] + _SESSION_COSTS * sessions[one.session]
    return one.has_place + one.worth / crowd - _LIKENESS_COSTS * like * one.worth
