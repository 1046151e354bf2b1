"""What a question asks for: its subject, by the stems of its words, and what is wanted of it.

    "How long should the cache keep a page?"    cache, keep, page: how long

Whether two questions are the same goes by the words themselves (`prose.same.wording`):
what is left out here ("used", "my", "a") tells two of them apart.
"""

from __future__ import annotations

from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose import cues
from agentx.prose.keyphrases import terms
from agentx.prose.same.exact import Exact, list_exact

Signs = tuple[tuple[Exact, ...], frozenset[str]]

_WORD = compile_late(r"[^\W_]+(?:[-_.'/][^\W_]+)*")
_EMPTY = frozenset(
    (
        "a an the of for in at by as and or our we us i you your my me please so then there any "
        "is are be been being am was were do does did done will would shall should can could may "
        "might must has have had to with on if which what when where who whom whose why how many "
        "much use used uses using need needs needed want wants wanted choose chosen pick picked "
        "take taken decide decided decision question clarification choice go goes about ought "
        "supposed it's let lets whether actually exactly currently that's what's kind sort type"
    ).split()
)
_SHORT = {
    "db": "database",
    "dbs": "database",
    "repo": "repository",
    "config": "configuration",
    "auth": "authentication",
    "env": "environment",
    "postgresql": "postgres",
    "js": "javascript",
    "k8s": "kubernetes",
}
_POINTS = frozenset(
    "this that these those it its here them they current above below following other "
    "another same such second third former latter now today".split()
)
_JOINS = frozenset(("and", "or"))
_AMOUNTS = frozenset("many much long often big large far fast old high low deep wide".split())
_ASKS = {
    **dict.fromkeys(("which", "what"), "which"),
    **dict.fromkeys(("who", "whom", "whose"), "who"),
    **{word: word for word in ("when", "where", "why", "how")},
}
_MOODS = {
    **dict.fromkeys(("can", "could", "may", "might"), "can"),
    "must": "must",
    **dict.fromkeys(("need", "needs", "needed"), "need"),
    **dict.fromkeys(("want", "wants", "wanted"), "want"),
    **dict.fromkeys(("was", "were", "did", "had"), "was"),
}
_SHOULD = frozenset(("should", "shall", "ought"))


@frozen
class AskedFor:
    """What a question asks for: its subject, and what is wanted of it."""

    subject: frozenset[str]  # of topic and question
    asked: frozenset[str]  # of the question alone
    wanted: str  # which, when, how many; should, can
    denies: bool
    points: bool  # it names something by pointing at it


@lru_cache(maxsize=256)  # one question is compared with many
def read_asked(topic: str, question: str) -> AskedFor:
    """Return what a question asks for."""
    words = [found.casefold() for found in _WORD.findall(question)]
    asked = frozenset(list_terms(question))
    return AskedFor(
        subject=asked.union(list_terms(topic)),
        asked=asked,
        wanted=_read_wanted(words),
        denies=cues.finds(cues.DENIES, question),
        points=not _POINTS.isdisjoint((*words, *map(str.casefold, _WORD.findall(topic)))),
    )


def list_terms(text: str) -> tuple[str, ...]:
    """Return the words of a text that carry its subject, by their stems, in order."""
    found = (word.casefold().replace("\u2019", "'") for word in _WORD.findall(text))
    named = (_SHORT.get(word, word) for word in found if word not in _EMPTY)
    return tuple(dict.fromkeys(stem for word in named for stem in _list_stems(word)))


def read_signs(text: str) -> Signs:
    """Return what tells texts of the same words apart: what is exact, and how things are joined."""
    found = {word.casefold() for word in _WORD.findall(text)}
    return list_exact(text), _JOINS & found


def _read_wanted(words: list[str]) -> str:
    """Return what a question wants to know of its subject, and in which mood."""
    mood = next((_MOODS[word] for word in words if word in _MOODS), "")
    for at, word in enumerate(words):
        if word == "how" and words[at + 1 : at + 2] and words[at + 1] in _AMOUNTS:
            return f"how {words[at + 1]} {mood}"
        if word in _ASKS:
            return f"{_ASKS[word]} {mood}"
    if mood:
        return f"whether {mood}"
    return "whether should" if _SHOULD & {*words} else "whether"


def _list_stems(word: str) -> list[str]:
    """Return by what a word is compared: its stem, or the pairs of what is written unspaced."""
    return (sorted(terms(word)) if word.isalpha() else []) or [word]
