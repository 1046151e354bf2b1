"""How what memory answers a question with is told: in lines for who reads, as data for programs."""

from __future__ import annotations

from agentx.clarification.data import KnownAnswer
from agentx.clarification.model import PERSON
from agentx.kernel.clock import to_iso
from agentx.kernel.text import preview

_ANSWER_CHARS_MAX = 600
_QUESTION_CHARS_MAX = 160


def list_known_lines(known: KnownAnswer, asked_as: str = "") -> list[str]:
    """Return what is told of an answer that memory has; with what to type, for who types."""
    grips = " ".join((known.grip, *known.proofs))
    lines = [
        f"already answered: {preview(known.text, _ANSWER_CHARS_MAX)}",
        f"  by {known.by}, {to_iso(known.at_ms)[:10]} [{grips}]",
    ]
    if known.asked:
        lines.append(f"  to: {preview(known.asked, _QUESTION_CHARS_MAX)}")
    if known.issue_title:
        lines.append(f"  of another issue: {preview(known.issue_title, _QUESTION_CHARS_MAX)}")
    if known.changed_files:
        lines.append(f"  changed since: {', '.join(known.changed_files)}")
    if asked_as:
        who = "the user accepts it in a terminal" if known.asked_of == PERSON else "accept"
        lines += [
            f"{who}: {word_accept(known, asked_as)}",
            "ask on: the same command with --ask-anyway",
        ]
    return lines


def word_accept(known: KnownAnswer, asked_as: str) -> str:
    """Return the command that takes just this answer: memory may have another one by then."""
    return f"agentx clarify accept {asked_as} {known.grip}"


def describe_known(known: KnownAnswer, asked_as: str) -> dict[str, object]:
    """Return the same for a program."""
    return {
        "grip": known.grip,
        "answer": known.text,
        "by": known.by,
        "doubt": known.doubt or None,
        "issueNumber": known.issue,
        **({"issueTitle": known.issue_title} if known.issue_title else {}),
        "at": to_iso(known.at_ms),
        "question": known.asked or None,
        "proofs": list(known.proofs),
        "changedFiles": list(known.changed_files),
        "acceptedBy": PERSON if known.asked_of == PERSON else "its asker",
        "accept": word_accept(known, asked_as),
    }
