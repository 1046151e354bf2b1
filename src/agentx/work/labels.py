"""What an issue's labels say: its type, its priority, what it still needs.

Three sets are known, and a misspelt member of one is refused: a type that no
workflow knows would be work that nobody picks up. Any other label is the user's own.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from agentx.kernel.errors import InvalidValue
from agentx.redaction.redact import redact
from agentx.work.limits import ISSUE_LABEL_CHARS_MAX, ISSUE_LABELS_MAX

KNOWN: dict[str, tuple[str, ...]] = {
    "type": (
        "epic",
        "feature",
        "story",
        "bug",
        "spike",
        "docs",
        "devops",
        "data-science",
        "testing",
    ),
    "priority": ("p0", "p1", "p2", "p3"),
    "needs": ("ux", "changes", "iteration", "testing", "review"),
}
# An issue is one thing, and has one place in the queue.
_ONE_ONLY = ("type", "priority")


def check_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """Return labels without repetition, in the order given.

    Raises: InvalidValue for an unknown member of a known set, two types or two priorities, or a
    label that no issue can hold.
    """
    kept = tuple(dict.fromkeys(_check(label) for label in labels))
    if len(kept) > ISSUE_LABELS_MAX:
        raise InvalidValue(f"an issue holds at most {ISSUE_LABELS_MAX} labels, not {len(kept)}")
    for family in _ONE_ONLY:
        several = [label for label in kept if label.startswith(family + ":")]
        if len(several) > 1:
            raise InvalidValue(
                f"an issue has one {family}, not {len(several)}: {', '.join(several)}",
                hint=f"remove one of them first: --remove-label {several[0]}",
            )
    return kept


def type_of(labels: Iterable[str]) -> str:
    """Return `story` of `type:story`, or nothing."""
    return _member(labels, "type")


def priority_of(labels: Iterable[str]) -> str:
    """Return `p1` of `priority:p1`, or nothing."""
    return _member(labels, "priority")


def _member(labels: Iterable[str], family: str) -> str:
    head = family + ":"
    return next((label[len(head) :] for label in labels if label.startswith(head)), "")


def _check(given: str) -> str:
    label = redact(given.strip())
    if not label or len(label) > ISSUE_LABEL_CHARS_MAX or not label.isprintable() or "," in label:
        raise InvalidValue(
            f"{given[:60]!r} cannot be a label",
            hint=f"use 1 to {ISSUE_LABEL_CHARS_MAX} printable characters without commas",
        )
    family, colon, member = label.partition(":")
    family = family.strip().lower()
    if not colon or family not in KNOWN:
        return label
    member = member.strip().lower()
    if member not in KNOWN[family]:
        near = difflib.get_close_matches(member, KNOWN[family], n=1, cutoff=0.6)
        raise InvalidValue(
            f"{label!r} is not a label that AgentX knows",
            hint=f"did you mean {family}:{near[0]}?"
            if near
            else f"{family}: is one of {', '.join(KNOWN[family])}",
        )
    return f"{family}:{member}"
