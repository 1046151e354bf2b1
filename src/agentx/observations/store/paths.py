"""Every path in the folder of the observations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agentx.kernel.paths import counted


@dataclass(frozen=True, slots=True)
class ObservationPaths:
    """What lies in the folder of the observations."""

    root: Path

    @property
    def manifest(self) -> Path:
        """A line for every observation."""
        return self.root / "manifest.json"

    def issue(self, number: int) -> Path:
        """The observations of one issue."""
        return self.root / f"issue-{counted(number)}.json"

    @property
    def archive(self) -> Path:
        """The originals of observations that were merged."""
        return self.root / "archive"

    def archived(self, number: int) -> Path:
        """The originals of one issue."""
        return self.archive / f"issue-{counted(number)}-archived.json"

    @property
    def pending(self) -> Path:
        """What was stored and is not in the files yet."""
        return self.root / "pending.jsonl"

    @property
    def database(self) -> Path:
        """All of them, for those who keep them in SQLite."""
        return self.root / "observations.db"

    def replaced(self, mark: str) -> Path:
        """Where a migration puts what it has replaced."""
        return self.root / f"replaced-{mark}"
