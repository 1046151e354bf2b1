"""What a text is like, told once when it is indexed so that ranking need not read it."""

from __future__ import annotations

from agentx.kernel.text import compile_late, split_words
from agentx.search.document import Document, Trait

# A turn of a talk; what is longer explains by itself and needs no question before it.
SHORT_UNITS = 90
_TAIL_CHARS = 400
_ROLES = {"user": int(Trait.USER), "assistant": int(Trait.ASSISTANT), "tool": int(Trait.TOOL)}
_QUESTION, _SHORT, _DATED = int(Trait.QUESTION), int(Trait.SHORT), int(Trait.DATED)
_SUPERSEDED, _ACT, _DRAWN = int(Trait.SUPERSEDED), int(Trait.ACT), int(Trait.DRAWN)
_ASKING = frozenset("?\uff1f\u061f\u037e")
# An agent asks whether it may: what is said to that is a yes, and tells nothing of the subject.
_ASKS_LEAVE = compile_late(
    r"(?i:(?:\A|[.!?:;,\n]\s*|\b(?:so|or|and|ok)\s+)(?:may|shall|should|can) (?:i|we) "
    r"|\b(?:do you|would you|want me|like me|want us) (?:want|like|to)\b|\b(?:soll|darf) ich )"
    r"[^.!?\n]*\?\s*\Z"
)
_DATES = frozenset(
    (
        "yesterday today tonight tomorrow ago recently since last next weekend monday tuesday "
        "wednesday thursday friday saturday sunday january february march april june july august "
        "september october november december day days week weeks month months year years"
    ).split()
)
_DATED_NUMBER = compile_late(r"(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)")
_THIS = compile_late(r"\bthis\s+(?:morning|week)\b")


def traits(document: Document, units: int) -> int:
    """Tell what a document is like that has so many units, or more in more passages than one."""
    text = document.text
    last = text[-1:]
    if last.isspace():
        last = text.rstrip()[-1:]
    asks = last in _ASKING and not (
        document.role == "assistant" and _ASKS_LEAVE.search(text[-_TAIL_CHARS:])
    )
    is_short = len(text) < SHORT_UNITS * 32 and units <= SHORT_UNITS
    if len(text) > _TAIL_CHARS:
        text = f"{text[:_TAIL_CHARS]} . {text[-_TAIL_CHARS:]}"
    # Every document of a history comes by: adding up flags as flags takes longer than the rest.
    return (
        _ROLES.get(document.role, 0)
        | (asks and _QUESTION)
        | (is_short and _SHORT)
        | (_is_dated(text) and _DATED)
        | ((document.superseded or bool(document.superseded_by)) and _SUPERSEDED)
        | (document.is_act and _ACT)
        | (bool(document.drawn_from) and _DRAWN)
    )


def _is_dated(text: str) -> bool:
    """Tell whether a text names a point in time."""
    lowered = text.lower()
    words = set(split_words(lowered))
    return (
        not words.isdisjoint(_DATES)
        or ("this" in words and _THIS.search(lowered) is not None)
        or any(map(_DATED_NUMBER.fullmatch, [word for word in words if word[0].isdigit()]))
    )
