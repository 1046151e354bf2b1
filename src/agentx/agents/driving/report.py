"""How an agent reports on a task that it was given: done, or a question; and what it learnt.

    STATUS: done
    SUMMARY: what was done
    LEARNT:
    - pattern: retries need a cap

Agents do not always keep to a form: a text without labels is a report of something done, which the
checks then have to show.
"""

from __future__ import annotations

import re

from agentx.kernel.text import compile_late, cut
from agentx.kernel.values import frozen

_LABEL = compile_late(
    r"^[ \t]*(?:[#>*_-]+[ \t]*)?[*_]*(STATUS|SUMMARY|QUESTION|OPTIONS|LEARNT)[*_]*"
    r"[ \t]*:[*_]*[ \t]*(.*)$",
)
_ITEM = compile_late(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+")
_KINDS = {
    "pattern": "pattern",
    "error": "error-pattern",
    "solution": "solution",
    "decision": "decision",
    "debt": "tech-debt",
    "learning": "learning",
}
_ITEMS_MAX = 5
_LEARNT_CHARS = 2_000
_NOTHING = frozenset({"", "none", "none.", "nothing", "-", "n/a"})


@frozen
class SaidLearnt:
    """Something that an agent says the work taught."""

    kind: str  # as the run's lessons have it
    text: str


@frozen
class WorkReport:
    """What an agent says of its work."""

    is_done: bool
    summary: str
    question: str = ""
    options: tuple[str, ...] = ()
    learnt: tuple[SaidLearnt, ...] = ()


def read_report(text: str) -> WorkReport:
    """Return what a report says."""
    parts = _split(text)
    question = parts.get("QUESTION", "")
    question = "" if question.lower() in _NOTHING else question
    status = re.sub(r"[^a-z]", "", parts.get("STATUS", "").lower())
    asks = bool(question) and not status.startswith("done")
    return WorkReport(
        is_done=not asks,
        summary=parts.get("SUMMARY", "") or text.strip(),
        question=question if asks else "",
        options=_items(parts.get("OPTIONS", "")) if asks else (),
        learnt=tuple(filter(_says_something, map(_read_learnt, _items(parts.get("LEARNT", ""))))),
    )


def _split(text: str) -> dict[str, str]:
    """Return the labelled parts; of one that comes twice the last: the form may be shown first."""
    found: dict[str, list[str]] = {}
    current = ""
    for line in text.splitlines():
        label = _LABEL.match(line)
        if label is not None:
            current = label[1]
            found[current] = [label[2]]
        elif current:
            found[current].append(line)
    return {name: "\n".join(lines).strip() for name, lines in found.items()}


def _items(text: str) -> tuple[str, ...]:
    lines = (_ITEM.sub("", line).strip() for line in text.splitlines())
    return tuple(line for line in lines if line.lower() not in _NOTHING)[:_ITEMS_MAX]


def _read_learnt(item: str) -> SaidLearnt:
    head, sign, rest = item.partition(":")
    kind = _KINDS.get(head.strip().lower().removesuffix("s"), "") if sign else ""
    text = rest.strip() if kind else item
    return SaidLearnt(kind=kind or "learning", text=cut(text, _LEARNT_CHARS))


def _says_something(learnt: SaidLearnt) -> bool:
    return learnt.text.lower() not in _NOTHING
