"""Take a run up again, make its files anew, and prepare its pull request."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen
from agentx.operations.runs.read import steps_for
from agentx.operations.runs.saying import check_speaker, name_meant
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls
from agentx.runs.lacking.mending import say_mending
from agentx.runs.pages.pull_request import checklist, description
from agentx.runs.paths import RunPaths
from agentx.runs.replies import REOPEN, Changes, Landed, Rebuilt, Resumption
from agentx.runs.rules.gates import Missing
from agentx.runs.taking.giving_up import give_up_commit
from agentx.runs.taking.lane_taking import LaneTaking
from agentx.wiring.bound.claims import reach
from agentx.wiring.bound.taking_out import RunsTakenOut, take_out
from agentx.wiring.runs import open_lanes, open_runs
from agentx.wiring.trust.persons_word import require_person, require_persons_word

_NAMED_MAX = 3


@frozen
class PullRequest:
    """What a person needs to open the pull request."""

    run_id: str
    ready: bool
    base_branch: str
    work_branch: str
    description: str
    checklist: str
    files: tuple[str, ...]
    changes: Changes | None
    remarks: tuple[str, ...] = ()  # what was found on the way
    missing: tuple[Missing, ...] = ()  # what must be so first, with what to type
    landed: Landed | None = None  # where it is merged already


def resume_run(
    project: Project,
    run_id: str = "",
    *,
    actor: str,
    without: str = "",
    caller: WhoCalls | None = None,
) -> tuple[Resumption, Rebuilt]:
    """Put right what an interruption left; say what happened, where it stopped, what is next.

    `without` is a commit that is gone for good, as a person says: the run goes on from its
    branches as they are.

    Raises: NotThePerson; NotFound, IllegalTransition where nothing is to be given up.
    """
    check_speaker(project, actor, caller)
    remarks: list[str] = []
    exchange = reach(project, remarks, "what others did since is not seen")
    runs = open_runs(project, caller=caller)
    if without:
        what = f"that {without} is gone for good"
        hint = _for_person("agentx run resume", name_meant(project, run_id), f"--without {without}")
        via = require_persons_word(project, what, hint=hint, caller=caller, about=without)
        remarks += give_up_commit(runs, run_id, without, via=via).remarks
    found, rebuilt = runs.resume(run_id, actor=actor)
    remarks += LaneTaking(runs).make_folders(rebuilt.run)
    if exchange is not None:
        with suppress(AgentXError):
            exchange.push()
    rebuilt = replace(rebuilt, remarks=(*rebuilt.remarks, *remarks))
    return replace(found, next=steps_for(project, found.next)), rebuilt


def rebuild_runs(
    project: Project,
    run_id: str = "",
    *,
    everything: bool = False,
    as_is: bool = False,
    caller: WhoCalls | None = None,
) -> tuple[Rebuilt, ...]:
    """Make the files of a run, or of all runs, from their events.

    With `as_is` what a person took out of those files stays out of the branch that keeps runs.

    Raises: NotThePerson.
    """
    out = RunsTakenOut(())
    if as_is:
        which = "--all" if everything else name_meant(project, run_id)
        hint = _for_person("agentx run rebuild", which, "--as-is")
        what = "that lines of runs are gone for good"
        require_person(project, what, hint=hint, caller=caller, about="runs")
        out = take_out(project, run_id, everything=everything)
    runs = open_runs(project)
    names = [run.id for run in runs.all()] if everything else list(out.runs)
    if not as_is and not everything:
        names = [runs.which.choose_to_see(run_id)]
    done = tuple(runs.rebuild(name) for name in names)
    if not out.gone or not done:
        return done
    is_one = out.gone == 1
    what = "what you took out is" if is_one else f"{out.gone} lines that you took out are"
    told = f"{what} gone from here for good; who has exchanged runs with you, and git, has them"
    return (replace(done[0], remarks=(*done[0].remarks, told)), *done[1:])


def _for_person(*words: str) -> str:
    return " ".join(word for word in words if word)


def pull_request(project: Project, run_id: str = "", *, actor: str) -> PullRequest:
    """Return what the pull request says; in PR_PREP it also lies in the run's `pr` folder."""
    from agentx.operations.lessons.candidates import tell_undecided  # noqa: PLC0415  here alone

    lanes = open_lanes(project)
    runs = open_runs(project)
    run, _ = runs.run(run_id)
    changes = lanes.changes(run)
    if run.over:
        remarks = runs.fetch(run.id)
    else:
        told, changes = lanes.record_changes(run.id, actor=actor)
        run, remarks = told.run, told.remarks
    unmerged, missing = lanes.list_unmerged(run), runs.list_missing(run)
    remarks += tuple(f"{each.lane}: {say_mending(run.id, each)}" for each in unmerged[:_NAMED_MAX])
    if run.over and missing:
        again = runs.which.complete(REOPEN, run)
        remarks += (f"the run is over: `{again}` takes it up again, to mend what is open",)
    lifted = runs.list_lifted(run)
    page = checklist(run, unmerged, missing, lifted)
    here = RunPaths()
    landed = lanes.find_landed(run)
    unpushed = () if landed and landed.is_sure else lanes.tell_unpushed(run)
    return PullRequest(
        run_id=run.id,
        ready="- [ ]" not in page,
        base_branch=run.git.base_branch,
        work_branch=run.git.work_branch,
        description=description(run, runs.tell_stale(run), lifted),
        checklist=page,
        files=tuple(str(path) for path in (here.pr_description, here.pr_checklist)),
        changes=changes,
        remarks=(*remarks, *tell_undecided(project, run), *unpushed),
        missing=missing,
        landed=landed,
    )
