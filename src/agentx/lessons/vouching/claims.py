"""Which events of lessons somebody must vouch for, and what is signed of one."""

from __future__ import annotations

import json

from agentx.kernel.clock import to_iso
from agentx.kernel.roles import is_persons_name
from agentx.lessons.model import LtmEvent, LtmKind

# What takes from a lesson, or rewords it.
CHANGES = frozenset({LtmKind.CONTRADICTED, LtmKind.EDITED, LtmKind.RESOLVED, LtmKind.RETIRED})


def claims_person(event: LtmEvent) -> bool:
    """Tell whether an event says that a person said something."""
    return is_persons_name(event.actor) or is_persons_name(event.text("said_by"))


def message_of(event: LtmEvent) -> bytes:
    """Return what a signature of an event is over, the same however the line is written."""
    said = {
        "id": event.id,
        "at": to_iso(event.at_ms),
        "actor": event.actor,
        "type": str(event.kind),
        "lesson": event.lesson,
        "run": event.run,
        "detail": dict(event.detail),
        "writer": event.writer,
    }
    return json.dumps({"ltm": said}, sort_keys=True, separators=(",", ":")).encode("ascii")
