"""Agents are woken for their steps, and heard when they leave off."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from queue import Empty, SimpleQueue

from agentx.agents.loop.model import LoopSession
from agentx.agents.loop.rendering import find_report, show_end
from agentx.host.program import ending_programs
from agentx.kernel.errors import AgentXError, NotFound
from agentx.operations.agents.assignment import move_issue
from agentx.operations.walking import wording
from agentx.operations.walking.asked import WalkDesk, builds
from agentx.operations.walking.checking import digest_of, read_document
from agentx.operations.walking.guarding import Surroundings, find_astray, look_around
from agentx.operations.walking.standing import PERSON_PLAYS, say_nobody
from agentx.operations.walking.turns import take_turn
from agentx.project.project import Project
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.runners import LOOP, find_player_name
from agentx.wiring.walking.walk_git import WalkGit
from agentx.wiring.walking.walks import find_loop_session, find_template, load_loop_session
from agentx.work.model import Position, Step
from agentx.work.progress import output_of
from agentx.work.walk.model import ASTRAY, Deed, Due, Walked, WalkEvent
from agentx.work.walk.outputs import JUDGES
from agentx.work.walk.schedule import sum_spent

_LOOK_S = 0.5
_JOIN_S = 15.0


class WokenAgents:
    """The agents that are at work now, each in a thread and a process of its own."""

    def __init__(self, desk: WalkDesk) -> None:
        self._desk = desk
        self._project = desk.project
        self._git = WalkGit(desk.project)
        self._running: dict[str, tuple[Step, threading.Thread]] = {}
        self._seen: dict[str, Surroundings] = {}
        self._ended: SimpleQueue[WalkEvent] = SimpleQueue()

    @property
    def steps(self) -> frozenset[str]:
        """The steps at which somebody works."""
        return frozenset(self._running)

    def stop(self) -> None:
        """End them; what each did until then it kept itself."""
        self._desk.stop.set()
        if self._running:
            until = time.monotonic() + _JOIN_S
            with ending_programs():
                for _, thread in self._running.values():
                    thread.join(max(until - time.monotonic(), 0))

    def begin(
        self, dues: Sequence[Due], where: Position, events: Sequence[WalkEvent]
    ) -> tuple[list[Due], list[str]]:
        """Wake who can work now: writers of documents together, who builds alone."""
        begun: list[Due] = []
        idle: list[str] = []
        for due in dues:
            if due.deed not in (Deed.BEGIN, Deed.RESUME):
                continue
            step = due.step
            runner = self._find_runner(step)
            if not runner or runner == PERSON_PLAYS:
                idle.append(say_nobody(step, where.issue.number, runner))
                continue
            if runner != LOOP and self._still_waits(due):  # the loop looks for itself, at no cost
                idle.append(f"{step.id}: {due.reason}")
                continue
            at_work = [each for each, _ in self._running.values()]
            if at_work and (builds(step) or any(builds(each) for each in at_work)):
                continue
            if any(each.agent == step.agent for each in at_work):
                continue
            self._begin_turn(due, runner, where, events)
            begun.append(due)
        return begun, idle

    def _still_waits(self, due: Due) -> bool:
        question = due.last.waits_for if due.last is not None else ""
        if not question:
            return False
        try:
            state = open_clarifications(self._project).find(question)
        except NotFound:
            return False
        return state.is_unanswered or state.holds_its_asker

    def _find_runner(self, step: Step) -> str:
        return self._desk.request.runner or find_player_name(self._project, step.agent)

    def _begin_turn(
        self, due: Due, runner: str, where: Position, events: Sequence[WalkEvent]
    ) -> None:
        step, last = due.step, due.last
        found = self._find_session(due) if runner == LOOP else None
        mends = _tell_faults(due)
        if found is not None and last is not None and last.kind is Walked.STEP_BEGAN:
            mends = "" if found.updated_ms >= last.at_ms else mends  # it was told so
        if found is not None and found.is_done and not mends:  # only we did not hear of it
            self._desk.append(_note_ended(self._project, step, runner, found))
            return
        if found is not None:
            words: tuple[str, ...] = ("agent", "resume", found.id)
            words += ("--say", mends) if mends else ()
        else:
            moved = move_issue(self._project, where.issue, step.status_on_start)
            where = replace(where, issue=moved)
            task = self._write_task(step, where, events, mends)
            words = ("agent", "run", step.agent, "--issue", str(where.issue.number))
            words += ("--runner", runner, "--no-advance", "--task", task)
        self._desk.status = where.issue.status
        self._seen[step.id] = seen = look_around(self._desk, where)
        self._desk.append(
            WalkEvent(
                kind=Walked.STEP_BEGAN,
                at_ms=self._project.clock.now_ms(),
                step=step.id,
                role=step.agent,
                runner=runner,
                session=found.id if found else "",
                commit=seen.head,
                before=self._digest_before(step),
                errors=due.errors or (last.errors if last is not None and mends else ()),
                is_again=last is not None and last.is_again and bool(mends),
            )
        )
        goes_on = "goes on" if found else "begins"
        self._desk.told(f"[{step.id}] {step.agent} ({runner}) {goes_on}")
        self._start(step, runner, words, events)

    def _digest_before(self, step: Step) -> str:
        """Return by what the document of who judges is known that lies there already."""
        if step.agent not in JUDGES or not step.output:
            return ""
        return digest_of(read_document(self._desk, step)[0])

    def _find_session(self, due: Due) -> LoopSession | None:
        last = due.last
        if last is None:
            return None
        if last.session:
            return load_loop_session(self._project, last.session)
        role, issue = due.step.agent, self._desk.request.issue
        return find_loop_session(self._project, role, issue, last.at_ms)

    def _write_task(
        self, step: Step, where: Position, events: Sequence[WalkEvent], mends: str
    ) -> str:
        git, issue = self._git, where.issue
        began = next((each.commit for each in events if each.kind is Walked.BEGAN), "")
        template = find_template(self._project, step.template, began) if step.template else ""
        parts = [wording.write_step(issue, step, template)]
        backs = [each for each in events if each.kind is Walked.SENT_BACK]
        if backs and step.id not in {each.step for each in backs}:
            judge = where.workflow.step(backs[-1].step)
            path = output_of(judge, issue.number) if judge is not None else ""
            parts.append(wording.write_sent_back(backs[-1].role, path, backs[-1].report))
        done = {each.step: each for each in events if each.kind is Walked.STEP_DONE}
        before = [(each.role, each.report) for each in done.values() if each.step in step.needs]
        parts += [wording.write_before(before, git.list_since(began)), mends]
        return "\n\n".join(part for part in parts if part)

    def _start(
        self, step: Step, runner: str, words: tuple[str, ...], events: Sequence[WalkEvent]
    ) -> None:
        spent = sum_spent(events)

        def run() -> None:
            try:
                self._ended.put(take_turn(self._desk, step, runner, words, spent))
            except (AgentXError, OSError) as error:
                self._ended.put(_note_failed(self._project, step, runner, error))

        thread = threading.Thread(target=run, name=f"walk {step.id}", daemon=True)
        self._running[step.id] = (step, thread)
        thread.start()

    def _wait(self) -> WalkEvent:
        while True:  # each has its time, so one of them ends; meanwhile Ctrl-C is heard
            with suppress(Empty):
                return self._ended.get(timeout=_LOOK_S)

    def hear(self) -> None:
        """Wait for who leaves off next, and note how."""
        ended = self._wait()
        step, _ = self._running.pop(ended.step)
        if not ended.session and ended.runner == LOOP:
            began = [
                each
                for each in self._desk.read()
                if each.kind is Walked.STEP_BEGAN and each.step == step.id
            ][-1]
            found = find_loop_session(
                self._project, step.agent, self._desk.request.issue, began.at_ms
            )
            ended = replace(ended, session=began.session or (found.id if found else ""))
        if not ended.ended:
            strayed = find_astray(self._desk, step, self._seen[step.id])
            ended = replace(ended, ended=ASTRAY, reason=strayed) if strayed else ended
        self._desk.append(ended)
        if ended.ended:
            self._desk.told(f"[{step.id}] {ended.reason or ended.ended}")


def _tell_faults(due: Due) -> str:
    last = due.last
    if due.errors:
        return wording.write_faults(due.errors)
    if last is None or last.kind not in (Walked.STEP_CHECKED, Walked.STEP_BEGAN):
        return ""
    return wording.write_faults(last.errors) if last.errors or last.is_again else ""


def _note_ended(project: Project, step: Step, runner: str, session: LoopSession) -> WalkEvent:
    """Return the end of a session that nobody was there to hear."""
    return WalkEvent(
        kind=Walked.STEP_ENDED,
        at_ms=project.clock.now_ms(),
        step=step.id,
        role=step.agent,
        runner=runner,
        session=session.id,
        reason=show_end(session),
        report=find_report(session),
        tokens=session.spent.tokens,
        micro_usd=session.spent.micro_usd,
    )


def _note_failed(
    project: Project, step: Step, runner: str, error: AgentXError | OSError
) -> WalkEvent:
    return WalkEvent(
        kind=Walked.STEP_ENDED,
        at_ms=project.clock.now_ms(),
        step=step.id,
        role=step.agent,
        runner=runner,
        ended="error",
        reason=str(error),
    )
