"""What a driver did with a run: the turns of its agents, and who drives it now."""

from __future__ import annotations

from enum import StrEnum

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen

TURN_MARK = "AGENTX_TURN"  # in the environment of all that a turn starts


class TurnEnd(StrEnum):
    """What came of a turn."""

    DONE = "done"  # the agent says so; its checks are to tell
    ASKED = "asked"  # it cannot go on without an answer
    FAILED = "failed"  # there was no reply: not installed, no quota, too late
    CUT = "cut"  # the driver ended in the middle of it


TURN_ENDS = tuple(TurnEnd)


@frozen
class AgentTurn:
    """One time an agent was given something to do."""

    id: str  # of the event that it began with
    began_ms: Millis
    task: str = ""  # empty for the plan
    lane: str = ""
    runner: str
    role: str = ""
    why: str = ""
    driver: str = ""  # the checkout
    lessons: tuple[str, ...] = ()  # of earlier runs that it was given, by their ids for good
    end: TurnEnd | None = None
    ended_ms: Millis | None = None
    text: str = ""
    asks: str = ""
    commit: str = ""
    session: str = ""
    model: str = ""
    tokens: int = 0
    micro_usd: int = 0
    is_estimated: bool = False  # the agent CLI did not say what it took
