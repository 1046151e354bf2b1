"""Settings of what runs teach."""

from __future__ import annotations

from agentx.kernel.values import frozen, setting


@frozen
class LtmSettings:
    """Long-term memory."""

    promote: str = setting(
        "confident",
        "Which lessons of a run are kept unasked: `ask` none; `proven` what its checks and git "
        "prove, once a driven run ends; `confident` and `all` when it is packed away.",
        choices=("ask", "proven", "confident", "all"),
        shared=True,
    )
