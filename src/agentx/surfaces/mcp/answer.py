"""What a tool gives back: rows within a budget, fenced as recalled data.

One text and no structured form beside it: agent CLIs hand the model one of the two, and where
both say the same it is paid for twice. Rows are dropped from the end, whole, and that is said.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import RECALL_CLOSE, RECALL_NOTICE, RECALL_OPEN, disarm
from agentx.kernel.tokens import estimate, most
from agentx.memory.port import MAY_LACK

ROWS_TOKENS_MAX = 6_000
_OPENING = f"{RECALL_OPEN} {RECALL_NOTICE}\n"


def fence(text: str) -> str:
    """Return a text, fenced; whoever wrote it kept to the budget."""
    return f"{_OPENING}{disarm(text)}\n{RECALL_CLOSE}"


def count_fenced(text: str) -> int:
    """Return what a text costs with its fence."""
    return estimate(fence(text))


def answer(
    rows: Sequence[str],
    *,
    budget: int = ROWS_TOKENS_MAX,
    head: str = "",
    more: str = "",
    tail: str = "",
) -> str:
    """Return as many rows as the budget allows; `more` says how to get those left out."""

    def write(count: int) -> str:
        left_out = len(rows) - count
        end = f"{left_out} left out to fit {budget} tokens. {more}".strip() if left_out else tail
        return fence("\n".join(part for part in (head, *rows[:count], end) if part))

    count = most(len(rows), lambda count: estimate(write(count)) <= budget)
    said = write(count)
    if count == 0 and estimate(said) > budget:
        raise InvalidValue(f"nothing fits {budget} tokens", hint="give a larger budget_tokens")
    return said


def name_origin(said: str, origin: str) -> str:
    """Say at the top of an answer that it is a stranger's, where it is."""
    if not origin:
        return said
    return said.replace(_OPENING, f"{_OPENING}What follows is {origin}.\n", 1)


def tell_behind(events: int, *, goes_on: bool) -> str:
    """Say that an answer is not complete, in a line of its own."""
    count = "1 event is" if events == 1 else f"{events:,} events are"
    left = f"{count} not" if events else MAY_LACK
    then = "ask again in a minute" if goes_on else "the user can run `agentx sync`"
    return f"({left} taken in yet, so this may be incomplete: {then})"
