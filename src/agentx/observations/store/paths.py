"""Every path in the folder of the observations."""

from __future__ import annotations

from pathlib import Path

from agentx.kernel.paths import Below, check_number
from agentx.kernel.values import frozen


@frozen(kw_only=False)
class ObservationPaths:
    """What lies in the folder of the observations."""

    root: Path

    manifest = Below("manifest.json")  # a line for every observation
    archive = Below("archive")  # the originals of observations that were merged
    pending = Below("pending.jsonl")  # what was stored and is not in the files yet
    dropped = Below("dropped.json")  # what a person dropped, as traces
    database = Below("observations.db")  # all of them, for those who keep them in SQLite

    def issue(self, number: int) -> Path:
        """The observations of one issue."""
        return self.root / f"issue-{check_number(number)}.json"

    def archive_of(self, number: int) -> Path:
        """The originals of one issue."""
        return self.archive / f"issue-{check_number(number)}-archived.json"

    def replacement(self, mark: str) -> Path:
        """Where a migration puts what it has replaced."""
        return self.root / f"replaced-{mark}"
