"""Versioned shapes: what was written by any known version becomes today's value.

A shape on disk says `{"version": n, ...}`. An upcaster lifts version n to n + 1;
they are chained, so each is written once and never touched again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agentx.kernel.errors import CorruptRecord, UnsupportedVersion

Shape = dict[str, Any]
Upcaster = Callable[[Shape], Shape]


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """The versions of one shape, and how to climb from each to the next."""

    name: str
    current: int
    upcasters: Mapping[int, Upcaster]

    def lift(self, shape: object) -> Shape:
        """Return the shape as today's version.

        Raises: CorruptRecord when it is no versioned shape, UnsupportedVersion when it is newer.
        """
        if not isinstance(shape, dict) or not isinstance(shape.get("version"), int):
            raise CorruptRecord(f"{self.name}: no version in the record")
        version: int = shape["version"]
        if version > self.current or version < 1:
            raise UnsupportedVersion(
                f"{self.name}: version {version} is not known here",
                hint="update AgentX to the version that wrote it",
            )
        lifted: Shape = shape
        while version < self.current:
            lifted = {**self.upcasters[version](lifted), "version": version + 1}
            version += 1
        return lifted
