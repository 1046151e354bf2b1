"""An issue is carried along its workflow: looks at what happened, does what is next, looks again.

Nothing is kept but events, the sessions of the agents, and what they wrote: killed anywhere, the
next sitting goes on where this one was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentx.agents.happenings import HandoffTriggered
from agentx.host.git.programs import refuse_among_files
from agentx.kernel.bus import Say
from agentx.kernel.errors import IllegalTransition, InvalidValue
from agentx.operations.agents.assignment import move_issue
from agentx.operations.walking.asked import WalkDesk, WalkEnd, WalkReply, WalkRequest
from agentx.operations.walking.checking import check_step
from agentx.operations.walking.counting import count_documents, tell_counted
from agentx.operations.walking.standing import (
    check_branch,
    check_git,
    check_means,
    find_out_of_reach,
    find_position,
    is_over,
    say_again,
    write_reply,
)
from agentx.operations.walking.waking import WokenAgents
from agentx.project.project import Project
from agentx.wiring.hub import is_unsent
from agentx.wiring.listeners.happenings import tell_news
from agentx.wiring.walking.walk_git import WalkGit
from agentx.wiring.walking.walks import holding_walk, open_walk
from agentx.work.model import Issue, Position, Status, Step
from agentx.work.progress import output_of
from agentx.work.statuses import MOVES
from agentx.work.walk.model import Deed, Due, StepVerdict, Walked, WalkEvent
from agentx.work.walk.schedule import (
    cut_to_way,
    find_astray_end,
    find_begun,
    find_checks,
    find_due,
    sum_spent,
)


def walk_issue(project: Project, request: WalkRequest, told: Say) -> WalkReply:
    """Carry an issue on until it is done, waits for a person, or is at a bound.

    Raises: NotFound, InvalidValue where it follows another workflow or the repository is not
        trusted; AgentUnavailable for a runner that cannot be run here; IllegalTransition for one
        that is closed; ConflictError while another process does, where files are not committed, or
        git would run what agents write.
    """
    if not project.trust.was_said:
        raise InvalidValue(
            f"{project.root} is not trusted: agents run what lies there",
            hint="look at it, then say so: agentx trust --show, agentx trust",
        )
    for error in refuse_among_files(project.root):
        raise error
    find_position(project, request, ())
    with holding_walk(project, request.issue) as walk:
        events = cut_to_way(walk.read())
        where = find_position(project, request, events)
        check_means(project, request, where)
        if not (where.issue.is_open or (events and where.issue.status is Status.DONE)):
            raise IllegalTransition(
                f"#{request.issue} is closed", hint=f"agentx issue reopen {request.issue}"
            )
        request = replace(request, checks=request.checks or find_checks(events))
        desk = WalkDesk(
            project=project,
            request=request,
            told=told,
            began_ms=project.clock.now_ms(),
            append=walk.append,
            read=lambda: cut_to_way(walk.read()),
        )
        walker = _Walker(desk)
        try:
            walker.begin()
            return walker.work()
        except KeyboardInterrupt:
            told(f"stopped; to go on: {say_again(request)}")
            raise
        finally:
            walker.stop()


def show_walk(project: Project, request: WalkRequest) -> WalkReply:
    """Say how an issue stands on its way, and what would be next; nothing is begun.

    Raises: NotFound, InvalidValue.
    """
    events = cut_to_way(open_walk(project, request.issue).read())
    where = find_position(project, request, events)
    error = find_out_of_reach(where)
    why = f"{error.message} ({error.hint})" if error else ""
    return write_reply(request, events, where, reason=why)


_SAY_UNSENT = "GitHub was not reached and knows less: agentx issue sync sends what waits"
_SAY_NO_CHECK = "no --check CMD: nothing shows that what is built works"


class _Walker:
    """Decides, begins, and looks again."""

    def __init__(self, desk: WalkDesk) -> None:
        self._desk = desk
        self._project = desk.project
        self._git = WalkGit(desk.project)
        self._agents = WokenAgents(desk)

    def begin(self) -> None:
        """Note that a way begins, or goes on.

        Raises: ConflictError where what is there would be mixed with what agents do.
        """
        events, git = self._events(), self._git
        if git.is_there:
            check_git(git, self._desk.request, events)
        if not events:
            where = find_position(self._project, self._desk.request, ())
            self._note(
                Walked.BEGAN, workflow=where.workflow.name, branch=git.branch, commit=git.head
            )
            for each in count_documents(self._desk, where):
                self._desk.append(each)
            self._tell_elsewhere(where)
        self._note(Walked.SITTING, checks=self._desk.request.checks)
        checks = ", ".join(self._desk.request.checks)
        self._desk.told(f"what is built must pass: {checks}" if checks else _SAY_NO_CHECK)
        self._tell_lost(events)
        events = self._events()
        where = find_position(self._project, self._desk.request, events)
        tell_counted(self._desk, where, events)

    def _tell_elsewhere(self, where: Position) -> None:
        """Say that an issue stands as if its first step had begun, which nobody did here."""
        issue = where.issue
        begun = (each.step.id for each in where.next if each.step.status_on_start is issue.status)
        for step in begun:
            self._desk.told(
                f"#{issue.number} is {issue.status} already, and nobody began {step} here: look "
                "whether somebody is at work on it elsewhere"
            )

    def _tell_lost(self, events: Sequence[WalkEvent]) -> None:
        """Say which commits of the way the branch holds no more."""
        for each in events:
            if each.kind is Walked.STEP_DONE and not self._git.holds(each.commit):
                self._desk.told(f"[{each.step}] {each.commit[:8]} is not on the branch any more")

    def stop(self) -> None:
        """End the agents at work."""
        self._agents.stop()

    def work(self) -> WalkReply:
        """Carry the issue on until there is nothing more to do."""
        while True:
            events = self._events()
            where = self._look(events)
            dues = self._list_due(where, events)
            astray = find_astray_end(events)
            if not astray and self._settle(dues, where):
                continue
            bound = astray or self._desk.find_bound(sum_spent(events))
            begun, idle = ([], []) if bound else self._agents.begin(dues, where, events)
            if self._agents.steps:
                self._agents.hear()
                continue
            if begun:
                continue
            if astray:
                return write_reply(self._desk.request, events, where, WalkEnd.STUCK, astray)
            return self._end(where, dues, bound, idle)

    # --- looking --------------------------------------------------------------------------------

    def _events(self) -> tuple[WalkEvent, ...]:
        return self._desk.read()

    def _look(self, events: Sequence[WalkEvent]) -> Position:
        """Return where the issue stands; what was sent back is moved back first."""
        where = find_position(self._project, self._desk.request, events)
        told = [each for each in events if each.kind is not Walked.SITTING]
        is_back = bool(told) and told[-1].kind is Walked.SENT_BACK
        if is_back and Status.IN_PROGRESS in MOVES[where.issue.status]:
            self._move(where.issue, Status.IN_PROGRESS)
            where = find_position(self._project, self._desk.request, events)
        return where

    def _list_due(self, where: Position, events: Sequence[WalkEvent]) -> list[Due]:
        wanted = self._desk.request.optional
        steps = (each.step for each in where.next)
        return [
            find_due(step, events)
            for step in steps
            if step.id not in self._agents.steps and (not step.optional or step.id in wanted)
        ]

    # --- what needs no agent --------------------------------------------------------------------

    def _settle(self, dues: Sequence[Due], where: Position) -> bool:
        """Check and finish what can be; tell whether anything was."""
        for due in dues:
            if due.deed is Deed.CHECK and due.last is not None:
                found = check_step(self._desk, due.step, due.last)
                self._desk.append(found)
                self._tell_check(due.step, found)
                return True
            if due.deed is Deed.FINISH and due.last is not None:
                self._finish(due.step, due.last, where)
                return True
        return False

    def _tell_check(self, step: Step, found: WalkEvent) -> None:
        told = self._desk.told
        for error in found.errors:
            told(f"[{step.id}] not passed: {error.splitlines()[0]}")
        if not found.errors:
            said = found.verdict or ("its criteria are not met yet" if found.is_again else "passed")
            told(f"[{step.id}] {said}")

    def _finish(self, step: Step, last: WalkEvent, where: Position) -> None:
        """Commit a step's work and hand the issue on, or back."""
        project, issue, git, events = self._project, where.issue, self._git, self._events()
        own, began = output_of(step, issue.number), find_begun(events, step.id)
        if git.is_there:
            check_branch(git, self._desk.request, events)
        commit = git.commit(f"#{issue.number} {step.id}: {step.title} ({step.agent})", own)
        commit = commit or git.find_commit_since(began.commit if began is not None else "", own)
        if own:
            self._tell_left(step)
        if last.verdict == StepVerdict.CHANGES:
            self._note(Walked.SENT_BACK, step, report=last.report, commit=commit)
            self._desk.told(f"[{step.id}] sent back")
            return
        if step.status_on_complete is not None:
            self._move(issue, step.status_on_complete)  # which tells who is next
        self._note(Walked.STEP_DONE, step, report=last.report, commit=commit, session=last.session)
        after = find_position(project, self._desk.request, self._events())
        if step.status_on_complete is None:
            for each in after.next:
                if step.id in each.step.needs and each.step.agent != step.agent:
                    self._hand_on(step.agent, each.step.agent)
        nothing = ", nothing to commit" if git.is_there else ""
        shown = f": {commit[:8]}" if commit else nothing
        self._desk.told(f"[{step.id}] done{shown}; #{issue.number} is {after.issue.status}")

    def _move(self, issue: Issue, status: Status) -> None:
        self._desk.status = move_issue(self._project, issue, status).status

    def _tell_left(self, step: Step) -> None:
        """Say what a writer of a document changed besides: the next who builds commits it."""
        issue, at_work = self._desk.request.issue, self._agents.steps
        where = find_position(self._project, self._desk.request, self._events())
        others = {output_of(each.step, issue) for each in where.steps if each.step.id in at_work}
        left = [name for name in self._git.list_changed() if name not in others]
        if left:
            self._desk.told(f"[{step.id}] left without a commit: {', '.join(left[:10])}")

    def _hand_on(self, giver: str, taker: str) -> None:
        news = HandoffTriggered(
            timestamp=self._project.clock.now_ms(),
            from_agent=giver,
            to_agent=taker,
            issue_number=self._desk.request.issue,
        )
        tell_news(self._project, news)

    # --- the end --------------------------------------------------------------------------------

    def _end(
        self, where: Position, dues: Sequence[Due], bound: str, idle: Sequence[str]
    ) -> WalkReply:
        stops = [due for due in dues if due.deed is Deed.STOP]
        waits = [due for due in dues if due.last is not None and due.last.waits_for]
        events = self._events()
        if is_over(self._desk.request, where):
            self._note(Walked.ENDED)
            unsent = _SAY_UNSENT if is_unsent(self._project, self._desk.request.issue) else ""
            return write_reply(self._desk.request, events, where, WalkEnd.DONE, unsent)
        if bound:
            ended, reason = WalkEnd.BOUND, bound
        elif waits:
            ended, reason = WalkEnd.WAITS, waits[0].reason
        else:
            ended = WalkEnd.STUCK
            why = [f"{due.step.id}: {due.reason}" for due in stops] + list(idle)
            reason = "; ".join(why) or "no step can be done now"
        return write_reply(self._desk.request, events, where, ended, reason)

    def _note(self, kind: Walked, step: Step | None = None, **said: object) -> None:
        named = {"step": step.id, "role": step.agent} if step is not None else {}
        at_ms = self._project.clock.now_ms()
        self._desk.append(WalkEvent(kind=kind, at_ms=at_ms, **named, **said))  # type: ignore[arg-type]
