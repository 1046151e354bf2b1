"""To ask: keep a question, have its target asked where somebody plays it, and wait if wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agentx.agents.hub.hub import Hub
from agentx.agents.runners.person import Person
from agentx.agents.runners.port import Runner
from agentx.clarification.data import KnownAnswer
from agentx.clarification.errors import MaxRoundsExceeded
from agentx.clarification.model import HUB, Clarification, NewQuestion
from agentx.clarification.rendering import routing, stream_entry
from agentx.clarification.watch.awaiting import find_awaited
from agentx.kernel.bus import Say
from agentx.kernel.errors import InvalidValue
from agentx.kernel.values import frozen
from agentx.operations.questions.routing import Player, find_player, hub_of, route_apart, watch
from agentx.operations.questions.speaking import check_speaker
from agentx.operations.questions.waiting import (
    SeeWait,
    await_outcome,
    find_awaiting,
    is_waited_for,
    see_nothing,
)
from agentx.project.claims import claim_data
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls
from agentx.wiring.clarifications import role_named, tell_state
from agentx.wiring.hub import open_hub
from agentx.wiring.kept.known import find_known
from agentx.wiring.trust.issue_marks import mark_issue


@frozen
class Waiting:
    """How an asker waits: who plays the target (the settings decide), and for how long."""

    player: Player = Player()
    wait_ms: int = 0
    apart: bool = False  # the target is asked by a process of its own
    seen: SeeWait = see_nothing  # is shown for whom is waited, every few seconds
    asked_ms: int | None = None  # how long who is asked here may take; None: as long as usual


def ask(
    project: Project,
    request: NewQuestion,
    *,
    waiting: Waiting | None = None,
    told: Say,
    offered: Callable[[KnownAnswer], None] | None = None,
    caller: WhoCalls | None = None,
) -> Clarification:
    """Put a question; the same one, while it is open, is joined. Without `waiting` that is all.

    Who takes offers is handed what memory answers it with, if it does, and the target is not woken:
    the question is kept and waits, until its asker accepts that or has it asked.

    Raises: ScopeViolation, InvalidValue, LockTimeout; AgentUnavailable for a runner that cannot be
        run here, before anything is kept; ClarificationUnanswered when the target fails twice;
        NotThePerson where a caller asks as somebody else.
    """
    asker, to = _asker(project, request.asker), _target(project, request.to)
    if caller is not None:
        check_speaker(project, caller, asker, "a question")
    player = _find_player(project, to, waiting)
    hub = _hub(project, player)
    if claim_data(project, "clarify ask"):
        hub.check()
    mark = mark_issue(project, request.issue)
    done = hub.put(replace(request, asker=asker, to=to, issue_mark=mark))
    if not done.is_new:
        told(f"[Agent X] {done.state.id} asks the same, and is {done.state.status}: joined.")
    if offered is not None and done.state.is_unanswered:
        known = find_known(project, done.state)
        if known is not None:
            offered(known)
            waiting = None
    return _go_on(project, done.state, player, waiting=waiting, told=told)


def follow_up(
    project: Project,
    clarification_id: str,
    question: str,
    *,
    by: str = "",
    waiting: Waiting | None = None,
    told: Say,
    caller: WhoCalls | None = None,
) -> Clarification:
    """Put a further question on an answered clarification.

    Raises: MaxRoundsExceeded once a person was called, and as `ask`.
    """
    known = hub_of(project).find_meant(clarification_id)
    player = _find_player(project, known.to, waiting)
    hub = _hub(project, player)
    speaker = role_named(project, by) if by else ""
    if caller is not None:
        check_speaker(project, caller, speaker or known.asker, clarification_id)
    try:
        state = hub.follow_up(known.exact, question, by=speaker)
    except MaxRoundsExceeded:
        called = hub.find(known.exact)
        told(stream_entry(called, called.thread[-1]))
        raise
    return _go_on(project, state, player, waiting=waiting, told=told)


def _find_player(project: Project, to: str, waiting: Waiting | None) -> Runner | None:
    return None if waiting is None else find_player(project, to, waiting.player)


def _hub(project: Project, player: Runner | None) -> Hub:
    return open_hub(project, runner_of=lambda _role: player)


def _asker(project: Project, name: str) -> str:
    asker = role_named(project, name)
    if asker == HUB:
        raise InvalidValue(
            f"{HUB} passes questions on and asks none", hint="name the role that asks: --from ROLE"
        )
    return asker


def _target(project: Project, name: str) -> str:
    """Return the target's name; one that is none is judged by the scope, which knows the rest."""
    try:
        return role_named(project, name)
    except InvalidValue:
        return name.strip()[:60]


def _go_on(
    project: Project,
    put: Clarification,
    player: Runner | None,
    *,
    waiting: Waiting | None,
    told: Say,
) -> Clarification:
    """Look whether the question closed a circle; then have it asked, and wait."""
    watch(project)
    state = find_awaiting(project, put, find_awaited(put)) or put
    if waiting is None:
        return tell_state(project, state)
    if not is_waited_for(state):
        state = tell_state(project, state)
        for entry in state.thread[-2:]:  # what was asked, and what came of it at once
            told(stream_entry(state, entry))
        return state
    now_ms = project.clock.now_ms()
    until_ms = now_ms + waiting.wait_ms
    if player is None or not state.is_unanswered:
        told(stream_entry(state, state.thread[-1]))
    elif waiting.apart and not isinstance(player, Person):
        told(stream_entry(state, state.thread[-1]))
        told(routing(state))
        route_apart(project, state.exact, waiting.player)
    else:
        asked_until_ms = until_ms if waiting.wait_ms else None
        if waiting.asked_ms is not None:
            asked_until_ms = now_ms + waiting.asked_ms
        state = _hub(project, player).route(state.exact, told, until_ms=asked_until_ms)
    return await_outcome(project, state, until_ms, told, waiting.seen)
