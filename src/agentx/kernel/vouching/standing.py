"""What a reader can tell of whose words something is."""

from __future__ import annotations

from enum import StrEnum

from agentx.kernel.roles import UNCONFIRMED
from agentx.kernel.text import fold_text
from agentx.kernel.values import frozen

# What claims a person and is vouched for by nobody.
UNVERIFIED = "unverified"
# What claims a person, and nobody saw say it, as that is told.
SAID_FOR_PERSON = f"a program said it for a person: {UNCONFIRMED}"


@frozen
class SaidWords:
    """What somebody said. It is shown as `told`: the words alone are for who compares them."""

    words: str
    doubt: str = ""  # what must be told with it

    @property
    def told(self) -> str:
        """The words, with what must be told with them."""
        return f"{self.words} ({self.doubt})" if self.words and self.doubt else self.words


def fold_said(text: str) -> str:
    """Return what somebody said as it is compared with what else is said to be their words."""
    return fold_text(text).casefold().rstrip(" .!")


class Vouching(StrEnum):
    """Whether an event is its writer's, as far as the reader can tell."""

    SIGNED = "signed"  # by the reader's own key, or by one that the reader trusts
    UNSIGNED = "unsigned"
    UNTRUSTED = "untrusted"
    ELSEWHERE = "said to another question"
    FORGED = "forged"  # a key that is trusted did not sign this, here
