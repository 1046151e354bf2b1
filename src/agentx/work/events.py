"""What the room tells the bus."""

from __future__ import annotations

from agentx.kernel.values import frozen


@frozen
class IssueChanged:
    """An issue was made or changed, and is kept."""

    number: int
