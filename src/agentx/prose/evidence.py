"""Whether words of a model are borne out by what was really said.

A line is borne out when its source holds enough of what it is about, and every number, every
name out of code and every proper name of it; and a denial needs a source that denies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from agentx.kernel.text import compile_late
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.likeness import coverage

HELD_BY_SENTENCES = 0.7  # how much of a line its evidence must hold
HELD_BY_QUOTATION = 0.34  # less: the model itself said where to look

QUOTE_CHARS_MIN = 8  # a shorter quotation stands anywhere

_NUMBER = compile_late(r"\d+(?:[.,:]\d+)*")
_PROPER_NAME = compile_late(r"(?<=[\w,;)\"'`] )[A-Z][\w+#.-]*\w|\b[A-Z]+[a-z]*[A-Z\d]\w*")
_DENIAL = compile_late(
    r"\b(?:not|no|never|none|nothing|neither|nor|without|cannot|\w+n't|failed to|nicht|kein\w*)\b",
    re.IGNORECASE,
)


def bears_out(text: str, source: str, share: float) -> bool:
    """Tell whether a source holds enough of a line, and every fact of it."""
    about = terms(text)
    if not about or coverage(about, terms(source)) < share:
        return False
    if _DENIAL.search(text) and not _DENIAL.search(source):
        return False
    return is_known((*code_names(text), *_PROPER_NAME.findall(text)), text, source)


def is_known(names: Iterable[str], text: str, source: str) -> bool:
    """Tell whether a source has every one of some names, and every number of a text."""
    folded = source.casefold()
    return set(_NUMBER.findall(text)) <= set(_NUMBER.findall(source)) and all(
        name.casefold() in folded for name in names
    )


def is_quoted(quote: str, text: str) -> bool:
    """Tell whether a quotation stands in a text word for word, blind to white space."""
    words = quote.split()
    if len(quote.strip()) < QUOTE_CHARS_MIN:
        return False
    return re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE) is not None
