"""What a person ruled: it falls by a person's word, or by an act that undoes it, part by part.

    ruled   "Logs go to Loki, never to disk. Keep logs for 14 days."
    said    "Logs in Loki are dropped after 14 days."          an agent: nothing falls

    ruled   "ok, Redis for the cache. Sessions stay in Postgres, never in the cache"
    ruled   "redis is too expensive. replace Redis by Valkey"   the first sentence falls, not both

An act is a commit, by the line that says what it did; what is said of it beside that is an agent's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agentx.kernel.text import compile_late
from agentx.observations.labels import BY_USER
from agentx.observations.model import Category
from agentx.observations.validity.given_up import is_said_by_user
from agentx.observations.validity.reading import Comparable
from agentx.prose.cues import DENIES, LEANS, finds
from agentx.prose.keyphrases import terms
from agentx.prose.sentences import ELLIPSIS, is_question, words
from agentx.prose.settling.verdict import settles

_ANSWERED = compile_late(r"(?:\A|\W\s)The user (?:said|answered|chose|refused|approved|agreed)\b")
_SUBJECT = compile_late(r" \(commit [0-9a-f]+\)")
_BESIDE = compile_late(r"(?:;|\n)\s*(?:Asked|Given up|The agent|Why asked): ")
# Who types fast begins a sentence with a small letter.
_STOP = compile_late(r"(?<=[.!?;])(?<!e\.g\.)(?<!i\.e\.)\s+")
_POINTS_BACK = compile_late(
    r"(?i:\b(?:it|that|this|them|those|these|one|so|das|es|sie|eso|esto|lo|\u00e7a|cela|ci\u00f2|isso)\b)"
)
# How things are at the moment.
_SEEN = compile_late(
    r"(?i:\b(?:again|already|right now|at the moment|wieder|schon|otra vez|encore)\W*\Z)"
)
_WORDS_MIN = 3
_TERMS_MIN = 2
_TERMS_POINTING_MIN = 5


def is_ruled(one: Comparable) -> bool:
    """Tell whether a memory is what a person ruled, chose or answered."""
    if one.category is not Category.DECISION:
        return False
    return is_said_by_user(one.text) or _ANSWERED.search(one.text) is not None


def read_act(one: Comparable) -> Comparable | None:
    """Return a commit as the line that says what it did; None for all that is only said."""
    found = _SUBJECT.search(one.text) if one.category is Category.CODE_CHANGE else None
    return replace(one, text=one.text[: found.end()]) if found else None


def find_standing(content: str, falls: Callable[[str], bool], by: str) -> str:
    """Return what a person's ruling still says without the sentences that fell; empty if nothing.

    `falls` is asked about each sentence by itself; where none falls alone, those do that share a
    word with what replaced it (`by`).
    """
    if not content.startswith(BY_USER):
        return ""
    said = _BESIDE.split(content.removeprefix(BY_USER), maxsplit=1)[0]
    parts = _STOP.split(said.strip())
    if len(parts) <= 1:
        return ""
    stands = [not falls(BY_USER + each) for each in parts]
    if all(stands):
        about = terms(by.removeprefix(BY_USER))
        stands = [about.isdisjoint(terms(each)) for each in parts]
    if all(stands) or not any(
        stand and _rules_alone(each) for each, stand in zip(parts, stands, strict=True)
    ):
        return ""
    # What leans on a sentence that fell goes with it.
    for at in range(1, len(parts)):
        stands[at] = stands[at] and (stands[at - 1] or LEANS.match(parts[at]) is None)
    kept, last = "", -1
    for at, each in enumerate(parts):
        if stands[at] and (_rules_alone(each) or at == last + 1 > 0):
            kept += (" " if kept and at == last + 1 else f" {ELLIPSIS} " if kept else "") + each
            last = at
    return BY_USER + kept if kept else ""


def _rules_alone(sentence: str) -> bool:
    if words(sentence) < _WORDS_MIN or is_question(sentence) or LEANS.match(sentence):
        return False
    least = _TERMS_POINTING_MIN if _POINTS_BACK.search(sentence) else _TERMS_MIN
    if len(terms(sentence)) < least or _SEEN.search(sentence):
        return False
    return settles(sentence) or finds(DENIES, sentence)
