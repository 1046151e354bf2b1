"""At a prompt: what other sessions decided since a session began, on its files or for all.

What has been captured is among the memories. A session that still runs has not been captured:
what it decided so far is read from its last events, and told by the event that proves it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from threading import Lock

from agentx.conversation.model import Event, EventQuery, Session, SessionQuery
from agentx.exchanges.exchange import exchanges
from agentx.exchanges.tools import list_touched
from agentx.kernel.capture import EventType
from agentx.kernel.clock import MINUTE_MS, Millis
from agentx.kernel.errors import InputError
from agentx.kernel.values import frozen
from agentx.memory.port import Readable
from agentx.observations.extract import extract
from agentx.observations.extract.session.finding import Finding
from agentx.observations.model import Category
from agentx.prose.keyphrases import terms
from agentx.recall.section.choose import Tellable
from agentx.recall.section.kinds import Kind, kind_of
from agentx.recall.section.learnt import WeighedMemory, value_line, weigh
from agentx.recall.section.wording import word_kept
from agentx.recall.telling.bar import Bar
from agentx.recall.telling.prompt import AskedNow, list_news
from agentx.views.sessions.turns import turns_of

_LINES_MAX = 2
_SESSIONS_MAX = 3
_SESSIONS_LOOKED_AT = 30
_REMEMBERED_MAX = 16
_MOMENT_MS = 1_000
_EVENTS_MAX = 40
_END_EVENTS = 3
_RUNNING_MS = 30 * MINUTE_MS
_TOLD_KINDS = (Kind.DECISION, Kind.PREFERENCE)


@frozen
class ThisSession:
    """The session that is told: when it began, which files it had to do with, who else runs."""

    now_ms: Millis
    since_ms: Millis
    files: Callable[[], frozenset[str]] = frozenset  # few are asked for them
    others: tuple[Session, ...] = ()

    def concerns(self, files: Sequence[str], bar: Bar) -> bool:
        """Tell whether a decision about some files is its business."""
        if not files:
            return bar.tells_of_files  # it is about none of them in particular
        return not self.files().isdisjoint(files)


def find_here(reader: Readable, session_id: str, now_ms: Millis, harness: str = "") -> ThisSession:
    """Return what is known of the session that is told."""
    lately = reader.sessions(SessionQuery(limit=_SESSIONS_LOOKED_AT))
    of_id = (one for one in lately if one.session_id == session_id)
    mine = next((one for one in of_id if harness in ("", one.harness)), None)
    if mine is None:
        return ThisSession(now_ms=now_ms, since_ms=now_ms)  # nothing of it was taken in yet
    since = max(mine.first_ms, now_ms - _RUNNING_MS)
    others = [
        one
        for one in lately
        if one.session_id != session_id and one.last_ms > since and not one.ended
    ]

    @cache
    def list_files() -> frozenset[str]:
        events = _read_last(reader, mine)
        steps = (step for one in exchanges(turns_of(events)) for step in one.steps)
        return frozenset(path for step in steps for path in list_touched(step))

    return ThisSession(
        now_ms=now_ms,
        since_ms=mine.first_ms,
        files=list_files,
        others=tuple(others[:_SESSIONS_MAX]),
    )


def choose_meanwhile(
    reader: Readable,
    memories: Sequence[WeighedMemory],
    prompt: AskedNow,
    here: ThisSession,
    bar: Bar,
) -> list[Tellable]:
    """Return what other sessions decided since, newest first."""
    if here.since_ms >= here.now_ms:
        return []
    news = {
        one.observation.id: one.observation
        for one in list_news(memories, prompt)
        if one.observation.timestamp_ms > here.since_ms
    }
    learnt = weigh([each for each in memories if each.observation.id in news])
    found = [(one, news[one.doc_id].files) for one in learnt]
    captured = {name for one in memories for name in one.observation.event_ids}
    found += _find_running(reader, replace(prompt, told=prompt.told | captured), here)
    worthy = [
        one
        for one, files in found
        if one.kind in _TOLD_KINDS
        and value_line(one.kind, one.text) >= bar.worth
        and here.concerns(files, bar)
    ]
    return sorted(worthy, key=lambda one: -one.at_ms)[:_LINES_MAX]


def _find_running(
    reader: Readable, prompt: AskedNow, here: ThisSession
) -> Iterator[tuple[Tellable, tuple[str, ...]]]:
    """Yield what sessions decided that still run, and were not captured yet; with its files."""
    for session in here.others:
        for finding in _DECIDED.list_of(reader, session, here.now_ms):
            if finding.at_ms <= here.since_ms or not prompt.told.isdisjoint(finding.event_ids):
                continue
            line = word_kept(finding.category, finding.content)
            yield (
                Tellable(
                    doc_id=finding.event_ids[0],
                    text=line,
                    words=terms(line),
                    kind=kind_of(finding.category, line),
                    session=session.session_id,
                    at_ms=finding.at_ms,
                    worth=value_line(Kind.DECISION, line),
                    author=session.agent or session.harness,
                ),
                finding.files,
            )


class _Decisions:
    """What sessions that still run decided so far: worked out anew when they went on.

    Not within a second, though: sessions that ask in one moment are told the same.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[tuple[str, str], _Decided] = {}

    def list_of(self, reader: Readable, session: Session, now_ms: Millis) -> tuple[Finding, ...]:
        """Return the decisions of a session for which there is proof."""
        key = session.harness, session.session_id
        with self._lock:
            known = self._known.pop(key, None)
        if known is None or not known.holds_for(session, now_ms):
            found = _list_decisions(_read_last(reader, session))
            known = _Decided(session=session, at_ms=now_ms, findings=found)
        with self._lock:
            self._known[key] = known
            while len(self._known) > _REMEMBERED_MAX:
                del self._known[next(iter(self._known))]
        return known.findings


@frozen
class _Decided:
    session: Session
    at_ms: Millis
    findings: tuple[Finding, ...]

    def holds_for(self, session: Session, now_ms: Millis) -> bool:
        if session == self.session:
            return True
        # One that is shorter lost something: what was forgotten is told to nobody.
        went_on = session.events > self.session.events
        return went_on and 0 <= now_ms - self.at_ms < _MOMENT_MS


_DECIDED = _Decisions()


def _list_decisions(events: list[Event]) -> tuple[Finding, ...]:
    if any(event.event_type is EventType.SESSION_END for event in events[-_END_EVENTS:]):
        return ()  # it is captured now
    return tuple(
        finding
        for finding in extract(turns_of(events))
        if finding.category is Category.DECISION and finding.event_ids
    )


def _read_last(reader: Readable, session: Session) -> list[Event]:
    """Return the last events of a session, oldest first; its own notes are not among them."""
    query = EventQuery(
        session_id=session.session_id,
        harness=session.harness,
        limit=_EVENTS_MAX,
        newest_first=True,
    )
    try:
        events = reader.events(query).events
    except InputError:
        return []  # it was forgotten meanwhile
    return [
        one
        for one in reversed(events)
        if one.session_id == session.session_id and one.event_type is not EventType.NOTE
    ]
