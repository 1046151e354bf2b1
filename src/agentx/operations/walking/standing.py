"""How an issue stands on its way, for who asks; and whether agents may be taken along it here."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from agentx.kernel.errors import ConflictError, IllegalTransition, InvalidValue
from agentx.kernel.text import printable
from agentx.operations.bounds import say_bounds
from agentx.operations.walking.asked import WalkBounds, WalkReply, WalkRequest, WalkRow
from agentx.project.project import Project
from agentx.project.trust.trust import ActingState
from agentx.wiring.loop.desk import open_command_work
from agentx.wiring.runners import LOOP, check_runner, find_player_name, runner_named
from agentx.wiring.walking.walk_git import WalkGit
from agentx.wiring.walking.walks import find_template
from agentx.wiring.work import position, stages_at
from agentx.work.labels import type_of
from agentx.work.model import Position, Stage, Status, Step
from agentx.work.progress import output_of
from agentx.work.statuses import find_refusal, may_move
from agentx.work.walk.model import Deed, Due, Walked, WalkEvent
from agentx.work.walk.schedule import find_due, list_at_work, list_shown, sum_spent

PERSON_PLAYS = "person"
_PARTS_NAMED = 5
_NO_DOCUMENTS = (".git", ".agentx", ".agent-memory")


def find_position(project: Project, request: WalkRequest, events: Sequence[WalkEvent]) -> Position:
    """Return where an issue stands, by what happened on its way.

    Raises: NotFound, InvalidValue where it follows another workflow.
    """
    where = position(project, request.issue)
    if events:
        shown, at_work = list_shown(where.workflow, events), list_at_work(events)
        steps = stages_at(project, where.workflow, where.issue, shown, at_work)
        where = replace(where, steps=steps)
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
        AgentUnavailable; NotFound for a template that a step names and nobody has;
        IllegalTransition for an issue that no step begins with.
    """
    _check_workflow_file(project, where)
    if error := find_out_of_reach(where):
        raise error
    steps = [each.step for each in where.steps if each.stage in (Stage.NEXT, Stage.LATER)]
    for step in steps:
        _check_output(step, request.issue)
        if step.template:
            find_template(project, step.template)
    names = {request.runner or find_player_name(project, step.agent): step.agent for step in steps}
    for name, role in names.items():
        if name not in ("", PERSON_PLAYS):
            check_runner(runner_named(project, name, model=request.model))
        if name == LOOP:
            open_command_work(project, role)


def find_out_of_reach(where: Position) -> IllegalTransition | None:
    """Return why no step can begin from the status that an issue has, and what to do."""
    issue = where.issue
    starts = [(each.step.id, each.step.status_on_start) for each in where.next]
    if not starts or any(to is None or may_move(issue.status, to) for _, to in starts):
        return None
    step, to = starts[0]
    assert to is not None, "such a step begins anywhere"
    via = [each for each in Status if may_move(issue.status, each) and may_move(each, to)]
    if not via:
        return find_refusal(issue.number, issue.status, to)
    return IllegalTransition(
        f"#{issue.number} is {issue.status}: {step} begins where it is {via[0]}",
        hint=f"agentx issue update {issue.number} --status {shlex.quote(via[0])}",
    )


def _check_workflow_file(project: Project, where: Position) -> None:
    """See that a file of the project's own is the workflow: else one that ships took its place."""
    folder = project.trust.name_of(project.paths.workflows)
    meant = {f"{folder}/{name}.toml" for name in (where.workflow.name, type_of(where.issue.labels))}
    for each in project.trust.acting_files():
        if each.path in meant and each.state is not ActingState.TRUSTED:
            raise InvalidValue(
                f"{each.path} is not trusted as it is now: another workflow would stand in for it",
                hint="look at it, then say so: agentx trust --show, agentx trust",
            )


def _check_output(step: Step, issue: int) -> None:
    path = output_of(step, issue)
    parts = PurePosixPath(path).parts
    is_ours = bool(parts) and parts[0].casefold() in _NO_DOCUMENTS
    if path.startswith("/") or ".." in parts or is_ours or printable(path) != path:
        raise InvalidValue(
            f"{step.id} would write to {printable(path)[:200]!r}: no place for a document",
            hint="in the workflow: output, a file of the project, such as docs/notes-{issue}.md",
        )


def check_branch(git: WalkGit, request: WalkRequest, events: Sequence[WalkEvent]) -> None:
    """See that the branch is checked out on which an issue is worked on.

    Raises: ConflictError.
    """
    branch = git.branch
    if not branch:
        meant = events[0].branch if events else f"-c issue-{request.issue}"
        raise ConflictError(
            "no branch is checked out: what agents do is committed to one",
            hint=f"git switch {meant}",
        )
    if events and events[0].branch != branch:
        raise ConflictError(
            f"#{request.issue} is worked on on the branch {events[0].branch}, not {branch}",
            hint=f"git switch {events[0].branch}",
        )


def check_git(git: WalkGit, request: WalkRequest, events: Sequence[WalkEvent]) -> None:
    """See that what agents do is committed where it belongs, and nothing else with it.

    Raises: ConflictError.
    """
    check_branch(git, request, events)
    branch = git.branch
    if events:
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
    """Return the command that goes on, with all that holds for one sitting alone."""
    said = [("--runner", request.runner), ("--model", request.model)]
    said += [("--with", step) for step in request.optional]
    said += say_bounds(request.bounds, WalkBounds())
    told = "".join(f" {name} {shlex.quote(value)}" for name, value in said if value)
    return f"agentx workflow run --issue {request.issue}{told}"


def is_over(request: WalkRequest, where: Position) -> bool:
    """Tell whether every step is done that is wanted."""
    over = (Stage.DONE, Stage.SKIPPED)
    return all(
        each.stage in over or (each.step.optional and each.step.id not in request.optional)
        for each in where.steps
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
    hints += [] if is_over(request, where) else [say_again(request)]
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
