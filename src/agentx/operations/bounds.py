"""What agents may take where they work by themselves: one rule, for runs and workflows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Protocol

from agentx.kernel.clock import MINUTE_MS

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_MICRO = 1_000_000


class Bounded(Protocol):
    """Minutes of a sitting; tokens and dollars of the whole."""

    @property
    def minutes(self) -> int:
        """How long a sitting may take."""

    @property
    def tokens(self) -> int:
        """How many may be used."""

    @property
    def usd(self) -> float:
        """How many dollars may be spent."""


def find_bound(bounds: Bounded, took_ms: int, tokens: int, micro_usd: int) -> str:
    """Return at which bound work is, with what takes it on; empty where there is room."""
    if took_ms >= bounds.minutes * MINUTE_MS:
        return f"{bounds.minutes} minutes are over"
    if tokens >= bounds.tokens:
        return f"{tokens:,} of {bounds.tokens:,} tokens are used (--tokens allows more)"
    if micro_usd >= bounds.usd * _MICRO:
        return f"{micro_usd / _MICRO:.2f} of {bounds.usd:.2f} dollars are spent (--usd allows more)"
    return ""


def say_bounds(bounds: DataclassInstance, usual: DataclassInstance) -> Iterator[tuple[str, str]]:
    """Yield the options that a person gave: whoever goes on is bound by the same."""
    for field in fields(bounds):
        value = getattr(bounds, field.name)
        if value != getattr(usual, field.name):
            yield f"--{field.name.replace('_', '-')}", f"{value:.12g}"
