"""What one look over all ledgers finds."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentx.clarification.model import Clarification, Ledger
from agentx.clarification.store.files.stamps import Stamp
from agentx.kernel.ids import parse_clarification_id
from agentx.kernel.values import frozen


@frozen
class Survey:
    """Every active clarification, what was decided lately, and ledgers that could not be read."""

    active: tuple[Clarification, ...]
    decided: tuple[Clarification, ...] = ()  # by others than the asker
    damaged: tuple[str, ...] = ()
    closed: tuple[int, ...] = ()  # issues whose ledger cannot be read: nobody knows what waits
    behind: tuple[int, ...] = ()  # issues whose view does not say yet what the events do
    missing: tuple[str, ...] = ()  # questions of which git took lines out of the files

    def hides(self, clarification_id: str | None) -> bool:
        """Tell whether a question cannot be read: nobody knows what became of it."""
        if not clarification_id:
            return False
        issue = parse_clarification_id(clarification_id)[1]
        return issue in self.closed or any(f" {clarification_id}:" in one for one in self.damaged)


@dataclass(slots=True)
class SeenLedgers:
    """What was read of ledgers, by what changes when they do; several may look into it."""

    active: dict[Stamp, Ledger] = field(default_factory=dict)
