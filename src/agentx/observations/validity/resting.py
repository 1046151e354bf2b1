"""What rested on a choice that was overturned: what recommended it, and what was built on it.

    overturned: "yes, S3"        by: "Switch from S3 to MinIO"
    rested on it: "I recommend S3 because ...", "Blobs go to S3 under `tenant/`"
    did not: "S3 has no rename", "The bill of S3 comes on the first"

    overturned: "ok fck-nat"     by: "Staging: one gateway instead of fck-nat"
    rested on it: "Staging runs on fck-nat."
    did not: "Prod runs on fck-nat.", "Staging logs go to fck-nat's disk."

Laws: it is of the session of the choice, or says of the same thing where it is now. What replaced
it and names for what holds for that alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.observations.labels import LABELS
from agentx.observations.model import Category
from agentx.observations.validity.given_up import (
    Thing,
    is_said_by_user,
    is_spoken_against,
    list_left_plainly,
    strip_beside,
)
from agentx.observations.validity.reading import ComparedMemory
from agentx.prose.cues import anywhere
from agentx.prose.keyphrases import terms
from agentx.prose.sentences import is_question

_CHOSEN = (
    r"(?:recommend(?:s|ed)?|suggest(?:s|ed)?|propose[sd]?|use[sd]?|using|chose|choose|pick(?:ed)?"
    r"|take|took|prefer(?:red)?|adopt(?:ed|s)?|introduced?|added|(?:go|going|went) (?:for|with)"
    r"|settled on|stick(?:ing)? (?:to|with)|(?:switch|mov|migrat)(?:ed|ing) (?:over )?to"
    r"|based on|backed by|built (?:on|with)|rel(?:y|ies) on|talks? to|connects? to"
    r"|wired (?:up )?to|empfehle|empfehlen|nehme|nehmen|nutzt|nutzen|verwendet?|propose|recommande"
    r"|conseille|utilise|utilisent|recomiendo|propongo|uso|usa|usan|usamos|consiglio|usiamo"
    r"|recomendo|proponho|usamos)"
)
_VERBS = (
    r"(?:go(?:es)?|went|is|are|was|were|lives?|lands?|stor(?:e|es|ed)|kept|keeps?|sav(?:e|es|ed)"
    r"|writ(?:e|es|ten)|wrote|upload(?:s|ed)?|sends?|sent|push(?:es|ed)?|publish(?:es|ed)?|puts?"
    r"|host(?:s|ed)?|runs?|deploy(?:s|ed)?|reads?|comes?|came|serv(?:e|es|ed)|cach(?:e|es|ed)"
    r"|log(?:s|ged)?|queue[sd]?|mov(?:e|es|ed)|deliver(?:s|ed)?|built|build|builds"
    r"|sits?|authenticates?|renders?|works?"
    r"|starts?|boots?|startet|starten|d\u00e9marre(?:nt)?|arrancan?|parte|partono"
    r"|l\u00e4uft|laufen|liegt|liegen|ist|sind|geht|gehen|wird|werden|est|sont|tourne(?:nt)?"
    r"|passe(?:nt)?|va|van|est\u00e1n?|corren?|funcionan?|gira(?:no)?|\u00e8|sono|roda[mn]?|fica[mn]?)"
)
_PLACES = (
    r"(?:to|into|in|onto|on|at|from|with|via|through|by|over|behind"
    r"|auf|mit|\u00fcber|hinter|bei|sur|avec|dans|par|derri\u00e8re|en|con|sobre|por|su|com|em)"
)
_PLACED = rf"{_VERBS}(?: [\w`./-]+){{0,3}}? {_PLACES}"
_REASON = compile_late(r"(?i:,? \b(?:because|since|as|so that|although|while|when|unless)\b)")
_FIRST = compile_late(r"(?<=[.!?;])\s+|\n+")
# "Blobs go to MinIO now": who, and where it is since.
_WHERE = compile_late(
    rf"(?i:\A(?:all |the |our |now )*(?P<who>(?:[\w`./-]+ ){{1,4}}?)(?:now )?(?P<verb>{_VERBS})"
    rf"(?: now)?(?: [\w`-]+ed)? (?P<at>{_PLACES}) (?:the |our |an? )?"
    r"(?P<what>`[^`\n]{2,50}`|[^,.;:()\n]{2,50}?)"
    r"(?: now| from now on| instead)?(?=[,.;:()\n]|\Z| under | as))"
)
_SINCE = r"(?:now|again|instead|jetzt|nun|maintenant|d\u00e9sormais|ahora|ya|ora|adesso|agora)"
# Behind a name no word that makes another one of it: "a Pound license".
_ALONE = (
    r"(?! (?!(?:for|to|in|into|on|at|as|by|with|without|under|via|through|from|over|behind|and"
    r"|but|or|so|then"
    r"|because|since|when|while|which|that|is|are|was|has|here|there|too|only|f\u00fcr|und|mit|ohne"
    r"|weil|pour|et|avec|sans|para|y|con|sin|por|per|e|senza|com|sem"
    rf"|{_SINCE[3:-1]})\b)[a-z])"
)
_RECOMMENDS = compile_late(
    r"(?i:(?:so |then )?(?:i|we|my|ich|wir|je|nous|yo|io|eu)\b(?:'d| would)?|empfehle|recomiendo"
    r"|consiglio|propongo|recomendo|proponho)"
)
# "Staging: one gateway instead of fck-nat": for what it holds.
_SCOPE = compile_late(r"\A(?P<scope>[^:;\n]{2,40}?) ?: (?=\S)")
_KIND = compile_late(r"\A[a-z]+(?:\([^)\n]*\))?!?:\s")  # "feat:" says for what of a commit's kinds
_COMMITTED = compile_late(r" \(commit |;|\n")
# How a sentence begins that says more of the one before it.
_POINTS = anywhere(
    r"""
    it | its | they | them | their | that | this | these | those | both | there | so | then | he
    she | here | also | too | now | one | other | same | such | otherwise | old | former | es | er
    sie | das | dies\w* | dort | damit | dabei | alte[nrs]? | eso | esto | ese | esa | ah\u00ed
    antig\w+ | cela | cette | ces | \u00e7a | ancien\w* | ci\u00f2 | questo | questa | vecchi\w*
    isso | isto
    """
)
_ALONE_TERMS_MIN = 4
_HEAD_WORDS = 3
_NOW = compile_late(r"(?i:\b(?:now|from now on|instead|no longer|any ?more|since then)\b)")


def rests_on(things: Iterable[Thing], text: str, category: Category, by: str = "") -> bool:
    """Tell whether a memory says that something is taken, or where it is, that was given up.

    `by`: what says that it was given up.
    """
    if category in (Category.ERROR, Category.COMPACTION_SUMMARY) or text.startswith(LABELS):
        return False
    sentences = _FIRST.split(strip_beside(text))
    if is_said_by_user(text) or is_question(sentences[0]):
        return False
    scope = _read_scope(by)
    left = (*(each for each in things if each.is_name), *list_left_plainly(by))
    claims = (_REASON.split(each, maxsplit=1)[0] for each in _list_claims(sentences))
    return any(_is_taken(thing, claim, scope) for claim in claims for thing in left)


def leave_claim(things: Iterable[Thing], text: str) -> str:
    """Return what a fact still says beside the claim that rested on something; empty if nothing.

    Only what stands alone, and names none of it: "The data partition is append-only, because ..."
    """
    names = [each.said.strip("`\"' ").casefold() for each in things]
    kept = [
        each
        for each in _FIRST.split(strip_beside(text))[1:]
        if len(terms(each)) >= _ALONE_TERMS_MIN
        and not (_POINTS.search(" ".join(each.split()[:_HEAD_WORDS])) or is_question(each))
        and not any(name in each.casefold() for name in names)
    ]
    return " ".join(kept)


def _list_claims(sentences: list[str]) -> Iterator[str]:
    """Yield what a memory says first of all, and what it recommends in the end."""
    yield sentences[0]
    if len(sentences) > 1 and _RECOMMENDS.match(sentences[-1]):
        yield sentences[-1]


def _read_scope(by: str) -> frozenset[str]:
    """Return for what something was replaced, where the line that says so begins with that."""
    subject = _COMMITTED.split(by, maxsplit=1)[0]
    found = None if _KIND.match(subject) or is_said_by_user(subject) else _SCOPE.match(subject)
    return terms(found["scope"]) if found else frozenset()


def is_elsewhere_now(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether a fact says of what the older one places that it is at another place now."""
    if not (new.of.category is old.of.category is Category.KEY_FACT):
        return False
    now = _read_place(new.text)
    then = _read_place(old.text) if now and new.of.at_ms > old.of.at_ms else None
    return bool(
        now
        and then
        and now[:2] == then[:2]
        and now[2].isdisjoint(then[2])
        and now[3]
        and not is_said_by_user(old.of.text)
    )


@lru_cache(maxsize=1_500)
def _read_place(text: str) -> tuple[frozenset[str], str, frozenset[str], bool] | None:
    """Return who is where, by which preposition, and whether it is said to be so since."""
    first = _FIRST.split(text, maxsplit=1)[0]
    found = _WHERE.match(first)
    if found is None or is_question(first):
        return None
    who, what = terms(found["who"]), terms(found["what"])
    if not who or not what:
        return None
    return who, found["at"].lower(), what, _NOW.search(first) is not None


def _is_taken(thing: Thing, claim: str, scope: frozenset[str]) -> bool:
    name = thing.said.strip("`\"' ")
    # A plain word is a name only where the claim ends with it.
    ends = "" if thing.is_name else rf"(?=(?: {_SINCE})?\W*\Z)"
    if not name:
        return False
    pattern = (
        rf"\b(?P<verb>{_CHOSEN}|{_PLACED}) (?:the |our |an? |einer? |dem |der )?"
        rf"`?(?-i:{re.escape(name)})(?!['\u2019]|-?\w)(?! (?-i:[A-Z])){_ALONE}{ends}"
    )
    found = re.search(pattern, claim, re.IGNORECASE)
    if found is None or is_spoken_against(claim, thing):
        return False
    if not scope or _RECOMMENDS.match(claim):
        return True
    return not scope.isdisjoint(terms(claim[: found.end() - len(name)]))
