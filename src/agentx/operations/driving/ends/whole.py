"""What an agent is shown that mends the whole: what failed, and what a person said of it."""

from __future__ import annotations

from collections.abc import Iterator

from agentx.agents.runners.port import Reference, Utterance
from agentx.kernel.text import preview
from agentx.runs.asked import Escalation
from agentx.runs.model import Report, Run, Task

MENDS = "Mend: "
_NAME_CHARS = 60


def is_mend(task: Task) -> bool:
    """Tell whether a task is there to make the checks of the whole pass."""
    return task.contract.title.startswith(MENDS)


def list_mends(run: Run) -> tuple[Task, ...]:
    """Return the tasks that are there for that."""
    return tuple(filter(is_mend, run.tasks.values()))


def find_told_ms(run: Run) -> int:
    """Return when a person last said how the whole is to go on; 0 where nobody was asked."""
    found = find_told(run)
    return 0 if found is None else found.resolved_ms or 0


def show_failed(report: Report) -> Iterator[Reference]:
    """Yield what the checks of a report printed that failed."""
    for each in report.checks:
        if not each.passed:
            code = "" if each.exit_code is None else f" (exit {each.exit_code})"
            name = f"what `{preview(each.name, _NAME_CHARS)}` printed{code}"
            yield Reference(name=name, text=each.output or each.evidence)


def show_failed_whole(run: Run) -> Iterator[Reference]:
    """Yield what the checks of the whole printed that failed last."""
    failed = [each for each in run.reports if each.was_executed and not each.passed]
    for report in failed[-1:]:
        yield from show_failed(report)


def show_answer(asked: Escalation) -> tuple[Utterance, Utterance]:
    """Return what a person was asked, and said; what speaks against that is told beside."""
    return (
        Utterance(speaker="agent", kind="question", body=asked.question),
        Utterance(speaker="person", kind="answer", body=asked.resolution),
    )


def find_told(run: Run) -> Escalation | None:
    """Return what a person was asked last about the whole, and answered; or None."""
    mended = {each.escalation for each in run.conflicts.values()}
    found = [
        each
        for each in run.escalations.values()
        if not each.task and not each.open and each.resolved_ms and each.id not in mended
    ]
    return max(found, key=lambda each: each.resolved_ms or 0, default=None)
