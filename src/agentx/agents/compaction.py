"""A conversation of the agentic loop made short, and what it taught told to whoever listens.

    messages --> what they teach (the rules of extraction) --> a summary + the last messages
                                   |
                                   `--> context-compacted on the bus --> observations

The first message (what the agent was asked) and the last few stay word for word. The
summary says nothing that the messages do not. Compacting twice gives nothing new to tell:
a summary is left out of the next one's sources.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Any

from agentx.agents.context_budget import ContextBudget, ContextCategory, ContextLevel
from agentx.agents.limits import COMPACTION_RECENT_MAX, COMPACTION_SUMMARY_CHARS_MAX
from agentx.exchanges.turns import Turn, TurnKind
from agentx.kernel.bus import Bus
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.text import cut
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.observations.events import ContextCompacted
from agentx.observations.extract import extract
from agentx.observations.extract.sections import render_sections
from agentx.redaction.redact import redact

SUMMARY_TITLE = "# What happened so far"
_KINDS = {
    "user": TurnKind.PROMPT,
    "assistant": TurnKind.REPLY,
    "tool_call": TurnKind.CALL,
    "tool": TurnKind.RESULT,
    "tool_result": TurnKind.RESULT,
}


@frozen
class Message:
    """One message of a conversation, as the loop keeps it."""

    role: str  # user, assistant, tool_call, tool, system; task for what AgentX itself says
    content: str
    tool: str = ""
    call_id: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False
    fault: str = ""  # of a call: why its arguments are none
    mark: str = ""  # of a call: what its provider wants back with it
    turn: int = 0  # which reply of the model it belongs to
    at_ms: int = 0


@frozen
class Work:
    """Whose conversation it is."""

    agent: str
    session_id: str = ""
    issue_number: int = 0
    directory: str = ""


@frozen
class Compacted:
    """A conversation made short."""

    messages: tuple[Message, ...]
    summary: str
    original_tokens: int
    compacted_tokens: int


class ContextCompactor:
    """Keeps a conversation within its context, and tells what was learnt in it."""

    def __init__(self, bus: Bus, clock: Clock, budget: ContextBudget | None = None) -> None:
        self._bus = bus
        self._clock = clock
        self.budget = budget if budget is not None else ContextBudget()

    def needs_compaction(self, messages: Sequence[Message]) -> bool:
        """Tell whether the context is so full that the conversation should be compacted."""
        self.track(messages)
        return self.budget.report().level in (ContextLevel.COMPACT, ContextLevel.CRITICAL)

    def track(self, messages: Sequence[Message]) -> int:
        """Count a conversation; return its tokens."""
        tokens = sum(count_tokens(message.content) for message in messages)
        return self.budget.track_tokens(ContextCategory.CONVERSATION, "conversation", tokens).tokens

    def compact_conversation(self, messages: Sequence[Message], work: Work) -> Compacted:
        """Make a conversation short and tell what it taught; called at the end of a session too.

        A conversation that taught nothing is told all the same: its summary is empty.
        """
        now_ms = self._clock.now_ms()
        original = self.track(messages)
        summary = summarise(messages, work, at_ms=now_ms)
        kept = _keep(messages, summary)
        compacted = self.track(kept)
        self._bus.tell(
            ContextCompacted(
                agent=work.agent,
                original_tokens=original,
                compacted_tokens=compacted,
                summary=summary,
                issue_number=work.issue_number,
                session_id=work.session_id,
                timestamp_ms=now_ms,
            )
        )
        return Compacted(
            messages=kept,
            summary=summary,
            original_tokens=original,
            compacted_tokens=compacted,
        )


@lru_cache(maxsize=4096)
def count_tokens(content: str) -> int:
    """Return the tokens of a message: a conversation is counted at every step."""
    return estimate(content)


def summarise(messages: Sequence[Message], work: Work, *, at_ms: Millis) -> str:
    """Return what a conversation taught, as the sections of a summary; empty for nothing."""
    turns = [
        Turn(
            event_id=f"{work.session_id or 'conversation'}:{number}",
            at_ms=Millis(at_ms - len(messages) + number),
            kind=_KINDS.get(message.role, TurnKind.OTHER),
            text=redact(message.content),
            tool=message.tool,
            call_id=message.call_id,
            arguments=message.arguments,
            failed=message.failed,
            directory=work.directory,
        )
        for number, message in enumerate(messages)
        if not message.content.startswith(SUMMARY_TITLE)
    ]
    return cut(render_sections(extract(turns)), COMPACTION_SUMMARY_CHARS_MAX)


def _keep(messages: Sequence[Message], summary: str) -> tuple[Message, ...]:
    """Return what stays: the task, the summary, the last messages with their calls whole."""
    if len(messages) <= COMPACTION_RECENT_MAX + 1:
        return tuple(messages)
    begin = len(messages) - COMPACTION_RECENT_MAX
    # A result without its call is refused by every model.
    while begin > 1 and messages[begin].role in ("tool", "tool_result"):
        begin -= 1
    said = Message(role="user", content=f"{SUMMARY_TITLE}\n\n{summary}") if summary else None
    short = (messages[0], *((said,) if said else ()), *messages[begin:])
    before = sum(estimate(message.content) for message in messages)
    after = sum(estimate(message.content) for message in short)
    return short if after < before else tuple(messages)
