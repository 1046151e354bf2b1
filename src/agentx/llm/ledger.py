"""What was spent on models, day by day, and whether one more call fits: pure rules.

    reserved --settled--> counted as used
        |`----released--> not counted
        `-----abandoned-> counted in full       (the process died; found by its age)

Law: the sum of what a day counted and what it still has open never exceeds the caps, as
long as no call uses more than was reserved for it. An open reservation counts in full from
the moment it is made, so neither a crash nor a concurrent caller can slip in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from datetime import date, timedelta
from typing import Annotated

import msgspec

from agentx.kernel.clock import Millis
from agentx.kernel.errors import BudgetExceeded
from agentx.kernel.values import frozen
from agentx.llm import limits
from agentx.llm.port import Usage

Count = Annotated[int, msgspec.Meta(ge=0)]


@frozen
class Caps:
    """The most that a day may cost. Both hold; nothing means that nothing may be spent."""

    tokens: int
    micro_usd: int


@frozen
class Tally:
    """Calls added up. `unsettled` of them are counted in full: in flight, or lost."""

    calls: Count = 0
    input_tokens: Count = 0
    output_tokens: Count = 0
    micro_usd: Count = 0
    unsettled: Count = 0

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.input_tokens + self.output_tokens

    @property
    def usd(self) -> float:
        """The money, in US dollars."""
        return self.micro_usd / 1_000_000

    def __add__(self, other: Tally) -> Tally:
        """Return both together."""
        return Tally(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            micro_usd=self.micro_usd + other.micro_usd,
            unsettled=self.unsettled + other.unsettled,
        )


@frozen
class OpenCost:
    """A reservation: the most that one call can cost."""

    id: str
    day: date
    at_ms: int
    model: str
    most: Tally


@frozen
class SpendingLedger:
    """What each model cost on each day, what is still open, and days on which nothing may be.

    A day is closed, with the reason, when it can no longer be told what it cost.
    """

    days: Mapping[date, Mapping[str, Tally]] = field(default_factory=dict)
    open: Mapping[str, OpenCost] = field(default_factory=dict)
    closed: Mapping[date, str] = field(default_factory=dict)


def tally(usage: Usage, micro_usd: int, *, settled: bool) -> Tally:
    """Return one call."""
    return Tally(
        calls=1,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        micro_usd=micro_usd,
        unsettled=0 if settled else 1,
    )


def by_model(ledger: SpendingLedger, day: date) -> dict[str, Tally]:
    """Return what each model cost on a day, what is open in full."""
    found = dict(ledger.days.get(day, {}))
    for held in ledger.open.values():
        if held.day == day:
            found[held.model] = found.get(held.model, Tally()) + held.most
    return found


def sum_spent(ledger: SpendingLedger, day: date) -> Tally:
    """Return what a day cost, what is open in full."""
    return sum(by_model(ledger, day).values(), Tally())


def reserve(ledger: SpendingLedger, held: OpenCost, caps: Caps) -> SpendingLedger:
    """Return the ledger with one more reservation.

    Raises: BudgetExceeded when it does not fit into its day.
    """
    if held.day in ledger.closed:
        raise BudgetExceeded(
            f"no more models on {held.day}: {ledger.closed[held.day]}",
            hint="tomorrow they are asked again",
        )
    already = sum_spent(ledger, held.day)
    if already.tokens + held.most.tokens > caps.tokens:
        raise BudgetExceeded(
            f"{already.tokens:,} of {caps.tokens:,} tokens are spent on {held.day}: "
            f"{held.most.tokens:,} more do not fit",
            hint="raise llm.daily_tokens_max, or wait until tomorrow",
        )
    if already.micro_usd + held.most.micro_usd > caps.micro_usd:
        raise BudgetExceeded(
            f"${already.usd:.2f} of ${caps.micro_usd / 1_000_000:.2f} are spent on {held.day}: "
            f"${held.most.usd:.2f} more do not fit",
            hint="raise llm.daily_usd_max or wait until tomorrow; if the model costs less, set "
            "llm.input_usd_per_million and llm.output_usd_per_million",
        )
    return replace(ledger, open={**ledger.open, held.id: held})


def settle(ledger: SpendingLedger, held_id: str, used: Tally) -> SpendingLedger:
    """Return the ledger with a reservation replaced by what was used, on the day it was made.

    One that is no longer open was abandoned and is counted in full already.
    """
    held = ledger.open.get(held_id)
    return ledger if held is None else _count(ledger, held, used)


def release(ledger: SpendingLedger, held_id: str) -> SpendingLedger:
    """Return the ledger without a reservation."""
    kept = {known: held for known, held in ledger.open.items() if known != held_id}
    return replace(ledger, open=kept)


def tidy(ledger: SpendingLedger, now_ms: Millis, today: date) -> SpendingLedger:
    """Return the ledger with abandoned reservations counted in full, without very old days."""
    for held in tuple(ledger.open.values()):
        if abs(now_ms - held.at_ms) > limits.LLM_RESERVATION_MS_MAX:
            ledger = _count(ledger, held, held.most)
    first = today - timedelta(days=limits.LEDGER_DAYS_MAX)
    if any(day < first for day in _all_days(ledger)):
        days = {day: models for day, models in ledger.days.items() if day >= first}
        closed = {day: why for day, why in ledger.closed.items() if day >= first}
        ledger = replace(ledger, days=days, closed=closed)
    return ledger


def _count(ledger: SpendingLedger, held: OpenCost, cost: Tally) -> SpendingLedger:
    models = dict(ledger.days.get(held.day, {}))
    models[held.model] = models.get(held.model, Tally()) + cost
    return replace(release(ledger, held.id), days={**ledger.days, held.day: models})


def _all_days(ledger: SpendingLedger) -> Iterable[date]:
    return (*ledger.days, *ledger.closed)
