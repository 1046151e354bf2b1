"""What is left of a text that must be recognised and must not be readable.

Of each of 128 shufflings of its words, four bits of the word that comes first. Two texts agree in
about as many places as they share words; from the bits no word can be told, since one word in
sixteen gives the same. What must be the same exactly leaves sixteen bits.
"""

from __future__ import annotations

from _blake2 import blake2b  # as hashlib has it, which loads OpenSSL first

from agentx.observations.tidying.said import Meaning, are_alike

_PLACES = 128
_ALIKE = 0.6
_PRIME = (1 << 61) - 1
_EXACT_CHARS = 4
_COUNT_CHARS = 2
_CHANCE = 1 / 16  # of agreeing in a place without a word in common


def leave_trace(said: Meaning, salt: str) -> str:
    """Return the trace of a text: always the same for the same words."""
    exact = blake2b("\0".join(said.exact).encode(), key=salt.encode(), digest_size=2).hexdigest()
    count = min(len(said.terms), 255)
    numbers = [
        int.from_bytes(blake2b(each.encode(), key=salt.encode(), digest_size=8).digest())
        for each in said.terms
    ]
    if not numbers:
        return f"{exact}{count:02x}"
    places = "".join(
        f"{min((step * each + place) % _PRIME for each in numbers) & 15:x}"
        for place, step in enumerate(range(3, 3 + 7919 * _PLACES, 7919))
    )
    return f"{exact}{count:02x}{places}"


def match_trace(one: str, other: str) -> bool:
    """Tell whether two traces are of texts that say the same."""
    head = _EXACT_CHARS + _COUNT_CHARS
    if one[:_EXACT_CHARS] != other[:_EXACT_CHARS] or len(one) != len(other):
        return False
    if len(one) == head:
        return True
    agreeing = sum(mine == theirs for mine, theirs in zip(one[head:], other[head:], strict=True))
    share = (agreeing / _PLACES - _CHANCE) / (1 - _CHANCE)
    counts = [int(each[_EXACT_CHARS:head], 16) for each in (one, other)]
    return are_alike(share, max(counts), least=_ALIKE)
