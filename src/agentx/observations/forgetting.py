"""What must go with observations that are forgotten, and what comes back.

A merged observation repeats its originals. When one of them is forgotten the merged one goes
too, whole; the other originals take their places again, until they are merged anew.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from agentx.kernel.values import frozen


@frozen
class Undoing:
    """Which observations leave every file, and which leave the archive to stand for themselves."""

    gone: frozenset[str]
    returning: frozenset[str]


def undoing(forgotten: Collection[str], merged: Mapping[str, Collection[str]]) -> Undoing:
    """Return what becomes of an issue whose merged observations have these sources."""
    asked = frozenset(forgotten)
    undone = {each for each, sources in merged.items() if asked.intersection(sources)}
    freed = {source for each in undone for source in merged[each]}
    gone = asked | undone
    return Undoing(gone=gone, returning=frozenset(freed - gone))


def holders(forgotten: Collection[str], merged: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Return what is forgotten with those that repeat it: merged, and then dropped by a person."""
    asked = frozenset(forgotten)
    return asked.union(each for each, sources in merged.items() if asked.intersection(sources))


def take_whole(forgotten: str, merged: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Return an observation with all it was merged from: who removes it means its text."""
    return frozenset((forgotten, *merged.get(forgotten, ())))
