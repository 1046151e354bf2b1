"""Marks in the store what was captured took back, whatever the issue it was learnt for.

What a person pinned is left alone: it is told because somebody wants it to be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from agentx.kernel.text import compile_late
from agentx.observations.labels import FIXED_BY, LABELS
from agentx.observations.model import Category, Observation, SearchFilters
from agentx.observations.port import ObservationStore
from agentx.observations.tidying.lists import open_lists, take_apart
from agentx.observations.validity.choices.ruled import find_standing, is_ruled
from agentx.observations.validity.choices.since_then import (
    find_since,
    may_change_part,
    tell_since,
)
from agentx.observations.validity.given_up import list_given_up, list_left_plainly
from agentx.observations.validity.open_ends import is_uncommitted
from agentx.observations.validity.reading import Comparable, compare_observed, compare_row
from agentx.observations.validity.resting import leave_claim, rests_on
from agentx.observations.validity.rewording import reword
from agentx.observations.validity.supersede import (
    find_hashes,
    find_superseded,
    is_overturned,
    is_revert,
    list_sought,
)
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import coverage

# The newest that stand; older ones are looked at when everything is verified.
_LOOKED_AT_MAX = 500
_FOUND_MAX = 20
_SESSION_MS = 24 * 60 * 60 * 1000  # what a session taught lies so close together
_HASH_CHARS = 7
_HASH = compile_late(r"\(?\b[0-9a-f]{7,40}\b\)?")
_FIRST = compile_late(r"(?<=[.!?;])\s+|\n+")
_COMMITTED = compile_late(r" \(commit |;|\n")
_NAMED = compile_late(r"\b(?:[A-Z]{2,}\d*|[A-Z][a-z]+[A-Z]\w*|[a-z]+_\w+)\b")
_ADVICE_CHARS = 60
_SUBJECT_TERMS_MIN = 3  # fewer are those of many decisions
_SAME_WORK = 0.75
_SAME_CLAIM = 0.6


def mark_superseded(
    store: ObservationStore,
    kept: Sequence[Observation],
    may_replace: Callable[[Observation, Observation], bool] = lambda _new, _old: True,
) -> int:
    """Mark what new observations replaced; return how many.

    A session that is imported late may itself have been replaced by then. `may_replace` is asked
    about each that is new and what it would replace.
    """
    if not kept:
        return 0
    filters = SearchFilters(superseded=False, pinned=False, limit=_LOOKED_AT_MAX)
    rows = [compare_row(row) for row in store.search_by_filters(filters)]
    mine = {one.id for one in kept}
    oldest = min(one.timestamp_ms for one in kept)
    newer = mine | {row.id for row in rows if row.at_ms > oldest}
    fresh = [compare_observed(one) for one in kept]
    others = (row for row in rows if row.id not in mine)
    loose = find_superseded([*fresh, *others], by=newer, about=mine)
    # A row is short, and says neither its session nor its files: who may be concerned is opened.
    named = {each for pair in loose for each in pair}.union(mine)
    named.update(row.id for row in rows if is_uncommitted(row.text))
    for words in dict.fromkeys(chain.from_iterable(map(list_sought, fresh))):
        named.update(row.id for row in store.search(words, _FOUND_MAX) if not row.pinned)
    found, lists = open_lists(store.get_by_ids(named))
    standing = [one for one in found.values() if not one.superseded_by]
    pairs = find_superseded(map(compare_observed, standing), by=newer, about=mine)
    by_old = {old: new for old, new in pairs if may_replace(found[new], found[old])}
    gone = [(found[old], found[new]) for old, new in by_old.items()]
    for one, by in chain(_find_built_on(store, rows, gone), _find_following(store, rows, gone)):
        found.setdefault(one.id, one)
        by_old.setdefault(one.id, by)
    take_apart(store, lists, by_old)
    _keep_standing(store, found, by_old)
    store.amend([replace(found[old], superseded_by=new) for old, new in by_old.items()])
    _add_since(store, (fresh, rows), by_old, may_replace)
    _let_stand_again(store, (found[old] for old in by_old))
    return len(by_old)


def _keep_standing(
    store: ObservationStore, found: Mapping[str, Observation], by_old: dict[str, str]
) -> None:
    """Keep what stands of rulings of which only a part was replaced, in their own words."""
    for old, new in list(by_old.items()):
        mine = compare_observed(found[new]) if new in found else None
        theirs = compare_observed(found[old])
        if mine is None:
            continue
        if is_ruled(theirs):
            rest = find_standing(theirs.text, partial(_falls, mine, theirs), mine.text)
        else:
            rest = _find_rest_of_fact(theirs, mine)
        if rest:
            left = reword(found[old], rest)
            store.store([left])
            by_old[old] = left.id


def _find_rest_of_fact(fact: Comparable, by: Comparable) -> str:
    """Return what a fact says beside that something is taken that was given up."""
    if fact.category is not Category.KEY_FACT:
        return ""
    left = list_given_up(by.text, by.category)
    if not rests_on(left, fact.text, fact.category, by.text):
        return ""
    return leave_claim((*left, *list_left_plainly(by.text)), fact.text)


def _falls(new: Comparable, old: Comparable, part: str) -> bool:
    return bool(find_superseded([new, replace(old, text=part)], by={new.id}))


def _add_since(
    store: ObservationStore,
    told: tuple[Sequence[Comparable], Sequence[Comparable]],
    gone: Mapping[str, str],
    may_replace: Callable[[Observation, Observation], bool],
) -> None:
    """Tell what stands of a memory with what a newer one says of a part of it.

    `told`: what is new, and what is known.
    """
    fresh, rows = told
    mine = {one.id for one in fresh}
    known = [row for row in rows if row.id not in mine]
    pairs = [(new, old) for new in fresh if may_change_part(new) for old in (*known, *fresh)]
    pairs += [(new, old) for new in known if may_change_part(new) for old in fresh]
    said: dict[str, tuple[str, str]] = {}
    for new, old in pairs:
        if old.id not in gone and old.id not in said and (since := find_since(new, old)):
            said[old.id] = (new.id, since)
    if not said:
        return
    ids = {each for old, (new, _) in said.items() for each in (old, new)}
    found = {one.id: one for one in store.get_by_ids(ids)}
    changed = [
        (found[old], reword(found[old], tell_since(found[old].content, since)))
        for old, (new, since) in said.items()
        if old in found and new in found and may_replace(found[new], found[old])
        if not found[old].superseded_by and not found[old].pinned
    ]
    if changed:
        store.store([after for _, after in changed])
        store.amend([replace(before, superseded_by=after.id) for before, after in changed])


def _find_built_on(
    store: ObservationStore,
    rows: Iterable[Comparable],
    gone: Sequence[tuple[Observation, Observation]],
) -> Iterator[tuple[Observation, str]]:
    """Yield what a session said of its commit that was taken back, decided for it, or mended."""
    reverted = [(old, new) for old, new in gone if is_revert(new.content)]
    for old, by, beside in _list_beside(store, rows, reverted):
        others = [one.timestamp_ms for one in beside if _is_other_commit(one, old)]
        for one in beside:
            # What was mended was recorded by the next commit.
            went_in = one.timestamp_ms <= old.timestamp_ms and not any(
                one.timestamp_ms <= at < old.timestamp_ms for at in others
            )
            is_done = one.timestamp_ms <= old.timestamp_ms and _is_done_by(one, old)
            is_claim = one.timestamp_ms >= old.timestamp_ms and not any(
                old.timestamp_ms < at <= one.timestamp_ms for at in others
            )
            is_done |= is_claim and _is_told_of(one, old)
            is_done |= went_in and _is_advice(one, old)
            if is_done or _names_commit(one, old) or (went_in and _is_mended_by_file(one)):
                yield one, by.id


def _find_following(
    store: ObservationStore,
    rows: Iterable[Comparable],
    gone: Sequence[tuple[Observation, Observation]],
) -> Iterator[tuple[Observation, str]]:
    """Yield what says no more than that something is so, or was done, that was overturned since.

    And what rested on it: who recommended it, and what was built on it.
    """
    overturned = [
        (old, new)
        for old, new in gone
        if is_overturned(compare_observed(new), compare_observed(old))
    ]
    for old, by, beside in _list_beside(store, rows, overturned):
        decided, now = terms(old.content), terms(by.content)
        left = list_given_up(by.content, by.category)
        for one in beside:
            if one.timestamp_ms < by.timestamp_ms and rests_on(
                left, one.content, one.category, by.content
            ):
                yield one, by.id
                continue
            said = _read_following(one)
            if old.category is not Category.DECISION:
                continue
            is_after = old.timestamp_ms < one.timestamp_ms < by.timestamp_ms
            least = _SAME_WORK if one.category is Category.CODE_CHANGE else 1.0
            if is_after and not said <= now and coverage(said, decided) >= least:
                yield one, by.id


def _read_following(one: Observation) -> frozenset[str]:
    """Return the words of what a memory says first, if it may tell what came of a decision."""
    text = _HASH.sub(" ", one.content)
    if one.category is Category.CODE_CHANGE:
        said = terms(_COMMITTED.split(text, maxsplit=1)[0])
    elif one.category is Category.KEY_FACT and not text.startswith(LABELS):
        said = terms(_FIRST.split(text, maxsplit=1)[0])
    else:
        return frozenset()
    return said if len(said) >= _SUBJECT_TERMS_MIN else frozenset()


def _list_beside(
    store: ObservationStore,
    rows: Iterable[Comparable],
    gone: Sequence[tuple[Observation, Observation]],
) -> Iterator[tuple[Observation, Observation, list[Observation]]]:
    """Yield what was replaced and by what, each with what else its session taught."""
    times = [old.timestamp_ms for old, _ in gone]
    near = [row.id for row in rows if any(abs(row.at_ms - at) <= _SESSION_MS for at in times)]
    around = store.get_by_ids(near) if gone else ()
    for old, by in gone:
        beside = [one for one in around if one.session_id == old.session_id and one.id != old.id]
        yield old, by, [one for one in beside if not one.superseded_by]


def _is_other_commit(one: Observation, change: Observation) -> bool:
    made = find_hashes(one.content) if one.category is Category.CODE_CHANGE else []
    return bool(made) and made != find_hashes(change.content)


def _names_commit(one: Observation, change: Observation) -> bool:
    return any(made[:_HASH_CHARS] in one.content for made in find_hashes(change.content))


def _is_mended_by_file(one: Observation) -> bool:
    return one.category is Category.ERROR and FIXED_BY in one.content and bool(one.files)


def _is_told_of(one: Observation, change: Observation) -> bool:
    """Tell whether a fact says first of all that what a commit did is so."""
    if one.category is not Category.KEY_FACT or one.content.startswith(LABELS):
        return False
    done = terms(_COMMITTED.split(change.content, maxsplit=1)[0])
    said = terms(_FIRST.split(one.content, maxsplit=1)[0])
    return len(done & said) > 1 and coverage(said, done) >= _SAME_CLAIM


def _is_advice(one: Observation, change: Observation) -> bool:
    """Tell whether a fact says first of all what a commit then did, by a name of it: "UTC"."""
    if one.category is not Category.KEY_FACT or one.content.startswith(LABELS):
        return False
    names = frozenset(_NAMED.findall(_COMMITTED.split(change.content, maxsplit=1)[0]))
    return bool(names.intersection(_NAMED.findall(one.content[:_ADVICE_CHARS])))


def _is_done_by(one: Observation, change: Observation) -> bool:
    """Tell whether what was decided is what the subject of a commit says was done."""
    done = terms(_COMMITTED.split(change.content, maxsplit=1)[0])
    return (
        one.category is Category.DECISION
        and len(done) >= _SUBJECT_TERMS_MIN
        and coverage(done, terms(one.content)) >= _SAME_WORK
    )


def _let_stand_again(store: ObservationStore, replaced: Iterable[Observation]) -> None:
    """Let what a revert took back stand again where the revert was reverted."""
    gone = {one.id for one in replaced if is_revert(one.content)}
    if not gone:
        return
    rows = store.search_by_filters(SearchFilters(superseded=True))
    ids = [row.id for row in rows if row.superseded_by in gone]
    store.amend([replace(one, superseded_by="") for one in store.get_by_ids(ids)])


def find_replacing(given: Iterable[Observation]) -> dict[str, str]:
    """Return by the id of each that was replaced the id of what replaced it."""
    open_ones = [compare_observed(one) for one in given if not (one.superseded_by or one.pinned)]
    return dict(find_superseded(open_ones))
