"""What a reader can tell of whose words something is."""

from __future__ import annotations

from enum import StrEnum

from agentx.kernel.values import frozen

# What claims a person and is vouched for by nobody.
UNVERIFIED = "unverified"
# What claims a person, and nobody saw say it; and how that is told.
UNCONFIRMED = "unconfirmed"
SAID_FOR_PERSON = f"a program said it for a person: {UNCONFIRMED}"


@frozen
class Said:
    """What somebody said. It is shown as `told`: the words alone are for who compares them."""

    words: str
    doubt: str = ""  # what must be told with it

    @property
    def told(self) -> str:
        """The words, with what must be told with them."""
        return f"{self.words} ({self.doubt})" if self.words and self.doubt else self.words


class Vouching(StrEnum):
    """Whether an event is its writer's, as far as the reader can tell."""

    SIGNED = "signed"  # by the reader's own key, or by one that the reader trusts
    UNSIGNED = "unsigned"
    UNTRUSTED = "untrusted"
    ELSEWHERE = "said to another question"
    FORGED = "forged"  # a key that is trusted did not sign this, here
