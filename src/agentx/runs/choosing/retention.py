"""How long a run stays: in progress always, completed 30 days, failed 7 days."""

from __future__ import annotations

from agentx.runs.limits import RUN_COMPLETED_DAYS, RUN_FAILED_DAYS
from agentx.runs.model import Run, RunStatus

DAY_MS = 24 * 60 * 60 * 1000
_DAYS = {RunStatus.COMPLETED: RUN_COMPLETED_DAYS, RunStatus.FAILED: RUN_FAILED_DAYS}


def due_ms(run: Run) -> int | None:
    """Return when a run may be packed away; None while it goes on, as far as is known here."""
    days = _DAYS.get(run.outcome)
    if days is None or run.doubted_end is not None:  # who ended it may not be believed
        return None
    ended_ms = run.ended_ms if run.ended_ms is not None else run.updated_ms
    return ended_ms + days * DAY_MS


def is_due(run: Run, now_ms: int) -> bool:
    """Tell whether a run has stayed long enough."""
    at_ms = due_ms(run)
    return at_ms is not None and now_ms >= at_ms
