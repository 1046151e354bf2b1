"""The hub and the issues of a project, opened; and who hears of what changes in them.

Listeners are registered here and nowhere else: whoever opens the hub or the issues need not know
who shows them elsewhere.

    our own log            every event
    notices                questions, issues, agents that begin and end
    the user's own command what waits for a person
    memory                 what a question came to
    threads on GitHub      questions, where issues live there
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property, partial

from agentx.agents.happenings import AgentCompleted, AgentError, AgentStarted
from agentx.agents.hub.artifacts import artifacts_of
from agentx.agents.hub.hub import Hub, StatusesSettled
from agentx.agents.hub.switchboard import NumberOf, Switchboard
from agentx.agents.runners.port import Reference, Runner
from agentx.clarification.events import (
    ClarificationEscalated,
    ClarificationEvent,
    ClarificationRequested,
    ClarificationResolved,
    MonitorRan,
)
from agentx.clarification.scope import Scope
from agentx.clarification.watch.monitor import MonitorReport
from agentx.host.files.plain import is_folder
from agentx.kernel.bus import Bus
from agentx.kernel.clock import Millis
from agentx.kernel.errors import AgentXError, NotFound, UnavailableError
from agentx.kernel.text import preview
from agentx.project.project import Project
from agentx.wiring.clarifications import name_overruling, open_clarifications
from agentx.wiring.heard.logged import make_logged_bus
from agentx.wiring.runners import role_texts
from agentx.wiring.section import renew_late_notices, renew_notices
from agentx.wiring.trust.issue_marks import AskedIssues
from agentx.wiring.work import (
    is_github,
    issue_store,
    open_agents,
    open_workflows,
    position,
)
from agentx.work.model import Issue, IssueChanged, Position
from agentx.work.port import IssueStore
from agentx.work.progress import output_of, stages, step_for, workflow_name
from agentx.work.service import Issues

# What cannot be had of an issue is done without: a command must not wait long for it.
_TRIES = 2

RunnerOf = Callable[[str], Runner | None]


def open_bus(project: Project) -> Bus:
    """Return a bus on which everybody listens who shows what changes."""
    bus = make_logged_bus(project)
    changed: set[int] = set()  # issues whose questions the hub is at

    def renew_questions(_fact: StatusesSettled) -> None:
        if changed:
            issues = sorted(changed)
            changed.clear()
            renew_notices(project)
            mirror_threads(project, issues)

    def tell_person(event: ClarificationEvent) -> None:
        from agentx.wiring.listeners.notify import notify  # noqa: PLC0415  most questions are agents'

        notify(project, event)

    def keep(event: ClarificationEvent) -> None:
        from agentx.wiring.kept.known import keep_decision  # noqa: PLC0415  few commands settle one

        keep_decision(project, event)

    def keep_before(event: ClarificationEvent) -> None:
        if event.round > 1:  # who asks further takes what was said
            keep(event)

    def follow(event: MonitorRan) -> None:
        if event.behind:
            from agentx.wiring.kept.following import follow_ledgers  # noqa: PLC0415  nobody looked since a merge

            follow_ledgers(project)
            renew_notices(project)  # which may hold what is forgotten by now
        else:
            renew_late_notices(project)

    bus.listen(MonitorRan, follow)
    bus.listen(ClarificationEvent, lambda event: changed.add(event.issue))
    bus.listen(ClarificationResolved, keep)
    bus.listen(IssueChanged, partial(_tell_move, project, bus))
    for called in (ClarificationEscalated, ClarificationRequested):
        bus.listen(called, tell_person)
        bus.listen(called, keep_before)
    bus.listen(StatusesSettled, renew_questions)
    for kind in (IssueChanged, AgentStarted, AgentCompleted, AgentError):
        bus.listen(kind, lambda _fact: renew_notices(project))
    return bus


def _tell_move(project: Project, bus: Bus, fact: IssueChanged) -> None:
    from agentx.wiring.listeners.happenings import tell_move  # noqa: PLC0415  few commands move one

    tell_move(project, bus, fact)


def open_issues(project: Project) -> Issues:
    """Open the issues of a project."""
    return Issues(issue_store(project), project.clock, open_bus(project))


def open_hub(
    project: Project, *, runner_of: RunnerOf = lambda _role: None, bus: Bus | None = None
) -> Hub:
    """Open the hub of a project."""
    told = open_bus(project) if bus is None else bus
    roles = role_texts(project)
    desk = _Workbench(project)
    board = Switchboard(
        agents=frozenset(roles.names()),
        scope_of=desk.scope,
        runner_of=runner_of,
        instructions_of=roles.text,
        artifacts_of=desk.artifacts,
        is_closed=desk.is_closed,
        check_issue=desk.check_issue,
        look_at_issues=desk.look_at_issues,
        tell_against=lambda state: replace(name_overruling(project, (state,))[0], goes_by=""),
    )
    return Hub(open_clarifications(project, told), open_agents(project), board, project.clock, told)


def run_monitor(project: Project, bus: Bus | None = None) -> MonitorReport:
    """Look for stale, stuck, deadlocked and abandoned questions, and do what is to be done.

    Asks no agent, so it is quick; safe when several processes do it at once.
    """
    if not project.trust.has_data:
        # Nothing is done about what a stranger's repository says; what hides questions is named.
        if not any(map(is_folder, project.asked)):
            return MonitorReport()
        survey = open_clarifications(project).survey()
        count = len(survey.damaged)  # of what a stranger wrote no word is told
        lines = "line" if count == 1 else "lines"
        said = f"{count} {lines} of questions in what lies in the repository: agentx trust --show"
        return MonitorReport(damaged=(said,) if count else (), closed=survey.closed)
    return open_hub(project, bus=bus).check()


def mirror_threads(project: Project, issues: Iterable[int] = ()) -> None:
    """Bring the threads of some issues, or of all, up to date on GitHub; nothing in local mode.

    The ledger is the fact: GitHub out of reach, or not set up, is noted in the log and mended by
    the next change or by `agentx sync`.
    """
    if not (is_github(project) and project.trust.has_data):
        return
    from agentx.wiring.listeners.mirror import mirror  # noqa: PLC0415  only GitHub mode pays for HTTP

    wanted = tuple(issues)
    try:
        mirror(project, wanted)
    except AgentXError as error:
        project.log.record("warning", "clarification-mirror", message=error.message, issues=wanted)


def listen_on_github(project: Project) -> int:
    """Take what people replied on GitHub to open questions; return how many were answered.

    Nothing in local mode. GitHub out of reach, or not set up, is noted in the log: the next look
    hears them.
    """
    if not (is_github(project) and project.trust.has_data):
        return 0
    from agentx.wiring.listeners.replies import take_replies  # noqa: PLC0415  as above

    try:
        heard = take_replies(project, open_hub(project))
        renew_late_notices(project)
        return len(heard.taken)
    except AgentXError as error:
        project.log.record("warning", "github-replies", message=error.message)
        return 0


def send_waiting(project: Project) -> int:
    """Send what could not be sent to GitHub; return how much waits still. Nothing in local mode."""
    waiting = _list_waiting(project)
    if waiting:
        mirror_threads(project, waiting)
        waiting = _list_waiting(project)
    return len(waiting)


def is_unsent(project: Project, issue: int) -> bool:
    """Tell whether something said about an issue could not be sent to GitHub yet."""
    return issue in _list_waiting(project)


def _list_waiting(project: Project) -> tuple[int, ...]:
    if not (is_github(project) and project.trust.has_data):
        return ()
    from agentx.wiring.github import github_queue  # noqa: PLC0415  as above

    try:
        return tuple(entry.issue for entry in github_queue(project).waiting())
    except AgentXError as error:
        project.log.record("warning", "github-queue", message=error.message)
        return ()


class _Workbench:
    """What the hub must know of issues and workflows."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def scope(self, issue: int, agent: str) -> Scope:
        """Return what an agent's step in an issue's workflow lets it ask.

        Raises: InvalidValue for a workflow that is broken.
        """
        found = self._position(issue)
        step = step_for(found.workflow, agent, found.steps)
        if step is None:
            return Scope()
        return Scope(
            can_clarify=step.can_clarify,
            rounds_max=step.clarify_max_rounds,
            sla_minutes=step.clarify_sla_minutes,
            blocking_allowed=step.clarify_blocking_allowed,
        )

    def artifacts(self, issue: int) -> tuple[Reference, ...]:
        """Return the issue itself, and what is written down about it."""
        found = self._position(issue)
        text = f"{found.issue.title}\n\n{found.issue.body}".strip()
        told = (Reference(name=f"issue {issue}", text=text),) if text else ()
        outputs = [output_of(step, issue) for step in found.workflow.steps]
        return (*told, *artifacts_of(self._project.paths, issue, outputs))

    def look_at_issues(self) -> NumberOf:
        """Return what says which number the issue of a question has now."""
        return AskedIssues(self._project).find_number

    def is_closed(self, issue: int) -> bool:
        """Tell whether an issue is known to be closed."""
        try:
            return not self._issues.get(issue).is_open
        except AgentXError:
            # Not here, or not to be had now: it is not known to be closed.
            return False

    def check_issue(self, number: int) -> None:
        """See that an issue is there, where issues are kept here at all.

        Raises: NotFound that names the nearest.
        """
        try:
            known = [] if self._has(number) else list(self._issues.all())
        except AgentXError:
            return  # not to be had now: it may be there
        if known:
            near = min(known, key=lambda issue: (abs(issue.number - number), issue.number))
            raise NotFound(
                f"there is no issue #{number}",
                hint=f"the nearest is #{near.number}: {preview(near.title, 60)}; "
                "`agentx issue list` shows all",
            )

    def _has(self, number: int) -> bool:
        try:
            self._issues.get(number)
        except NotFound:
            return False
        return True

    @cached_property
    def _issues(self) -> IssueStore:
        return issue_store(self._project, tries=_TRIES, patience=self._project.patience)

    def _position(self, number: int) -> Position:
        try:
            return position(self._project, number, self._issues)
        except (NotFound, UnavailableError):
            # An issue that is kept elsewhere, or cannot be had now, is worked on as usual.
            never = Millis(0)
            issue = Issue(number=number, title="", created_ms=never, updated_ms=never)
            workflows = open_workflows(self._project)
            workflow = workflows.get(workflow_name(issue, workflows.names()))
            steps = stages(workflow, issue, lambda _path: False)
            return Position(issue=issue, workflow=workflow, steps=steps)
