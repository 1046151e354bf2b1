"""A real log and real files of observations, and sessions that are captured between them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from agentx.conversation.service import Conversation
from agentx.conversation.store.log import LogStore
from agentx.conversation.store.toc import TocStore
from agentx.host.kv.port import Family, Row
from agentx.kernel.bus import Bus
from agentx.kernel.capture import Channel, Draft, EventType, Role
from agentx.kernel.clock import Millis
from agentx.observations.model import Observation
from agentx.observations.service import Observations, Supplies
from agentx.observations.settings import MemorySettings
from agentx.observations.store.files.store import JsonObservationStore
from agentx.views.sessions.branches import KnownBranches
from agentx.views.sessions.capture import AtWork, Observing, Rules
from agentx.views.store import CaptureMarks
from tests.support.memory_kv import MemoryStore
from tests.support.time_and_chance import CountingEntropy, FakeClock

BEGIN_MS = 1_772_445_600_000
MINUTE_MS = 60_000


class Killed(BaseException):
    """The process died here."""


def _note_nothing(level: str, event: str, **fields: object) -> None:
    """Write nothing."""


class CountingStore(MemoryStore):
    """Counts the checkpoints that are gone through."""

    def __init__(self) -> None:
        super().__init__()
        self.checkpoints = 0

    def scan(
        self,
        family: Family,
        start: bytes,
        end: bytes,
        *,
        reverse: bool = False,
        limit: int | None = None,
    ) -> Iterator[Row]:
        for row in super().scan(family, start, end, reverse=reverse, limit=limit):
            self.checkpoints += family is Family.CHECKPOINTS
            yield row


class Bench:
    """A log, its observations, and what captures the one into the other."""

    def __init__(
        self,
        folder: Path,
        *,
        enabled: bool = True,
        issue: int = 0,
        kv: MemoryStore | None = None,
    ) -> None:
        self.at_work: list[AtWork] = []
        self.branches: KnownBranches | None = None
        self.clock = FakeClock(BEGIN_MS)
        self.bus = Bus()
        kv = MemoryStore() if kv is None else kv
        log = LogStore(kv, entropy=CountingEntropy())
        self.log = Conversation(log, project="shop", clock=self.clock, bus=self.bus)
        self.store = JsonObservationStore(
            folder / "memory",
            clock=self.clock,
            entropy=CountingEntropy(),
            view_folder=folder / "words",
        )
        self.room = Observations(
            self.store,
            Supplies(
                settings=MemorySettings(enabled=enabled),
                clock=self.clock,
                entropy=CountingEntropy(),
                bus=self.bus,
                note=_note_nothing,
                reading_costs=lambda _files: 0,
            ),
        )
        self.feed = self.log.feed(partial(TocStore, kv, log))
        self.observing = Observing(
            self.feed,
            CaptureMarks(kv, "shop"),
            lambda: self.room,
            Rules(
                clock=self.clock,
                bus=self.bus,
                issue=issue,
                at_work=lambda: list(self.at_work),
                look_at=lambda _directory: self.branches,
            ),
        )

    def say(self, *drafts: Draft) -> None:
        self.log.append(drafts)

    def all(self) -> list[Observation]:
        return list(self.store.everything())


def said(
    number: int, kind: EventType, text: str = "", session: str = "s-1", **metadata: object
) -> Draft:
    roles = {EventType.USER_MESSAGE: Role.USER, EventType.ASSISTANT_MESSAGE: Role.ASSISTANT}
    return Draft(
        harness="claude-code",
        session_id=session,
        event_type=kind,
        timestamp_ms=Millis(BEGIN_MS + number * MINUTE_MS),
        role=roles.get(kind, Role.SYSTEM),
        text=text,
        channel=Channel.HOOK,
        source_id=f"{session}-{number}",
        metadata={"cwd": "/repo", "git_branch": "feature/42-zones", **metadata},
    )


def first_part(session: str = "s-1", begin: int = 0) -> list[Draft]:
    return [
        said(begin, EventType.SESSION_START, session=session),
        said(begin + 1, EventType.USER_MESSAGE, "where do zones come from?", session),
        said(
            begin + 2,
            EventType.ASSISTANT_MESSAGE,
            "`zones.py` reads them from `config/zones.toml`, because the database has none.",
            session,
        ),
        said(
            begin + 3,
            EventType.USER_MESSAGE,
            "we will keep them in TOML instead of the database, ops must be able to edit them",
            session,
        ),
        said(begin + 4, EventType.ASSISTANT_MESSAGE, "Understood.", session),
    ]


def ended(number: int, session: str = "s-1") -> Draft:
    return said(number, EventType.SESSION_END, session=session)
