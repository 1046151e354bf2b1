"""A setting that a line begins with is set to something else since.

    "Pool of 40"        "Pool of 10 behind pgbouncer"

Of many things there may be a pool: of which it is must not be said, nor may the files differ.
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.observations.labels import LABELS
from agentx.observations.model import Category
from agentx.observations.validity.reading import ComparedMemory
from agentx.prose.settling.amounts import SetAmount, read_named_amount

_OF = (Category.DECISION, Category.KEY_FACT, Category.CODE_CHANGE)
_BEHIND = compile_late(r" \(commit |;|\n")
_SENTENCE = compile_late(r"(?<=[.!?;])\s+|\n+")


def may_set_by_name(new: ComparedMemory) -> bool:
    """Tell whether a memory sets something by its own word."""
    return _read(new) is not None


def sets_by_name(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether both are about one setting, by its own word, and its value is another now."""
    now, then = _read(new), _read(old)
    if now is None or then is None or new.of.at_ms <= old.of.at_ms:
        return False
    files = [frozenset(each.of.files) for each in (new, old)]
    if all(files) and files[0].isdisjoint(files[1]):
        return False
    return then.is_replaced_by(now)


def _read(one: ComparedMemory) -> SetAmount | None:
    """Return what a memory sets; nothing of one that says more."""
    if one.of.category not in _OF or one.of.text.startswith(LABELS) or not one.numbers:
        return None
    text = one.text
    if one.of.category is Category.CODE_CHANGE:
        text = _BEHIND.split(text, maxsplit=1)[0]
    return read_named_amount(text) if len(_SENTENCE.split(text)) == 1 else None
