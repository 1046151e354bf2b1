"""Runs for tests: a store over a folder, and events that random actors might write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from agentx.host import crash
from agentx.kernel.bus import Bus
from agentx.kernel.clock import Millis
from agentx.kernel.ids import ulid
from agentx.kernel.paths import ProjectPaths, StorePaths
from agentx.runs.lane_work import LaneWork
from agentx.runs.model import Happening, RunEvent
from agentx.runs.service import Runs
from agentx.runs.store.git_lanes import GitLanes
from agentx.runs.store.run_store import RunStore
from tests.support.time_and_chance import START_MS, CountingEntropy, FakeClock

RUN = "20260302-1000-a-run-0001"


class Team:
    """A checkout and its store, with the room opened over both."""

    def __init__(self, root: Path, data: Path, *, seed: int = 0) -> None:
        self.root = root
        self.data = data
        self.clock = FakeClock()
        self.entropy = Chance(seed)
        self.bus = Bus()
        self.store = RunStore(ProjectPaths(root), StorePaths(data), self.clock, self.entropy)
        git = GitLanes(root, StorePaths(data), find_checkout=lambda: self.store.own.known)
        self.runs = Runs(self.store, git, self.bus)
        self.lanes = LaneWork(self.runs)

    def __deepcopy__(self, _known: dict[int, object]) -> Team:
        """Open the same checkout again, at the same moment."""
        made = type(self)(self.root, self.data)
        made.clock.advance(self.clock.now_ms() - made.clock.now_ms())
        made.entropy.go_on_after(self.entropy)
        return made

    def lane(self, number: int) -> str:
        """Return how a lane is called that this checkout opened."""
        return f"lane-{number:03}-{self.store.find_writer()}"

    def says(self, run: str, kind: str, /, **fields: Any) -> None:
        """Record something that happened, a second later."""
        self.clock.advance(1_000)
        self.runs.say(run, happening(kind, **fields))


class Killed(BaseException):
    """What a kill looks like from inside the process."""


def killed() -> None:
    """Die here, and not again."""
    crash.disarm()
    raise Killed


class Chance(CountingEntropy):
    """Bytes that never come twice, not even for another team."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._count = seed << 16

    def go_on_after(self, other: Chance) -> None:
        """Give none of the bytes that another gave."""
        self._count = other._count


def happening(
    kind: str, /, *, actor: str = "executor", task: str = "", lane: str = "", **detail: Any
) -> Happening:
    """Return something that happened."""
    return Happening(kind=kind, actor=actor, task=task, lane=lane, detail=detail)


def event(number: int, kind: str, /, *, at: int | None = None, **fields: Any) -> RunEvent:
    """Return an event, a second after the one before."""
    at_ms = START_MS + (number * 1_000 if at is None else at)
    said = happening(kind, **fields)
    return RunEvent(
        id=ulid(at_ms, number.to_bytes(10)),
        at_ms=Millis(at_ms),
        run=RUN,
        actor=said.actor,
        kind=said.kind,
        task=said.task,
        lane=said.lane,
        detail=said.detail,
    )


_TASKS = st.sampled_from(["TASK-001", "TASK-002", "TASK-003"])
_LANES = st.sampled_from(["lane-001", "lane-002"])
_WORDS = st.text(alphabet="abc \u00e9\u4e2d\U0001f600\n", min_size=1, max_size=8).filter(str.strip)


def _kind(kind: str, /, *, task: bool = False, lane: bool = False, **fields: Any) -> Any:
    return st.fixed_dictionaries(
        {
            "kind": st.just(kind),
            "task": _TASKS if task else st.just(""),
            "lane": _LANES if lane else st.just(""),
            "detail": st.fixed_dictionaries(fields),
            "actor": st.sampled_from(["executor", "verifier"]),
        }
    )


HAPPENINGS = st.one_of(
    _kind("note", text=_WORDS),
    _kind("task-added", task=True, title=_WORDS),
    _kind("task-revised", task=True, title=_WORDS),
    _kind("task-started", task=True),
    _kind("task-progressed", task=True, text=_WORDS),
    _kind("task-completed", task=True),
    _kind("task-failed", task=True, reason=_WORDS),
    _kind("lane-opened", lane=True, task=True, branch=st.just("agent/x/lane")),
    _kind("lane-finished", lane=True),
    _kind("lane-merged", lane=True),
    _kind("lane-failed", lane=True, reason=_WORDS),
    _kind("phase-entered", phase=st.sampled_from(["PLANNING", "EXECUTION", "VERIFICATION"])),
    _kind("artifact-written", name=st.sampled_from(["plan.md", "prd.md"]), text=_WORDS),
    _kind("verification-recorded", task=True, verdict=st.sampled_from(["PASSED", "FAILED"])),
    _kind("escalation-raised", question=_WORDS),
    _kind("conflict-found", lane=True, operation=st.just("merge"), files=st.just(["a.py"])),
    _kind("checkpoint-made", text=_WORDS),
    _kind("candidate-proposed", kind=st.just("pattern"), text=_WORDS),
    _kind("run-completed"),
    _kind("run-reopened"),
).map(lambda fields: Happening(**fields))


@st.composite
def histories(draw: Any) -> list[RunEvent]:
    """Events that several actors may have written, some at the same moment."""
    said = draw(st.lists(HAPPENINGS, max_size=25))
    started = event(0, "run-started", title="a run")
    events = [started]
    for number, each in enumerate(said, 1):
        at_ms = START_MS + draw(st.integers(0, 8)) * 1_000
        events.append(
            RunEvent(
                id=ulid(at_ms, number.to_bytes(10)),
                at_ms=Millis(at_ms),
                run=RUN,
                actor=each.actor,
                kind=each.kind,
                task=each.task,
                lane=each.lane,
                detail=each.detail,
            )
        )
    return events
