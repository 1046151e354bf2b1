"""Settings of what runs teach."""

from __future__ import annotations

from dataclasses import dataclass

from agentx.kernel.values import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class LtmSettings:
    """Long-term memory."""

    promote: str = setting(
        "confident",
        "Which lessons of a run are kept when it is packed away; `ask` keeps those you accepted.",
        choices=("ask", "confident", "all"),
    )
