"""Events as they arrive: in any order, some more than once, and once in a while edited."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar


class _Named(Protocol):
    @property
    def id(self) -> str: ...


Event = TypeVar("Event", bound=_Named)


def each_once(events: Iterable[Event]) -> list[Event]:
    """Return the events, each id once, whatever the order they came in."""
    found: dict[str, Event] = {}
    for event in events:
        known = found.setdefault(event.id, event)
        # One id with two contents is somebody's edit: the choice must not hang on the order.
        if known is not event and repr(event) < repr(known):
            found[event.id] = event
    return list(found.values())
