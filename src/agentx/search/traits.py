"""What a text is like, told once when it is indexed so that ranking need not read it."""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.search.analysis import list_units, split_words
from agentx.search.document import Document, Trait

# A turn of a talk; what is longer explains by itself and needs no question before it.
SHORT_UNITS = 90
_TAIL_CHARS = 400
_ROLES = {"user": Trait.USER, "assistant": Trait.ASSISTANT, "tool": Trait.TOOL}
_ASKING = ("?", "\uff1f", "\u061f", "\u037e")
_DATES = frozenset(
    (
        "yesterday today tonight tomorrow ago recently since last next weekend monday tuesday "
        "wednesday thursday friday saturday sunday january february march april june july august "
        "september october november december day days week weeks month months year years"
    ).split()
)
_DATED_NUMBER = compile_late(r"(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)")
_THIS = compile_late(r"\bthis\s+(?:morning|week)\b")


def traits(document: Document) -> Trait:
    """Tell what a document is like."""
    found = _ROLES.get(document.role, Trait(0))
    text = document.text
    if text.rstrip().endswith(_ASKING):
        found |= Trait.QUESTION
    if len(text) < SHORT_UNITS * 32 and len(list_units(text)) <= SHORT_UNITS:
        found |= Trait.SHORT
    if any(map(_is_dated, {text[:_TAIL_CHARS], text[-_TAIL_CHARS:]})):
        found |= Trait.DATED
    if document.superseded or document.superseded_by:
        found |= Trait.SUPERSEDED
    if document.is_act:
        found |= Trait.ACT
    if document.drawn_from:
        found |= Trait.DRAWN
    return found


def _is_dated(text: str) -> bool:
    """Tell whether a text names a point in time."""
    lowered = text.lower()
    words = set(split_words(lowered))
    return (
        not words.isdisjoint(_DATES)
        or ("this" in words and _THIS.search(lowered) is not None)
        or any(_DATED_NUMBER.fullmatch(word) for word in words if word[0].isdigit())
    )
