"""The events by which a driver says what it does with a run."""

from __future__ import annotations

from agentx.runs.parts.turns import TURN_ENDS
from agentx.runs.rules.kinds.shapes import EventKind, Field

_TEXT, _TEXTS, _FLAG = Field(), Field("texts"), Field("flag")

DRIVE_KINDS: dict[str, EventKind] = {
    "drive-began": EventKind(
        group="drive",
        about="a driver carries the run on, from a checkout, until then unless it says so again",
        needs={"driver": _TEXT, "until": _TEXT},
        may={
            **dict.fromkeys(("person", "said_at", "setup"), _TEXT),
            **dict.fromkeys(("runners", "copies"), _TEXTS),
            "taken": _FLAG,
        },
    ),
    "drive-held": EventKind(
        group="drive",
        about="the driver is at work still",
        needs={"driver": _TEXT, "until": _TEXT},
        may={"said_at": _TEXT},
    ),
    "drive-ended": EventKind(
        group="drive",
        about="the driver left the run, and why",
        needs={"driver": _TEXT},
        may={"reason": _TEXT},
    ),
    "turn-began": EventKind(
        group="drive",
        about="an agent was given a task, or the plan, to work on without a terminal",
        needs={"runner": _TEXT},
        may={**dict.fromkeys(("role", "why", "driver"), _TEXT), "lessons": _TEXTS},
    ),
    "turn-ended": EventKind(
        group="drive",
        about="what came of that, what it cost, and which commit holds it",
        needs={"turn": _TEXT, "end": Field("text", TURN_ENDS)},
        may=dict.fromkeys(("text", "asks", "commit", "session", "model"), _TEXT),
    ),
}
