"""Goal: keys round-trip, and their order as bytes is the order of time. Method: Hypothesis."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentx.host.kv import keys
from agentx.kernel.ids import ulid

TIMES = st.integers(0, 10**13 - 1)
EVENTS = st.tuples(TIMES, st.binary(min_size=10, max_size=10))
REFS = st.binary(min_size=16, max_size=16)


@given(EVENTS)
def test_an_events_key_gives_its_parts_back(event: tuple[int, bytes]) -> None:
    at_ms, randomness = event
    event_id = ulid(at_ms, randomness)

    key = keys.event_key_of(event_id)

    assert key == keys.event_key(at_ms, event_id)
    assert keys.event_parts(key) == (at_ms, event_id)
    assert keys.event_id_of(key) == event_id


@given(st.lists(EVENTS, max_size=30), REFS)
def test_keys_sort_by_time_alone_and_under_their_session(
    events: list[tuple[int, bytes]], ref: bytes
) -> None:
    ids = sorted({ulid(at_ms, randomness) for at_ms, randomness in events})

    found = [keys.event_key_of(event_id) for event_id in ids]
    listed = [keys.session_event_head(ref) + key for key in found]

    assert found == sorted(found)
    assert listed == sorted(listed)
    assert [keys.session_event_of(key) for key in listed] == found


@given(
    EVENTS,
    st.none() | st.integers(-10, 10**13 + 10),
    st.none() | st.integers(-10, 10**13 + 10),
    REFS,
)
def test_a_range_holds_exactly_the_times_between_its_bounds(
    event: tuple[int, bytes], since_ms: int | None, until_ms: int | None, ref: bytes
) -> None:
    at_ms, randomness = event
    key = keys.event_key_of(ulid(at_ms, randomness))
    inside = (since_ms is None or at_ms >= since_ms) and (until_ms is None or at_ms < until_ms)

    start, end = keys.event_range(since_ms, until_ms)
    first, last = keys.session_event_range(ref, since_ms, until_ms)

    assert (start <= key < end) == inside
    assert (first <= keys.session_event_head(ref) + key < last) == inside
    assert keys.session_event_span(ref, start, end) == (first, last)


@given(REFS, REFS, EVENTS)
def test_one_sessions_range_holds_no_event_of_another(
    ref: bytes, other: bytes, event: tuple[int, bytes]
) -> None:
    key = keys.session_event_head(other) + keys.event_key_of(ulid(*event))

    start, end = keys.session_event_range(ref)

    assert (start <= key < end) == (ref == other)


@given(REFS)
def test_a_sessions_keys_give_its_reference_back(ref: bytes) -> None:
    key = keys.session_key(ref)
    first, last = keys.session_range()

    assert keys.session_ref_of(key) == ref
    assert first <= key < last


@given(st.integers(0, 10**20 - 1), st.integers(0, 10**20 - 1))
def test_outbox_keys_sort_by_sequence(one: int, other: int) -> None:
    assert keys.outbox_sequence_of(keys.outbox_key(one)) == one
    assert (keys.outbox_key(one) < keys.outbox_key(other)) == (one < other)
    start, end = keys.outbox_range(other)
    assert (start <= keys.outbox_key(one) < end) == (one >= other)


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_names_lie_in_their_range_and_are_given_back(name: str) -> None:
    key = keys.checkpoint_key(name)
    start, end = keys.checkpoint_range()

    assert keys.checkpoint_name_of(key) == name
    assert start <= key < end
