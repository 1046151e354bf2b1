"""Check observations against the files they speak of, and what recall takes of a context."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from agentx.adapters.limits import SETTINGS_FILE_BYTES_MAX
from agentx.agents.context_budget import (
    BudgetReport,
    ContextBudget,
    ContextCategory,
    format_budget_report,
)
from agentx.host.files.plain import open_to_read
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.values import frozen
from agentx.observations.ids import agent_name
from agentx.observations.settings import MemorySettings
from agentx.observations.validity.staleness import Verified, verify
from agentx.operations.recall.section import RECALL_COMMANDS
from agentx.project.project import Project
from agentx.recall.section.gather import ORDER, Gatherer
from agentx.recall.section.render import Cap, section
from agentx.recall.section.sources import About
from agentx.views.sessions.file_history import GitFileHistory
from agentx.wiring.observation_upkeep import (
    list_damaged_observations,
    list_missing,
    list_unheeded_drops,
    list_unverified,
)
from agentx.wiring.observations import open_observations
from agentx.wiring.section import section_sources

# What agent CLIs read by themselves at the start of a session.
_BOOT_FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md")


@frozen
class Budgeted:
    """What a session would begin with."""

    limit_tokens: int
    used_tokens: int
    level: str
    memory_tokens: int
    memory_limit_tokens: int
    items: tuple[dict[str, object], ...]
    report: str  # the same for people, as Markdown


def memory_verify(project: Project, told: HowFar = unheard) -> Verified:
    """Check every observation against git and against newer decisions, and mark them.

    Raises: LockHeld, UnavailableError.
    """
    with closing(open_observations(project)) as room:
        oldest_ms = room.store.get_stats().oldest_ms
        missing = tuple(each.id for each in list_missing(project))
        if oldest_ms is None:
            return Verified(checked=0, stale=0, superseded=0, amended=0, missing=missing)
        found = verify(room.store, GitFileHistory(project.root, since_ms=oldest_ms), told)
        room.settle()
        found = replace(found, unverified=list_unverified(project), missing=missing)
        damaged = (*list_damaged_observations(project), *list_unheeded_drops(project))
        found = replace(found, damaged=tuple(f"{each.where}: {each.what}" for each in damaged))
    project.log.record("info", "memory-verified", checked=found.checked, stale=found.stale)
    return found


def memory_budget(
    project: Project, *, agent: str = "", issue: int | None = None, context: str = ""
) -> Budgeted:
    """Return what fills the context of an agent that is about to start, recalled memory included.

    Nothing is counted as recalled by asking.
    """
    settings = project.config.section(MemorySettings)
    budget = ContextBudget(memory_limit_tokens=settings.max_tokens)
    for name in _BOOT_FILES:
        _track(budget, ContextCategory.INSTRUCTION, project, project.root / name, name)
    if agent:
        role = agent_name(agent)
        path = project.paths.roles / f"{role}.md"
        _track(budget, ContextCategory.AGENT_DEF, project, path, role)
    about = About(role=agent, issue=issue, context=context)
    with section_sources(project) as sources:
        learnt = Gatherer(sources, tokens=settings.max_tokens).list_learnt(about)
    cap = Cap(tokens=settings.max_tokens)
    made = section(learnt.lines, cap, more=RECALL_COMMANDS, order=ORDER, untold=learnt.untold)
    if made.text:
        budget.track_item(ContextCategory.MEMORY, "recalled-observations", made.text)
    return _sum_budget(budget.report())


def _track(
    budget: ContextBudget, category: ContextCategory, project: Project, path: Path, name: str
) -> None:
    try:
        with open_to_read(path, ground=project.root) as file:
            text = file.read(SETTINGS_FILE_BYTES_MAX)
    except OSError:
        return
    budget.track_item(category, name, text.decode("utf-8", "replace"))


def _sum_budget(report: BudgetReport) -> Budgeted:
    return Budgeted(
        limit_tokens=report.limit_tokens,
        used_tokens=report.tokens_used,
        level=report.level,
        memory_tokens=report.tokens_of(ContextCategory.MEMORY),
        memory_limit_tokens=report.memory_limit_tokens,
        items=tuple(
            {"category": item.category, "name": item.name, "tokens": item.tokens}
            for item in report.items
        ),
        report=format_budget_report(report),
    )
