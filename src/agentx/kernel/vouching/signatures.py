"""Who signs what lies in files that anybody who can write the repository can write.

Questions, runs and lessons are such files: who writes them signs, who reads them asks whether it
counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from agentx.kernel.errors import UnavailableError
from agentx.kernel.ids import digest
from agentx.kernel.vouching.standing import Vouching


def sum_up_message(message: bytes) -> str:
    """Return by what the words that somebody signs are noted."""
    return digest(message.decode("ascii"), size=16).hex()


# A key, its signature and the words -> how they stand.
Judge = Callable[[str, str, bytes], Vouching]


class Signatures(Protocol):
    """The user's own key, and the keys of the writers that the user trusts here."""

    def stamp(self) -> str:
        """Return what changes when other words count than before."""

    def is_begun(self) -> bool:
        """Tell whether somebody signed here: the user, or a writer who showed a key."""

    def introduce(self, writer: str) -> None:
        """Lay the writer's public key beside the events, where it does not lie there."""

    def sign(self, message: bytes) -> tuple[str, str]:
        """Return the name of the user's key and its signature; nothing where there is no key."""

    def judge(self, key: str, signature: str, message: bytes) -> Vouching:
        """Return how something stands that a key is said to have signed."""

    def judging(self) -> Judge:
        """Return what judges by what counts now: who asks of many words looks once."""


def sign_words(
    signatures: Signatures, writer: str, message: bytes, *, must_be: bool
) -> tuple[str, str]:
    """Return the name of the user's key and its signature, after the writer was introduced.

    Raises: UnavailableError where it must be signed and there is no key to do that with.
    """
    signatures.introduce(writer)
    key, signature = signatures.sign(message)
    if must_be and not signature:
        raise UnavailableError(
            "this counts only where it is signed, and your key cannot be read or made",
            hint="the data folder must be writable: `agentx doctor` says where it is",
        )
    return key, signature


class Unsigned:
    """Nobody signs, and nobody is trusted: what claims a person stays a claim."""

    def stamp(self) -> str:
        """Return what changes when other words count than before: nothing ever does."""
        return ""

    def is_begun(self) -> bool:
        """Return that nobody ever signed."""
        return False

    def introduce(self, writer: str) -> None:
        """There is nobody to introduce."""

    def sign(self, message: bytes) -> tuple[str, str]:
        """Return that there is no key."""
        del message
        return "", ""

    def judge(self, key: str, signature: str, message: bytes) -> Vouching:
        """Return that no key is known."""
        del key, message
        return Vouching.UNTRUSTED if signature else Vouching.UNSIGNED

    def judging(self) -> Judge:
        """Return what knows no key."""
        return self.judge
