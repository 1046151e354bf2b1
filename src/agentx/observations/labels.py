"""How parts of a memory are labelled: what is left open, why something failed, what mended it."""

from __future__ import annotations

LEFT_OPEN = "Left open: "
WAITS = "Waits for the user: "
LABELS = (LEFT_OPEN, WAITS)
BY_USER = "The user said: "
# Of an error; one that was mended has one of the last two.
CAUSE = "Cause: "
FIXED_BY = "Fixed by: "
PASSED = "It passed "
# What was said of a part since, behind what stands.
SINCE = " (since then: "


def strip_label(text: str) -> str:
    """Return what was left open, without the label that says so."""
    return text.removeprefix(LEFT_OPEN).removeprefix(WAITS)


def strip_said(text: str) -> str:
    """Return what was put off, without the words by which it was, where these stand behind it."""
    proposed, _, own = text.partition(f" {BY_USER}")
    return proposed if own else text
