"""Goal: two people never begin one task: it is claimed at the remote before work begins.

Method: a bare remote and two clones with real git, each with a home and a clock of its own.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentx.clarification.errors import NotThePerson
from agentx.host.system import SystemClock
from agentx.kernel.errors import (
    ConflictError,
    IllegalTransition,
    LockHeld,
    NotFound,
)
from agentx.operations.runs.archive import archive_run, restore_run
from agentx.operations.runs.claiming import release_task, take_task
from agentx.operations.runs.lane import fail_lane, finish_lane, merge_lane, open_lane
from agentx.operations.runs.phases import go_to_phase
from agentx.operations.runs.read import show_run
from agentx.operations.runs.recover import resume_run
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import add_task, record_event, task_step
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.runs.limits import RUN_CLAIM_MS
from agentx.runs.model import Contract
from agentx.runs.settings import BRANCH
from agentx.runs.taking.claim_work import ClaimWork, WantedClaim
from agentx.wiring.bound.claims import push_claim, reach
from agentx.wiring.bound.sessions import attach_sessions
from agentx.wiring.runs import digest_lines, open_runs
from tests.support.mcp_agent import Agent
from tests.support.repository import commit, git
from tests.support.time_and_chance import FakeClock
from tests.support.two_people import FIRST, PERSON, SECOND, Two

AGENT = WhoCalls(role="engineer", agent="claude-code", via=Via.AGENT)
PROGRAM = WhoCalls(via=Via.PROGRAM)
STRANGER = ", says a writer whom you do not trust"
LOCK_HELD = LockHeld("somebody holds it")


@pytest.mark.promise("runs.claims")
def test_a_task_that_was_claimed_at_the_remote_is_begun_by_nobody_else(both: Two) -> None:
    assert both.start(both.one) == ()

    for act in (
        lambda: both.start(both.two),
        lambda: open_lane(both.two, Saying(task=FIRST)),
        lambda: record_event(both.two, Saying(task=FIRST), "task-started", {}),
        lambda: task_step(both.two, Saying(task=FIRST), "task-completed", {}),
        lambda: task_step(both.two, Saying(task=FIRST), "task-dropped", {"reason": "not needed"}),
    ):
        with pytest.raises(IllegalTransition) as refused:
            act()
        assert f"{FIRST} is held by orchestrator of anna (" in refused.value.message
        assert ", until 12:00 UTC (1 h 59 min left)" in refused.value.message
        assert f"agentx run task take {FIRST}" in refused.value.hint
    assert both.start(both.two, SECOND) == ()
    both.sync(both.one)
    for project in (both.one, both.two):
        assert [both.holder(project, task) for task in (FIRST, SECOND)] == ["anna", "bert"]


def test_a_task_whose_lane_is_merged_is_taken_without_it(both: Two) -> None:
    opened = open_lane(both.one, Saying(task=FIRST))
    assert opened.lane is not None
    lane = opened.lane.id
    commit(Path(opened.folder), "work", b_py="b = 1\n")
    merge_lane(both.one, Saying(lane=lane))
    task_step(both.one, Saying(task=FIRST), "task-reopened", {"reason": "more"})
    wanted = WantedClaim(run_id=both.run_id, task=FIRST, actor="orchestrator", lane=lane)
    ClaimWork(open_runs(both.one)).claim(wanted)
    both.sync(both.one)
    both.sync(both.two)

    step = next(each for each in show_run(both.two, caller=PERSON).next if each.takes)

    assert step.command == f"agentx run task take {FIRST}"
    take_task(both.two, Saying(task=FIRST), PERSON)
    assert both.holder(both.two) == "bert"


def test_whose_a_task_is_stands_where_somebody_looks(both: Two) -> None:
    opened = open_lane(both.one, Saying(task=FIRST))
    assert opened.lane is not None
    both.sync(both.one)
    both.sync(both.two)

    mine, theirs = (show_run(each, caller=PERSON).tasks[0] for each in (both.one, both.two))
    assert (mine.held, theirs.held) == ("yours, 1 h 59 min", "anna, 1 h 59 min")
    assert theirs.holder == f"orchestrator of anna ({open_runs(both.one).own.checkout})"
    assert theirs.held_until_ms == mine.held_until_ms
    told = "\n".join(digest_lines(both.two))
    assert f"next: {FIRST} is held by orchestrator of anna (" in told
    assert "run lane take" not in told  # an agent reads it
    assert f"next: {SECOND} is ready: second -> agentx run task start {SECOND}" in told
    there = replace(both.one, directory=Path(opened.folder))
    assert f"here: {FIRST} in {opened.lane.id}, IN_PROGRESS: first" in digest_lines(there)
    step = next(each for each in show_run(both.two, caller=AGENT).next if each.takes)
    assert step.command == ""
    as_person = next(each for each in show_run(both.two, caller=PERSON).next if each.takes)
    assert as_person.command == f"agentx run lane take {opened.lane.id}"


def test_an_agent_is_told_by_its_tools_whose_a_task_is(both: Two) -> None:
    both.start(replace(both.one, clock=SystemClock()))
    agent = Agent(both.two.root, both.two.environment)
    about = {"type": "task-started", "actor": "executor"}

    said = agent.fail("run_event", task=FIRST, **about)

    assert f"{FIRST} is held by orchestrator of anna (" in said
    status = agent.call("run_status")
    assert f"{FIRST} IN_PROGRESS first held by orchestrator of anna (" in status
    assert "run lane take" not in status
    both.go_offline()
    said = agent.call("run_event", task=SECOND, **about)
    assert f"note: origin was not reached; {SECOND} is claimed here only" in said


@pytest.mark.promise("runs.claims")
def test_whose_push_comes_second_yields_to_who_was_faster(both: Two) -> None:
    exchange = reach(both.two, [])
    assert exchange is not None
    work = ClaimWork(open_runs(both.two))
    said = both.claim_unpushed(work)
    both.clock.advance(60_000)  # the faster claim is later by the clock
    both.start(both.one)

    with pytest.raises(IllegalTransition, match=r"orchestrator of anna \(\w+\) was faster"):
        push_claim(work, exchange, said, [])

    both.sync(both.one)
    assert both.holder(both.one) == both.holder(both.two) == "anna"
    assert both.look(both.one)[1].settled == both.look(both.two)[1].settled


@pytest.mark.promise("runs.claims")
def test_who_is_overtaken_while_the_remote_checks_a_push_yields_as_well(both: Two) -> None:
    exchange = reach(both.two, [])
    assert exchange is not None
    work = ClaimWork(open_runs(both.two))
    said = both.claim_unpushed(work)
    remote = both.clones.remote
    before = git(remote, "rev-parse", BRANCH)
    both.start(both.one)
    both.clones.let_overtake(BRANCH, git(remote, "rev-parse", BRANCH))
    git(remote, "update-ref", f"refs/heads/{BRANCH}", before)

    with pytest.raises(IllegalTransition, match=r"orchestrator of anna \(\w+\) was faster"):
        push_claim(work, exchange, said, [])

    assert both.holder(both.two) == "anna"


@pytest.mark.promise("runs.claims")
def test_a_claim_that_was_cut_short_before_its_push_takes_a_task_from_nobody(both: Two) -> None:
    assert reach(both.one, []) is not None
    both.claim_unpushed(ClaimWork(open_runs(both.one)))  # and the process is killed
    both.clock.advance(60_000)
    assert both.start(both.two) == ()

    with pytest.raises(IllegalTransition, match="is held by orchestrator of bert"):
        both.start(both.one)

    both.sync(both.one)
    both.sync(both.two)
    assert both.holder(both.one) == both.holder(both.two) == "bert"
    assert task_step(both.two, Saying(task=FIRST), "task-completed", {}).run.tasks[FIRST].over


def test_who_claimed_and_was_cut_short_is_told_and_begins_again(both: Two) -> None:
    both.claim_unpushed(ClaimWork(open_runs(both.one)))

    (told,) = both.sync(both.one).remarks

    assert told.startswith(f"{FIRST} is not yours: what claimed it was cut short before origin ")
    assert told.endswith("knew of it; begin it again")
    assert both.holder(both.one) == ""
    assert both.sync(both.one).remarks == ()
    assert both.start(both.one) == ()
    assert both.sync(both.one).remarks == ()
    assert both.holder(both.one) == "anna"


def test_a_claim_that_was_pushed_stands_though_its_process_was_killed(both: Two) -> None:
    exchange = reach(both.one, [])
    assert exchange is not None
    both.claim_unpushed(ClaimWork(open_runs(both.one)))
    assert exchange.push()

    assert both.sync(both.one).remarks == ()
    with pytest.raises(IllegalTransition, match="is held by executor of anna"):
        both.start(both.two)


def test_a_claim_that_was_pushed_stands_though_the_branch_went_from_the_remote(both: Two) -> None:
    both.start(both.one)
    git(both.clones.remote, "update-ref", "-d", f"refs/heads/{BRANCH}")

    assert both.sync(both.one).remarks == ()

    both.sync(both.two)
    assert both.holder(both.one) == both.holder(both.two) == "anna"


@pytest.mark.parametrize("kind", ["task-reopened", "task-dropped"])
def test_who_takes_a_task_up_again_or_drops_it_sees_first_who_works_on_it(
    both: Two, kind: str
) -> None:
    task_step(both.one, Saying(task=FIRST), "task-failed", {"reason": "no"})
    both.sync(both.two)
    both.start(both.two)

    with pytest.raises(IllegalTransition):
        task_step(both.one, Saying(task=FIRST), kind, {"reason": "once more"})
    assert both.holder(both.one) == "bert"


def test_a_claim_that_is_on_its_way_is_not_yielded_by_others_of_the_checkout(both: Two) -> None:
    exchange = reach(both.one, [])
    assert exchange is not None
    with exchange.claiming(both.run_id, FIRST):
        both.claim_unpushed(ClaimWork(open_runs(both.one)))
        assert both.sync(both.one).remarks == ()
    assert both.holder(both.one) == "anna"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ConflictError("other files"), LOCK_HELD])
def test_a_claim_whose_push_is_interrupted_is_yielded_at_once(
    both: Two, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange = reach(both.one, [])
    assert exchange is not None
    work = ClaimWork(open_runs(both.one))
    said = both.claim_unpushed(work)

    def interrupt() -> bool:
        raise error

    monkeypatch.setattr(exchange, "push", interrupt)
    with pytest.raises(type(error)):
        push_claim(work, exchange, said, [])

    assert both.holder(both.one) == ""


@pytest.mark.promise("runs.claims")
def test_offline_the_later_yields_at_the_next_exchange_and_is_told(both: Two) -> None:
    both.go_offline()
    said = both.start(both.one)
    assert said == (
        f"origin was not reached; {FIRST} is claimed here only, until `agentx run sync`",
    )
    opened = open_lane(both.two, Saying(task=FIRST))
    assert opened.told.remarks == said  # once
    assert opened.lane is not None
    mine = opened.lane.id
    commit(Path(opened.folder), "work", b_py="b = 1\n")
    both.go_online()

    assert both.sync(both.two).remarks == ()  # it holds the task as far as anybody knows
    assert both.holder(both.two) == "bert"
    assert both.sync(both.one).remarks == ()
    told = both.sync(both.two).remarks
    assert both.holder(both.one) == both.holder(both.two) == "anna"
    assert len(told) == 1
    assert f"{FIRST} is not yours: orchestrator of anna (" in told[0]
    assert "claimed it earlier" in told[0]
    assert f"{mine} stays with its commits" in told[0]
    assert both.sync(both.two).remarks == ()  # told once
    step = show_run(both.two).next[0]  # and shown while the lane is open
    assert f"{FIRST} is not yours" in step.text
    assert step.command == f'agentx run lane fail {mine} "REASON"'
    assert git(both.two.root, "log", "-1", "--format=%s", opened.lane.branch) == "work"
    with pytest.raises(IllegalTransition, match="held by orchestrator of anna"):
        task_step(both.two, Saying(task=FIRST), "task-completed", {})
    fail_lane(both.two, Saying(lane=mine), "anna has it")
    assert not [step for step in show_run(both.two).next if "not yours" in step.text]
    assert both.look(both.two)[1].status == "IN_PROGRESS"


@pytest.mark.promise("runs.claims")
@pytest.mark.parametrize("is_later", [False, True])
def test_offline_who_lost_is_told_where_the_winner_is_already_done(
    both: Two, *, is_later: bool
) -> None:
    both.go_offline()
    lanes = {}
    for name, project in (("a", both.one), ("b", both.two)):
        both.clock.advance(1_000)
        opened = open_lane(project, Saying(task=FIRST))
        assert opened.lane is not None
        lanes[name] = opened.lane.id
        commit(Path(opened.folder), name, **{f"{name}_py": "x = 1\n"})
        if name == "a" and is_later:  # the other begins after that, and does not know
            merge_lane(project, Saying(lane=lanes["a"]))
    both.clock.advance(1_000)
    if not is_later:
        merge_lane(both.one, Saying(lane=lanes["a"]))
    both.go_online()
    both.sync(both.one)
    git(both.one.root, "push", "-q", "origin", f"agent/{both.run_id}/work")

    told, work = both.sync(both.two).remarks

    assert work == f"the work branch holds now what origin/agent/{both.run_id}/work has"
    said = f"{FIRST} was completed in {lanes['a']} by "
    assert told.startswith(said)
    assert told.endswith(f"; {lanes['b']} stays with its commits")
    assert both.sync(both.two).remarks == ()  # told once
    shown = show_run(both.two).next  # and shown while the lane is open
    resumed, _ = resume_run(both.two, both.run_id, actor="executor")
    for steps in (shown, resumed.next):
        (step,) = (each for each in steps if each.text.startswith(said))
        assert step.command == f'agentx run lane fail {lanes["b"]} "REASON"'
    if not is_later:  # else the task is begun again by that, and its checks are asked
        for act in (finish_lane, merge_lane):
            with pytest.raises(IllegalTransition, match=f"{lanes['b']} is not merged"):
                act(both.two, Saying(lane=lanes["b"]))
    fail_lane(both.two, Saying(lane=lanes["b"]), "anna has done it")
    assert not [each for each in show_run(both.two).next if said in each.text]


@pytest.mark.promise("runs.claims")
@pytest.mark.parametrize("first", [0, 1])
def test_offline_two_who_both_merged_a_task_are_each_told_once_that_it_is_done_twice(
    both: Two, first: int
) -> None:
    both.go_offline()
    people, lanes = (both.one, both.two), []
    for project in people:
        both.clock.advance(1_000)
        opened = open_lane(project, Saying(task=FIRST))
        assert opened.lane is not None
        lanes.append(opened.lane.id)
        commit(Path(opened.folder), "x", **{f"x{len(lanes)}_py": "x = 1\n"})
    for number in (first, 1 - first):
        both.clock.advance(1_000)
        merge_lane(people[number], Saying(lane=lanes[number]))
    both.go_online()
    here, there = people[first], people[1 - first]
    # Said before they met: this is no word on both.
    task_step(there, Saying(task=FIRST), "task-progressed", {"text": "tidied"})
    named = f"{lanes[first]} and {lanes[1 - first]}"
    command = f'agentx run task log {FIRST} "{named}: WHAT STAYS"'

    def exchange(project: Project) -> list[str]:
        said = both.sync(project).remarks  # of which one stands until the work is pushed
        return [each for each in said if "is not pushed as it is here" not in each]

    assert exchange(here) == []

    told = [*exchange(there), *exchange(here)]

    assert len(told) == 2  # each once
    for said in told:
        assert said.startswith(f"{FIRST} is done twice: in lane-001-")
        assert all(f"in {lane} by orchestrator of " in said for lane in lanes)
        assert said.endswith(f": `{command}`")
    for project in people:
        assert exchange(project) == []
        resumed, _ = resume_run(project, both.run_id, actor="executor")
        for steps in (show_run(project).next, resumed.next):
            (step,) = (each for each in steps if f"{FIRST} is done twice" in each.text)
            assert step.command == command
    task_step(both.one, Saying(task=FIRST), "task-progressed", {"text": f"{named}: anna's stays"})
    for project in people:
        both.sync(project)
        assert not [step for step in show_run(project).next if "done twice" in step.text]


@pytest.mark.parametrize("is_packed", [True, False])
def test_who_has_a_lane_in_a_run_that_another_ended_is_told_once_by_the_exchange(
    both: Two, *, is_packed: bool
) -> None:
    opened = open_lane(both.two, Saying(task=FIRST))
    assert opened.lane is not None
    both.sync(both.one)
    record_event(both.one, Saying(), "run-failed", {"reason": "no budget"})
    if is_packed:
        archive_run(both.one, both.run_id)
    assert both.sync(both.one).remarks == ()

    (told,) = both.sync(both.two).remarks

    ended = f"orchestrator of anna ended {both.run_id}: FAILED: no budget{STRANGER}"
    again = f"`agentx run event --type run-reopened --run {both.run_id[-4:]}` takes it up again"
    first = f"`agentx run restore {both.run_id}` lays it out; then " if is_packed else ""
    yours = f"{opened.lane.id} of yours is open in it: {first}{again}"
    assert told == f"{ended}; {yours}, its lanes keep their commits"
    assert both.sync(both.two).remarks == ()
    if not is_packed:
        resumed, _ = resume_run(both.two, both.run_id, actor="executor")
        assert [step.command.rpartition(" ")[0] for step in resumed.next] == [
            "agentx run event --type run-reopened --run",
            "agentx trust --writer",
        ]
        others, _ = resume_run(both.one, both.run_id, actor="executor")
        assert len(others.next) == 1


def test_who_works_on_in_a_run_that_another_ended_and_packed_away_is_told_so(both: Two) -> None:
    opened = open_lane(both.two, Saying(task=FIRST))
    assert opened.lane is not None
    both.start(both.one, SECOND)
    both.sync(both.one)
    record_event(both.one, Saying(), "run-failed", {"reason": "no budget"})
    archive_run(both.one, both.run_id)
    both.sync(both.one)

    for act in (finish_lane, merge_lane):
        with pytest.raises(NotFound) as refused:
            act(both.two, Saying(lane=opened.lane.id))
        ended = f"orchestrator of anna ended {both.run_id}: FAILED: no budget{STRANGER}"
        assert refused.value.message == f"no run is going on: {ended}"
        assert refused.value.hint.startswith(f"`agentx run restore {both.run_id}` lays it out; ")
        assert f"--type run-reopened --run {both.run_id[-4:]}` takes it up" in refused.value.hint
    restore_run(both.two, both.run_id)
    record_event(both.two, Saying(run_id=both.run_id), "run-reopened", {})
    commit(Path(opened.folder), "more", more_py="more = 1\n")

    # What claimed it was known there: the run was packed away, and nothing was cut short.
    assert finish_lane(both.two, Saying(lane=opened.lane.id)).told.remarks == ()
    assert both.holder(both.two) == "bert"


def test_what_the_remote_took_stands_before_an_earlier_claim_that_it_never_saw(both: Two) -> None:
    both.go_offline()
    both.start(both.two)
    both.go_online()
    assert both.start(both.one) == ()

    told = both.sync(both.two).remarks

    assert "claimed it at the remote, which had not seen your claim" in told[0]
    both.sync(both.one)
    assert both.holder(both.one) == both.holder(both.two) == "anna"


def test_an_expired_claim_is_taken_with_a_word_and_work_renews_it_at_the_remote(
    both: Two,
) -> None:
    both.start(both.one)
    both.clock.advance(RUN_CLAIM_MS // 2)
    task_step(both.one, Saying(task=FIRST), "task-progressed", {"text": "still on it"})
    both.clock.advance(RUN_CLAIM_MS * 3 // 4)
    with pytest.raises(IllegalTransition, match="held by orchestrator of anna"):
        both.start(both.two)  # the renewal is there, too

    both.clock.advance(RUN_CLAIM_MS)
    said = both.start(both.two)

    assert len(said) == 1
    assert f"{FIRST} was held by orchestrator of anna (" in said[0]
    assert said[0].endswith("expired at 13:00 UTC; it is yours now")
    both.sync(both.one)
    assert both.holder(both.one) == "bert"


@pytest.mark.promise("runs.claims")
def test_a_clock_that_is_ahead_takes_no_task_from_who_holds_it(both: Two) -> None:
    both.start(both.one)
    ahead = replace(both.two, clock=FakeClock(both.clock.now_ms() + 6 * RUN_CLAIM_MS))
    record_event(ahead, Saying(), "note", {"text": "from the future"})
    for project in (both.two, both.one, both.two):
        both.sync(project)

    with pytest.raises(IllegalTransition, match="held by"):
        both.start(both.two)
    # Work goes on, and what it claims holds no longer than twice its time by the clock.
    both.clock.advance(RUN_CLAIM_MS - 60_000)
    record_event(both.one, Saying(task=FIRST), "task-progressed", {"text": "half done"})
    claim = both.look(both.one)[1].settled.claim
    assert claim is not None
    assert RUN_CLAIM_MS // 2 < claim.until_ms - both.clock.now_ms() <= 2 * RUN_CLAIM_MS
    both.sync(both.one)
    both.sync(both.two)
    both.clock.advance(60_000)
    with pytest.raises(IllegalTransition, match="held by"):
        both.start(both.two)
    # What has run out by the clock is free, however events are dated.
    both.clock.advance(2 * RUN_CLAIM_MS)
    assert any("expired" in word for word in both.start(both.two))
    both.sync(both.one)
    assert both.holder(both.one) == both.holder(both.two) == "bert"


def test_only_a_person_takes_a_task_that_somebody_holds(both: Two) -> None:
    both.start(both.one)
    by = Saying(task=FIRST)
    for caller in (AGENT, PROGRAM):
        with pytest.raises(
            NotThePerson, match=rf"{FIRST}.* is held by orchestrator of anna \("
        ) as no:
            take_task(both.two, by, caller)
        if caller is AGENT:
            command = f"agentx run task take {FIRST} --run {both.run_id[-4:]}"
            assert no.value.hint.endswith(command)
    assert both.holder(both.two) == "anna"

    told = take_task(both.two, by, PERSON)

    assert "it is yours now" in told.remarks[0]
    assert told.added[0].text("via") == "terminal"
    assert both.start(both.two) == ()  # whoever works for them there
    said = both.sync(both.one).remarks
    assert f"{FIRST} is not yours: orchestrator of bert (" in said[0]
    assert "took it" in said[0]
    assert both.holder(both.one) == "bert"
    # An agent holds what nobody does.
    assert take_task(both.one, Saying(task=SECOND, actor="executor"), AGENT).remarks == ()
    with pytest.raises(IllegalTransition, match="held by engineer of anna"):
        both.start(both.two, SECOND)
    release_task(both.one, Saying(task=SECOND), "no time")
    assert both.start(both.two, SECOND) == ()
    with pytest.raises(IllegalTransition, match="not by this checkout"):
        release_task(both.one, Saying(task=SECOND))


def test_who_ends_a_task_knows_what_others_did_and_they_learn_it(both: Two) -> None:
    both.start(both.one)
    release_task(both.one, Saying(task=FIRST))
    both.start(both.two)
    with pytest.raises(IllegalTransition, match="held by orchestrator of bert"):
        task_step(both.one, Saying(task=FIRST), "task-completed", {})  # not known here yet

    both.clock.advance(1_000)
    task_step(both.two, Saying(task=FIRST), "task-completed", {})
    with pytest.raises(IllegalTransition, match=f"{FIRST} is COMPLETED"):
        both.start(both.one)
    both.go_offline()
    said = task_step(both.one, Saying(task=SECOND), "task-completed", {}).remarks
    assert said == ("origin was not reached; others learn this by `agentx run sync`",)


def test_who_moves_a_run_on_or_asks_lets_others_know_and_nobody_skips_a_phase(both: Two) -> None:
    assert go_to_phase(both.one, Saying(), "next").run.phase == "EXECUTION"
    with pytest.raises(IllegalTransition, match="is in EXECUTION by now: somebody else went on"):
        go_to_phase(both.two, Saying(), "next")
    asked = record_event(both.two, Saying(), "escalation-raised", {"question": "which?"}).run
    both.sync(both.one)
    assert both.look(both.one)[0].escalations.keys() == asked.escalations.keys()
    both.go_offline()
    said, *_ = go_to_phase(both.one, Saying(), "PLANNING").remarks
    assert said.endswith("others learn this by `agentx run sync`")


@pytest.mark.promise("runs.session-attached")
def test_a_session_in_a_lane_is_noted_in_the_run_once_and_renews_the_claim(both: Two) -> None:
    opened = open_lane(both.one, Saying(task=FIRST)).lane
    assert opened is not None
    work = {"run": both.run_id, "lane": opened.id, "task": FIRST}
    sessions = frozenset({("claude_code", "s-1")})

    def list_attached() -> list[tuple[str, str, str, str]]:
        found = open_runs(both.one).events(both.run_id)
        mine = (each for each in found if each.kind == "session-attached")
        return [(each.actor, each.text("session"), each.task, each.lane) for each in mine]

    attach_sessions(both.one, work, sessions)
    attach_sessions(both.one, work, sessions)
    assert list_attached() == [("claude-code", "s-1", FIRST, opened.id)]
    both.clock.advance(RUN_CLAIM_MS // 2 + 1_000)
    attach_sessions(both.one, work, sessions)
    attach_sessions(both.one, work, sessions)

    claim = both.look(both.one)[1].settled.claim
    assert claim is not None
    assert claim.until_ms == both.clock.now_ms() + RUN_CLAIM_MS
    assert (claim.holder, claim.lane) == ("orchestrator", opened.id)
    assert len(list_attached()) == 2


def test_what_could_not_be_begun_is_held_by_nobody(both: Two) -> None:
    run, _ = both.look(both.one)
    git(both.one.root, "branch", f"agent/{run.id}/work", "main")
    git(both.one.root, "switch", "-q", f"agent/{run.id}/work")
    with pytest.raises(Exception, match="is checked out in"):
        open_lane(both.one, Saying(task=FIRST))
    git(both.one.root, "switch", "-q", "main")

    assert both.holder(both.one) == ""
    assert both.start(both.two) == ()


def test_a_task_that_two_clones_number_alike_is_called_anew_and_that_is_said(both: Two) -> None:
    add_task(both.one, Saying(), Contract(title="of anna"))
    both.clock.advance(1_000)
    add_task(both.two, Saying(), Contract(title="of bert"))
    both.sync(both.one)

    said = both.sync(both.two).remarks

    assert said == ("TASK-003 is called TASK-003-2 now: another clone had one of that name first",)
    titles = {each.task_id: each.title for each in show_run(both.two).tasks}
    assert titles["TASK-003"] == "of anna"
    assert titles["TASK-003-2"] == "of bert"
