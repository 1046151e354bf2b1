"""The names of toolsets: what a user may choose of the tools that agents are offered over MCP,
and which of these only read.

The standard library only: the server reads them before it imports anything else.
"""

from __future__ import annotations

MEMORY = "memory"  # search, timeline, get, recall, remember: always on
TOOLSETS = (MEMORY, "proofs", "questions", "issues", "runs")
# Those that change nothing, which a user may let an agent CLI call without asking each time.
READ_ONLY = (
    *("search", "timeline", "get", "recall", "expand", "observations"),
    *("inbox", "ready", "issue", "run_status", "run_task_context"),
)
ALL = "all"
AUTO = "auto"


def parse_toolsets(said: str) -> tuple[frozenset[str], bool]:
    """Return the toolsets that a list with commas names, and whether those in use come on too.

    Raises: ValueError that names a toolset which is none.
    """
    names = {name.strip().lower() for name in said.split(",") if name.strip()}
    for name in sorted(names - {ALL, AUTO, *TOOLSETS}):
        raise ValueError(name[:40])
    if ALL in names:
        return frozenset(TOOLSETS), False
    return frozenset(names - {AUTO}) | {MEMORY}, AUTO in names or not names
