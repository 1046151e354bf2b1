"""Who waits for whom, and the circle that must be broken.

The graph has an edge from asker to target for every blocking question without an
answer, over all issues. In a circle the most upstream agent keeps its question; the
most downstream asker gives up its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentx.clarification.model import Clarification
from agentx.kernel.roles import ROLES

_RANKS = {agent: rank for rank, agent in enumerate(ROLES)}


def downstream_rank(agent: str) -> tuple[int, str]:
    """Return how far downstream an agent is; one the order does not name is last."""
    return _RANKS.get(agent, len(_RANKS)), agent


def circle(waiting: Sequence[Clarification]) -> tuple[Clarification, ...]:
    """Return the questions to give up so that one circle is broken, or nothing without circles."""
    edges: dict[str, set[str]] = {}
    for state in waiting:
        edges.setdefault(state.asker, set()).add(state.to)
    loop = _loop(edges)
    if not loop:
        return ()
    # Each agent of the loop waits for the next; the last waits for the first.
    follows = dict(zip(loop, (*loop[1:], loop[0]), strict=True))
    loser = max(loop, key=downstream_rank)
    return tuple(state for state in waiting if state.asker == loser and state.to == follows[loser])


def _loop(edges: dict[str, set[str]]) -> tuple[str, ...]:
    """Return the agents of one circle in order, the same for the same edges, or nothing."""
    done: set[str] = set()
    for start in sorted(edges):
        path: list[str] = []
        found = _search(start, edges, path, done)
        if found:
            return found
    return ()


def _search(
    agent: str, edges: dict[str, set[str]], path: list[str], done: set[str]
) -> tuple[str, ...]:
    """Walk on from an agent, in depth; roles are few, so recursion is shallow."""
    if agent in path:
        return tuple(path[path.index(agent) :])
    if agent in done:
        return ()
    path.append(agent)
    for target in sorted(edges.get(agent, ())):
        found = _search(target, edges, path, done)
        if found:
            return found
    path.pop()
    done.add(agent)
    return ()
