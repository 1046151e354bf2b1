"""What a captured session fills a context with, and what compaction would leave of it."""

from __future__ import annotations

from agentx.agents.compaction import Compacted, ContextCompactor, Message, Work
from agentx.agents.context_budget import ContextBudget, format_budget_report
from agentx.conversation.limits import EVENTS_PAGE_MAX
from agentx.conversation.model import Event, EventQuery
from agentx.exchanges.turns import Turn, TurnKind
from agentx.kernel.bus import Bus
from agentx.kernel.errors import NotFound
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.observations.settings import MemorySettings
from agentx.project.project import Project
from agentx.views.sessions.turns import turns_of

_ROLES = {
    TurnKind.PROMPT: "user",
    TurnKind.REPLY: "assistant",
    TurnKind.CALL: "tool_call",
    TurnKind.RESULT: "tool_result",
}


@frozen
class SessionBudget:
    """How full a session's context is, and how full it would be after compaction."""

    session_id: str
    level: str  # of the conversation as it is
    needs_compaction: bool
    original_tokens: int
    compacted_tokens: int
    messages: int
    messages_kept: int
    summary: str
    report: str  # for people, as Markdown


def session_budget(project: Project, memory: Memory, session_id: str) -> SessionBudget:
    """Measure a captured session; nothing is changed, and nothing is captured again.

    Raises: NotFound.
    """
    events = _events(memory, session_id)
    if not events:
        raise NotFound(f"{session_id}: no such session", hint="`agentx sessions` lists them")
    messages = tuple(_message(turn) for turn in turns_of(events) if turn.text.strip())
    settings = project.config.section(MemorySettings)
    budget = ContextBudget(memory_limit_tokens=settings.max_tokens)
    # Nobody listens: what the session taught was captured from the log.
    compactor = ContextCompactor(Bus(), project.clock, budget)
    is_full = compactor.needs_compaction(messages)
    before = budget.report()
    work = Work(agent=events[0].agent or events[0].harness, session_id=events[0].session_id)
    made = compactor.compact_conversation(messages, work)
    return SessionBudget(
        session_id=events[0].session_id,
        level=before.level,
        needs_compaction=is_full,
        original_tokens=made.original_tokens,
        compacted_tokens=made.compacted_tokens,
        messages=len(messages),
        messages_kept=len(made.messages),
        summary=made.summary,
        report="\n\n".join((format_budget_report(before), _left(made, len(messages)))),
    )


def _left(made: Compacted, messages: int) -> str:
    head = (
        f"After compaction: {made.compacted_tokens:,} of {made.original_tokens:,} tokens, "
        f"{len(made.messages)} of {messages} messages."
    )
    return f"{head}\n\n{made.summary}" if made.summary else head


def _events(memory: Memory, session_id: str) -> list[Event]:
    found: list[Event] = []
    cursor = ""
    while True:
        query = EventQuery(session_id=session_id, limit=EVENTS_PAGE_MAX, cursor=cursor)
        page = memory.events(query)
        found += page.events
        cursor = page.next
        if not cursor:
            return sorted(found, key=lambda event: (event.timestamp_ms, event.event_id))


def _message(turn: Turn) -> Message:
    return Message(
        role=_ROLES.get(turn.kind, "system"),
        content=turn.text,
        tool=turn.tool,
        call_id=turn.call_id,
        arguments=turn.arguments if isinstance(turn.arguments, dict) else {},
        failed=turn.failed,
    )
