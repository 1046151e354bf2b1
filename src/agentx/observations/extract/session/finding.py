"""What the rules give of a session: findings, before they are observations."""

from __future__ import annotations

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen
from agentx.observations.model import Category


@frozen
class Finding:
    """Something worth remembering, with the events that prove it."""

    category: Category
    content: str
    summary: str
    event_ids: tuple[str, ...]
    at_ms: Millis
    files: tuple[str, ...] = ()
    commit: str = ""
    weight: int = 50  # only compared with others, when there are too many
