"""One session's events, cut into segments: a segment is a task, or a part of a long one.

A segment ends

* before a prompt that begins another task, once a prompt of its own was answered,
* before an event that comes more than 30 minutes after the one before,
* before an event of another day in the project's time zone,
* before an event that would make it larger than 4,000 tokens or 1,000 events (one huge
  event is a segment of its own), and
* before a prompt, once it is three quarters full, so that a question and its answer stay
  together; a prompt that only has the work committed stays with the work.

Whether a segment ends depends only on what is in it and on the next event. So a segment's
beginning is all that is needed to continue from it: a late event changes nothing before
the segment it falls into, and nothing after the first old beginning that comes out again.
A segment is named after its first event; its name changes only when that event does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import tzinfo

from agentx.conversation import limits
from agentx.conversation.model import Event
from agentx.conversation.toc_model import Segment, TocNode
from agentx.kernel.capture import EventType, Role
from agentx.kernel.clock import Millis
from agentx.kernel.ids import NodeId, digest, is_ulid, ulid
from agentx.kernel.periods import SegmentRef, day_period, end_ms, local_day, parse_node_id
from agentx.kernel.values import frozen
from agentx.prose.keyphrases import terms
from agentx.prose.limits import TASK_HEAD_CHARS_MAX
from agentx.prose.tasks import begins_task, continues_task

_TOOLS = frozenset({EventType.TOOL_CALL, EventType.TOOL_RESULT})
_REPLIES = frozenset({EventType.ASSISTANT_MESSAGE, EventType.ASSISTANT_STOP})

Estimate = Callable[[str], int]
Place = tuple[Millis, str]  # where an event stands in its session: its time, then its id
Session = tuple[str, str]  # a harness and its session id

_ULID_CHARS = 26
# Longer texts are over the limit whatever they say.
_READ_CHARS_MAX = 16 * limits.SEGMENT_TOKENS_MAX
_TOOL_READ_CHARS_MAX = 16 * limits.SEGMENT_TOOL_TOKENS_MAX


@frozen
class Cutting:
    """What cutting needs to know of the world."""

    zone: tzinfo
    estimate: Estimate


@frozen
class Continuation:
    """What is kept of a segment in order to continue from it."""

    node_id: NodeId
    place: Place


@frozen
class Revision:
    """What a change did to a session's segments."""

    segments: tuple[Segment, ...]  # new, or changed
    gone: tuple[NodeId, ...]  # no longer there: their events are in other segments now
    marks: tuple[Continuation, ...]  # all of the session's, for the next time


def place(event: Event) -> Place:
    """Return where an event stands in its session."""
    return (event.timestamp_ms, event.event_id)


def session_of(event: Event) -> Session:
    """Return the session an event belongs to; ids of two agent CLIs may be alike."""
    return (event.harness, event.session_id)


def mark(segment: Segment) -> Continuation:
    """Return what must be kept of a segment."""
    return Continuation(node_id=segment.node_id, place=place(segment.events[0]))


def cut(events: Iterable[Event], cutting: Cutting) -> Iterator[Segment]:
    """Cut the events of one session, which come in order."""
    return _cut(events, cutting, history=_History())


def revise(
    marks: Sequence[Continuation],
    touched: Sequence[Place],
    read: Callable[[Millis], Iterable[Event]],
    cutting: Cutting,
) -> Revision:
    """Cut again what a change to one session touches, and nothing else.

    `marks` are the session's segments so far, in order; `touched` is where events were added
    or forgotten. `read(since_ms)` gives the session's events from a time on, in order, as they
    are now. The result equals what cutting the whole session anew would give.
    """
    if not touched:
        return Revision(segments=(), gone=(), marks=tuple(marks))
    old = [known.place for known in marks]
    earliest, latest = min(touched), max(touched)
    # A segment that began with a forgotten event may now be part of the one before it.
    first = max(bisect_left(old, earliest) - 1, 0)
    begin = min([earliest, *old[first : first + 1]])
    history = _History()
    told: list[Segment] = []
    for segment in _cut(_after(begin, read, history, cutting), cutting, history):
        at = place(segment.events[0])
        same = bisect_left(old, at)
        if same < len(old) and old[same] == at and _is_settled(at, latest):
            return _revision(marks, first, same, told)
        told.append(segment)
    return _revision(marks, first, len(marks), told)


def cut_again(
    known: Continuation, read: Callable[[Millis], Iterable[Event]], cutting: Cutting
) -> Segment | None:
    """Return the segment that begins at a mark, with its context; None where none does now."""
    history = _History()
    found = next(_cut(_after(known.place, read, history, cutting), cutting, history), None)
    return found if found is not None and mark(found) == known else None


def _is_settled(at: Place, latest: Place) -> bool:
    """Tell whether a beginning is past every change, and past being shown one as context."""
    return at > latest and at[0] - latest[0] > limits.SEGMENT_OVERLAP_MS


def _revision(
    marks: Sequence[Continuation], first: int, same: int, told: list[Segment]
) -> Revision:
    """Put the segments told anew in the place of the old ones from `first` to before `same`."""
    names = {segment.node_id for segment in told}
    gone = tuple(known.node_id for known in marks[first:same] if known.node_id not in names)
    return Revision(
        segments=tuple(told),
        gone=gone,
        marks=(*marks[:first], *map(mark, told), *marks[same:]),
    )


def _after(
    begin: Place, read: Callable[[Millis], Iterable[Event]], history: _History, cutting: Cutting
) -> Iterator[Event]:
    """Yield the events from `begin` on; those just before it become the history."""
    for event in read(Millis(begin[0] - limits.SEGMENT_OVERLAP_MS)):
        if place(event) >= begin:
            yield event
        else:
            history.add(event, weigh(event, cutting.estimate))


def weigh(event: Event, estimate: Estimate) -> int:
    """Return how many tokens an event counts for: what tools and machines say is hardly read."""
    if event.role is Role.TOOL or event.event_type in _TOOLS or event.machine:
        counted = estimate(event.text[:_TOOL_READ_CHARS_MAX])
        return min(counted, limits.SEGMENT_TOOL_TOKENS_MAX)
    return estimate(event.text[:_READ_CHARS_MAX])


class _History:
    """The newest events before a segment: what may be shown as its context."""

    def __init__(self) -> None:
        self._events: deque[tuple[Event, int]] = deque()
        self._tokens = 0

    def add(self, event: Event, tokens: int) -> None:
        """Remember an event, and forget what no later segment can be shown."""
        self._events.append((event, tokens))
        self._tokens += tokens
        while len(self._events) > 1 and (
            self._tokens > limits.SEGMENT_OVERLAP_TOKENS_MAX
            or len(self._events) > limits.SEGMENT_EVENTS_MAX
        ):
            self._tokens -= self._events.popleft()[1]

    def before(self, event: Event) -> tuple[Event, ...]:
        """Return the events of the last minutes that fit, in order."""
        if self._tokens > limits.SEGMENT_OVERLAP_TOKENS_MAX:
            return ()  # the event just before is too large to be shown
        since = event.timestamp_ms - limits.SEGMENT_OVERLAP_MS
        return tuple(known for known, _ in self._events if known.timestamp_ms >= since)


def _cut(events: Iterable[Event], cutting: Cutting, history: _History) -> Iterator[Segment]:
    held: _Held | None = None
    for event in events:
        size = weigh(event, cutting.estimate)
        if held is not None and held.ends_before(event, size):
            yield held.segment()
            held = None
        if held is None:
            held = _Held(event, history.before(event), cutting.zone)
        held.add(event, size)
        history.add(event, size)
    if held is not None:
        yield held.segment()


class _Held:
    """A segment that is being gathered."""

    def __init__(self, first: Event, context: tuple[Event, ...], zone: tzinfo) -> None:
        self._day = local_day(first.timestamp_ms, zone)
        self._day_end = end_ms(day_period(self._day), zone)
        self._context = context
        self._events: list[Event] = []
        self._tokens = 0
        self._spoken_of: set[str] = set()
        self._reply = ""  # the last one, to the last prompt
        self._is_prompted = self._is_answered = False

    def add(self, event: Event, size: int) -> None:
        """Take an event in."""
        self._events.append(event)
        self._tokens += size
        if event.event_type is EventType.USER_MESSAGE:
            self._note_reply()
            self._spoken_of |= terms(event.text[:TASK_HEAD_CHARS_MAX])
            self._is_prompted = True
        elif event.event_type in _REPLIES and event.text:
            self._reply = event.text
            self._is_answered = self._is_prompted

    def ends_before(self, event: Event, size: int) -> bool:
        """Tell whether the segment ends before the next event."""
        return (
            event.timestamp_ms - self._events[-1].timestamp_ms > limits.SEGMENT_GAP_MS
            or event.timestamp_ms >= self._day_end
            or self._tokens + size > limits.SEGMENT_TOKENS_MAX
            or len(self._events) >= limits.SEGMENT_EVENTS_MAX
            or (event.event_type is EventType.USER_MESSAGE and self._ends_before_prompt(event.text))
        )

    def _ends_before_prompt(self, prompt: str) -> bool:
        if self._tokens >= limits.SEGMENT_FULL_TOKENS and not continues_task(prompt):
            return True
        if not self._is_answered:
            return False
        self._note_reply()
        return begins_task(prompt, self._spoken_of)

    def _note_reply(self) -> None:
        """Note what the reply that ended an exchange spoke of; those on the way count for less."""
        self._spoken_of |= terms(self._reply[:TASK_HEAD_CHARS_MAX])
        self._reply = ""

    def segment(self) -> Segment:
        """Return what was gathered."""
        first = self._events[0]
        return Segment(
            node_id=SegmentRef(self._day, _name(first)).node_id,
            day=self._day,
            harness=first.harness,
            session_id=first.session_id,
            events=tuple(self._events),
            context=self._context,
            tokens=self._tokens,
        )


def _name(first: Event) -> str:
    """Return the ULID of a segment: that of its first event, so that one leads to the other."""
    own = first.event_id[-_ULID_CHARS:]
    return own if is_ulid(own) else ulid(first.timestamp_ms, digest(first.event_id, size=10))


def closes_ms(node: TocNode, zone: tzinfo) -> Millis:
    """Return when a node can no longer grow by itself: its period is over, its session silent."""
    named = parse_node_id(node.node_id)
    if isinstance(named, SegmentRef):
        silent = node.end_ms + limits.SEGMENT_GAP_MS
        return Millis(min(silent, end_ms(day_period(named.day), zone)))
    return end_ms(named, zone)


def is_due(node: TocNode, *, now_ms: Millis, zone: tzinfo) -> bool:
    """Tell whether a provisional node can be rolled for good."""
    return node.provisional and now_ms >= closes_ms(node, zone)
