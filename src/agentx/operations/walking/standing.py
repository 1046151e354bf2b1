"""How an issue stands on its way, for who asks; and whether agents may be taken along it here."""

from __future__ import annotations

from collections.abc import Sequence

from agentx.kernel.errors import ConflictError, InvalidValue
from agentx.operations.walking.asked import WalkReply, WalkRequest, WalkRow
from agentx.project.project import Project
from agentx.wiring.loop.desk import open_command_work
from agentx.wiring.runners import LOOP, check_runner, find_player_name, runner_named
from agentx.wiring.walking.walks import WalkGit, find_template
from agentx.wiring.work import position
from agentx.work.model import Position, Stage, Step
from agentx.work.progress import output_of
from agentx.work.walk.model import Deed, Due, Walked, WalkEvent
from agentx.work.walk.schedule import find_due, list_shown, sum_spent

PERSON_PLAYS = "person"
_PARTS_NAMED = 5


def find_position(project: Project, request: WalkRequest, events: Sequence[WalkEvent]) -> Position:
    """Return where an issue stands, by what happened on its way.

    Raises: NotFound, InvalidValue where it follows another workflow.
    """
    where = position(project, request.issue, shown=list_shown(events))
    if request.workflow and where.workflow.name != request.workflow:
        raise InvalidValue(
            f"#{request.issue} follows the workflow {where.workflow.name}, by its labels",
            hint=f"agentx issue update {request.issue} --label type:{request.workflow}",
        )
    unknown = set(request.optional) - {step.id for step in where.workflow.steps if step.optional}
    if unknown:
        raise InvalidValue(
            f"{min(unknown)[:60]!r} is no optional step of {where.workflow.name}",
            hint=f"agentx workflow show {where.workflow.name}",
        )
    return where


def check_means(project: Project, request: WalkRequest, where: Position) -> None:
    """See that who plays the roles can be run here, and all is there, before anything is begun.

    Raises: InvalidValue for what is no runner, or where the loop may run what it must not;
        AgentUnavailable; NotFound for a template that a step names and nobody has.
    """
    steps = [each.step for each in where.steps if each.stage in (Stage.NEXT, Stage.LATER)]
    for step in steps:
        if step.template:
            find_template(project, step.template)
    names = {request.runner or find_player_name(project, step.agent): step.agent for step in steps}
    for name, role in names.items():
        if name not in ("", PERSON_PLAYS):
            check_runner(runner_named(project, name, model=request.model))
        if name == LOOP:
            open_command_work(project, role)


def check_git(git: WalkGit, request: WalkRequest, events: Sequence[WalkEvent]) -> None:
    """See that what agents do is committed where it belongs, and nothing else with it.

    Raises: ConflictError.
    """
    branch = git.branch
    if not branch:
        raise ConflictError(
            "no branch is checked out: what agents do is committed to one",
            hint=f"git switch -c issue-{request.issue}",
        )
    if events:
        if events[0].branch != branch:
            raise ConflictError(
                f"#{request.issue} is worked on on the branch {events[0].branch}, not {branch}",
                hint=f"git switch {events[0].branch}",
            )
        return
    if git.is_default() and not request.is_default_allowed:
        raise ConflictError(
            f"{branch} is the default branch: each step would be committed to it",
            hint=f"git switch -c issue-{request.issue}; or, if it is meant: --on-default",
        )
    changed = git.list_changed()
    if changed:
        named = ", ".join(changed[:_PARTS_NAMED])
        raise ConflictError(
            f"{len(changed)} files are not committed: {named}",
            hint="commit or stash them: what agents change is committed step by step",
        )


def say_nobody(step: Step, issue: int, runner: str) -> str:
    """Return what a person may do for a step that no agent does."""
    if runner == PERSON_PLAYS:
        what = f"write {output_of(step, issue)}" if step.output else "do it"
        moves = f", then agentx issue update {issue} --status '{step.status_on_complete}'"
        return f"{step.id} is yours: {what}{moves if step.status_on_complete else ''}"
    return f"nobody plays {step.agent}: --runner loop, or agentx config set agents.runner"


def say_again(request: WalkRequest) -> str:
    """Return the command that goes on."""
    return f"agentx workflow run --issue {request.issue}" + (
        f" --runner {request.runner}" if request.runner else ""
    )


def write_reply(
    request: WalkRequest,
    events: Sequence[WalkEvent],
    where: Position,
    ended: str = "",
    reason: str = "",
) -> WalkReply:
    """Return how an issue stands, or how a sitting ended."""
    spent = sum_spent(events)
    dues = {each.step.id: find_due(each.step, events) for each in where.next}
    waits = tuple(
        due.last.waits_for for due in dues.values() if due.last is not None and due.last.waits_for
    )
    last = {each.step: each for each in events if each.session}
    done = {each.step: each.commit for each in events if each.kind is Walked.STEP_DONE}
    rows = tuple(
        WalkRow(
            id=each.step.id,
            role=each.step.agent,
            title=each.step.title,
            stage=each.stage,
            doing=_say_due(dues[each.step.id]) if each.step.id in dues else "",
            session=last[each.step.id].session if each.step.id in last else "",
            commit=done.get(each.step.id, ""),
        )
        for each in where.steps
    )
    hints = ["agentx clarify inbox"] if waits else []
    is_over = all(each.stage in (Stage.DONE, Stage.SKIPPED) for each in where.steps)
    hints += [] if is_over else [say_again(request)]
    return WalkReply(
        issue=request.issue,
        workflow=where.workflow.name,
        ended=ended,
        reason=reason,
        status=where.issue.status,
        steps=rows,
        tokens=spent.tokens,
        usd=spent.micro_usd / 1e6,
        waits_for=tuple(each.partition("@")[0] for each in waits),
        next=tuple(hints),
    )


def _say_due(due: Due) -> str:
    match due.deed:
        case Deed.BEGIN:
            return "is next"
        case Deed.CHECK | Deed.FINISH:
            return "is to be checked and handed on"
        case _ if due.last is not None and due.last.waits_for:
            return f"waits for {due.last.waits_for.partition('@')[0]}"
        case Deed.RESUME:
            return "goes on: " + (due.reason or "it was begun")
        case _:
            return due.reason
