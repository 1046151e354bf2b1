"""Where a session is cut, and that late events change only what they touch.

Method: events told minute by minute with an estimator that counts words.
"""

from __future__ import annotations

from zoneinfo import ZoneInfo

from agentx.conversation import limits
from agentx.conversation.segments import Cutting, cut, mark, place, revise
from agentx.conversation.toc_model import Segment
from agentx.kernel.capture import EventType
from agentx.kernel.clock import MINUTE_MS
from agentx.kernel.periods import SegmentRef, parse_node_id
from tests.support.talk import CUTTING, by_session, estimate, event, reply, segments, tool, user


def words(count: int) -> str:
    return "word " * count


def sizes(found: list[Segment]) -> list[int]:
    return [len(one.events) for one in found]


def test_half_an_hour_of_silence_is_borne_and_a_millisecond_more_is_not() -> None:
    near = [user("a", 0), reply("b", 30)]
    far = [user("a", 0), reply("b", 30 + 1 / MINUTE_MS)]

    assert sizes(segments(near)) == [2]
    assert sizes(segments(far)) == [1, 1]


def test_a_day_ends_a_segment_in_the_zone_of_the_project() -> None:
    midnight_in_kolkata = 9.5 * 60  # 18:30 UTC is midnight there; minutes after 9:00 UTC
    events = [user("a", midnight_in_kolkata - 1), reply("b", midnight_in_kolkata)]

    kolkata = Cutting(zone=ZoneInfo("Asia/Kolkata"), estimate=estimate)

    assert sizes(segments(events)) == [2]
    found = segments(events, kolkata)
    assert [one.day.isoformat() for one in found] == ["2026-01-15", "2026-01-16"]
    assert found[1].node_id.startswith("toc:segment:2026-01-16:")


def test_a_segment_never_exceeds_its_tokens() -> None:
    found = segments(reply(words(900), minute) for minute in range(20))

    assert all(one.tokens <= limits.SEGMENT_TOKENS_MAX for one in found)
    assert sizes(found) == [4, 4, 4, 4, 4]


def test_a_full_segment_ends_before_the_next_prompt() -> None:
    found = segments([reply(words(3100), 0), user("next thing", 1), reply("done", 2)])

    assert sizes(found) == [1, 2]
    assert found[1].events[0].event_type is EventType.USER_MESSAGE


def test_a_huge_event_is_a_segment_of_its_own() -> None:
    found = segments([user("look", 0), reply("x " * 500_000, 1), reply("so it is", 2)])

    assert sizes(found) == [1, 1, 1]


def test_a_tools_output_counts_no_more_than_is_read_of_it() -> None:
    found = segments(tool("line\n" * 200_000, minute, number=minute) for minute in range(10))

    assert sizes(found) == [10]
    assert found[0].tokens == 10 * limits.SEGMENT_TOOL_TOKENS_MAX


def test_events_without_text_are_bounded_too() -> None:
    silent = [
        event(kind=EventType.TOOL_CALL, minute=number / 1000, number=number)
        for number in range(limits.SEGMENT_EVENTS_MAX + 1)
    ]

    assert sizes(segments(silent)) == [limits.SEGMENT_EVENTS_MAX, 1]


def test_interleaved_sessions_stay_apart() -> None:
    events = [
        event(f"{name} {minute}", minute=minute, session=name, harness=harness)
        for minute in range(10)
        for name, harness in (("a", "claude-code"), ("b", "claude-code"), ("a", "codex"))
    ]

    found = segments(events)

    assert sizes(found) == [10, 10, 10]
    assert {(one.harness, one.session_id) for one in found} == {
        ("claude-code", "a"),
        ("claude-code", "b"),
        ("codex", "a"),
    }


def test_context_is_the_last_minutes_that_fit_and_no_part_of_the_segment() -> None:
    events = [
        reply(words(3600), 0),
        reply(words(200), 4),
        reply(words(150), 5),
        reply(words(100), 6),
        reply(words(100), 7),
    ]

    first, second = segments(events)

    assert first.context == ()
    assert [estimate(before.text) for before in second.context] == [200, 150]
    assert second.events == tuple(events[3:])


def test_what_lies_further_back_than_five_minutes_is_no_context() -> None:
    _, second = segments([reply(words(3990), 0), reply("short", 1), reply(words(50), 6.5)])

    assert second.context == ()


def test_a_segment_is_named_after_its_first_event() -> None:
    found = segments([user("a", 0), reply("b", 1)])[0]

    named = parse_node_id(found.node_id)

    assert named == SegmentRef(found.day, found.events[0].event_id)


def test_a_late_event_changes_only_the_segment_it_falls_into() -> None:
    events = [user(f"prompt {number}", 60 * number) for number in range(8)]
    before = segments(events)
    late = reply("late", 60 * 3 + 5)
    stored = sorted([*events, late], key=place)

    revision = revise(
        [mark(one) for one in before],
        [place(late)],
        lambda since: [one for one in stored if one.timestamp_ms >= since],
        CUTTING,
    )

    assert [one.node_id for one in revision.segments] == [before[3].node_id]
    assert revision.segments[0].events == (events[3], late)
    assert revision.gone == ()
    assert revision.marks == tuple(mark(one) for one in before)


def test_an_event_that_bridges_a_gap_joins_two_segments() -> None:
    events = [user("a", 0), user("b", 40)]
    before = segments(events)
    late = reply("between", 20)
    stored = sorted([*events, late], key=place)

    revision = revise(
        [mark(one) for one in before],
        [place(late)],
        lambda since: [one for one in stored if one.timestamp_ms >= since],
        CUTTING,
    )

    assert sizes(list(revision.segments)) == [3]
    assert revision.gone == (before[1].node_id,)


def test_forgetting_the_first_event_of_a_segment_renames_or_joins_it() -> None:
    events = [user("a", 0), reply(words(3999), 1), reply(words(100), 2), reply("c", 3)]
    before = segments(events)
    left = [events[0], events[1], events[3]]

    revision = revise(
        [mark(one) for one in before],
        [place(events[2])],
        lambda since: [one for one in left if one.timestamp_ms >= since],
        CUTTING,
    )

    whole = list(cut(left, CUTTING))
    assert revision.marks == tuple(mark(one) for one in whole)
    assert set(revision.gone) == {one.node_id for one in before} - {one.node_id for one in whole}


def test_nothing_new_changes_nothing() -> None:
    before = segments([user("a", 0), user("b", 60)])
    marks = [mark(one) for one in before]

    revision = revise(marks, [], lambda _: [], CUTTING)

    assert revision.segments == ()
    assert revision.marks == tuple(marks)


def test_sessions_come_out_in_their_own_order() -> None:
    late_first = [reply("b", 5), user("a", 0)]

    ((session, ordered),) = by_session(late_first)

    assert session == ("claude-code", "s1")
    assert [one.text for one in ordered] == ["a", "b"]
