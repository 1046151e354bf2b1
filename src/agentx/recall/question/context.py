"""How well what is remembered answers a context: a prompt, a task, a question.

retries of webhooks         what begins with these words, before what only holds them
which database do we use?   the decision for one, though it does not say what it is
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

from agentx.kernel.text import compile_late
from agentx.observations.model import Category, Observation
from agentx.prose.keyphrases import terms
from agentx.prose.tools.choosing import weigh_choice
from agentx.prose.tools.kinds import read_kind

_STEM_CHARS_MIN = 3  # of a word stay as they are, whatever ending it loses
_NAME = compile_late(r"\w+[-_]\w[\w-]*|\b[a-z]+[A-Z]\w*")
_JOINT = compile_late(r"[-_]|(?<=[a-z])(?=[A-Z])")
_CONTEXT_CHARS_MAX = 4_000
# What a line is about stands at its beginning.
_SUBJECT_CHARS = 80
_LATER_SHARE = 0.6
_HELD_SHARE = 0.3
_OTHER_SHARE = 0.3  # of an answer that names no tool of the kind that is asked for


def match_context(
    known: Sequence[Observation],
    lines: Sequence[str],
    said: Sequence[frozenset[str]],
    context: str,
) -> list[float]:
    """Return how well each memory answers a context, the best being 1: rare words count most.

    What its line begins with counts most, then what it says; what else the memory holds, and what
    is only a part of a name, a little.
    """
    asked = terms(context[:_CONTEXT_CHARS_MAX])
    if not asked:
        return [0.0] * len(known)
    starts = frozenset(word[:_STEM_CHARS_MIN] for word in asked)
    held = [
        _list_held(one.content, words if one.content == line else None) & asked
        if _may_hold(one.content, starts)
        else frozenset[str]()
        for one, line, words in zip(known, lines, said, strict=True)
    ]
    holders = Counter(word for words in held for word in words)
    rare = {word: log(1 + len(known) / count) for word, count in holders.items()}
    found = []
    for line, words, besides in zip(lines, said, held, strict=True):
        begun = terms(line[:_SUBJECT_CHARS]) if besides else frozenset()
        found.append(
            sum(
                rare[word]
                * (1.0 if word in begun else _LATER_SHARE if word in words else _HELD_SHARE)
                for word in besides
            )
        )
    best = max(found, default=0.0)
    answers = [each / best for each in found] if best else found
    kind = read_kind(context[:_CONTEXT_CHARS_MAX])
    return _match_tools(known, lines, answers, kind.tools) if kind else answers


def _match_tools(
    known: Sequence[Observation],
    lines: Sequence[str],
    answers: list[float],
    tools: frozenset[str],
) -> list[float]:
    """Return how well each answers who asks which tool of a kind is used: what settles on one."""
    weights = [
        weigh_choice(line, tools) if one.category is Category.DECISION else 0
        for one, line in zip(known, lines, strict=True)
        if tools
    ]
    if not any(weights):
        return answers
    return [
        weight / 2 if weight else answer * _OTHER_SHARE
        for weight, answer in zip(weights, answers, strict=True)
    ]


def _may_hold(text: str, starts: frozenset[str]) -> bool:
    """Tell of most texts, without taking them apart, that they hold no word that begins so."""
    lowered = text.lower().replace("\u2019", "'")
    return any(start in lowered for start in starts)


def _list_held(text: str, known: frozenset[str] | None = None) -> frozenset[str]:
    """Return the words of a text, and those that its names are made of: `Retry-After`, `runAt`."""
    words = terms(text) if known is None else known
    names = _NAME.findall(text)
    return words | terms(_JOINT.sub(" ", " ".join(names))) if names else words
