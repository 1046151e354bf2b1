"""What a type of event is: its fields, and what each may hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from agentx.kernel.values import frozen


@frozen(kw_only=False)
class Field:
    """One field of an event's detail: its type, and what it may be."""

    type: str = "text"  # text, texts, flag, number, objects
    choices: tuple[str, ...] = ()


@frozen
class EventKind:
    """One type of event."""

    group: str
    about: str
    needs: Mapping[str, Field] = field(default_factory=dict)
    may: Mapping[str, Field] = field(default_factory=dict)
    of_task: bool = False
    of_lane: bool = False
