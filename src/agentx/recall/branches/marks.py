"""How far the memories at hand reach, for one reader at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from agentx.kernel.clock import Clock
from agentx.observations.model import Observation
from agentx.recall.branches.bonds import is_bound
from agentx.recall.branches.history import BranchHistory, Wanted
from agentx.recall.branches.reach import Bond, BranchFacts, Extent, Reach, find_reach

# What a memory is worth where it does not hold, of what it is worth where it does.
_WORTH = {Extent.ELSEWHERE: 0.6, Extent.ABANDONED: 0.2}
_BRANCHES_MAX = 200


class Reaches:
    """Says of memories how far they reach; git is asked once for all of them."""

    def __init__(
        self, history: BranchHistory, here: Callable[[], str], clock: Clock, wait_ms: int
    ) -> None:
        self._history = history
        self._here = here
        self._clock = clock
        self._wait_ms = wait_ms
        self._known: tuple[Wanted, BranchFacts] = (frozenset(), BranchFacts())

    def find(self, memories: Iterable[Observation], here: str | None = None) -> dict[str, Reach]:
        """Return how far those reach that are bound to a branch, by their ids.

        `here` is what is checked out; None: where the reader is.
        """
        bound = [one for one in memories if is_bound(one)]
        if not bound:
            return {}
        where = self._here() if here is None else here
        # Most were learnt where the reader is: then git need not be asked.
        elsewhere = [one for one in bound if one.branch != where]
        facts = self._read(elsewhere) if elsewhere else BranchFacts()
        now_ms = self._clock.now_ms()
        heads = _list_heads(bound)
        return {
            one.id: find_reach(
                _bond(one, heads),
                facts,
                where,
                now_ms,
            )
            for one in bound
        }

    def _read(self, bound: Sequence[Observation]) -> BranchFacts:
        newest = sorted(bound, key=lambda one: -one.timestamp_ms)
        heads = _list_heads(bound)
        pairs = dict.fromkeys((one.branch, _bond(one, heads).head) for one in newest)
        wanted = frozenset(list(pairs)[:_BRANCHES_MAX])
        asked, facts = self._known
        if not wanted <= asked:
            wanted |= asked
            facts = self._history.read(wanted, self._clock.now_ms(), self._wait_ms)
            self._known = (wanted, facts)
        return facts


def _bond(one: Observation, heads: Mapping[tuple[str, str], str]) -> Bond:
    made = one.head or _find_made(one) or heads.get((one.session_id, one.branch), "")
    return Bond(
        branch=one.branch,
        head=made or one.commit,
        at_ms=one.timestamp_ms,
        is_start=not made,
    )


def _list_heads(bound: Iterable[Observation]) -> dict[tuple[str, str], str]:
    """Return a commit that each session made on a branch, by both."""
    return {(one.session_id, one.branch): made for one in bound if (made := _find_made(one))}


def _find_made(one: Observation) -> str:
    """Return the commit that an observation says was made; others only say where one began."""
    return one.commit if one.commit and f"(commit {one.commit[:7]}" in one.content else ""


def share_of(reach: Reach | None, *, pinned: bool = False) -> float:
    """Return which part of its worth a memory has where it is told."""
    return 1.0 if reach is None or pinned else _WORTH.get(reach.extent, 1.0)
