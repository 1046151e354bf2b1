"""What the turns of a run took, and whether there is room for one more."""

from __future__ import annotations

from agentx.agents.runners.port import Ask, Reply
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.llm.port import Usage
from agentx.llm.prices import price_of
from agentx.runs.model import Run
from agentx.runs.parts.turns import TurnEnd

_MICRO = 1_000_000
_HEARD = (TurnEnd.DONE, TurnEnd.ASKED)


@frozen
class TakenByRun:
    """What a run's turns took."""

    turns: int
    tokens: int
    micro_usd: int
    is_estimated: bool


@frozen
class Cost:
    """What one turn took."""

    tokens: int
    micro_usd: int
    is_estimated: bool  # the agent CLI did not say

    @property
    def usd(self) -> float:
        """In dollars."""
        return self.micro_usd / _MICRO

    def as_detail(self) -> dict[str, object]:
        """Return it as an event keeps it."""
        detail: dict[str, object] = {"tokens": self.tokens, "micro_usd": self.micro_usd}
        return detail | ({"estimated": True} if self.is_estimated else {})


def price_reply(
    ask: Ask | None, reply: Reply | None, spent: tuple[Usage, str] | None = None
) -> Cost:
    """Return what a turn took: as it was said, else estimated as for a dear model."""
    if spent is not None and reply is None:
        usage, model = spent
        micro = price_of(model).price_micro_usd(usage)
        return Cost(tokens=usage.tokens, micro_usd=micro, is_estimated=False)
    if reply is not None and reply.usage is not None and reply.usage.tokens:
        micro = price_of(reply.model).price_micro_usd(reply.usage)
        return Cost(tokens=reply.usage.tokens, micro_usd=micro, is_estimated=False)
    asked: tuple[str, ...] = ()
    if ask is not None:
        asked = (ask.instructions, ask.question, *(each.text for each in ask.artifacts))
    usage = Usage(
        input_tokens=sum(map(estimate, asked)),
        output_tokens=0 if reply is None else estimate(reply.text),
    )
    micro = price_of("").price_micro_usd(usage)
    return Cost(tokens=usage.tokens, micro_usd=micro, is_estimated=True)


def estimate_cut(run: Run, runner: str) -> Cost:
    """Return what a turn that was cut off may have taken, which nobody heard: what others did."""
    known = [turn for turn in run.turns if turn.runner == runner and turn.end in _HEARD]
    many = max(len(known), 1)
    return Cost(
        tokens=sum(turn.tokens for turn in known) // many,
        micro_usd=sum(turn.micro_usd for turn in known) // many,
        is_estimated=True,
    )


def add_up(run: Run) -> TakenByRun:
    """Return what the turns of a run took, also before this sitting."""
    return TakenByRun(
        turns=len(run.turns),
        tokens=sum(turn.tokens for turn in run.turns),
        micro_usd=sum(turn.micro_usd for turn in run.turns),
        is_estimated=any(turn.is_estimated for turn in run.turns),
    )
