"""Settings of runs."""

from __future__ import annotations

from agentx.kernel.values import frozen, setting

BRANCH = "agent-memory"
WITH_CODE = "code"


@frozen
class RunsSettings:
    """Runs."""

    branch: str = setting(
        "auto",
        "Where git keeps runs: on a branch that AgentX writes, with the code, or as it was found.",
        choices=("auto", BRANCH, WITH_CODE),
        persons=True,
    )
