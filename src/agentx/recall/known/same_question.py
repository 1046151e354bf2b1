"""Whether two questions ask the same, by their words. The bar is high: a wrong answer that looks
proven costs more than a question that is asked once more.

    the same   the words that carry the subject, all of them, in questions and topics
               what is asked for (which, when, where, who, why, how, how many; can, must, was)
               a denial, or none
               figures, signs and names ("1,000", "<", "C++", "--force"), and "or" or "and"
               their order: "users call billing" is another question, and "the first" another answer
               their forms, but of a thing and things ("a token", "tokens")
               the issue, where something is only pointed at ("this page")

Only what says nothing of the subject is left out, so "before" and "after", "old" and "new", "on"
and "off" are words like others.
"""

from __future__ import annotations

from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose import cues
from agentx.prose.exact import Exact, list_exact
from agentx.prose.keyphrases import terms

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
# These carry no subject, and tell two questions apart all the same: "log in as admin".
_TELLING = frozenset(
    (
        "of for in at by as to with on and or if take taken go goes about decide decided many much "
        "kind sort type"
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
# What speaks of itself in so few words is a subject of its own in every issue.
_TERMS_ELSEWHERE_MIN = 3
_TERMS_ASKED_MIN = 2
# A stem begins as its words do.
_LEAD_CHARS = 2
# One of many is spoken of as all of them are.
_ANY = frozenset("a an any each every one per".split())
_ANY_BEFORE = 2


@frozen
class Form:
    """A word as it is written, small, and whether any of its kind is spoken of."""

    word: str
    is_any: bool
    is_name: bool


@frozen
class AskedFor:
    """What a question asks for: its subject, and what is wanted of it."""

    order: tuple[str, ...]  # the words that carry the subject, of topic and question
    asked: frozenset[str]  # of the question alone
    wanted: str  # which, when, how many; should, can
    denies: bool
    signs: Signs
    forms: tuple[Form, ...]  # the words of the question that tell it from others, one by one
    points: bool  # it names something by pointing at it

    @property
    def subject(self) -> frozenset[str]:
        """The words that carry the subject."""
        return frozenset(self.order)


@lru_cache(maxsize=256)  # one question is compared with many
def read_asked(topic: str, question: str) -> AskedFor:
    """Return what a question asks for."""
    words = [found.casefold() for found in _WORD.findall(question)]
    of_topic = [found.casefold() for found in _WORD.findall(topic)]
    asked = list_terms(question)
    seen = {*words, *of_topic}
    return AskedFor(
        order=(*asked, *(term for term in list_terms(topic) if term not in asked)),
        asked=frozenset(asked),
        wanted=_read_wanted(words),
        denies=cues.finds(cues.DENIES, question),
        signs=read_signs(question),
        forms=_list_forms(question),
        points=bool(seen & _POINTS),
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


def find_leads(asked: AskedFor) -> tuple[str, ...]:
    """Return what must stand in every question that asks the same: how its words begin."""
    # These may be written short.
    long = {stem for word in _SHORT.values() for stem in _list_stems(word)}
    leads = (term[:_LEAD_CHARS] for term in asked.order if term not in long)
    return tuple(lead for lead in leads if "'" not in lead)


def is_same(one: AskedFor, other: AskedFor, *, same_issue: bool) -> bool:
    """Tell whether two questions ask the same."""
    if one.order != other.order or not one.order:
        return False
    if (one.wanted, one.denies, one.signs) != (other.wanted, other.denies, other.signs):
        return False
    if not _are_same_forms(one.forms, other.forms):
        return False
    if same_issue:
        return True
    if one.points or other.points:
        return False
    fewest = min(len(one.asked), len(other.asked))
    return fewest >= _TERMS_ASKED_MIN and len(one.subject) >= _TERMS_ELSEWHERE_MIN


def _list_forms(text: str) -> tuple[Form, ...]:
    written = _WORD.findall(text)
    small = [word.casefold().replace("\u2019", "'") for word in written]
    return tuple(
        Form(
            word=_SHORT.get(word, word),
            is_any=not _ANY.isdisjoint(small[max(at - _ANY_BEFORE, 0) : at]),
            is_name=len(word) > 1 and written[at].isupper(),
        )
        for at, word in enumerate(small)
        if word not in _EMPTY or word in _TELLING or (at and _is_letter(written[at]))
    )


def _is_letter(word: str) -> bool:
    """Tell whether a word is the name of a plan, a drive, a section."""
    return len(word) == 1 and word.isupper() and word != "I"


def _are_same_forms(ones: tuple[Form, ...], others: tuple[Form, ...]) -> bool:
    return len(ones) == len(others) and all(map(_is_same_form, ones, others))


def _is_same_form(one: Form, other: Form) -> bool:
    """Tell whether two words of one stem mean the same: the very same, or a thing and things."""
    if one.word == other.word:
        return True
    single = min(one, other, key=lambda form: len(form.word))
    return single.is_any and not (one.is_name or other.is_name)


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
