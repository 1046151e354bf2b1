"""How a day, a week, a month and a year are told by their parts.

Method: nodes made by hand for the single rules; a small conversation for the whole ladder.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date

import pytest

from agentx.conversation import limits
from agentx.conversation.extract.summary import Extractive
from agentx.conversation.segments import closes_ms, is_due
from agentx.conversation.toc import roll_up, segment_node, tells_the_same
from agentx.conversation.toc_model import Bullet, BulletKind, TocNode, Topic
from agentx.kernel.capture import EventType
from agentx.kernel.clock import DAY_MS, MINUTE_MS, Millis
from agentx.kernel.ids import GripId, NodeId
from agentx.kernel.periods import Level, Period, day_period, end_ms, period_at
from tests.support.talk import MORNING_MS, event, periods_above, reply, segments, user

DAY = day_period(date(2026, 1, 15))
LATER = Millis(MORNING_MS + 400 * DAY_MS)


def bullet(
    text: str,
    *,
    weight: int = 60,
    kind: BulletKind = BulletKind.CHANGE,
    minute: int = 0,
    grip: str = "",
) -> Bullet:
    return Bullet(
        text=text,
        grip_ids=(GripId(grip or f"grip of {text}"),),
        kind=kind,
        weight=weight,
        timestamp_ms=Millis(MORNING_MS + minute * MINUTE_MS),
    )


def part(number: int, *bullets: Bullet, **changes: object) -> TocNode:
    node = TocNode(
        node_id=NodeId(f"toc:segment:2026-01-15:01KF{number:022}"),
        level=Level.SEGMENT,
        title=f"Part {number}",
        bullets=bullets,
        topics=(Topic(text=f"Part {number}", weight=50),),
        start_ms=Millis(MORNING_MS + number * MINUTE_MS),
        end_ms=Millis(MORNING_MS + number * MINUTE_MS + 1),
        sessions=(f"s{number}",),
        session_count=1,
        event_count=10,
    )
    return replace(node, **changes)  # type: ignore[arg-type]  # the tests name fields of the node


def day(*parts: TocNode) -> TocNode:
    return roll_up(DAY, parts, now_ms=LATER, zone=UTC)


def week(*parts: TocNode) -> TocNode:
    return roll_up(period_at(Millis(MORNING_MS), UTC, Level.WEEK), parts, now_ms=LATER, zone=UTC)


def lines(node: TocNode) -> list[str]:
    return [one.text for one in node.bullets]


# --- choosing -------------------------------------------------------------------------------


def test_the_most_telling_lines_come_first_and_no_part_takes_them_all() -> None:
    chatty = part(1, *(bullet(f"alpha{n} beta{n} gamma{n}", weight=90 - n) for n in range(5)))
    quiet = part(2, bullet("delta epsilon zeta", weight=60))

    found = lines(day(chatty, quiet))

    assert found[0] == "alpha0 beta0 gamma0"
    assert "delta epsilon zeta" in found
    assert len(found) == limits.DAY_BULLETS_MAX


def test_no_kind_takes_more_than_half_of_the_lines() -> None:
    kinds = [*[BulletKind.PROBLEM] * 5, BulletKind.DECISION, BulletKind.CHANGE, BulletKind.OPEN]
    parts = [
        part(at, bullet(f"alpha{at} beta{at} gamma{at}", weight=99 - 5 * at, kind=kind))
        for at, kind in enumerate(kinds)
    ]

    found = [one.kind for one in day(*parts).bullets]

    assert len(found) == limits.DAY_BULLETS_MAX
    assert found.count(BulletKind.PROBLEM) == limits.DAY_BULLETS_MAX // 2
    assert {BulletKind.DECISION, BulletKind.CHANGE, BulletKind.OPEN} <= set(found)


def test_a_problem_that_was_solved_is_told_as_what_was_solved() -> None:
    broken = bullet("login fails: `auth` reads the local clock", kind=BulletKind.PROBLEM)
    fixed = bullet(
        "login passes: `auth` reads the clock in UTC", kind=BulletKind.OUTCOME, minute=9, weight=40
    )
    other = bullet("berth prices round down twice", kind=BulletKind.PROBLEM)

    assert lines(day(part(1, broken), part(2, fixed, other))) == [other.text, fixed.text]


def test_a_period_of_one_part_does_not_repeat_its_headline() -> None:
    said = "Logins pass again (4e4f1a2): `auth` reads the clock in UTC. All tests are green."
    one = part(1, bullet(said, weight=60), keywords=("auth.py", "login test", "UTC", "clock"))

    node = day(one)

    assert node.title == (
        "Thursday 15 January 2026: Logins pass again: `auth` reads the clock in UTC"
    )
    assert week(node).title == "Week 3, 12-18 January 2026"


def test_a_thing_told_twice_is_told_once_with_the_proof_of_both() -> None:
    node = day(
        part(1, bullet("Renamed the tokens table to logins", weight=60, grip="grip:1")),
        part(2, bullet("Renamed the tokens table to logins.", weight=70, grip="grip:2")),
    )

    (only,) = node.bullets
    assert only.weight == 70
    assert only.grip_ids == ("grip:2", "grip:1")


def test_of_equals_the_newest_is_kept() -> None:
    node = day(
        part(1, bullet("Keys live 24 hours in the idempotency table", minute=1)),
        part(2, bullet("Keys live 72 hours in the idempotency table", minute=2)),
    )

    assert lines(node) == ["Keys live 72 hours in the idempotency table"]


def test_a_decision_that_was_taken_back_is_not_told() -> None:
    early = bullet(
        "We decided to store bookings in SQLite with WAL and nightly backups",
        kind=BulletKind.DECISION,
        minute=1,
    )
    late = bullet("Moved bookings away from SQLite to Postgres", kind=BulletKind.CHANGE, minute=9)

    assert lines(day(part(1, early), part(2, late))) == [late.text]
    assert lines(day(part(1, early))) == [early.text]


def test_a_decision_reversed_by_its_number_is_not_told() -> None:
    first = bullet("Decision 3: five tries, 30 s apart", kind=BulletKind.DECISION, minute=1)
    later = bullet("Decision 10 reverses decision 3", kind=BulletKind.DECISION, minute=2)

    assert lines(day(part(1, first), part(2, later))) == [later.text]


def test_a_decision_whose_amount_was_reversed_leads_no_period() -> None:
    first = bullet("Approved: a key of its own, kept 24 hours", kind=BulletKind.DECISION, weight=99)
    other = bullet("Approved: full jitter for 24 hours", kind=BulletKind.DECISION, minute=60 * 24)
    later = bullet(
        "Decision 11 reverses the 24 hours of 15 January: they repeat for 72 hours",
        kind=BulletKind.DECISION,
        weight=40,
        minute=60 * 48,
    )
    told = [bullet(f"Moved the {name} harbour", weight=60) for name in ("north", "east", "south")]

    rolled = day(part(1, first), part(2, other), part(3, later, *told))
    assert first.text not in lines(rolled)
    assert {other.text, later.text} <= set(lines(rolled))


def test_an_earlier_line_takes_nothing_back() -> None:
    early = bullet("Switched bookings from files to SQLite", kind=BulletKind.CHANGE, minute=1)
    late = bullet("Agreed: SQLite bookings get a backup", kind=BulletKind.DECISION, minute=2)

    assert set(lines(day(part(1, early), part(2, late)))) == {early.text, late.text}


def test_reversals_of_different_things_both_stand() -> None:
    one = bullet("Decision 4 reverses decision 1", kind=BulletKind.DECISION, minute=1)
    other = bullet("Decision 10 reverses decision 3", kind=BulletKind.DECISION, minute=2)

    assert set(lines(day(part(1, one), part(2, other)))) == {one.text, other.text}


# --- the rest of a node ---------------------------------------------------------------------


def test_a_node_counts_and_lists_what_its_parts_did() -> None:
    node = day(
        part(2, agents=("engineer",), harnesses=("codex",), issues=(9, 12), event_count=3),
        part(1, agents=("architect", "engineer"), harnesses=("claude-code",), issues=(12,)),
    )

    assert node.children == (part(1).node_id, part(2).node_id)
    assert (node.start_ms, node.end_ms) == (part(1).start_ms, part(2).end_ms)
    assert node.agents == ("architect", "engineer")
    assert node.harnesses == ("claude-code", "codex")
    assert node.sessions == ("s1", "s2")
    assert node.issues == (9, 12)
    assert node.event_count == 13


def test_a_node_lists_so_many_sessions_and_counts_the_rest() -> None:
    many = tuple(f"session-{n:05}" for n in range(limits.NODE_SESSIONS_MAX))
    one = part(1, sessions=many, session_count=len(many) + 7)
    other = part(2, sessions=("newest",), session_count=1)

    node = day(one, other)

    assert len(node.sessions) == limits.NODE_SESSIONS_MAX
    assert "newest" in node.sessions
    assert node.session_count == len(many) + 7 + 1


def test_a_title_is_the_period_in_words_and_its_weightiest_topics() -> None:
    node = day(
        part(1, topics=(Topic(text="Add refresh tokens", weight=90),)),
        part(2, topics=(Topic(text="Fix the flaky checkout test", weight=120),)),
        part(3, topics=(Topic(text="Adding refresh tokens", weight=60),)),
    )

    assert node.title == (
        "Thursday 15 January 2026: Add refresh tokens; Fix the flaky checkout test"
    )
    assert node.topics[0] == Topic(text="Add refresh tokens", weight=150)


def test_keywords_of_many_parts_come_first() -> None:
    node = day(
        part(1, keywords=("alpha", "Postgres")),
        part(2, keywords=("postgres", "beta")),
    )

    assert node.keywords == ("Postgres", "alpha", "beta")


def test_the_order_of_the_parts_does_not_matter() -> None:
    parts = [part(n, bullet(f"line{n} about thing{n} number{n}")) for n in range(6)]

    assert day(*parts) == day(*reversed(parts)) == day(*parts[3:], *parts[:3])


# --- segments -------------------------------------------------------------------------------


def test_a_segments_node_holds_its_summary() -> None:
    (one,) = segments(
        [
            event("#12: add idempotency keys", kind=EventType.USER_MESSAGE, agent="engineer"),
            reply("Added keys in `keys.py`; that is #1 of 3, see issue 40.", 1),
            event("Bash: make", kind=EventType.TOOL_CALL, minute=2, issue="7"),
        ]
    )

    node = segment_node(one, Extractive().summarise(one), now_ms=LATER, zone=UTC)

    assert node.node_id == one.node_id
    assert node.title == "#12: add idempotency keys"
    assert node.issues == (7, 12, 40)
    assert node.agents == ("engineer",)
    assert node.event_count == 3
    assert node.written_by == "extractive"
    assert not node.provisional


def test_every_level_keeps_the_grips_of_the_lines_it_kept() -> None:
    found = segments(
        one
        for hour in range(5)
        for one in (
            user(f"Fix bug number {hour} in module{hour}.py", hour * 60),
            reply(
                f"Root cause: module{hour}.py leaked handle{hour} on error{hour}.", hour * 60 + 1
            ),
        )
    )
    summaries = [Extractive().summarise(one) for one in found]
    known = {held.grip_id for one in summaries for held in one.grips}
    nodes = [
        segment_node(one, summary, now_ms=LATER, zone=UTC)
        for one, summary in zip(found, summaries, strict=True)
    ]

    for period in (DAY, *periods_above(DAY)):
        nodes = [roll_up(period, nodes, now_ms=LATER, zone=UTC)]
        assert nodes[0].node_id == period.node_id
        assert nodes[0].bullets
        assert all(one.grip_ids and set(one.grip_ids) <= known for one in nodes[0].bullets)
        assert nodes[0].event_count == 10


# --- open and closed ------------------------------------------------------------------------


def test_a_segment_is_provisional_until_its_session_has_been_silent() -> None:
    (one,) = segments([user("a", 0), reply("b", 1)])
    summary = Extractive().summarise(one)
    quiet = one.end_ms + limits.SEGMENT_GAP_MS

    open_node = segment_node(one, summary, now_ms=Millis(quiet - 1), zone=UTC)

    assert open_node.provisional
    assert closes_ms(open_node, UTC) == quiet
    assert not is_due(open_node, now_ms=Millis(quiet - 1), zone=UTC)
    assert is_due(open_node, now_ms=Millis(quiet), zone=UTC)
    assert not segment_node(one, summary, now_ms=Millis(quiet), zone=UTC).provisional


@pytest.mark.parametrize("period", [DAY, *periods_above(DAY)])
def test_a_period_is_provisional_until_it_is_over(period: Period) -> None:
    over = end_ms(period, UTC)

    open_node = roll_up(period, [part(1)], now_ms=Millis(over - 1), zone=UTC)

    assert open_node.provisional
    assert is_due(open_node, now_ms=over, zone=UTC)
    assert not roll_up(period, [part(1)], now_ms=over, zone=UTC).provisional


def test_a_period_with_a_provisional_part_is_provisional() -> None:
    assert day(part(1), part(2, provisional=True)).provisional


def test_two_nodes_that_differ_in_version_tell_the_same() -> None:
    node = day(part(1))

    assert tells_the_same(node, replace(node, version=9))
    assert not tells_the_same(node, replace(node, event_count=9))
