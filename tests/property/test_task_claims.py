"""Goal: whatever clones claim, online and offline, one of them holds the task, in every clone.

Method: random histories of three clones and a remote: they claim, renew, release, take, exchange
what they know, with clocks that differ and pushes that lose a race. Events are merged in any order.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.clock import Millis, to_iso
from agentx.kernel.ids import ulid
from agentx.runs.model import RunEvent
from agentx.runs.rules.fold import fold
from tests.support.run_stories import RUN
from tests.support.time_and_chance import START_MS

_HOLDS_MS = 10_000
_TASK = "TASK-001"


class Clone:
    """What one clone knows, with a clock of its own."""

    def __init__(self, name: str, remote: dict[str, RunEvent], ahead_ms: int) -> None:
        self.name = name
        self.remote = remote
        self.ahead_ms = ahead_ms
        self.known: dict[str, RunEvent] = dict(remote)

    def look(self) -> Any:
        return fold(RUN, self.known.values())

    def says(self, kind: str, now_ms: int, /, **detail: Any) -> RunEvent:
        at_ms = max(now_ms + self.ahead_ms, self.look().updated_ms + 1)
        if kind == "task-claimed":
            said_ms = now_ms + self.ahead_ms
            until_ms = min(at_ms, said_ms + _HOLDS_MS) + _HOLDS_MS
            detail |= {"until": to_iso(until_ms), "holder": "executor", "said_at": to_iso(said_ms)}
        made = RunEvent(
            id=ulid(at_ms, random.Random(f"{self.name}{len(self.known)}{at_ms}").randbytes(10)),
            at_ms=Millis(at_ms),
            run=RUN,
            actor="executor",
            kind=kind,
            task=_TASK,
            detail={"checkout": self.name, **detail},
        )
        self.known[made.id] = made
        return made

    def is_free(self, now_ms: int) -> bool:
        held = self.look().tasks[_TASK].find_claim(now_ms + self.ahead_ms)
        return held is None or held.checkout == self.name

    def sync(self) -> None:
        self.known |= self.remote
        self.remote |= self.known


def _play(draw: Any) -> tuple[list[Clone], list[str]]:
    started = _event("run-started", 0, title="a run")
    added = _event("task-added", 1, title="t")
    remote = {each.id: each for each in (started, added)}
    skews = draw(st.lists(st.sampled_from([0, 0, -3_000, 4_000]), min_size=3, max_size=3))
    clones = [Clone(name, remote, ahead) for name, ahead in zip("abc", skews, strict=True)]
    now_ms, told = int(START_MS) + 10_000, []
    acts = ("online", "offline", "renew", "release", "sync", "take", "done", "wait", "race")
    for act, at, wait in draw(
        st.lists(
            st.tuples(st.sampled_from(acts), st.integers(0, 2), st.integers(0, 6_000)),
            max_size=14,
        )
    ):
        clone, rival = clones[at], clones[(at + 1) % 3]
        now_ms += wait
        told.append(f"{clone.name} {act} at {now_ms}")
        match act:
            case "online" | "race":
                clone.sync()
                if not clone.is_free(now_ms):
                    continue
                mine = clone.says("task-claimed", now_ms, shared=True)
                if act == "race" and rival.is_free(now_ms):
                    rival.known |= rival.remote
                    if rival.is_free(now_ms):
                        rival.says("task-claimed", now_ms, shared=True)
                    rival.remote |= rival.known
                    clone.known |= clone.remote  # its push was refused: it takes in, and yields
                    without = [each for each in clone.known.values() if each.id != mine.id]
                    held = fold(RUN, without).tasks[_TASK].find_claim(mine.at_ms)
                    if held is not None and held.checkout != clone.name:
                        clone.says("task-released", now_ms, yields=[mine.id])
                clone.sync()
                if act == "race":
                    _hold_one(clones, remote, told)
            case "offline" | "renew":
                if clone.is_free(now_ms):
                    clone.says("task-claimed", now_ms)
            case "take":
                clone.says("task-claimed", now_ms, taken=True)
            case "release":
                clone.says("task-released", now_ms)
            case "done":
                if clone.is_free(now_ms):
                    clone.says("task-completed", now_ms)
            case "sync":
                clone.sync()
            case _:
                pass
    return clones, told


def _hold_one(clones: list[Clone], remote: dict[str, RunEvent], told: list[str]) -> None:
    """See that what the remote has names one holder, and each clone that has it the same."""
    said = fold(RUN, remote.values()).tasks[_TASK].settled
    for clone in clones:
        if clone.known.keys() == remote.keys():
            assert clone.look().tasks[_TASK].settled == said, told


def _event(kind: str, number: int, **detail: Any) -> RunEvent:
    return RunEvent(
        id=ulid(START_MS + number, number.to_bytes(10)),
        at_ms=Millis(START_MS + number),
        run=RUN,
        actor="executor",
        kind=kind,
        task=_TASK if kind.startswith("task") else "",
        detail=detail,
    )


@pytest.mark.promise("runs.claims")
@given(data=st.data())
def test_random_claims_of_three_clones_give_one_holder_everywhere(data: Any) -> None:
    clones, told = _play(data.draw)
    union = {name: each for clone in clones for name, each in clone.known.items()}
    orders = [list(union.values()) for _ in range(3)]
    for number, order in enumerate(orders):
        random.Random(number).shuffle(order)
    found = [fold(RUN, order).tasks[_TASK].settled for order in orders]

    assert found[0] == found[1] == found[2], told
    stands = found[0].claim
    for lost in found[0].lost:
        assert stands is None or lost.claim.checkout != stands.checkout, told
    for clone in clones * 2:  # each pushes and takes in
        clone.sync()
    for clone in clones:
        assert clone.look().tasks[_TASK].settled == found[0], told


@pytest.mark.promise("runs.claims")
@given(data=st.data())
def test_once_a_claim_is_pushed_nobody_else_begins_the_task(data: Any) -> None:
    """Online alone, whatever the clocks say: who pushed first holds it until it expires."""
    started, added = _event("run-started", 0, title="a run"), _event("task-added", 1, title="t")
    remote = {each.id: each for each in (started, added)}
    skews = data.draw(st.lists(st.integers(-2_000, 2_000), min_size=3, max_size=3))
    clones = [Clone(name, remote, ahead) for name, ahead in zip("abc", skews, strict=True)]
    first, second, third = data.draw(st.permutations(clones))
    now_ms = int(START_MS) + 10_000
    for clone in clones:
        clone.sync()

    mine = second.says("task-claimed", now_ms, shared=True)  # said first, pushed second
    first.says("task-claimed", now_ms + 1, shared=True)
    first.sync()
    second.known |= second.remote
    without = [each for each in second.known.values() if each.id != mine.id]
    held = fold(RUN, without).tasks[_TASK].settled.claim
    assert held is not None
    assert held.checkout == first.name
    second.says("task-released", now_ms + 2, yields=[mine.id])
    second.sync()

    third.sync()
    assert not third.is_free(now_ms + 10)
    for clone in clones:
        clone.sync()
        stands = clone.look().tasks[_TASK].settled.claim
        assert stands is not None
        assert stands.checkout == first.name
