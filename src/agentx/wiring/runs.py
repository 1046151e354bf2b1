"""The runs of a project, opened here; and what others need to know of them cheaply."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from agentx.clarification.limits import CLARIFY_DECIDED_TOLD_MS
from agentx.host.files.plain import exists, is_folder
from agentx.host.git.facts import user_name
from agentx.host.git.own_branch import OwnBranch
from agentx.host.git.programs import list_programs
from agentx.kernel.bus import Bus
from agentx.kernel.clock import age
from agentx.kernel.errors import NotFound
from agentx.kernel.ids import shorten_run
from agentx.kernel.roles import is_persons_name
from agentx.kernel.text import preview
from agentx.kernel.values import frozen
from agentx.project.audit import AuditAct, record_act
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls, find_caller
from agentx.project.trust.writers import Hand
from agentx.runs.asked import Escalation
from agentx.runs.choosing.place import find_place
from agentx.runs.choosing.which_run import WhichRun
from agentx.runs.claiming.own_claims import OwnClaims
from agentx.runs.claiming.telling import say_end
from agentx.runs.events import RunEnded, RunRecorded, RunRepaired
from agentx.runs.holding.settling import say_holder
from agentx.runs.lane_work import LaneWork
from agentx.runs.model import Happening, Run, RunEvent
from agentx.runs.paths import RunNotes
from agentx.runs.rendering import (
    event_line,
    list_answered,
    say_doubted_end,
)
from agentx.runs.replies import GoneCommit, Unmerged
from agentx.runs.resuming import name_answer
from agentx.runs.rules.claims import GOES_ON
from agentx.runs.rules.fold import fold
from agentx.runs.rules.gates import NOTHING_MOVED, list_lost_checks
from agentx.runs.rules.graph import ready
from agentx.runs.rules.permits import check_permit, find_role
from agentx.runs.service import Runs
from agentx.runs.settings import BRANCH, RunsSettings
from agentx.runs.store.git_lanes import GitLanes
from agentx.runs.store.kept.branch import KeptBranch
from agentx.runs.store.kept.notes import KeptNotes
from agentx.runs.store.local.shown import ShownAsks
from agentx.runs.store.run_store import RunStore
from agentx.runs.store.vouching import RunPen
from agentx.runs.task_work import TaskWork
from agentx.wiring.listeners.log import log_told
from agentx.wiring.trust.git_refusal import require_git
from agentx.wiring.trust.keys import open_keyring, show_owner
from agentx.wiring.trust.noted import find_noted, list_due

if TYPE_CHECKING:
    from agentx.runs.checking.check_work import CheckWork

_STEPS_IN_DIGEST = 3
_LINE_CHARS_MAX = 160
_EVENTS_ON_PAGE = 10
_COMMAND_CHARS = 80


def open_runs(
    project: Project,
    bus: Bus | None = None,
    caller: WhoCalls | None = None,
    variables: Mapping[str, str] | None = None,
) -> Runs:
    """Return the runs of a project; what happens is written to the structured log.

    `variables` are the environment that may name a run; without them it is the caller's.
    """
    said = project.environment.variables if variables is None else variables
    bell = bus if bus is not None else Bus()
    told = {RunRecorded: "run-recorded", RunEnded: "run-ended", RunRepaired: "run-repaired"}
    log_told(project, bell, told)
    lanes = open_lane_git(project, lambda: store)
    store = open_run_store(project, caller, lanes)
    notes = RunNotes(project.store.root)
    return Runs(store, lanes, bell, lambda: find_place(notes, project.directory, said))


def open_lane_git(project: Project, find_store: Callable[[], RunStore] | None = None) -> GitLanes:
    """Return what git does in the branches of a project's runs."""
    return GitLanes(
        project.root,
        project.store,
        project.directory,
        lambda: may_git_run_all(project),
        find_checkout=lambda: (find_store() if find_store else open_run_store(project)).own.known,
    )


def open_run_store(
    project: Project, caller: WhoCalls | None = None, lanes: GitLanes | None = None
) -> RunStore:
    """Return the files of a project's runs; whose words they are is told by the user's keys."""
    hand = Hand(project.data, project.root, project.entropy)
    keyring = open_keyring(project, hand)

    def doubt(claim: RunEvent) -> None:
        facts = {"line": claim.id, "writer": claim.writer, "via": str(claim.standing)}
        record_act(project, AuditAct.UNVERIFIED, run=claim.run, type=claim.kind, **facts)

    pen = RunPen(
        writer=keyring.choose_writer,
        signatures=keyring,
        name_owner=lambda key: show_owner(keyring, key),
        doubt=doubt,
    )
    calls = cache(lambda: caller or find_caller(project))
    noted = find_noted(project)
    return RunStore(
        project.paths,
        project.store,
        project.clock,
        project.entropy,
        pen,
        kept=open_kept(project, noted),
        guard=partial(_guard, project, calls),
        ask_git=(lambda _run: NOTHING_MOVED) if lanes is None else lanes.ask,
        name_role=lambda: calls().role,
        name_person=lambda: "" if project.trust.common is None else user_name(project.root),
        checkout=noted,
        list_due=partial(list_due, project),
    )


def open_kept(project: Project, noted: str = "") -> KeptBranch | None:
    """Return the branch that keeps a project's runs; None without a git that has files."""
    common = project.trust.common
    if common is None or common == project.root or exists(project.store.restoring):
        return None  # nothing is brought back into what is being replaced
    return KeptBranch(
        project.paths,
        OwnBranch(project.root, common, BRANCH),
        KeptNotes(project.store.run_branch(noted or find_noted(project))),
        project.clock,
        wanted=project.config.section(RunsSettings).branch,
        may_take_in=lambda: project.trust.was_said,
        tell=lambda run: project.log.record("warning", "run-brought-back", run=run),
    )


def find_shown_asks(project: Project) -> ShownAsks:
    """Return which questions of runs the user was shown."""
    return ShownAsks(RunNotes(project.store.root).shown, project.clock)


def _guard(project: Project, find: Callable[[], WhoCalls], run: Run, said: Happening) -> Happening:
    """Return what who calls says, in a person's name with how; refuse what is not for them to say.

    Raises: NotThePerson, IllegalTransition; UnavailableError where git refuses the repository.
    """
    require_git(project)
    calls = find()
    check_permit(find_role(calls.role, said.actor), said.kind, calls.role)
    _guard_checks(project, calls, run, said)
    _guard_waiting(project, calls, run, said)
    if not is_persons_name(said.actor):
        return said
    return replace(said, detail={**said.detail, "via": str(calls.via_person)})


def _guard_checks(project: Project, calls: WhoCalls, run: Run, said: Happening) -> None:
    """Refuse an agent that would take a check away which was agreed.

    Raises: NotThePerson.
    """
    lost = list_lost_checks(run, said)
    if lost:
        from agentx.wiring.trust.persons_word import require_person  # noqa: PLC0415  few do

        what = f"that a check goes which was agreed: {preview(lost[0], _COMMAND_CHARS)!r}"
        verb = f"task revise {said.task} --no-checks" if said.task else 'verify --declare "COMMAND"'
        hint = f"agentx run {verb} --run {shorten_run(run.id)}"
        require_person(project, what, hint=hint, caller=calls, about=said.task or run.id)


def _guard_waiting(project: Project, caller: WhoCalls, run: Run, said: Happening) -> None:
    """Refuse an agent that would take a run on which waits for a person's answer.

    Raises: NotThePerson.
    """
    if said.kind not in GOES_ON or not run.holding:
        return
    from agentx.wiring.trust.persons_word import require_person  # noqa: PLC0415  few runs wait

    asked = run.holding[0]
    what = f"that {run.id} goes on: it waits for their answer to {asked.id}"
    require_person(project, what, hint=name_answer(run, asked), caller=caller, about=asked.id)


def may_git_run_all(project: Project) -> bool:
    """Tell whether git may run all that it would: the repository brings nothing, or is trusted."""
    return project.trust.was_said or not list_programs(project.root)


def open_lanes(
    project: Project, bus: Bus | None = None, caller: WhoCalls | None = None
) -> LaneWork:
    """Return the lanes of a project's runs."""
    return LaneWork(open_runs(project, bus, caller))


def open_tasks(project: Project, caller: WhoCalls | None = None) -> TaskWork:
    """Return the tasks of a project's runs."""
    return TaskWork(open_runs(project, caller=caller))


def open_checks(project: Project, caller: WhoCalls | None = None) -> CheckWork:
    """Return the checks of a project's runs."""
    from agentx.runs.checking.check_work import CheckWork  # noqa: PLC0415  few commands run any

    return CheckWork(open_runs(project, caller=caller))


def active_run(project: Project) -> str:
    """Return the run that is worked on; empty when there is none. Reads small files."""
    if not project.has_runs:
        return ""
    return open_runs(project).which.active()


def find_work(project: Project, folder: Path) -> dict[str, str]:
    """Return the run that a session in a folder works for, with lane and task; nothing if unclear.

    What the environment of who asks says is not the session's.
    """
    which = open_runs(replace(project, directory=folder), variables={}).which
    name = which.find_meant()
    if not name:
        return {}
    run = open_run_store(project).look(name)
    lane = which.find_lane(run)
    found = {"run": name, "lane": "" if lane is None else lane.id, "task": which.find_task(run)}
    return {key: value for key, value in found.items() if value}


@frozen
class RunQuestion:
    """What a run asks a person, and what the person types."""

    run_id: str
    title: str
    asked: Escalation
    command: str


def list_asking_runs(project: Project) -> tuple[Run, ...]:
    """Return the runs that go on and ever asked a person something, newest first."""
    if project.has_runs:
        return tuple(open_runs(project).list_asking())
    _look_early(project)
    return ()


def _look_early(project: Project) -> None:
    """Note that no run was here yet: one that comes unsigned is of no earlier version."""
    if is_folder(project.store.root):
        open_run_store(project).vouching.begin()


def list_run_questions(
    project: Project, asking: tuple[Run, ...] | None = None
) -> tuple[RunQuestion, ...]:
    """Return what the runs that go on ask a person, oldest first."""
    runs = list_asking_runs(project) if asking is None else asking
    if not runs:
        return ()
    which = open_runs(project).which
    found = [
        RunQuestion(
            run_id=run.id,
            title=run.title,
            asked=asked,
            command=which.complete(name_answer(run, asked), run),
        )
        for run in runs
        for asked in run.escalations.values()
        if asked.open
    ]
    return tuple(sorted(found, key=lambda one: (one.asked.at_ms, one.asked.id)))


def list_answered_lately(
    project: Project, asking: tuple[Run, ...]
) -> tuple[tuple[Run, Escalation], ...]:
    """Return what people answered lately to what runs ask, in the order they did."""
    since = project.clock.now_ms() - CLARIFY_DECIDED_TOLD_MS
    answered = ((run, each) for run in asking for each in list_answered(run))
    found = [one for one in answered if (one[1].resolved_ms or 0) >= since]
    return tuple(sorted(found, key=lambda one: (one[1].resolved_ms or 0, one[1].id)))


def story_of(project: Project, run_id: str) -> tuple[Run, tuple[RunEvent, ...]]:
    """Return a run and its events, in order, also when it is packed away.

    Raises: NotFound, InvalidValue, CorruptRecord.
    """
    store = open_run_store(project)
    events = store.events(run_id).events if store.exists(run_id) else store.read_packed(run_id)
    run = fold(run_id, events)
    if not run.started:
        raise NotFound(f"{run_id}: no such run", hint="`agentx run list` shows the runs")
    return run, events


def run_page(run: Run, events: tuple[RunEvent, ...]) -> str:
    """Return a run as text: what it was for, its tasks, what was decided, how it ended."""
    tasks = [f"{task.id} {task.status}: {task.contract.title}" for task in run.tasks.values()]
    decided = [f"decided: {decision.told}" for decision in run.decisions]
    last = [f"lately: {event_line(event, run)}" for event in events[-_EVENTS_ON_PAGE:]]
    parts = (run.title, run.description, *tasks, *decided, run.outcome_reason, *last)
    return "\n".join(part for part in parts if part)


def digest_lines(project: Project) -> tuple[str, ...]:
    """Return what a session should be told of the run that goes on; nothing when none does."""
    name = active_run(project)
    if not name:
        return ()
    runs = open_runs(project)
    run, _ = runs.run(name)
    done = sum(task.over for task in run.tasks.values())
    when = age(run.updated_ms, now_ms=project.clock.now_ms())
    head = f"{run.title} ({run.phase}, {run.status}, "
    by = f", for {run.requester}" if run.requester else ""
    head += f"{done} of {len(run.tasks)} tasks done, last change {when}{by})"
    now_ms = project.clock.now_ms()
    here = tuple(_tell_here(run, runs.which, runs.own, now_ms))
    steps = runs.way_on(run).next
    if any(step.holds for step in steps):  # who reads this is refused what takes the run on
        steps = tuple(step for step in steps if not step.takes_on)
    steps = steps[:_STEPS_IN_DIGEST]
    # What a person answers is no command for the agent that reads this.
    lines = [
        f"next: {step.text}"
        + (f" -> {step.command}" if step.command and not (step.is_persons or step.takes) else "")
        for step in steps
    ]
    waiting = ready(run)
    if len(waiting) > _STEPS_IN_DIGEST:
        lines.append(f"{len(waiting)} tasks are ready; `agentx run show` lists them")
    others = len(runs.which.list_going()) - 1
    if others > 0 and not here:
        lines.append(f"{others} more in progress: `agentx run list`; name one with `--run`")
    return tuple(preview(line, _LINE_CHARS_MAX) for line in (head, *here, *lines))


def _tell_here(run: Run, which: WhichRun, own: OwnClaims, now_ms: int) -> Iterator[str]:
    """Yield what a session in the folder of a lane is to do there."""
    task = run.tasks.get(which.find_task(run))
    if task is None:
        return
    lane = which.find_lane(run)
    where = f" in {lane.id}" if lane is not None else ""
    yield f"here: {task.id}{where}, {task.status}: {task.contract.title}"
    claim = task.settled.claim
    if claim is not None and claim.checkout != own.known:
        yield f"it is held by {say_holder(claim)}, {say_end(own.see(claim), now_ms)}"
    said = task.contract
    for name, text in (
        ("goal", said.goal),
        ("scope", said.scope),
        ("files", ", ".join(said.files)),
        ("must hold", "; ".join(said.acceptance)),
    ):
        if text:
            yield f"{name}: {text}"
    yield "all of it: `agentx run context`"


def list_damaged_runs(project: Project) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the runs with lines that are no events, and what is wrong with each line."""
    runs = open_runs(project)
    for run_id in runs.ids():
        _, faults = runs.run(run_id)
        if faults:
            yield run_id, faults


def list_claimed_runs(project: Project) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the runs in which somebody claims to be a person, or ends them, for nothing."""
    runs = open_runs(project)
    for run_id in runs.ids():
        run, _ = runs.run(run_id)
        claims = [event_line(each, run) for each in runs.events(run_id) if each.is_claim]
        if run.doubted_end is not None and not run.doubted_end.counts:
            claims.append(say_doubted_end(run))
        if claims:
            yield run_id, tuple(preview(each, _LINE_CHARS_MAX) for each in claims)


def list_gone_runs(project: Project) -> Iterator[tuple[str, GoneCommit]]:
    """Yield the runs that go on and stand on a commit that is not here."""
    runs = open_runs(project)
    for run_id in runs.ids():
        for gone in runs.list_gone(runs.run(run_id)[0])[:1]:
            yield run_id, gone


def list_unmerged_runs(project: Project) -> Iterator[tuple[str, tuple[Unmerged, ...]]]:
    """Yield the runs with lanes that count as merged, and git says otherwise."""
    runs = open_runs(project)
    for run_id in runs.ids():
        unmerged = runs.list_unmerged(runs.run(run_id)[0])
        if unmerged:
            yield run_id, unmerged
