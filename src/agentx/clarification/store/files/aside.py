"""Ledgers that an earlier version took for none, and moved aside for somebody to mend."""

from __future__ import annotations

import re
from pathlib import Path

from agentx.host.files.plain import list_folder, read_bytes
from agentx.kernel.paths import ProjectPaths

_MARK = ".json.corrupt-"


def list_aside(paths: ProjectPaths, name: str = "issue-") -> tuple[Path, ...]:
    """Return what was moved aside, of the ledgers whose file begins with a name."""
    names = list_folder(paths.ledgers).files
    return tuple(paths.ledgers / each for each in names if each.startswith(name) and _MARK in each)


def find_highest_aside(paths: ProjectPaths, issue: int) -> int:
    """Return the highest number in what was moved aside of an issue, however damaged it is."""
    spelled = re.compile(rf"CLR-{issue}-([0-9]{{3,9}})\b".encode())
    aside = list_aside(paths, f"issue-{issue}{_MARK}")
    given = (int(number) for path in aside for number in spelled.findall(read_bytes(path)))
    return max(given, default=0)
