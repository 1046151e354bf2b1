"""Hand an agent what it needs for a task, from the run and from what is remembered."""

from __future__ import annotations

from agentx.app.project import Project
from agentx.app.run_sources import context_sources
from agentx.app.running import open_runs
from agentx.runs.context import Context
from agentx.runs.context import as_text as context_text

__all__ = ["Context", "context_text", "run_context"]


def run_context(project: Project, run_id: str, task: str, budget_tokens: int) -> Context:
    """Return what an agent should be handed for a task, within a budget."""
    return open_runs(project).context(run_id, task, budget_tokens, context_sources(project))
