"""What can be begun now, after a look at the open questions."""

from __future__ import annotations

from agentx.clarification.watch.inbox import inbox_among
from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.text import preview
from agentx.kernel.values import frozen
from agentx.operations.issues.read import IssueQuery, list_issues
from agentx.operations.questions.routing import watch
from agentx.project.project import Project
from agentx.wiring.clarifications import (
    blocking_questions,
    keep_signed,
    open_clarifications,
)
from agentx.wiring.hub import open_issues
from agentx.wiring.runs import list_run_questions
from agentx.wiring.work import view
from agentx.work.model import IssueView, Status

STEPS_SHOWN = 3


@frozen
class BlockedView:
    """An issue that waits for an answer."""

    issue: IssueView
    clarification_id: str
    waiting_on: str
    marker: str


@frozen
class ReadyReply:
    """What can be begun, most urgent first; what waits for an answer; what waits for itself."""

    ready: tuple[IssueView, ...]
    blocked: tuple[BlockedView, ...]
    cycles: tuple[tuple[int, ...], ...]
    inbox: tuple[str, ...] = ()  # questions that wait for a person


def ready(project: Project) -> ReadyReply:
    """Return the ready queue."""
    active = watch(project).active
    if not project.trust.has_data:
        active = keep_signed(project, open_clarifications(project).survey().active)
    queue = open_issues(project).queue(lambda: blocking_questions(project))
    return ReadyReply(
        ready=tuple(view(issue) for issue in queue.ready),
        blocked=tuple(
            BlockedView(
                issue=view(each.issue),
                clarification_id=each.question.id,
                waiting_on=each.question.to,
                marker=each.marker,
            )
            for each in queue.waiting
        ),
        cycles=queue.cycles,
        inbox=(
            *(state.id for state in inbox_among(active, PERSON_ROLE)),
            *(one.asked.id for one in list_run_questions(project) if project.trust.has_data),
        ),
    )


def list_steps(project: Project) -> tuple[str, ...]:
    """Return for the newest issues that nobody called ready which step makes them so."""
    waiting = list_issues(project, IssueQuery(status=Status.BACKLOG)).issues[-STEPS_SHOWN:]
    return tuple(
        f"#{issue.number} {preview(issue.title, 60)} is in Backlog: "
        f"agentx issue update {issue.number} --status ready"
        for issue in reversed(waiting)
    )
