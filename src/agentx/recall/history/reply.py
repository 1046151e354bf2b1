"""The answer to a question about time and place, and in which words the question was taken.

What is said beside the rows: the days that were meant, that nothing happened then and what was
nearest, that nothing is remembered of whom the question names, and the issues that can be begun.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, tzinfo

from agentx.conversation.toc_model import BulletKind
from agentx.kernel.clock import Millis
from agentx.kernel.errors import AgentXError
from agentx.memory.found import SearchHit, SearchReply, SearchRequest
from agentx.observations.extract.left.asking import waits_for_user
from agentx.observations.labels import WAITS
from agentx.recall.history.asked import HistoryKind, HistoryQuestion
from agentx.recall.history.calendar import EVER, Wanted
from agentx.recall.history.endings import Endings, Moment, is_closed, list_prompts
from agentx.recall.history.happened import list_happened, list_told, nearest_to
from agentx.recall.history.learnt import join_rows, list_learnt, list_open_ends
from agentx.recall.history.sources import HistorySources
from agentx.recall.question.actors import Actors
from agentx.recall.question.when import TimeSpan

_LOOKED_AT = 60  # of what is open, for what waits for somebody
_CONTENTS, _SESSIONS = "table of contents", "newest sessions"


def answer_history(
    sources: HistorySources, request: SearchRequest, asked: HistoryQuestion
) -> SearchReply:
    """Answer a question about time and place.

    Raises: UnavailableError, DataError.
    """
    return _Answering(sources, request, _narrow(asked, request)).reply()


def _narrow(asked: HistoryQuestion, request: SearchRequest) -> HistoryQuestion:
    """Return the question with who was asked for besides."""
    who = asked.who
    harnesses = (request.harness,) if request.harness else who.harnesses
    roles = (request.agent,) if request.agent else who.roles
    return replace(asked, who=replace(who, harnesses=harnesses, roles=roles))


class _Answering:
    """One question, being answered."""

    def __init__(
        self, sources: HistorySources, request: SearchRequest, asked: HistoryQuestion
    ) -> None:
        assert request.now_ms is not None, "it was read from a present"
        self._reader = sources.reader
        self._zone = sources.zone
        self._ready = sources.ready
        self._learnt = sources.learnt
        self._words_of = sources.words_of
        self._asked = asked
        self._limit = request.limit
        self._moment = Moment(now_ms=request.now_ms, zone=sources.zone)
        self._notes: list[str] = []
        issue = int(request.issue) if request.issue.isdigit() else None
        since, until = _both(asked.span, request)
        self._wanted = Wanted(
            since_ms=since, until_ms=until, who=asked.who, session=request.session_id, issue=issue
        )

    def reply(self) -> SearchReply:
        """Return the rows and what is said beside them."""
        asked, wanted = self._asked, self._wanted
        if asked.no_dates:
            return SearchReply(hits=(), layers=(_CONTENTS,))  # what is no date has no days
        is_bound = (wanted.since_ms, wanted.until_ms) != EVER
        if asked.span is not None:
            self._notes.append(f"{asked.span.words}: {self._days(wanted)}{_only(asked.who)}")
        elif asked.who:
            self._notes.append(f"{asked.kind}{_only(asked.who)}")
        rows = self._rows(wanted)
        if not rows:
            rows = self._rows_instead(wanted)
        sessions = dict.fromkeys(hit.session_id for hit in rows if hit.session_id)
        return SearchReply(
            hits=tuple(
                replace(hit, score=round(1 / place, 4)) for place, hit in enumerate(rows, 1)
            ),
            sessions=tuple(sessions),
            layers=(_CONTENTS,) if asked.kind == HistoryKind.HAPPENED else (_SESSIONS, _CONTENTS),
            plan=(f"intent: {asked.kind}", *self._notes),
            notes=tuple(self._notes),
            since_ms=wanted.since_ms if is_bound else None,
            until_ms=wanted.until_ms if is_bound else None,
        )

    def _rows(self, wanted: Wanted) -> list[SearchHit]:
        match self._asked.kind:
            case HistoryKind.HAPPENED:
                return self._list_happened(wanted)
            case HistoryKind.STOPPED:
                return self._list_stops(wanted)
            case HistoryKind.LEFT:
                return self._list_left(wanted)

    def _list_happened(self, wanted: Wanted) -> list[SearchHit]:
        asked = self._asked
        if asked.about and (rows := self._list_about(wanted)):
            return rows
        if asked.told:
            if rows := self._list_told(wanted):
                return rows
            names = sorted(str(kind) for kind in asked.told)
            kinds = " or ".join(f"{'an' if name[0] in 'aeiou' else 'a'} {name}" for name in names)
            self._notes.append(f"Nothing is kept as {kinds} of that time; this is what happened.")
        if asked.span is None and (wanted.since_ms, wanted.until_ms) == EVER:
            wanted = self._lately(wanted)
        return list_happened(
            self._reader, wanted, self._zone, self._limit, oldest_first=asked.from_start
        )

    def _list_told(self, wanted: Wanted) -> list[SearchHit]:
        kinds, limit = self._asked.told, self._limit
        learnt = list_learnt(self._learnt, self._reader, wanted, kinds, limit)
        rows = join_rows(learnt, list_told(self._reader, wanted, kinds, limit), limit)
        if BulletKind.REQUEST not in kinds or len(rows) >= limit:
            return rows
        return join_rows(rows, list_prompts(self._reader.events, wanted, limit), limit)

    def _list_about(self, wanted: Wanted) -> list[SearchHit]:
        """Return what was said then of somebody whom nothing else is known of, and the day."""
        found = self._words_of(self._asked.about, wanted.since_ms, wanted.until_ms)
        if not found:
            self._notes.append(f"Nothing then names {self._asked.about}; this is what happened.")
            return []
        day = list_happened(self._reader, wanted, self._zone, self._limit)
        return [*found[: self._limit - 1], *day][: self._limit]

    def _lately(self, wanted: Wanted) -> Wanted:
        """Return the newest two weeks in which something happened, or the oldest."""
        edge = self._nearest(
            replace(wanted, since_ms=EVER[1])
            if not self._asked.from_start
            else replace(wanted, until_ms=EVER[0]),
        )
        if not edge:
            return wanted
        at = edge[0].timestamp_ms
        length = 14 * 24 * 60 * 60 * 1000
        if self._asked.from_start:
            return replace(wanted, until_ms=Millis(at + length))
        return replace(wanted, since_ms=Millis(max(at - length, 0)))

    def _list_stops(self, wanted: Wanted) -> list[SearchHit]:
        stops = self._endings(wanted).list_stops(self._limit)
        nodes = self._nearest(replace(wanted, since_ms=wanted.until_ms, until_ms=EVER[1]))
        return [*stops[:1], *nodes, *stops[1:]][: self._limit]

    def _list_left(self, wanted: Wanted) -> list[SearchHit]:
        endings = self._endings(wanted)
        if wanted.is_everybody and self._asked.span is None and (ready := self._ready_lines()):
            self._notes.append(f"Issues: {'; '.join(ready)}")
        if rows := self._join_left(endings, wanted):
            return rows
        rows = self._list_stops(wanted)
        if rows:
            self._notes.append("Nothing was said to be left open; this is where it stopped.")
        return rows

    def _join_left(self, endings: Endings, wanted: Wanted) -> list[SearchHit]:
        """Return what last words, memories and the table of contents call open, each once."""
        limit = self._limit
        is_ever = (wanted.since_ms, wanted.until_ms) == EVER
        lately = self._lately(wanted) if is_ever else wanted
        looked_at = max(limit, _LOOKED_AT) if self._asked.for_user else limit
        kept = list_open_ends(self._learnt, self._reader, wanted, looked_at)
        told = list_told(self._reader, lately, frozenset({BulletKind.OPEN}), limit)
        # What was called open on the way, in a session that was captured, was dealt with in it.
        still = [
            row
            for row in told
            if row.session_id not in kept.captured and not is_closed(row.snippet, kept.closed)
        ]
        last = endings.list_left(limit, kept.closed)
        if not self._asked.for_user:
            return join_rows(last, [*kept.rows, *still], limit)
        rows = [*kept.rows, *last, *still]
        waiting = join_rows([], (row for row in rows if _waits(row)), limit)
        others = join_rows(waiting, (row for row in rows if not _waits(row)), limit)
        if not waiting and others:
            self._notes.append("Nothing is known to wait for you; this is what is left.")
        return [*waiting, *(row for row in others if row not in waiting)]

    def _nearest(self, wanted: Wanted) -> list[SearchHit]:
        return nearest_to(self._reader, wanted, self._zone)

    def _endings(self, wanted: Wanted) -> Endings:
        return Endings(self._reader.sessions, self._reader.events, wanted, self._moment)

    def _ready_lines(self) -> tuple[str, ...]:
        try:
            return self._ready()
        except AgentXError:
            return ()  # the rooms are no part of this answer

    def _rows_instead(self, wanted: Wanted) -> list[SearchHit]:
        """Say that nothing was found, and return what is nearest."""
        near = self._nearest(wanted)
        who = ", ".join(wanted.who.names)
        others = replace(wanted, who=Actors(rest=""), session="", issue=None)
        if near:
            by = f" by {who}" if who else ""
            is_to_come = wanted.since_ms > self._moment.now_ms
            self._notes.append(
                f"That is still to come. The last{by}:"
                if is_to_come
                else f"Nothing{by} is remembered of that time. The nearest:"
            )
            beside = [] if wanted.is_everybody or is_to_come else self._rows(others)
            return [*near, *beside][: self._limit]
        rows = [] if wanted.is_everybody else self._rows(others) or self._nearest(others)
        if rows:
            self._notes.append(f"Nothing by {who or 'that'} is remembered. By others:")
            return rows
        self._notes.append("Nothing is remembered yet.")
        return []

    def _days(self, wanted: Wanted) -> str:
        """Return the days of a span in words."""
        if wanted.since_ms <= 0:
            return f"before {_speak(wanted.until_ms, self._zone)}"
        if wanted.until_ms - wanted.since_ms <= 0:
            return "no time at all"
        return _range(wanted.since_ms, wanted.until_ms, self._zone)


def _both(span: TimeSpan | None, request: SearchRequest) -> tuple[Millis, Millis]:
    """Return the time that the question and the request ask for: what is in both."""
    bounds = [EVER] if span is None else [(span.since_ms, span.until_ms)]
    bounds.append(
        (
            request.since_ms if request.since_ms is not None else EVER[0],
            request.until_ms if request.until_ms is not None else EVER[1],
        )
    )
    return max(since for since, _ in bounds), min(until for _, until in bounds)


def _waits(row: SearchHit) -> bool:
    """Tell whether a row says what waits for the user."""
    return WAITS in row.snippet or (row.kind == "event" and waits_for_user(row.snippet))


def _only(who: Actors) -> str:
    return f", only {' and '.join(who.names)}" if who else ""


def _range(since_ms: int, until_ms: int, zone: tzinfo) -> str:
    """Write a span: whole days as days, hours as hours."""
    first = datetime.fromtimestamp(since_ms / 1000, tz=zone)
    end = datetime.fromtimestamp(until_ms / 1000, tz=zone)
    if _is_midnight(first) and _is_midnight(end):
        last = end - timedelta(days=1)
        if first.date() == last.date():
            return _speak_day(first)
        year = "" if first.year == last.year else f" {first.year}"
        return f"{first:%A} {first.day} {first:%B}{year} to {_speak_day(last)}"
    if first.date() == end.date():
        return f"{_speak_day(first)}, {first:%H:%M} to {end:%H:%M}"
    return f"{_speak_day(first)} {first:%H:%M} to {_speak_day(end)} {end:%H:%M}"


def _is_midnight(at: datetime) -> bool:
    return (at.hour, at.minute) == (0, 0)


def _speak(at_ms: int, zone: tzinfo) -> str:
    return _speak_day(datetime.fromtimestamp(at_ms / 1000, tz=zone))


def _speak_day(at: datetime) -> str:
    return f"{at:%A} {at.day} {at:%B %Y}"
