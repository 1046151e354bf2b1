"""How events and contexts of runs read."""

from __future__ import annotations

from agentx.runs.context import Context
from agentx.runs.model import RunEvent

# The field that tells most of an event, by what it is called.
_TELLING = (
    *("name", "title", "question", "resolution", "reason", "phase", "verdict", "text", "branch"),
    *("operation", "to", "session"),
)


def event_line(event: RunEvent) -> str:
    """Return an event as one line that a person reads."""
    words = [event.actor, event.kind, event.task, event.lane]
    said = next(
        (" ".join(event.text(name).split())[:200] for name in _TELLING if event.text(name)),
        "",
    )
    return " ".join(word for word in words if word) + (f": {said}" if said else "")


def as_text(context: Context) -> str:
    """Return the context as a page."""
    lines = [f"# Context of {context.task} in {context.run_id}"]
    for fitted in context.pieces:
        piece = fitted.piece
        lines += ["", f"## [{piece.tier}] {piece.source}", "", piece.text.rstrip("\n")]
    if context.left_out:
        lines += ["", "## Left out for want of room", ""]
        lines += [f"- {each.source} ({each.tokens} tokens)" for each in context.left_out]
    return "\n".join(lines) + "\n"
