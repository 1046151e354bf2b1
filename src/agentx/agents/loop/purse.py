"""What one sitting may spend, over what the day allows.

Law: what is counted and what is still open never exceed the sitting's bounds, as long as no
call uses more than was reserved for it. What was never settled counts in full.
"""

from __future__ import annotations

from collections.abc import Callable

from agentx.agents.loop.model import SittingBounds
from agentx.kernel.errors import BudgetExceeded
from agentx.llm.port import Allowance, Reservation, Usage

Price = Callable[[str, Usage], int]  # micro-dollars


class SittingSpent(BudgetExceeded):
    """The sitting may spend no more; the day might."""

    def __init__(self, message: str, *, is_money: bool) -> None:
        super().__init__(message)
        self.is_money = is_money


class Purse:
    """The allowance of one sitting."""

    def __init__(self, day: Allowance, price: Price, bounds: SittingBounds) -> None:
        self._day = day
        self._price = price
        self._bounds = bounds
        self.tokens = 0
        self.micro_usd = 0

    def reserve(self, model: str, most: Usage) -> Reservation:
        """Set aside the most that a request can use.

        Raises: SittingSpent, BudgetExceeded for the day, ModelUnavailable.
        """
        cost = self._price(model, most)
        if self.tokens + most.tokens > self._bounds.tokens:
            raise SittingSpent(
                f"{self.tokens:,} of {self._bounds.tokens:,} tokens are used, "
                f"and the next reply may take {most.tokens:,}",
                is_money=False,
            )
        if self.micro_usd + cost > self._bounds.micro_usd:
            raise SittingSpent(
                f"${self.micro_usd / 1e6:.4f} of ${self._bounds.micro_usd / 1e6:g} is spent, "
                f"and the next reply may cost ${cost / 1e6:.4f}",
                is_money=True,
            )
        held = self._day.reserve(model, most)
        self.tokens += most.tokens
        self.micro_usd += cost
        return _PurseHeld(self, held, model, most)

    def price(self, model: str, usage: Usage) -> int:
        """Return what a usage costs, in micro-dollars."""
        return self._price(model, usage)


class _PurseHeld:
    """What is set aside for one request, of the sitting and of the day."""

    def __init__(self, purse: Purse, held: Reservation, model: str, most: Usage) -> None:
        self._purse = purse
        self._held = held
        self._model = model
        self._most = most

    def settle(self, used: Usage) -> None:
        """Count what was really used."""
        self._held.settle(used)
        self._correct(used)

    def release(self) -> None:
        """Count nothing."""
        self._held.release()
        self._correct(None)

    def _correct(self, used: Usage | None) -> None:
        purse, most = self._purse, self._most
        purse.tokens += (used.tokens if used else 0) - most.tokens
        cost = purse.price(self._model, used) if used else 0
        purse.micro_usd += cost - purse.price(self._model, most)
