"""What sessions left open, held against what later ones did, whichever was captured first."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from agentx.conversation.model import Event
from agentx.exchanges.turns import Turn
from agentx.kernel.values import frozen
from agentx.observations.closing.doings import Deeds, Doings, Passed, WorkedOut
from agentx.observations.closing.done import (
    find_done,
    find_rest,
    holds_apart,
    mark_done,
    may_have_changed,
)
from agentx.observations.closing.failures import find_mended, find_mending, tell_mended
from agentx.observations.closing.said_again import find_said_again
from agentx.observations.model import Category, Observation
from agentx.observations.port import ObservationStore
from agentx.views.limits import CAPTURE_IN_ORDER_MAX
from agentx.views.sessions.findings import observation_of
from agentx.views.sessions.issue_of import branches_of
from agentx.views.store import CaptureIntent

_PASSED_MAX = 4_000


@frozen
class _Later:
    """What a session did that was captured before those that came before it."""

    branch: str
    deeds: Deeds
    by: str  # what it taught


class OpenEnds:
    """Closes what was left open. Of many sessions the newest are captured first: what passed and
    what was done in these is remembered for those before them, while the process runs."""

    def __init__(self) -> None:
        self.remembers = False
        self._passed: deque[tuple[str, frozenset[str], Passed]] = deque(maxlen=_PASSED_MAX)
        self._mended: dict[str, Observation] = {}  # by the id of what tells so now
        self._later: list[_Later] = []
        self._doings = Doings(())

    def look(
        self,
        store: ObservationStore,
        made: Sequence[Observation],
        read: tuple[Sequence[Turn], Sequence[Event], CaptureIntent],
        known: WorkedOut | None = None,
    ) -> tuple[Observation, ...]:
        """Return what was made of a session, with what it and later ones mended.

        `known`: what it did, where that was worked out.
        """
        turns, events, intent = read
        self._doings, self._mended = Doings(turns, known), {}
        session = events[0].session_id if events else ""
        branches = frozenset(branches_of(events))
        own = [self._close(one, session, branches) for one in made]
        if self.remembers:
            self._passed.extend((session, branches, one) for one in self._doings.passed)
        for old, finding in find_mended(store, self._doings).values():
            if old.branch and old.branch not in branches:
                continue
            told = _find_told(own, old)
            if told is None:
                told = observation_of(finding, events[0], intent, "")
                own.append(told)
            self._mended[told.id] = old
        return tuple(own)

    def mark(self, store: ObservationStore, kept: Sequence[Observation]) -> tuple[Observation, ...]:
        """Mark what the session looked at last has closed; return what is left of lists by that."""
        by_id = {one.id: one for one in kept}
        told = [(old, new) for new, old in self._mended.items() if new in by_id]
        for old, new in told:
            mark_done(store, [(old, "")], new)
        if not kept:
            return ()
        branch, session = kept[0].branch, kept[0].session_id
        newest = max(kept, key=lambda one: (one.category is Category.CODE_CHANGE, one.timestamp_ms))
        done = find_done(
            store,
            self._doings,
            branch=branch,
            session_id=session,
            mended={old.session_id for old, _ in told},
        )
        left = mark_done(store, list(done), newest.id)
        for again, last in list(find_said_again(store, kept)):
            mark_done(store, [(again, "")], last)
        self._mark_done_later(store, kept)
        if self.remembers and len(self._later) < CAPTURE_IN_ORDER_MAX:
            deeds = self._doings.deeds
            self._later.append(_Later(branch=branch, deeds=deeds, by=newest.id))
        return left

    def _mark_done_later(self, store: ObservationStore, kept: Sequence[Observation]) -> None:
        """Mark what a session left open and later ones, captured before it, have done."""
        left = [
            one.id
            for one in kept
            if any(may_have_changed(one.content, later.deeds) for later in self._later)
        ]
        standing = [one for one in store.get_by_ids(left) if not one.superseded_by] if left else []
        for later in sorted(self._later, key=lambda one: one.deeds.begun_ms):
            for one in tuple(standing):
                is_apart = holds_apart(one, later.branch)
                rest = one.content if is_apart else find_rest(one, later.deeds)
                if rest != one.content:
                    standing.remove(one)
                    standing += mark_done(store, [(one, rest)], later.by)

    def _close(self, one: Observation, session: str, branches: frozenset[str]) -> Observation:
        """Return a failure with what mended it in a session that was captured before."""
        if one.category is not Category.ERROR or not self._passed:
            return one
        later = [
            passed
            for other, elsewhere, passed in self._passed
            if other != session and not (branches and branches.isdisjoint(elsewhere))
        ]
        by = find_mending(one.content, one.timestamp_ms, sorted(later, key=lambda run: run.at_ms))
        if by is None:
            return one
        content = tell_mended(one.content, by)
        return replace(one, content=content, summary=content)


def _find_told(made: Sequence[Observation], old: Observation) -> Observation | None:
    """Return what a session itself tells of a failure that it had before and mended."""
    lead = old.content.split("; ", 1)[0]
    return next(
        (
            one
            for one in made
            if one.category is Category.ERROR
            and one.content.startswith(lead)
            and "Not seen fixed" not in one.content
        ),
        None,
    )
