"""When to ask again, and after how long: pure rules.

A provider that is busy or broken may be well in a moment; one that refuses will refuse
again. Waits double and are never twice the same, so that many callers do not come back
at once. A provider that says when to come back is taken at its word.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from agentx.kernel.ids import Entropy
from agentx.llm import limits

_BUSY = frozenset({408, 409, 425, 429})
# What a gateway says that lost the model behind it; those from 520 on are of a common one.
_GATEWAY = frozenset({502, 504, *range(520, 528)})
_SOME_DAY_MS = 10**12


def is_temporary(status: int) -> bool:
    """Tell whether a fault may be gone at the next try."""
    return status in _BUSY or status >= 500


def is_unclear(status: int) -> bool:
    """Tell whether the model may have done its work although there is no answer."""
    return status in _GATEWAY


def backoff_ms(number: int, entropy: Entropy) -> int:
    """Return how long to wait after the n-th try, counted from 0: half of it by chance."""
    longest = min(limits.LLM_FIRST_WAIT_MS << number, limits.LLM_WAIT_MS_MAX)
    chance = int.from_bytes(entropy(2)) / 65_536
    return longest // 2 + math.ceil(longest / 2 * chance)


def read_wait_ms(headers: Mapping[str, str], now_ms: int) -> int | None:
    """Return how long a provider asks to be left alone, if it says so."""
    exact = _number(headers.get("retry-after-ms", ""))
    if exact is not None:
        return _limit(exact)
    said = headers.get("retry-after", "")
    seconds = _number(said)
    if seconds is not None:
        return _limit(seconds * 1000)
    try:
        moment = parsedate_to_datetime(said)
    except (ValueError, TypeError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return _limit(moment.timestamp() * 1000 - now_ms)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _limit(wait_ms: float) -> int:
    return math.ceil(min(max(wait_ms, 0), _SOME_DAY_MS))
