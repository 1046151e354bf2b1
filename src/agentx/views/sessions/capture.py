"""From sessions to observations: captured once for each piece of news, whatever happens.

    outbox --> sessions with news --> ended, compacted or quiet? --> intent --> stored --> mark

Nothing is captured twice: a capture that died is done again exactly as it was begun (the
same events, the same issue, so the same ids), and of a session that goes on only what is new
is taken. A session that is still talking is left alone until it ends, its agent CLI compacts
its context, or it falls silent.

Whatever is wrong with the store, capturing skips and says so; it never stands in the way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from threading import RLock
from typing import TYPE_CHECKING

import msgspec

from agentx.conversation.model import Event
from agentx.conversation.store.feed import Feed
from agentx.exchanges.turns import Turn
from agentx.host.crash import CrashPoint, passing
from agentx.kernel.bus import Bus
from agentx.kernel.capture import FINISHED, EventType
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.values import frozen
from agentx.observations.alerts import NOTHING_EXTRACTED
from agentx.observations.events import CaptureSkipped
from agentx.observations.extract.by_model import Judged, SessionCandidate
from agentx.observations.ids import agent_name
from agentx.observations.model import Observation
from agentx.observations.port import ObservationStore
from agentx.observations.tidying.repeats import join_later, list_repeats
from agentx.observations.validity.gone import look_at, mark_gone
from agentx.observations.validity.marking import mark_superseded
from agentx.prose.keyphrases import terms
from agentx.views.limits import (
    CAPTURE_EVENTS_MAX,
    CAPTURE_IN_ORDER_MAX,
    CAPTURE_PASS_MS_MAX,
    CAPTURE_QUIET_MS,
    CAPTURE_SESSIONS_MAX,
    CAPTURE_TAKEN_MAX,
    INDEX_BATCH_EVENTS_MAX,
)
from agentx.views.sessions.ahead import SessionsAhead
from agentx.views.sessions.branches import KnownBranches, bind
from agentx.views.sessions.findings import (
    candidates_of,
    is_other,
    list_told,
    make_observations,
    may_replace,
    observation_of,
    take_note,
)
from agentx.views.sessions.issue_of import branches_of, issue_of
from agentx.views.sessions.open_ends import OpenEnds
from agentx.views.sessions.turns import turns_of
from agentx.views.store import (
    CaptureIntent,
    CaptureMark,
    CaptureMarks,
    WaitingSession,
    is_due,
)

if TYPE_CHECKING:
    from agentx.observations.service import Observations

Judge = Callable[[Sequence[Turn], Sequence[SessionCandidate]], Judged]
MayShow = Callable[[Sequence[Event]], bool]

_CUES = frozenset({EventType.SESSION_END, EventType.COMPACTION})
_FRESH_MS = 60 * 60 * 1000


@frozen
class AtWork:
    """An agent that said that it began with an issue, and has not said that it is done."""

    agent: str
    issue: int
    since_ms: Millis


@frozen
class Rules:
    """How a project's sessions are captured."""

    clock: Clock
    bus: Bus
    issue: int = 0  # where nothing says which
    quiet_ms: int = CAPTURE_QUIET_MS
    look_at: Callable[[str], KnownBranches | None] = lambda _directory: None  # what is there now
    at_work: Callable[[], Sequence[AtWork]] = tuple  # who said so
    ahead: SessionsAhead | None = None  # knows already what some sessions teach


@frozen
class Captured:
    """What one pass did."""

    sessions: int = 0
    observations: int = 0
    waiting: int = 0  # due, and left for the next pass


class Observing:
    """Captures the sessions of one project. One process does."""

    def __init__(
        self,
        source: Feed,
        marks: CaptureMarks,
        room: Callable[[], Observations],
        rules: Rules,
    ) -> None:
        self._source = source
        self._marks = marks
        self._room = room
        self._rules = rules
        self._lock = RLock()
        self._open_ends = OpenEnds()

    def catch_up(self, limit: int = CAPTURE_SESSIONS_MAX) -> Captured:
        """Capture the sessions that are due, at most `limit` of them, in the order of `_order`."""
        with self._lock:
            self._read_news()
            now_ms = self._rules.clock.now_ms()
            due = [
                (waiting.newest_ms, ref)
                for ref, waiting in self._marks.waiting()
                if is_due(waiting, now_ms, self._rules.quiet_ms)
            ]
            if not due:
                return Captured()
            room = self._room()
            if not room.is_enabled:
                return Captured()
            counts: list[int] = []
            self._open_ends.remembers = len(due) > CAPTURE_IN_ORDER_MAX
            order = self._order(due)
            if self._rules.ahead is not None:
                newest_first = [ref for _, ref in sorted(due, reverse=True)]
                self._rules.ahead.offer(order, newest_first, self._read_session)
            for ref in order[:limit]:
                counts.append(self._capture(room, ref))
                if self._rules.clock.now_ms() - now_ms >= CAPTURE_PASS_MS_MAX:
                    break
            return Captured(
                sessions=len(counts), observations=sum(counts), waiting=len(due) - len(counts)
            )

    def polish(self, judge: Judge, limit: int, *, may_show: MayShow = lambda _events: True) -> int:
        """Let somebody who knows more judge captured sessions; return how many were.

        Nobody waits meanwhile: it is asked outside the lock, and believed only if the session is
        still as it was. `may_show` tells which sessions may be shown at all.

        Raises: AgentXError when nobody can be asked now; those looked at stay so.
        """
        looked = 0
        for ref, mark in tuple(self._marks.all_done()):
            if looked == limit:
                break
            if mark.polished or not mark.session_id:
                continue
            with self._lock:
                events = self._source.session_events(ref, Millis(0))[-CAPTURE_EVENTS_MAX:]
                until = (mark.until_ms, mark.until_id)
                read = [one for one in events if (one.timestamp_ms, one.event_id) <= until]
                candidates = candidates_of(self._room().store, mark) if read else ()
            if not read or not may_show(read):
                continue
            judged = judge(turns_of(read), candidates)
            with self._lock:
                # What went on, or was forgotten, meanwhile is another session.
                if self._marks.read_mark(ref) == mark:
                    self._take_over(ref, mark, read, judged)
            looked += 1
        return looked

    def _take_over(
        self, ref: bytes, mark: CaptureMark, events: Sequence[Event], judged: Judged
    ) -> None:
        """Replace what the rules took of a session by what was made of it.

        What is made is noted before it is stored, and what is dropped goes last: whoever finds
        this half done finds every piece in the mark, and judges anew.
        """
        room = self._room()
        there = room.store.get_by_ids(one.id for one in mark.taken)
        # A person may have spoken up meanwhile.
        dropped = judged.dropped.intersection(one.id for one in candidates_of(room.store, mark))
        known = [(one.category, terms(one.summary)) for one in there if one.id not in dropped]
        intent = self._intend(events, mark.until_ms, mark.until_id)
        fresh = [one for one in judged.made if is_other(one, known)]
        made = self._bind([observation_of(one, events[0], intent, "") for one in fresh], events)
        noted = (*mark.taken, *map(take_note, made))[-CAPTURE_TAKEN_MAX:]
        if made:
            self._marks.note_polished(ref, msgspec.structs.replace(mark, taken=noted))
            passing(CrashPoint.POLISH_NOTED)
        kept = made and (room.capture(made, agent=intent.agent, issue=intent.issue) or ())
        passing(CrashPoint.POLISH_STORED)
        # Where nothing could be kept the rules' result stands: to ask again would cost again.
        dropped = list_told(there, dropped, judged.joined, kept)
        gone = room.forget(dropped) if dropped and (kept or not made) else ()
        mark_superseded(room.store, kept, may_replace)
        mark_gone(room.store, kept, look_at(turns_of(events)))
        stays = {one.id for one in (*there, *kept)}.difference(gone)
        taken = tuple(one for one in noted if one.id in stays)
        self._marks.note_polished(ref, msgspec.structs.replace(mark, taken=taken, polished=True))

    @contextmanager
    def forgetting(
        self, session_ids: Sequence[str], *, whole: bool, is_kept: bool
    ) -> Iterator[int]:
        """Take away what was captured of sessions, and capture nothing while their events go.

        What is left of them is captured anew. Where `whole` sessions are forgotten, what somebody
        added by hand in them goes too. `is_kept`: there are observations at all. Yield how many
        observations went.
        """
        with self._lock:
            found = [(ref, mark) for ref, mark in self._marks.all_done() if mark.session_id]
            mine = [one for name in session_ids for one in _find_called(found, name)]
            gone = 0
            if mine or is_kept:
                names = {*session_ids, *(mark.session_id for _, mark in mine)}
                taken = {one.id for _, mark in mine for one in mark.taken}
                room = self._room()
                said = list_said_in(room.store, names, by_hand=whole)
                orphans = list_repeats(room.store, taken.union(said))
                gone = len(room.forget(taken.union(said)))
                # Who saw it again tells it now: their sessions are captured anew too.
                mine += [one for one in found if one not in mine and _took(one[1], orphans)]
            for ref, mark in mine:
                self._marks.begin_again(ref, WaitingSession(newest_ms=mark.until_ms, is_due=True))
            self._marks.erase()
            yield gone

    # --- which sessions ---------------------------------------------------------------------

    def _order(self, due: Sequence[tuple[int, bytes]]) -> list[bytes]:
        """Return sessions in the order they are taken.

        The newest of a project are worth most, so of many they go first; the others follow as
        they happened: what came back or was overturned then is found where it stands already.
        """
        oldest_first = sorted(due)
        if len(due) <= CAPTURE_IN_ORDER_MAX:
            return [ref for _, ref in oldest_first]
        done = (mark.until_ms for _, mark in self._marks.all_done())
        times = sorted([*done, *(at_ms for at_ms, _ in due)])
        since = times[-CAPTURE_IN_ORDER_MAX]
        newest = [ref for at_ms, ref in reversed(oldest_first) if at_ms >= since]
        return [*newest, *(ref for at_ms, ref in oldest_first if at_ms < since)]

    def _read_news(self) -> None:
        while True:
            since = self._marks.sequence()
            news = self._source.news(since, INDEX_BATCH_EVENTS_MAX)
            if not news.is_complete:
                # The outbox has dropped entries nobody read: look at every session once.
                self._marks.note(
                    {ref: self._all_of(ref) for ref in self._source.session_refs()}, news.sequence
                )
            elif news.entries:
                touched = {
                    ref: self._news_of(
                        ref, [at_ms for at_ms, _ in places], self._marks.find_waiting(ref)
                    )
                    for ref, places in news.touched.items()
                }
                self._marks.note(touched, news.sequence)
            else:
                return

    def _news_of(
        self, ref: bytes, times: list[Millis], before: WaitingSession | None
    ) -> WaitingSession:
        first, last = min(times), max(times)
        # Who fell silent is over without a word about it, and need not be read for one.
        is_quiet = self._rules.clock.now_ms() - last >= self._rules.quiet_ms
        events = () if is_quiet else self._source.session_events(ref, first, last)
        due = any(map(_is_cue, events))
        return WaitingSession(
            newest_ms=max(last, before.newest_ms if before else 0),
            is_due=due or (before is not None and before.is_due),
        )

    def _all_of(self, ref: bytes) -> WaitingSession:
        events = self._source.session_events(ref, Millis(0))
        newest = max((int(event.timestamp_ms) for event in events), default=0)
        return WaitingSession(newest_ms=newest, is_due=any(map(_is_cue, events[-3:])))

    # --- one session ------------------------------------------------------------------------

    def _read_session(self, ref: bytes) -> list[Event]:
        return self._source.session_events(ref, Millis(0))

    def _capture(self, room: Observations, ref: bytes) -> int:
        events = self._read_session(ref)[-CAPTURE_EVENTS_MAX:]
        if not events:
            self._marks.finish(ref, _nothing(self._marks.read_mark(ref)), still_waiting=False)
            return 0
        mark = self._marks.read_mark(ref)
        intent = self._marks.intent(ref)
        newest = (events[-1].timestamp_ms, events[-1].event_id)
        if intent is None:
            intent = self._intend(events, *newest)
            self._marks.begin(ref, intent)
            passing(CrashPoint.CAPTURE_BEGUN)
        until = (intent.until_ms, intent.until_id)
        read = [one for one in events if (one.timestamp_ms, one.event_id) <= until]
        turns = turns_of(read)
        ahead = self._rules.ahead if mark is None else None
        known = ahead.find_findings(ref, read) if ahead is not None else None
        did = ahead.find_doings(ref, read) if ahead is not None else None
        found = make_observations(turns, read, mark, intent, known)
        made = self._open_ends.look(room.store, found, (turns, read, intent), did)
        made = self._bind(made, read)
        kept = self._keep(room, made, intent)
        if kept is None:
            return 0  # the store was busy; the intent stays for the next pass
        left = self._open_ends.mark(room.store, kept)
        mark_gone(room.store, kept, look_at(turns))
        passing(CrashPoint.CAPTURE_STORED)
        before = mark.taken if mark else ()
        after = CaptureMark(
            session_id=events[0].session_id,
            until_ms=intent.until_ms,
            until_id=intent.until_id,
            events=len(read),
            # What is left of another session's list goes with the one that did the rest.
            taken=(*before, *map(take_note, (*kept, *left)))[-CAPTURE_TAKEN_MAX:],
        )
        self._marks.finish(ref, after, still_waiting=newest > until)
        return len(kept)

    def _intend(self, events: Sequence[Event], until_ms: int, until_id: str) -> CaptureIntent:
        # The role that was at work; the agent CLI where there was none.
        role = next((event.agent for event in reversed(events) if event.agent), "")
        told = _find_finished(events) or self._find_at_work(events, role)
        return CaptureIntent(
            until_ms=until_ms,
            until_id=until_id,
            issue=told[1] if told else self._issue(events),
            agent=agent_name(told[0] if told else role or events[0].harness),
        )

    def _find_at_work(self, events: Sequence[Event], role: str) -> tuple[str, int] | None:
        """Return the agent and issue of a session, where just one agent can have been at it."""
        fitting = [
            one
            for one in self._rules.at_work()
            if events[-1].timestamp_ms >= one.since_ms
            and (not role or agent_name(role) == agent_name(one.agent))
        ]
        return (fitting[0].agent, fitting[0].issue) if len(fitting) == 1 else None

    def _issue(self, events: Sequence[Event]) -> int:
        """Return the issue of a session; what is checked out now counts while it is fresh."""
        known = None if branches_of(events) else self._look(events)
        branch = known.current if known is not None else ""
        return issue_of(events, branch=branch, otherwise=self._rules.issue)

    def _bind(
        self, made: Sequence[Observation], events: Sequence[Event]
    ) -> tuple[Observation, ...]:
        return bind(made, events, self._look(events)) if made else ()

    def _look(self, events: Sequence[Event]) -> KnownBranches | None:
        """Return what is known of the repository of a session that is fresh."""
        directory = events[-1].metadata.get("cwd")
        age_ms = self._rules.clock.now_ms() - events[-1].timestamp_ms
        if age_ms > _FRESH_MS or not isinstance(directory, str):
            return None
        return self._rules.look_at(directory)

    def _keep(
        self, room: Observations, made: Sequence[Observation], intent: CaptureIntent
    ) -> tuple[Observation, ...] | None:
        if not made:
            self._rules.bus.tell(
                CaptureSkipped(
                    agent=intent.agent,
                    issue_number=intent.issue,
                    level="info",
                    reason=NOTHING_EXTRACTED,
                    timestamp_ms=self._rules.clock.now_ms(),
                )
            )
            return ()
        kept = room.capture(made, agent=intent.agent, issue=intent.issue)
        if kept:
            mark_superseded(room.store, kept)
            if gone := join_later(room.store, kept):
                room.let_stand(gone)
        return kept


def _took(mark: CaptureMark, ids: Collection[str]) -> bool:
    return any(one.id in ids for one in mark.taken)


def _is_cue(event: Event) -> bool:
    return event.event_type in _CUES or FINISHED in event.metadata


def _find_finished(events: Sequence[Event]) -> tuple[str, int] | None:
    """Return the agent and the issue that the last word about the end of a session's work names."""
    for event in reversed(events):
        told = event.metadata.get(FINISHED)
        if isinstance(told, dict) and isinstance(told.get("issue"), int):
            return str(told.get("agent", "")), told["issue"]
    return None


def list_said_in(
    store: ObservationStore, sessions: Collection[str], *, by_hand: bool
) -> frozenset[str]:
    """Return what was learnt in some sessions, in the archive too; `by_hand`: added there too."""
    return frozenset(
        each.id
        for each in chain(store.everything(), store.archive())
        if each.session_id in sessions and not each.sources and (by_hand or each.event_ids)
    )


def _nothing(mark: CaptureMark | None) -> CaptureMark:
    return mark or CaptureMark(session_id="", until_ms=0, until_id="", events=0)


def _find_called(
    found: Sequence[tuple[bytes, CaptureMark]], session_id: str
) -> list[tuple[bytes, CaptureMark]]:
    """Return the captured sessions of that id, or those that begin like it."""
    exact = [one for one in found if one[1].session_id == session_id]
    return exact or [one for one in found if one[1].session_id.startswith(session_id)]
