"""Which moves an issue may make.

    Backlog -> Ready -> In Progress -> In Review -> Validating -> Done

An issue moves one step forward, or back to where the work is taken up again: a
review or a validation that finds fault sends it back to In Progress, and what was
begun too early goes back to Ready or Backlog. Done is left only by opening the
issue again, and that begins at Backlog.
"""

from __future__ import annotations

from agentx.kernel.errors import IllegalTransition
from agentx.work.model import Status

MOVES: dict[Status, frozenset[Status]] = {
    Status.BACKLOG: frozenset({Status.READY}),
    Status.READY: frozenset({Status.IN_PROGRESS, Status.BACKLOG}),
    Status.IN_PROGRESS: frozenset({Status.IN_REVIEW, Status.READY, Status.BACKLOG}),
    Status.IN_REVIEW: frozenset({Status.VALIDATING, Status.IN_PROGRESS}),
    Status.VALIDATING: frozenset({Status.DONE, Status.IN_PROGRESS}),
    Status.DONE: frozenset(),
}


def move(number: int, current: Status, wanted: Status) -> Status:
    """Return the status after a move; staying is no move.

    Raises: IllegalTransition, naming the moves there are.
    """
    if not may_move(current, wanted):
        raise find_refusal(number, current, wanted)
    return wanted


def may_move(current: Status, wanted: Status) -> bool:
    """Tell whether an issue may make a move, or stays."""
    return wanted is current or wanted in MOVES[current]


def find_refusal(number: int, current: Status, wanted: Status) -> IllegalTransition:
    """Return why an issue cannot make a move, naming those there are."""
    ways = ", ".join(status for status in Status if status in MOVES[current])
    return IllegalTransition(
        f"#{number} is {current}: cannot become {wanted}",
        hint=f"from {current} it may become: {ways}" if ways else f"agentx issue reopen {number}",
    )
