"""What an agent is handed for a task, within a budget of tokens.

    PINNED      where the run stands, the task's contract, the constitution: always
    TASK-LOCAL  the work log, the files of the contract, their tests
    ON-DEMAND   what was done before, and what long-term memory knows of the area

Pure. Pinned pieces are never dropped: if they alone do not fit, that is an error. The
others are taken in order while they fit; what does not fit is named, not forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Protocol

from agentx.kernel.errors import BudgetExceeded
from agentx.kernel.tokens import Budget, estimate
from agentx.kernel.values import frozen


class Tier(StrEnum):
    """How near a piece is to the task."""

    PINNED = "PINNED"
    TASK_LOCAL = "TASK-LOCAL"
    ON_DEMAND = "ON-DEMAND"


@frozen
class Piece:
    """Something to know, and where it comes from."""

    tier: Tier
    source: str  # a path, an id, or the name of who knows it
    text: str
    lesson: str = ""  # the id for good of the lesson that it is, if it is one


@frozen
class Fitted:
    """A piece that fits, with what it costs."""

    piece: Piece
    tokens: int


@frozen
class LeftOut:
    """A piece that did not fit: where it is, and what it would have cost."""

    tier: Tier
    source: str
    tokens: int


@frozen
class Context:
    """What is handed over."""

    run_id: str
    task: str
    budget: int
    tokens: int
    pieces: tuple[Fitted, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def lessons(self) -> tuple[str, ...]:
        """The lessons among them, by their ids for good."""
        return tuple(each.piece.lesson for each in self.pieces if each.piece.lesson)


@frozen
class Area:
    """What a task is about, for those who know something of it."""

    run_id: str
    task: str
    title: str
    words: str
    files: tuple[str, ...]
    checks: tuple[str, ...] = ()  # commands that must pass


class ContextSource(Protocol):
    """Somebody who may know something of the area: long-term memory, observations."""

    def pieces(self, area: Area) -> Iterable[Piece]:
        """Yield what is worth knowing, the best first; each with its source."""
        ...


def assemble(run_id: str, task: str, pieces: Iterable[Piece], budget_tokens: int) -> Context:
    """Fit pieces into a budget, nearest tier first, in the order they come within a tier.

    Raises: BudgetExceeded when what is pinned does not fit.
    """
    budget = Budget(budget_tokens)
    found = sorted(pieces, key=lambda piece: tuple(Tier).index(piece.tier))
    costs = [(piece, estimate(f"{piece.source}\n{piece.text}")) for piece in found]
    pinned = sum(cost for piece, cost in costs if piece.tier is Tier.PINNED)
    if pinned > budget.left:
        names = ", ".join(piece.source for piece in found if piece.tier is Tier.PINNED)
        raise BudgetExceeded(
            f"what {task} cannot do without takes {pinned} tokens, the budget is {budget_tokens}",
            hint=f"give --budget {pinned} or more; pinned are {names}",
        )
    taken: list[Fitted] = []
    left: list[LeftOut] = []
    for piece, cost in costs:
        if cost <= budget.left:
            budget.take(cost)
            taken.append(Fitted(piece=piece, tokens=cost))
        else:
            left.append(LeftOut(tier=piece.tier, source=piece.source, tokens=cost))
    return Context(
        run_id=run_id,
        task=task,
        budget=budget_tokens,
        tokens=budget.tokens_taken,
        pieces=tuple(taken),
        left_out=tuple(left),
    )
