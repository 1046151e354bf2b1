"""The sentences that tell a person what the observation memory is short of (specified)."""

from __future__ import annotations

from agentx.observations.limits import OBSERVATION_COUNT_ALERT, OBSERVATION_STORE_BYTES_ALERT
from agentx.observations.model import StoreStats

NOTHING_EXTRACTED = "No observations extracted from session (empty summary)"


def displacement(tokens: int) -> str:
    """Say what a recall saved."""
    return f"Memory recall displaced {tokens} tokens of manual re-read"


def capture_skipped(where: str) -> str:
    """Say that a lock did not come free."""
    return f"Memory capture skipped: lock timeout on {where}"


def alerts(stats: StoreStats) -> tuple[str, ...]:
    """Return what a person should know about the size of the store."""
    found = []
    if stats.bytes_on_disk > OBSERVATION_STORE_BYTES_ALERT:
        found.append("Memory store exceeds 40MB. Run `agentx memory compact` to reduce.")
    if stats.total_observations > OBSERVATION_COUNT_ALERT:
        found.append(
            f"Memory store has {stats.total_observations} observations. Consider compaction."
        )
    return tuple(found)
