"""The nouns of the log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from agentx.kernel.capture import MACHINE, UNKNOWN_HARNESS, EventType, Metadata, Role
from agentx.kernel.clock import HOUR_MS, Millis
from agentx.kernel.ids import EventId
from agentx.kernel.values import frozen


@frozen
class Event:
    """One thing that happened in a session. Written once, never edited."""

    event_id: EventId
    session_id: str
    timestamp_ms: Millis
    event_type: EventType
    role: Role
    text: str
    harness: str
    agent: str
    project: str
    metadata: Metadata = field(default_factory=dict)

    @property
    def machine(self) -> str:
        """Which machine said it in the user's name; empty for what people and agents said."""
        kind = self.metadata.get(MACHINE)
        return kind if isinstance(kind, str) else ""

    @property
    def is_payload(self) -> bool:
        """Whether its text is a payload as it came, of no known agent CLI: nobody's words."""
        return bool(self.metadata.get(UNKNOWN_HARNESS))


def is_lived(events: Iterable[Event]) -> bool:
    """Tell whether a hook saw any of some events as they happened; an import only read of them."""
    return any("hook" in event.metadata for event in events)


@frozen
class Receipt:
    """What became of a batch of drafts. Returned only after it is on disk."""

    stored: tuple[EventId, ...] = ()
    duplicates: int = 0  # seen before, by another hook or in the transcript
    forgotten: int = 0  # the user had them erased: they stay away


@frozen
class EventQuery:
    """Which events, in the order of their own time.

    `cursor` is what the page before returned as `next`. `newest_first` turns the order round.
    """

    session_id: str = ""
    harness: str = ""
    agent: str = ""
    role: str = ""
    event_type: str = ""
    since_ms: Millis | None = None
    until_ms: Millis | None = None
    limit: int = 50
    cursor: str = ""
    newest_first: bool = False


@frozen
class EventPage:
    """Some events, and where to go on."""

    events: tuple[Event, ...]
    next: str = ""  # empty when there are no more


# Somebody who comes back after a night begins anew.
LIVE_HOURS_MAX = 12


@frozen
class Session:
    """One session of one agent CLI."""

    session_id: str
    harness: str
    agent: str
    project: str
    first_ms: Millis
    last_ms: Millis
    events: int
    prompts: int
    ended: bool
    title: str  # the first prompt, in a line
    working_directory: str = ""
    branch: str = ""
    short_id: str = ""  # as much of its id as tells it from all others, where it was asked for

    def is_live(self, now_ms: int) -> bool:
        """Tell whether it may be going on: its end was not seen, and not long ago it was."""
        return not self.ended and now_ms - self.last_ms < LIVE_HOURS_MAX * HOUR_MS


@frozen
class SessionQuery:
    """Which sessions, newest first."""

    harness: str = ""
    agent: str = ""
    since_ms: Millis | None = None
    until_ms: Millis | None = None
    limit: int = 50
    short_ids: bool = False  # found out by reading the names of all


@frozen
class LogStatus:
    """What the log holds."""

    events: int
    sessions: int
    forgotten: int
    resumed: int = 0  # sessions that were forgotten and went on: what came since is here
    first_ms: Millis | None
    last_ms: Millis | None
    by_harness: dict[str, int]
    by_type: dict[str, int]
    bytes_on_disk: int


@frozen
class Forgotten:
    """What was erased for good."""

    events: int
    sessions: int


@frozen
class ForgottenName:
    """By what a forgotten event is known again, should a transcript tell it once more."""

    identity: str  # as its row is called in the log
    value: bytes  # that row: which events have this identity
    event_ids: tuple[EventId, ...]  # those of them that are forgotten
    session_id: str
    harness: str
    project: str


@frozen
class Grave:
    """What is about to be forgotten: some events, or a whole session with all that is older."""

    event_ids: tuple[EventId, ...]
    names: tuple[ForgottenName, ...] = ()
    session: bytes = b""  # its reference, when all of it goes
    session_id: str = ""
    harness: str = ""
    project: str = ""
    at_ms: Millis = Millis(0)
