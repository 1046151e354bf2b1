"""At a prompt: what other sessions decided since a session began, on its files or for all.

What has been captured is among the memories. A session that still runs has not been captured:
what it decided so far is read from its last events, and told by the event that proves it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentx.conversation.model import Event, EventQuery
from agentx.kernel.capture import EventType
from agentx.kernel.clock import MINUTE_MS, Millis
from agentx.kernel.errors import InputError
from agentx.kernel.values import frozen
from agentx.memory.port import Readable
from agentx.observations.extract import extract
from agentx.observations.extract.session.exchanges import exchanges
from agentx.observations.extract.session.tools import list_touched
from agentx.observations.model import Category
from agentx.prose.keyphrases import terms
from agentx.recall.section.choose import Tellable
from agentx.recall.section.kinds import Kind, kind_of
from agentx.recall.section.learnt import WeighedMemory, value_line, weigh
from agentx.recall.section.wording import word_line
from agentx.recall.telling.bar import Bar
from agentx.recall.telling.prompt import AskedNow, list_news
from agentx.views.sessions.turns import turns_of

_LINES_MAX = 2
_SESSIONS_MAX = 3
_EVENTS_MAX = 120
_LATELY_MAX = 200
_END_EVENTS = 3
_RUNNING_MS = 30 * MINUTE_MS
_TOLD_KINDS = (Kind.DECISION, Kind.PREFERENCE)


@frozen
class ThisSession:
    """The session that is told: when it began, and which files it had to do with."""

    now_ms: Millis
    since_ms: Millis
    files: frozenset[str] = frozenset()

    def concerns(self, files: Sequence[str], bar: Bar) -> bool:
        """Tell whether a decision about some files is its business."""
        if not files:
            return bar.tells_of_files  # it is about none of them in particular
        return not self.files.isdisjoint(files)


def find_here(reader: Readable, session_id: str, now_ms: Millis, harness: str = "") -> ThisSession:
    """Return what is known of the session that is told."""
    events = _read_last(reader, session_id, harness)
    if not events:
        return ThisSession(now_ms=now_ms, since_ms=now_ms)
    files = {
        path
        for one in exchanges(turns_of(events))
        for step in one.steps
        for path in list_touched(step)
    }
    named = EventQuery(session_id=session_id, harness=harness, limit=1)
    first = reader.events(named).events
    return ThisSession(now_ms=now_ms, since_ms=first[0].timestamp_ms, files=frozenset(files))


def choose_meanwhile(
    reader: Readable,
    memories: Sequence[WeighedMemory],
    prompt: AskedNow,
    here: ThisSession,
    bar: Bar,
) -> list[Tellable]:
    """Return what other sessions decided since, newest first."""
    news = {
        one.observation.id: one.observation
        for one in list_news(memories, prompt)
        if one.observation.timestamp_ms > here.since_ms
    }
    found = [
        one
        for one in weigh([each for each in memories if each.observation.id in news])
        if here.concerns(news[one.doc_id].files, bar)
    ]
    captured = {name for one in memories for name in one.observation.event_ids}
    knows = replace(prompt, told=prompt.told | captured)
    found += _find_running(reader, knows, here, bar)
    worthy = [
        one
        for one in found
        if one.kind in _TOLD_KINDS and value_line(one.kind, one.text) >= bar.worth
    ]
    return sorted(worthy, key=lambda one: -one.at_ms)[:_LINES_MAX]


def _find_running(
    reader: Readable, prompt: AskedNow, here: ThisSession, bar: Bar
) -> Iterator[Tellable]:
    """Yield what sessions decided that still run, and were not captured yet."""
    since = Millis(max(here.since_ms, here.now_ms - _RUNNING_MS))
    lately = reader.events(EventQuery(since_ms=since, limit=_LATELY_MAX, newest_first=True)).events
    others = {one.session_id: one.harness for one in lately}
    others.pop(prompt.session_id, None)
    for session_id, harness in tuple(others.items())[:_SESSIONS_MAX]:
        events = _read_last(reader, session_id, harness)
        if any(event.event_type is EventType.SESSION_END for event in events[-_END_EVENTS:]):
            continue  # it is captured now
        for finding in extract(turns_of(events)):
            if finding.category is not Category.DECISION or finding.at_ms <= here.since_ms:
                continue
            if not finding.event_ids or not prompt.told.isdisjoint(finding.event_ids):
                continue
            line = word_line(finding.content)
            if here.concerns(finding.files, bar):
                yield Tellable(
                    doc_id=finding.event_ids[0],
                    text=line,
                    words=terms(line),
                    kind=kind_of(finding.category, line),
                    session=session_id,
                    at_ms=finding.at_ms,
                    worth=value_line(Kind.DECISION, line),
                    author=events[-1].agent or events[-1].harness,
                )


def _read_last(reader: Readable, session_id: str, harness: str) -> list[Event]:
    """Return the last events of a session, oldest first; its own notes are not among them.

    With its agent CLI it is found at once, without looking through all sessions for it.
    """
    query = EventQuery(session_id=session_id, harness=harness, limit=_EVENTS_MAX, newest_first=True)
    try:
        events = reader.events(query).events
    except InputError:
        return []  # nothing of it was taken in yet
    return [
        one
        for one in reversed(events)
        if one.session_id == session_id and one.event_type is not EventType.NOTE
    ]
