"""How parts of a memory are labelled: what is left open, why something failed, what mended it.

Also what a question came to, with what is read back out of that:

    Drop users: No, never. Decided by ana, asked: May I? [CLR-1-001]
"""

from __future__ import annotations

from functools import lru_cache

from agentx.kernel.roles import UNCONFIRMED
from agentx.kernel.text import printable

LEFT_OPEN = "Left open: "
WAITS = "Waits for the user: "
LABELS = (LEFT_OPEN, WAITS)
BY_USER = "The user said: "
# Of an error; one that was mended has one of the last two.
CAUSE = "Cause: "
FIXED_BY = "Fixed by: "
PASSED = "It passed "
# What was said of a part since, behind what stands.
SINCE = " (since then: "
DECIDED_BY, _ASKED = " Decided by ", ", asked: "


def strip_label(text: str) -> str:
    """Return what was left open, without the label that says so."""
    return text.removeprefix(LEFT_OPEN).removeprefix(WAITS)


def strip_said(text: str) -> str:
    """Return what was put off, without the words by which it was, where these stand behind it."""
    proposed, _, own = text.partition(f" {BY_USER}")
    return proposed if own else text


def word_decision(said: str, by: str, asked: str) -> str:
    """Return what a memory says, but for the name of its question."""
    asked = asked.replace(DECIDED_BY.strip(), DECIDED_BY.strip().lower())  # it labels nothing
    return f"{said}{DECIDED_BY}{by}{_ASKED}{asked}"


def split_decision(content: str) -> tuple[str, str]:
    """Return what was decided, and who decided it, asked what, under which name; or all of it."""
    said = read_said(content) if read_asked(content) else content
    return said, content[len(said) :]


def read_said(content: str) -> str:
    """Return what was decided, without who did and where it stands."""
    text = content.rpartition(" [")[0]
    return text.rpartition(DECIDED_BY)[0] or text


def read_decider(content: str) -> str:
    """Return who decided it; nothing where that is not said."""
    return _read_rest(content).partition(_ASKED)[0]


def say_unconfirmed(content: str) -> str:
    """Return that nobody saw a person decide it, where nobody did: an excerpt cuts that off."""
    decider = read_decider(content)
    return f"decided by {decider}" if UNCONFIRMED in decider else ""


def say_decider(content: str) -> str:
    """Return who decided it, where that must be told beside it.

    Nobody saw them do it, or the words that were said look as if somebody else had: an excerpt cuts
    off by whom they are.
    """
    said = " ".join(printable(read_said(content)).casefold().split())
    is_imitated = DECIDED_BY.strip().casefold() in said and read_asked(content)
    return f"decided by {read_decider(content)}" if is_imitated else say_unconfirmed(content)


@lru_cache(maxsize=2_048)  # of what may be told each is held against every other
def read_asked(content: str) -> str:
    """Return what was asked; nothing where that is not said."""
    return _read_rest(content).partition(_ASKED)[2]


def _read_rest(content: str) -> str:
    return content.rpartition(" [")[0].rpartition(DECIDED_BY)[2] if DECIDED_BY in content else ""


def asks_another(one: str, other: str) -> bool:
    """Tell whether two texts say what was asked, and that is not the same: neither tells both."""
    asked, also = read_asked(one), read_asked(other)
    return bool(asked and also) and asked != also
