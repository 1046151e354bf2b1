"""Every path in the folder of an index."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agentx.kernel.paths import counted


@dataclass(frozen=True, slots=True)
class IndexPaths:
    """The folder of an index: generations side by side, one of which answers."""

    root: Path

    @property
    def current(self) -> Path:
        """The name of the generation that answers."""
        return self.root / "current"

    @property
    def writer_lock(self) -> Path:
        """Held by the one process that may write."""
        return self.root / "writer.lock"

    def generation(self, number: int) -> GenerationPaths:
        """One generation."""
        return GenerationPaths(self.root / f"g-{counted(number):04}")


@dataclass(frozen=True, slots=True)
class GenerationPaths:
    """One generation of an index."""

    root: Path

    @property
    def version(self) -> Path:
        """Which format the generation has."""
        return self.root / "version.json"

    @property
    def mark(self) -> Path:
        """How far its owner had come at the last commit."""
        return self.root / "mark.json"

    @property
    def passages(self) -> Path:
        """Documents, in passages."""
        return self.root / "passages"

    @property
    def windows(self) -> Path:
        """Stretches of sessions."""
        return self.root / "windows"

    @property
    def chapters(self) -> Path:
        """Chapters of sessions."""
        return self.root / "chapters"
