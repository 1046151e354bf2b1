"""What was asked for and given up with the next prompt."""

from __future__ import annotations

from collections.abc import Sequence

from agentx.exchanges.exchange import Exchange
from agentx.kernel.text import without_recall
from agentx.prose.settling.rulings import ends_attempt


def was_given_up(found: Sequence[Exchange], number: int) -> bool:
    """Tell whether what the user asked for was given up with the next prompt."""
    later = found[number + 1].prompt if number + 1 < len(found) else None
    return later is not None and ends_attempt(without_recall(later.text))
