"""The hub: every question passes through it, and agents never speak to each other directly.

    request   may the asker ask the target?  -> kept in the ledger -> both statuses
    route     the target is asked, with question, thread and artifacts -> the answer is kept
              -> both statuses

No lock is held while an agent thinks. What happened meanwhile (a person resolved it, the
monitor escalated it) is found when the answer is to be kept, and the protocol decides:
a late answer is kept and undoes nothing. An agent that fails is asked once more; then a
person is called, and the asker goes on with what is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from agentx.agents.hub.standing import OpenNow, settle_agent
from agentx.agents.hub.switchboard import Switchboard
from agentx.agents.limits import CLARIFY_AGAIN_AFTER_MS, CLARIFY_THREAD_TOKENS_MAX
from agentx.agents.runners.person import PERSON as AT_TERMINAL
from agentx.agents.runners.port import AnswerStanding, Ask, Reply, Runner, Utterance
from agentx.clarification.errors import report_unanswered
from agentx.clarification.model import (
    ANSWERED,
    HUB,
    PARTIAL,
    PERSON,
    UNJUDGED,
    UNKNOWN,
    AnswerWorth,
    Clarification,
    ClarificationStatus,
    NewQuestion,
    Reason,
)
from agentx.clarification.rendering import routing, say_against, stream_entry
from agentx.clarification.scope import Put, check_text, permit
from agentx.clarification.service import Clarifications
from agentx.clarification.store.survey import Survey
from agentx.clarification.summary import fit_thread
from agentx.clarification.watch.awaiting import is_of_same_issue
from agentx.clarification.watch.monitor import MonitorReport, World
from agentx.clarification.ways import name_memory_way
from agentx.kernel.bus import Bus, Say
from agentx.kernel.clock import Clock
from agentx.kernel.errors import IllegalTransition, LockHeld, UnavailableError, say_kept
from agentx.kernel.limits import CLARIFY_TEXT_CHARS_MAX
from agentx.kernel.text import cut, preview
from agentx.kernel.values import frozen
from agentx.work.model import AgentState
from agentx.work.port import AgentStatusStore

_ENGAGED = frozenset({AgentState.CLARIFYING, AgentState.BLOCKED_CLARIFICATION})


def silence(_entry: str) -> None:
    """Tell nobody."""


@frozen
class _Bounds:
    """Until when somebody is asked, and who is told what they say on the way."""

    until_ms: int | None = None
    heard: Say | None = None


@frozen
class StatusesSettled:
    """Ledgers and statuses say the same again: the hub is done with what it did."""


class Hub:
    """Agent X."""

    def __init__(
        self,
        clarifications: Clarifications,
        statuses: AgentStatusStore,
        switchboard: Switchboard,
        clock: Clock,
        bus: Bus,
    ) -> None:
        self._clarifications = clarifications
        self._statuses = statuses
        self._board = switchboard
        self._clock = clock
        self._bus = bus

    def request(self, request: NewQuestion) -> Clarification:
        """Keep a question, as `put`."""
        return self.put(request).state

    def put(self, request: NewQuestion) -> Put:
        """Keep a question, if its asker may put it, and set both agents' statuses.

        The same question, while it is open, is joined.

        Raises: ScopeViolation, InvalidValue, IllegalTransition on a closed issue, LockTimeout;
            NotFound for an issue that is not there, where there are others.
        """
        self._board.check_issue(request.issue)
        if self._board.is_closed(request.issue):
            # The monitor would give it up at once, but for what a person is asked.
            raise IllegalTransition(
                f"#{request.issue} is closed", hint=f"agentx issue reopen {request.issue}"
            )
        scope = self._board.scope_of(request.issue, request.asker)
        done = self._clarifications.put(permit(request, scope, self._board.agents), scope)
        self.settle(done.state.asker, done.state.to)
        return done

    def follow_up(self, clarification_id: str, question: str, *, by: str = "") -> Clarification:
        """Put a further question on an answered clarification.

        Raises: MaxRoundsExceeded once a person was called, as `Clarifications.follow_up`.
        """
        state = self._clarifications.find(clarification_id)
        try:
            return self._clarifications.follow_up(state.exact, question, by=by or state.asker)
        finally:
            self.settle(state.asker, state.to)

    def answer(
        self,
        clarification_id: str,
        answer: str,
        *,
        by: str = "",
        via: str = "",
        worth: AnswerWorth = UNJUDGED,
    ) -> Clarification:
        """Keep an answer and free both agents.

        Raises: as `Clarifications.answer`.
        """
        return self._settle(
            self._clarifications.answer(clarification_id, answer, by=by, via=via, worth=worth)
        )

    def list_others(self, state: Clarification) -> tuple[str, ...]:
        """Return whom else the asker of a question may ask, in the order of its scope."""
        issue = self._board.look_at_issues()(state)
        if issue is None:
            return ()  # nobody knows whom its workflow lets ask
        scope = self._board.scope_of(issue, state.asker)
        asked = {
            each.to for each in self._clarifications.ledger(state.issue) if _is_same(each, state)
        }
        return tuple(role for role in scope.can_clarify if role not in {*asked, state.to})

    def resolve(
        self, clarification_id: str, body: str = "", *, by: str = "", via: str = ""
    ) -> Clarification:
        """Settle a clarification and free both agents.

        Raises: as `Clarifications.resolve`.
        """
        return self._settle(self._clarifications.resolve(clarification_id, body, by=by, via=via))

    def accept(
        self, clarification_id: str, answer: str, *, source: str, by: str, via: str = ""
    ) -> Clarification:
        """Settle a question with what memory knew: from where, and who took it, is kept.

        Raises: as `Clarifications.answer`; IllegalTransition for who did not ask.
        """
        state = self._clarifications.find(clarification_id)
        if by != state.asker:
            raise IllegalTransition(
                f"{state.id} was asked by {state.asker}: {by} cannot accept an answer to it",
                hint=f"let {state.asker} accept it",
            )
        known = name_memory_way(source)
        body = check_text("answer", cut(answer, CLARIFY_TEXT_CHARS_MAX))
        self._clarifications.answer(state.exact, body, by=HUB, via=known)
        return self._settle(self._clarifications.resolve(state.exact, by=by, via=via))

    def escalate(self, clarification_id: str, summary: str = "", *, by: str = "") -> Clarification:
        """Call a person.

        Raises: as `Clarifications.escalate`.
        """
        return self._settle(self._clarifications.escalate(clarification_id, summary, by=by or HUB))

    def forget(self, clarification_id: str) -> None:
        """Take a question out of every file, and free both agents.

        Raises: as `Clarifications.forget`.
        """
        self.settle(*self._clarifications.forget(clarification_id))

    def find(self, clarification_id: str) -> Clarification:
        """Return one clarification.

        Raises: InvalidValue for what is no id, ClarificationNotFound.
        """
        return self._clarifications.find(clarification_id)

    def find_meant(self, said: str, *, by_person: bool = False) -> Clarification:
        """Return what somebody means who is to decide it.

        Raises: as `Clarifications.find_meant`.
        """
        return self._clarifications.find_meant(said, by_person=by_person)

    def can_route(self, agent: str) -> bool:
        """Tell whether somebody can be asked in this agent's place, right now."""
        return self._find_runner(agent) is not None

    def route(
        self,
        clarification_id: str,
        told: Say = silence,
        *,
        until_ms: int | None = None,
        heard: Say | None = None,
    ) -> Clarification:
        """Ask the target now, and keep what it answers; the stream is told as it runs.

        `heard` is told what the target says on the way.

        `until_ms` bounds it: a target that has not answered by then was not given its time, so
        nothing is said of it, and the question stays open. A stale question is asked once more.

        Raises: ClarificationUnanswered once a person was called, ClarificationNotFound,
            IllegalTransition when nothing waits for the target any more, LockTimeout,
            UnavailableError when nobody plays the target's role.
        """
        state = self._clarifications.find(clarification_id)
        if state.status is ClarificationStatus.STALE:
            return self.retry(state.id, told, heard=heard)
        if not state.is_unanswered:
            raise IllegalTransition(
                f"{state.id} is {state.status}: nothing waits for {state.to}",
                hint=f"agentx clarify --issue {state.issue}",
            )
        runner = self._need_runner(state)
        self._announce(state, told)
        reply = self._reply(state, runner, told, _Bounds(until_ms=until_ms, heard=heard))
        if reply is None:
            return self._clarifications.find(state.exact)
        return self._keep(state, reply, told)

    def _announce(self, state: Clarification, told: Say) -> None:
        told(stream_entry(state, state.asked[-1]))
        told(routing(state))
        self.settle(state.asker, state.to)

    def check(self) -> MonitorReport:
        """Run the monitor, and set the statuses of everybody whom it freed."""
        survey = self._clarifications.survey()
        waiting = (one for one in survey.active if one.is_unanswered or one.waits_for_person)
        number_of = self._board.look_at_issues()
        issues = {number for state in waiting if (number := number_of(state)) is not None}
        statuses = self._statuses.all()
        done = frozenset(
            (status.agent, status.issue)
            for status in statuses
            if AgentState.DONE in (status.state, status.returns_to) and status.issue is not None
        )
        world = World(
            now_ms=self._clock.now_ms(),
            closed_issues=frozenset(issue for issue in issues if self._board.is_closed(issue)),
            done=done,
            number_of=number_of,
        )
        found = self._clarifications.check(survey, world)
        engaged = {status.agent for status in statuses if status.state in _ENGAGED}
        involved = {agent for state in found.active for agent in (state.asker, state.to)}
        is_as_seen = len(found.active) == len(survey.active) and all(
            now is before for now, before in zip(found.active, survey.active, strict=True)
        )
        with suppress(UnavailableError):  # who only looks is told what the ledgers say
            self._settle_all(sorted(engaged | involved), survey if is_as_seen else None)
        return found

    def retry(
        self, clarification_id: str, told: Say = silence, *, heard: Say | None = None
    ) -> Clarification:
        """Ask the target of a stale question once more; without an answer a person is called.

        That it is asked is kept before it is, so of several who notice one asks.

        Raises: ClarificationUnanswered, IllegalTransition when it is not stale (any more),
            UnavailableError when nobody plays the target's role.
        """
        runner = self._need_runner(self._clarifications.find(clarification_id))
        state = self._clarifications.retry(clarification_id, runner=runner.name)
        if state.status is ClarificationStatus.ESCALATED:
            return self._settle(state)
        self._announce(state, told)
        try:
            reply = self._run(state, runner, _Bounds(heard=heard))
        except UnavailableError as error:
            self._give_up(state, Reason.STALE, preview(error.message, 400), told)
            return self._clarifications.find(state.exact)
        return self._keep(state, reply, told)

    def settle(self, *agents: str) -> None:
        """Make the statuses of some agents say what the ledgers say, and tell that they do.

        Raises: UnavailableError where they cannot be written: what was said is kept.
        """
        try:
            self._settle_all(agents)
        except (UnavailableError, LockHeld) as error:
            raise say_kept(error) from error

    def _settle_all(self, agents: Iterable[str], seen: Survey | None = None) -> None:
        look = self._clarifications.survey
        now = look() if seen is None else seen
        asked = OpenNow(seen=now, survey=look, number_of=self._board.look_at_issues())
        for agent in agents:
            if agent != PERSON:  # what people do is nobody's status
                settle_agent(agent, self._statuses, asked, self._clock)
        self._bus.tell(StatusesSettled())

    def _find_runner(self, agent: str) -> Runner | None:
        """Return who answers in an agent's place; in a person's place, only a person does."""
        runner = self._board.runner_of(agent)
        is_person = runner is not None and runner.name == AT_TERMINAL
        return None if agent == PERSON and not is_person else runner

    def _need_runner(self, state: Clarification) -> Runner:
        runner = self._find_runner(state.to)
        if runner is None:
            raise UnavailableError(
                f"{state.id} waits for {state.to}: nobody can be asked in its place now",
                hint="name one with --runner; or it is shown at the agent's next session start",
            )
        return runner

    def _settle(self, state: Clarification) -> Clarification:
        self.settle(state.asker, state.to)
        return state

    def _reply(
        self, state: Clarification, runner: Runner, told: Say, bounds: _Bounds
    ) -> Reply | None:
        """Return what the target says; None when the question was settled meanwhile, or time is up.

        Raises: ClarificationUnanswered after two failures.
        """
        try:
            return self._run(state, runner, bounds)
        except UnavailableError as error:
            until_ms = bounds.until_ms
            if until_ms is not None and self._clock.now_ms() + CLARIFY_AGAIN_AFTER_MS >= until_ms:
                return None
            told(f"[Agent X] {state.to} failed: {preview(error.message, 200)}. Asking once more.")
        self._clock.sleep_ms(CLARIFY_AGAIN_AFTER_MS)
        state = self._clarifications.find(state.exact)
        if not state.is_unanswered:
            return None
        try:
            return self._run(state, runner, bounds)
        except UnavailableError as error:
            reason = preview(error.message, 400)
        self._give_up(state, Reason.AGENT_ERROR, reason, told)
        return None

    def _give_up(self, state: Clarification, reason: Reason, note: str, told: Say) -> None:
        """Call a person because the target gave no answer, unless it is settled by now.

        Raises: ClarificationUnanswered once a person was called.
        """
        try:
            after = self._clarifications.escalate(state.exact, note, reason=reason)
        except IllegalTransition:
            return
        finally:
            self.settle(state.asker, state.to)
        told(stream_entry(after, after.thread[-1]))
        raise report_unanswered(state, note)

    def _run(self, state: Clarification, runner: Runner, bounds: _Bounds) -> Reply:
        asked = replace(self._ask(state), heard=bounds.heard)
        if bounds.until_ms is not None:
            left_ms = max(bounds.until_ms - self._clock.now_ms(), 0)
            asked = replace(asked, time_limit_ms=min(asked.time_limit_ms, left_ms))
        reply = runner.run(asked)
        if not reply.answer.strip():
            raise UnavailableError(f"{state.to} said nothing")
        return reply

    def _ask(self, state: Clarification) -> Ask:
        issue = self._board.look_at_issues()(state)
        earlier = tuple(
            Utterance(speaker=entry.speaker_shown, kind=str(entry.type), body=entry.body)
            for entry in fit_thread(state, CLARIFY_THREAD_TOKENS_MAX)
        )
        return Ask(
            role=state.to,
            instructions=self._board.instructions_of(state.to),
            question=state.question,
            asked_by=state.asker,
            topic=state.topic,
            issue=issue,
            clarification_id=state.id,
            thread=earlier[:-1],  # the last is the question itself
            against=say_against(self._board.tell_against(state)),
            artifacts=() if issue is None else self._board.artifacts_of(issue),
        )

    def _keep(self, state: Clarification, reply: Reply, told: Say) -> Clarification:
        body = check_text("answer", cut(_word_reply(reply), CLARIFY_TEXT_CHARS_MAX))
        try:
            after = self._clarifications.answer(
                state.exact, body, by=state.to, worth=_judge_worth(reply)
            )
        except IllegalTransition:
            # Settled while the agent was thinking: the answer comes to nobody.
            return self._settle(self._clarifications.find(state.exact))
        told(stream_entry(after, after.thread[-1]))
        if (
            reply.standing is AnswerStanding.NEEDS_HUMAN
            and after.status is ClarificationStatus.ANSWERED
        ):
            note = f"{state.to} says that a person must decide"
            after = self._clarifications.escalate(state.exact, note)
            told(stream_entry(after, after.thread[-1]))
        return self._settle(after)


def _is_same(one: Clarification, other: Clarification) -> bool:
    is_same = (one.asker, one.topic.casefold()) == (other.asker, other.topic.casefold())
    return is_same and is_of_same_issue(one, other)


def _judge_worth(reply: Reply) -> AnswerWorth:
    standings = {AnswerStanding.PARTIAL: PARTIAL, AnswerStanding.UNKNOWN: UNKNOWN}
    remaining = cut(reply.remaining.strip(), CLARIFY_TEXT_CHARS_MAX)
    return AnswerWorth(
        standing=standings.get(reply.standing, ANSWERED if reply.is_judged else ""),
        confidence=reply.confidence,
        remaining=remaining,
    )


def _word_reply(reply: Reply) -> str:
    """Return an answer with what it rests on and what it leaves open."""
    parts = [reply.answer.strip()]
    if reply.evidence:
        parts.append("Evidence: " + "; ".join(reply.evidence))
    if reply.remaining.strip():
        parts.append(f"Still open: {reply.remaining.strip()}")
    return "\n".join(parts)
