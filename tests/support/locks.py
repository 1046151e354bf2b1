"""Locks that others hold, laid by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

NOW_TEXT = "2026-03-02T10:00:00.000Z"


def list_names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def lay_foreign(path: Path, **fields: object) -> None:
    """Leave a lock as another tool would."""
    record = {"pid": 1, "timestamp": NOW_TEXT, "agent": "another tool", **fields}
    path.with_name(path.name + ".lock").write_text(json.dumps(record), encoding="utf-8")


def find_dead_pid() -> int:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait(timeout=60)
    return child.pid
