"""What an ISO week brought: issues, agents, clarifications."""

from __future__ import annotations

import re

from agentx.clarification.watch.metrics import Metrics, digest_lines
from agentx.kernel.errors import InvalidValue
from agentx.kernel.periods import Level, Period, end_ms, period_at, start_ms, week_period
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.project.zone import project_zone
from agentx.wiring.clarifications import clarification_metrics
from agentx.wiring.work import issue_store, open_agents, view
from agentx.work.digest import week_of
from agentx.work.model import AgentStatus, IssueView

_WEEK = compile_late(r"(\d{4})-?W(\d{1,2})", re.IGNORECASE)


@frozen
class DigestReply:
    """What a week brought."""

    week: str
    first_day: str
    last_day: str
    done: tuple[IssueView, ...]
    given_up: tuple[IssueView, ...]
    opened: tuple[IssueView, ...]
    going_on: tuple[IssueView, ...]
    agents: tuple[AgentStatus, ...]
    clarifications: Metrics
    clarification_lines: tuple[str, ...]


def digest(project: Project, week: str = "") -> DigestReply:
    """Return what a week brought: this one, unless another is named.

    Raises: InvalidValue for a week that cannot be.
    """
    zone = project_zone(project)
    period = _name_period(week) if week else period_at(project.clock.now_ms(), zone, Level.WEEK)
    first, after = start_ms(period, zone), end_ms(period, zone)
    found = week_of(issue_store(project).all(), start_ms=first, end_ms=after)
    metrics = clarification_metrics(project, start_ms=first, end_ms=after)
    year, number, _ = period.first.isocalendar()
    return DigestReply(
        week=f"{year}-W{number:02}",
        first_day=period.first.isoformat(),
        last_day=period.last.isoformat(),
        done=tuple(map(view, found.done)),
        given_up=tuple(map(view, found.given_up)),
        opened=tuple(map(view, found.opened)),
        going_on=tuple(map(view, found.going_on)),
        agents=tuple(
            status
            for status in open_agents(project).all()
            if status.last_activity_ms is not None and first <= status.last_activity_ms < after
        ),
        clarifications=metrics,
        clarification_lines=digest_lines(metrics),
    )


def _name_period(text: str) -> Period:
    found = _WEEK.fullmatch(text.strip())
    if found is None:
        raise InvalidValue(f"{text[:40]!r} is not a week", hint="such as 2026-W46")
    return week_period(int(found[1]), int(found[2]))
