"""A name out of code, and the value it is set to: "`SESSION_TTL` is 8 hours", "MAX_BODY 50 MB"."""

from __future__ import annotations

from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.observations.model import Category
from agentx.observations.validity.reading import ComparedMemory
from agentx.prose.settling.amounts import measure

_SENTENCE = compile_late(r"(?<=[.!?;])\s+|\n+")
_VALUE = compile_late(
    r"(?<![\w.`-])`?(?P<name>[A-Za-z]\w*[A-Za-z0-9](?:[._-]\w+)*)`? ?(?:(?:is|are|was)(?: now)?"
    r"|now|=|:|to)? ?`?(?P<value>\d+(?:[.,]\d+)*) ?(?P<unit>%|[A-Za-z]+)?`?"
)
_NAME = compile_late(r"\w*[a-z0-9][A-Z]\w*|[A-Za-z]\w*[_.-]\w+|[A-Z][A-Z0-9]{2,}")


def may_set_value(text: str) -> bool:
    """Tell whether a text gives a value to a name out of code."""
    return bool(_list_values(text))


def sets_value(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether every name out of code to which the older one gives a value has another now."""
    if old.of.category not in (Category.KEY_FACT, Category.DECISION):
        return False
    first = _SENTENCE.split(old.text, maxsplit=1)[0]
    then, now = _list_values(first), _list_values(new.text)
    return bool(then) and all(name in now and now[name] != was for name, was in then.items())


@lru_cache(maxsize=1_500)
def _list_values(text: str) -> dict[str, tuple[str, float]]:
    return {
        match["name"]: measure(match["value"], match["unit"] or "")
        for match in _VALUE.finditer(text)
        if _NAME.fullmatch(match["name"])
    }
