"""What a user may set about observations."""

from __future__ import annotations

from agentx.kernel.values import frozen, setting


@frozen
class MemorySettings:
    """What agents learnt, and how much of it the next one is given."""

    enabled: bool = setting(
        True, "Keep observations at session end and recall them at the start.", persons=True
    )
    max_tokens: int = setting(
        20_000,
        "Most tokens one recall may put before an agent; 0 recalls nothing.",
        name="maxTokens",
        persons=True,
    )
    backend: str = setting(
        "json",
        "How observations are kept; change it with `agentx memory migrate`.",
        choices=("json", "sqlite"),
        persons=True,
    )
    issue: int = setting(
        0,
        "The issue that sessions belong to when neither branch nor prompt names one; 0 for none.",
        shared=True,
    )

    @property
    def tokens_told(self) -> int:
        """How many tokens may be put before an agent at once."""
        return max(self.max_tokens, 0) if self.enabled else 0
