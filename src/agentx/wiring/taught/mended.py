"""What checks, conflicts and reviews of a run taught: what was wrong, and what mended it.

A check that was executed tells what it printed; what mended it is told by who did that, between the
failure and the pass. Proven is what needs nobody's word: the same command failed on one commit,
passed on a later one, and git has that in the work branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agentx.agents.driving.report import read_report
from agentx.exchanges.commands import error_lines
from agentx.kernel.text import preview
from agentx.kernel.values import frozen
from agentx.lessons.names import one_line
from agentx.runs.model import Check, Conflict, LaneStatus, Report, Run, Task, TaskStatus
from agentx.runs.parts.said import LogEntry
from agentx.runs.parts.turns import AgentTurn, TurnEnd

_TOLD_CHARS = 300
_LINES_TOLD = 2
_SHORT = 12

Holds = Callable[[str, str], bool]  # an older commit and a newer one


@frozen
class MendedCheck:
    """A check that failed, and passed later."""

    check: Check
    failed: Report
    passed: Report
    number: int  # of the report that says it failed
    task: Task | None = None  # None for the whole
    turns: tuple[AgentTurn, ...] = ()  # in between
    log: tuple[LogEntry, ...] = ()

    @property
    def is_executed(self) -> bool:
        """Whether nobody had to say it: the command was run, both times."""
        return bool(self.check.command) and self.failed.was_executed and self.passed.was_executed

    @property
    def symptom(self) -> str:
        """What was wrong, as the check told it."""
        told = "; ".join(error_lines(self.check.output)[:_LINES_TOLD])
        return preview(told or one_line(self.check.evidence) or "It failed", _TOLD_CHARS)

    @property
    def mend(self) -> str:
        """What mended it, in the words of who did."""
        said = [summarise(turn) for turn in self.turns] + [entry.told for entry in self.log]
        said = [each for each in said if each.strip()] or [self.passed.summary]
        return preview("; ".join(map(one_line, filter(None, said))), _TOLD_CHARS)

    @property
    def evidence(self) -> tuple[str, ...]:
        """What proves it: where it failed, who mended it, where it passed, and on which commit."""
        ids = (self.failed.event_id, *(turn.id for turn in self.turns), self.passed.event_id)
        return (*filter(None, ids), *name_commit(self.passed.commit))


def list_mended(run: Run) -> Iterator[MendedCheck]:
    """Yield what failed in a run and passed later: of its tasks, then of the whole."""
    for task in run.tasks.values():
        yield from _list_in(run, task.reports, task)
    yield from _list_in(run, run.reports, None)


def _list_in(run: Run, reports: tuple[Report, ...], task: Task | None) -> Iterator[MendedCheck]:
    for number, report in enumerate(reports):
        for check in report.checks:
            later = reports[number + 1 :]
            after = next((each for each in later if _tells_of(each, check)), None)
            if check.passed or after is None or not _has_passed(after, check):
                continue  # where it failed again, that is the failure that was mended
            names = None if task is None else task.id
            yield MendedCheck(
                check=check,
                failed=report,
                passed=after,
                number=number + 1,
                task=task,
                turns=tuple(
                    turn
                    for turn in run.turns
                    if turn.end is TurnEnd.DONE
                    and names in (None, turn.task)
                    and report.at_ms <= turn.began_ms <= after.at_ms
                ),
                log=()
                if task is None
                else tuple(e for e in task.log if report.at_ms <= e.at_ms <= after.at_ms),
            )


def _tells_of(report: Report, check: Check) -> bool:
    """Tell whether a report says how a check goes: by name, else where all of it passed."""
    return report.passed or any(each.name == check.name for each in report.checks)


def _has_passed(report: Report, check: Check) -> bool:
    named = [each.passed for each in report.checks if each.name == check.name]
    return all(named) if named else report.passed


def is_proven(run: Run, mended: MendedCheck, holds: Holds) -> bool:
    """Tell whether the run's own events and git prove that a change mended a check."""
    failed, passed = mended.failed, mended.passed
    if not (mended.is_executed and failed.is_vouched and passed.is_vouched):
        return False
    if not any(each.command == mended.check.command and each.passed for each in passed.checks):
        return False
    is_clean = not (failed.dirty or passed.dirty)  # else what ran is of no commit
    if not is_clean or "" in (failed.commit, passed.commit) or failed.commit == passed.commit:
        return False
    tips = [run.git.latest_commit]
    if mended.task is not None:
        lanes = (lane for lane in run.lanes.values() if lane.task == mended.task.id)
        tips = [each.merged_as for each in lanes if each.status is LaneStatus.MERGED]
    # What was put on another base was in the work branch before that.
    befores = [each.before for each in run.git.rebased if each.is_vouched] if tips else []
    return any(tip and holds(passed.commit, tip) for tip in (*tips, *befores))


def summarise(turn: AgentTurn) -> str:
    """Return what an agent says it did."""
    return one_line(read_report(turn.text).summary)


def name_commit(commit: str) -> tuple[str, ...]:
    """Return a commit as evidence names it; nothing where there is none."""
    return (f"commit {commit[:_SHORT]}",) if commit else ()


def tell_resolved(run: Run, conflict: Conflict) -> tuple[str, tuple[str, ...]]:
    """Return how a conflict was put together, and what proves it: the turn that did so, if one."""
    turns = [
        turn
        for turn in run.turns
        if conflict.lane == turn.lane != ""
        and turn.end is TurnEnd.DONE
        and conflict.at_ms <= turn.began_ms <= (conflict.resolved_ms or turn.began_ms)
    ]
    if not turns:
        asked = run.escalations.get(conflict.escalation)
        stands = None if asked is None else asked.standing
        if asked is None or stands is None:
            return one_line(conflict.resolution), (conflict.id,)
        return one_line(stands.text), (conflict.id, asked.id)
    said = preview(summarise(turns[-1]), _TOLD_CHARS)
    return said, (conflict.id, turns[-1].id, *name_commit(turns[-1].commit))


def list_done_turns(run: Run, task: str) -> tuple[AgentTurn, ...]:
    """Return the turns that did a task which is done; nothing of one that is not."""
    found = run.tasks.get(task)
    if found is None or found.status is not TaskStatus.COMPLETED:
        return ()
    return tuple(turn for turn in run.turns if turn.task == task and turn.end is TurnEnd.DONE)
