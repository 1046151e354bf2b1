"""The work of a project, opened: issues where the settings say, agents, workflows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from agentx.host.files.plain import exists
from agentx.host.waits import WaitBudget
from agentx.kernel.clock import to_iso
from agentx.kernel.limits import ISSUE_NUMBER_MAX
from agentx.project.project import Project
from agentx.project.trust.private import AGENT_STATUS
from agentx.wiring.runners import role_texts
from agentx.work.labels import priority_of, type_of
from agentx.work.limits import (
    GITHUB_SYNC_REPLY_WAIT_MS,
    GITHUB_SYNC_WAIT_MS,
    GITHUB_TRIES_MAX,
)
from agentx.work.model import AgentStatus, Issue, IssueView, Position, StepStage, Workflow
from agentx.work.port import IssueStore
from agentx.work.progress import stages, workflow_name
from agentx.work.settings import WorkSettings
from agentx.work.store.agent_status import AgentStatusFile, shape_of
from agentx.work.store.local import LocalIssues
from agentx.work.store.workflows import WorkflowFiles


def is_github(project: Project) -> bool:
    """Tell whether issues live on GitHub."""
    return project.config.section(WorkSettings).mode == "github"


def issue_store(
    project: Project, *, tries: int = GITHUB_TRIES_MAX, patience: WaitBudget | None = None
) -> IssueStore:
    """Open the place where issues are kept.

    `tries` is how often to ask one that is far away, `patience` how long all of it may take.

    Raises: InvalidValue when GitHub mode lacks a repository or a token.
    """
    if is_github(project):
        from agentx.wiring.github import github_issues  # noqa: PLC0415  only GitHub mode pays for HTTP

        return github_issues(project, tries=tries, patience=patience)
    return LocalIssues(project.paths, project.clock, partial(_list_asked, project))


def _list_asked(project: Project) -> tuple[int, ...]:
    """Return the issues about which somebody asked, also those whose file is gone."""
    from agentx.clarification.store.files.held import list_issue_folders  # noqa: PLC0415  for who makes one

    folders = project.paths.questions, project.held_questions
    found = (issue for folder in folders for issue in list_issue_folders(folder))
    return tuple(issue for issue in found if issue <= ISSUE_NUMBER_MAX)


def take_time(project: Project) -> Project:
    """Return the project for who does nothing else than to speak with GitHub."""
    patience = WaitBudget(
        project.clock, limit_ms=GITHUB_SYNC_WAIT_MS, once_ms=GITHUB_SYNC_REPLY_WAIT_MS
    )
    return replace(project, patience=patience)


def unreadable_issues(store: IssueStore) -> tuple[str, ...]:
    """Return the files that a store could not read, each with its mend; GitHub has none."""
    damaged = store.damaged if isinstance(store, LocalIssues) else []
    return tuple(f"{each.message}: {each.hint}" for each in damaged)


def open_agents(project: Project) -> AgentStatusFile:
    """Open what agents are doing."""
    return AgentStatusFile(project.private.place(AGENT_STATUS), project.clock)


def open_workflows(project: Project) -> WorkflowFiles:
    """Open the workflows of a project."""
    read = project.trust.make_reader()
    return WorkflowFiles(project.paths.workflows, role_texts(project).names(), read)


def view(issue: Issue) -> IssueView:
    """Return an issue as programs see it."""
    return IssueView(
        number=issue.number,
        title=issue.title,
        body=issue.body,
        labels=issue.labels,
        status=issue.status.value,
        state=issue.state.value,
        created=to_iso(issue.created_ms),
        updated=to_iso(issue.updated_ms),
        comments=tuple(
            {"body": each.body, "created": to_iso(each.created_ms), "author": each.author}
            for each in issue.comments
        ),
        type=type_of(issue.labels),
        priority=priority_of(issue.labels),
    )


def position(project: Project, number: int, issues: IssueStore | None = None) -> Position:
    """Say where an issue stands in its workflow.

    Raises: NotFound, InvalidValue for a workflow that is broken.
    """
    workflows = open_workflows(project)
    issue = (issue_store(project) if issues is None else issues).get(number)
    workflow = workflows.get(workflow_name(issue, workflows.names()))
    found = stages_at(project, workflow, issue)
    return Position(issue=issue, workflow=workflow, steps=found)


def stages_at(
    project: Project,
    workflow: Workflow,
    issue: Issue,
    shown: Mapping[str, bool] | None = None,
    at_work: Collection[str] = (),
) -> tuple[StepStage, ...]:
    """Say how far each step of a workflow is, for an issue as it is given; as `stages` has it."""
    return stages(workflow, issue, partial(_exists, project), shown, at_work)


def shape_status(status: AgentStatus) -> dict[str, Any]:
    """Return an agent's status as its file holds it, with its name."""
    return {"agent": status.agent, **shape_of(status)}


def _exists(project: Project, path: str) -> bool:
    # A workflow is written by others: it may not look outside the project.
    try:
        return exists(project.root / path, ground=project.root)
    except OSError:
        return False
