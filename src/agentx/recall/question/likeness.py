"""The same thing said twice is one memory with two sources.

    "No new dependencies."   said in 130 sessions: one row, and the other 129 are counted

What was said word for word again and again matches alike, so its copies would stand side by side
and keep everything else off the page. They are one row, of what was said last: that is what is
known of it now, replaced or not. Where a time is asked for, what was said then stands for the
others.

Of what makes a page texts are compared by their words: two that share nearly all of them are
near-duplicates. The best-ranked one stands for all, and the ids of the others stay with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from agentx.kernel.values import frozen
from agentx.observations.labels import asks_another
from agentx.prose.likeness import list_words, overlap
from agentx.recall.limits import LIKENESS_HITS_MAX
from agentx.recall.question.rank import Ranked
from agentx.search.document import Filters, Hit
from agentx.search.text.copies import Prefer, count_copies

SAME_SHARE = 0.9
# Of fewer words, "yes, do that" would equal any other "yes, do that".
_WORDS_MIN = 5
# Of copies, those that are named; all of them are counted.
_NAMED_MAX = 5


@frozen(kw_only=False)
class HitGroup:
    """A hit, the ids of what says the same or was made of it, and how many others say it."""

    hit: Hit
    also: tuple[str, ...] = ()
    alike: int = 0


def put_copies_together(
    ranked: Sequence[Ranked], prefer: Prefer | None
) -> tuple[tuple[Ranked, ...], Mapping[int, tuple[Ranked, ...]]]:
    """Return the order with one row for copies, and the others by the key of that row."""
    groups: dict[int, list[Ranked]] = {}
    for each in ranked:
        if each.candidate.text_key:
            groups.setdefault(each.candidate.text_key, []).append(each)
    order: list[Ranked] = []
    copies: dict[int, tuple[Ranked, ...]] = {}
    told: set[int] = set()
    for each in ranked:
        text = each.candidate.text_key
        group = groups.get(text, ())
        if len(group) < 2:
            order.append(each)
        elif text not in told:
            told.add(text)
            last = max(group, key=lambda one: _place(one, prefer))
            order.append(replace(last, score=each.score))
            others = (one for one in group if one is not last)
            copies[last.candidate.key] = tuple(
                sorted(others, key=lambda one: _place(one, prefer), reverse=True)
            )
    return tuple(order), copies


def _place(ranked: Ranked, prefer: Prefer | None) -> tuple[float, int, int]:
    at_ms = ranked.candidate.timestamp_ms
    return prefer(at_ms) if prefer else 0.0, at_ms, ranked.candidate.key


@frozen
class Rows:
    """What the rows of a page are made of: copies and what was made of each, by its key."""

    open_hit: Callable[[Ranked], Hit]
    filters: Filters
    copies: Mapping[int, Sequence[Ranked]]
    made_of: Mapping[int, tuple[str, ...]]

    def fill(self, order: Sequence[Ranked], limit: int) -> tuple[tuple[HitGroup, Ranked], ...]:
        """Return as many rows as are asked for, what says the same in one, each with its place."""
        places = {}

        def group(each: Ranked) -> HitGroup:
            made = self._group(each)
            places[made.hit.doc_id] = each
            return made

        merged = merge_alike(map(group, order), limit)
        return tuple((made, places[made.hit.doc_id]) for made in merged)

    def _group(self, each: Ranked) -> HitGroup:
        own = each.candidate
        others = self.copies.get(own.key, ())
        count = count_copies(own.place, own.text_key, self.filters)
        named = (self.open_hit(one).doc_id for one in others[:_NAMED_MAX])
        return HitGroup(
            replace(self.open_hit(each), score=each.score),
            also=(*self.made_of.get(own.key, ()), *named),
            alike=max(count, len(others)),
        )


def merge_alike(hits: Iterable[HitGroup], limit: int) -> tuple[HitGroup, ...]:
    """Merge near-duplicates, as many as make a page; the order is that of the best of each."""
    kept: list[tuple[HitGroup, frozenset[str]]] = []
    for number, group in enumerate(hits):
        words = frozenset(list_words(group.hit.passage) if number < LIKENESS_HITS_MAX else ())
        at = _find_same(group.hit, words, kept)
        if at is not None:
            first, others = kept[at]
            also = (*first.also, group.hit.doc_id, *group.also)
            kept[at] = replace(first, also=also, alike=first.alike + group.alike + 1), others
        elif len(kept) == limit:
            break
        else:
            kept.append((group, words))
    return tuple(group for group, _ in kept)


def says_same(one: Hit, other: Hit) -> bool:
    """Tell whether two hits say the same."""
    mine, theirs = (frozenset(list_words(each.passage)) for each in (one, other))
    return _says_same(other, one, theirs, mine)


def _find_same(
    hit: Hit, words: frozenset[str], kept: Sequence[tuple[HitGroup, frozenset[str]]]
) -> int | None:
    same = (
        at for at, (group, others) in enumerate(kept) if _says_same(group.hit, hit, others, words)
    )
    return next(same, None)


def _says_same(first: Hit, second: Hit, one: frozenset[str], other: frozenset[str]) -> bool:
    if first.doc_type != second.doc_type or not _is_same(one, other):
        return False
    return not asks_another(first.passage, second.passage)


def _is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    mine, theirs = len(one), len(other)
    if mine < _WORDS_MIN or mine < SAME_SHARE * theirs or theirs < SAME_SHARE * mine:
        return False
    return overlap(one, other, least=SAME_SHARE) > 0
