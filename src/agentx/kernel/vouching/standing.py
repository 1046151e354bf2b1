"""What a reader can tell of whose words something is."""

from __future__ import annotations

from enum import StrEnum

# What claims a person and is vouched for by nobody.
UNVERIFIED = "unverified"
# How an answer that stands is told where a word that does not count says otherwise.
CONTESTED = "contested, somebody said otherwise: ask the user"


def join_marks(*marks: str) -> str:
    """Return what must be told beside something, each of it once."""
    said = ""
    for mark in marks:
        said = "; ".join(filter(None, (said, "" if mark in said else mark)))
    return said


class Vouching(StrEnum):
    """Whether an event is its writer's, as far as the reader can tell."""

    SIGNED = "signed"  # by the reader's own key, or by one that the reader trusts
    UNSIGNED = "unsigned"
    UNTRUSTED = "untrusted"
    ELSEWHERE = "said to another question"
    FORGED = "forged"  # a key that is trusted did not sign this, here
