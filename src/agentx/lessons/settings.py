"""Settings of what runs teach."""

from __future__ import annotations

from agentx.kernel.values import frozen, setting


@frozen
class LtmSettings:
    """Long-term memory."""

    promote: str = setting(
        "confident",
        "Which lessons of a run are kept when it is packed away; `ask` keeps those you accepted.",
        choices=("ask", "confident", "all"),
        shared=True,
    )
