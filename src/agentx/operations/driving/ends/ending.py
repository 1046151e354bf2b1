"""From the last task to the pull request: the whole is verified, put on its base, and handed over.

VERIFICATION   the run's checks on the merged work; what fails becomes a task, a bounded number
               of times, then a person is asked
CLEANUP        on top of the base as it is now; what that changed is verified again
PR_PREP        the pages of the pull request; the branch is pushed, where runs are
the end        lessons wait for a person, or are taken in by the policy
"""

from __future__ import annotations

from enum import StrEnum

from agentx.kernel.errors import ConflictError
from agentx.kernel.values import frozen
from agentx.operations.driving.approving import require_approved
from agentx.operations.driving.asked import NewsOf
from agentx.operations.driving.desk import DriveDesk
from agentx.operations.driving.ends.pulls import open_pull
from agentx.operations.driving.ends.taught import settle_taught
from agentx.operations.driving.ends.whole import MENDS, find_told_ms, list_mends
from agentx.operations.lessons.candidates import UNDECIDED
from agentx.operations.runs.lane import rebase_work
from agentx.operations.runs.phases import enter_phase
from agentx.operations.runs.recover import pull_request
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import add_task, run_checks
from agentx.runs.model import PHASES, Contract, Phase, Report, Run
from agentx.wiring.bound.lane_turns import tell_tips
from agentx.wiring.runners import check_environment
from agentx.wiring.runs import open_runs

_MENDS_MAX = 2
_TITLE_CHARS = 120


class EndStage(StrEnum):
    """What came of one step towards the end."""

    MORE = "more"  # there is more to do: tasks, or the next step
    WAITS = "waits"  # for a person
    OVER = "over"


@frozen
class EndStep:
    """One step towards the end of a run."""

    stage: EndStage
    text: str = ""
    pushed: str = ""
    pull: str = ""  # the address of its pull request


def go_on(desk: DriveDesk) -> EndStep:
    """Take a run one step further whose tasks are all done.

    Raises: AgentXError where something is in the way that nobody can mend unasked.
    """
    run = desk.run
    match run.phase:
        case Phase.PLANNING | Phase.EXECUTION:
            return _enter(desk, PHASES[PHASES.index(run.phase) + 1])
        case Phase.VERIFICATION:
            return _verify(desk, run) or _enter(desk, Phase.CLEANUP)
        case Phase.CLEANUP:
            return _clean_up(desk, run)
        case Phase.PR_PREP:
            return _hand_over(desk, run)


def _enter(desk: DriveDesk, phase: Phase) -> EndStep:
    enter_phase(desk.project, Saying(run_id=desk.run_id), str(phase))
    desk.news(NewsOf.RUN, f"{phase}")
    return EndStep(stage=EndStage.MORE)


def _verify(desk: DriveDesk, run: Run) -> EndStep | None:
    """Run the checks of the whole; None where they passed on what is there now."""
    report = _find_report(desk, run)
    is_new = report is None
    if report is None:
        desk.news(NewsOf.CHECK, "runs the checks of the whole: " + ", ".join(run.checks))
        require_approved(desk, run, None)
        environment = check_environment(desk.project)
        by = Saying(run_id=desk.run_id)
        report = run_checks(desk.project, by, (), environment=environment).report
    failed = [each for each in report.checks if not each.passed]
    if not failed:
        if is_new:
            passed = ", ".join(each.name for each in report.checks)
            desk.news(NewsOf.CHECK, f"the whole passed: {passed}")
        return None
    names = ", ".join(each.name for each in failed)
    desk.news(NewsOf.CHECK, f"the whole failed: {names}")
    told_ms = find_told_ms(run)
    mends = [each for each in list_mends(run) if each.contracted_ms[0] > told_ms]
    if len(mends) >= _MENDS_MAX:
        text = f"{len(mends)} tasks did not make {names} pass on the whole: how shall it go on?"
        if not any(each.open and not each.task for each in run.escalations.values()):
            desk.ask(text)
        return EndStep(stage=EndStage.WAITS, text=text)
    goal = "On the merged work these checks fail; what they printed is above. Mend the cause."
    contract = Contract(title=f"{MENDS}{names}"[:_TITLE_CHARS], goal=goal)
    by = Saying(run_id=desk.run_id)
    added = add_task(desk.project, by, contract).added[0].task
    enter_phase(desk.project, by, str(Phase.EXECUTION), reason=f"{names} failed on the whole")
    desk.news(NewsOf.PLAN, contract.title, task=added)
    return EndStep(stage=EndStage.MORE)


def _find_report(desk: DriveDesk, run: Run) -> Report | None:
    """Return the last report of the whole, if it is of what is there now."""
    executed = [each for each in run.reports if each.was_executed]
    stale = open_runs(desk.project).tell_stale(run, only="")
    is_answered = any(
        (each.resolved_ms or 0) > executed[-1].at_ms
        for each in (run.escalations.values() if executed else ())
    )
    return executed[-1] if executed and "" not in stale and not is_answered else None


def _clean_up(desk: DriveDesk, run: Run) -> EndStep:
    tried = tell_tips(desk.project, run)
    if desk.tried == tried:
        return EndStep(stage=EndStage.WAITS, text=desk.why)  # as it was, it conflicts again
    desk.drive.require()
    told = rebase_work(desk.project, Saying(run_id=desk.run_id), is_kept=bool(desk.remote))
    if told.conflict is not None:
        files = ", ".join(told.conflict.files)
        text = f"{run.git.base_branch} does not go together with the work in {files}"
        desk.news(NewsOf.ASK, text)
        desk.tried, desk.why = tried, text
        return EndStep(stage=EndStage.WAITS, text=text)
    if told.told.added:
        desk.news(NewsOf.MERGE, f"the work is on top of {run.git.base_branch} as it is now")
    return _verify(desk, desk.run) or _enter(desk, Phase.PR_PREP)


def _hand_over(desk: DriveDesk, run: Run) -> EndStep:
    settle_taught(desk)
    found = pull_request(desk.project, run.id, actor="orchestrator")
    if not found.ready:
        missing = "; ".join(f"{each.text}: `{each.command}`" for each in found.missing)
        raise ConflictError(
            f"the pull request is not ready: {missing or found.checklist}",
            hint="`agentx run pr` tells what lacks",
        )
    desk.drive.require()
    why = desk.push(run.git.work_branch)
    if why:
        raise ConflictError(
            f"{run.git.work_branch} was not pushed: {why}",
            hint="the run waits for that; drive it again once it can be",
        )
    if desk.remote:
        desk.news(NewsOf.PUSH, f"{run.git.work_branch} is pushed to {desk.remote}")
    pull = open_pull(desk, run, found)
    told = enter_phase(desk.project, Saying(run_id=desk.run_id), "complete")
    for remark in told.remarks:
        if UNDECIDED not in remark:  # which the end of the drive tells
            desk.news(NewsOf.END, remark)
    return EndStep(stage=EndStage.OVER, pushed=desk.remote, pull=pull)
