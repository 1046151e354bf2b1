"""Which memories are told, and in which order of worth: by kind and by session, each fact once.

One after the other the best of what is left is taken, where "best" is its worth, less for each
line that its kind and its session already have, and less for what it has in common with the
lines that were taken. So a budget of any size is filled with what is different first, then with
what adds something to its like, and whoever has room for fewer lines takes the first of them.
What a person ruled is not left out while there is room, and of two rulings that say the same the
newest is told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heapreplace
from itertools import accumulate, takewhile

from agentx.kernel.text import compile_late
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.observations.ids import ID_PREFIX
from agentx.observations.labels import SINCE, asks_another
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import adds, likeness, share_of_shorter
from agentx.recall.section.kinds import Kind

# Sharing so much with a line that is told, and adding nothing, another says the same.
SAME = 0.6
_SAME_RULING = 0.8  # and of two rulings that share less each may rule something else
# The words that say that a person ruled it: two rulings are compared by the others.
_LABEL = terms("The user said asked reported answered chose")
_LIKENESS_COSTS = 0.6
_TOLD = 2.0  # how like a line is that says the same: more than any other can be
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
# What the first of a kind is worth more where there is room for few lines: who has no more needs
# what is left to do, then what was ruled.
_SHORT = 40
_FIRST = {Kind.OPEN_END: 1.0, Kind.PREFERENCE: 0.5, Kind.DECISION: 0.5}
# What a reply listed as open last is told as the list it is, unless more sessions were since.
_LISTED_COSTS = 0.9
_LIST_MIN = 3
_SESSIONS_SINCE = 2
# What a further line is worth less that answers what is to be done, or is of the issue at hand:
# whoever begins needs to know more than what is like the question.
_ANSWER_COSTS = 0.12
_OPTIONS = compile_late(
    r"(?:the )?(?:(?:two|three|four|\d) )?(?:options|alternatives|choices|ways)\b|option [\da-c]\b",
    re.IGNORECASE,
)
# What a line says beside its text: who, how long ago, its id.
_BESIDE_TOKENS = 10
# What is worth less is left out though there is room for it, unless little else is known.
_WORTH_MIN = 0.4
_FEW = 8
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
    told_as: str = ""  # by what a session knows that it was told it, where that is not its id
    has_place: bool = False  # of its own: told before what is chosen by worth
    answers: bool = False  # what is to be done
    takes_over: bool = False  # it answers, and holds now instead of something
    is_of_issue: bool = False  # the one at hand
    replaced_by: str = ""  # told only after what replaced it
    is_elsewhere: bool = False  # it holds on a branch that is not merged
    is_ruling: bool = False  # of a person


def choose(candidates: Sequence[Tellable], count: int) -> list[Tellable]:
    """Return at most so many, best first, none of which says what another does."""
    standing = [one for one in candidates if not one.replaced_by]
    ordered = sorted(_leave_newest(standing), key=lambda one: (-one.worth, -one.at_ms, one.doc_id))
    taken: list[Tellable] = []
    crowds = _Crowds(is_short=count <= _SHORT, listed=_find_last_list(standing))
    told = _Told(ordered)
    # What a line is worth only falls while others are taken, so what it was worth when it was
    # looked at last is the most it can be: only who stands first has to be looked at again.
    queue = [(-_value(one, 0.0, crowds), at) for at, one in enumerate(ordered)]
    heapify(queue)
    while queue and len(taken) < count:
        bound, at = queue[0]
        one = ordered[at]
        like = told.find_likest(at)
        value = _value(one, like, crowds)
        if -value > bound:
            heapreplace(queue, (-value, at))
            continue
        heappop(queue)
        if like < _TOLD and (len(taken) < _FEW or _is_worth_it(one)):
            taken.append(one)
            crowds.add(one)
            told.take(at)
    return taken


def _find_last_list(standing: Sequence[Tellable]) -> frozenset[str]:
    """Return the ids of what one reply listed as open last, where little was done since."""
    left = [one for one in standing if one.kind is Kind.OPEN_END and not one.is_elsewhere]
    if not left:
        return frozenset()
    last = max(left, key=lambda one: (one.at_ms, one.doc_id))
    since = {one.session for one in standing if one.at_ms > last.at_ms} - {last.session}
    if len(since) > _SESSIONS_SINCE:
        return frozenset()
    of_reply = (last.session, last.at_ms)
    listed = frozenset(one.doc_id for one in left if (one.session, one.at_ms) == of_reply)
    return listed if len(listed) >= _LIST_MIN else frozenset()


def _leave_newest(standing: Sequence[Tellable]) -> Iterator[Tellable]:
    """Yield some, but of rulings that say the same the newest only, for what the best is worth.

    It says how often it was ruled.
    """
    newest: list[Tellable] = []
    times: Counter[int] = Counter()
    rulings = (one for one in standing if one.is_ruling)
    for one in sorted(rulings, key=lambda one: (-one.at_ms, one.doc_id)):
        looked_at = enumerate(newest[:_WEIGHED_MAX])
        likes = (at for at, later in looked_at if likeness(one.words, later.words) >= SAME)
        at = next((at for at in likes if _says_same(one, newest[at])), None)
        stands = one.has_place or SINCE in one.text  # of which a part was changed, and the rest not
        if at is None or stands or one.is_elsewhere != newest[at].is_elsewhere:
            newest.append(one)
        else:
            newest[at] = replace(newest[at], worth=max(newest[at].worth, one.worth))
            times[at] += one.session != newest[at].session
    for at, one in enumerate(newest):
        yield replace(one, text=f"{one.text} (said {times[at] + 1} times)") if times[at] else one
    yield from (one for one in standing if not one.is_ruling)


def _says_same(one: Tellable, told: Tellable) -> bool:
    """Tell whether a line that is like another adds nothing to it."""
    are_ruled = one.is_ruling and told.is_ruling
    if are_ruled and likeness(one.words - _LABEL, told.words - _LABEL) < _SAME_RULING:
        return False
    return not (asks_another(one.text, told.text) or adds(one.text, told.text))


def _is_worth_it(one: Tellable) -> bool:
    return one.worth >= _WORTH_MIN or one.has_place or one.is_of_issue or one.is_ruling


def put_after_choice(chosen: Sequence[Tellable], candidates: Sequence[Tellable]) -> list[Tellable]:
    """Return what was chosen, options never without what was then chosen of them, nor before it."""
    ids = {one.doc_id for one in chosen}
    told: list[Tellable] = []
    waiting: dict[str, list[Tellable]] = {}
    for one in chosen:
        settling = _find_choice(one, candidates) if _OPTIONS.match(one.text) else None
        if settling is None or settling in {each.doc_id for each in told}:
            told.append(one)
        elif settling in ids:
            waiting.setdefault(settling, []).append(one)
        told += waiting.pop(one.doc_id, [])
    return told


def _find_choice(options: Tellable, candidates: Sequence[Tellable]) -> str | None:
    """Return the id of the decision that a session came to after some options, if it did."""
    later = [
        one
        for one in candidates
        if one.session == options.session
        and one.kind in (Kind.DECISION, Kind.PREFERENCE)
        and one.at_ms >= options.at_ms
        and one.doc_id != options.doc_id
    ]
    shared = [one for one in later if one.words & options.words]
    return min(shared, key=lambda one: (one.at_ms, one.doc_id)).doc_id if shared else None


def follow(chosen: Sequence[Tellable], candidates: Sequence[Tellable]) -> list[Tellable]:
    """Return what was chosen, each followed by what it replaced, where somebody asks of that."""
    replaced: dict[str, list[Tellable]] = {}
    for one in candidates:
        if one.replaced_by and one.answers:
            replaced.setdefault(one.replaced_by, []).append(one)
    return [each for one in chosen for each in (one, *replaced.get(one.doc_id, ())[:1])]


def count_fitting(chosen: Sequence[Tellable], tokens: int) -> int:
    """Return how many of some, from the first on, about fit into so many tokens."""
    costs = accumulate(estimate(one.text) + _BESIDE_TOKENS for one in chosen)
    return sum(1 for _ in takewhile(lambda cost: cost <= tokens, costs))


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


class _Crowds:
    """How many lines each kind and each session has. What is `listed` crowds nothing out."""

    def __init__(self, *, is_short: bool, listed: frozenset[str]) -> None:
        self._is_short = is_short
        self._listed = listed
        self._kinds: Counter[Kind] = Counter()
        self._sessions: Counter[str] = Counter()
        self._answers = 0

    def add(self, one: Tellable) -> None:
        self._kinds[one.kind] += 1
        self._sessions[one.session] += 1
        self._answers += one.answers or one.is_of_issue

    def lead(self, one: Tellable) -> float:
        """Return what the first of its kind is worth more."""
        leads = self._is_short and one.worth >= _WORTH_MIN and not one.is_elsewhere
        return _FIRST.get(one.kind, 0.0) if leads and not self._kinds[one.kind] else 0.0

    def measure(self, one: Tellable) -> float:
        if one.doc_id in self._listed:
            return _LISTED_COSTS
        of_kind = _KIND_COSTS[one.kind] * self._kinds[one.kind]
        is_close = one.answers or one.is_of_issue
        of_answers = _ANSWER_COSTS * self._answers if is_close else 0
        return 1 + of_kind + of_answers + _SESSION_COSTS * self._sessions[one.session]


class _Told:
    """The words of the lines that were taken, to find which of them another is like.

    Words are bits of a number: many lines are compared, and most share nothing.
    """

    def __init__(self, candidates: Sequence[Tellable]) -> None:
        bits: dict[str, int] = {}
        self._words = [
            sum(1 << bits.setdefault(word, len(bits)) for word in one.words) for one in candidates
        ]
        self._sizes = [len(one.words) for one in candidates]
        self._lines = candidates
        self._likest = [0.0] * len(candidates)
        self._compared = [0] * len(candidates)
        self._taken: list[int] = []

    def take(self, at: int) -> None:
        self._taken.append(at)

    def find_likest(self, at: int) -> float:
        """Return how like a candidate is to the line that it is most like.

        `_TOLD` where that line says the same.
        """
        words, sizes, lines = self._words, self._sizes, self._lines
        own, size = words[at], sizes[at]
        for other in self._taken[self._compared[at] : _WEIGHED_MAX]:
            if shared := own & words[other]:
                like = share_of_shorter(shared.bit_count(), size, sizes[other])
                if like >= SAME and _says_same(lines[at], lines[other]):
                    like = _TOLD
                self._likest[at] = max(self._likest[at], like)
        self._compared[at] = len(self._taken)
        return self._likest[at]


def _value(one: Tellable, like: float, crowds: _Crowds) -> float:
    if like >= _TOLD:
        return -2.0
    is_first = (one.has_place or one.takes_over) - (like >= SAME) + crowds.lead(one)
    return is_first + one.worth / crowds.measure(one) - _LIKENESS_COSTS * like * one.worth
