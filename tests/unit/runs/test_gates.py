"""Goal: nobody passes a gate of a run by words where a contract asks for a check, and a task that
was done can be taken up again.

Method: stories of events, and what may happen after each; what git has is handed in.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentx.kernel.errors import IllegalTransition
from agentx.kernel.roles import ROLES
from agentx.kernel.vouching.standing import Vouching
from agentx.runs.model import Run, RunEvent, TaskStatus
from agentx.runs.pages.pull_request import checklist, description
from agentx.runs.resuming import WhoGoesOn, resumption
from agentx.runs.rules.catalogue import KINDS
from agentx.runs.rules.decide import decide
from agentx.runs.rules.fold import fold
from agentx.runs.rules.gates import (
    NOTHING_MOVED,
    Tell,
    find_stale,
    list_lifted,
    list_lost_checks,
    list_missing_of_run,
    list_stale,
    list_uncounted,
)
from agentx.runs.rules.permits import PERMITS, RunRole, check_permit, find_role
from tests.support.run_stories import RUN, event, happening

CHECK = "make test"


def _run(*events: RunEvent) -> Run:
    return fold(RUN, (event(0, "run-started", title="a run"), *events))


def _ran(number: int, *, passed: bool = True, commit: str = "c1", **fields: object) -> RunEvent:
    code = 0 if passed else 2
    check = {"name": CHECK, "command": CHECK, "passed": passed, "exit_code": code}
    verdict = "PASSED" if passed else "FAILED"
    detail = {"task": "T", "verdict": verdict, "checks": [check], "commit": commit, **fields}
    return event(number, "checks-run", **detail)  # type: ignore[arg-type]  # names and details


def _say(number: int, verdict: str, **fields: object) -> RunEvent:
    detail = {"task": "T", "verdict": verdict, **fields}
    return event(number, "verification-recorded", **detail)  # type: ignore[arg-type]  # see above


def _tell_of(work_at: str, lane_at: str = "lane1") -> Tell:
    """Return what git tells of a branch `work1`, `work2` ... into which `lane1` came with 2."""

    def tell(lane: str, commit: str) -> str:
        now = lane_at if lane else work_at
        return "" if commit == now else f"it was at {commit}, and the branch is at {now} now"

    return Tell(moved=tell, holds=lambda older, newer: older <= newer and newer != "work1")


_tell = _tell_of("c1", "c1")


TASK = event(1, "task-added", task="T", title="x", checks=[CHECK])
DONE = happening("task-completed", task="T")
UNTRUSTED = replace(_ran(2), standing=Vouching.UNTRUSTED)


def test_a_pull_request_says_whose_a_verdict_is_and_that_it_is_old() -> None:
    assert "- T: passed, 1 of 1 checks\n" in description(_run(TASK, _ran(2)))
    whose = "- T: passed, 1 of 1 checks, says a writer whom nobody here trusts\n"
    assert whose in description(_run(TASK, UNTRUSTED))
    old = description(_run(TASK, _ran(2)), {"T": "it was at c0"})
    assert "- T: passed, 1 of 1 checks (stale: it was at c0)\n" in old


def test_a_merged_tasks_checks_are_old_until_the_whole_passed_them_on_what_is_there_now() -> None:
    opened = event(2, "lane-opened", lane="lane-001", task="T", branch="b", commit="c0")
    merged = event(4, "lane-merged", lane="lane-001", commit="work1")
    at_work = _run(TASK, opened, _ran(3, commit="lane1"))
    assert list_stale(at_work, _tell_of("work0", "lane2")).keys() == {"T"}
    story = (TASK, opened, _ran(3, commit="lane1"), merged)
    assert list_stale(_run(*story), _tell_of("work2")).keys() == {"T"}
    whole = _run(*story, _ran(5, task="", commit="work2"))
    assert list_stale(whole, _tell_of("work2")) == {}
    assert list_stale(whole, _tell_of("work3")).keys() == {"T", ""}
    # Nor do words lift it, other checks, or a lane that goes on.
    said = _say(5, "PASSED", task="", commit="work2", checks=[{"name": CHECK, "passed": True}])
    other = [{"name": "lint", "command": "lint", "passed": True, "exit_code": 0}]
    for last in (said, _ran(5, task="", commit="work2", checks=other)):
        assert list_stale(_run(*story, last), _tell_of("work2")).keys() == {"T"}
    goes_on = _run(*story[:3], _ran(5, task="", commit="work2"))
    assert list_stale(goes_on, _tell_of("work2", "lane2")).keys() == {"T"}


def test_checks_that_passed_by_a_strangers_word_tick_no_box() -> None:
    task = event(1, "task-added", task="T", title="x", acceptance=["it holds"])
    holds, verified = "  T: it holds\n", "everything that was verified passed\n"
    for story, box in (((_ran(2),), "- [x] "), ((UNTRUSTED,), "- [ ] ")):
        page = checklist(_run(task, *story), (), ())
        assert box + holds in page
        assert box + verified in page
    later = replace(_ran(3), standing=Vouching.UNTRUSTED)
    assert "- [x] " + holds in checklist(_run(task, _ran(2), later), (), ())


def test_a_page_that_was_written_without_git_says_that_it_does_not_know_what_is_there_now() -> None:
    plain = event(1, "task-added", task="T", title="x")
    asks = "on what is there now: `agentx run pr` asks git\n"
    for story in ((TASK, _ran(2)), (plain, _ran(2)), (plain, _ran(2, task=""))):
        run = _run(*story)
        assert f"- whether that passes {asks}" in description(run)
        assert f"- [ ] every check passed {asks}" in checklist(run)
        assert asks not in description(run, {}) + checklist(run, (), ())
        over = _run(*story, event(9, "run-completed"))
        assert asks not in description(over) + checklist(over)
    run = _run(plain, _say(2, "PASSED"))  # at no commit: nobody could tell
    assert asks not in description(run) + checklist(run)


@pytest.mark.promise("runs.gates")
@pytest.mark.parametrize(
    ("after", "why"),
    [
        ((), "`make test` has not been run"),
        ((_say(2, "PASSED"),), "`make test` has not been run"),
        ((_ran(2, passed=False),), r"`make test` failed \(exit 2\) at c1"),
        ((_ran(2, passed=False), _say(3, "PASSED")), r"`make test` failed \(exit 2\)"),
        ((_ran(2), _ran(3, passed=False)), r"failed \(exit 2\)"),
        ((_ran(2, commit="c0"),), "is stale: it was at c0"),
        ((_ran(2, dirty=["a.py"]),), "a.py was not committed"),
        ((UNTRUSTED,), "whom nobody here trusts"),
        ((_ran(2), event(3, "task-reopened", task="T", reason="no")), "has not been run"),
        ((_ran(2), _say(3, "FAILED")), "the last verdict is FAILED"),
    ],
)
def test_a_task_is_done_only_when_its_checks_passed_on_what_is_there(
    after: tuple[RunEvent, ...], why: str
) -> None:
    with pytest.raises(IllegalTransition, match=why) as refused:
        decide(_run(TASK, *after), DONE, _tell)
    assert "agentx run verify --task T" in refused.value.hint


@pytest.mark.promise("runs.gates")
@pytest.mark.parametrize(
    "after",
    [
        (_ran(2),),
        (_ran(2, passed=False), _ran(3)),
        (_ran(2), _ran(3, commit="c0")),  # the branch went back
        (_say(2, "FAILED"), _ran(3)),
        (_ran(2, task=""),),  # with the whole run
        (_ran(2), _say(3, "FAILED"), _say(4, "PASSED")),
    ],
)
def test_what_passed_on_what_is_there_opens_the_gate(after: tuple[RunEvent, ...]) -> None:
    assert [each.kind for each in decide(_run(TASK, *after), DONE, _tell)] == ["task-completed"]


def test_a_verdict_that_opens_no_gate_is_told_so() -> None:
    assert list_uncounted(_run(TASK, _ran(2))) == {}
    again = event(3, "task-reopened", task="T", reason="no")
    for story, why in (
        ((UNTRUSTED,), "ran by the word of a writer whom nobody here trusts"),
        ((_ran(2, dirty=["a.py"]),), "ran while a.py was not committed"),
        ((_ran(2), event(2, "task-completed", task="T"), again), "before the task was taken up"),
    ):
        assert why in list_uncounted(_run(TASK, *story))["T"]
    assert (
        list_uncounted(_run(TASK, _ran(2, passed=False, dirty=["a.py"]))) == {}
    )  # a failure stands


def test_only_a_person_talks_a_failure_away_that_was_seen() -> None:
    seen = _ran(2, passed=False, task="T2")
    task = event(1, "task-added", task="T2", title="no check is asked for")
    for actor, is_done in (("verifier", False), ("human", True), ("unverified", False)):
        run = _run(task, seen, _say(3, "PASSED", actor=actor, task="T2"))
        missing = list_missing_of_run(run, NOTHING_MOVED)
        assert (not missing) is is_done, actor


def test_what_must_hold_is_verified_after_it_was_agreed() -> None:
    task = event(1, "task-added", task="T", title="x", acceptance=["it holds"])
    again = event(3, "task-revised", task="T", title="x", acceptance=["it holds", "twice"])

    assert decide(_run(task, _say(2, "PASSED_WITH_WARNINGS")), DONE)
    for story in ((task,), (task, _say(2, "PASSED"), again), (task, _say(2, "FAILED"))):
        with pytest.raises(IllegalTransition, match=r"nobody verified|verdict is FAILED"):
            decide(_run(*story), DONE)


@pytest.mark.promise("runs.gates")
def test_a_run_leaves_its_verification_and_ends_only_with_what_was_asked() -> None:
    story = (
        event(1, "task-added", task="T", title="x", checks=[CHECK]),
        _ran(2),
        event(3, "task-completed", task="T"),
        event(4, "checks-declared", checks=["make lint"]),
        event(5, "phase-entered", phase="VERIFICATION"),
    )
    on = happening("phase-entered", phase="CLEANUP")
    lint = {"name": "lint", "command": "make lint", "passed": True, "exit_code": 0}
    passed = event(6, "checks-run", verdict="PASSED", checks=[lint], commit="c1")

    with pytest.raises(IllegalTransition, match="`make lint` has not been run") as refused:
        decide(_run(*story), on, _tell)
    assert "`agentx run verify`" in refused.value.hint
    assert decide(_run(*story, passed), on, _tell)
    with pytest.raises(IllegalTransition, match=r"2 more|is stale.*is stale"):
        decide(_run(*story, passed), on, _tell_of("c2"))
    late = (*story, passed, event(7, "phase-entered", phase="PR_PREP"))
    assert decide(_run(*late), happening("run-completed"), _tell)
    with pytest.raises(IllegalTransition, match="is stale"):
        decide(_run(*late), happening("run-completed"), _tell_of("c2"))
    dropped = event(7, "task-dropped", task="T", reason="no")
    only_lint = list_missing_of_run(_run(*story, dropped), _tell)
    assert [each.text for each in only_lint] == ["`make lint` has not been run"]


@pytest.mark.promise("runs.gates")
def test_a_lane_is_merged_only_when_its_task_may_be_completed() -> None:
    lane = event(2, "lane-opened", lane="L", task="T", branch="agent/x/lane-L")
    merge = happening("lane-merged", lane="L", commit="c2")

    with pytest.raises(IllegalTransition, match="T cannot be completed"):
        decide(_run(TASK, lane), merge, _tell)
    kinds = [each.kind for each in decide(_run(TASK, lane, _ran(3)), merge, _tell)]
    assert kinds == ["lane-merged", "task-completed"]
    # What was committed after the task was done is checked, too.
    done = _run(TASK, lane, _ran(3), event(4, "task-completed", task="T"))
    assert [each.kind for each in decide(done, merge, _tell)] == ["lane-merged"]
    with pytest.raises(IllegalTransition, match=r"though T is done: .* is stale"):
        decide(done, merge, _tell_of("c1"))


@pytest.mark.promise("runs.gates")
def test_a_lane_of_a_task_that_was_dropped_is_not_merged_and_none_is_called_left_out() -> None:
    lane = event(2, "lane-opened", task="T", lane="lane-001", branch="b")
    dropped = event(4, "task-dropped", task="T", reason="not needed")
    merge = happening("lane-merged", lane="lane-001", commit="c1")

    with pytest.raises(IllegalTransition, match="T was dropped: not needed") as refused:
        decide(_run(TASK, lane, dropped), merge, _tell)
    assert "task reopen T" in refused.value.hint
    assert "lane fail lane-001" in refused.value.hint
    assert "- x: not needed\n" in description(_run(TASK, lane, dropped))
    before = event(3, "lane-merged", lane="lane-001", commit="c1")
    told = description(_run(TASK, lane, before, dropped))
    assert "- x: not needed (lane-001: merged before that, and in the branch)\n" in told


def _open(number: int, lane: str, checkout: str) -> RunEvent:
    claim = {"checkout": checkout, "until": "2026-03-02T12:00:00Z", "holder": "engineer"}
    detail = {"task": "T", "lane": lane, "branch": lane, **claim}
    return event(number, "lane-opened", **detail)  # type: ignore[arg-type]  # see above


@pytest.mark.promise("runs.gates")
def test_a_lane_of_a_task_that_another_completed_is_neither_finished_nor_merged() -> None:
    plain = event(1, "task-added", task="T", title="x")
    mine, theirs = _open(3, "lane-002", "bbbb"), _open(2, "lane-001", "aaaa")
    merged = event(4, "lane-merged", lane="lane-001", commit="c1")
    done = event(5, "task-completed", task="T")
    both = (plain, theirs, mine)
    merge = happening("lane-merged", lane="lane-002", commit="c2")

    for said in (merge, happening("lane-finished", lane="lane-002", commit="c2")):
        for story, where in (((*both, merged, done), " in lane-001"), ((*both, done), "")):
            whose = rf"T was completed{where} by engineer \(aaaa\): lane-002 is not merged"
            with pytest.raises(IllegalTransition, match=whose) as refused:
                decide(_run(*story), said)
            assert "task reopen T" in refused.value.hint
            assert "lane fail lane-002" in refused.value.hint
    again = event(6, "task-reopened", task="T", reason="theirs lacks half")
    kinds = [each.kind for each in decide(_run(*both, merged, done, again), merge)]
    assert kinds == ["lane-merged", "task-completed"]
    # Who holds the task may say that it is done, and merge its lane after that; so may who takes
    # that very lane.
    for taken in ((), (event(6, "lane-taken", lane="lane-002", checkout="cccc"),)):
        alone = _run(plain, mine, done, *taken)
        assert [each.kind for each in decide(alone, merge)] == ["lane-merged"]
        whose = "cccc" if taken else "bbbb"
        assert _list_steps(alone, whose)[0][1] == "agentx run lane merge lane-002"
    since = _run(plain, theirs, merged, done, again, _open(7, "lane-002", "bbbb"))
    assert [each.kind for each in decide(since, merge)] == ["lane-merged", "task-completed"]


def _list_steps(
    run: Run, checkout: str = "bbbb", tell: Tell = NOTHING_MOVED
) -> list[tuple[str, str]]:
    found = resumption(run, (), WhoGoesOn(checkout=checkout, tell=tell)).next
    return [(step.text, step.command) for step in found]


def test_who_resumes_is_told_of_lanes_whose_task_is_over_and_sent_to_no_refusal() -> None:
    plain = event(1, "task-added", task="T", title="x")
    mine, done = _open(2, "lane-002", "bbbb"), event(4, "task-completed", task="T")
    executes = event(3, "phase-entered", phase="EXECUTION")
    merge = ("lane-002 is not merged, and T is done", "agentx run lane merge lane-002")
    assert _list_steps(_run(plain, mine, executes, done)) == [merge]
    # What a merge would be refused for comes first; what is not here is pushed first.
    finished = event(4, "lane-finished", lane="lane-002", commit="c1")
    lacking = _run(TASK, mine, executes, finished)
    why = "lane-002 is finished; before it is merged: `make test` has not been run"
    assert _list_steps(lacking)[0] == (why, "agentx run verify --task T")
    away = replace(_tell, holds=lambda _older, _newer: False)
    why, resumes = _list_steps(lacking, "aaaa", away)[0]
    assert why.startswith("lane-002 is finished, and not here: take in what was pushed; ")
    assert why.endswith(", engineer (bbbb) pushes lane-002 first")
    assert resumes == f"agentx run resume {RUN}"
    after = event(5, "task-added", task="U", title="y", depends_on=["T"])
    (_, (then, _)) = _list_steps(_run(plain, mine, executes, done, after))
    assert then == "U is ready: y; lane-002 of T, for which it waited, is not merged yet"

    dropped = event(5, "task-dropped", task="T", reason="not needed")
    fail = 'agentx run lane fail lane-002 "REASON"'
    own = ("T was dropped: not needed; lane-002 stays with its commits: end it", fail)
    theirs = ("T was dropped: not needed; lane-002 of engineer (bbbb) is open: end it", fail)
    for more in ((), (finished,)):
        run = _run(plain, mine, executes, *more, dropped)
        assert _list_steps(run) == [own]
        assert _list_steps(run, "aaaa") == [theirs]
    ended = event(6, "lane-failed", lane="lane-002", reason="dropped")
    (step,) = _list_steps(_run(plain, mine, executes, dropped, ended))
    assert step == ("go on to VERIFICATION", "agentx run phase next")
    # What is not verified does not go on.
    failed, over = _ran(7, passed=False), event(8, "task-completed", task="T")
    for phase, also in (("VERIFICATION", []), ("CLEANUP", []), ("PR_PREP", ["agentx run pr"])):
        run = _run(TASK, event(6, "phase-entered", phase=phase), failed, over)
        (why, command), *steps = _list_steps(run)
        assert (why, command) == ("`make test` failed (exit 2) at c1", "agentx run verify")
        assert [each for _, each in steps] == also


def _trust_not(one: RunEvent) -> RunEvent:
    return replace(one, standing=Vouching.UNTRUSTED)


def test_a_lane_in_conflict_is_named_once_to_who_resumes() -> None:
    run = _run(
        event(1, "task-added", task="T", title="x"),
        _open(2, "lane-002", "bbbb"),
        event(3, "task-started", task="T", lane="lane-002"),
        event(4, "phase-entered", phase="EXECUTION"),
        event(5, "conflict-found", lane="lane-002", operation="merge", files=["a.py"]),
    )

    assert [command for _, command in _list_steps(run)] == ["agentx run lane merge lane-002"]
    here = WhoGoesOn(checkout="aaaa", find_claim=lambda task: task.settled.claim)
    there = resumption(run, (), here).next
    assert [step.command for step in there] == ["agentx run lane take lane-002"]


@pytest.mark.promise("runs.gates")
def test_a_failure_that_a_later_check_of_the_whole_run_lifted_does_not_come_up_again() -> None:
    theirs = (_trust_not(_ran(2, passed=False, commit="c0")), _trust_not(_ran(3)))
    doubted = _trust_not(TASK)
    of_run = _ran(5, task="")

    (asked,) = list_missing_of_run(_run(doubted, *theirs), _tell)
    assert asked.command == f'agentx run verify --task T --run "{CHECK}"'
    assert list_missing_of_run(_run(doubted, *theirs, of_run), _tell) == ()
    assert list_missing_of_run(_run(TASK, *theirs, of_run), _tell) == ()
    # Nothing else lifts it: another check, one that failed, one that nobody vouches for.
    other = {"name": "true", "command": "true", "passed": True, "exit_code": 0}
    for no in (
        _ran(5, task="", checks=[other]),
        _ran(5, task="", passed=False),
        _trust_not(of_run),
        _ran(5, task="", dirty=["a.py"]),
        _ran(1, task=""),
    ):
        assert list_missing_of_run(_run(TASK, *theirs, no), _tell)
        plain = event(1, "task-added", task="T", title="x")
        (left,) = list_missing_of_run(_run(plain, *theirs, no), _tell)[-1:]
        assert "failed (exit 2)" in left.text
        assert left.command == f'agentx run verify --task T --run "{CHECK}"'


@pytest.mark.promise("runs.gates")
def test_a_check_of_the_whole_run_lifts_no_failure_of_a_lane_that_it_does_not_hold() -> None:
    plain = event(1, "task-added", task="T", title="x")
    failed = _ran(3, passed=False, commit="lane1")
    opened = (plain, _open(2, "lane-002", "bbbb"), failed)
    without = _ran(4, task="", commit="work1")  # the lane is not in it
    merge = happening("lane-merged", lane="lane-002", commit="work2")
    done = event(6, "task-completed", task="T")

    with pytest.raises(IllegalTransition, match=r"failed \(exit 2\) at lane1") as refused:
        decide(_run(*opened, without), merge, _tell_of("work1"))
    assert refused.value.hint.startswith('`agentx run verify --task T --run "make test"`')
    same = _tell_of("work1", lane_at="work1")  # nor does what the lane has now fail
    assert decide(_run(*opened, without), merge, same)

    merged = event(5, "lane-merged", lane="lane-002", commit="work2")
    story = (*opened, without, merged, done)
    (left,) = list_missing_of_run(_run(*story), _tell_of("work2"))
    assert left.text == "T: `make test` failed (exit 2) at lane1"
    verifies = event(7, "phase-entered", phase="VERIFICATION")
    assert _list_steps(_run(*story, verifies), tell=_tell_of("work2")) == [
        (left.text, left.command)
    ]
    # One that holds it does, also after the branch went on.
    run = _run(*story, _ran(8, task="", commit="work2"))
    for now in ("work2", "work3"):
        assert list_missing_of_run(run, _tell_of(now)) == ()
        assert list_lifted(run, _tell_of(now)) == {"T"}
    again = event(9, "task-reopened", task="T", reason="no")
    for each in (_run(*story), _run(*story, again)):
        assert list_lifted(each, _tell_of("work2")) == frozenset()
    # What a pull request says agrees.
    assert "- T: FAILED, 0 of 1 checks (it passed since, with the run)\n" in description(
        run, {"T": "it was at lane1"}, {"T"}
    )
    box = "everything that was verified passed"
    assert f"- [x] {box}" in checklist(run, (), (), {"T"})
    assert f"- [ ] {box}" in checklist(run, (), ())


@pytest.mark.promise("runs.gates")
def test_a_run_that_was_verified_before_its_branch_went_on_is_asked_to_be_verified_again() -> None:
    over = (event(1, "task-added", task="T", title="x"), event(2, "task-completed", task="T"))
    story = (*over, _ran(3, task="", commit="work1"))
    moved = "it was at work1, and the branch is at work2 now"
    asked = (f"the run was verified before: {moved}", f'agentx run verify --run "{CHECK}"')
    for phase in ("VERIFICATION", "CLEANUP", "PR_PREP"):
        run = _run(*story, event(4, "phase-entered", phase=phase))
        assert _list_steps(run, tell=_tell_of("work2"))[0] == asked
        assert asked not in _list_steps(run, tell=_tell_of("work1"))
    run = _run(*story)
    assert find_stale(run, _tell_of("work1")) is None
    found = find_stale(run, _tell_of("work2"))
    assert found is not None
    assert (found.text, found.command) == asked
    assert f"- [ ]   {asked[0]}: `{asked[1]}`" in checklist(run, (), (found,))
    assert f"- the run: passed, 1 of 1 checks (stale: {moved})\n" in description(run, {"": moved})
    # Words are asked for again as words; one that lacks or fails is told as that.
    run = _run(*over, _say(3, "PASSED", task="", commit="work1"))
    found = find_stale(run, _tell_of("work2"))
    assert found is not None
    assert found.command == "agentx run verify --verdict PASSED --check NAME=EVIDENCE"
    run = _run(*over, _ran(3, task="", commit="work1", passed=False))
    assert find_stale(run, _tell_of("work2")) is None


@pytest.mark.promise("runs.gates")
@pytest.mark.parametrize("phase", ["VERIFICATION", "CLEANUP", "PR_PREP"])
def test_a_run_goes_past_its_verification_only_with_a_verdict_of_what_is_there_now(
    phase: str,
) -> None:
    over = (event(1, "task-added", task="T", title="x"), event(2, "task-completed", task="T"))
    entered = event(4, "phase-entered", phase=phase)
    on = happening("run-completed")
    if phase != "PR_PREP":
        following = {"VERIFICATION": "CLEANUP", "CLEANUP": "PR_PREP"}[phase]
        on = happening("phase-entered", phase=following)
    for verified in (_ran(3, task="", commit="work1"), _say(3, "PASSED", task="", commit="work1")):
        run = _run(*over, verified, entered)
        assert decide(run, on, _tell_of("work1"))
        with pytest.raises(IllegalTransition, match="the run was verified before") as refused:
            decide(run, on, _tell_of("work2"))
        steps = _list_steps(run, tell=_tell_of("work2"))
        assert refused.value.hint.startswith(f"`{steps[0][1]}`")
        assert not [each for _, each in steps if each.startswith("agentx run phase")]
        again = _ran(5, task="", commit="work2")
        assert decide(_run(*over, verified, entered, again), on, _tell_of("work2"))
    # No contract asks for a verdict of the whole run: one that is not there holds nobody.
    assert decide(_run(*over, entered), on, _tell_of("work2"))


def test_what_failed_of_the_whole_run_is_named_where_nothing_is_declared() -> None:
    plain = event(1, "task-added", task="T", title="x")
    failed = _ran(3, task="", passed=False)
    (asked,) = list_missing_of_run(_run(plain, failed), _tell)
    assert asked.command == f'agentx run verify --run "{CHECK}"'
    first, *_ = list_missing_of_run(_run(TASK, failed), _tell)
    assert first.command == "agentx run verify"


@pytest.mark.promise("runs.reopen")
def test_what_was_done_is_reopened_dropped_and_retried_and_holds_what_waits_for_it() -> None:
    story = (
        event(1, "task-added", task="A", title="x"),
        event(2, "task-added", task="B", title="y", depends_on=["A"]),
        event(3, "task-completed", task="A"),
        event(4, "task-started", task="B"),
        event(5, "phase-entered", phase="VERIFICATION"),
    )
    reopen = decide(_run(*story), happening("task-reopened", task="A", reason="it was wrong"))
    assert [each.kind for each in reopen] == ["task-reopened", "phase-entered"]
    assert reopen[1].detail["phase"] == "EXECUTION"
    again = _run(*story, event(6, "task-reopened", task="A", reason="it was wrong"))

    assert again.tasks["A"].status is TaskStatus.PENDING
    with pytest.raises(IllegalTransition, match="B cannot be completed: it waits for A"):
        decide(again, happening("task-completed", task="B"))
    with pytest.raises(IllegalTransition, match="not done: A, B"):
        decide(again, happening("phase-entered", phase="CLEANUP"))
    assert decide(_run(*story), happening("task-dropped", task="A", reason="no"))
    for ended in ("task-completed", "task-dropped", "task-failed"):
        over = _run(*story[:2], event(3, ended, task="A", reason="so"))
        kinds = [each.kind for each in decide(over, happening("task-retried", task="A"))]
        assert kinds == ["task-retried"]
    retried = _run(*story, event(6, "task-retried", task="A"))
    assert (retried.tasks["A"].status, retried.current_task) == (TaskStatus.IN_PROGRESS, "A")
    with pytest.raises(IllegalTransition, match="task-reopened cannot happen"):
        decide(retried, happening("task-reopened", task="A", reason="again"))


@pytest.mark.promise("runs.gates")
def test_a_line_nobody_vouches_for_takes_no_check_away_and_its_own_is_doubted() -> None:
    typed = event(2, "task-revised", task="T", title="x", checks=["rm -rf /"])
    typed = replace(typed, standing=Vouching.UNSIGNED)
    gone = replace(event(3, "task-revised", task="T", title="x", checks=[]))
    silent = event(3, "task-revised", task="T", title="another title")

    task = _run(TASK, typed).tasks["T"]
    assert task.contract.checks == (CHECK, "rm -rf /")
    assert task.doubted == ("rm -rf /",)
    assert _run(TASK, silent).tasks["T"].contract.checks == (CHECK,)
    assert _run(TASK, gone).tasks["T"].contract.checks == ()
    drop = happening("task-revised", task="T", title="x", checks=["make lint"])
    assert list_lost_checks(_run(TASK), drop) == (CHECK,)
    assert list_lost_checks(_run(TASK), happening("task-revised", task="T", title="x")) == ()


@pytest.mark.promise("runs.roles")
def test_each_role_says_what_is_its_own_and_the_page_shows_the_same_table() -> None:
    assert PERMITS.keys() == KINDS.keys()
    planner, executor, verifier = RunRole.PLANNER, RunRole.EXECUTOR, RunRole.VERIFIER
    for role, kind in (
        (executor, "task-added"),
        (executor, "verification-recorded"),
        (executor, "phase-entered"),
        (verifier, "task-completed"),
        (verifier, "lane-merged"),
        (planner, "task-started"),
        (RunRole.ORCHESTRATOR, "escalation-resolved"),
    ):
        with pytest.raises(IllegalTransition, match=f"{kind} is not for the {role} to say"):
            check_permit(role, kind)
    page = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
    for kind, allowed in PERMITS.items():
        cells = " | ".join("yes" if role in allowed else "-" for role in RunRole)
        assert (f"| `{kind}` | {cells} |" in page) is (allowed != frozenset(RunRole)), kind
    for kind in KINDS:
        check_permit(RunRole.PERSON, kind)
        check_permit(None, kind)
    assert {find_role(role, "orchestrator") for role in ROLES} == {planner, executor, verifier}
    assert find_role("", "executor") is executor
    assert find_role("engineer", "orchestrator") is executor
    assert find_role("", "human") is RunRole.PERSON
    assert find_role("", "my-script") is None
