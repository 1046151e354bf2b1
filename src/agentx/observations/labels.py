"""How what is left open is labelled: that it is, or that it waits for the user."""

from __future__ import annotations

LEFT_OPEN = "Left open: "
WAITS = "Waits for the user: "
LABELS = (LEFT_OPEN, WAITS)


def strip_label(text: str) -> str:
    """Return what was left open, without the label that says so."""
    return text.removeprefix(LEFT_OPEN).removeprefix(WAITS)
