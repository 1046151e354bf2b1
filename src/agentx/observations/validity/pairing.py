"""Which memories are compared at all: a newer one, and the newest older ones that share a key.

Where only some are asked about, as when a session was captured, few pairs have one of them: so
these are looked for by themselves, and nothing is listed of all the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from itertools import islice

from agentx.observations.validity.reading import ComparedMemory

Pair = tuple[int, int]  # the places of the newer one and of the older one

# Of those that share a key with a new one, the newest are looked at.
_CANDIDATES_MAX = 100


def pair_all(read: Sequence[ComparedMemory], newer: Container[int]) -> Iterator[Pair]:
    """Yield each of the newer ones with those before it that share a key with it."""
    asked = frozenset().union(*(one.keys for index, one in enumerate(read) if index in newer))
    holders: dict[str, list[int]] = defaultdict(list)
    for index, mine in enumerate(read):
        if index in newer:
            sharing = {at for key in mine.keys for at in holders[key][-_CANDIDATES_MAX:]}
            for at in sorted(sharing, reverse=True)[:_CANDIDATES_MAX]:
                yield index, at
        for key in mine.keys & asked:
            holders[key].append(index)


def pair_told(
    read: Sequence[ComparedMemory], newer: Iterable[int], told: Collection[int]
) -> Iterator[Pair]:
    """Yield the pairs of which one is told; who takes one asks `is_near` as well."""
    for index in newer:
        keys = read[index].keys
        if index in told:
            sharing = (at for at in reversed(range(index)) if not keys.isdisjoint(read[at].keys))
            near: Iterable[int] = islice(sharing, _CANDIDATES_MAX)
        else:
            near = [at for at in told if at < index and not keys.isdisjoint(read[at].keys)]
        for at in near:
            yield index, at


def is_near(read: Sequence[ComparedMemory], index: int, at: int) -> bool:
    """Tell whether an older one is among the newest that share a key with a newer one."""
    keys, between = read[index].keys, read[at + 1 : index]
    return (
        len(between) < _CANDIDATES_MAX
        or sum(not keys.isdisjoint(each.keys) for each in between) < _CANDIDATES_MAX
    )
