"""How well agents settle things among themselves, over a stretch of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from agentx.clarification.model import Clarification, ClarificationStatus, EntryType, Reason
from agentx.kernel.text import fold_text, preview
from agentx.kernel.values import frozen

_TOPICS = 5


@frozen
class Metrics:
    """The figures of a period. Rates are of what was settled or escalated; None without any."""

    total: int = 0
    resolved: int = 0
    escalated: int = 0
    abandoned: int = 0
    open: int = 0
    stale: int = 0
    deadlocked: int = 0
    average_rounds: float | None = None
    auto_resolution_rate: float | None = None
    escalation_rate: float | None = None
    topics: tuple[tuple[str, int], ...] = ()


def metrics(states: Iterable[Clarification], *, start_ms: int, end_ms: int) -> Metrics:
    """Count what was asked from `start_ms` up to but not at `end_ms`."""
    asked = [state for state in states if start_ms <= state.created_ms < end_ms]
    if not asked:
        return Metrics()
    escalated = [state for state in asked if state.entries(EntryType.ESCALATION)]
    resolved = [state for state in asked if state.status is ClarificationStatus.RESOLVED]
    alone = [state for state in resolved if not state.entries(EntryType.ESCALATION)]
    settled = len(alone) + len(escalated)
    topics = Counter(fold_text(state.topic).casefold() for state in asked)
    return Metrics(
        total=len(asked),
        resolved=len(resolved),
        escalated=len(escalated),
        abandoned=sum(state.status is ClarificationStatus.ABANDONED for state in asked),
        open=sum(state.is_active for state in asked),
        stale=sum(state.went_stale > 0 for state in asked),
        deadlocked=sum(state.reason is Reason.DEADLOCK for state in asked),
        average_rounds=sum(state.round for state in asked) / len(asked),
        auto_resolution_rate=len(alone) / settled if settled else None,
        escalation_rate=len(escalated) / settled if settled else None,
        topics=tuple(sorted(topics.items(), key=lambda item: (-item[1], item[0]))[:_TOPICS]),
    )


def digest_lines(found: Metrics) -> tuple[str, ...]:
    """Return the figures as a digest shows them."""
    if not found.total:
        return ("No clarifications.",)
    ends = f"{found.resolved} resolved, {found.escalated} escalated, {found.abandoned} abandoned"
    lines = [
        f"Clarifications: {found.total} asked, {ends}, {found.open} open",
        f"Average rounds: {found.average_rounds:.1f} (target 2-3)",
        f"Auto-resolution rate: {_rate(found.auto_resolution_rate)} (target over 80%)",
        f"Escalation rate: {_rate(found.escalation_rate)} (target under 20%)",
        f"Stale: {found.stale} (target 0), deadlocks: {found.deadlocked} (target 0)",
    ]
    if found.topics:
        named = ", ".join(f"{preview(topic, 60)} ({count})" for topic, count in found.topics)
        lines.append(f"Most common topics: {named}")
    return tuple(lines)


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"
