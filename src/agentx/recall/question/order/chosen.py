"""Which tool of a kind was chosen: asked for the database, the decision for Postgres comes first.

    which database do we use?      "We reverse decision 1: Postgres."
    what is our package manager?   "Use pnpm, not npm."

No word of such a question stands in what was decided: the tools of that kind do. What was decided
for one leads, the newest before the older; then what names one in passing.

Law: what was overturned is not brought by it, nor what only gives tools up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.prose.sentences import is_question, sentences
from agentx.search.analysis import terms
from agentx.search.document import Filters, Trait
from agentx.search.text.index import Kept, Reading

_KIND = "decision"
_MEMORIES = ("observation",)
_SUPERSEDED = int(Trait.SUPERSEDED)
_MAX = 2
_NEAR = 60
# Before a name, and after it: how it is said that it was given up, or never wanted.
_GIVEN_UP = compile_late(
    r"(?i:\b(?:from|off(?: of)?|instead of|replac\w+|supersed\w+|drop\w*|thr[eo]w\w*|kill\w*"
    r"|remov\w+|leav\w+|left|abandon\w*|rid of|stop\w* using|without|not|no|never"
    r"|over|than|against|statt|weg von|kein\w*)(?: (?:use|using|the|our|on))* `?"
    r"(?:[\w./+-]+`?(?:,? (?:and|or|nor)|,) `?)*\Z)"
)
_GONE = compile_late(
    r"(?i:\A`?(?:,? (?:and|or) [\w./+-]+)?(?: (?:is|are|was|were|can|has been|have been)|'s)?"
    r" (?:out|gone|go|dead|dropped|removed|replaced|history|abandoned)\b)"
)
_SETTLES = compile_late(
    r"(?i:\b(?:us(?:e|es|ed|ing)|tak(?:e|es|ing)|took|go(?:es|ing)? with|went with"
    r"|mov(?:e|es|ed|ing)|switch\w*|migrat\w+|ch(?:oo|o)s\w*|pick\w*|revers\w+|replac\w+|decision|decided|stays?|stick"
    r"|keeps?|kept|it is|then|plan|runs? on|stands? on|nehmen|nutzen|verwenden|bleib\w+)\b)"
)
_WORDS_FIRST = 8


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


def weigh_choice(text: str, tools: frozenset[str]) -> int:
    """Return 2 for what settles on one of some tools, 1 for what names one, 0 for neither."""
    pattern = _spell_names(tools)
    weight = 0
    for sentence in (each.text for each in sentences(text)):
        if is_question(sentence):
            continue
        for match in pattern.finditer(sentence):
            before, after = sentence[: match.start()], sentence[match.end() :]
            if _GIVEN_UP.search(before[-_NEAR:]) or _GONE.match(after):
                continue
            leads = not weight and len(before.split()) < _WORDS_FIRST
            weight = max(weight, 2 if leads or _SETTLES.search(sentence) else 1)
    return weight


@lru_cache(maxsize=64)
def _spell_names(tools: frozenset[str]) -> re.Pattern[str]:
    names = "|".join(map(re.escape, sorted(tools, key=len, reverse=True)))
    return re.compile(rf"(?<![\w-])(?:{names})(?:\.js|ql)?(?![\w-])", re.IGNORECASE)
