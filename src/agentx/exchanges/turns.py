"""What the rules read: a session as plain turns.

Nothing here knows of the log. Whoever has events hands them over as turns, in the
order in which they happened.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Any

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen


class TurnKind(Enum):
    """Who speaks, or what happened."""

    PROMPT = "prompt"
    REPLY = "reply"
    CALL = "call"
    RESULT = "result"
    SUBAGENT = "subagent"  # what one agent asked another, or was told by it
    REPORT = "report"  # what another agent found, and came to tell later
    SUMMARY = "summary"  # the agent CLI compacted its own context
    OTHER = "other"


@frozen
class Turn:
    """One event of a session, with nothing in it but what the rules look at."""

    event_id: str
    at_ms: Millis
    kind: TurnKind
    text: str = ""
    tool: str = ""
    call_id: str = ""
    arguments: object = None  # what the tool was given
    response: Mapping[str, Any] = field(default_factory=dict)  # its answer, where structured
    failed: bool = False
    exit_code: int | None = None
    directory: str = ""  # where the agent worked
    root: str = ""  # the repository around it: files are named from there
    sender: str = ""  # another agent, whose words these are
