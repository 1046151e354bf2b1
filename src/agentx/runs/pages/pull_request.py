"""What a pull request says of a run, for a person to read before it is opened."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from agentx.kernel.text import join_marks
from agentx.runs.asked import Escalation
from agentx.runs.claiming.done_twice import find_done_twice
from agentx.runs.model import LaneStatus, Report, Run, Task, TaskStatus, Verdict
from agentx.runs.rendering import mark_standing, say_doubted_end, tell_decision
from agentx.runs.replies import Unmerged
from agentx.runs.rules.gates import Missing

_VERDICTS = {
    Verdict.PASSED: "passed",
    Verdict.PASSED_WITH_WARNINGS: "passed with warnings",
    Verdict.FAILED: "FAILED",
}


def description(
    run: Run, stale: Mapping[str, str] | None = None, lifted: Container[str] = ()
) -> str:
    """Return the text of the pull request; `stale` says of which tasks a verdict is old, and why.
    Under no name it is that of the run.

    A failure of a task that is `lifted` passed since with the whole run. Only git knows either:
    where it was not asked, that is said.
    """
    parts = [f"# {run.title}\n"]
    if run.description:
        parts.append(run.description + "\n")
    done = [task for task in run.tasks.values() if task.status is TaskStatus.COMPLETED]
    parts += _section("What was done", (_tell_done(run, task) for task in done))
    dropped = [task for task in run.tasks.values() if task.status is TaskStatus.DROPPED]
    parts += _section("What was left out", (_tell_dropped(run, each) for each in dropped))
    parts += _section("Decisions", map(tell_decision, run.decisions))
    parts += _section("Verification", _tell_verified(run, stale, lifted))
    in_conflict = {each.escalation for each in run.conflicts.values()}
    parts += _section(
        "Questions that were settled",
        (
            f"- {_line(each.question)} -> {_line(each.resolution)}{_mark(each)}"
            for each in run.escalations.values()
            if not each.open and each.id not in in_conflict
        ),
    )
    parts += _section(
        "What it taught", (f"- {each.kind}: {_line(each.told)}" for each in run.candidates.values())
    )
    branch = run.git.work_branch or "(none)"
    parts.append(f"Run `{run.id}`, branch `{branch}` onto `{run.git.base_branch or '(none)'}`.\n")
    return "\n".join(parts)


def checklist(
    run: Run,
    unmerged: tuple[Unmerged, ...] | None = None,
    missing: tuple[Missing, ...] | None = None,
    lifted: Container[str] = (),
) -> str:
    """Return what must be true before the pull request is opened, ticked where it is.

    Whether a lane is merged, and a check is of what is there now, only git knows: where it was not
    asked, that box stays open.
    """
    rows = [f"# Before opening: {run.title}\n"]
    lost = {each.task for each in unmerged or ()}
    for task in run.tasks.values():
        if task.status is TaskStatus.DROPPED:
            continue
        is_done = task.over and task.id not in lost
        rows.append(_row(is_done, f"{task.id} is done: {task.contract.title}"))
        # What was verified with the whole run was verified.
        reports = task.reports or run.reports
        passed = bool(reports) and (_has_passed(reports) or task.id in lifted)
        rows += [_row(passed, f"  {task.id}: {_line(each)}") for each in task.contract.acceptance]
    if run.over and run.doubted_end is not None:
        rows.append(_row(False, say_doubted_end(run)))
    rows += _tell_lanes(run, unmerged)
    rows += _tell_checks(run, missing)
    rows.append(_row(_is_verified(run, lifted), "everything that was verified passed"))
    unsettled = not any(each.open for each in run.escalations.values())
    rows.append(_row(unsettled, "no question is open"))
    rows.append(_row(not any(each.open for each in run.conflicts.values()), "no conflict is open"))
    return "\n".join(rows) + "\n"


def _tell_lanes(run: Run, unmerged: tuple[Unmerged, ...] | None) -> Iterable[str]:
    merged = not any(lane.open for lane in run.lanes.values())
    is_unasked = unmerged is None and not run.over
    if merged and is_unasked and any(lane.merged_as for lane in run.lanes.values()):
        yield _row(False, "every lane is merged: `agentx run pr` asks git")
        return
    yield _row(merged and not unmerged, "every lane is merged")
    for each in unmerged or ():
        yield _row(False, f"  {each.lane} counts as merged, but {each.why}")


def _tell_checks(run: Run, missing: tuple[Missing, ...] | None) -> Iterable[str]:
    left = (task for task in run.tasks.values() if task.status is not TaskStatus.DROPPED)
    asked = {*run.checks, *(each for task in left for each in task.contract.checks)}
    if missing is None and not run.over and (asked or _is_dated(run)):
        yield _row(False, "every check passed on what is there now: `agentx run pr` asks git")
    elif asked:
        yield _row(not missing, f"every check passed on what is there now ({len(asked)})")
    for each in missing or ():
        yield _row(False, f"  {_line(each.text)}: `{each.command}`")


def _tell_dropped(run: Run, task: Task) -> str:
    """Return why a task was dropped, and what of it is in the branch all the same."""
    merged = [
        each.id
        for each in run.lanes.values()
        if each.task == task.id and each.status is LaneStatus.MERGED
    ]
    there = f" ({', '.join(merged)}: merged before that, and in the branch)" if merged else ""
    return f"- {task.contract.title}: {task.reason}{there}"


def _tell_done(run: Run, task: Task) -> str:
    said = next((entry.told for entry in reversed(task.log)), task.contract.goal)
    lines = [f"- **{task.contract.title}** ({task.id})"]
    twice = find_done_twice(run, task)
    if twice is not None:
        lines.append(f"  {_line(twice.says)}")
    if said:
        lines.append(f"  {_line(said)}")
    lanes = [each for each in run.lanes.values() if each.task == task.id and each.merged_as]
    if lanes and all(each.commit == each.start_commit for each in lanes):
        lines.append("  nothing was changed for it")
    return "\n".join(lines)


def _tell_verified(
    run: Run, asked: Mapping[str, str] | None, lifted: Container[str]
) -> Iterable[str]:
    stale = asked or {}
    for task in run.tasks.values():
        if task.reports:
            old = f" (stale: {stale[task.id]})" if task.id in stale else ""
            since = " (it passed since, with the run)" if task.id in lifted else old
            yield f"- {task.id}: {_verdict(task.reports[-1])}{since}"
    if run.reports:
        old = f" (stale: {stale['']})" if "" in stale else ""
        yield f"- the run: {_verdict(run.reports[-1])}{old}"
    if asked is None and not run.over and _is_dated(run):
        yield "- whether that passes on what is there now: `agentx run pr` asks git"


def _is_dated(run: Run) -> bool:
    """Tell whether a verdict names its commit: git knows whether that is what is there now."""
    last = (*run.reports[-1:], *(each for task in run.tasks.values() for each in task.reports[-1:]))
    return any(each.commit for each in last)


def _verdict(report: Report) -> str:
    passed = sum(check.passed for check in report.checks)
    counted = f", {passed} of {len(report.checks)} checks" if report.checks else ""
    summary = f": {_line(report.summary)}" if report.summary else ""
    whose = "" if report.is_vouched else ", says a writer whom nobody here trusts"
    return f"{_VERDICTS[report.verdict]}{counted}{whose}{summary}"


def _is_verified(run: Run, lifted: Container[str]) -> bool:
    left = [task for task in run.tasks.values() if task.status is not TaskStatus.DROPPED]
    passed = [_has_passed(task.reports) or task.id in lifted for task in left if task.reports]
    passed += [_has_passed(run.reports)] if run.reports else []
    return bool(passed) and all(passed)


def _has_passed(reports: Sequence[Report]) -> bool:
    """Tell whether what was verified last passed; that checks passed counts of no stranger."""
    last = next((each for each in reversed(reports) if each.is_vouched or not each.passed), None)
    return last is not None and last.passed


def _section(title: str, lines: Iterable[str]) -> list[str]:
    found = list(lines)
    return [f"## {title}\n", "\n".join(found) + "\n"] if found else []


def _row(true: bool, text: str) -> str:
    return f"- [{'x' if true else ' '}] {text}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _mark(asked: Escalation) -> str:
    who = asked.resolved_by if asked.standing is None else asked.standing.by
    return f" ({join_marks(who, mark_standing(asked))})"
