"""Where the answers to questions about time and place come from."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo

from agentx.kernel.values import frozen
from agentx.memory.port import Readable


@frozen
class HistorySources:
    """Where the answers come from."""

    reader: Readable
    zone: tzinfo
    ready: Callable[[], tuple[str, ...]] = tuple  # what can be begun, a line each
