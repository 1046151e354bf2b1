"""To say something of a memory as one was shown it, and not of what became of it since."""

from __future__ import annotations

from agentx.kernel.errors import StaleVersion
from agentx.kernel.ids import digest
from agentx.operations.memory.read import Shown

_SINCE = {
    "dropped": "was dropped since you were shown it",
    "merged": "was merged into another since you were shown it",
    "replaced": "was replaced since you were shown it",
    "pinned": "was pinned since you were shown it",
    "told": "stands otherwise than you were shown: it was brought back, or unpinned",
}


def sum_up_shown(shown: Shown) -> str:
    """Return by what it is known that somebody was shown a memory just as it is now."""
    return f"{_name_standing(shown)}:{digest(shown.observation.content).hex()}"


def check_shown(now: Shown, was: str) -> None:
    """See that a memory is as somebody was shown it, who says something of it.

    Raises: StaleVersion, with what it is by now.
    """
    if was == sum_up_shown(now):
        return
    standing = _name_standing(now)
    one = now.observation
    if was.partition(":")[0] != standing:
        raise StaleVersion(f"{one.id} {_SINCE[standing]}", hint="look at it as it is now")
    raise StaleVersion(f"{one.id} says otherwise than you were shown", hint="this is what it says")


def _name_standing(shown: Shown) -> str:
    one = shown.observation
    if shown.dropped:
        return "dropped"
    if shown.archived:
        return "merged"
    if one.superseded_by:
        return "replaced"
    return "pinned" if one.pinned else "told"
