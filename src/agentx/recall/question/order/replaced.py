"""What was overturned stands behind what overturned it, and says by what it was.

    "retry 5 times every 30 seconds"  --kept as-->  a memory  --replaced by-->  another one
    "keys are kept for 24 hours"      <--taken back by--  "7 days. 24 hours was wrong."

What was said first is often said best: it names every word of a question, and what took its place
may name few. So it lends its place to that, and stands behind. A session that overturned something
may have said what is left of it, and that may have fallen since: what made it fall comes too.

Laws: nothing is called replaced but by the memory that was kept of it, or by a figure that somebody
took back in so many words. Nothing that was found is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from agentx.kernel.values import frozen
from agentx.prose.likeness import coverage
from agentx.prose.settling.amounts import Measured, list_measures, list_taken_back
from agentx.recall.question.rank import Ranked
from agentx.search.analysis import terms
from agentx.search.document import Filters, Trait
from agentx.search.text.evidence import Evidence, add_documents
from agentx.search.text.index import Kept, Reading, Ties

_SUPERSEDED, _DRAWN = int(Trait.SUPERSEDED), int(Trait.DRAWN)
_UNSAID = int(Trait.ACT | Trait.TOOL)
_MEMORIES = ("observation",)
# What was overturned may say more than what was kept of it.
_FALLS_TO = 0.75
_ABOVE = 1.001
_STEPS_MAX = 8
# Who takes a figure back speaks of what is asked for: of its words so many.
_LOOKED_AT = 40
_SAME_SHARE = 0.5


@frozen
class Grounds:
    """Where it is looked up what became of something."""

    evidence: Evidence
    reading: Reading
    filters: Filters
    asked: frozenset[str]
    read: Callable[[Ranked], str]  # opens a passage


@frozen(kw_only=False)
class Overturned:
    """The order that is left, and by the key of what was overturned the id of what did it."""

    ranked: tuple[Ranked, ...]
    by: Mapping[int, str]


@frozen(kw_only=False)
class _Memory:
    """What was kept of something, as far as it matters here."""

    kept: Kept
    ties: Ties
    passage: str

    @property
    def words(self) -> frozenset[str]:
        """Its terms: few memories are compared by them."""
        return frozenset(terms(self.passage))

    @property
    def is_gone(self) -> bool:
        """Whether it was replaced."""
        return bool(self.kept.traits & _SUPERSEDED)


def put_replaced_behind(ranked: tuple[Ranked, ...], grounds: Grounds, limit: int) -> Overturned:
    """Put what was overturned behind what did it."""
    top = ranked[: 2 * limit]
    by: dict[int, str] = {}
    places = {each.candidate.key: each for each in ranked}
    scores = {key: each.score for key, each in places.items()}
    for key, gone in _list_gone(top, grounds):
        newest = _follow(gone, grounds)
        if newest is None or key in newest.ties.drawn_from:
            continue
        by[key] = newest.ties.doc_id
        leading = (newest, *_list_leading_on(gone, newest, grounds))
        for step, memory in enumerate(leading, 1):
            own = _choose_row(memory, grounds, places)
            if own is not None and own != key:
                best = places[key].score * (1 + (_ABOVE - 1) * step)
                scores[own] = max(scores.get(own, 0.0), best)
    for key, name, row in _list_taken_back(ranked, top, grounds):
        if key not in by:
            by[key] = name
            scores[row] = max(scores[row], places[key].score * _ABOVE)
    if not by:
        return Overturned(ranked, {})
    for key in by:
        scores[key] = min(scores[key], _FALLS_TO * places[key].score)
    order = [
        each if scores[key] == each.score else replace(each, score=scores[key])
        for key, each in places.items()
    ]
    order.sort(key=lambda each: -each.score)
    return Overturned(tuple(order), by)


def _list_gone(top: Sequence[Ranked], grounds: Grounds) -> Iterator[tuple[int, _Memory]]:
    """Yield the rows of which the closest memory was replaced, each with that memory."""
    said = [each.candidate.key for each in top if not each.candidate.traits & _DRAWN]
    near = Filters(doc_types=_MEMORIES, projects=grounds.filters.projects)
    # Much is made of what was said, and little of it was replaced: the rest is not even opened.
    gone = {kept.key: _open(grounds, kept) for kept in grounds.reading.find_replaced(said, near)}
    sources = {source for memory in gone.values() for source in memory.ties.drawn_from}
    of_rows: dict[int, list[_Memory]] = {key: [] for key in said if key in sources}
    for kept in grounds.reading.find_made_of(tuple(of_rows), near):
        memory = gone.get(kept.key) or _open(grounds, kept)
        for source in memory.ties.drawn_from:
            of_rows.get(source, []).append(memory)
    for each in top:
        key, place = each.candidate.key, each.candidate.place
        if each.candidate.traits & _SUPERSEDED:  # a memory, of a session or written by hand
            own = Kept(key, each.candidate.session_key, each.candidate.traits, place)
            yield key, _open(grounds, own)
        elif any(memory.is_gone for memory in of_rows.get(key, ())):
            closest = _find_closest(of_rows[key], grounds.asked)
            if closest.is_gone:
                yield key, closest


def _find_closest(memories: Sequence[_Memory], asked: frozenset[str]) -> _Memory:
    """Return the memory that is closest to what was said and asked; one that stands is closer."""
    fewest = min(len(each.ties.drawn_from) for each in memories)
    near = [each for each in memories if len(each.ties.drawn_from) == fewest]
    if len(near) == 1:
        return near[0]  # its words need not be read
    return min(near, key=lambda each: (-coverage(asked, each.words), each.is_gone))


def _open(grounds: Grounds, kept: Kept) -> _Memory:
    ties, passage = grounds.reading.open_tied(kept.place)
    return _Memory(kept, ties, passage)


def _follow(gone: _Memory, grounds: Grounds) -> _Memory | None:
    """Return what holds now instead of a memory, if it is known."""
    newest: _Memory | None = None
    by = gone.ties.superseded_by
    for _ in range(_STEPS_MAX):
        kept = grounds.reading.find_kept_at(by) if by else None
        if kept is None:
            break
        newest = _open(grounds, kept)
        by = newest.ties.superseded_by
    return newest


def _list_leading_on(gone: _Memory, newest: _Memory, grounds: Grounds) -> Iterator[_Memory]:
    """Yield what overturned what else the overturning session said of what is asked for."""
    wanted = (grounds.asked & gone.words) - newest.words
    if not wanted:
        return
    near = Filters(doc_types=_MEMORIES, projects=grounds.filters.projects)
    for kept in grounds.reading.find_kept_of(newest.kept.session_key, near):
        beside = _open(grounds, kept) if kept.traits & _SUPERSEDED else None
        later = _follow(beside, grounds) if beside and wanted & beside.words else None
        if later is not None and wanted & later.words:
            yield later
            return


def _choose_row(memory: _Memory, grounds: Grounds, places: dict[int, Ranked]) -> int | None:
    """Return the row that tells a memory: the words that it was made of, or else itself."""
    wanted = (*memory.ties.drawn_from, memory.kept.key)
    missing = [key for key in wanted if key not in grounds.evidence.candidates]
    if missing:
        add_documents(grounds.evidence, grounds.reading, missing, grounds.filters)
    for key in wanted:
        found = grounds.evidence.candidates.get(key)
        if found is not None and not found.traits & _UNSAID:
            places.setdefault(key, Ranked(found, 0.0, 0.0, 0.0))
            return key
    return None


def _list_taken_back(
    ranked: Sequence[Ranked], top: Sequence[Ranked], grounds: Grounds
) -> Iterator[tuple[int, str, int]]:
    """Yield the rows of figures that were taken back: each with the id and row of what did it."""
    rows = [(each, grounds.read(each)) for each in top[: (len(top) + 1) // 2]]
    named = frozenset().union(*(list_measures(text) for _, text in rows))
    if not named:
        return
    taken: dict[Measured, Ranked] = {}
    for each in ranked[:_LOOKED_AT]:
        if each.candidate.traits & (_UNSAID | _DRAWN):
            continue
        text = grounds.read(each)
        back = list_taken_back(text) & named
        if back and _is_asked(text, grounds):
            for one in back:
                taken.setdefault(one, each)
    if not taken:
        return
    rows = [(each, grounds.read(each)) for each in top]
    # Of what is asked for: what was said of it, and what else was said of the figure then.
    sessions = {
        each.candidate.session_key
        for each, text in rows
        if list_measures(text) & taken.keys() and _is_asked(text, grounds)
    }
    for each, text in rows:
        for one in list_measures(text):
            by = taken.get(one)
            if (
                by is not None
                and by.candidate.timestamp_ms > each.candidate.timestamp_ms
                and by.candidate.session_key != each.candidate.session_key
                and each.candidate.session_key in sessions
            ):
                hit = grounds.reading.hit(by.candidate.place, 0.0)
                yield each.candidate.key, hit.doc_id, by.candidate.key
                break


def _is_asked(text: str, grounds: Grounds) -> bool:
    return coverage(grounds.asked, frozenset(terms(text))) >= _SAME_SHARE
