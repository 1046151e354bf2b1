"""To wait: for an answer or a decision, for as long as allowed; nothing is lost by leaving off.

Whoever waits looks after the rest meanwhile: what is late, circling or deadlocked is found within
seconds, whether or not anything else runs.
"""

from __future__ import annotations

from agentx.clarification.errors import report_unanswered
from agentx.clarification.model import Clarification, ClarificationStatus, Reason
from agentx.clarification.rendering import explain_escalation, stream_entry
from agentx.kernel.bus import Say
from agentx.operations.limits import CLARIFY_POLL_MS, CLARIFY_WATCH_EVERY_MS
from agentx.operations.questions.routing import watch
from agentx.project.project import Project
from agentx.wiring.clarifications import open_clarifications


def wait(project: Project, clarification_id: str, *, wait_ms: int, told: Say) -> Clarification:
    """Wait until the asker of a question can go on, or for as long as allowed.

    Raises: ClarificationNotFound, CorruptRecord; ClarificationUnanswered when its target failed.
    """
    watch(project)
    state = open_clarifications(project).find(clarification_id)
    return await_outcome(project, state, project.clock.now_ms() + wait_ms, told)


def await_outcome(
    project: Project, state: Clarification, until_ms: int, told: Say
) -> Clarification:
    """Wait until the asker can go on, or until a moment; the stream is told of what is said.

    Raises: as `wait`.
    """
    clarifications, clock = open_clarifications(project), project.clock
    watched_ms = clock.now_ms()
    try:
        while is_waited_for(state) and clock.now_ms() < until_ms:
            clock.sleep_ms(min(CLARIFY_POLL_MS, max(until_ms - clock.now_ms(), 1)))
            if clock.now_ms() - watched_ms >= CLARIFY_WATCH_EVERY_MS:
                watch(project)
                watched_ms = clock.now_ms()
            known, state = len(state.thread), clarifications.find(state.id)
            for entry in state.thread[known:]:
                told(stream_entry(state, entry))
    except KeyboardInterrupt:
        _say_open(state, told)
        raise
    if state.status is ClarificationStatus.ESCALATED and state.reason is Reason.AGENT_ERROR:
        raise report_unanswered(state.to, state.id, explain_escalation(state))
    if is_waited_for(state):
        _say_open(state, told)
    return state


def is_waited_for(state: Clarification) -> bool:
    """Tell whether the asker has something to wait for."""
    return state.is_unanswered or state.holds_its_asker


def _say_open(state: Clarification, told: Say) -> None:
    told(f"[Agent X] {state.id} waits for {state.waits_on} still: agentx clarify wait {state.id}")
