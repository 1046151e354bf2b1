"""What a person sees of a loop: each step in a line, the end in a sentence."""

from __future__ import annotations

from agentx.agents.loop.model import LoopEnd, LoopSession
from agentx.agents.loop.port import LoopStep
from agentx.kernel.text import preview, printable

_WORDS_CHARS_MAX = 300
_BOUND = "stopped at its bound: {reason}"
_CIRCLES = "stopped, as it went round in circles: {reason}"
_ENDS = {
    LoopEnd.TEXT_RESPONSE: "done: the agent says that it is",
    LoopEnd.MAX_ITERATIONS: _BOUND,
    LoopEnd.MAX_TIME: _BOUND,
    LoopEnd.MAX_TOKENS: _BOUND,
    LoopEnd.MAX_COST: _BOUND,
    LoopEnd.DAY_SPENT: "stopped, as models may cost no more today: {reason}",
    LoopEnd.CIRCUIT_BREAKER: _CIRCLES,
    LoopEnd.EMPTY_RESPONSE: _CIRCLES,
    LoopEnd.ERROR: "stopped, as the model gave no reply: {reason}",
    LoopEnd.WAITING: "paused: {reason}",
    LoopEnd.ESCALATED: "paused: {reason}",
    LoopEnd.ABORTED: "stopped: {reason}",
}
_SAYS = {"says": "says", "compacts": "context-compacted", "asks": "asks"}


def show_step(step: LoopStep) -> str:
    """Return a step as a line: where it is cut, nothing that matters is lost."""
    head = f"[{step.turn}] ${step.micro_usd / 1e6:.4f} "
    name = step.tool if step.what == "call" else _SAYS[step.what]
    failed = " FAILED" if step.failed else ""
    words = printable(preview(step.words, _WORDS_CHARS_MAX))
    return f"{head}{name}{failed}: {words}"


def show_end(session: LoopSession) -> str:
    """Return how a sitting ended, in a sentence."""
    assert session.ended is not None, "it has ended"
    return _ENDS[session.ended.kind].format(reason=session.ended.reason)


def find_report(session: LoopSession) -> str:
    """Return what the agent said last, as its report; nothing where it is not done."""
    last = session.messages[-1] if session.messages else None
    return last.content if session.is_done and last and last.role == "assistant" else ""
