"""What the loop is handed: tools, somebody who keeps it, and somebody who watches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from agentx.agents.loop.model import LoopSession
from agentx.kernel.values import frozen
from agentx.llm.talk.port import CalledTool, ToolSpec

Keep = Callable[[LoopSession], None]


@frozen
class ToolOutcome:
    """What came of a call."""

    text: str  # for the model
    brief: str = ""  # for who watches, in a line
    failed: bool = False
    changed: tuple[str, ...] = ()  # files
    has_changed: bool = False  # anything
    waits_for: str = ""  # there is no outcome yet: the question that it waits for
    calls_person: bool = False  # and that only a person answers


@frozen
class LoopStep:
    """One thing that happened, for who watches."""

    turn: int
    what: str  # says, call, compacts, asks
    tool: str = ""
    words: str = ""
    failed: bool = False
    tokens: int = 0  # of this step
    micro_usd: int = 0  # of the session
    took_ms: int = 0


See = Callable[[LoopStep], None]


class Toolbox(Protocol):
    """The tools of one session."""

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model may call."""
        ...

    def has_effect(self, call: CalledTool) -> bool:
        """Tell whether a call may change something, so that it must not be made twice."""
        ...

    def use(self, call: CalledTool, *, left_ms: int) -> ToolOutcome:
        """Make a call; what goes wrong is an outcome.

        Raises: what nobody foresaw.
        """
        ...

    def take_up(self, call: CalledTool, waits_for: str, *, left_ms: int) -> ToolOutcome | None:
        """Return what came of a call that was begun and has no outcome; None if nobody can tell."""
        ...
