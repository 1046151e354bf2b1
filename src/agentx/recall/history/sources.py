"""Where the answers to questions about time and place come from."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen
from agentx.memory.found import SearchHit
from agentx.memory.port import Readable
from agentx.observations.model import Observation, SearchFilters


def _list_nothing(_: SearchFilters) -> tuple[Observation, ...]:
    return ()


def _find_nothing(_words: str, _since_ms: Millis, _until_ms: Millis) -> tuple[SearchHit, ...]:
    return ()


@frozen
class HistorySources:
    """Where the answers come from."""

    reader: Readable
    zone: tzinfo
    learnt: Callable[[SearchFilters], tuple[Observation, ...]] = _list_nothing
    words_of: Callable[[str, Millis, Millis], tuple[SearchHit, ...]] = _find_nothing
    ready: Callable[[], tuple[str, ...]] = tuple  # what can be begun, a line each
