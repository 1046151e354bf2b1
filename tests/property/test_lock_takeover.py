"""Goal: whatever holders, takers, pauses, deaths and clocks do, one holds and none overwrites.

Method: a Hypothesis state machine on real lock files. Each actor is a process of its own as far
as the protocol can tell (its own pid, alive or dead; a shared clock in the test's hands). A model
says who holds. Any step of one actor may be interrupted, at the protocol's named points, by a whole
step of another: that is what a pause at that point looks like to everybody else.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.host.files.atomic import replace_file
from agentx.host.locks.file import LockFile, Timing
from agentx.host.locks.record import Here, look
from agentx.kernel.errors import StaleVersion
from tests.support.time_and_chance import FakeClock

STALE_MS = 1_000
ACTORS = st.integers(0, 3)
TICKS = st.sampled_from([1, STALE_MS // 2, STALE_MS, STALE_MS + 1, 3 * STALE_MS, -5 * STALE_MS])
OUTSIDE_GUARD = st.sampled_from(
    [
        CrashPoint.LOCK_BEFORE_NAMED,
        CrashPoint.LOCK_BEFORE_TAKEOVER,
        CrashPoint.LOCK_BEFORE_COMMIT,
    ]
)


class Actor:
    """A process that changes the file: reads under the lock, writes what it read plus one."""

    def __init__(self, number: int, path: Path, clock: FakeClock, dead: set[int]) -> None:
        self.pid = 100 + number
        self.path = path
        self.read: int | None = None  # what it read when it got the lock
        self.lock = LockFile(
            path,
            owner=f"actor-{number}",
            clock=clock,
            timing=Timing(stale_ms=STALE_MS),
            here=Here(pid=self.pid, host="here", boot="now", alive=lambda pid: pid not in dead),
        )

    def acquire(self) -> bool:
        if self.read is not None or not self.lock.try_acquire():
            return False
        self.read = int(self.path.read_bytes())
        return True

    def write(self) -> bool:
        assert self.read is not None
        try:
            with self.lock.committing():
                replace_file(self.path, b"%d" % (self.read + 1))
        except StaleVersion:
            return False
        self.read += 1
        return True

    def release(self) -> None:
        self.lock.release()
        self.read = None


class Takeover(RuleBasedStateMachine):
    """Every successful write is a count of one: if the file ever lags, a write was overwritten."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="takeover-"))
        self.path = self.folder / "counter"
        self.path.write_bytes(b"0")
        self.clock = FakeClock(self.folder.stat().st_mtime_ns // 1_000_000)
        self.dead: set[int] = set()
        self.actors = [Actor(number, self.path, self.clock, self.dead) for number in range(4)]
        self.writes = 0

    def teardown(self) -> None:
        crash.disarm()
        shutil.rmtree(self.folder)

    @rule(who=ACTORS)
    def acquires(self, who: int) -> None:
        actor = self.actors[who]
        if self._alive(actor) and actor.read is None:
            free = self._free_for(actor)
            assert actor.acquire() == free

    @rule(who=ACTORS)
    def writes_once(self, who: int) -> None:
        actor = self.actors[who]
        if self._alive(actor) and actor.read is not None:
            holds = self._holds(actor)
            assert actor.write() == holds
            self.writes += holds

    @rule(who=ACTORS)
    def beats(self, who: int) -> None:
        actor = self.actors[who]
        if self._alive(actor) and actor.read is not None:
            holds = self._holds(actor)
            assert actor.lock.beat() == holds

    @rule(who=ACTORS)
    def releases(self, who: int) -> None:
        actor = self.actors[who]
        if self._alive(actor) and actor.read is not None:
            others = self._nonce() if not self._holds(actor) else None
            actor.release()
            assert self._nonce() == others

    @rule(who=ACTORS)
    def dies(self, who: int) -> None:
        self.dead.add(self.actors[who].pid)

    @rule(ms=TICKS)
    def time_passes(self, ms: int) -> None:
        self.clock.advance(ms)

    @rule(who=ACTORS, other=ACTORS, point=OUTSIDE_GUARD, ms=TICKS, then_releases=st.booleans())
    def is_paused(
        self, who: int, other: int, point: CrashPoint, ms: int, then_releases: bool
    ) -> None:
        """One is stopped at a named point; another does a whole turn later; the one goes on."""
        paused, active = self.actors[who], self.actors[other]
        if who == other or not self._alive(paused) or not self._alive(active):
            return

        held_by_active: list[bool] = []

        def meanwhile() -> None:
            crash.disarm()
            self.clock.advance(ms)
            if active.acquire() or active.read is not None:
                self.writes += active.write()
                if then_releases:
                    active.release()
            held_by_active.append(self._holds(active) and not self._free_for(paused))

        crash.arm(point, meanwhile)
        step: Callable[[], bool] = paused.acquire if paused.read is None else paused.write
        succeeded = step()
        crash.disarm()
        self.writes += succeeded and step == paused.write
        assert not (succeeded and any(held_by_active)), "two takers both hold"

    @invariant()
    def no_write_was_overwritten(self) -> None:
        assert int(self.path.read_bytes()) == self.writes

    @invariant()
    def at_most_one_holds(self) -> None:
        assert sum(self._holds(actor) for actor in self.actors) <= 1

    @invariant()
    def who_holds_has_read_the_newest(self) -> None:
        for actor in self.actors:
            if self._holds(actor) and actor.read is not None:
                assert actor.read == self.writes

    def _alive(self, actor: Actor) -> bool:
        return actor.pid not in self.dead

    def _nonce(self) -> str | None:
        seen = look(self.folder / "counter.lock")
        return None if seen is None or seen.record is None else seen.record.nonce

    def _holds(self, actor: Actor) -> bool:
        mine = actor.lock._record
        return mine is not None and self._nonce() == mine.nonce

    def _free_for(self, actor: Actor) -> bool:
        seen = look(self.folder / "counter.lock")
        if seen is None:
            return True
        assert seen.record is not None, "nobody leaves an empty lock without dying"
        lapsed = abs(self.clock.now_ms() - seen.record.timestamp_ms) > STALE_MS
        return lapsed or seen.record.pid in self.dead


TestTakeover = Takeover.TestCase
TestTakeover.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)
