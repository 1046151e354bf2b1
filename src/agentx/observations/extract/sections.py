"""A compaction summary as text, and back: what the specification calls the summary sections.

    ## Decisions          ## Code changes          ## Errors          ## Key facts
    - one line an item, continued by indented lines

Whoever compacts a conversation writes this; whoever hears of it reads it. A summary that
somebody else wrote is read as far as its headings are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentx.kernel.clock import Millis
from agentx.kernel.text import compile_late
from agentx.observations.extract.merging import settle, summary_line
from agentx.observations.extract.session.finding import Finding
from agentx.observations.model import Category

_TITLES = {
    Category.DECISION: "Decisions",
    Category.CODE_CHANGE: "Code changes",
    Category.ERROR: "Errors",
    Category.KEY_FACT: "Key facts",
}
_HEADING = compile_late(r"^ ?(?:#{1,6}\s*|\*\*)?([A-Za-z][A-Za-z ]{2,30}?)\s*:?(?:\*\*)?:?\s*\Z")
_MARKED = compile_late(r"^ ?(?:#|\*\*)|:(?:\*\*)?\s*\Z")
_ITEM = compile_late(r"^\s{0,3}(?:[-*+\u2022]|\d{1,2}[.)])\s+(.*)\Z")
_KNOWN = {
    "decision": Category.DECISION,
    "code change": Category.CODE_CHANGE,
    "file change": Category.CODE_CHANGE,
    "change": Category.CODE_CHANGE,
    "error": Category.ERROR,
    "problem": Category.ERROR,
    "key fact": Category.KEY_FACT,
    "fact": Category.KEY_FACT,
    "finding": Category.KEY_FACT,
    "learning": Category.KEY_FACT,
}


def render_sections(findings: Iterable[Finding]) -> str:
    """Return findings as the sections of a summary."""
    every = list(findings)
    parts = []
    for category, title in _TITLES.items():
        items = [one for one in every if one.category is category]
        if items:
            parts.append("\n".join((f"## {title}", *(_item(one.content) for one in items))))
    return "\n\n".join(parts)


def parse_sections(summary: str, *, at_ms: Millis, event_id: str) -> tuple[Finding, ...]:
    """Return the findings that a summary tells, and the summary itself as the last of them.

    `event_id` names what the summary came from: a summary has no events of its own.
    """
    items = [
        Finding(
            category=category,
            content=text,
            summary=summary_line(text),
            event_ids=(event_id,),
            at_ms=at_ms,
        )
        for category, text in _items(summary)
    ]
    if not items:
        return ()
    whole = Finding(
        category=Category.COMPACTION_SUMMARY,
        content=summary,
        summary=summary_line("; ".join(one.summary for one in items[:3])),
        event_ids=(event_id,),
        at_ms=at_ms,
    )
    return (*settle(items), *settle((whole,)))


def _item(content: str) -> str:
    return "- " + content.strip().replace("\n", "\n  ")


def _items(summary: str) -> Iterator[tuple[Category, str]]:
    category: Category | None = None
    lines: list[str] = []
    for line in (*summary.split("\n"), "## End"):
        item, heading = _ITEM.match(line), _heading(line)
        if item is None and heading is None:
            if lines and line.strip():
                lines.append(line.strip())
            continue
        if lines and category is not None:
            yield category, "\n".join(lines)
        lines = [item[1].strip()] if item is not None and category is not None else []
        if item is None:
            category = _KNOWN.get(heading or "")


def _heading(line: str) -> str | None:
    """Return what a heading says; a few words in a line alone are one only if they are known."""
    found = _HEADING.match(line)
    if found is None:
        return None
    name = found[1].strip().lower().removesuffix("s")
    return name if name in _KNOWN or _MARKED.search(line) else None
