"""Hold a task, let go of it, move a lane here; a person takes them from whoever has them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from agentx.clarification.errors import NotThePerson
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import shorten_run
from agentx.operations.runs.saying import Saying, check_speaker, refuse_driven
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls, find_caller
from agentx.runs.claiming.telling import say_until
from agentx.runs.holding.settling import TaskClaim, say_holder
from agentx.runs.replies import LaneTold, Told
from agentx.runs.taking.claim_work import ClaimWork, WantedClaim
from agentx.runs.taking.lane_taking import LaneTaking
from agentx.wiring.bound.claims import claim_there, meeting_others, reach, say_alone
from agentx.wiring.runs import open_runs
from agentx.wiring.trust.persons_word import require_person


def take_task(project: Project, by: Saying, caller: WhoCalls | None = None) -> Told:
    """Hold a task from now on, from whoever has it if a person says so.

    Raises: NotFound, IllegalTransition; NotThePerson for an agent where somebody else holds it.
    """
    actor = check_speaker(project, by.actor, caller)
    refuse_driven(project, by.run_id, caller)
    calls = find_caller(project) if caller is None else caller
    work = ClaimWork(open_runs(project, caller=caller))
    remarks: list[str] = []
    exchange = reach(project, remarks, say_alone(by.task))
    run, task = work.find_task(by.run_id, by.task)
    hint = f"agentx run task take {task.id} --run {shorten_run(run.id)}"
    via = _see_taking(project, task.id, work.find_rival(task), hint, calls)
    wanted = WantedClaim(run_id=run.id, task=task.id, actor=actor, taken_via=via)
    told = claim_there(work, exchange, wanted, remarks)
    return replace(told, remarks=(*remarks, *told.remarks))


def take_lane(project: Project, by: Saying, caller: WhoCalls | None = None) -> LaneTold:
    """Move a lane with its commits to this clone: its branch, a folder, and the claim of its task.

    Raises: NotFound where commits are not pushed, ConflictError for changes that are not committed
        here, IllegalTransition; NotThePerson for an agent where somebody else holds it.
    """
    actor = check_speaker(project, by.actor, caller)
    calls = find_caller(project) if caller is None else caller
    runs = open_runs(project, caller=caller)
    work, taking = ClaimWork(runs), LaneTaking(runs)
    remarks: list[str] = []
    # It may be known only once what others pushed is taken in.
    exchange = reach(project, remarks, f"{by.lane} is taken here only, until `agentx run sync`")
    run, lane = taking.find(by.run_id, by.lane)
    task = run.tasks.get(lane.task)
    via = ""
    if task is not None and not task.over:
        hint = f"agentx run lane take {lane.id} --run {shorten_run(run.id)}"
        via = _see_taking(project, lane.id, work.find_rival(task), hint, calls)
    remarks += (each for each in taking.prepare(run, lane) if each not in remarks)
    if task is not None and not task.over and not work.is_own(task):
        wanted = WantedClaim(run_id=run.id, task=task.id, actor=actor, lane=lane.id, taken_via=via)
        remarks += claim_there(work, exchange, wanted, remarks).remarks
    done = taking.take(run.id, lane.id, actor=actor)
    if exchange is not None:
        with suppress(AgentXError):  # the rest is brought there by the next exchange
            exchange.push()
    return replace(done, told=replace(done.told, remarks=(*remarks, *done.told.remarks)))


def _see_taking(
    project: Project, name: str, rival: TaskClaim | None, hint: str, calls: WhoCalls
) -> str:
    """Return how a person takes something from somebody; nothing where nobody else has it.

    Raises: NotThePerson.
    """
    if rival is None:
        return ""
    whose = f"is held by {say_holder(rival)}, {say_until(rival, project.clock.now_ms())}"
    what = f"that {name} is taken away, which {whose}"
    require_person(project, what, hint=hint, caller=calls, about=name)
    if not calls.is_person:
        raise NotThePerson(
            f"{name} {whose}: only a person takes it away, and nobody sits at a terminal here",
            hint="say it at a terminal; a program that says it for a person adds --as-person",
        )
    return str(calls.via)


def release_task(
    project: Project, by: Saying, reason: str = "", caller: WhoCalls | None = None
) -> Told:
    """Hold a task no more, so that anybody may begin it.

    Raises: NotFound, IllegalTransition where this checkout does not hold it.
    """
    actor = check_speaker(project, by.actor, caller)
    refuse_driven(project, by.run_id, caller)
    with meeting_others(project) as remarks:
        work = ClaimWork(open_runs(project, caller=caller))
        told = work.release(by.run_id, by.task, actor=actor, reason=reason)
    return replace(told, remarks=(*remarks, *told.remarks))
