"""What is told on the bus, written into our own log field by field."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from agentx.kernel.bus import Bus
from agentx.project.project import Project


def log_told(project: Project, bus: Bus, events: Mapping[type[Any], str]) -> None:
    """Record every fact of some types under the event's name given for it."""
    for kind, event in events.items():
        bus.listen(kind, partial(_record, project, event))


def _record(project: Project, event: str, fact: Any) -> None:
    project.log.record("info", event, **{name: getattr(fact, name) for name in fact.__slots__})


def log_fields(
    project: Project, bus: Bus, kind: type[Any], event: str, fields: Mapping[str, str]
) -> None:
    """Record some fields of every fact of a type, each under the name given for it."""

    def record(fact: Any) -> None:
        told = {said: getattr(fact, name) for said, name in fields.items()}
        project.log.record("info", event, **told)

    bus.listen(kind, record)
