"""What git is told of questions: how events merge, and that views are of one checkout."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from agentx.host.git.layout import hide, unite
from agentx.kernel.errors import AgentXError
from agentx.kernel.paths import ProjectPaths

_EVENTS = "**/.agentx/questions/**/*.jsonl"


def tell_git(paths: ProjectPaths, common: Path | None) -> None:
    """Say it; no word waits for how events merge. `common` is git's own folder, if there is one."""
    hide(paths.state)
    if common is not None:
        with suppress(AgentXError, OSError):
            unite(common, [_EVENTS])
