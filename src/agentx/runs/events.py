"""What runs tell the rest of the house."""

from __future__ import annotations

from agentx.kernel.values import frozen


@frozen
class RunRecorded:
    """Events were added to a run; they are on disk."""

    run_id: str
    kinds: tuple[str, ...]
    actor: str


@frozen
class RunEnded:
    """A run was completed or given up."""

    run_id: str
    status: str


@frozen
class RunRepaired:
    """Files of a run were damaged or edited, and were put right."""

    run_id: str
    remarks: tuple[str, ...]


@frozen
class RunArchived:
    """A run was packed away."""

    run: str
    archive: str
