"""What was decided about something: asked for that, the decisions on it that stand come first.

    what was decided about deployment?       the newest ruling that speaks of deploying
    which decisions did we take on caching?
    do we still use JWT?                     whatever was settled for it or against it

"Decided" stands in many texts by accident, and few decisions say the word. So the word counts for
little, and what was kept as a decision is looked up by its kind.

Law: only a question of this shape is answered so; what was overturned is not brought by it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agentx.kernel.text import compile_late
from agentx.prose.likeness import coverage
from agentx.recall.question.rank import Ranked
from agentx.search.analysis import terms
from agentx.search.document import Filters, Trait
from agentx.search.text.index import Kept, Reading

_VERBS = r"(?:decid(?:e|ed)|settle(?:d)?|agree(?:d)?|rule(?:d)?|conclude(?:d)?|resolve(?:d)?)"
_WHO = r"(?:we|they|you|i|the (?:team|user)|everybody|anybody)"
_ASKED = compile_late(
    r"\A\W*(?:and |so |ok(?:ay)?,? )?(?:"
    rf"what (?:was|is|has been|have {_WHO}|had {_WHO}|did {_WHO}) (?:finally |then |ever |last )?"
    rf"{_VERBS}"
    r"|(?:which|what)(?: are| were| is| was)?(?: all)?(?: the| our)? decisions?"
    rf"(?: (?:have|did|do|had) {_WHO} (?:take|make|made|taken|have)"
    r"| (?:was|were|are|is)(?: there| made| taken)?| (?:stands?|holds?))?"
    r"|was (?:wurde|haben wir|ist)(?=[^?]*\b(?:entschieden|beschlossen))"
    r")\s+(?:up)?(?:about|on|for|regarding|concerning|around|with|in|to|zu[mr]?|\u00fcber)\s+"
    r"(?P<thing>[^?.!\n]{2,80})",
    re.IGNORECASE,
)
# Whether something is used: what was settled for it or against it says so.
_USED = compile_late(
    r"\A\W*(?:and |so |but |ok(?:ay)?,? )?(?:"
    r"(?:do|should|can|may|shall|did) (?:we|i) (?:(?:still|really|actually|even|now|ever) )?"
    r"(?:use|need|want|support|keep|allow)\s+(?P<thing>[^?.!\n]{2,60})"
    r"|are we (?:(?:still|now) )?(?:using|on|running(?: on)?|with)\s+(?P<on>[^?.!\n]{2,60})"
    r"|is (?P<it>[^?.!\n]{2,60}?) (?:still )?(?:used|in use|allowed|supported|needed|wanted)\b"
    r"|(?:be)?nutzen wir (?:noch )?(?P<noch>[^?.!\n]{2,60})"
    r"|verwenden wir (?:noch )?(?P<wir>[^?.!\n]{2,60}))"
    r"(?=\s*\?|\W*\Z)",
    re.IGNORECASE,
)
_TAIL = compile_late(r"(?i:\s+(?:entschieden|beschlossen|so far|until now|at last|lately)\W*\Z)")
_KIND = "decision"
_MEMORIES = ("observation",)
_SUPERSEDED = int(Trait.SUPERSEDED)
_ASKING_WEIGHT = 0.1
_ABOVE = 1.001
_MOVED_MAX = 2
# Of the words of what is asked about, those that a decision must name.
_SAME_SHARE = 0.6


def read_decided(question: str) -> frozenset[str]:
    """Return what a question wants the decisions on; nothing if it is another question."""
    asked = _ASKED.match(question) or _USED.match(question)
    thing = next(filter(None, asked.groupdict().values()), "") if asked else ""
    return frozenset(terms(_TAIL.sub("", thing)))


def weigh_decided(question: str, asked: Sequence[str]) -> Mapping[str, float]:
    """Return what the words count by which somebody asks for decisions."""
    about = read_decided(question)
    return {term: _ASKING_WEIGHT for term in asked if about and term not in about}


def list_decided(
    reading: Reading, filters: Filters, about: frozenset[str]
) -> Mapping[int, frozenset[int]]:
    """Return the decisions on something that stand, each with what it was made of."""
    if not about:
        return {}
    near = replace(filters, doc_types=_MEMORIES)
    found: dict[int, frozenset[int]] = {}
    for kept in reading.find_of_kind(_KIND, sorted(about), near):
        if not kept.traits & _SUPERSEDED and _is_about(_read(reading, kept), about):
            found.setdefault(kept.key, frozenset(reading.ties(kept.place).drawn_from))
    return found


def lead_with_decided(
    ranked: Sequence[Ranked],
    decided: Mapping[int, frozenset[int]],
    stands_for: Mapping[int, int],
) -> tuple[Ranked, ...]:
    """Put the best of some decisions first, each as the row that tells it."""
    rows = {stands_for.get(key, key) for key in decided}
    rows |= {source for sources in decided.values() for source in sources}
    moved = [each for each in ranked if each.candidate.key in rows][:_MOVED_MAX]
    best = ranked[0].score if ranked else 0.0
    lifted = [
        replace(each, score=max(each.score, best * (1 + (_ABOVE - 1) * (len(moved) - at))))
        for at, each in enumerate(moved)
    ]
    names = {each.candidate.key for each in moved}
    return (*lifted, *(each for each in ranked if each.candidate.key not in names))


def _read(reading: Reading, kept: Kept) -> str:
    return reading.hit(kept.place, 0.0).passage


def _is_about(passage: str, about: frozenset[str]) -> bool:
    return coverage(about, frozenset(terms(passage))) >= _SAME_SHARE
