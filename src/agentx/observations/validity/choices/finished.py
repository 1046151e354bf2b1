"""What was left open is done: its number was closed, its files committed, or the work itself."""

from __future__ import annotations

from agentx.observations.labels import LABELS
from agentx.observations.model import Category
from agentx.observations.validity import open_ends
from agentx.observations.validity.given_up import is_said_by_user
from agentx.observations.validity.reading import ComparedMemory
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import coverage

_SAME_WORK = 0.7
_SHARED_MIN = 2
# The words by which something is said to be left.
_UNDONE = terms(
    "left open not done yet still todo to do missing remaining needs must has have be been is are"
    " by hand add added implement implemented write written update updated"
)


def closes(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether what the older one left open by its number is closed now."""
    by_user = is_said_by_user(old.of.text)
    left = open_ends.list_open(old.text, by_user=by_user) if new.closed else frozenset()
    return bool(left) and left <= new.closed


def commits(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether the files that the older one left uncommitted were committed since."""
    return (
        new.of.category is Category.CODE_CHANGE
        and bool(old.of.files)
        and frozenset(old.of.files) <= frozenset(new.of.files)
        and open_ends.is_commit(new.of.text)
        and open_ends.is_uncommitted(old.text)
    )


def finishes(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether a later change is what the older one had left to do."""
    if new.of.category is not Category.CODE_CHANGE or not old.of.text.startswith(LABELS):
        return False
    left = old.said - _UNDONE
    return len(left) >= _SHARED_MIN and coverage(left, new.said) >= _SAME_WORK
