"""What a contract asks for before a task is done, and before a run goes past its verification.

    waits for        every task it depends on is done
    a failed check   a later one passed; words lift no failure that was seen, unless a person's.
                     One of the whole run counts where it held what failed
    declared checks  each was run and passed, on what is committed now
    acceptance       somebody verified it after it was agreed
    the whole run    where somebody verified it, that is of what is committed now
    its lane         its task was not dropped, nor completed by somebody else

Pure: what is committed now is told by who asks (`Tell`). No word stands for a declared check.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import replace
from functools import cache

from agentx.kernel.errors import IllegalTransition
from agentx.kernel.text import preview, quote_word
from agentx.kernel.values import frozen
from agentx.runs.holding.settling import say_holder, say_party
from agentx.runs.model import (
    Check,
    Happening,
    Lane,
    LaneStatus,
    Report,
    Run,
    Task,
    TaskStatus,
)
from agentx.runs.rules.claims import is_person
from agentx.runs.rules.graph import waits_for

_COMMAND_CHARS = 80
_FILES_SHOWN = 3
_NAMED_MAX = 3
_SHORT = 10


@frozen
class Tell:
    """What git has now, told by who can ask it."""

    # A lane, or nothing for the work branch, and a commit -> why that is not what is there now.
    moved: Callable[[str, str], str]
    # An older commit and a newer one -> whether that has all of it.
    holds: Callable[[str, str], bool]

    def __call__(self, lane: str, commit: str) -> str:
        """Return why a commit is not what a lane, or the work branch, has now."""
        return self.moved(lane, commit)


# Takes every commit for the one that is there: for who cannot ask git.
NOTHING_MOVED = Tell(moved=lambda _lane, _commit: "", holds=lambda _older, _newer: True)


@frozen
class Missing:
    """Something that a contract asks for and that is not so yet, and what to type."""

    text: str
    command: str


def check_done(run: Run, task: Task, tell: Tell, *, refusing: str = "") -> None:
    """See that a task may be completed, or is so still; `refusing` is what cannot be else.

    Raises: IllegalTransition, with what is missing and what to type.
    """
    missing = list_missing_of_task(run, task, tell)
    if missing:
        raise _refuse(refusing or f"{task.id} cannot be completed", missing)


def check_wanted(run: Run, lane: Lane) -> None:
    """See that a lane may be finished and merged: not where its task was dropped, or is done.

    Raises: IllegalTransition.
    """
    why = tell_unwanted(run, lane) if run.tasks[lane.task].over else ""
    if why:
        raise IllegalTransition(
            f"{why}: {lane.id} is not merged",
            hint=f"`agentx run task reopen {lane.task} REASON` takes it up again, "
            f"`agentx run lane fail {lane.id} REASON` ends the lane",
        )


def tell_unwanted(run: Run, lane: Lane) -> str:
    """Return what came of the task of an open lane without it; empty where the lane counts.

    Clones that did not know of each other may both have worked on a task.
    """
    task = run.tasks.get(lane.task)
    if task is None or not lane.open:
        return ""
    if task.status is TaskStatus.DROPPED:
        return f"{task.id} was dropped: {task.reason}"
    ended, other = task.settled.ended, _find_merged(run, task, lane)
    if other is not None:
        who = say_party(task.claims, other.checkout)
        return f"{task.id} was completed in {other.id}" + (f" by {who}" if who else "")
    if ended is None or lane.id == ended.lane:  # the one it was done in, whoever has that by now
        return ""
    if task.over and lane.checkout not in ("", ended.checkout):
        return f"{task.id} was completed by {say_holder(ended)}"
    return ""


def _find_merged(run: Run, task: Task, lane: Lane) -> Lane | None:
    """Return another lane that completed a task since it was last taken up.

    Of a task that is not over it is one that did so before the lane was opened, unknown there.
    """
    others = (each for each in run.lanes.values() if each.task == task.id and each.id != lane.id)
    merged = (each for each in others if each.status is LaneStatus.MERGED)
    since = (each for each in merged if each.changed_ms >= task.reopened_ms)
    return next((each for each in since if task.over or each.changed_ms <= lane.opened_ms), None)


def list_unwanted(run: Run, checkout: str) -> Iterator[tuple[Lane, str]]:
    """Yield the open lanes of a checkout that are not wanted any more, and why."""
    for lane in run.lanes.values():
        why = tell_unwanted(run, lane) if lane.open and lane.checkout in ("", checkout) else ""
        if why:
            yield lane, why


def check_verified(run: Run, tell: Tell) -> None:
    """See that a run may go past its verification.

    Raises: IllegalTransition, with what is missing and what to type.
    """
    missing = list_unready(run, tell)
    if missing:
        raise _refuse(f"{run.id} is not verified", missing)


def list_missing_of_task(run: Run, task: Task, tell: Tell) -> tuple[Missing, ...]:
    """Return what must be so before a task is completed."""
    lane = run.lanes.get(task.lane)
    where = lane.id if lane is not None and lane.open else ""
    verify = f"agentx run verify --task {task.id}"
    waits = waits_for(run, task)
    found = [
        Missing(text=f"it waits for {', '.join(waits)}", command="agentx run task list")
        for _ in waits[:1]
    ]
    return (*found, *_list_unverified(run, task, where, tell, verify))


def list_doubted_of_task(run: Run, task: Task) -> tuple[Missing, ...]:
    """Return the checks of a task that nobody whom you trust asked for, and that keep it from its
    end until they ran: no `run verify` runs them unless they are named."""
    lane = run.lanes.get(task.lane)
    where = lane.id if lane is not None and lane.open else ""
    _, every = _list_reports(run, task)
    verify = f"agentx run verify --task {task.id}"
    return tuple(
        _tell_missing(command, why, task.doubted, verify)
        for command, why in _list_lacking(task.doubted, every, where, NOTHING_MOVED)
    )


def list_unready(run: Run, tell: Tell) -> tuple[Missing, ...]:
    """Return what must be so before a run goes past its verification: what contracts ask for, and
    that the last verdict of the whole run, where there is one, is of what is there now."""
    missing = list_missing_of_run(run, tell)
    stale = None if missing else find_stale(run, tell)
    return missing if stale is None else (stale,)


def list_missing_of_run(run: Run, tell: Tell) -> tuple[Missing, ...]:
    """Return what contracts ask for and is not so yet, on the work branch."""
    told = replace(tell, moved=cache(tell.moved), holds=cache(tell.holds))
    found: dict[str, Missing] = {}
    verify = "agentx run verify"
    failed = _find_failed(run.reports)
    if failed is not None:
        again = f"{verify}{_name_again(run, None, failed)}"
        found[""] = Missing(text=f"the run: {_say_failed(failed)}", command=again)
    for command, why in _list_lacking(run.checks, run.reports, "", told):
        lack = _tell_missing(command, why, run.doubted, verify)
        found.setdefault(lack.text, lack)
    for task in run.tasks.values():
        if task.status is not TaskStatus.DROPPED:
            for each in _list_unverified(run, task, "", told, verify):
                text = each.text if each.command == verify else f"{task.id}: {each.text}"
                found.setdefault(text, Missing(text=text, command=each.command))
    return tuple(found.values())


def find_stale(run: Run, tell: Tell) -> Missing | None:
    """Return that the run was verified as a whole before its branch went on; None where not."""
    last = next((each for each in run.reports[-1:] if each.passed), None)
    why = "" if last is None else is_stale(last, "", tell)
    if last is None or not why:
        return None
    declared, doubted = list_declared(run, None)
    unasked = [each for each in declared if each not in doubted]
    again = _name_all(each.command for each in last.checks if each.command not in unasked)
    words = again if last.was_executed else " --verdict PASSED --check NAME=EVIDENCE"
    return Missing(text=f"the run was verified before: {why}", command=f"agentx run verify{words}")


def list_declared(run: Run, task: Task | None) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the checks of a task, or of all, and those of them that are not run unless named."""
    if task is not None:
        return task.contract.checks, frozenset(task.doubted)
    left = [each for each in run.tasks.values() if each.status is not TaskStatus.DROPPED]
    declared = (*run.checks, *(c for each in left for c in each.contract.checks))
    doubted = {*run.doubted, *(c for each in left for c in each.doubted)}
    sure = {c for c in run.checks if c not in run.doubted}
    sure |= {c for each in left for c in each.contract.checks if c not in each.doubted}
    return tuple(dict.fromkeys(declared)), frozenset(doubted - sure)


def list_lost_checks(run: Run, said: Happening) -> tuple[str, ...]:
    """Return the checks that would be asked for no more after something that is said."""
    if "checks" not in said.detail or said.kind not in ("task-revised", "checks-declared"):
        return ()
    task = run.tasks.get(said.task)
    before = run.checks if not said.task else () if task is None else task.contract.checks
    now = said.detail["checks"]
    kept = now if isinstance(now, list | tuple) else (now,)
    return tuple(each for each in before if each not in kept)


def is_stale(report: Report, lane: str, tell: Tell) -> str:
    """Return why a report is not of what is there now; empty where it is, or nobody knows."""
    return tell(lane, report.commit) if report.commit else ""


def list_stale(run: Run, tell: Tell, only: str | None = None) -> dict[str, str]:
    """Return why the last verdict of a task, or of the run, is not of what is there now.

    `only` is the task that is meant, empty for the run. What is merged is as good as its checks
    that passed with the whole run since.
    """
    lanes = {name: lane.id for name, lane in run.lanes.items() if lane.open}
    found = {
        task.id: is_stale(task.reports[-1], lanes.get(task.lane, ""), tell)
        for task in run.tasks.values()
        if task.reports and only in (None, task.id)
    }
    if run.reports and not only:
        found[""] = is_stale(run.reports[-1], "", tell)
    if run.reports and run.reports[-1].was_executed and not found.get("", "it was not looked at"):
        now = {each.name for each in run.reports[-1].checks if each.passed}
        for task in run.tasks.values():
            if task.id in found and task.lane not in lanes and _is_held_by(task, now):
                del found[task.id]
    return {name: why for name, why in found.items() if why}


def list_uncounted(run: Run) -> dict[str, str]:
    """Return why what passed last of a task opens no gate, whatever is there now."""
    found: dict[str, str] = {}
    for task in run.tasks.values():
        last = task.reports[-1] if task.reports else None
        if last is not None and last.at_ms <= task.reopened_ms:
            found[task.id] = "it was before the task was taken up again"
        elif last is not None and last.was_executed and last.passed:
            found[task.id] = _tell_unfit(last, "", NOTHING_MOVED)
    return {name: why for name, why in found.items() if why}


def _is_held_by(task: Task, names: Container[str]) -> bool:
    """Tell whether all checks that were run last of a task are among some that passed."""
    last = task.reports[-1]
    return last.passed and all(each.name in names for each in last.checks)


def _list_unverified(run: Run, task: Task, lane: str, tell: Tell, verify: str) -> Iterator[Missing]:
    _, every = _list_reports(run, task)
    failed = _find_standing(run, task, tell)
    of_task = f"agentx run verify --task {task.id}"
    lacking = tuple(_list_lacking(task.contract.checks, every, lane, tell))
    if failed is not None and not (lacking and failed.was_executed):
        yield Missing(
            text=_say_failed(failed), command=f"{of_task}{_name_again(run, task, failed)}"
        )
    for command, why in lacking:
        by_name = command in task.doubted
        yield _tell_missing(command, why, task.doubted, of_task if by_name else verify)
    agreed_ms = task.contracted_ms[-1] if task.contracted_ms else 0
    verified = any(each.passed and each.at_ms > agreed_ms for each in every)
    if task.contract.acceptance and not verified and failed is None and not lacking:
        what = preview(task.contract.acceptance[0], _COMMAND_CHARS)
        yield Missing(
            text=f"nobody verified what must hold ({what})",
            command=f"agentx run verify --task {task.id} --verdict PASSED --check NAME=EVIDENCE",
        )


def list_lifted(run: Run, tell: Tell) -> frozenset[str]:
    """Return the tasks that failed last, and passed since with the whole run."""
    failed = (
        task
        for task in run.tasks.values()
        if any(not each.passed for each in _list_reports(run, task)[0][-1:])
    )
    return frozenset(each.id for each in failed if _find_standing(run, each, tell) is None)


def _find_standing(run: Run, task: Task, tell: Tell) -> Report | None:
    """Return the failure of a task that stands; what lifts it may be a check of the whole run."""
    own, every = _list_reports(run, task)
    failed = _find_failed(own)
    if failed is None:
        return None
    passed = (each for each in every if _passes_since(each, failed))
    return None if any(_was_held(run, task, failed, each, tell) for each in passed) else failed


def _was_held(run: Run, task: Task, failed: Report, passed: Report, tell: Tell) -> bool:
    """Tell whether what failed was in what passed: a lane is not, before it is merged."""
    if not failed.commit:
        return True  # nobody knows
    lane = run.lanes.get(task.lane)
    if lane is not None and lane.open:
        return not tell(lane.id, passed.commit)
    lanes = (each for each in run.lanes.values() if each.task == task.id)
    merged = {each.merged_as for each in lanes if each.status is LaneStatus.MERGED} - {""}
    had = merged or {failed.commit}
    return all(tell.holds(each, passed.commit) for each in had) or not tell("", passed.commit)


def _list_reports(run: Run, task: Task) -> tuple[list[Report], list[Report]]:
    """Return what was verified of a task since it was last begun, and that with what was of all."""
    own = [each for each in task.reports if each.at_ms > task.reopened_ms]
    of_all = [each for each in run.reports if each.at_ms > task.reopened_ms]
    return own, sorted((*own, *of_all), key=lambda each: (each.at_ms, each.event_id))


def _find_failed(reports: Iterable[Report]) -> Report | None:
    """Return the failure that stands: what was seen to fail is not talked away."""
    stands: Report | None = None
    for each in reports:
        if not each.passed:
            if stands is None or each.was_executed or not stands.was_executed:
                stands = each
        elif stands is not None and _lifts(each, stands):
            stands = None
    return stands


def _lifts(passed: Report, failed: Report) -> bool:
    if passed.was_executed:
        return passed.is_vouched
    return not failed.was_executed or is_person(passed.actor)


def _passes_since(passed: Report, failed: Report) -> bool:
    """Tell whether all that was seen to fail was seen to pass later, if with the whole run."""
    if not failed.was_executed or not passed.was_executed or not passed.is_vouched or passed.dirty:
        return False
    again = {each.command for each in passed.checks if each.passed and each.command}
    broken = {each.command for each in failed.checks if not each.passed}
    is_later = (passed.at_ms, passed.event_id) > (failed.at_ms, failed.event_id)
    return is_later and bool(broken) and broken <= again


def _name_again(run: Run, task: Task | None, failed: Report) -> str:
    """Return how to name what failed, where there is no check that is run unasked."""
    declared, doubted = list_declared(run, task)
    if any(each not in doubted for each in declared):
        return ""
    return _name_all(each.command for each in failed.checks if not each.passed)


def _name_all(commands: Iterable[str]) -> str:
    named = [each for each in commands if each]
    return "".join(f" --run {quote_word(each)}" for each in named[:_NAMED_MAX])


def _list_lacking(
    commands: Iterable[str], reports: Iterable[Report], lane: str, tell: Tell
) -> Iterator[tuple[str, str]]:
    """Yield each declared check that did not pass on what is there now, and why."""
    ran = [each for each in reports if each.was_executed]
    for command in commands:
        why = _tell_lack(command, ran, lane, tell)
        if why:
            yield command, f"`{preview(command, _COMMAND_CHARS)}` {why}"


def _tell_missing(command: str, why: str, doubted: Container[str], verify: str) -> Missing:
    """Return that a check lacks; one that nobody vouches for is run by name alone."""
    if command not in doubted:
        return Missing(text=why, command=verify)
    return Missing(
        text=f"{why}, and nobody whom you trust asked for it: look at it, or trust who did "
        "(`agentx trust --show`)",
        command=f"{verify} --run {quote_word(command)}",
    )


def _tell_lack(command: str, ran: list[Report], lane: str, tell: Tell) -> str:
    newest = ""
    for report in reversed(ran):
        check = next((each for each in report.checks if each.command == command), None)
        if check is None:
            continue
        why = _tell_unfit(report, lane, tell)
        if not why:
            failed = f"failed{_say_end(check)}{_say_commit(report)}"
            return "" if check.passed else newest or failed
        newest = newest or why
    return newest or "has not been run"


def _tell_unfit(report: Report, lane: str, tell: Tell) -> str:
    """Return why a report says nothing of what is there now."""
    if not report.is_vouched:
        return "ran by the word of a writer whom nobody here trusts"
    if report.dirty:
        files = ", ".join(report.dirty[:_FILES_SHOWN])
        way = "commit it, or have git ignore it, then run it again"
        return f"ran while {files} was not committed: {way}"
    stale = is_stale(report, lane, tell)
    return f"is stale: {stale}" if stale else ""


def _say_failed(report: Report) -> str:
    failed = [each for each in report.checks if not each.passed]
    if not failed:
        return f"the last verdict is FAILED{_say_commit(report)}"
    first = failed[0]
    more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
    name = preview(first.name, _COMMAND_CHARS)
    return f"`{name}`{more} failed{_say_end(first)}{_say_commit(report)}"


def _say_end(check: Check) -> str:
    return "" if check.exit_code is None else f" (exit {check.exit_code})"


def _say_commit(report: Report) -> str:
    return f" at {report.commit[:_SHORT]}" if report.commit else ""


def _refuse(head: str, missing: tuple[Missing, ...]) -> IllegalTransition:
    shown = "; ".join(each.text for each in missing[:3])
    more = f"; and {len(missing) - 3} more" if len(missing) > 3 else ""
    return IllegalTransition(f"{head}: {shown}{more}", hint=f"`{missing[0].command}`, then again")
