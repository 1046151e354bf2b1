"""To ask: keep a question, and wait for its answer if the asker wants to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from agentx.agents.hub.hub import Hub
from agentx.clarification.errors import ClarificationUnanswered
from agentx.clarification.model import Clarification, ClarificationStatus, NewQuestion
from agentx.clarification.rendering import stream_entry
from agentx.kernel.bus import Say
from agentx.kernel.errors import IllegalTransition, InvalidValue
from agentx.kernel.values import frozen
from agentx.operations.limits import CLARIFY_POLL_MS
from agentx.project.claims import claim_data
from agentx.project.project import Project
from agentx.wiring.clarifications import open_clarifications, role_named
from agentx.wiring.hub import open_hub
from agentx.wiring.runners import runner_named, runner_of


@frozen
class Waiting:
    """How an asker waits: who plays the target (the settings decide), else for how long."""

    runner: str = ""
    script: Path | None = None
    wait_ms: int = 0


def ask(
    project: Project, request: NewQuestion, *, waiting: Waiting | None = None, told: Say
) -> Clarification:
    """Put a question. Without `waiting` it is pending when this returns.

    Raises: ScopeViolation, InvalidValue, LockTimeout; ClarificationUnanswered when the target
        fails twice.
    """
    asker, to = role_named(project, request.asker), _target(project, request.to)
    hub = _hub(project, waiting)
    if claim_data(project, "clarify ask"):
        hub.check()
    state = hub.request(replace(request, asker=asker, to=to))
    return _answer(project, hub, state, waiting, told)


def follow_up(
    project: Project,
    clarification_id: str,
    question: str,
    *,
    by: str = "",
    waiting: Waiting | None = None,
    told: Say,
) -> Clarification:
    """Put a further question on an answered clarification.

    Raises: MaxRoundsExceeded once a person was called, and as `ask`.
    """
    hub = _hub(project, waiting)
    hub.check()
    speaker = role_named(project, by) if by else ""
    state = hub.follow_up(clarification_id, question, by=speaker)
    return _answer(project, hub, state, waiting, told)


def ask_again(project: Project, stale: Iterable[Clarification], told: Say) -> Clarification | None:
    """Ask the target of the first stale question that has a runner once more, and wait.

    One at a time: whoever runs this waits for it. A target that fails is reported in the stream.
    """
    hub = _hub(project, Waiting())
    for state in stale:
        if state.status is ClarificationStatus.STALE and hub.can_route(state.to):
            try:
                return hub.retry(state.id, told)
            except (ClarificationUnanswered, IllegalTransition):
                return None
    return None


def _hub(project: Project, waiting: Waiting | None) -> Hub:
    if waiting is None:
        return open_hub(project)
    if waiting.runner:
        named = runner_named(project, waiting.runner, script=waiting.script)
        return open_hub(project, runner_of=lambda _role: named)
    return open_hub(project, runner_of=lambda role: runner_of(project, role))


def _target(project: Project, name: str) -> str:
    """Return the target's name; one that is none is judged by the scope, which knows the rest."""
    try:
        return role_named(project, name)
    except InvalidValue:
        return name.strip()[:60]


def _answer(
    project: Project, hub: Hub, state: Clarification, waiting: Waiting | None, told: Say
) -> Clarification:
    if waiting is None:
        return state
    until_ms = project.clock.now_ms() + waiting.wait_ms
    if hub.can_route(state.to):
        state = hub.route(state.id, told)
    else:
        told(stream_entry(state, state.thread[-1]))
    return _await(project, state, until_ms, told)


def _await(project: Project, state: Clarification, until_ms: int, told: Say) -> Clarification:
    """Wait until the asker can go on, or for as long as allowed; the stream is told of news."""
    clarifications = open_clarifications(project)
    while (state.is_unanswered or state.holds_its_asker) and project.clock.now_ms() < until_ms:
        project.clock.sleep_ms(CLARIFY_POLL_MS)
        known, state = len(state.thread), clarifications.find(state.id)
        for entry in state.thread[known:]:
            told(stream_entry(state, entry))
    return state
