"""A whole capture in one observation: what was asked, decided, done, and left open."""

from __future__ import annotations

from collections.abc import Iterable

from agentx.exchanges.exchange import Exchange
from agentx.observations.extract.session.finding import Finding
from agentx.observations.model import Category
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import likeness
from agentx.prose.titles import best_request, is_written_by_machine, request

_ASKED_MAX = 6
_LINES_MAX = 5
_PARTS = (
    (Category.DECISION, "Decided"),
    (Category.CODE_CHANGE, "Changed"),
    (Category.ERROR, "Went wrong"),
    (Category.KEY_FACT, "Learnt"),
)


def overview(found: list[Exchange], kept: Iterable[Finding], *, beyond: int = 0) -> Finding | None:
    """Return the capture in a few lines; None where there was nothing to tell.

    `beyond`: how much people settled that a capture had no room for.
    """
    findings = list(kept)
    prompts = [one.prompt for one in found if one.prompt is not None]
    texts = [one.text for one in prompts if not is_written_by_machine(one.text)]
    asked = list(dict.fromkeys(filter(None, (request(text) for text in texts))))
    if not findings:
        return None
    parts = []
    if asked:
        parts.append("Asked: " + "; ".join(asked[:_ASKED_MAX]))
    for category, title in _PARTS:
        of_kind = [one for one in findings if one.category is category]
        best = sorted(of_kind, key=lambda one: -one.weight)[:_LINES_MAX]
        lines = [f"- {one.summary}" for one in sorted(best, key=lambda one: one.at_ms)]
        if lines:
            parts.append("\n".join((f"{title}:", *lines)))
    if beyond:
        parts.append(f"Not kept one by one: {beyond} more that the user settled in this session")
    title = best_request(texts) or findings[0].summary
    changed = [one for one in findings if one.category is Category.CODE_CHANGE]
    done = max(changed, key=lambda one: one.weight).summary if changed else ""
    summary = f"{title}: {done}" if done and not _alike(title, done) else title
    # Kept with the events of what it tells: forgetting one of those must reach it too.
    ids = [one.event_id for one in prompts] + [name for one in findings for name in one.event_ids]
    last = max(one.at_ms for one in findings)
    return Finding(
        category=Category.COMPACTION_SUMMARY,
        content="\n".join(parts),
        summary=summary,
        event_ids=tuple(dict.fromkeys(ids)),
        at_ms=last,
        files=tuple(dict.fromkeys(name for one in findings for name in one.files)),
        weight=100,
    )


def _alike(one: str, other: str) -> bool:
    return likeness(terms(one), terms(other)) > 0.6
