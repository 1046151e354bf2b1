"""The verb that runs checks: those of a contract and those that are named, where the work is.

The run's lock is not held meanwhile. What is kept is what was there when the checks began: the
commit, and which files were not committed. A command that a contract names is run only
where somebody trusted put it there; who names it himself runs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from agentx.kernel.errors import InvalidValue, LimitError, NotFound
from agentx.kernel.text import preview, quote_word
from agentx.runs.choosing.place import Aim
from agentx.runs.limits import RUN_CHECKS_MAX
from agentx.runs.model import Happening, Lane, Report, Run, RunEvent, Task, Verdict
from agentx.runs.replies import Checked, Told
from agentx.runs.rules.decide import find_lane
from agentx.runs.rules.gates import list_declared
from agentx.runs.service import Runs
from agentx.runs.store.executing import Execution, execute
from agentx.runs.store.git_shared import CheckedOut
from agentx.runs.store.run_store import OpenRun
from agentx.runs.store.shared.lane_roots import tell_submodules

_FILES_KEPT = 50
_SHORT = 10
_NAME_CHARS = 80


class CheckWork:
    """Checks of runs."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    def run(
        self,
        aim: Aim,
        named: Iterable[str],
        *,
        actor: str,
        wait_ms: int,
        environment: Mapping[str, str] | None = None,
    ) -> Checked:
        """Run the checks of a task or of the run, with those that are named; keep how they ended.

        Raises: InvalidValue where there is none, NotFound, LimitError, ConflictError.
        """
        with self._runs.which.naming(aim.run_id) as run_id:
            run, task, lane = self._find(replace(aim, run_id=run_id))
            commands = self._gather(run, task, tuple(named))
            self._check_merged(run, lane)
        place = self._runs.git.find_checked_out(run, "" if lane is None else lane.id)
        clock = self._runs.clock
        done = tuple(execute(each, place.folder, wait_ms, clock, environment) for each in commands)
        after = self._runs.git.find_checked_out(run, "" if lane is None else lane.id)
        if after.commit != place.commit:
            # What ran is of neither commit.
            place = replace(place, changed=(*place.changed, f"HEAD, now {after.commit[:_SHORT]}"))
        said = Happening(
            kind="checks-run",
            actor=actor,
            task="" if task is None else task.id,
            lane="" if lane is None else lane.id,
            detail=_tell(done, place, _name_place(run, lane)),
        )
        told = self._runs.doing(run.id, lambda desk: self._record(desk, said))
        is_made = place.folder != self._runs.git.root  # by git, for a lane or the work branch
        if is_made and not all(each.passed for each in done):
            told = replace(told, remarks=(*told.remarks, *tell_submodules(place.folder)))
        return Checked(
            told=told,
            report=_find_report(told),
            folder=str(place.folder),
            unrun=_list_unrun(run, task, commands),
        )

    def find_commit(self, aim: Aim) -> str:
        """Return the commit that a verdict said now is about; empty where nobody knows."""
        with self._runs.which.naming(aim.run_id) as run_id:
            run, _, lane = self._find(replace(aim, run_id=run_id))
            self._check_merged(run, lane)
        return self._runs.git.find_tip(run, "" if lane is None else lane.id)

    def find_task(self, aim: Aim) -> str:
        """Return the task that is meant where none is named: that of where somebody stands."""
        with self._runs.which.naming(aim.run_id) as run_id:
            _, task, _ = self._find(replace(aim, run_id=run_id))
        return "" if task is None else task.id

    def _check_merged(self, run: Run, lane: Lane | None) -> None:
        """See that the work branch, where it is what is checked, holds all that counts as merged.

        Raises: IllegalTransition.
        """
        if lane is None:
            self._runs.check_merged(run)

    def _record(self, desk: OpenRun, said: Happening) -> tuple[RunEvent, ...]:
        return desk.say(self._runs.clean(said))

    def _find(self, aim: Aim) -> tuple[Run, Task | None, Lane | None]:
        run, _ = self._runs.run(aim.run_id)
        stands = self._runs.which.find_lane(run)
        lane = find_lane(run, aim.lane) if aim.lane else None
        name = aim.task or ("" if lane is None else lane.task)
        if not aim.task and not aim.lane:
            name, lane = self._runs.which.find_task(run), stands
        task = run.tasks.get(name)
        if name and task is None:
            raise NotFound(
                f"{name}: no such task in {run.id}", hint="`agentx run task list` shows them"
            )
        if lane is None and task is not None:
            lane = run.lanes.get(task.lane)
        return run, task, lane if lane is not None and lane.open else None

    def _gather(self, run: Run, task: Task | None, named: tuple[str, ...]) -> tuple[str, ...]:
        declared, doubted = list_declared(run, task)
        commands = tuple(dict.fromkeys((*named, *(c for c in declared if c not in doubted))))
        what = run.id if task is None else task.id
        if not commands and doubted:
            first = next(iter(doubted))
            raise InvalidValue(
                f"{what} asks for {first!r}, and nobody whom you trust put that there",
                hint="look at it; then "
                f"`agentx run verify{_say_task(task)} --run {quote_word(first)}`, "
                "or trust who wrote it: `agentx trust --show` lists the writers; one who is not "
                "there pushes their runs (`agentx run sync`), or commits and pushes their card in "
                ".agentx/questions/writers/ first",
            )
        if not commands:
            raise InvalidValue(
                f"nothing is to be run: {what} declares no checks",
                hint=f"name one: `agentx run verify{_say_task(task)} --run 'COMMAND'`; "
                "or say what you saw with --verdict",
            )
        if len(commands) > RUN_CHECKS_MAX:
            raise LimitError(
                f"{len(commands)} checks are too many at once, at most {RUN_CHECKS_MAX}",
                hint="verify task by task with --task",
            )
        return commands


def _list_unrun(run: Run, task: Task | None, ran: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is declared and was not run, as nobody vouches for it."""
    return tuple(each for each in list_declared(run, task)[0] if each not in ran)


def _say_task(task: Task | None) -> str:
    return "" if task is None else f" --task {task.id}"


def _name_place(run: Run, lane: Lane | None) -> str:
    if lane is not None:
        return lane.id
    return run.git.work_branch or "checkout"


def _tell(done: tuple[Execution, ...], place: CheckedOut, where: str) -> dict[str, object]:
    passed = all(each.passed for each in done)
    detail: dict[str, object] = {
        "verdict": str(Verdict.PASSED if passed else Verdict.FAILED),
        "place": where,
        "checks": [_tell_one(each, place) for each in done],
    }
    if place.commit:
        detail["commit"] = place.commit
    if place.changed:
        detail["dirty"] = list(place.changed[:_FILES_KEPT])
    return detail


def _tell_one(done: Execution, place: CheckedOut) -> dict[str, object]:
    took = f"exit {done.exit_code} after {done.duration_ms / 1000:.1f} s"
    at = f" at {place.commit[:_SHORT]}" if place.commit else ""
    return {
        "name": preview(done.command, _NAME_CHARS),
        "passed": done.passed,
        "evidence": f"{done.why or took}{at}",
        "command": done.command,
        "exit_code": done.exit_code,
        "duration_ms": done.duration_ms,
        "output": done.output,
    }


def _find_report(told: Told) -> Report:
    event = told.added[0]
    task = told.run.tasks.get(event.task)
    reports = told.run.reports if task is None else task.reports
    return next(each for each in reversed(reports) if each.event_id == event.id)
