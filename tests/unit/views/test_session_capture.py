"""Sessions become observations once, whatever happens between: over a real log and real files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.kernel.capture import EventType
from agentx.kernel.clock import Millis
from agentx.kernel.errors import LockHeld
from agentx.observations.events import CaptureSkipped, ContextCompacted, MemoryStored
from agentx.observations.model import Category
from agentx.views.limits import CAPTURE_IN_ORDER_MAX
from agentx.views.sessions.capture import AtWork
from agentx.views.sessions.compacted import capture_compacted
from agentx.views.sessions.issue_of import of_branch, of_prompt
from tests.support.session_bench import (
    BEGIN_MS,
    MINUTE_MS,
    Bench,
    Killed,
    ended,
    first_part,
    said,
)


@pytest.mark.promise("observations.captured-once")
def test_t12_a_session_that_ended_is_captured_once_and_told_with_its_proof(bench: Bench) -> None:
    told: list[MemoryStored] = []
    bench.bus.listen(MemoryStored, told.append)
    bench.say(*first_part(), ended(5))

    bench.observing.catch_up()
    bench.observing.catch_up()

    kept = bench.all()
    assert {one.category for one in kept} == {
        Category.DECISION,
        Category.KEY_FACT,
        Category.COMPACTION_SUMMARY,
    }
    assert {(one.issue_number, one.agent, one.session_id) for one in kept} == {
        (42, "claude-code", "s-1")
    }
    for one in kept:
        assert all(bench.log.get(name).session_id == "s-1" for name in one.event_ids)
    (stored,) = told
    assert stored.count == len(kept)
    assert set(stored.observation_ids) == {one.id for one in kept}


def test_a_session_that_still_talks_waits_until_it_is_quiet_or_compacted(bench: Bench) -> None:
    bench.clock.advance(10 * MINUTE_MS)
    bench.say(*first_part())
    bench.observing.catch_up()
    assert bench.all() == []

    bench.clock.advance(30 * MINUTE_MS)
    bench.observing.catch_up()
    quiet = len(bench.all())

    bench.say(*first_part("s-2"), said(9, EventType.COMPACTION, "summary", "s-2"))
    bench.observing.catch_up()
    assert 0 < quiet < len(bench.all())


@pytest.mark.promise("observations.captured-once")
def test_a_session_that_goes_on_adds_only_what_is_new(bench: Bench) -> None:
    bench.say(*first_part(), ended(5))
    bench.observing.catch_up()
    before = {one.id for one in bench.all()}

    bench.say(
        said(20, EventType.USER_MESSAGE, "from now on never cache zones longer than a minute"),
        ended(21),
    )
    bench.observing.catch_up()

    fresh = [one for one in bench.all() if one.id not in before]
    assert before <= {one.id for one in bench.all()}
    assert {one.category for one in fresh} == {Category.DECISION, Category.COMPACTION_SUMMARY}
    assert all("TOML" not in one.content for one in fresh)


@pytest.mark.promise("observations.captured-once")
@pytest.mark.parametrize("point", [CrashPoint.CAPTURE_BEGUN, CrashPoint.CAPTURE_STORED])
def test_a_capture_that_died_is_done_again_as_it_was_begun(
    bench: Bench, tmp_path: Path, point: CrashPoint
) -> None:
    whole = Bench(tmp_path / "undisturbed")
    whole.say(*first_part(), ended(5))
    whole.observing.catch_up()

    def strike() -> None:
        raise Killed

    bench.say(*first_part(), ended(5))
    crash.arm(point, strike)
    with pytest.raises(Killed):
        bench.observing.catch_up()
    crash.disarm()
    # The session went on before the next pass: what was begun is finished as it was.
    bench.say(said(20, EventType.USER_MESSAGE, "never cache zones longer than a minute"))
    bench.observing.catch_up()

    assert {one.id for one in bench.all()} == {one.id for one in whole.all()}
    bench.clock.advance(120 * MINUTE_MS)
    bench.observing.catch_up()
    assert any("longer than a minute" in one.content for one in bench.all())
    whole.room.close()


def test_an_imported_history_is_captured_in_bounded_passes_with_the_same_result(
    bench: Bench, tmp_path: Path
) -> None:
    at_once = Bench(tmp_path / "at-once")
    for number in range(7):
        for one in (bench, at_once):
            one.say(*first_part(f"s-{number}", 10 * number), ended(10 * number + 5, f"s-{number}"))

    passes = [bench.observing.catch_up(limit=3) for _ in range(4)]
    at_once.observing.catch_up(limit=100)

    assert [one.sessions for one in passes] == [3, 3, 1, 0]
    assert [one.waiting for one in passes] == [4, 1, 0, 0]
    assert {one.id for one in bench.all()} == {one.id for one in at_once.all()}
    at_once.room.close()


def test_of_a_long_history_the_newest_are_captured_first_and_the_rest_as_it_happened(
    bench: Bench,
) -> None:
    many = 2 * CAPTURE_IN_ORDER_MAX + 5
    for number in range(many):
        name, begin = f"s-{number:02}", number * 10
        bench.say(
            said(begin, EventType.USER_MESSAGE, f"use queue {number} instead of a table", name),
            said(begin + 1, EventType.ASSISTANT_MESSAGE, "Done.", name),
            ended(begin + 2, name),
        )
    taken = []
    seen: set[str] = set()
    while bench.observing.catch_up(limit=1).sessions:
        fresh = {one.session_id for one in bench.all()} - seen
        seen |= fresh
        taken += sorted(fresh)

    names = [f"s-{number:02}" for number in range(many)]
    first = names[-CAPTURE_IN_ORDER_MAX:]
    assert taken == [*reversed(first), *names[:-CAPTURE_IN_ORDER_MAX]]


def test_a_reversed_decision_is_marked_in_a_later_session(bench: Bench) -> None:
    bench.say(*first_part(), ended(5))
    bench.observing.catch_up()
    reversal = (
        "let's switch from TOML to the database for zones after all, ops want a form to edit them"
    )
    bench.say(
        said(30, EventType.USER_MESSAGE, "hello again", "s-2"),
        said(31, EventType.ASSISTANT_MESSAGE, "Hello!", "s-2"),
        said(32, EventType.USER_MESSAGE, reversal, "s-2"),
        ended(33, "s-2"),
    )
    bench.observing.catch_up()

    decisions = [one for one in bench.all() if one.category is Category.DECISION]
    old, new = sorted(decisions, key=lambda one: one.timestamp_ms)
    assert old.superseded_by == new.id
    assert new.superseded_by == ""


def test_forgetting_an_event_takes_away_what_rested_on_it_and_keeps_the_rest(bench: Bench) -> None:
    bench.say(*first_part(), ended(5))
    bench.observing.catch_up()
    (decision,) = [one for one in bench.all() if one.category is Category.DECISION]
    bench.store.settle()

    by_hand = bench.room.add(
        "zones change twice a year",
        agent="e",
        issue=42,
        category=Category.KEY_FACT,
        session_id="s-1",
    )
    with bench.observing.forgetting("s-1", whole=False, is_kept=True):
        bench.log.forget_event(decision.event_ids[-1])
    bench.observing.catch_up()
    bench.store.settle()
    assert bench.store.get_by_id(by_hand.id)

    left = bench.all()
    assert {one.category for one in left} == {Category.KEY_FACT, Category.COMPACTION_SUMMARY}
    assert all("ops must be able" not in one.content for one in left)

    with bench.observing.forgetting("s-1", whole=True, is_kept=True):
        bench.log.forget_session("s-1")
    bench.observing.catch_up()
    assert bench.all() == []


@pytest.mark.promise("log.forget")
def test_a_forgotten_session_leaves_what_was_merged_of_it_and_others_stand_again(
    bench: Bench,
) -> None:
    bench.say(*first_part(), ended(5))
    bench.say(
        said(30, EventType.USER_MESSAGE, "hello again", "s-2"),
        said(31, EventType.ASSISTANT_MESSAGE, "Hello!", "s-2"),
        said(
            32,
            EventType.USER_MESSAGE,
            "let's switch from TOML to the database for zones after all, ops want a form",
            "s-2",
        ),
        ended(33, "s-2"),
    )
    bench.observing.catch_up()
    before = {one.id: one for one in bench.all() if one.session_id == "s-1"}
    assert any(one.superseded_by for one in before.values())
    bench.store.compact(42, before_ms=1 << 45)
    # What is alone of its kind stays as it is.
    assert before.keys() - {one.id for one in bench.all()}

    with bench.observing.forgetting("s-2", whole=True, is_kept=True) as gone:
        bench.log.forget_session("s-2")
    bench.observing.catch_up()
    bench.store.settle()

    assert gone >= 1
    left = {one.id: one for one in bench.all() if not one.sources}
    assert all("form" not in one.content for one in bench.all())
    assert all("form" not in one.content for one in bench.store.archive())
    assert not any(one.superseded_by for one in left.values())
    assert {one.session_id for one in bench.all()} == {"s-1"}


def test_a_busy_store_costs_the_pass_and_not_the_observations(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    skipped: list[CaptureSkipped] = []
    bench.bus.listen(CaptureSkipped, skipped.append)
    bench.say(*first_part(), ended(5))

    def busy(_observations: object) -> None:
        raise LockHeld("issue-42.json: held")

    with monkeypatch.context() as patched:
        patched.setattr(bench.store, "store", busy)
        bench.observing.catch_up()
    assert bench.all() == []
    assert skipped[0].reason == "Memory capture skipped: lock timeout on issue-42.json"

    bench.observing.catch_up()
    assert len(bench.all()) == 3


def test_memory_that_is_off_captures_nothing_until_it_is_on(tmp_path: Path) -> None:
    bench = Bench(tmp_path, enabled=False)
    bench.say(*first_part(), ended(5))
    bench.observing.catch_up()

    assert bench.all() == []
    assert not (tmp_path / "memory").exists() or not list((tmp_path / "memory").glob("issue-*"))
    bench.room.close()


def test_a_session_that_taught_nothing_says_so_once(bench: Bench) -> None:
    skipped: list[CaptureSkipped] = []
    bench.bus.listen(CaptureSkipped, skipped.append)
    bench.say(said(0, EventType.USER_MESSAGE, "hi"), ended(1))

    bench.observing.catch_up()
    bench.observing.catch_up()

    assert [one.reason for one in skipped] == [
        "No observations extracted from session (empty summary)"
    ]


def test_t1_context_compacted_on_the_bus_becomes_observations_once(bench: Bench) -> None:
    fact = ContextCompacted(
        agent="Engineer",
        original_tokens=900,
        compacted_tokens=90,
        summary=(
            "## Decisions\n- Keep zones in TOML\n\n## Code changes\n- zones.py reads TOML\n\n"
            "## Errors\n- Parser failed on tabs\n  fixed by expanding them\n\n"
            "## Key facts\n- Ops edit the file <private>by hand</private>\n"
        ),
        issue_number=29,
        session_id="loop-1",
        timestamp_ms=Millis(BEGIN_MS),
    )

    capture_compacted(bench.room, fact)
    capture_compacted(bench.room, replace(fact))

    kept = bench.store.get_by_issue(29)
    assert {one.category for one in kept} == set(Category)
    assert len(kept) == 5
    assert all(one.agent == "engineer" for one in kept)
    assert "by hand" not in json.dumps([one.content for one in kept])


@pytest.mark.parametrize(
    ("branch", "issue"),
    [
        ("feature/42-x", 42),
        ("issue-42", 42),
        ("gh-42", 42),
        ("42-zones", 42),
        ("fix/118-dst-overlap", 118),
        ("mira/issue-7-tabs", 7),
        ("main", 0),
        ("release/2.1", 0),
        ("20260205-cleanup", 0),
        ("upgrade-node18", 0),
        ("soph/multi-session", 0),
        ("ent-221-login-loop", 221),
        ("mira/ENT-221", 221),
        ("node-18-upgrade", 0),
        ("step-2-cleanup", 0),
        ("nov-16-notes", 0),
        ("v2-3-x", 0),
        ("release-4-x", 0),
    ],
)
def test_the_issue_is_read_from_the_branch(branch: str, issue: int) -> None:
    assert of_branch(branch) == issue


@pytest.mark.parametrize(
    ("prompt", "issue"),
    [
        ("please fix #203", 203),
        ("Let's design it (issue 42).", 42),
        ("work on issue 42", 42),
        ("Hello!\nCan you fix https://example.org/shop/issues/17 today?", 17),
        ("/fix-issue 42", 42),
        ("see https://example.org/shop/issues/17", 0),
        ("#12 Add zones\n#13 Fix tabs", 0),
        ("error: cannot merge, fix #7 first", 0),
        ("what does `fix #42` mean here?", 0),
        ("review pr 227", 0),
        ("this is like #42, but for tabs", 0),
        ("\u4fee\u6b63 #42", 0),
        ("colour `#123456` and PR #9", 0),
        ("step 3 of 7", 0),
    ],
)
def test_the_issue_is_read_from_the_prompt(prompt: str, issue: int) -> None:
    assert of_prompt(prompt) == issue


def test_the_setting_says_the_issue_where_nothing_else_does(tmp_path: Path) -> None:
    bench = Bench(tmp_path, issue=5)
    bench.say(*(replace(one, metadata={"cwd": "/repo"}) for one in (*first_part(), ended(5))))
    bench.observing.catch_up()

    assert {one.issue_number for one in bench.all()} == {5}
    bench.room.close()


def _begin(bench: Bench, agent: str, issue: int, at_ms: int = BEGIN_MS) -> None:
    bench.at_work.append(AtWork(agent=agent, issue=issue, since_ms=Millis(at_ms)))


def test_an_agent_that_said_that_it_began_decides_agent_and_issue(bench: Bench) -> None:
    _begin(bench, "engineer", 7)
    bench.say(*first_part(), ended(5))  # on the branch feature/42-zones
    bench.observing.catch_up()

    assert {(one.agent, one.issue_number) for one in bench.all()} == {("engineer", 7)}


@pytest.mark.parametrize("later", [True, False])
def test_work_that_began_later_or_of_two_agents_decides_nothing(bench: Bench, later: bool) -> None:
    _begin(bench, "engineer", 7, BEGIN_MS + 60 * MINUTE_MS if later else BEGIN_MS)
    if not later:
        _begin(bench, "architect", 8)
    bench.say(*first_part(), ended(5))
    bench.observing.catch_up()

    assert {(one.agent, one.issue_number) for one in bench.all()} == {("claude-code", 42)}


def test_a_session_is_captured_at_once_when_its_agent_says_that_it_is_done(bench: Bench) -> None:
    done = {"agent": "engineer", "issue": 9}
    bench.say(*first_part())
    bench.observing.catch_up()
    before = bench.all()
    bench.say(said(5, EventType.NOTE, finished=done))
    bench.observing.catch_up()

    assert before == []
    assert {(one.agent, one.issue_number) for one in bench.all()} == {("engineer", 9)}
