"""A loop with a model and tools of the test: no network, no disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from agentx.agents.compaction import ContextCompactor, Message
from agentx.agents.context_budget import ContextBudget
from agentx.agents.loop.loop import AgentLoop, LoopWorld
from agentx.agents.loop.model import LoopSession, SittingBounds
from agentx.agents.loop.port import LoopStep, ToolOutcome
from agentx.agents.loop.purse import Purse
from agentx.agents.loop.tools.specs import FILE_TOOLS, RUN_TOOL
from agentx.kernel.bus import Bus
from agentx.kernel.errors import BudgetExceeded
from agentx.llm.port import Allowance, Usage
from agentx.llm.talk.port import CalledTool, Dialogue, TalkReply, ToolSpec
from tests.support.time_and_chance import START_MS, FakeClock

USED = Usage(input_tokens=900, output_tokens=100)
BOUNDS = SittingBounds(turns=100, time_ms=3_600_000, tokens=10_000_000, micro_usd=100_000_000)


def call(name: str, **arguments: Any) -> CalledTool:
    """Return a call of a tool."""
    return CalledTool(name=name, arguments=arguments)


def read(path: str = "a.py") -> CalledTool:
    """Return a call that reads."""
    return call("read_file", path=path)


def reply(*called: CalledTool, text: str = "", fault: str = "") -> TalkReply:
    """Return what a model says."""
    return TalkReply(text=text, calls=called, fault=fault, usage=USED)


@dataclass
class PlayedModel:
    """Says what a script gives; the script may raise."""

    script: Iterator[TalkReply]
    name: str = "played/model"
    heard: list[Dialogue] = field(default_factory=list)
    before: Callable[[], None] = lambda: None

    def converse(self, dialogue: Dialogue, budget: Allowance) -> TalkReply:
        self.heard.append(dialogue)
        self.before()
        held = budget.reserve(self.name, USED)
        said = next(self.script)
        held.settle(said.usage)
        return said


class EndlessDay:
    """A day on which all may be spent, or nothing."""

    def __init__(self, left: int = 10**9) -> None:
        self.left = left

    def reserve(self, model: str, most: Usage) -> EndlessDay:
        if self.left <= 0:
            raise BudgetExceeded(f"{model}: the day is spent")
        self.left -= 1
        return self

    def settle(self, used: Usage) -> None:
        """Count nothing."""

    def release(self) -> None:
        """Count nothing."""


@dataclass
class PlayedTools:
    """Tools that do what a function says."""

    does: Callable[[CalledTool], ToolOutcome]
    specs: tuple[ToolSpec, ...] = (*FILE_TOOLS, RUN_TOOL)
    used: list[CalledTool] = field(default_factory=list)

    def has_effect(self, call: CalledTool) -> bool:
        return call.name in ("edit_file", "create_file", "run_command")

    def use(self, call: CalledTool, *, left_ms: int) -> ToolOutcome:
        self.used.append(call)
        return self.does(call)

    def take_up(self, call: CalledTool, waits_for: str, *, left_ms: int) -> ToolOutcome | None:
        return None


@dataclass
class LoopPlay:
    """One sitting, and what became of it."""

    model: PlayedModel
    tools: PlayedTools
    bounds: SittingBounds = BOUNDS
    day: EndlessDay = field(default_factory=EndlessDay)
    clock: FakeClock = field(default_factory=FakeClock)
    bus: Bus = field(default_factory=Bus)
    context_tokens: int = 200_000
    kept: list[LoopSession] = field(default_factory=list)
    seen: list[LoopStep] = field(default_factory=list)
    records: list[tuple[str, str]] = field(default_factory=list)

    def run(self, session: LoopSession | None = None) -> LoopSession:
        world = LoopWorld(
            talker=self.model,
            tools=self.tools,
            purse=Purse(self.day, lambda _model, usage: usage.tokens, self.bounds),
            bounds=self.bounds,
            compactor=ContextCompactor(self.bus, self.clock, ContextBudget(self.context_tokens)),
            clock=self.clock,
            keep=self.kept.append,
            see=self.seen.append,
            made_call=lambda call, status: self.records.append((call.name, status)),
        )
        return AgentLoop(world, session or begin()).run()


def begin() -> LoopSession:
    """Return a session that begins."""
    return LoopSession(
        id="engineer-01KJQ00000000000000000000A",
        agent="engineer",
        issue=1,
        system="Be good.",
        messages=(Message(role="user", content="Mend it.", at_ms=START_MS),),
        created_ms=START_MS,
        updated_ms=START_MS,
    )


def fine(call: CalledTool) -> ToolOutcome:
    """Do well, and always the same."""
    changes = call.name in ("edit_file", "create_file")
    return ToolOutcome(text=f"{call.name} went well", has_changed=changes)


def always_new() -> Callable[[CalledTool], ToolOutcome]:
    """Return a tool whose result is another each time."""
    numbers = count()
    return lambda _call: ToolOutcome(text=f"result {next(numbers)}")
