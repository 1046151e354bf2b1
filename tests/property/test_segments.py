"""Whatever the order in which events arrive, a session is cut as if they had come in order.

Method: random events with random gaps, sizes and days arrive in random batches, some are
forgotten again; after every batch the revised segments equal those cut from nothing.
"""

from __future__ import annotations

import itertools
from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.conversation import limits
from agentx.conversation.model import Event
from agentx.conversation.segments import Continuation, Cutting, cut, mark, place, revise
from agentx.conversation.toc_model import Segment
from agentx.kernel.capture import EventType
from agentx.kernel.ids import NodeId
from agentx.kernel.periods import local_day
from tests.support.talk import estimate, event

KINDS = st.sampled_from(
    [EventType.USER_MESSAGE, EventType.ASSISTANT_MESSAGE, EventType.TOOL_RESULT]
)
GAPS = st.sampled_from([0.0, 0.1, 1.0, 4.0, 6.0, 29.9, 30.0, 30.1, 200.0, 700.0])
SIZES = st.sampled_from([0, 1, 40, 400, 1500, 3900, 4100])
STEPS = st.lists(st.tuples(GAPS, SIZES, KINDS), min_size=1, max_size=30)


def session(steps: list[tuple[float, int, EventType]]) -> list[Event]:
    minute = 0.0
    made = []
    for number, (gap, size, kind) in enumerate(steps):
        minute += gap
        made.append(event("w " * size, kind=kind, minute=minute, number=number))
    return sorted(made, key=place)


class Kept:
    """What a store would keep of one session, revised batch by batch."""

    def __init__(self, cutting: Cutting) -> None:
        self.cutting = cutting
        self.events: list[Event] = []
        self.marks: tuple[Continuation, ...] = ()
        self.segments: dict[NodeId, Segment] = {}

    def change(self, added: list[Event], forgotten: list[Event]) -> None:
        left = [one for one in self.events if one not in forgotten]
        self.events = sorted([*left, *added], key=place)
        revision = revise(
            self.marks,
            [place(one) for one in (*added, *forgotten)],
            lambda since: [one for one in self.events if one.timestamp_ms >= since],
            self.cutting,
        )
        for gone in revision.gone:
            del self.segments[gone]
        self.segments.update((one.node_id, one) for one in revision.segments)
        self.marks = revision.marks


@settings(max_examples=100, deadline=None)
@given(steps=STEPS, data=st.data())
@pytest.mark.parametrize("zone", [UTC, ZoneInfo("Pacific/Auckland")])
def test_revised_equals_cut_from_nothing(
    zone: tzinfo, steps: list[tuple[float, int, EventType]], data: st.DataObject
) -> None:
    cutting = Cutting(zone=zone, estimate=estimate)
    arriving = data.draw(st.permutations(session(steps)))
    kept = Kept(cutting)
    while arriving:
        count = data.draw(st.integers(1, 6))
        batch, arriving = arriving[:count], arriving[count:]
        forgotten = (
            data.draw(st.lists(st.sampled_from(kept.events), max_size=2, unique_by=id))
            if kept.events
            else []
        )
        kept.change(batch, forgotten)

        anew = list(cut(kept.events, cutting))
        assert kept.marks == tuple(mark(one) for one in anew)
        assert kept.segments == {one.node_id: one for one in anew}


@settings(max_examples=100, deadline=None)
@given(steps=STEPS)
def test_segments_hold_every_event_once_and_keep_their_bounds(
    steps: list[tuple[float, int, EventType]],
) -> None:
    events = session(steps)

    found = list(cut(events, Cutting(zone=UTC, estimate=estimate)))

    assert [one for part in found for one in part.events] == events
    for part in found:
        assert part.tokens <= limits.SEGMENT_TOKENS_MAX or len(part.events) == 1
        assert {local_day(one.timestamp_ms, UTC) for one in part.events} == {part.day}
        times = [one.timestamp_ms for one in part.events]
        assert all(b - a <= limits.SEGMENT_GAP_MS for a, b in itertools.pairwise(times))
        assert sum(estimate(one.text) for one in part.context if one.role != "tool") <= (
            limits.SEGMENT_OVERLAP_TOKENS_MAX
        )
        assert all(
            part.start_ms - one.timestamp_ms <= limits.SEGMENT_OVERLAP_MS for one in part.context
        )
        assert not any(one in part.events for one in part.context)
