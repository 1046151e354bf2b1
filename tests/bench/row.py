"""One measurement and its budget."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """What was measured; a budget is `at_most` or `at_least`, or none."""

    name: str
    value: float
    unit: str
    at_most: float | None = None
    at_least: float | None = None

    @property
    def budget(self) -> str:
        """Return the budget in words."""
        if self.at_most is not None:
            return f"<= {self.at_most:,g}"
        return f">= {self.at_least:,g}" if self.at_least is not None else "-"

    @property
    def holds(self) -> bool:
        """Tell whether the budget holds."""
        if self.at_most is not None:
            return self.value <= self.at_most
        return self.at_least is None or self.value >= self.at_least
