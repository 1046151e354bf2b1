"""What has gone wrong among open clarifications, and what is to be done about it.

    overdue once         -> stale, and asked again
    overdue twice        -> a person is called
    waiting in a circle  -> the upstream question stays, the most downstream one is escalated
    going round          -> escalated
    nobody wants to know -> abandoned, unless a person is asked

Pure: it is given every open clarification, the time and what is known of the world, and
gives findings. A finding is a proposal. Whoever acts on it decides again under the
ledger's lock, so two processes that find the same do it once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter

from agentx.clarification.facts import Abandoned, Escalated, Fact, WentStale
from agentx.clarification.limits import CLARIFY_RETRIES_MAX
from agentx.clarification.model import Clarification, ClarificationStatus, Reason
from agentx.clarification.protocol import is_overdue
from agentx.clarification.watch.circling import bounces, repeats_itself
from agentx.clarification.watch.waiting import circle
from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen


@frozen
class World:
    """What the ledgers do not know."""

    now_ms: Millis
    closed_issues: frozenset[int] = frozenset()
    done: frozenset[tuple[str, int]] = frozenset()  # agents, and the issues they are done with
    # The number of a question's issue now; None where that is not here, and another has it.
    number_of: Callable[[Clarification], int | None] = attrgetter("issue")


@frozen
class Remedy:
    """Something to be done about a clarification."""

    clarification: Clarification
    facts: tuple[Fact, ...]
    reason: Reason


@frozen
class MonitorReport:
    """What the monitor found and did."""

    stale: tuple[Clarification, ...] = ()
    stuck: tuple[Clarification, ...] = ()
    deadlocked: tuple[Clarification, ...] = ()
    abandoned: tuple[Clarification, ...] = ()
    damaged: tuple[str, ...] = ()
    closed: tuple[int, ...] = ()  # issues whose ledger cannot be read: nobody knows what waits
    active: tuple[Clarification, ...] = ()
    closed_issues: frozenset[int] = frozenset()  # of those that something is asked about


Detector = Callable[[tuple[Clarification, ...], World], Iterable[Remedy]]


def findings(
    clarifications: Iterable[Clarification],
    world: World,
    detectors: tuple[Detector, ...] | None = None,
) -> tuple[Remedy, ...]:
    """Return what is to be done, at most one thing a clarification; the first detector decides."""
    left = tuple(each for each in clarifications if each.is_active)
    found: list[Remedy] = []
    for detector in DETECTORS if detectors is None else detectors:
        here = list(detector(left, world))
        touched = {finding.clarification.id for finding in here}
        found.extend(here)
        left = tuple(each for each in left if each.id not in touched)
    return tuple(found)


def find_abandoned(states: tuple[Clarification, ...], world: World) -> Iterator[Remedy]:
    """Find questions that nobody waits for any more; what a person is asked is theirs to end."""
    for state in states:
        # Nobody knows who closed an issue: a tool, an agent, another branch.
        if not state.is_unanswered or state.waits_for_person:
            continue
        reason: Reason | None = None
        if world.number_of(state) in world.closed_issues:
            reason = Reason.ISSUE_CLOSED
        elif _asker_is_gone(state, world):
            reason = Reason.ASKER_GONE
        if reason is not None:
            fact = Abandoned(at_ms=world.now_ms, reason=reason)
            yield Remedy(clarification=state, facts=(fact,), reason=reason)


def find_deadlocked(states: tuple[Clarification, ...], world: World) -> Iterator[Remedy]:
    """Find questions whose askers wait for each other, in a circle of any length."""
    waiting = [state for state in states if state.blocking and state.is_unanswered]
    while broken := circle(waiting):
        for state in broken:
            fact = Escalated(at_ms=world.now_ms, reason=Reason.DEADLOCK)
            yield Remedy(clarification=state, facts=(fact,), reason=Reason.DEADLOCK)
        ids = {state.id for state in broken}
        waiting = [state for state in waiting if state.id not in ids]


def find_stuck(states: tuple[Clarification, ...], world: World) -> Iterator[Remedy]:
    """Find talks that go round: the same question again, or asked back."""
    talking = tuple(state for state in states if state.status is not ClarificationStatus.ESCALATED)
    back = bounces(talking)
    for state in talking:
        if state.id in back or repeats_itself(state):
            fact = Escalated(at_ms=world.now_ms, reason=Reason.STUCK)
            yield Remedy(clarification=state, facts=(fact,), reason=Reason.STUCK)


def overdue(states: tuple[Clarification, ...], world: World) -> Iterator[Remedy]:
    """Find questions that were not answered in time."""
    now = world.now_ms
    for state in states:
        if not is_overdue(state, now):
            continue
        facts: tuple[Fact, ...] = (WentStale(at_ms=now),)
        if state.retries >= CLARIFY_RETRIES_MAX or state.status is ClarificationStatus.STALE:
            facts = (Escalated(at_ms=now, reason=Reason.STALE),)
        yield Remedy(clarification=state, facts=facts, reason=Reason.STALE)


def _asker_is_gone(state: Clarification, world: World) -> bool:
    """An agent that is done with the issue and was not blocked waits for nothing."""
    if state.blocking or (state.asker, world.number_of(state)) not in world.done:
        return False
    return is_overdue(state, world.now_ms)


# Order matters: what nobody wants is not escalated, and a circle is broken before its members
# are called stuck or late.
DETECTORS: tuple[Detector, ...] = (find_abandoned, find_deadlocked, find_stuck, overdue)
