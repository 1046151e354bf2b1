"""What an observation says, as it is compared with others: without the template's words.

Two observations say the same when most of their words are the same, they name the same numbers,
both or neither deny it, and where a person answered, the answers are the same. Labels ("Asked:",
"Cause:"), names of commits, what AgentX wrote itself ("Again on ...") and what people say around
what they mean ("ok.", "as I said", ", remember") do not count.
"""

from __future__ import annotations

import re
from dataclasses import replace

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.observations.model import Category, Observation
from agentx.prose.keyphrases import terms

# A label of up to four words before what was said; a path or an address has no space after it.
_LABEL = compile_late(r"^\s*(?:[-*]\s+)?[^\W\d_][\w']*(?: [\w']+){0,3}:\s+", re.MULTILINE)
_AGAIN = compile_late(r"^Again on .+$", re.MULTILINE)
_ANSWERED = compile_late(r"^The user (?:answered|said|chose|replied)\b[^:\n]*:\s*", re.MULTILINE)
_COMMIT = compile_late(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")
_NUMBER = compile_late(r"\d[\w.]*")
_DENIES = compile_late(
    r"\b(?:not|never|no|cannot|without|nor|none|nicht|kein\w*|nie|ohne|jamais|nunca|sin|sans)\b"
    r"|n['\u2019]t\b|\u4e0d|\u6ca1|\u306a\u3044",
    re.IGNORECASE,
)
# What says nothing of the thing itself, where it is a clause of its own ...
_POLITE = (
    r"ok(?:ay)?|please|pls|plz|thanks?(?: you)?|thx|(?:as|like) i(?:'ve| have)? (?:already )?said"
    r"(?: before| already)?|bitte|danke|wie gesagt|por favor|gracias|como (?:ya )?(?:dije|disse)"
    r"|s'il (?:te|vous) pla[i\u00ee]t|svp|stp|merci|obrigad[oa]"
    r"|comme je l'ai (?:d\u00e9j\u00e0 )?dit"
)
_ASIDE = (
    rf"{_POLITE}|remember(?: that| this| it)?|reminder|again|once (?:more|again)"
    r"|one more time|i repeat|(?:please )?(?:do not|don't|never) forget(?: that| this| it)?"
    r"|(?:keep|bear) (?:that |it )?in mind|hey|hi|well|so|yes|yeah|right|got it"
    r"|i(?:'ve| have)? (?:already )?told you(?: before| already)?"
    r"|by the way|btw|fyi|nb|note|for the record|mind you|seriously|really|important"
    r"|(?:just )?so you know|just to be clear|to be clear"
    r"|(?:denk|denkt) dran|nicht vergessen|noch ?mal|noch einmal|also|hinweis"
    r"|recuerda(?:lo)?|no (?:lo )?olvides|otra vez|lembr[ae](?:-se)?|de novo"
    r"|rappelle(?:-toi|z-vous)?|n'oublie(?:z)? pas|encore une fois"
    r"|\u8bb0\u4f4f|\u8bb0\u5f97|\u522b\u5fd8\u4e86|\u597d\u7684?|\u8bf7\u8bb0\u4f4f|\u518d\u8bf4\u4e00\u904d"
)
_STOP = r"[,.;:!?\n\u2026\u2013\u2014\u3002\uff0c\uff01\uff1a]"
_ASIDES = compile_late(
    rf"(?:^|(?<={_STOP}))\s*(?:{_ASIDE})\s*(?:{_STOP}+|$)"
    # ... or begins or ends what is said.
    rf"|^\s*(?:(?:{_POLITE}|hey|well|btw|fyi)\s+"
    r"|remember (?:that |to )?(?=never|always|no\b|not\b|don't)"
    r"|\u8bf7(?!\u6c42))"
    rf"|\s(?:{_POLITE})[\s.!]*$",
    re.IGNORECASE,
)
_BRIEF_TERMS_MAX = 3  # so few words must all be the same


@frozen
class Meaning:
    """One text as it is compared."""

    terms: frozenset[str]
    exact: tuple[str, ...]  # what must be the same: numbers, denial, a person's answer


def read_said(text: str) -> Meaning:
    """Return what a text says."""
    text = _COMMIT.sub(" ", _AGAIN.sub("", text))
    answered = _ANSWERED.split(text, maxsplit=1)[1:]
    answer = sorted(terms(_say_bare(answered[0]))) if answered else []
    if answered and not answer:
        answer = [answered[0].strip().casefold()]
    plain = _say_bare(_LABEL.sub("", _ANSWERED.sub("", text)))
    numbers = sorted({each.rstrip(".") for each in _NUMBER.findall(plain)})
    denies = ["not"] if _DENIES.search(plain) else []
    return Meaning(
        terms=frozenset(each for each in terms(plain) if not each[0].isdigit()),
        exact=(*numbers, *denies, *(f"={each}" for each in answer)),
    )


def _say_bare(text: str) -> str:
    """Return what was said without what people say around it; an aside alone is what was said."""
    text = text.replace("\u2019", "'")
    before, bare = "", text
    while before != bare:
        before, bare = bare, _ASIDES.sub(" ", bare)
    return bare if bare.strip(" ,.;:!?\u2026") else text


def read_observed(observation: Observation) -> Meaning:
    """Return what an observation says; a change of other files is another change."""
    if observation.category is not Category.CODE_CHANGE:
        return read_said(observation.content)
    meaning = read_said(observation.summary)
    return replace(meaning, exact=(*meaning.exact, *sorted(observation.files or meaning.terms)))


def are_alike(share: float, terms_max: int, *, least: float) -> bool:
    """Tell whether texts of at most so many terms that share such a part of them say the same."""
    return share >= (1.0 if terms_max <= _BRIEF_TERMS_MAX else least)


def say_same(one: Meaning, other: Meaning, *, least: float) -> bool:
    """Tell whether two texts say the same: at least such a part of their words is common."""
    if one.exact != other.exact or not one.terms or not other.terms:
        return one == other
    share = len(one.terms & other.terms) / len(one.terms | other.terms)
    return are_alike(share, max(len(one.terms), len(other.terms)), least=least)
