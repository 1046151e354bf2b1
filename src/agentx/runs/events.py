"""What runs tell the rest of the house."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecorded:
    """Events were added to a run; they are on disk."""

    run_id: str
    kinds: tuple[str, ...]
    actor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """A run was completed or given up."""

    run_id: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRepaired:
    """Files of a run were damaged or edited, and were put right."""

    run_id: str
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunArchived:
    """A run was packed away."""

    run: str
    archive: str
