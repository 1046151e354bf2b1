"""The same error in another session is one memory, and says when it was seen again.

    `make test` failed: the database refuses connections
    Again on 5 November 2026 and 9 November 2026: the third time.

What was seen again is not kept a second time: its id, which holds its time, is added to the first.
The first is the one that happened first, whichever session was captured first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.text import compile_late, preview
from agentx.kernel.values import frozen
from agentx.observations.ids import parse_observation_id
from agentx.observations.limits import (
    OBSERVATION_REPEATS_MAX,
    OBSERVATION_SUMMARY_CHARS_MAX,
)
from agentx.observations.model import Category, Marking, Observation, SearchFilters
from agentx.observations.port import ObservationStore
from agentx.observations.tidying.said import read_observed, read_said, say_same
from agentx.prose.keyphrases import code_names

_SAME = 0.6  # of the words of two errors, what they share when they are one
_SAME_ERROR = 0.8  # where it is known which of these are the error's own
_ERROR_TERMS_MIN = 3  # fewer say only that something failed
_FAILED = compile_late(r"\A`.+?` failed[^:\n]*: (?P<error>.+?)(?:; |\n|\Z)")
_OPEN = "Not seen fixed"
_LOOKED_AT_MAX = 10
_DAYS_TOLD_MAX = 4
_AGAIN = compile_late(r"\nAgain on [^\n]+\Z")
_TIMES = compile_late(r" \(\d+ times\)\Z")
_ORDINALS = ("third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


@frozen
class Sorted:
    """What is new, and what was seen before."""

    fresh: tuple[Observation, ...]
    again: tuple[tuple[str, str], ...]  # the id of the known one, the id of the new one
    unbound: frozenset[str] = frozenset()  # known ones of which the new one is on another branch


def find_repeats(store: ObservationStore, observations: Sequence[Observation]) -> Sorted:
    """Part what is new from errors that another session had already."""
    fresh: list[Observation] = []
    again: list[tuple[str, str]] = []
    unbound: set[str] = set()
    for each in observations:
        known = _find_known(store, each) if each.category is Category.ERROR else None
        if known is None:
            fresh.append(each)
            continue
        again.append((known.id, each.id))
        if known.branch and known.branch != each.branch:
            unbound.add(known.id)
    return Sorted(fresh=tuple(fresh), again=tuple(again), unbound=frozenset(unbound))


def join_later(store: ObservationStore, kept: Iterable[Observation]) -> tuple[str, ...]:
    """Let errors that stand tell of later ones that were captured before them; return whose ids.

    What a person said or looked after stays as it is.
    """
    gone: list[str] = []
    errors = [each.id for each in kept if each.category is Category.ERROR]
    for first in store.get_by_ids(errors):
        if first.superseded_by:
            continue  # what came after it was mended came back
        later = [one for one in _list_same(store, first) if one.timestamp_ms > first.timestamp_ms]
        later = [one for one in later if not _is_looked_after(one)]
        unbound = any(one.branch != first.branch for one in later) and bool(first.branch)
        ids = [(first.id, each) for one in later for each in (one.id, *one.repeats)]
        add_repeats(store, ids, frozenset({first.id}) if unbound else frozenset())
        gone += [one.id for one in later]
    return store.forget(gone) if gone else ()


def _is_looked_after(one: Observation) -> bool:
    is_persons = one.agent == PERSON_ROLE
    return is_persons or one.pinned or one.reviewed or bool(one.mended_ms)


def _find_known(store: ObservationStore, observation: Observation) -> Observation | None:
    if store.get_by_id(observation.id) is not None:
        return None  # captured before, by somebody who died then
    earlier = (
        known
        for known in _list_same(store, observation)
        if known.timestamp_ms <= observation.timestamp_ms and not _mends(observation, known)
    )
    return next(earlier, None)


def _mends(observation: Observation, known: Observation) -> bool:
    """Tell whether one tells what mended the other: it replaces that, and is not it again."""
    return _OPEN in known.content and _OPEN not in observation.content


def _list_same(store: ObservationStore, observation: Observation) -> Iterator[Observation]:
    """Yield the errors of other sessions that stand and say the same."""
    rows = store.search(observation.summary, _LOOKED_AT_MAX)
    ids = [row.id for row in rows if row.category is Category.ERROR and not row.superseded_by]
    for known in store.get_by_ids(ids):
        other = known.session_id != observation.session_id and not known.sources
        if other and _is_same(observation, known):
            yield known


def _is_same(one: Observation, other: Observation) -> bool:
    """Tell whether two errors are one: the same failed, whichever command met with it."""
    first, second = _FAILED.match(one.content), _FAILED.match(other.content)
    if first and second:
        errors = [read_said(found["error"]) for found in (first, second)]
        if min(len(each.terms) for each in errors) >= _ERROR_TERMS_MIN:
            return say_same(*errors, least=_SAME_ERROR)
    elif not (first or second) and _name_others(one.content, other.content):
        return False
    return say_same(read_observed(one), read_observed(other), least=_SAME)


def _name_others(one: str, other: str) -> bool:
    """Tell whether each of two texts names code that the other does not: they are of two things."""
    first, second = frozenset(code_names(one)), frozenset(code_names(other))
    return bool(first - second and second - first)


def add_repeats(
    store: ObservationStore,
    again: Iterable[tuple[str, str]],
    unbound: frozenset[str] = frozenset(),
) -> None:
    """Note on known ones that they were seen again, and of which on another branch."""
    by_known: dict[str, tuple[str, ...]] = {}
    for known, new in again:
        by_known[known] = (*by_known.get(known, ()), new)
    if by_known:
        store.mark(
            [
                Marking(id=known, again=ids, unbound=known in unbound)
                for known, ids in by_known.items()
            ]
        )


def list_repeats(store: ObservationStore, ids: Iterable[str]) -> frozenset[str]:
    """Return the ids of what some observations were seen again as."""
    return frozenset(each for one in store.get_by_ids(ids) for each in one.repeats)


def drop_repeats(store: ObservationStore, forgotten: Iterable[str]) -> None:
    """Let those that stay no longer say that they were seen again when that is forgotten."""
    gone = frozenset(forgotten)
    rows = store.search_by_filters(SearchFilters(category=Category.ERROR))
    held = [row.id for row in rows if gone.intersection(row.repeats)]
    if held:
        store.mark([Marking(id=each, not_again=tuple(sorted(gone))) for each in held])


def join_ids(repeats: Sequence[str], marking: Marking) -> tuple[str, ...]:
    """Return what something was seen again as, once a marking is made."""
    joined = {*repeats, *marking.again}.difference(marking.not_again)
    return tuple(sorted(joined, key=_time_of)[-OBSERVATION_REPEATS_MAX:])


def say_again(content: str, summary: str, repeats: Sequence[str]) -> tuple[str, str]:
    """Return both texts with the days on which it was seen again, and without older such words."""
    content, summary = strip_again(content), _TIMES.sub("", summary)
    if not repeats:
        return content, summary
    days = sorted({_time_of(each)[0] // 86_400_000 for each in repeats})
    times = len(repeats) + 1
    count = f": the {_spell(times)} time" if times > 2 else ""
    tail = f" ({times} times)"
    head = preview(summary, OBSERVATION_SUMMARY_CHARS_MAX - len(tail))
    return f"{content}\nAgain on {_spell_days(days)}{count}.", head + tail


def strip_again(content: str) -> str:
    """Return a text without the line that says when it was seen again."""
    return _AGAIN.sub("", content)


def _time_of(observation_id: str) -> tuple[int, str]:
    return int(parse_observation_id(observation_id).timestamp_ms), observation_id


def _spell(times: int) -> str:
    return _ORDINALS[times - 3] if times - 3 < len(_ORDINALS) else f"{times}th"


def _spell_days(days: Sequence[int]) -> str:
    told = [datetime.fromtimestamp(day * 86_400, tz=UTC) for day in days[-_DAYS_TOLD_MAX:]]
    said = [f"{each.day} {each:%B %Y}" for each in told]
    earlier = [f"{len(days) - len(told)} earlier days"] if len(days) > len(told) else []
    *first, last = (*earlier, *said)
    return f"{', '.join(first)} and {last}" if first else last
