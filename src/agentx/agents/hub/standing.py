"""What an agent's status must say, given the questions that are open.

The ledgers are the facts and the status file is a view of them: an agent that waits for
an answer is blocked, one that is asked is clarifying, and one that is neither returns
to what it was. So a process killed between the two leaves nothing wrong for longer than
until the next command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from agentx.agents.hub.switchboard import NumberOf
from agentx.clarification.model import Clarification
from agentx.clarification.store.survey import Survey
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.values import frozen
from agentx.work.agent_states import Open, answers, began, settle, waits
from agentx.work.model import AgentState, AgentStatus
from agentx.work.port import AgentStatusStore


@frozen
class OpenQuestions:
    """The open questions of one agent, oldest first."""

    waiting: tuple[Open, ...] = ()  # it asked, and cannot go on
    answering: tuple[Open, ...] = ()  # it was asked


@frozen
class OpenNow:
    """What is asked: as it was looked at just now, how to look again, and of which issues."""

    seen: Survey
    survey: Callable[[], Survey]
    number_of: NumberOf


def open_questions(
    agent: str, states: Iterable[Clarification], number_of: NumberOf
) -> OpenQuestions:
    """Return what an agent waits for, and what it is asked.

    What it asked of an issue that is not here holds it on no other that has the number.
    """
    in_turn = sorted(states, key=lambda state: (state.created_ms, len(state.id), state.id))
    return OpenQuestions(
        waiting=tuple(
            Open(clarification_id=state.id, other=state.waits_on, issue=number)
            for state in in_turn
            if state.asker == agent
            and state.holds_its_asker
            and (number := number_of(state)) is not None
        ),
        answering=tuple(
            Open(clarification_id=state.id, other=state.asker, issue=state.issue)
            for state in in_turn
            if state.to == agent and state.is_unanswered
        ),
    )


def settle_agent(agent: str, statuses: AgentStatusStore, asked: OpenNow, clock: Clock) -> None:
    """Make what an agent's statuses say what the ledgers say: on each issue that it works on.

    What is asked on an issue is for who works on it; on others, for who is seen first.
    """
    known = statuses.list_of(agent)
    issues = frozenset(one.issue for one in known)
    for at, status in enumerate(known):
        elsewhere, only = issues - {status.issue}, None if at == 0 else status.issue

        def want(
            now: AgentStatus,
            survey: Callable[[], Survey] = asked.survey,
            elsewhere: frozenset[int | None] = elsewhere,
            only: int | None = only,
        ) -> AgentStatus:
            found = survey()
            if found.hides(now.clarification_id):
                return now  # until somebody mends the ledger
            active = (one for one in found.active if asked.number_of(one) not in elsewhere)
            own = (one for one in active if only is None or asked.number_of(one) == only)
            open_now = open_questions(agent, own, asked.number_of)
            return settle_status(now, open_now, clock.now_ms())

        if want(status, lambda: asked.seen) != status:
            # Looked at again under the lock: whoever writes a ledger settles after it, so
            # the last to hold the lock has seen everything.
            statuses.change(agent, want, status.issue if len(known) > 1 else None)


def settle_status(status: AgentStatus, open_now: OpenQuestions, at_ms: Millis) -> AgentStatus:
    """Return the status that the open questions ask for; the same one where it says so already."""
    match status.state:
        case AgentState.BLOCKED_CLARIFICATION:
            return _still_blocked(status, open_now, at_ms)
        case AgentState.CLARIFYING:
            return _still_clarifying(status, open_now, at_ms)
        case AgentState.IDLE | AgentState.WORKING | AgentState.DONE | AgentState.STUCK:
            if open_now.waiting:
                return waits(status, open_now.waiting[0], at_ms=at_ms)
            if open_now.answering:  # which a stuck agent cannot do
                return answers(status, open_now.answering[0], at_ms=at_ms)
            return status


def _still_blocked(status: AgentStatus, open_now: OpenQuestions, at_ms: Millis) -> AgentStatus:
    oldest = next(iter(open_now.waiting), None)
    if oldest is not None and oldest.clarification_id == status.clarification_id:
        if (oldest.other, oldest.issue) == (status.waiting_on, status.issue):
            return status
        now = replace(status, waiting_on=oldest.other, issue=oldest.issue)
        return replace(now, last_activity_ms=at_ms)
    freed = _free(status, oldest, at_ms)
    return freed if oldest is not None else settle_status(freed, open_now, at_ms)


def _still_clarifying(status: AgentStatus, open_now: OpenQuestions, at_ms: Millis) -> AgentStatus:
    if open_now.waiting:
        # That it waits is what others must see; what it is asked comes back afterwards.
        return waits(_free(status, None, at_ms), open_now.waiting[0], at_ms=at_ms)
    oldest = next(iter(open_now.answering), None)
    if oldest is not None and oldest.clarification_id == status.clarification_id:
        return status
    return _free(status, oldest, at_ms)


def _free(status: AgentStatus, following: Open | None, at_ms: Millis) -> AgentStatus:
    if status.clarification_id is None:  # another tool's entry, which names no question
        return began(status, issue=status.issue, at_ms=at_ms)
    return settle(status, status.clarification_id, at_ms=at_ms, following=following)
