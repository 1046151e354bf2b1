"""Every path in the folder of an index."""

from __future__ import annotations

from pathlib import Path

from agentx.kernel.paths import Below, check_number
from agentx.kernel.values import frozen


@frozen(kw_only=False)
class IndexPaths:
    """The folder of an index: generations side by side, one of which answers."""

    root: Path

    current = Below("current")  # the name of the generation that answers
    writer_lock = Below("writer.lock")  # held by the one process that may write

    def generation(self, number: int) -> GenerationPaths:
        """One generation."""
        return GenerationPaths(self.root / f"g-{check_number(number):04}")


@frozen(kw_only=False)
class GenerationPaths:
    """One generation of an index."""

    root: Path

    version = Below("version.json")  # which format the generation has
    mark = Below("mark.json")  # how far its owner had come at the last commit
    passages = Below("passages")  # what was said, in passages
    kept = Below("kept")  # what other rooms keep, in passages
    windows = Below("windows")  # stretches of sessions
    chapters = Below("chapters")  # chapters of sessions

    def scales(self) -> tuple[Path, ...]:
        """Return the folders of the engine, in the order in which they are opened."""
        return self.passages, self.windows, self.chapters, self.kept
