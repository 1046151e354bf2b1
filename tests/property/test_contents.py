"""Goal: however a table of contents came about, it is the one that making it anew would give.

Method: random lives of a log (live, late and imported events, forgetting, a moving clock, an
outbox that drops entries, catching up, rebuilding) in which the process dies before or after
any write and the next one goes on. At the end the view equals the rebuilt one but for
versions, and every line of it is found word for word at its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentx.conversation.model import EventQuery
from agentx.host.kv import keys
from agentx.host.kv.port import Batch, Family, KeyValue, Row
from agentx.kernel.capture import Channel, Draft, EventType
from agentx.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS
from tests.support.contents import Shelf, prove
from tests.support.drafts import draft
from tests.support.memory_kv import MemoryStore
from tests.support.time_and_chance import START_MS, CountingEntropy, FakeClock

SESSIONS = ("s-1", "s-2", "s-3")
ZONES = (ZoneInfo("UTC"), ZoneInfo("America/St_Johns"), ZoneInfo("Pacific/Auckland"))
TEXTS = (
    "We decided to use Postgres instead of SQLite because of locks.",
    "**Root cause:** `auth.py` reads the clock twice.",
    "Could you fix the flaky test in calendar.py?",
    "Should the key live 24 hours?",
    "yes",
    "",
    "決定改用新的方案。",
    "החלטנו לעבור לשרת 👩‍🚀",
    "==== 3 failed, 1 passed in 0.1s ====\nE   KeyError: 'x'",
    "Changed sender.py to retry five times.\n\n- added backoff\n- added a test",
    "word " * 3_100,  # more than three quarters of a segment
)
KINDS = (
    EventType.USER_MESSAGE,
    EventType.ASSISTANT_MESSAGE,
    EventType.TOOL_RESULT,
    EventType.SESSION_START,
)


class Died(Exception):
    """The process is gone."""


class Mortal:
    """A store whose process dies around its n-th write; the rows live on."""

    def __init__(self, rows: KeyValue) -> None:
        self._rows = rows
        self._left = -1
        self._after = False

    def doom(self, writes: int, *, after: bool) -> None:
        """Die at the write after so many."""
        self._left, self._after = writes, after

    def get(self, family: Family, key: bytes) -> bytes | None:
        return self._rows.get(family, key)

    def get_many(self, family: Family, wanted: Sequence[bytes]) -> list[bytes | None]:
        return self._rows.get_many(family, wanted)

    def scan(
        self,
        family: Family,
        start: bytes,
        end: bytes,
        *,
        reverse: bool = False,
        limit: int | None = None,
    ) -> Iterator[Row]:
        return self._rows.scan(family, start, end, reverse=reverse, limit=limit)

    def write(self, batch: Batch, *, sync: bool = True) -> None:
        self._around(lambda: self._rows.write(batch, sync=sync))

    def erase(self, family: Family) -> None:
        self._around(lambda: self._rows.erase(family))

    def size_bytes(self) -> int:
        return self._rows.size_bytes()

    def close(self) -> None:
        """Live on."""

    def _around(self, act: Callable[[], None]) -> None:
        self._left -= 1
        if self._left == -1 and not self._after:
            raise Died
        act()
        if self._left == -1:
            raise Died


@dataclass
class Life:
    """A log, its view, and what happens to them."""

    zone: tzinfo

    def __post_init__(self) -> None:
        self.rows = MemoryStore()
        self.clock = FakeClock(START_MS + HOUR_MS)
        self.entropy = CountingEntropy()
        self.number = 0
        self.reopen()

    def reopen(self) -> None:
        self.kv = Mortal(self.rows)
        self.shelf = Shelf(self.kv, self.clock, self.entropy, zone=self.zone)

    def draft(self, at_ms: int, text: int, kind: int, session: int, *, live: bool) -> Draft:
        self.number += 1
        return draft(
            TEXTS[text],
            kind=KINDS[kind],
            session_id=SESSIONS[session],
            at=at_ms - START_MS,
            source_id=str(self.number),
            channel=Channel.HOOK if live else Channel.TRANSCRIPT,
        )

    def live(self, after_ms: int, text: int, kind: int, session: int) -> None:
        self.clock.advance(after_ms)
        self.shelf.log.append([self.draft(self.clock.now_ms(), text, kind, session, live=True)])

    def late(self, ago_ms: int, told: list[tuple[int, int, int, int]]) -> None:
        begin = self.clock.now_ms() - ago_ms
        self.shelf.log.append(
            [
                self.draft(begin - before, text, kind, session, live=False)
                for before, text, kind, session in told
            ]
        )

    def forget_event(self, which: int) -> None:
        events = self.shelf.log.events(EventQuery(limit=1_000)).events
        if events:
            self.shelf.log.forget_event(events[which % len(events)].event_id)

    def forget_session(self, which: int) -> None:
        if any(e.session_id == SESSIONS[which] for e in self.shelf.log.events(EventQuery()).events):
            self.shelf.log.forget_session(SESSIONS[which])

    def drop_entries(self, count: int) -> None:
        """Lose the oldest entries, as a full outbox does; it keeps its newest."""
        entries = list(self.rows.scan(Family.OUTBOX, *keys.outbox_range()))
        batch = Batch()
        for key, _ in entries[:-1][:count]:
            batch.delete(Family.OUTBOX, key)
        self.rows.write(batch)
        self.reopen()

    def do(self, action: tuple[object, ...]) -> None:
        """Let something happen; whoever dies is followed by another."""
        name, *given = action
        if name == "doom":
            self.kv.doom(given[0], after=given[1])  # type: ignore[arg-type]  # of the strategy
            return
        steps: dict[object, Callable[..., object]] = {
            "live": self.live,
            "late": self.late,
            "forget event": self.forget_event,
            "forget session": self.forget_session,
            "drop entries": self.drop_entries,
            "wait": self.clock.advance,
            "catch up": self.shelf.contents.catch_up,
            "rebuild": self.shelf.contents.rebuild,
        }
        try:
            steps[name](*given)
        except Died:
            self.reopen()


TIMES = st.sampled_from(
    [0, 1, MINUTE_MS, 4 * MINUTE_MS, 29 * MINUTE_MS, 31 * MINUTE_MS, 5 * HOUR_MS, DAY_MS]
)
TEXT = st.integers(0, len(TEXTS) - 1)
KIND = st.integers(0, len(KINDS) - 1)
SESSION = st.integers(0, len(SESSIONS) - 1)
PAST = st.lists(st.tuples(TIMES, TEXT, KIND, SESSION), min_size=1, max_size=6)
ACTIONS = st.one_of(
    st.tuples(st.just("live"), TIMES, TEXT, KIND, SESSION),
    st.tuples(st.just("live"), TIMES, TEXT, KIND, SESSION),
    st.tuples(st.just("late"), st.sampled_from([0, HOUR_MS, 9 * DAY_MS, 400 * DAY_MS]), PAST),
    st.tuples(st.just("forget event"), st.integers(0, 50)),
    st.tuples(st.just("forget session"), SESSION),
    st.tuples(st.just("drop entries"), st.integers(1, 9)),
    st.tuples(st.just("wait"), TIMES),
    st.tuples(st.just("catch up")),
    st.tuples(st.just("catch up")),
    st.tuples(st.just("rebuild")),
    st.tuples(st.just("doom"), st.integers(0, 8), st.booleans()),
)
LIVES = st.lists(ACTIONS, min_size=1, max_size=25)


def lived(actions: list[tuple[object, ...]], zone: tzinfo) -> None:
    life = Life(zone)
    for action in actions:
        life.do(action)
    life.reopen()
    life.shelf.contents.catch_up()

    prove(life.shelf)
    assert life.shelf.view() == life.shelf.rebuilt()
    prove(life.shelf)


@pytest.mark.promise("toc.rebuild-equal")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(actions=LIVES, zone=st.sampled_from(ZONES))
def test_however_it_came_about_the_table_is_the_one_made_anew(
    actions: list[tuple[object, ...]], zone: tzinfo
) -> None:
    lived(actions, zone)


@pytest.mark.soak
@pytest.mark.timeout(3_000)
@settings(max_examples=5_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    actions=st.lists(ACTIONS, min_size=1, max_size=60),
    zone=st.sampled_from(ZONES),
)
def test_however_long_it_lived_the_table_is_the_one_made_anew(
    actions: list[tuple[object, ...]], zone: tzinfo
) -> None:
    lived(actions, zone)
