"""What was forgotten by its time or by its words: what of it was never captured stays away too.

A transcript may tell what no hook ever brought. The log takes nothing in that lies in a forgotten
span; of words that were forgotten a print is kept and never the words: a salted hash, and a small
sum that says quickly where a text cannot hold them.
"""

from __future__ import annotations

from _blake2 import blake2b  # as hashlib has it, which loads OpenSSL first
from collections.abc import Iterator
from typing import Any, Protocol

from agentx.kernel.clock import Millis
from agentx.kernel.ids import Entropy
from agentx.kernel.values import frozen

_SALT_BYTES = 16
_PRINT_BYTES = 16
_PRIME = 65_521  # the sum of a stretch of text is smaller, and says next to nothing about it


@frozen
class WordsPrint:
    """By what forgotten words are known again."""

    chars: int
    base: int
    total: int
    salt: bytes
    hashed: bytes

    def is_in(self, text: str) -> bool:
        """Tell whether a text, folded, holds the words."""
        if len(text) < self.chars:
            return False
        lead = pow(self.base, self.chars, _PRIME)
        total = 0
        for end, letter in enumerate(text):
            total = total * self.base + ord(letter)
            if end >= self.chars:
                total -= lead * ord(text[end - self.chars])
            total %= _PRIME
            if total == self.total and end + 1 >= self.chars:
                stretch = text[end + 1 - self.chars : end + 1]
                if _hash(stretch, self.salt) == self.hashed:
                    return True
        return False


class Spoken(Protocol):
    """An event, or a draft of one."""

    @property
    def timestamp_ms(self) -> Millis: ...
    @property
    def text(self) -> str: ...
    @property
    def metadata(self) -> dict[str, Any]: ...


@frozen
class ForgottenSpan:
    """What was forgotten together: all of a time, or what of it says something."""

    project: str
    since_ms: Millis
    until_ms: Millis  # and not at it; never later than it was forgotten
    words: WordsPrint | None = None  # None: whatever was said

    def covers(self, event: Spoken, *, project: str) -> bool:
        """Tell whether something would have gone, had it been there."""
        if project != self.project or not self.since_ms <= event.timestamp_ms < self.until_ms:
            return False
        words = self.words
        return words is None or any(words.is_in(text) for text in read_texts(event))


def print_words(query: str, entropy: Entropy) -> WordsPrint:
    """Return the print of words."""
    words = fold_words(query)
    base = 256 + int.from_bytes(entropy(4)) % (_PRIME - 512)
    total = 0
    for letter in words:
        total = (total * base + ord(letter)) % _PRIME
    salt = entropy(_SALT_BYTES)
    return WordsPrint(
        chars=len(words), base=base, total=total, salt=salt, hashed=_hash(words, salt)
    )


def fold_words(text: str) -> str:
    """Return a text as words are looked for in it: blind to case and to white space."""
    return " ".join(text.casefold().split())


def read_texts(event: Spoken) -> Iterator[str]:
    """Yield what an event or a draft says, folded: its text, and all that a tool was given."""
    yield fold_words(event.text)
    yield from fold_all(event.metadata)


def fold_all(value: object) -> Iterator[str]:
    """Yield every text in a value, folded."""
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield fold_words(one)
        elif isinstance(one, dict):
            waiting += one.keys()
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one


def _hash(words: str, salt: bytes) -> bytes:
    raw = words.encode("utf-8", "surrogatepass")
    return blake2b(raw, digest_size=_PRINT_BYTES, salt=salt).digest()
