"""What fills a model's context, by category, and when it is time to do something about it.

    0 %      50 %      75 %        90 %       100 %
    | healthy | warning | compact   | critical |

Every item is known by its category and name: tracking it again replaces it, so a budget
never counts a thing twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from agentx.agents.limits import (
    CONTEXT_COMPACT_PERCENT,
    CONTEXT_CRITICAL_PERCENT,
    CONTEXT_TOKENS_MAX,
    CONTEXT_WARN_PERCENT,
)
from agentx.kernel.errors import InvalidValue
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen


class ContextCategory(StrEnum):
    """What an item of a context is."""

    INSTRUCTION = "instruction"
    SKILL = "skill"
    AGENT_DEF = "agent-def"
    TEMPLATE = "template"
    MEMORY = "memory"
    CONVERSATION = "conversation"


class ContextLevel(StrEnum):
    """How full a context is."""

    HEALTHY = "healthy"
    WARNING = "warning"
    COMPACT = "compact"
    CRITICAL = "critical"


@frozen
class TrackedItem:
    """One thing in the context."""

    category: ContextCategory
    name: str
    tokens: int


@frozen
class BudgetReport:
    """What a context holds."""

    limit_tokens: int
    items: tuple[TrackedItem, ...]
    memory_limit_tokens: int = 0  # what recalled memory may take; 0: not said

    @property
    def tokens_used(self) -> int:
        """How many tokens are taken."""
        return sum(item.tokens for item in self.items)

    @property
    def percent_used(self) -> float:
        """How much of the context is taken."""
        return 100 * self.tokens_used / self.limit_tokens

    @property
    def level(self) -> ContextLevel:
        """Whether something should be done."""
        return level_of(self.percent_used)

    def of(self, category: ContextCategory) -> tuple[TrackedItem, ...]:
        """Return the items of one category, the largest first."""
        mine = [item for item in self.items if item.category is category]
        return tuple(sorted(mine, key=lambda item: (-item.tokens, item.name)))

    def tokens_of(self, category: ContextCategory) -> int:
        """Return what one category takes."""
        return sum(item.tokens for item in self.of(category))


def level_of(percent: float) -> ContextLevel:
    """Return how full a context of so many percent is."""
    for at_least, level in (
        (CONTEXT_CRITICAL_PERCENT, ContextLevel.CRITICAL),
        (CONTEXT_COMPACT_PERCENT, ContextLevel.COMPACT),
        (CONTEXT_WARN_PERCENT, ContextLevel.WARNING),
    ):
        if percent >= at_least:
            return level
    return ContextLevel.HEALTHY


class ContextBudget:
    """What is in one context at the moment."""

    def __init__(
        self, limit_tokens: int = CONTEXT_TOKENS_MAX, *, memory_limit_tokens: int = 0
    ) -> None:
        if limit_tokens <= 0:
            raise InvalidValue(f"{limit_tokens} tokens is no context", hint="use 1 or more")
        self._limit = limit_tokens
        self._memory_limit = memory_limit_tokens
        self._items: dict[tuple[ContextCategory, str], TrackedItem] = {}

    def track_item(self, category: ContextCategory | str, name: str, content: str) -> TrackedItem:
        """Count a thing that is in the context now; the same name again replaces it.

        Raises: InvalidValue for a category that there is not.
        """
        return self.track_tokens(category, name, estimate(content))

    def track_tokens(self, category: ContextCategory | str, name: str, tokens: int) -> TrackedItem:
        """Count a thing whose tokens are known, as `track_item`.

        Raises: as `track_item`.
        """
        item = TrackedItem(category=_category(category), name=name, tokens=tokens)
        self._items[item.category, name] = item
        return item

    def report(self) -> BudgetReport:
        """Return what is in the context."""
        return BudgetReport(
            limit_tokens=self._limit,
            items=tuple(self._items.values()),
            memory_limit_tokens=self._memory_limit,
        )


def format_budget_report(report: BudgetReport) -> str:
    """Return a report as Markdown, with what memory put into the context."""
    used = f"{report.tokens_used:,} of {report.limit_tokens:,} tokens"
    lines = [
        "## Context budget",
        "",
        f"{used} ({report.percent_used:.1f} %): {_ADVICE[report.level]}",
        "",
        "| category | items | tokens | share |",
        "|---|---:|---:|---:|",
    ]
    for category in ContextCategory:
        items = report.of(category)
        tokens = report.tokens_of(category)
        share = 100 * tokens / report.limit_tokens
        lines.append(f"| {category} | {len(items)} | {tokens:,} | {share:.1f} % |")
    return "\n".join((*lines, "", *_memory_section(report)))


def _memory_section(report: BudgetReport) -> Iterable[str]:
    yield "### Memory"
    yield ""
    recalled = report.of(ContextCategory.MEMORY)
    allowed = f" of {report.memory_limit_tokens:,} allowed" if report.memory_limit_tokens else ""
    if not recalled:
        yield f"nothing recalled{' (' + allowed.strip() + ')' if allowed else ''}"
        return
    yield f"{report.tokens_of(ContextCategory.MEMORY):,} tokens recalled{allowed}"
    for item in recalled:
        yield f"- {item.name}: {item.tokens:,} tokens"


def _category(given: ContextCategory | str) -> ContextCategory:
    try:
        return ContextCategory(given)
    except ValueError:
        known = ", ".join(ContextCategory)
        raise InvalidValue(f"{given!r} is no category", hint=f"use one of {known}") from None


_ADVICE = {
    ContextLevel.HEALTHY: "healthy",
    ContextLevel.WARNING: "filling up",
    ContextLevel.COMPACT: "compact the conversation now",
    ContextLevel.CRITICAL: "critical, the next answer may not fit",
}
