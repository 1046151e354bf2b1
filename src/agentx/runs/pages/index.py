"""All runs at a glance: what `index.yaml` says of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agentx.kernel.clock import to_iso
from agentx.runs.model import Run, RunStatus


def entry(run: Run) -> dict[str, Any]:
    """Return the line of one run."""
    found: dict[str, Any] = {
        "run_id": run.id,
        "title": run.title,
        "status": str(run.status),
        "phase": str(run.phase),
        "created_at": to_iso(run.created_ms),
        "updated_at": to_iso(run.updated_ms),
    }
    if run.ended_ms is not None:
        found["completed_at"] = to_iso(run.ended_ms)
    return found


def archive_entry(run: Run, archive_path: str, at: str) -> dict[str, Any]:
    """Return the line of one run that is packed away; of a damaged archive, what is known."""
    known = entry(run) if run.started else {"run_id": run.id}
    return {**known, "archived_at": at, "archive_path": archive_path}


def index_of(
    entries: Iterable[Mapping[str, Any]], archived: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the index of some runs, newest first; a failed run is over, too."""
    active: list[Mapping[str, Any]] = []
    completed: list[Mapping[str, Any]] = []
    for each in sorted(entries, key=lambda found: str(found["run_id"]), reverse=True):
        over = each.get("status") in (RunStatus.COMPLETED, RunStatus.FAILED)
        (completed if over else active).append(each)
    gone = {str(each["run_id"]): each for each in archived}
    return {
        "runs": {
            "active": [dict(each) for each in active],
            "completed": [dict(each) for each in completed],
            "archived": [dict(gone[name]) for name in sorted(gone, reverse=True)],
        }
    }


def read_index(text: str) -> dict[str, Any]:
    """Return an index as `index_of` makes it; of any other text what it comes to is no such."""
    groups: dict[str, list[dict[str, str]]] = {}
    rows: list[dict[str, str]] = []
    for line in text.splitlines()[1:]:
        if line.startswith("  - "):
            rows.append({})
        if line.startswith(("    ", "  - ")):
            name, _, value = line[4:].partition(": ")
            if rows:
                rows[-1][name] = value[1:-1] if value.startswith("'") else value
        else:
            rows = groups[line.strip().partition(":")[0]] = []
    return {"runs": groups}


def entries_in(index: Mapping[str, Any] | None, group: str) -> list[dict[str, Any]]:
    """Return the lines of one group of an index that was read; what is none is stepped over."""
    runs = (index or {}).get("runs")
    found = runs.get(group) if isinstance(runs, dict) else None
    if not isinstance(found, list):
        return []
    return [
        each for each in found if isinstance(each, dict) and isinstance(each.get("run_id"), str)
    ]
