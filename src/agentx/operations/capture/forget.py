"""Erase for good: an event, a session, a span of time, or whatever says something.

What goes is looked up first and shown; then sessions that go whole go as such, so that what was
never captured of them stays away too, and of the others the single events. What was made of them
(table of contents, observations, indexes, digests) follows by itself. What somebody wrote down
elsewhere in the same words is theirs: it is listed, with what takes it away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from agentx.conversation.forgotten.spans import ForgottenSpan, fold_words, print_words, read_texts
from agentx.conversation.limits import EVENTS_PAGE_MAX
from agentx.conversation.model import Event, EventQuery, SessionQuery
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue, StaleVersion
from agentx.kernel.ids import digest
from agentx.kernel.text import preview
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.capture.aside import (
    AsideQuery,
    AsideRecords,
    find_aside,
    find_orphaned,
    remove_aside,
)
from agentx.operations.capture.loop_words import LoopWords, find_in_loops, gather_runs
from agentx.operations.capture.quoting import Quote, Quotes
from agentx.operations.limits import FORGET_BATCH_EVENTS_MAX, FORGET_LINES_SHOWN
from agentx.project.audit import AuditAct, record_act
from agentx.project.project import Project
from agentx.wiring.keeping.export import list_exports, list_set_aside
from agentx.wiring.keeping.tombstones import bury_span
from agentx.wiring.trust.persons_word import require_person

_LINE_CHARS_MAX = 100
_SESSIONS_MAX = 1_000_000
_COUNT_CHARS_MAX = 12


@frozen
class ForgetRequest:
    """What to forget: one event, one session, or what happened in a span and says something."""

    event_id: str = ""
    session_id: str = ""
    since_ms: Millis | None = None
    until_ms: Millis | None = None
    query: str = ""
    shown: str = ""  # `ForgetReply.shown` of what somebody looked at, who means just that

    @property
    def by(self) -> str:
        """By what it is named."""
        spoken = {"event": self.event_id, "session": self.session_id, "query": self.query}
        named = [name for name, given in spoken.items() if given]
        is_span = self.since_ms is not None or self.until_ms is not None
        return "+".join([*named, *(["span"] if is_span else [])])


@frozen
class ForgetReply:
    """What was erased, or would be."""

    events: int
    sessions: int  # that went whole
    dry_run: bool
    by_type: dict[str, int]
    first_lines: tuple[str, ...]  # of what goes, the first of them
    observations: int  # that were learnt from it
    quoted: tuple[Quote, ...]  # what others wrote in the same words: it stays
    aside: int = 0  # records that could not be taken and were moved aside
    exports: tuple[str, ...] = ()  # files written before, which nobody can reach from here
    copies: tuple[str, ...] = ()  # what a restore or a mending put aside
    shown: str = ""  # by what it is known that somebody was shown just this


def forget(
    project: Project,
    memory: Memory,
    request: ForgetRequest,
    *,
    dry_run: bool,
    bars: bool = True,
    told: HowFar = unheard,
) -> ForgetReply:
    """Erase events from the log and from every view of it, or say what would be erased.

    Of a span or a query also what was never captured stays away from then on, if `bars` is given.

    Raises: NotFound, InvalidValue; NotThePerson for an agent that would erase something;
        StaleVersion where something else would go than was `shown`.
    """
    _check_may(project, request, dry_run=dry_run)
    doomed = _find_doomed(memory, request)
    whole = _whole_sessions(memory, doomed)
    if request.session_id:
        whole = {event.session_id for event in doomed}
    quotes = Quotes(project, doomed, whole, request.query)
    aside = _find_aside(project, request, whole)
    shown = [event for event in doomed if event.text.strip()]
    reply = ForgetReply(
        events=len(doomed),
        sessions=len(whole),
        dry_run=dry_run,
        by_type=dict(Counter(str(event.event_type) for event in doomed).most_common()),
        first_lines=tuple(
            preview(event.text, _LINE_CHARS_MAX) for event in shown[:FORGET_LINES_SHOWN]
        ),
        observations=quotes.learnt,
        quoted=(*quotes.quoted, *_find_beside(project, request, doomed, aside)),
        aside=len(aside.paths),
        exports=list_exports(project),
        copies=list_set_aside(project),
        shown=_sum_up(doomed, aside, quotes),
    )
    if not dry_run:
        _check_shown(request, reply)
        if bars and ("query" in request.by or "span" in request.by):
            bury_span(project, _span_of(project, request))
        remove_aside(aside)
        _erase(memory, doomed, whole, told)
        record_act(
            project,
            AuditAct.FORGOTTEN,
            by=request.by,
            events=reply.events,
            sessions=reply.sessions,
            observations=reply.observations,
            aside=reply.aside,
        )
    return reply


def _check_may(project: Project, request: ForgetRequest, *, dry_run: bool) -> None:
    if request.by not in ("event", "session", "query", "span", "query+span"):
        raise InvalidValue(
            "say what to forget",
            hint="give one of --event ID, --session ID, or --query TEXT and --from/--to TIME",
        )
    if not dry_run:
        what = "what is erased for good"
        require_person(project, what, hint="agentx forget", about="forget")


def _sum_up(doomed: tuple[Event, ...], aside: AsideRecords, quotes: Quotes) -> str:
    """Return by what it is known that somebody was shown just what goes: how much, and what."""
    names = (*(event.event_id for event in doomed), *(path.name for path in aside.paths))
    return f"{len(names)}:{digest(*names, str(quotes.learnt)).hex()}"


def _check_shown(request: ForgetRequest, now: ForgetReply) -> None:
    if request.shown in ("", now.shown):
        return
    was = request.shown.partition(":")[0][:_COUNT_CHARS_MAX]
    more = now.events + now.aside - (int(was) if was.isascii() and was.isdigit() else 0)
    came = f"{more:,} event{'s' * (more != 1)} came" if more > 0 else "something changed"
    raise StaleVersion(
        f"{came} since you were shown what goes: nothing was erased",
        hint="look at what would go now, and say it again",
    )


def _find_aside(project: Project, request: ForgetRequest, whole: set[str]) -> AsideRecords:
    if request.event_id:
        return AsideRecords()
    return find_aside(
        project,
        AsideQuery(
            sessions=whole if request.session_id else (),
            since_ms=request.since_ms,
            until_ms=request.until_ms,
            query=request.query,
        ),
    )


def _find_beside(
    project: Project, request: ForgetRequest, doomed: tuple[Event, ...], aside: AsideRecords
) -> Iterable[Quote]:
    """Yield what stays beside the rooms: sessions of the loop, and records that nobody can read."""
    wanted = LoopWords(
        query=request.query,
        session_id=request.session_id,
        since_ms=request.since_ms,
        until_ms=request.until_ms,
        said=gather_runs(doomed),
    )
    yield from find_in_loops(project, wanted)
    yield from map(_say_unread, aside.unread)
    if request.query.strip():
        orphaned = AsideQuery(
            since_ms=request.since_ms, until_ms=request.until_ms, query=request.query
        )
        yield from (_say_orphaned(*each) for each in find_orphaned(project, orphaned))


def _say_unread(path: Path) -> Quote:
    return Quote(
        kind="spool",
        id=str(path),
        says="a record that was moved aside and cannot be read: nobody knows what it says",
        mend="look at it, and delete it by hand if it is of that kind",
    )


def _say_orphaned(path: Path, folder: str) -> Quote:
    return Quote(
        kind="spool",
        id=str(path),
        says=f"a record of {folder}, which is gone: nobody has taken it",
        mend="delete it by hand",
    )


def _span_of(project: Project, request: ForgetRequest) -> ForgottenSpan:
    """Return what was asked to be forgotten as the log is to remember it: never beyond now."""
    now_ms = project.clock.now_ms()
    return ForgottenSpan(
        project=project.id,
        since_ms=Millis(0) if request.since_ms is None else request.since_ms,
        until_ms=now_ms if request.until_ms is None else min(request.until_ms, now_ms),
        words=print_words(request.query, project.entropy) if request.query.strip() else None,
    )


def _erase(memory: Memory, doomed: tuple[Event, ...], whole: set[str], told: HowFar) -> None:
    of_session = Counter(event.session_id for event in doomed)
    done = 0
    for session_id in sorted(whole):
        told(done, len(doomed))
        memory.forget(session_id=session_id)
        done += of_session[session_id]
    single = [event.event_id for event in doomed if event.session_id not in whole]
    for start in range(0, len(single), FORGET_BATCH_EVENTS_MAX):
        told(done + start, len(doomed))
        memory.forget(event_ids=tuple(single[start : start + FORGET_BATCH_EVENTS_MAX]))


def _find_doomed(memory: Memory, request: ForgetRequest) -> tuple[Event, ...]:
    if request.event_id:
        return (memory.event(request.event_id),)
    asked = EventQuery(
        session_id=request.session_id,
        since_ms=request.since_ms,
        until_ms=request.until_ms,
        limit=EVENTS_PAGE_MAX,
    )
    wanted = fold_words(request.query)
    return tuple(event for event in read_all(memory, asked) if not wanted or says(event, wanted))


def says(event: Event, wanted: str) -> bool:
    """Tell whether an event says something, in its text or in what a tool was given."""
    return any(wanted in text for text in read_texts(event))


def read_all(memory: Memory, query: EventQuery) -> Iterable[Event]:
    """Yield every event that a query asks for, page by page."""
    page = memory.events(query)
    yield from page.events
    while page.next:
        page = memory.events(
            EventQuery(
                session_id=query.session_id,
                since_ms=query.since_ms,
                until_ms=query.until_ms,
                limit=query.limit,
                cursor=page.next,
            )
        )
        yield from page.events


def _whole_sessions(memory: Memory, doomed: tuple[Event, ...]) -> set[str]:
    """Return the sessions of which nothing would be left."""
    if not doomed:
        return set()
    going = Counter(event.session_id for event in doomed)
    there: Counter[str] = Counter()
    times = [event.timestamp_ms for event in doomed]
    near = SessionQuery(since_ms=min(times), until_ms=Millis(max(times) + 1), limit=_SESSIONS_MAX)
    for session in memory.sessions(near):
        there[session.session_id] += session.events
    return {name for name, count in going.items() if count == there[name]}
