"""A session of the loop: what was said, what was tried, what it cost, and where it stands.

    thinking ---calls---> calling ---all answered---> thinking
        |                    |
        |                    `--a question waits--> ended (waiting), taken up with the answer
        `--a text, a bound, a guard, an error, a person--> ended, taken up by a person

Where it stands is read from what was said: a call without an answer is open. The one that is
`begun` may have been done: this is noted before anything is done, and its outcome after.
"""

from __future__ import annotations

from enum import StrEnum

from agentx.agents.compaction import Message
from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen


class LoopEnd(StrEnum):
    """Why a sitting ended."""

    TEXT_RESPONSE = "text_response"  # the agent said that it is done
    MAX_ITERATIONS = "max_iterations"
    MAX_TIME = "max_time"
    MAX_TOKENS = "max_tokens"
    MAX_COST = "max_cost"
    DAY_SPENT = "day_spent"  # what may be spent on models today is
    CIRCUIT_BREAKER = "circuit_breaker"  # a guard
    EMPTY_RESPONSE = "empty_response"
    ERROR = "error"  # the model
    WAITING = "waiting"  # for an answer
    ESCALATED = "escalated"  # for a person
    ABORTED = "aborted"  # by a person


WAITS = frozenset({LoopEnd.WAITING, LoopEnd.ESCALATED})
BOUNDS = frozenset(
    {
        LoopEnd.MAX_ITERATIONS,
        LoopEnd.MAX_TIME,
        LoopEnd.MAX_TOKENS,
        LoopEnd.MAX_COST,
        LoopEnd.DAY_SPENT,
        LoopEnd.CIRCUIT_BREAKER,
        LoopEnd.EMPTY_RESPONSE,
    }
)


@frozen
class SittingEnd:
    """How a sitting ended."""

    kind: LoopEnd
    reason: str
    at_ms: Millis


@frozen
class SittingBounds:
    """What one sitting may take."""

    turns: int
    time_ms: int
    tokens: int
    micro_usd: int


@frozen
class Spent:
    """What was taken so far."""

    turns: int = 0
    calls: int = 0
    tokens: int = 0
    micro_usd: int = 0


@frozen
class Attempt:
    """A call that was made: what was called and what came back, each as a digest."""

    call: str
    result: str
    changed: bool = False  # something, for the first time in this way
    failed: bool = False


@frozen
class InRow:
    """How often in a row something went wrong that a reply can do wrong."""

    malformed: int = 0
    empty: int = 0
    cut_off: int = 0


@frozen
class LoopSession:
    """One session."""

    id: str
    agent: str
    issue: int
    system: str
    messages: tuple[Message, ...]
    created_ms: Millis
    updated_ms: Millis
    model: str = ""  # who answers
    step: str = ""  # of the workflow, which is done when the agent is
    advance: bool = True
    spent: Spent = Spent()
    tried: tuple[Attempt, ...] = ()
    in_row: InRow = InRow()
    changed: tuple[str, ...] = ()  # files
    begun: str = ""  # the call that may have been done
    waits_for: str = ""  # the question of that call
    compactions: int = 0
    ended: SittingEnd | None = None

    @property
    def open_calls(self) -> tuple[Message, ...]:
        """The calls that have no answer, in their order."""
        answered = {each.call_id for each in self.messages if each.role == "tool"}
        return tuple(
            each
            for each in self.messages
            if each.role == "tool_call" and each.call_id not in answered
        )

    @property
    def is_done(self) -> bool:
        """Whether its agent said that it is done."""
        return self.ended is not None and self.ended.kind is LoopEnd.TEXT_RESPONSE
