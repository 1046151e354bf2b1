"""What a stretch of time brought, told from the issues as they are now."""

from __future__ import annotations

from collections.abc import Iterable

from agentx.kernel.values import frozen
from agentx.work.model import Issue, Status


@frozen
class Week:
    """The issues of a week, sorted by what became of them."""

    done: tuple[Issue, ...]
    given_up: tuple[Issue, ...]  # closed without being done
    opened: tuple[Issue, ...]
    going_on: tuple[Issue, ...]  # begun and not done, and touched in that time


_BEGUN = frozenset({Status.IN_PROGRESS, Status.IN_REVIEW, Status.VALIDATING})


def week_of(issues: Iterable[Issue], *, start_ms: int, end_ms: int) -> Week:
    """Sort issues by what became of them from `start_ms` up to but not at `end_ms`."""
    known = tuple(issues)
    touched = [issue for issue in known if start_ms <= issue.updated_ms < end_ms]
    closed = [issue for issue in touched if not issue.is_open]
    return Week(
        done=tuple(issue for issue in closed if issue.status is Status.DONE),
        given_up=tuple(issue for issue in closed if issue.status is not Status.DONE),
        opened=tuple(issue for issue in known if start_ms <= issue.created_ms < end_ms),
        going_on=tuple(issue for issue in touched if issue.is_open and issue.status in _BEGUN),
    )
