"""A part of a session as people read it: what was said and done, each call with its result.

A session of any length is read a part at a time, by the cursors of the log: a part ends where no
call waits for its result, and before a prompt where one is near. What only some parts hold
(errors, commits) is looked for part by part, up to a bound, and the reader goes on from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from agentx.conversation.model import Event, EventQuery, Session
from agentx.exchanges.commands import went_wrong
from agentx.exchanges.commits import Commit, commit_of
from agentx.exchanges.exchange import exchanges
from agentx.exchanges.tools import ToolStep
from agentx.exchanges.turns import Turn, TurnKind
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.limits import SESSION_PART_EVENTS, SESSION_PART_LOOKED_MAX
from agentx.operations.recall.session.told import read_told
from agentx.operations.recall.uses import SessionTelling
from agentx.views.sessions.turns import turns_of

_LEAD_EVENTS = 30  # before what was asked for, and to find the calls of results
_JOINED = (TurnKind.REPLY, TurnKind.CALL, TurnKind.RESULT)

Show = Literal["", "talk", "tools", "errors", "commits"]
SHOWS: tuple[Show, ...] = ("", "talk", "tools", "errors", "commits")


@frozen
class SaidTurn:
    """Something that was said, or that happened without a tool."""

    event: Event
    turn: Turn
    told: SessionTelling | None = None  # what memory told the session then


@frozen
class TakenStep:
    """A call of a tool, with what came back."""

    event: Event
    result: Event | None
    step: ToolStep
    commit: Commit | None = None
    is_wrong: bool = False
    is_late: bool = False  # the call was shown before its result came

    @property
    def shown_as(self) -> str:
        """The event by which it is found on a page."""
        return self.result.event_id if self.is_late and self.result else self.event.event_id


SessionItem = SaidTurn | TakenStep


@frozen
class SessionPart:
    """Some of a session, and from where its neighbours are asked for; empty where none are."""

    items: tuple[SessionItem, ...] = ()
    before: str = ""  # what came earlier ends before this event
    after: str = ""  # what comes later begins after this event
    last: str = ""  # the last event that was looked at
    looked: int = 0


def read_part(
    memory: Memory,
    session: Session,
    *,
    show: Show = "",
    at: str = "",
    after: str = "",
    before: str = "",
    is_last: bool = False,
) -> SessionPart:
    """Return the part that holds an event, comes after or before one, is the last, or the first.

    Raises: InvalidValue for what is no event's id.
    """
    if before or is_last:
        return _read_back(memory, session, before, show)
    return _read_on(memory, session, _find_start(memory, session, at) if at else after, show)


def read_tail(memory: Memory, session: Session, after: str, *, show: Show = "") -> SessionPart:
    """Return what came after an event; a result of an earlier call comes with that call.

    Raises: InvalidValue for what is no event's id.
    """
    new = memory.events(_ask(session, cursor=after)).events
    if not new:
        return SessionPart(last=after)
    lead = memory.events(_ask(session, cursor=new[0].event_id, newest_first=True, lead=True)).events
    fresh = {event.event_id for event in new}
    items = [
        TakenStep(
            event=item.event,
            result=item.result,
            step=item.step,
            commit=item.commit,
            is_wrong=item.is_wrong,
            is_late=item.event.event_id not in fresh,
        )
        if isinstance(item, TakenStep)
        else item
        for item in list_items((*reversed(lead), *new))
        if item.event.event_id in fresh
        or (isinstance(item, TakenStep) and item.result and item.result.event_id in fresh)
    ]
    kept = tuple(item for item in items if is_shown(item, show))
    return SessionPart(items=kept, last=new[-1].event_id, looked=len(new))


def list_items(events: Sequence[Event]) -> tuple[SessionItem, ...]:
    """Return events as what was said and done, in their order."""
    known: dict[str, tuple[int, Event]] = {
        event.event_id: (place, event) for place, event in enumerate(events)
    }
    turns = turns_of(events)
    items: list[SessionItem] = []
    for exchange in exchanges(turns):
        for one in exchange.items:
            if isinstance(one, ToolStep):
                items.append(_make_done(one, known))
            elif one.text.strip():
                items.append(SaidTurn(event=known[one.event_id][1], turn=one))
    for turn in turns:
        if turn.kind not in _JOINED:
            event = known[turn.event_id][1]
            items.append(SaidTurn(event=event, turn=turn, told=read_told(event)))
    return tuple(sorted(items, key=lambda item: known[item.event.event_id][0]))


def is_shown(item: SessionItem, show: Show) -> bool:
    """Tell whether something is of the kind that is looked for."""
    if show == "talk":
        return isinstance(item, SaidTurn) and (
            item.told is not None
            or item.turn.kind in (TurnKind.PROMPT, TurnKind.REPLY, TurnKind.SUMMARY)
        )
    if show == "tools":
        return isinstance(item, TakenStep)
    if show == "errors":
        return item.is_wrong if isinstance(item, TakenStep) else "error" in item.event.metadata
    if show == "commits":
        return isinstance(item, TakenStep) and item.commit is not None
    return True


def _make_done(step: ToolStep, known: dict[str, tuple[int, Event]]) -> TakenStep:
    result = step.result.event_id if step.result else ""
    return TakenStep(
        event=known[step.call.event_id][1],
        result=known[result][1] if result in known else None,
        step=step,
        commit=commit_of(step),
        is_wrong=step.has_failed or went_wrong(step),
    )


def _ask(
    session: Session, *, cursor: str = "", newest_first: bool = False, lead: bool = False
) -> EventQuery:
    return EventQuery(
        session_id=session.session_id,
        harness=session.harness,
        limit=_LEAD_EVENTS if lead else SESSION_PART_EVENTS,
        cursor=cursor,
        newest_first=newest_first,
    )


def _find_start(memory: Memory, session: Session, at: str) -> str:
    """Return after which event a part begins that holds one, and a little before it."""
    page = memory.events(_ask(session, cursor=at, newest_first=True, lead=True))
    if not page.next:
        return ""
    events = tuple(reversed(page.events))
    skipped = _find_begin(events)
    return events[max(skipped - 1, 0)].event_id


def _read_on(memory: Memory, session: Session, after: str, show: Show) -> SessionPart:
    found: list[SessionItem] = []
    cursor, looked, has_more, first = after, 0, True, ""
    while has_more and looked < SESSION_PART_LOOKED_MAX and _has_room(found, show, looked):
        page = memory.events(_ask(session, cursor=cursor))
        has_more = bool(page.next)
        events = page.events[: _find_end(page.events)] if has_more else page.events
        if not events:
            break
        found += [item for item in list_items(events) if is_shown(item, show)]
        looked += len(events)
        first = first or events[0].event_id
        cursor = events[-1].event_id
    return SessionPart(
        items=tuple(found),
        before=first if after else "",
        after=cursor if has_more else "",
        last=cursor,
        looked=looked,
    )


def _read_back(memory: Memory, session: Session, before: str, show: Show) -> SessionPart:
    found: list[SessionItem] = []
    cursor, looked, has_more, last = before, 0, True, ""
    while has_more and looked < SESSION_PART_LOOKED_MAX and _has_room(found, show, looked):
        page = memory.events(_ask(session, cursor=cursor, newest_first=True))
        has_more = bool(page.next)
        events = tuple(reversed(page.events))
        events = events[_find_begin(events) :] if has_more else events
        if not events:
            break
        found[:0] = [item for item in list_items(events) if is_shown(item, show)]
        looked += len(events)
        last = last or events[-1].event_id
        cursor = events[0].event_id
    return SessionPart(
        items=tuple(found),
        before=cursor if has_more else "",
        after=last if before else "",
        last=last,
        looked=looked,
    )


def _has_room(found: Sequence[SessionItem], show: Show, looked: int) -> bool:
    """Tell whether a page takes more: one part of all there is, or what several hold of a kind."""
    return len(found) < SESSION_PART_EVENTS // 2 if show else not looked


def _find_end(events: Sequence[Event]) -> int:
    """Return how many of some events make a part: no call in it waits for its result."""
    open_until = _measure_calls(events)
    least = len(events) // 2
    whole = [at for at in range(len(events), least, -1) if at >= open_until[at - 1]]
    near = (at for at in whole if at < len(events) and _is_prompt(events[at]))
    return next(near, whole[0] if whole else len(events))


def _find_begin(events: Sequence[Event]) -> int:
    """Return how many of some events belong to the part before: results of calls made there."""
    calls = {turn.call_id for turn in turns_of(events) if turn.kind is TurnKind.CALL}
    begin = 0
    for place, event in enumerate(events[: len(events) // 2]):
        turn = turns_of((event,))[-1]
        if turn.kind is TurnKind.RESULT and turn.call_id not in calls:
            begin = place + 1
    prompts = (at for at in range(begin, len(events) // 2) if _is_prompt(events[at]))
    return next(prompts, begin)


def _measure_calls(events: Sequence[Event]) -> list[int]:
    """Return for each event behind which one every call up to it has its result."""
    answers: dict[str, int] = {}
    turns = [turns_of((event,))[-1] for event in events]
    for place, turn in enumerate(turns):
        if turn.kind is TurnKind.RESULT and turn.call_id:
            answers[turn.call_id] = place + 1
    until, measured = 0, []
    for place, turn in enumerate(turns):
        if turn.kind is TurnKind.CALL and turn.call_id:
            is_near = len(events) - place <= _LEAD_EVENTS
            waits_until = answers.get(turn.call_id, len(events) + 1 if is_near else 0)
            until = max(until, waits_until)
        measured.append(until)
    return measured


def _is_prompt(event: Event) -> bool:
    return turns_of((event,))[-1].kind is TurnKind.PROMPT
