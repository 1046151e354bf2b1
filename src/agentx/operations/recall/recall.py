"""The recall section: what an agent should know before it begins, within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import folded
from agentx.memory.port import Memory
from agentx.operations.limits import RECALL_TOKENS_DEFAULT, RECALL_TOKENS_MAX
from agentx.project.project import Project
from agentx.recall.section.gather import (
    Wanted,
    close_lines,
    newest_days,
    recent_lines,
    wanted_lines,
)
from agentx.recall.section.moment import present
from agentx.recall.section.render import Cap, RecallLine, section
from agentx.recall.section.room_lines import STANDING, RoomLines

_DAYS_MAX = 60
_CHARS_PER_TOKEN_MAX = 20
_COMMANDS = "`agentx search WORDS`, `agentx expand ID`, `agentx why ID`."


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What to recall for: a role, an issue, what is about to be done. All may be empty."""

    agent: str = ""
    issue: int | None = None
    context: str = ""
    budget_tokens: int = RECALL_TOKENS_DEFAULT
    more: str = _COMMANDS  # how to get what is left out


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallReply:
    """The section, fenced, and what is in it."""

    text: str
    tokens: int
    budget_tokens: int
    lines: tuple[RecallLine, ...]
    left_out: int


def recall(project: Project, memory: Memory, request: RecallRequest) -> RecallReply:
    """Return the section: what is close, what waits and was learnt, what is wanted, the newest.

    Raises: InvalidValue for a budget that cannot be.
    """
    if not 1 <= request.budget_tokens <= RECALL_TOKENS_MAX:
        raise InvalidValue(
            f"a budget of {request.budget_tokens} tokens cannot be",
            hint=f"use 1 to {RECALL_TOKENS_MAX}",
        )
    lines = list(_unrepeated(_gathered(project, memory, request)))
    # Characters are bounded by the tokens; the second bound is for hooks.
    cap = Cap(tokens=request.budget_tokens, chars=request.budget_tokens * _CHARS_PER_TOKEN_MAX)
    made = section(lines, cap, more=request.more)
    return RecallReply(
        text=made.text,
        tokens=made.tokens,
        budget_tokens=request.budget_tokens,
        lines=made.shown,
        left_out=made.left_out,
    )


def _gathered(project: Project, memory: Memory, request: RecallRequest) -> Iterator[RecallLine]:
    now = present(project)
    wanted = Wanted(agent=request.agent, issue=request.issue)
    days = tuple(newest_days(memory, _DAYS_MAX))
    if request.context.strip():
        yield from close_lines(now, memory, request.context)
    with RoomLines(project, now) as rooms:
        yield from rooms.of(role=request.agent, issue=request.issue, context=request.context)
    if wanted.asks():
        yield from wanted_lines(now, memory, days, wanted)
    yield from recent_lines(now, days)


def _unrepeated(lines: Iterable[RecallLine]) -> Iterator[RecallLine]:
    """Yield each thing once, where it stands first."""
    ids: set[str] = set()
    words: set[str] = set()
    for line in lines:
        said = folded(line.text)
        if said not in words and (line.doc_id not in ids or line.group in STANDING):
            ids.add(line.doc_id)
            words.add(said)
            yield line
