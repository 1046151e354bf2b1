"""What was said of the pull request of a run, as it is kept with the task that came of it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

REVIEW = "review.json"  # the artifact that keeps it
Rounds = dict[str, list[dict[str, Any]]]  # what was taken up, by the task that came of it


def read_rounds(text: str) -> Rounds:
    """Return what was taken up; nothing of what is damaged."""
    found: object = None
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
    if not isinstance(found, dict):
        return {}
    return {
        str(name): [each for each in said if isinstance(each, dict)]
        for name, said in found.items()
        if isinstance(said, list)
    }
