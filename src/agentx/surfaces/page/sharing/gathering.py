"""What would be in a file: a day, a session or what a search found, as plain values.

Everything is redacted once more before it is looked at by anything else here: rules have grown
since some of it was kept, and a file leaves the machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date

from agentx.conversation.model import Event, EventQuery, Session, SessionQuery
from agentx.conversation.toc_model import TocNode
from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.periods import day_period, end_ms, start_ms
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.recall.session.part import SessionItem, list_items
from agentx.operations.recall.stretch import find_session
from agentx.redaction.redact import redact, redact_value
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.sharing.sought import Sought, find, read_sought

SHARE_KINDS = ("day", "session", "search")
SHARED_BY = "by_"  # before the name of what narrows a search that is shared
# A file holds so much in all, read some at a time: of a day that is longer the rest is left out.
_EVENTS_MAX = 10_000
_CHARS_MAX = 8_000_000
_EVENTS_AT_ONCE = 200
_SESSIONS_MAX = 100
_ADDRESS = compile_late(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_REDACTED = "[REDACTED:"


@frozen
class SharedLine:
    """A line of a summary, or something that was found."""

    at_ms: Millis
    kind: str
    text: str
    by: str = ""


@frozen
class SharedSession:
    """A session, and what of it is shared."""

    session: Session
    items: tuple[SessionItem, ...] = ()
    events: int = 0
    is_cut: bool = False  # there is more than a file takes


@frozen
class Shared:
    """What would be in a file."""

    kind: str
    title: str
    lines: tuple[SharedLine, ...] = ()
    sessions: tuple[SharedSession, ...] = ()
    addresses: tuple[str, ...] = ()  # of people, as they stand in it
    redacted: int = 0  # places where a secret was taken out
    redacted_now: int = 0  # texts that still held something

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to share."""
        return not self.lines and not self.sessions


def gather(desk: PageDesk, memory: Memory, said: Mapping[str, str]) -> Shared:
    """Return what would be shared; of a day every word only where the `whole` is wanted.

    Raises: InvalidValue for what is no kind or no day, NotFound.
    """
    kind, name = (said.get(each, "").strip() for each in ("kind", "name"))
    if kind == "session":
        return _gather_session(memory, name)
    if kind == "search":
        return _gather_search(desk, memory, read_sought(name, said, SHARED_BY))
    if kind == "day":
        return _gather_day(desk, memory, name, whole=said.get("whole") == "1")
    raise InvalidValue(f"{kind[:40]!r} cannot be shared", hint="a day, a session or a search can")


class _Cleaner:
    """Redacts, and counts what it found."""

    def __init__(self) -> None:
        self.redacted = 0
        self.redacted_now = 0
        self.addresses: dict[str, None] = {}
        self.events_left = _EVENTS_MAX
        self.chars_left = _CHARS_MAX

    @property
    def has_room(self) -> bool:
        """Whether the file takes more of what was said."""
        return self.events_left > 0 and self.chars_left > 0

    def clean(self, text: str) -> str:
        """Return a text as it may leave."""
        cleaned = redact(text)
        self.redacted += cleaned.count(_REDACTED)
        self.redacted_now += cleaned != text
        if "@" in cleaned:
            self.addresses |= dict.fromkeys(_ADDRESS.findall(cleaned))
        return cleaned

    def clean_event(self, event: Event) -> Event:
        """Return an event as it may leave: its words, and what came with them."""
        metadata = redact_value(event.metadata)
        self.redacted_now += metadata != event.metadata
        self.events_left -= 1
        self.chars_left -= len(event.text) + len(str(metadata))
        return replace(event, text=self.clean(event.text), metadata=metadata)

    def clean_session(self, session: Session) -> Session:
        """Return what is said of a session as it may leave."""
        return replace(
            session,
            title=self.clean(session.title),
            agent=self.clean(session.agent),
            branch=self.clean(session.branch),
            working_directory=self.clean(session.working_directory),
        )


def _gather_session(memory: Memory, name: str) -> Shared:
    session = find_session(memory, name)
    if session is None:
        raise NotFound(f"{name[:60]}: no such session", hint="Sessions has all there are")
    cleaner = _Cleaner()
    shared = _read_session(memory, session, cleaner)
    return _close(Shared(kind="session", title=shared.session.title, sessions=(shared,)), cleaner)


def _gather_day(desk: PageDesk, memory: Memory, name: str, *, whole: bool) -> Shared:
    try:
        period = day_period(date.fromisoformat(name))
    except ValueError:
        raise InvalidValue(f"{name[:40]} is no day", hint="a day is 2026-03-02") from None
    zone = desk.dates.zone
    since_ms, until_ms = start_ms(period, zone), end_ms(period, zone)
    cleaner = _Cleaner()
    found = memory.sessions(SessionQuery(since_ms=since_ms, until_ms=until_ms, limit=_SESSIONS_MAX))
    ordered = sorted(found, key=lambda one: one.first_ms)
    sessions = [
        _read_session(memory, one, cleaner, (since_ms, until_ms))
        if whole
        else SharedSession(session=cleaner.clean_session(one), events=one.events)
        for one in ordered
    ]
    lines = tuple(_read_lines(memory, period.node_id, cleaner))
    return _close(
        Shared(kind="day", title=period.title, lines=lines, sessions=tuple(sessions)), cleaner
    )


def _read_lines(memory: Memory, node_id: str, cleaner: _Cleaner) -> Iterator[SharedLine]:
    try:
        node = memory.toc_node(node_id)
    except NotFound:
        return
    parts: Iterable[TocNode] = memory.browse(node_id).nodes if node.children else ()
    seen: set[str] = set()
    for bullet in (*node.bullets, *(each for part in parts for each in part.bullets)):
        if bullet.text not in seen:
            seen.add(bullet.text)
            text = cleaner.clean(bullet.text)
            yield SharedLine(at_ms=bullet.timestamp_ms, kind=bullet.kind.value, text=text)


def _gather_search(desk: PageDesk, memory: Memory, sought: Sought) -> Shared:
    if not sought.words:
        raise InvalidValue("nothing is looked for", hint="search first, then share what was found")
    reply, _ = find(desk, memory, sought)
    cleaner = _Cleaner()
    lines = tuple(
        SharedLine(
            at_ms=hit.timestamp_ms,
            kind=f"{hit.kind}, {hit.origin}" if hit.origin else hit.kind,
            text=cleaner.clean(hit.snippet),
            by=", ".join(filter(None, (hit.harness, hit.agent))),
        )
        for hit in reply.hits
    )
    narrowed = f" ({cleaner.clean(sought.narrowed)})" if sought.narrowed else ""
    title = f"What was found for: {cleaner.clean(sought.words)}{narrowed}"
    return _close(Shared(kind="search", title=title, lines=lines), cleaner)


def _read_session(
    memory: Memory,
    session: Session,
    cleaner: _Cleaner,
    span: tuple[Millis, Millis] | None = None,
) -> SharedSession:
    query = EventQuery(
        session_id=session.session_id,
        harness=session.harness,
        since_ms=span[0] if span else None,
        until_ms=span[1] if span else None,
        limit=_EVENTS_AT_ONCE,
    )
    events: list[Event] = []
    is_cut = True
    while is_cut and cleaner.has_room:
        page = memory.events(query)
        taken = page.events[: cleaner.events_left]
        events += map(cleaner.clean_event, taken)
        is_cut = bool(page.next) or len(taken) < len(page.events)
        query = replace(query, cursor=page.next)
    return SharedSession(
        session=cleaner.clean_session(session),
        items=list_items(events),
        events=len(events),
        is_cut=is_cut,
    )


def _close(shared: Shared, cleaner: _Cleaner) -> Shared:
    return replace(
        shared,
        addresses=tuple(cleaner.addresses),
        redacted=cleaner.redacted,
        redacted_now=cleaner.redacted_now,
    )
