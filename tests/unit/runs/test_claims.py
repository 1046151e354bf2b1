"""Goal: a task has one holder, the same in every clone, and nobody else begins or ends it.

Method: the rule over lines; then the room with two clones whose memory is exchanged by git.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentx.kernel.clock import Millis, to_iso
from agentx.kernel.errors import IllegalTransition
from agentx.runs.holding.settling import ClaimAct, ClaimLine, WhyLost, judge_clocks, settle
from agentx.runs.limits import RUN_CLAIM_MS, RUN_CLAIM_MS_MAX
from agentx.runs.model import TaskStatus
from agentx.runs.rules.claim_lines import read_claim
from agentx.runs.rules.decide import decide
from agentx.runs.rules.fold import fold
from tests.support.run_stories import RUN, Team, event, happening
from tests.support.time_and_chance import START_MS

HOUR = 3_600_000


def claim(checkout: str, at: int, until: int = 100, /, **more: Any) -> ClaimLine:
    """Return a claim; times are small numbers."""
    return ClaimLine(
        event_id=f"{checkout}-{at}",
        at_ms=Millis(at),
        checkout=checkout,
        until_ms=Millis(until),
        **more,
    )


def held_by(*lines: ClaimLine) -> str:
    found = settle(sorted(lines, key=lambda line: (line.at_ms, line.event_id))).claim
    return "" if found is None else found.checkout


@pytest.mark.promise("runs.claims")
def test_the_earlier_claim_holds_and_at_one_moment_the_smaller_name() -> None:
    assert held_by(claim("b", 10), claim("a", 11)) == "b"
    assert held_by(claim("b", 10), claim("a", 10), claim("c", 10)) == "a"
    assert held_by(claim("b", 10, is_shared=True), claim("a", 10, is_shared=True)) == "a"
    lost = settle([claim("b", 10), claim("a", 11), claim("a", 12)]).lost
    assert [(each.claim.checkout, each.to.checkout, each.why) for each in lost] == [
        ("a", "b", WhyLost.EARLIER)
    ]


def test_an_expired_claim_is_anybodys_and_work_renews_it() -> None:
    assert held_by(claim("b", 10, 20), claim("a", 20, 30)) == "a"
    assert held_by(claim("b", 10, 20), claim("b", 19, 40), claim("a", 25, 35)) == "b"
    lost = settle([claim("b", 10, 20), claim("a", 20, 30)]).find_lost("b")
    assert lost is not None
    assert lost.why is WhyLost.EXPIRED


def test_a_claim_that_an_event_of_later_dates_is_judged_by_the_clock_of_who_said_it() -> None:
    ahead = claim("a", 90, 95, said_ms=Millis(12))

    assert held_by(claim("b", 10, 20), ahead) == "b"
    assert held_by(claim("b", 10, 20, is_shared=True), claim("a", 90, 95, is_shared=True)) == "a"
    shared = claim("a", 90, 95, said_ms=Millis(12), is_shared=True)
    assert held_by(claim("b", 10, 20, is_shared=True), shared) == "b"


def test_how_long_a_claim_holds_is_told_by_when_it_was_seen_where_clocks_differ() -> None:
    def ends(line: ClaimLine, now: int, seen: int) -> int:
        stands = settle([line]).claim
        assert stands is not None
        return judge_clocks(stands, now * HOUR, lambda _id, _kept: Millis(seen * HOUR)).until_ms

    plain = claim("b", 100 * HOUR, 102 * HOUR)
    assert ends(plain, 101, 101) == 102 * HOUR
    ahead = claim("b", 172 * HOUR, 174 * HOUR)
    assert ends(ahead, 100, 100) == 102 * HOUR
    assert ends(ahead, 173, 100) == 102 * HOUR  # also when its own time has come
    behind = claim("b", 100 * HOUR, 32 * HOUR, said_ms=Millis(28 * HOUR))
    assert ends(behind, 101, 100) == 104 * HOUR
    assert ends(behind, 150, 150) == 32 * HOUR  # nobody saw it in time
    # Another's clock dated the events before it, ahead of all: this one may be behind all the same.
    dated = claim("b", 112 * HOUR, 104 * HOUR, said_ms=Millis(100 * HOUR))
    assert ends(dated, 101, 101) == 105 * HOUR
    assert ends(dated, 113, 101) == 105 * HOUR
    far_behind = claim("b", 112 * HOUR, 32 * HOUR, said_ms=Millis(28 * HOUR))
    assert ends(far_behind, 101, 101) == 105 * HOUR
    assert ends(far_behind, 140, 140) == 32 * HOUR  # a day after all that came before it
    # A clock that was put right: an older word reaches no further.
    both = settle([ahead, claim("b", 173 * HOUR, 103 * HOUR, said_ms=Millis(101 * HOUR))]).claim
    assert both is not None
    found = judge_clocks(both, 101 * HOUR, lambda _id, _kept: Millis(101 * HOUR))
    assert found.until_ms == 103 * HOUR


def test_a_claim_that_had_run_out_for_who_claims_gives_way() -> None:
    ahead = claim("b", 90, 100)
    over = claim("a", 91, 60, said_ms=Millis(50), past="b-90")

    assert held_by(ahead, over) == "a"
    assert held_by(ahead, claim("b", 90, 100), replace(over, past="b-80")) == "b"


def test_what_the_remote_took_stands_before_what_it_never_saw() -> None:
    assert held_by(claim("b", 10), claim("a", 11, is_shared=True)) == "a"
    assert held_by(claim("b", 10, is_shared=True), claim("a", 11, is_shared=True)) == "b"
    # A renewal that no remote saw holds against who saw none either, and not against one who asked.
    renewed = (claim("b", 10, 20, is_shared=True), claim("b", 19, 40))
    assert held_by(*renewed, claim("a", 25, 35)) == "b"
    assert held_by(*renewed, claim("a", 25, 35, is_shared=True)) == "a"


def test_a_person_takes_it_and_a_release_or_an_end_leaves_it_free() -> None:
    assert held_by(claim("b", 10), claim("a", 11, is_taken=True), claim("b", 12)) == "a"
    freed = ClaimLine(event_id="r", at_ms=Millis(12), act=ClaimAct.RELEASES, checkout="b")
    assert held_by(claim("b", 10), freed) == ""
    assert held_by(claim("b", 10), freed, claim("a", 13)) == "a"
    other = ClaimLine(event_id="r", at_ms=Millis(12), act=ClaimAct.RELEASES, checkout="c")
    assert held_by(claim("b", 10), other) == "b"
    ended = ClaimLine(event_id="e", at_ms=Millis(12), act=ClaimAct.ENDS)
    assert held_by(claim("b", 10), claim("a", 11), ended) == ""
    assert settle([claim("b", 10), claim("a", 11), ended]).lost == ()


def test_who_yields_never_held_it_and_nobody_yields_for_others() -> None:
    faster, mine = claim("b", 11, is_shared=True), claim("a", 10, is_shared=True)
    gives_way = ClaimLine(
        event_id="r", at_ms=Millis(12), act=ClaimAct.RELEASES, checkout="a", yields=("a-10",)
    )

    assert held_by(mine, faster) == "a"
    assert held_by(mine, faster, gives_way) == "b"
    forged = ClaimLine(
        event_id="r", at_ms=Millis(12), act=ClaimAct.RELEASES, checkout="b", yields=("a-10",)
    )
    assert held_by(mine, faster, forged) == "a"


def test_an_event_claims_no_longer_than_a_day_and_only_the_verb_takes() -> None:
    far = event(1, "task-claimed", task="T", checkout="a", until="2090-01-01T00:00:00.000Z")
    line = read_claim(far)
    assert line is not None
    assert line.until_ms == far.at_ms + RUN_CLAIM_MS_MAX
    for until in ("", "soon", to_iso(START_MS)):
        assert read_claim(event(1, "task-claimed", task="T", checkout="a", until=until)) is None
    until = to_iso(START_MS + HOUR)
    for kind, is_said in (("task-claimed", True), ("task-started", False)):
        said: dict[str, Any] = {"checkout": "a", "until": until, "taken": True, "shared": True}
        found = read_claim(event(1, kind, task="T", **said))
        assert found is not None
        assert (found.is_taken, found.is_shared) == (is_said, is_said)
    odd = event(1, "task-claimed", task="T", checkout="a", until=until, person="eve; say: <b>")
    found = read_claim(odd)
    assert found is not None
    assert found.person == "eve say b"


# --- a checkout --------------------------------------------------------------------------------


@pytest.fixture
def team(tmp_path: Any) -> Team:
    made = Team(tmp_path / "code", tmp_path / "store")
    (tmp_path / "code").mkdir()
    return made


def begin(team: Team) -> str:
    run = team.runs.start("a run").id
    for name in ("TASK-001", "TASK-002"):
        team.says(run, "task-added", task=name, title=f"do {name}")
    return run


def test_who_begins_a_task_holds_it_and_work_on_it_renews_that(team: Team) -> None:
    run = begin(team)
    team.says(run, "task-started", task="TASK-001")

    def held_until() -> int:
        found = team.runs.run(run)[0].tasks["TASK-001"].settled.claim
        assert found is not None
        assert (found.checkout, found.holder) == (team.store.find_writer(), "executor")
        return found.until_ms

    first = held_until()
    assert first == team.clock.now_ms() + RUN_CLAIM_MS
    team.says(run, "task-progressed", task="TASK-001", text="on")
    assert held_until() == first  # it is young: no word is needed
    team.clock.advance(RUN_CLAIM_MS // 2)
    team.says(run, "task-progressed", task="TASK-002", text="other")
    assert held_until() == first
    team.says(run, "task-progressed", task="TASK-001", text="still on it")
    assert held_until() == team.clock.now_ms() + RUN_CLAIM_MS
    team.says(run, "task-completed", task="TASK-001")
    assert team.runs.run(run)[0].tasks["TASK-001"].settled.claim is None
    assert team.runs.run(run)[0].tasks["TASK-002"].claims == ()


def test_two_roles_of_one_checkout_do_not_begin_one_task(team: Team) -> None:
    run = begin(team)
    team.says(run, "task-started", task="TASK-001", actor="orchestrator")
    team.says(run, "task-started", task="TASK-001", actor="executor")  # handed on
    with pytest.raises(IllegalTransition, match=r"held by executor \(\w+\) here, until 1"):
        team.says(run, "task-started", task="TASK-001", actor="data-scientist")
    team.says(run, "task-started", task="TASK-001", actor="executor")
    team.says(run, "task-completed", task="TASK-001", actor="orchestrator")


def test_nobody_types_a_claim(team: Team) -> None:
    run = begin(team)
    far = to_iso(team.clock.now_ms() + 10 * HOUR)
    said = happening("task-progressed", task="TASK-001", text="x", checkout="beef", until=far)
    told = team.runs.say(run, said)

    assert dict(told.added[0].detail) == {"text": "x"}
    assert told.run.tasks["TASK-001"].claims == ()


def test_who_lost_a_task_gives_up_the_own_lane_alone(team: Team) -> None:
    until = to_iso(START_MS + HOUR)
    own = team.store.find_writer()
    events = [
        event(0, "run-started", title="a run"),
        event(1, "task-added", task="T", title="t"),
        event(2, "lane-opened", lane="lane-001-beef", task="T", branch="b", checkout="beef",
              until=until, holder="executor"),
        event(3, "task-started", lane="lane-001-beef", task="T"),
        event(4, "lane-opened", lane=f"lane-001-{own}", task="T", branch="c", checkout=own,
              until=until),
        event(5, "task-started", lane=f"lane-001-{own}", task="T"),
    ]  # fmt: skip
    team.clock.advance(60_000)
    run = fold(RUN, events)

    assert run.tasks["T"].lane == "lane-001-beef"
    lost = run.tasks["T"].settled.find_lost(own)
    assert lost is not None
    assert lost.claim.lane == f"lane-001-{own}"
    check = team.store.own.check
    for kind in ("task-completed", "task-failed", "task-blocked", "task-started"):
        with pytest.raises(IllegalTransition, match="held by executor"):
            check(run, happening(kind, task="T"))
    for lane in run.lanes:
        for kind in ("lane-merged", "lane-finished", "lane-retried", "lane-reassigned"):
            with pytest.raises(IllegalTransition, match="held by executor"):
                check(run, happening(kind, lane=lane))
    with pytest.raises(IllegalTransition, match="held by executor"):
        check(run, happening("lane-failed", lane="lane-001-beef", reason="no"))
    check(run, happening("lane-failed", lane=f"lane-001-{own}", reason="no"))
    check(run, happening("task-progressed", task="T", text="a word is free"))
    gives_up = happening("lane-failed", lane=f"lane-001-{own}", reason="lost")
    assert [each.kind for each in decide(run, gives_up)] == ["lane-failed"]
    fails = happening("lane-failed", lane="lane-001-beef", reason="broken")
    assert [each.kind for each in decide(run, fails)] == ["lane-failed", "task-failed"]
    failed = fold(RUN, [*events, event(6, "lane-failed", lane=f"lane-001-{own}", reason="lost")])
    assert failed.tasks["T"].status is TaskStatus.IN_PROGRESS
    finished = fold(RUN, [*events, event(6, "lane-finished", lane="lane-001-beef")])
    check(finished, happening("lane-merged", lane="lane-001-beef"))
