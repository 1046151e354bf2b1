"""What the observation memory holds, and how it did lately: counters from our own log."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from typing import Any

from agentx.conversation.limits import EVENTS_PAGE_MAX
from agentx.host.files.logfile import read_records
from agentx.kernel.values import frozen
from agentx.observations.alerts import alerts
from agentx.observations.model import StoreFault, StoreStats
from agentx.observations.settings import MemorySettings
from agentx.project.project import Project
from agentx.wiring.observations import open_observations

_ALERTS_SHOWN_MAX = 5


@frozen
class Counter:
    """How often something was done, how much of it, and how long it took."""

    times: int = 0
    observations: int = 0
    tokens: int = 0
    median_ms: float = 0.0
    worst_ms: float = 0.0


@frozen
class MemoryStats:
    """The store, the counters of the last records in the log, and what needs attention."""

    backend: str
    enabled: bool
    max_tokens: int
    store: StoreStats
    captures: Counter
    captures_skipped: int
    recalls: Counter
    displaced_tokens: int
    searches: Counter
    compactions: int
    alerts: tuple[str, ...]
    faults: tuple[StoreFault, ...]


def memory_stats(project: Project) -> MemoryStats:
    """Count observations and what was done with them."""
    settings = project.config.section(MemorySettings)
    with closing(open_observations(project)) as room:
        store = room.stats()
        faults = room.store.faults()
    by_event: dict[str, list[dict[str, Any]]] = {}
    for record in read_records(project.store.log, EVENTS_PAGE_MAX):
        by_event.setdefault(str(record.get("event")), []).append(record)
    # What a hook printed from other rooms is a recall too, with no observation in it.
    recalls = [each for each in by_event.get("memory-recalled", ()) if "count" in each]
    warned = [str(each.get("message")) for each in by_event.get("memory-alert", ())]
    return MemoryStats(
        backend=settings.backend,
        enabled=settings.enabled,
        max_tokens=settings.max_tokens,
        store=store,
        captures=_counter(by_event.get("memory-stored", ())),
        captures_skipped=len(by_event.get("memory-capture-skipped", ())),
        recalls=_counter(recalls),
        displaced_tokens=sum(_number(each, "displaced") for each in recalls),
        searches=_counter(by_event.get("memory-searched", ()), many="results"),
        compactions=len(by_event.get("memory-compacted", ())),
        alerts=tuple(dict.fromkeys((*alerts(store), *reversed(warned))))[:_ALERTS_SHOWN_MAX],
        faults=faults,
    )


def _counter(records: Iterable[dict[str, Any]], many: str = "count") -> Counter:
    every = list(records)
    times = sorted(_number(each, "elapsed_ms") for each in every)
    return Counter(
        times=len(every),
        observations=sum(_number(each, many) for each in every),
        tokens=sum(_number(each, "tokens") for each in every),
        median_ms=float(times[len(times) // 2]) if times else 0.0,
        worst_ms=float(times[-1]) if times else 0.0,
    )


def _number(record: dict[str, Any], name: str) -> int:
    value = record.get(name)
    return value if isinstance(value, int) else 0
