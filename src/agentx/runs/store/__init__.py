"""Runs on disk: events as lines, everything else made from them, lanes in git."""

from agentx.runs.store.git_lanes import GitLanes
from agentx.runs.store.run_store import Desk, RunStore

__all__ = ["Desk", "GitLanes", "RunStore"]
