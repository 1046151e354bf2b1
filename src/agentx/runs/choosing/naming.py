"""The names of what is new in a run."""

from __future__ import annotations

from collections.abc import Iterable

from agentx.runs.store.run_store import OpenRun


def next_name(taken: Iterable[str], prefix: str) -> str:
    """Return the next free number for a task or a lane; what stands behind a number is passed."""
    numbers = (
        name.removeprefix(prefix).partition("-")[0] for name in taken if name.startswith(prefix)
    )
    return f"{prefix}{max((int(each) for each in numbers if each.isdigit()), default=0) + 1:03}"


def name_lane(desk: OpenRun, wanted: str = "") -> str:
    """Return the name of a new lane: it carries its writer, so no two clones share a branch."""
    plain = wanted or next_name(desk.run.lanes, "lane-")
    return plain if plain.endswith(f"-{desk.writer}") else f"{plain}-{desk.writer}"
