"""Whether a talk goes round: the same question asked again, or asked back.

Two texts are alike when they share most of their words: an agent that asks again seldom
uses the very same sentence.
"""

from __future__ import annotations

from collections import defaultdict, deque
from functools import lru_cache
from itertools import pairwise

from agentx.clarification.limits import CLARIFY_ASKED_BACK_MAX
from agentx.clarification.model import Clarification
from agentx.kernel.text import fold_text
from agentx.prose.likeness import list_words, overlap
from agentx.prose.same.exact import list_exact

_ALIKE = 0.8


def alike(one: str, other: str) -> bool:
    """Tell whether two texts say about the same."""
    if list_exact(one) != list_exact(other):
        return False
    shared = overlap(_read_words(one), _read_words(other), least=_ALIKE)
    return shared > 0 or _same(one, other)


@lru_cache(maxsize=1_000)  # one question is held against many
def _read_words(text: str) -> frozenset[str]:
    return frozenset(list_words(text))


def repeats_itself(state: Clarification) -> bool:
    """Tell whether the newest question was asked in the round before."""
    asked = state.asked
    return len(asked) > 1 and alike(asked[-2].body, asked[-1].body)


def bounces(states: tuple[Clarification, ...]) -> frozenset[str]:
    """Return the ids of questions that ask back what their asker was asked, or ask it anew.

    Looked at within an issue. Of two, the later is named: the earlier may still be answered.
    """
    found: set[str] = set()
    for talk in _by_pair(states):
        # What two agents ask each other, each in the last that the other asked.
        asked: dict[str, deque[Clarification]] = defaultdict(
            lambda: deque(maxlen=CLARIFY_ASKED_BACK_MAX)
        )
        for later in talk:
            if any(_asks_back(earlier, later) for earlier in asked[later.to]):
                found.add(later.id)
            else:
                asked[later.asker].append(later)
        for one_way in _directions(talk):
            for earlier, later in pairwise(one_way):
                if _asks_anew(earlier, later):
                    found.add(later.id)
    return frozenset(found)


def _asks_back(earlier: Clarification, later: Clarification) -> bool:
    flipped = earlier.asker == later.to and earlier.to == later.asker
    return flipped and (
        alike(earlier.topic, later.topic) or alike(earlier.question, later.question)
    )


def _asks_anew(earlier: Clarification, later: Clarification) -> bool:
    """Tell whether the very same is asked once more although it was answered."""
    answered = earlier.answered
    if answered is None or later.created_ms < answered.at_ms:
        return False
    return _same(earlier.question, later.question) and alike(earlier.topic, later.topic)


def _same(one: str, other: str) -> bool:
    is_same = fold_text(one).casefold() == fold_text(other).casefold()
    return is_same and list_exact(one) == list_exact(other)


def _by_pair(states: tuple[Clarification, ...]) -> list[list[Clarification]]:
    """Return what two agents have between them on an issue, oldest first.

    Two issues may have had one number.
    """
    talks: dict[tuple[object, ...], list[Clarification]] = defaultdict(list)
    for state in states:
        pair = frozenset((state.asker, state.to))
        talks[state.issue, state.issue_mark.created, pair].append(state)
    return [
        sorted(talk, key=lambda state: (state.created_ms, len(state.id), state.id))
        for talk in talks.values()
        if len(talk) > 1
    ]


def _directions(talk: list[Clarification]) -> list[list[Clarification]]:
    ways: dict[str, list[Clarification]] = defaultdict(list)
    for state in talk:
        ways[state.asker].append(state)
    return list(ways.values())
