"""Which decision took an older one back.

A newer decision replaces an older one when it is on the same subject and says so ("instead
of", "switch from X to Y", "after all"), when the same question was answered differently, or
when it gives another value for the same thing. Two decisions that only share a word stand
side by side: a decision that is wrongly called superseded is lost to the reader.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable

from agentx.kernel.clock import Millis
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose.cues import TAKES_BACK
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import likeness

Decided = tuple[str, Millis, str]  # id, time, text
Terms = frozenset[str]

_ASKED = compile_late(r"\AAsked: (.+?)\n(?:The user (?:answered|said): )?(.+)\Z", re.DOTALL)
_SAID = compile_late(r"\A(?:Asked: .*\n)?(?:The user \w+(?:, and \w+ \w+ \w+)?:\s*)?")
_LEFT = compile_late(
    r"\b(?:instead of|rather than|switch(?:ed|ing)? from|mov(?:e|ed|ing) (?:away )?from|no longer"
    r"|drop(?:ped|ping)?|replac(?:e|es|ed|ing)|away from|statt|revert(?:ed|ing)?|abandon(?:ed)?)"
    r"\s+(?:to\s+|use\s+|using\s+|the\s+|a\s+|an\s+|our\s+|einer?\s+)*([^,.;:\n]{2,60}?)"
    r"(?=\s+(?:to|with|for|in|and|because|after|by|since|as)\b|[,.;:\n]|\Z)",
    re.IGNORECASE,
)
_NUMBER = compile_late(r"\b\d[\w.]*\b")
_SAME_SUBJECT = 0.75
_SAME_BUT_NUMBERS = 0.8
_SHARED_MIN = 2
_BRIEF_TERMS_MAX = 12  # who says so little means what is named
_CHARS_READ_MAX = 1_000
# Of the decisions that share a word with a new one, the newest are looked at.
_CANDIDATES_MAX = 100


def find_superseded(
    decisions: Iterable[Decided], *, by: Collection[str] | None = None
) -> list[tuple[str, str]]:
    """Return pairs of an older decision's id and the id of the one that replaced it.

    `by` names the newer ones that are asked about; all are, where it is None.
    """
    ordered = sorted(decisions, key=lambda one: (one[1], one[0]))
    holders: dict[str, list[int]] = defaultdict(list)
    read: list[_Read] = []
    found: dict[str, str] = {}
    for index, (name, _, text) in enumerate(ordered):
        mine = _read(text)
        if (by is None or name in by) and mine.may_replace:
            sharing = {at for term in mine.all for at in holders[term][-_CANDIDATES_MAX:]}
            for at in sorted(sharing, reverse=True)[:_CANDIDATES_MAX]:
                old = ordered[at][0]
                if old not in found and _replaces(mine, read[at]):
                    found[old] = name
        for term in mine.all:
            holders[term].append(index)
        read.append(mine)
    return sorted(found.items())


@frozen
class _Read:
    """A decision as it is compared."""

    said: Terms
    asked: Terms
    answered: Terms
    left: tuple[Terms, ...]  # what it names as given up
    numbers: frozenset[str]
    besides_numbers: Terms
    takes_back: bool

    @property
    def all(self) -> Terms:
        return self.said | self.asked

    @property
    def may_replace(self) -> bool:
        return bool((self.takes_back and self.left) or self.asked or self.numbers)


def _read(text: str) -> _Read:
    text = text[:_CHARS_READ_MAX]
    question = _ASKED.match(text)
    said = _SAID.sub("", text)
    return _Read(
        said=terms(said),
        asked=terms(question[1]) if question else frozenset(),
        answered=terms(question[2]) if question else frozenset(),
        left=tuple(terms(found) for found in _LEFT.findall(said)),
        numbers=frozenset(_NUMBER.findall(said)),
        besides_numbers=terms(_NUMBER.sub(" ", said)),
        takes_back=TAKES_BACK.search(said) is not None,
    )


def _replaces(new: _Read, old: _Read) -> bool:
    return _answers_anew(new, old) or _takes_back(new, old) or _sets_anew(new, old)


def _answers_anew(new: _Read, old: _Read) -> bool:
    """Tell whether the same question was answered differently."""
    same = likeness(new.asked, old.asked) >= _SAME_SUBJECT
    return same and new.answered != old.answered


def _takes_back(new: _Read, old: _Read) -> bool:
    """Tell whether a decision names what it leaves, and the older one was for just that."""
    if not new.takes_back:
        return False
    shared = new.said & old.said
    for about in new.left:
        # What the older one itself left behind is no choice of it.
        if not about or any(about & one for one in old.left):
            continue
        brief = about <= old.said and len(old.said) <= _BRIEF_TERMS_MAX
        if brief or (2 * len(about & old.said) >= len(about) and len(shared) >= _SHARED_MIN):
            return True
    return False


def _sets_anew(new: _Read, old: _Read) -> bool:
    """Tell whether two decisions differ in nothing but a number."""
    if not new.numbers or not old.numbers or new.numbers & old.numbers:
        return False
    first, second = new.besides_numbers, old.besides_numbers
    if min(len(first), len(second)) < _SHARED_MIN:
        return False
    return len(first & second) >= _SAME_BUT_NUMBERS * max(len(first), len(second))
