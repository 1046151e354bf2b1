"""The tools of one session, together: files, commands, and those that need the whole house."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentx.agents.loop.port import ToolOutcome
from agentx.agents.loop.tools import specs
from agentx.agents.loop.tools.files import FileWork
from agentx.agents.loop.tools.running import CommandWork
from agentx.kernel.values import frozen
from agentx.llm.talk.port import CalledTool, ToolSpec

_READS = frozenset({specs.READ, specs.LIST, specs.SEARCH, specs.RECALL})


@frozen
class HouseTools:
    """What is done by others: memory, the hub."""

    recall: Callable[[str], ToolOutcome]
    decide: Callable[[str], ToolOutcome]
    ask: Callable[[Mapping[str, Any], int], ToolOutcome]  # and how long one may wait
    hear: Callable[[Mapping[str, Any], str, int], ToolOutcome | None]  # what came of a question


class LoopTools:
    """What a model may call."""

    specs: tuple[ToolSpec, ...] = (
        *specs.FILE_TOOLS,
        specs.RUN_TOOL,
        *specs.MEMORY_TOOLS,
        specs.ASK_TOOL,
    )

    def __init__(self, files: FileWork, commands: CommandWork, house: HouseTools) -> None:
        self._files = files
        self._commands = commands
        self._house = house

    def has_effect(self, call: CalledTool) -> bool:
        """Tell whether a call may change something."""
        return call.name not in _READS

    def use(self, call: CalledTool, *, left_ms: int) -> ToolOutcome:
        """Make a call.

        Raises: AgentXError, OSError.
        """
        given = dict(call.arguments)
        match call.name:
            case specs.RUN:
                return self._commands.run(given, left_ms=left_ms)
            case specs.RECALL:
                return self._house.recall(given["about"])
            case specs.DECIDE:
                return self._house.decide(given["decision"])
            case specs.ASK:
                return self._house.ask(given, left_ms)
            case name:
                return self._files.tools[name](given)

    def take_up(self, call: CalledTool, waits_for: str, *, left_ms: int) -> ToolOutcome | None:
        """Return what came of a call that was begun: of a question the ledger knows."""
        if call.name == specs.ASK:
            return self._house.hear(dict(call.arguments), waits_for, left_ms)
        return None
