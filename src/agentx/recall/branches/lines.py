"""Which commits contain which: over the commits that the default branch does not have."""

from __future__ import annotations

from collections.abc import Collection, Mapping

Parents = Mapping[str, tuple[str, ...]]  # of the commits that are apart


def find_holders(
    apart: Parents, points: Mapping[str, str], wanted: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Return which of some points contain each wanted commit, among those that are apart."""
    found: dict[str, list[str]] = {}
    reached: dict[str, frozenset[str]] = {}
    for name, tip in points.items():
        if tip not in reached:
            reached[tip] = _reach(apart, tip).intersection(wanted)
        for commit in reached[tip]:
            found.setdefault(commit, []).append(name)
    return {commit: tuple(names) for commit, names in found.items()}


def find_roots(apart: Parents, wanted: Collection[str]) -> frozenset[str]:
    """Return the wanted commits whose history ends before it meets the default branch."""
    return frozenset(
        each for each in wanted if any(not apart[commit] for commit in _reach(apart, each))
    )


def find_fork(apart: Parents, tip: str) -> str:
    """Return the one commit of the default branch that a tip was made from; empty for several."""
    found = {parent for commit in _reach(apart, tip) for parent in apart[commit]}.difference(apart)
    return found.pop() if len(found) == 1 else ""


def _reach(apart: Parents, tip: str) -> frozenset[str]:
    seen: set[str] = set()
    waiting = [tip]
    while waiting:
        commit = waiting.pop()
        if commit in apart and commit not in seen:
            seen.add(commit)
            waiting += apart[commit]
    return frozenset(seen)
