"""Hand an agent what it needs for a task, from the run and from what is remembered."""

from __future__ import annotations

from agentx.project.project import Project
from agentx.runs.context import Context
from agentx.wiring.runs import open_runs
from agentx.wiring.taught.sources import context_sources


def run_context(project: Project, run_id: str, task: str, budget_tokens: int) -> Context:
    """Return what an agent should be handed for a task, within a budget."""
    return open_runs(project).context(run_id, task, budget_tokens, context_sources(project))
