"""What can be begun now, in the order it should be.

Ready means: open, status Ready, no open blocker. The most urgent first, the oldest
of those first. An issue whose agent waits for an answer is shown as blocked,
whatever its status: it looks like work in progress and is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.values import frozen
from agentx.work.dependencies import blockers, cycles, is_open, still_open
from agentx.work.labels import KNOWN, priority_of
from agentx.work.model import Issue, Status
from agentx.work.port import OpenQuestion


def mark_waiting(question: OpenQuestion) -> str:
    """Return what is shown beside an issue that waits for the answer to a question."""
    if question.is_unread:
        return f"BLOCKED: its questions cannot be read ({question.id}): agentx doctor"
    waits_on = "a person" if question.to == PERSON_ROLE else question.to
    return f"BLOCKED: Clarification {question.id} pending from {waits_on}"


@frozen
class WaitingIssue:
    """An issue that waits for the answer to a question."""

    issue: Issue
    question: OpenQuestion

    @property
    def marker(self) -> str:
        """What is shown beside it."""
        return mark_waiting(self.question)


@frozen
class Queue:
    """What can be begun, what waits for an answer, and what waits for itself."""

    ready: tuple[Issue, ...]
    waiting: tuple[WaitingIssue, ...]
    cycles: tuple[tuple[int, ...], ...]


def queue(issues: Iterable[Issue], questions: Mapping[int, tuple[OpenQuestion, ...]]) -> Queue:
    """Sort issues into what can be begun and what cannot."""
    known = {issue.number: issue for issue in issues}
    edges = {number: still_open(by, known) for number, by in blockers(known.values()).items()}
    in_turn = sorted((issue for issue in known.values() if issue.is_open), key=_turn)
    return Queue(
        ready=tuple(
            issue
            for issue in in_turn
            if issue.status is Status.READY
            and not edges.get(issue.number)
            and not questions.get(issue.number)
        ),
        waiting=tuple(
            WaitingIssue(issue=issue, question=questions[issue.number][0])
            for issue in in_turn
            if questions.get(issue.number)
        ),
        cycles=cycles({number: by for number, by in edges.items() if is_open(number, known)}),
    )


def _turn(issue: Issue) -> tuple[int, int, int]:
    priority = priority_of(issue.labels)
    order = KNOWN["priority"]
    rank = order.index(priority) if priority in order else len(order)
    return rank, issue.created_ms, issue.number
