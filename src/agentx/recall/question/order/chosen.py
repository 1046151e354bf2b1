"""Which tool of a kind was chosen: asked for the database, the decision for Postgres comes first.

    which database do we use?      "We reverse decision 1: Postgres."
    what is our package manager?   "Use pnpm, not npm."

No word of such a question stands in what was decided: the tools of that kind do. What was decided
for one leads, the newest before the older; then what names one in passing.

Law: what was overturned is not brought by it, nor what only gives tools up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from agentx.prose.tools.choosing import weigh_choice
from agentx.search.analysis import terms
from agentx.search.document import Filters, Trait
from agentx.search.text.index import Kept, Reading

_KIND = "decision"
_MEMORIES = ("observation",)
_SUPERSEDED = int(Trait.SUPERSEDED)
_MAX = 2


def list_chosen(
    reading: Reading, filters: Filters, tools: frozenset[str], about: frozenset[str]
) -> tuple[int, ...]:
    """Return the decisions that stand for a tool of a kind, the best first."""
    found: list[tuple[int, bool, int, int]] = []
    for kept in _list_naming(reading, filters, tools):
        if kept.traits & _SUPERSEDED:
            continue
        hit = reading.hit(kept.place, 0.0)
        if weight := weigh_choice(hit.passage, tools):
            is_named = bool(about & frozenset(terms(hit.passage)))
            found.append((weight, is_named, hit.timestamp_ms, kept.key))
    return tuple(key for *_, key in sorted(found, reverse=True)[:_MAX])


def list_overturned(reading: Reading, filters: Filters, tools: frozenset[str]) -> Mapping[int, int]:
    """Return the decisions for a tool of a kind that were overturned, each with what did it."""
    return {
        kept.key: reading.ties(kept.place).superseded_by
        for kept in _list_naming(reading, filters, tools)
        if kept.traits & _SUPERSEDED and weigh_choice(reading.hit(kept.place, 0.0).passage, tools)
    }


def _list_naming(reading: Reading, filters: Filters, tools: frozenset[str]) -> tuple[Kept, ...]:
    words = sorted({term for tool in tools for term in terms(tool)})
    near = replace(filters, doc_types=_MEMORIES)
    return reading.find_of_kind(_KIND, words, near) if words else ()
