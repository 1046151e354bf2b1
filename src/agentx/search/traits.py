"""What a text is like, told once when it is indexed so that ranking need not read it."""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.search.analysis import list_units
from agentx.search.document import Document, Trait

# A turn of a talk; what is longer explains by itself and needs no question before it.
SHORT_UNITS = 90
_TAIL_CHARS = 400
_ROLES = {"user": Trait.USER, "assistant": Trait.ASSISTANT, "tool": Trait.TOOL}
_ASKING = ("?", "\uff1f", "\u061f", "\u037e")
_DATED = compile_late(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|recently|since|last|next|this\s+(?:morning|week)"
    r"|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july"
    r"|august|september|october|november|december|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)"
    r"|(?:day|week|month|year)s?)\b"
)


def traits(document: Document) -> Trait:
    """Tell what a document is like."""
    found = _ROLES.get(document.role, Trait(0))
    text = document.text
    if text.rstrip().endswith(_ASKING):
        found |= Trait.QUESTION
    if len(text) < SHORT_UNITS * 32 and len(list_units(text)) <= SHORT_UNITS:
        found |= Trait.SHORT
    if _DATED.search(text[:_TAIL_CHARS].lower()) or _DATED.search(text[-_TAIL_CHARS:].lower()):
        found |= Trait.DATED
    if document.superseded or document.superseded_by:
        found |= Trait.SUPERSEDED
    if document.is_act:
        found |= Trait.ACT
    if document.drawn_from:
        found |= Trait.DRAWN
    return found
