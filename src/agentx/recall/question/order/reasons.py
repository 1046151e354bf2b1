"""Why something is as it is: what states a reason for it comes first.

    why did we move to Postgres?    "... we reverse decision 1: Postgres. ... reason enough for me"

What tells of a thing most is seldom what says why it is so: a report of the move names every
word of the question, and the reason stands where the move was decided. A text states a reason
where, within two sentences, it speaks of the subject, of a choice or a cause, and gives one.

Law: what is moved up was found by the question's own words; nothing is added or lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from agentx.prose.cues import DECIDES, EXPLAINS, TAKES_BACK, anywhere
from agentx.prose.sentences import Block, sentences
from agentx.recall.question.rank import Ranked
from agentx.recall.question.when import TimeSpan, nearness
from agentx.search.analysis import terms

_REASON = anywhere(
    r"""
    '?because | '?cause (?:it|they|we|i|of|the) | reasons? | so that | due to | in order to
    which is why | that'?s why | otherwise | since (?:it|we|they|the) | told us | led (?:us )?to
    root cause | never be cheaper | wanted to | to avoid | weil | damit
    """
)
# Looked at, and moved up: few of the best state a reason, and one is enough.
_ABOVE = 1.001
_LOOKED_AT = 60
_MOVED_MAX = 1
# Of a subject of several words, one alone may stand anywhere.
_TERMS_MIN = 2
# How near to a time that was named something was said that is of it.
_NEAR_MIN = 0.5
# What matches less than this of the best is about something else.
_SHARE_MIN = 0.2


def lead_with_reasons(
    ranked: Sequence[Ranked],
    subject: frozenset[str],
    read: Callable[[Ranked], str],
    spans: Sequence[TimeSpan] = (),
) -> tuple[Ranked, ...]:
    """Put the best that state a reason first; `read` opens a passage.

    Where a question names a time (`spans`), what was said at another is no reason for it.
    """
    if not ranked or not subject:
        return tuple(ranked)
    least = _SHARE_MIN * ranked[0].score
    moved: list[Ranked] = []
    for each in ranked[:_LOOKED_AT]:
        if each.score < least or len(moved) == _MOVED_MAX:
            break
        if is_of(each, spans) and states_reason(read(each), subject):
            moved.append(each)
    best = _ABOVE * ranked[0].score
    first = {each.candidate.key for each in moved}
    lifted = [replace(each, score=max(each.score, best)) for each in moved]
    return (*lifted, *(each for each in ranked if each.candidate.key not in first))


def is_of(each: Ranked, spans: Sequence[TimeSpan]) -> bool:
    """Tell whether something was said at one of some times; any will do where none is named."""
    at_ms = each.candidate.timestamp_ms
    return not spans or any(nearness(at_ms, span) >= _NEAR_MIN for span in spans)


def states_reason(text: str, subject: frozenset[str]) -> bool:
    """Tell whether a text gives a reason for something about a subject."""
    if not _REASON.search(text):
        return False
    said = sentences(text)
    least = min(len(subject), _TERMS_MIN)
    # The items of a list are said of different things.
    beside = [
        f"{one.text} {other.text}"
        for one, other in pairwise(said)
        if not (one.block is other.block is Block.ITEM and "\n" in text[one.start : other.start])
    ]
    beside += [each.text for each in said if each.block is Block.ITEM or len(said) == 1]
    beside = beside or [text]
    return any(
        _REASON.search(part)
        and any(cue.search(part) for cue in (DECIDES, TAKES_BACK, EXPLAINS))
        and len(subject.intersection(terms(part))) >= least
        for part in beside
    )
