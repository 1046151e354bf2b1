"""What git is told of questions: how events merge, and that views are of one checkout."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from agentx.host.git.layout import hide, lay_union, unite
from agentx.kernel.errors import AgentXError
from agentx.kernel.paths import ProjectPaths

_EVENTS = "**/.agentx/questions/**/*.jsonl"


def tell_git(paths: ProjectPaths, common: Path | None) -> None:
    """Say it; no word waits for how events merge. `common` is git's own folder, if it is known.

    One that only `.git` speaks of may be anybody's: then it is said beside the events.
    """
    hide(paths.state)
    with suppress(AgentXError, OSError):
        if common is not None:
            unite(common, [_EVENTS])
        elif os.path.lexists(paths.root / ".git"):
            lay_union(paths.questions)
