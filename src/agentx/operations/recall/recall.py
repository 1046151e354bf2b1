"""The recall section: what an agent should know before it begins, within a budget."""

from __future__ import annotations

from agentx.kernel.errors import InvalidValue
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.limits import RECALL_TOKENS_DEFAULT, RECALL_TOKENS_MAX
from agentx.project.project import Project
from agentx.recall.section.gather import ORDER, Gatherer
from agentx.recall.section.render import Cap, RecallLine, section
from agentx.recall.section.sources import About
from agentx.wiring.section import section_sources

RECALL_COMMANDS = "`agentx search WORDS`, `agentx expand ID`, `agentx why ID`."


@frozen
class RecallRequest:
    """What to recall for: a role, an issue, what is about to be done. All may be empty."""

    agent: str = ""
    issue: int | None = None
    context: str = ""
    budget_tokens: int = RECALL_TOKENS_DEFAULT
    more: str = RECALL_COMMANDS  # how to get what is left out


@frozen
class RecallReply:
    """The section, fenced, and what is in it."""

    text: str
    tokens: int
    budget_tokens: int
    lines: tuple[RecallLine, ...]
    left_out: int


def recall(project: Project, memory: Memory | None, request: RecallRequest) -> RecallReply:
    """Return the section, from the rooms alone where there is no memory at hand.

    Raises: InvalidValue for a budget that cannot be.
    """
    tokens = request.budget_tokens
    if not 1 <= tokens <= RECALL_TOKENS_MAX:
        raise InvalidValue(
            f"a budget of {tokens} tokens cannot be", hint=f"use 1 to {RECALL_TOKENS_MAX}"
        )
    about = About(role=request.agent, issue=request.issue, context=request.context)
    search = None if memory is None else memory.search
    with section_sources(project, memory, search) as sources:
        found = Gatherer(sources, tokens=tokens).gather(about)
    cap = Cap(tokens=tokens)
    made = section(found.lines, cap, more=request.more, order=ORDER, untold=found.untold)
    return RecallReply(
        text=made.text,
        tokens=made.tokens,
        budget_tokens=tokens,
        lines=made.shown,
        left_out=made.left_out,
    )
