"""The loop as one who answers: it reads the project's folder, and changes nothing.

Nothing of it is kept but its answer: should it be killed, the question is asked again.
"""

from __future__ import annotations

from dataclasses import replace

from agentx.agents.compaction import ContextCompactor, Message
from agentx.agents.loop.limits import (
    LOOP_TOKENS_DEFAULT,
    LOOP_TURNS_DEFAULT,
    LOOP_USD_DEFAULT,
)
from agentx.agents.loop.loop import AgentLoop, LoopWorld
from agentx.agents.loop.model import LoopEnd, LoopSession, SittingBounds
from agentx.agents.loop.port import LoopStep, ToolOutcome
from agentx.agents.loop.purse import Purse
from agentx.agents.loop.rendering import find_report, show_end, show_step
from agentx.agents.loop.store.workspace import Workspace
from agentx.agents.loop.tools.files import FileWork
from agentx.agents.loop.tools.specs import READING_TOOLS
from agentx.agents.loop.wording import SYSTEM
from agentx.agents.runners.port import Ask, Reply
from agentx.agents.runners.wording import prompt_of, reply_of
from agentx.kernel.bus import Bus
from agentx.kernel.errors import AgentUnavailable, InvalidValue
from agentx.kernel.ids import mint
from agentx.llm.talk.port import CalledTool, ToolSpec
from agentx.project.project import Project
from agentx.redaction.redact import redact
from agentx.wiring.models import lend_talker

NAME = "loop"


class LoopAnswerer:
    """A runner that answers by the loop."""

    name = NAME

    def __init__(self, project: Project, model: str = "") -> None:
        self._project = project
        self._model = model

    def check(self) -> None:
        """See that it can be asked here.

        Raises: AgentUnavailable.
        """
        if not self._project.trust.was_said:
            raise AgentUnavailable(
                f"{self._project.root} is not trusted: the loop does not work there",
                hint="look at it, then say so: agentx trust --show, agentx trust",
            )
        try:
            with lend_talker(self._project, self._model):
                pass
        except InvalidValue as error:
            raise AgentUnavailable(error.message, hint=error.hint) from error

    def run(self, ask: Ask) -> Reply:
        """Ask, and wait for the reply no longer than the ask allows.

        Raises: AgentUnavailable.
        """
        self.check()
        project, began_ms = self._project, self._project.clock.now_ms()
        bounds = SittingBounds(
            turns=LOOP_TURNS_DEFAULT,
            time_ms=ask.time_limit_ms,
            tokens=LOOP_TOKENS_DEFAULT,
            micro_usd=int(LOOP_USD_DEFAULT * 1e6),
        )
        session = LoopSession(
            id=f"{ask.role}-{mint(began_ms, project.entropy)}",
            agent=ask.role,
            issue=ask.issue or 0,
            system=SYSTEM,
            messages=(Message(role="task", content=redact(prompt_of(ask)), at_ms=began_ms),),
            created_ms=began_ms,
            updated_ms=began_ms,
        )

        def see(step: LoopStep) -> None:
            if ask.heard is not None:
                ask.heard(show_step(step))

        with lend_talker(project, self._model) as (talker, day):
            world = LoopWorld(
                talker=talker,
                tools=_ReadingTools(FileWork(Workspace(project.root), project.clock)),
                purse=Purse(day, day.price, bounds),
                bounds=bounds,
                compactor=ContextCompactor(Bus(), project.clock),
                clock=project.clock,
                keep=lambda _session: None,
                see=see,
                made_call=lambda _call, _status: None,
            )
            ended = AgentLoop(world, session).run()
        if ended.ended is not None and ended.ended.kind is LoopEnd.ABORTED:
            raise KeyboardInterrupt
        if not ended.is_done:
            raise AgentUnavailable(f"{ask.role} ({NAME}) {show_end(ended)}")
        took_ms = project.clock.now_ms() - began_ms
        return replace(reply_of(find_report(ended)), runner=NAME, took_ms=took_ms)


class _ReadingTools:
    """What only reads."""

    specs: tuple[ToolSpec, ...] = READING_TOOLS

    def __init__(self, files: FileWork) -> None:
        self._files = files

    def has_effect(self, call: CalledTool) -> bool:
        """Tell that nothing changes anything."""
        del call
        return False

    def use(self, call: CalledTool, *, left_ms: int) -> ToolOutcome:
        """Make a call.

        Raises: AgentXError, OSError.
        """
        del left_ms
        return self._files.tools[call.name](dict(call.arguments))

    def take_up(self, call: CalledTool, waits_for: str, *, left_ms: int) -> ToolOutcome | None:
        """Tell nothing: no session is taken up here."""
        del call, waits_for, left_ms
        return None
