"""What may be spent on models today, and what was.

Every process of a project reserves in the same ledger, so the caps hold for all of them
together. A reservation is on disk before the request leaves. Days begin and end in the
project's time zone; a call belongs to the day on which it was reserved.
"""

from __future__ import annotations

import math
from contextlib import suppress
from datetime import date, tzinfo
from pathlib import Path

from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError, BudgetExceeded, ModelUnavailable
from agentx.kernel.ids import Entropy, mint
from agentx.kernel.periods import local_day
from agentx.kernel.values import frozen
from agentx.llm import ledger as rules
from agentx.llm.ledger import Caps, OpenCost, SpendingLedger, Tally
from agentx.llm.port import Usage
from agentx.llm.prices import Price, price_of
from agentx.llm.settings import LlmSettings, model_name
from agentx.llm.store.ledger_file import SpendingStore

_USD_MAX = 1_000_000.0


@frozen
class DaySpent:
    """What models cost on one day. Calls in flight count in full."""

    day: date
    total: Tally
    models: tuple[tuple[str, Tally], ...]
    closed: str = ""  # why nothing more may be spent on it


class Spending:
    """The purse of one project store."""

    def __init__(
        self,
        store: SpendingStore,
        *,
        caps: Caps,
        zone: tzinfo,
        clock: Clock,
        entropy: Entropy,
        price: Price | None = None,
    ) -> None:
        self.caps = caps
        self._store = store
        self._zone = zone
        self._clock = clock
        self._entropy = entropy
        self._price = price  # for every model, instead of the table

    def reserve(self, model: str, most: Usage) -> OpenReservation:
        """Set aside the most that a call can use.

        Raises: BudgetExceeded, ModelUnavailable when the ledger cannot be changed.
        """
        now_ms = self._clock.now_ms()
        price = self._price or price_of(model)
        held = OpenCost(
            id=mint(now_ms, self._entropy),
            day=local_day(now_ms, self._zone),
            at_ms=now_ms,
            model=model,
            most=rules.tally(most, price.price_micro_usd(most), settled=False),
        )

        def rule(ledger: SpendingLedger) -> SpendingLedger:
            return rules.reserve(rules.tidy(ledger, now_ms, held.day), held, self.caps)

        try:
            self._store.change(held.day, rule)
        except BudgetExceeded:
            raise
        except AgentXError as error:
            raise ModelUnavailable(
                f"{model}: what was spent cannot be told: {error.message}", hint=error.hint
            ) from error
        return OpenReservation(self._store, held, price)

    def price(self, model: str, usage: Usage) -> int:
        """Return what a usage of a model costs, in micro-dollars."""
        return (self._price or price_of(model)).price_micro_usd(usage)

    def sum_today(self) -> DaySpent:
        """Return what models cost today.

        Raises: LockHeld, UnsupportedVersion, UnavailableError.
        """
        today = self._today()
        return _day_spent(self._store.read(today), today)

    def _today(self) -> date:
        return local_day(self._clock.now_ms(), self._zone)


class OpenReservation:
    """What is set aside for one call."""

    def __init__(self, store: SpendingStore, held: OpenCost, price: Price) -> None:
        self._store = store
        self._held = held
        self._price = price

    def settle(self, used: Usage) -> None:
        """Count what was really used."""
        cost = rules.tally(used, self._price.price_micro_usd(used), settled=True)
        self._change_to(cost)

    def release(self) -> None:
        """Count nothing: the request never reached the model."""
        self._change_to(None)

    def _change_to(self, cost: Tally | None) -> None:
        held = self._held

        def rule(ledger: SpendingLedger) -> SpendingLedger:
            if cost is None:
                return rules.release(ledger, held.id)
            return rules.settle(ledger, held.id, cost)

        # The answer is there and must not be lost to a ledger that is busy: what stays open
        # counts in full, which keeps the cap.
        with suppress(AgentXError):
            self._store.change(held.day, rule)


def _day_spent(ledger: SpendingLedger, day: date) -> DaySpent:
    models = rules.by_model(ledger, day)
    return DaySpent(
        day=day,
        total=rules.sum_spent(ledger, day),
        models=tuple(sorted(models.items())),
        closed=ledger.closed.get(day, ""),
    )


# --- from the settings ----------------------------------------------------------------------


def spending_for(
    settings: LlmSettings, ledger: Path, zone: tzinfo, clock: Clock, entropy: Entropy
) -> Spending:
    """Return the purse of a store, with the caps and prices of the settings."""
    return Spending(
        SpendingStore(ledger, clock),
        caps=Caps(
            tokens=max(settings.daily_tokens_max, 0),
            micro_usd=_micro(settings.daily_usd_max),
        ),
        zone=zone,
        clock=clock,
        entropy=entropy,
        price=_own_price(settings),
    )


def _own_price(settings: LlmSettings) -> Price | None:
    given = settings.input_usd_per_million, settings.output_usd_per_million
    if not any(map(_is_price, given)):
        return None
    table = price_of(model_name(settings))
    known = table.input_usd, table.output_usd
    return Price(
        *(own if _is_price(own) else usual for own, usual in zip(given, known, strict=True))
    )


def _is_price(usd: float) -> bool:
    return 0 <= usd < math.inf


def _micro(usd: float) -> int:
    """Return an amount in micro-dollars; TOML knows infinite numbers and numbers that are none."""
    return int(min(usd, _USD_MAX) * 1_000_000) if usd > 0 else 0
