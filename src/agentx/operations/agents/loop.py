"""The loop at work on an issue: begun, taken up again, and what came of it.

It needs a repository that a person trusts: what it runs is the repository's own code, and what it
reads may be hostile. What it did is kept after every step: `resume` takes it up wherever it ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from agentx.agents.compaction import ContextCompactor, Message
from agentx.agents.happenings import AgentCompleted, AgentError, AgentStarted, ToolInvoked
from agentx.agents.hub.boundary import finishing, starting
from agentx.agents.loop.limits import (
    LOOP_TOKENS_DEFAULT,
    LOOP_TURNS_DEFAULT,
    LOOP_TURNS_MAX,
    LOOP_USD_DEFAULT,
)
from agentx.agents.loop.loop import AgentLoop, LoopWorld
from agentx.agents.loop.model import WAITS, LoopEnd, LoopSession, SittingBounds
from agentx.agents.loop.purse import Purse
from agentx.agents.loop.rendering import find_report, show_end, show_step
from agentx.agents.loop.tools.box import LoopTools
from agentx.agents.loop.tools.commands import say_broad
from agentx.agents.loop.wording import SYSTEM, write_going_on, write_task
from agentx.kernel.bus import Bus, Say
from agentx.kernel.errors import IllegalTransition, InvalidValue, NotFound
from agentx.kernel.ids import mint
from agentx.kernel.text import preview
from agentx.kernel.values import frozen
from agentx.llm.settings import LlmSettings
from agentx.llm.talk.port import CalledTool
from agentx.memory.port import Memory
from agentx.operations.agents.assignment import (
    LoopReply,
    RunReply,
    RunRequest,
    assign,
    move_issue,
)
from agentx.operations.agents.loop_tools import LoopHouse
from agentx.operations.limits import AGENT_WORK_WAIT_MS
from agentx.project.audit import AuditAct, record_act
from agentx.project.project import Project
from agentx.project.roles.caller import find_caller
from agentx.redaction.redact import redact
from agentx.wiring.hub import open_bus, open_issues
from agentx.wiring.loop.desk import (
    holding_session,
    keeping_what_is_taught,
    open_command_work,
    open_file_work,
    open_loop_sessions,
    prepare_loop_sessions,
)
from agentx.wiring.models import lend_talker
from agentx.wiring.runners import LOOP, role_texts
from agentx.wiring.work import open_agents, position
from agentx.work.agent_states import fail
from agentx.work.model import AgentState

_RECORDED = ("path", "to")  # of a call's arguments, for the records: names, never words


@frozen
class ResumeRequest:
    """Which session is to go on, and what one sitting may take."""

    session_id: str = ""  # empty takes the one that there is
    said: str = ""  # what the person says to it
    model: str = ""
    time_limit_ms: int = AGENT_WORK_WAIT_MS
    turns: int = 0  # 0 takes the usual bound, as below
    tokens: int = 0
    usd: float = 0.0


@frozen
class LoopRow:
    """A session that is not done."""

    session_id: str
    role: str
    issue: int
    ended: str  # nothing while it is at work, or was killed
    reason: str
    turns: int
    updated_ms: int


def begin_loop(
    project: Project, request: RunRequest, open_memory: Callable[[], Memory], told: Say
) -> RunReply:
    """Begin a session on an issue, and let it work.

    Raises: InvalidValue where no model is set or the repository is not trusted, and as `run_agent`.
    """
    _require_trust(project)
    bounds = _read_bounds(request)
    open_command_work(project, request.role)  # a setting that cannot be is said before all else
    role = role_texts(project).name_role(request.role)
    with lend_talker(project, request.model):
        pass  # likewise
    for row in list_sessions(project):
        if (row.role, row.issue) == (role, request.issue):
            told(f"{row.session_id} is not done: agentx agent resume {row.session_id}")
            break
    work = assign(project, request, open_memory)
    prepare_loop_sessions(project)
    now_ms = project.clock.now_ms()
    session = LoopSession(
        id=f"{work.role}-{mint(now_ms, project.entropy)}",
        agent=work.role,
        issue=work.issue.number,
        system=SYSTEM,
        messages=(Message(role="task", content=redact(write_task(work.ask)), at_ms=now_ms),),
        created_ms=now_ms,
        updated_ms=now_ms,
        step=work.step.id if work.step else "",
        advance=request.advance,
    )
    open_loop_sessions(project).note_begun(session.id)
    told(f"{work.role} ({LOOP}) works on #{work.issue.number}: {session.id}")
    return _Work(project, open_memory, told, bounds, request.model).sit(session)


def resume_loop(
    project: Project, request: ResumeRequest, open_memory: Callable[[], Memory], told: Say
) -> RunReply:
    """Take a session up where it ended, or was killed.

    Raises: NotFound, InvalidValue where several could be meant or for one of somebody else's,
        IllegalTransition for one that is done, ConflictError for one that is at work,
        CorruptRecord; and as `begin_loop`.
    """
    _require_trust(project)
    sessions = open_loop_sessions(project)
    session = sessions.load(request.session_id or _find_only(project))
    work = _Work(project, open_memory, told, _read_bounds(request), request.model)
    if session.is_done and not request.said:
        if _is_unsettled(project, session):  # it was killed before it could say so
            return work.finish(session)
        raise IllegalTransition(
            f"{session.id} is done",
            hint="say what it is to do further: --say TEXT; or begin another: agentx agent run",
        )
    return work.sit(session, said=request.said, resumes=True)


def list_sessions(project: Project) -> tuple[LoopRow, ...]:
    """Return the sessions of the loop that are not done, the newest first."""
    return tuple(
        LoopRow(
            session_id=each.id,
            role=each.agent,
            issue=each.issue,
            ended=each.ended.kind if each.ended else "",
            reason=each.ended.reason if each.ended else "",
            turns=each.spent.turns,
            updated_ms=each.updated_ms,
        )
        for each in open_loop_sessions(project).list_unfinished()
    )


def _require_trust(project: Project) -> None:
    if not project.trust.was_said:
        raise InvalidValue(
            f"{project.root} is not trusted: the loop runs what lies there",
            hint="look at it, then say so: agentx trust --show, agentx trust",
        )


def _find_only(project: Project) -> str:
    rows = list_sessions(project)
    sessions = open_loop_sessions(project)
    if not rows and (ids := sessions.list_ids()) and _is_unsettled(project, sessions.load(ids[0])):
        return ids[0]
    if not rows:
        raise NotFound("no session of the loop is unfinished", hint="begin one: agentx agent run")
    if len(rows) > 1:
        names = ", ".join(row.session_id for row in rows[:5])
        raise InvalidValue(
            f"{len(rows)} sessions are unfinished: {names}", hint="name one: agentx agent resume ID"
        )
    return rows[0].session_id


def _is_unsettled(project: Project, session: LoopSession) -> bool:
    """Tell whether a session's agent is done, and its status does not say so."""
    status = open_agents(project).get(session.agent, session.issue)
    return session.is_done and status.state is AgentState.WORKING


def _read_bounds(request: RunRequest | ResumeRequest) -> SittingBounds:
    turns = request.turns or LOOP_TURNS_DEFAULT
    tokens = request.tokens or LOOP_TOKENS_DEFAULT
    usd = request.usd or LOOP_USD_DEFAULT
    if not 1 <= turns <= LOOP_TURNS_MAX or tokens < 1 or not 0 < usd < 1e6:
        raise InvalidValue(
            "turns, tokens and dollars are more than none",
            hint=f"at most {LOOP_TURNS_MAX:,} turns",
        )
    return SittingBounds(
        turns=turns, time_ms=request.time_limit_ms, tokens=tokens, micro_usd=int(usd * 1e6)
    )


class _Work:
    """One sitting: the house around the loop."""

    def __init__(
        self,
        project: Project,
        open_memory: Callable[[], Memory],
        told: Say,
        bounds: SittingBounds,
        model: str,
    ) -> None:
        self._project = project
        self._open_memory = open_memory
        self._told = told
        self._bounds = bounds
        self._model = model
        self._is_done = False  # its agent said so, and that is kept

    def sit(self, session: LoopSession, *, said: str = "", resumes: bool = False) -> RunReply:
        """Let the session work until it ends; return what came of it."""
        project = self._project
        sessions = open_loop_sessions(project)
        bus = open_bus(project)
        model = self._model or _find_model(project, session)
        with holding_session(project, session.id), lend_talker(project, model) as lent:
            if resumes:  # as it is now that nobody else has it
                session = self._take_up(sessions.load(session.id), said)
                self._told(f"{session.agent} ({LOOP}) goes on with #{session.issue}: {session.id}")
            talker, day = lent

            noted: list[object] = []

            def keep(now: LoopSession) -> None:
                sessions.save(now)
                self._is_done = now.is_done
                if noted != (stands := [now.spent.turns, now.ended]):
                    noted[:] = stands
                    sessions.note_state(now, turns_max=self._bounds.turns)

            house = LoopHouse(project, session, self._open_memory, self._told)
            commands = open_command_work(project, session.agent)
            if said_of := say_broad(commands.broad):
                self._told(said_of)
            world = LoopWorld(
                talker=talker,
                tools=LoopTools(open_file_work(project), commands, house.tools()),
                purse=Purse(day, day.price, self._bounds),
                bounds=self._bounds,
                compactor=ContextCompactor(bus, project.clock),
                clock=project.clock,
                keep=keep,
                see=lambda step: self._told(show_step(step)),
                made_call=lambda call, status: self._record(bus, session, call, status),
            )
            keep(session)
            began_ms = project.clock.now_ms()
            with self._minding_status(bus, session), keeping_what_is_taught(project, bus):
                ended = AgentLoop(world, session).run()
            self._settle_status(bus, ended, began_ms)
        return self._reply(ended, talker.name, project.clock.now_ms() - began_ms)

    def finish(self, session: LoopSession) -> RunReply:
        """Say of a session whose agent is done that it is."""
        with holding_session(self._project, session.id):
            self._settle_status(open_bus(self._project), session, session.created_ms)
        return self._reply(session, session.model, 0)

    def _take_up(self, session: LoopSession, said: str) -> LoopSession:
        """Return a session as it goes on: what was counted against it is forgotten."""
        ended = session.ended
        is_waited = ended is not None and ended.kind in WAITS
        messages = session.messages
        if ended is not None and (said or not is_waited):
            at_ms = self._project.clock.now_ms()
            caller = find_caller(self._project)
            agent = caller.said_name if caller.is_agent else ""
            note = redact(write_going_on(ended.reason, agent=agent, is_said=bool(said)))
            messages = (*messages, Message(role="task", content=note, at_ms=at_ms))
            if said:  # what an agent says is the word of no person, and teaches nothing
                role = "task" if agent else "user"
                messages = (*messages, Message(role=role, content=redact(said), at_ms=at_ms))
        fresh = () if ended is not None and not is_waited else session.tried
        row = replace(session.in_row, malformed=0, empty=0, cut_off=0)
        return replace(session, messages=messages, tried=fresh, in_row=row, ended=None)

    def _record(self, bus: Bus, session: LoopSession, call: CalledTool, status: str) -> None:
        """Put a call into the audit log, and tell of it: names and paths, never words."""
        named = {
            name: redact(preview(str(call.arguments[name]), 200))
            for name in _RECORDED
            if name in call.arguments
        }
        command = call.arguments.get("command")
        if isinstance(command, list) and command:
            named["command"] = redact(preview(" ".join(map(str, command)), 200))
        facts = {"session": session.id, "agent": session.agent, "issue": session.issue}
        tool = preview(call.name, 60)
        record_act(
            self._project,
            AuditAct.CALLED,
            **facts,
            call=call.id,
            tool=tool,
            status=status,
            **named,
        )
        if status != "begun":
            at_ms = self._project.clock.now_ms()
            bus.tell(
                ToolInvoked(
                    timestamp=at_ms, agent=session.agent, tool=tool, status=status, detail=call.id
                )
            )

    @contextmanager
    def _minding_status(self, bus: Bus, session: LoopSession) -> Iterator[None]:
        """Say that the agent works; should anything unforeseen end it, that it is stuck."""
        agents, clock = open_agents(self._project), self._project.clock
        issue, began_ms = session.issue, clock.now_ms()
        agents.change(session.agent, lambda now: starting(now, issue=issue, at_ms=began_ms), issue)
        bus.tell(AgentStarted(timestamp=began_ms, agent=session.agent, issue_number=issue))
        try:
            yield
        except BaseException:
            self._told(f"to go on: agentx agent resume {session.id}")
            if not self._is_done:  # else `resume` says so: that is all that is left
                self._fail(session)
            raise

    def _settle_status(self, bus: Bus, session: LoopSession, began_ms: int) -> None:
        assert session.ended is not None, "it has ended"
        agents, now_ms = open_agents(self._project), self._project.clock.now_ms()
        agent, issue = session.agent, session.issue
        if session.ended.kind in WAITS:
            return  # the hub says what it waits for
        if session.is_done:
            after = finishing(agents.get(agent, issue), issue=issue, at_ms=now_ms)
            if after.state is AgentState.DONE:
                self._advance(session)  # before it is said: whoever is killed between goes on here
            agents.change(agent, lambda now: finishing(now, issue=issue, at_ms=now_ms), issue)
            took_ms = now_ms - began_ms
            bus.tell(
                AgentCompleted(
                    timestamp=now_ms, agent=agent, duration_ms=took_ms, issue_number=issue
                )
            )
            return
        self._fail(session)
        words = show_end(session)
        bus.tell(AgentError(timestamp=now_ms, agent=agent, error=words, issue_number=issue))

    def _advance(self, session: LoopSession) -> None:
        """Move the issue on by the step that is done."""
        if not (session.advance and session.step):
            return
        where = position(self._project, session.issue)
        step = next((each.step for each in where.steps if each.step.id == session.step), None)
        move_issue(self._project, where.issue, step.status_on_complete if step else None)

    def _fail(self, session: LoopSession) -> None:
        now_ms = self._project.clock.now_ms()
        open_agents(self._project).change(
            session.agent,
            lambda now: fail(now, at_ms=now_ms) if now.state is AgentState.WORKING else now,
            session.issue,
        )

    def _reply(self, session: LoopSession, model: str, took_ms: int) -> RunReply:
        assert session.ended is not None, "it has ended"
        project = self._project
        state = open_agents(project).get(session.agent, session.issue).state
        issue = open_issues(project).get(session.issue)
        spent = session.spent
        return RunReply(
            role=session.agent,
            issue=session.issue,
            runner=LOOP,
            step=session.step,
            report=find_report(session),
            session_id=session.id,
            took_ms=took_ms,
            issue_status=issue.status,
            agent_status=state,
            loop=LoopReply(
                ended=session.ended.kind,
                reason=show_end(session),
                model=model,
                turns=spent.turns,
                calls=spent.calls,
                tokens=spent.tokens,
                usd=spent.micro_usd / 1e6,
                changed=session.changed,
                waits_for=session.waits_for.partition("@")[0],
                next=_say_next(session),
            ),
        )


def _find_model(project: Project, session: LoopSession) -> str:
    """Return the model that a session had, if the provider is still the same."""
    provider, _, model = session.model.partition("/")
    return model if provider == project.config.section(LlmSettings).provider else ""


def _say_next(session: LoopSession) -> str:
    assert session.ended is not None, "it has ended"
    again = f"agentx agent resume {session.id}"
    match session.ended.kind:
        case LoopEnd.TEXT_RESPONSE:
            return ""
        case LoopEnd.WAITING | LoopEnd.ESCALATED:
            return f"once it is answered: {again}"
        case LoopEnd.DAY_SPENT:
            return f"tomorrow, or with a higher llm.daily_usd_max or daily_tokens_max: {again}"
        case _:
            return f"to go on: {again}"
