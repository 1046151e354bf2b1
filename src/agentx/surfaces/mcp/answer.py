"""What a tool gives back: rows within a budget, fenced as recalled data, in two forms.

People's clients show the text; some hand the model the structured form instead. Both say
the same, both are fenced, so that neither is taken for instruction nor captured again,
and neither is over the budget. Rows are dropped from the end, whole, and that is said.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from mcp.types import CallToolResult, TextContent

from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import RECALL_CLOSE, RECALL_NOTICE, RECALL_OPEN, disarm
from agentx.kernel.tokens import estimate, most
from agentx.kernel.values import frozen

NOTICE = RECALL_NOTICE


@frozen(kw_only=False)
class Row:
    """One thing, as text and as data."""

    text: str
    data: object


def fence(text: str) -> CallToolResult:
    """Return a text, fenced; whoever wrote it kept to the budget."""
    return CallToolResult(content=[TextContent(type="text", text=_fence(text))])


def count_fenced(text: str) -> int:
    """Return what a text costs with its fence."""
    return estimate(_fence(text))


def answer(
    rows: Sequence[Row], *, budget: int, head: str = "", more: str = "", **facts: object
) -> CallToolResult:
    """Return as many rows as the budget allows; `more` says how to get those left out."""

    def write(count: int) -> tuple[str, dict[str, Any]]:
        left_out = len(rows) - count
        tail = f"{left_out} left out to fit {budget} tokens. {more}".strip() if left_out else ""
        kept = rows[:count]
        lines = [part for part in (head, *(row.text for row in kept), tail) if part]
        data = {
            "recalled": f"{RECALL_OPEN} {NOTICE}",
            **{name: plain(value) for name, value in facts.items()},
            "rows": [plain(row.data) for row in kept],
            **({"left_out": tail} if tail else {}),
            "end": RECALL_CLOSE,
        }
        return _fence("\n".join(lines)), data

    def fits(count: int) -> bool:
        text, data = write(count)
        return estimate(text) <= budget and estimate(json.dumps(data, ensure_ascii=False)) <= budget

    count = most(len(rows), fits)
    if count == 0 and not fits(0):
        raise InvalidValue(f"nothing fits {budget} tokens", hint="give a larger budget_tokens")
    text, data = write(count)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data)


def _fence(text: str) -> str:
    return f"{RECALL_OPEN} {NOTICE}\n{disarm(text)}\n{RECALL_CLOSE}"


def plain(value: object) -> Any:
    """Return a value as JSON holds it, without what is empty: empty fields cost tokens too."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain({field.name: getattr(value, field.name) for field in fields(value)})
    if isinstance(value, dict):
        return {
            str(key): plain(item) for key, item in value.items() if item not in ("", (), [], None)
        }
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return disarm(value) if isinstance(value, str) else value
