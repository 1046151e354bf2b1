"""Taking a run further: the verbs of `agentx run` that agents need, behind one tool.

One tool with an action costs a session a third of what seven would. Who may do what is the table of
roles, as for the commands; who calls is an agent, and never a person. No commands are taken to be
run as checks: a person names those.
"""

from __future__ import annotations

from collections.abc import Callable

from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import hang
from agentx.kernel.values import frozen
from agentx.operations.runs.claiming import release_task, take_task
from agentx.operations.runs.lane import finish_lane, merge_lane, open_lane
from agentx.operations.runs.recover import resume_run
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import add_task, start_run
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls, find_caller
from agentx.runs.model import Contract
from agentx.runs.rendering import event_line
from agentx.runs.replies import LaneTold, Told
from agentx.surfaces.mcp.answer import answer
from agentx.surfaces.mcp.desk import Desk
from agentx.surfaces.mcp.hints import speak_command


@frozen
class _Given:
    """What a call gave."""

    project: Project
    by: Saying
    caller: WhoCalls
    title: str
    text: str
    files: tuple[str, ...]
    depends_on: tuple[str, ...]
    merge: bool


def run_do(
    desk: Desk,
    *,
    action: str,
    actor: str,
    task: str = "",
    lane: str = "",
    title: str = "",
    text: str = "",
    files: tuple[str, ...] = (),
    depends_on: tuple[str, ...] = (),
    merge: bool = False,
    run: str = "",
) -> str:
    """Take a run further: start it, add and take tasks, open and finish lanes, resume."""
    project = desk.project()
    given = _Given(
        project=project,
        by=Saying(run_id=run, actor=actor, task=task, lane=lane),
        caller=find_caller(project, by_mcp=True),
        title=title,
        text=text,
        files=files,
        depends_on=depends_on,
        merge=merge,
    )
    return ACTS[action](given)


def _need(name: str, given: str) -> str:
    if not given.strip():
        raise InvalidValue(f"{name} is missing", hint=f"give {name}")
    return given


def _start(given: _Given) -> str:
    run = start_run(
        given.project,
        _need("title", given.title),
        description=given.text,
        actor=given.by.actor,
        caller=given.caller,
    )
    rows = ["next: add its tasks; what must pass is for the user to name"]
    return answer(rows, head=f"{run.id}: {run.phase}, {run.status}")


def _add_task(given: _Given) -> str:
    contract = Contract(
        title=_need("title", given.title),
        goal=given.text,
        files=given.files,
        depends_on=given.depends_on,
    )
    return _tell(add_task(given.project, given.by, contract, given.caller))


def _take(given: _Given) -> str:
    return _tell(take_task(given.project, given.by, given.caller))


def _release(given: _Given) -> str:
    return _tell(release_task(given.project, given.by, given.text, given.caller))


def _open_lane(given: _Given) -> str:
    return _tell_lane(open_lane(given.project, given.by, given.caller))


def _finish_lane(given: _Given) -> str:
    if given.merge:
        return _tell_lane(merge_lane(given.project, given.by, caller=given.caller))
    return _tell_lane(finish_lane(given.project, given.by, given.caller))


def _tell(told: Told, *more: str) -> str:
    rows = [event_line(event, told.run) for event in told.added] or [
        "nothing new: it was so already"
    ]
    rows += [*filter(None, more), *(f"note: {remark}" for remark in told.remarks)]
    return answer(rows, head=f"{told.run.id}: {told.run.phase}, {told.run.status}")


def _tell_lane(done: LaneTold) -> str:
    conflict = done.conflict
    clash = "" if conflict is None else f"conflict in {', '.join(conflict.files)}: nothing merged"
    is_open = done.lane is not None and done.lane.open
    return _tell(done.told, clash, f"work in {done.folder}" if is_open and done.folder else "")


def _resume(given: _Given) -> str:
    found, rebuilt = resume_run(
        given.project, given.by.run_id, actor=given.by.actor, caller=given.caller
    )
    rows = [f"{found.interruption}: {found.stopped_at}"]
    rows += [f"last noted: {found.last_log}"] if found.last_log else []
    rows += found.answered
    rows += [f"next: {step.text}{speak_command(step.command)}" for step in found.next]
    rows += [f"note: {remark}" for remark in rebuilt.remarks]
    return answer([*map(hang, rows)], head=f"{found.run_id}: {found.phase}, {found.status}")


ACTS: dict[str, Callable[[_Given], str]] = {
    "start": _start,
    "add-task": _add_task,
    "take": _take,
    "release": _release,
    "open-lane": _open_lane,
    "finish-lane": _finish_lane,
    "resume": _resume,
}
