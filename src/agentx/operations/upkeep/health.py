"""How things stand: what `doctor` says of each thing it looks at."""

from __future__ import annotations

from enum import StrEnum

from agentx.kernel.values import frozen

CONTESTED = "contested"  # the name of a check


class Health(StrEnum):
    """How one thing stands."""

    GOOD = "good"
    NOTE = "note"  # worth knowing
    WRONG = "wrong"


@frozen
class HealthCheck:
    """One thing looked at."""

    name: str
    health: Health
    says: str
    mend: str = ""


@frozen
class Diagnosis:
    """Everything looked at."""

    checks: tuple[HealthCheck, ...]
    fixed: tuple[str, ...] = ()

    @property
    def is_well(self) -> bool:
        """Say whether nothing is wrong."""
        return all(check.health is not Health.WRONG for check in self.checks)

    @property
    def has_contested(self) -> bool:
        """Say whether somebody says otherwise than what was answered."""
        return any(check.name == CONTESTED for check in self.checks)

    @property
    def has_waiting(self) -> bool:
        """Say whether something lies in a spool, for whatever reason."""
        return any(
            check.name == "spool" and check.health is not Health.GOOD for check in self.checks
        )
