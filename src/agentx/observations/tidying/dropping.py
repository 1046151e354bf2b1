"""What a person dropped, and what that teaches: its like is not kept again.

    drop    noted on record, in the list --> out of overviews --> out of the store, into the archive
    undrop  noted on record, in the list --> out of the archive, into the store --> off the list

The text lies in the archive until it is brought back or forgotten. The list holds traces only:
what is forgotten is still recognised and can no longer be read. A kill between two steps is
finished by the next `agentx sync`, or by saying the same again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from agentx.kernel.clock import Millis
from agentx.kernel.errors import ConflictError, InvalidValue, LimitError, NotFound
from agentx.kernel.ids import is_ulid, ulid_ms
from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.values import frozen
from agentx.observations.ids import parse_observation_id, shorten_id
from agentx.observations.limits import (
    OBSERVATIONS_DROPPED_MAX,
    OBSERVATIONS_KEPT_OUT_NAMED_MAX,
    OBSERVATIONS_UNSAID_MAX,
)
from agentx.observations.model import (
    Category,
    DropList,
    Dropped,
    Marking,
    Observation,
    SearchFilters,
)
from agentx.observations.port import ObservationStore
from agentx.observations.tidying.overviews import is_overview, leave_out, recognise
from agentx.observations.tidying.said import Meaning, read_observed, read_said
from agentx.observations.tidying.traces import leave_trace, match_trace
from agentx.redaction.redact import redact

_SEE = "see `agentx memory dropped`"


@frozen
class Sifted:
    """What may be kept of some observations, and how many are like what a person dropped."""

    kept: tuple[Observation, ...]
    kept_out: int


def drop(store: ObservationStore, observation: Observation, *, why: str, at_ms: Millis) -> Dropped:
    """Take an observation out and keep its like out from now on.

    Raises: LimitError, LockHeld, UnavailableError.
    """
    with store.drops.changing() as listed:
        if len(listed.dropped) >= OBSERVATIONS_DROPPED_MAX:
            raise LimitError(
                f"{OBSERVATIONS_DROPPED_MAX:,} memories are dropped already",
                hint="undrop some, or take this one away with `agentx memory remove`",
            )
        olds = (store.get_archived(each) for each in observation.sources)
        said = [observation, *(old for old in olds if old is not None)]
        traces = (leave_trace(read_observed(each), listed.salt) for each in said)
        known = listed.dropped.get(observation.id)
        noted = Dropped(
            id=observation.id,
            at_ms=known.at_ms if known else at_ms,
            why=redact(why).strip(),
            traces=tuple(dict.fromkeys(traces)),
            kept_out=known.kept_out if known else (),
        )
        store.note_dropped((observation.id,))
        listed.dropped[observation.id] = noted
        _note_unsaid(listed, said)
    _cut_overviews(store, said)
    store.put_away((observation.id,))
    return noted


def _cut_overviews(store: ObservationStore, dropped: Sequence[Observation]) -> None:
    """Take the words of what was dropped out of what sums up sessions."""
    is_dropped = recognise(each for each in dropped if not is_overview(each))
    rows = store.search_by_filters(SearchFilters(category=Category.COMPACTION_SUMMARY))
    markings, empty = [], []
    for one in store.get_by_ids(row.id for row in rows):
        now = leave_out(one, is_dropped)
        if now is None:
            empty.append(one.id)
        elif now is not one:
            said = Marking(id=one.id, content=now.content, summary=now.summary, cut=True)
            markings.append(said)
    if markings:
        store.mark(markings)
    if empty:
        store.put_away(empty)


def leave_unsaid(store: ObservationStore, observation: Observation) -> None:
    """Note that nobody is told any more what an observation says, before it is removed.

    Of one that was dropped goes the reason, too.

    Raises: LockHeld, UnavailableError.
    """
    olds = (store.get_archived(each) for each in observation.sources)
    said = [one for one in (observation, *olds) if one is not None and one.event_ids]
    if said:  # what was written by hand no session said
        with store.drops.changing() as listed:
            _note_unsaid(listed, said)
    blot_out(store, (observation.id, *observation.sources))


def keep_unsaid(store: ObservationStore, ids: Iterable[str]) -> None:
    """Note of observations that were removed, and that the list knows nothing of, that they were.

    Raises: LockHeld, UnavailableError.
    """
    new = frozenset(ids) - store.drops.read().unsaid.keys()
    if new:
        with store.drops.changing() as listed:
            for each in sorted(new):
                listed.unsaid.setdefault(each, ())


def _note_unsaid(listed: DropList, observations: Iterable[Observation]) -> None:
    for each in observations:
        listed.unsaid.pop(each.id, None)
        listed.unsaid[each.id] = each.event_ids
    for oldest in list(listed.unsaid)[:-OBSERVATIONS_UNSAID_MAX]:
        del listed.unsaid[oldest]


def list_unsaid(store: ObservationStore) -> frozenset[Millis]:
    """Return the moments at which was said what a person dropped or removed, and its like."""
    listed = store.drops.read()
    events = chain.from_iterable(listed.unsaid.values())
    kept_out = chain.from_iterable(
        (each.id, *each.kept_out) for each in listed.dropped.values() if not each.is_returning
    )
    names = chain(listed.unsaid, kept_out)
    return frozenset(chain(_list_times(names), list_moments(events)))


def list_moments(event_ids: Iterable[str]) -> Iterator[Millis]:
    """Yield when events happened, as their ids say."""
    return (ulid_ms(event) for event in event_ids if is_ulid(event))


def _list_times(names: Iterable[str]) -> Iterator[Millis]:
    for name in names:
        with suppress(InvalidValue):  # the list can be edited by hand
            yield parse_observation_id(name).timestamp_ms


def undrop(store: ObservationStore, observation_id: str) -> tuple[Dropped, bool]:
    """Bring a dropped one back; return what was noted of it, and whether its text is still there.

    Raises: NotFound, LockHeld, UnavailableError.
    """
    with store.drops.changing() as listed:
        noted = listed.dropped.get(observation_id)
        if noted is None:
            if not store.is_taken_away(observation_id):
                raise NotFound(f"{observation_id}: nobody dropped it", hint=_SEE)
            noted = Dropped(id=observation_id, at_ms=Millis(0))
        store.note_dropped((observation_id,), is_dropped=False)
        listed.dropped[observation_id] = replace(noted, is_returning=True)
    return noted, _bring_back(store, observation_id)


def finish_drops(store: ObservationStore) -> None:
    """Do what somebody who died left undone."""
    listed = store.drops.read().dropped
    for each in [one.id for one in listed.values() if one.is_returning]:
        _bring_back(store, each)
    left = store.get_by_ids(one.id for one in listed.values() if not one.is_returning)
    if left:
        _cut_overviews(store, left)
        store.put_away([each.id for each in left])


def _bring_back(store: ObservationStore, observation_id: str) -> bool:
    store.bring_back((observation_id,))
    found = store.get_by_id(observation_id)
    with store.drops.changing() as listed:
        listed.dropped.pop(observation_id, None)
        for name in (observation_id, *(found.sources if found else ())):
            listed.unsaid.pop(name, None)
    return found is not None


def sift(store: ObservationStore, observations: Sequence[Observation]) -> Sifted:
    """Part what a session taught from what is like something a person dropped, and count that.

    So it is with what they removed, when the session is captured anew: it has the same id then.
    What a person says themselves is no session's.
    """
    listed = store.drops.read()
    if not (listed.dropped or listed.unsaid):
        return Sifted(kept=tuple(observations), kept_out=0)
    kept: list[Observation] = []
    gone: list[Observation] = []
    out: dict[str, list[str]] = {}
    for each in observations:
        like = _find_like(listed, each)
        if each.pinned or each.agent == PERSON_ROLE or not (like or each.id in listed.unsaid):
            kept.append(each)
            continue
        gone.append(each)
        if like is not None:
            out.setdefault(like.id, []).append(each.id)
    kept = list(_thin_overviews(kept, gone, listed))
    if out:
        with store.drops.changing() as listed:
            for name, ids in out.items():
                if name in listed.dropped:
                    noted = listed.dropped[name]
                    names = tuple(dict.fromkeys((*noted.kept_out, *ids)))
                    listed.dropped[name] = replace(
                        noted, kept_out=names[-OBSERVATIONS_KEPT_OUT_NAMED_MAX:]
                    )
    return Sifted(kept=tuple(kept), kept_out=sum(map(len, out.values())))


def _thin_overviews(
    kept: Iterable[Observation], gone: Sequence[Observation], listed: DropList
) -> Iterator[Observation]:
    """Yield what is kept, and of what sums it up only what it says of that."""
    is_gone = recognise(gone)

    def is_dropped(line: str) -> bool:
        # What a person wanted is asked in the same words, without whose they are.
        said = (line, f"The user said: {line}")
        return is_gone(line) or any(_match_any(listed, read_said(one)) for one in said)

    for each in kept:
        if not is_overview(each) or each.is_written:
            yield each
            continue
        now = leave_out(each, is_dropped)
        if now is not None:
            yield now


def _find_like(listed: DropList, observation: Observation) -> Dropped | None:
    """Return the dropped one that says the same, if there is one."""
    return _match_any(listed, read_observed(observation))


def _match_any(listed: DropList, said: Meaning) -> Dropped | None:
    trace = leave_trace(said, listed.salt)
    for noted in listed.dropped.values():
        if not noted.is_returning and any(match_trace(trace, each) for each in noted.traces):
            return noted
    return None


def blot_out(store: ObservationStore, forgotten: Iterable[str]) -> None:
    """Leave no word of forgotten observations in the list; what they taught stays."""
    gone = frozenset(forgotten)
    listed = store.drops.read()
    if any(each.why and each.id in gone for each in listed.dropped.values()):
        with store.drops.changing() as listed:
            for name, noted in listed.dropped.items():
                if name in gone:
                    listed.dropped[name] = replace(noted, why="")


def find_dropped(store: ObservationStore, short_id: str) -> tuple[str, ...]:
    """Return the ids of what was dropped that a short one may mean."""
    return tuple(each for each in store.drops.read().dropped if shorten_id(each) == short_id)


def refuse_dropped(store: ObservationStore, observation_id: str) -> None:
    """Say of one that cannot be changed that a person dropped it.

    Raises: ConflictError.
    """
    if observation_id in store.drops.read().dropped:
        raise ConflictError(
            f"{observation_id} was dropped",
            hint=f"bring it back with `agentx memory undrop {observation_id}`",
        )
