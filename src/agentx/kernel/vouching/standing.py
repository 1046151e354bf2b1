"""What a reader can tell of whose words something is."""

from __future__ import annotations

from enum import StrEnum

# What claims a person and is vouched for by nobody.
UNVERIFIED = "unverified"


class Vouching(StrEnum):
    """Whether an event is its writer's, as far as the reader can tell."""

    SIGNED = "signed"  # by the reader's own key, or by one that the reader trusts
    UNSIGNED = "unsigned"
    UNTRUSTED = "untrusted"
    ELSEWHERE = "said to another question"
    FORGED = "forged"  # a key that is trusted did not sign this, here
