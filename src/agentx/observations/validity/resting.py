"""What rested on a choice that was overturned: what recommended it, and what was built on it.

    overturned: "yes, S3"        by: "Switch from S3 to MinIO"
    rested on it: "I recommend S3 because ...", "Blobs go to S3 under `tenant/`"
    did not: "S3 has no rename", "The bill of S3 comes on the first"

Law: it is of the session of the choice, or says of the same thing where it is now.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.observations.labels import LABELS
from agentx.observations.model import Category
from agentx.observations.validity.given_up import (
    Thing,
    is_said_by_user,
    is_spoken_against,
    strip_beside,
)
from agentx.observations.validity.reading import ComparedMemory
from agentx.prose.keyphrases import terms
from agentx.prose.sentences import is_question

_CHOSEN = (
    r"(?:recommend(?:s|ed)?|suggest(?:s|ed)?|propose[sd]?|use[sd]?|using|chose|choose|pick(?:ed)?"
    r"|take|took|prefer(?:red)?|adopt(?:ed|s)?|introduced?|added|(?:go|going|went) (?:for|with)"
    r"|settled on|stick(?:ing)? (?:to|with)|(?:switch|mov|migrat)(?:ed|ing) (?:over )?to"
    r"|based on|backed by|built (?:on|with)|rel(?:y|ies) on|talks? to|connects? to"
    r"|wired (?:up )?to)"
)
_VERBS = (
    r"(?:go(?:es)?|went|is|are|was|were|lives?|lands?|stor(?:e|es|ed)|kept|keeps?|sav(?:e|es|ed)"
    r"|writ(?:e|es|ten)|wrote|upload(?:s|ed)?|sends?|sent|push(?:es|ed)?|publish(?:es|ed)?|puts?"
    r"|host(?:s|ed)?|runs?|deploy(?:s|ed)?|reads?|comes?|came|serv(?:e|es|ed)|cach(?:e|es|ed)"
    r"|log(?:s|ged)?|queue[sd]?|mov(?:e|es|ed)|deliver(?:s|ed)?|built|build|builds)"
)
_PLACES = r"(?:to|into|in|onto|on|at|from|with|via|through|by|over)"
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
_NOW = compile_late(r"(?i:\b(?:now|from now on|instead|no longer|any ?more|since then)\b)")


def rests_on(things: Iterable[Thing], text: str, category: Category) -> bool:
    """Tell whether a memory says that something is taken, or where it is, that was given up."""
    if category in (Category.ERROR, Category.COMPACTION_SUMMARY) or text.startswith(LABELS):
        return False
    first = _FIRST.split(strip_beside(text), maxsplit=1)[0]
    claim = _REASON.split(first, maxsplit=1)[0]
    if is_said_by_user(text) or is_question(first):
        return False
    return any(_is_taken(thing, claim) for thing in things)


def is_elsewhere_now(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether a fact says of what the older one places that it is at another place now."""
    if {new.of.category, old.of.category} != {Category.KEY_FACT} or new.of.at_ms <= old.of.at_ms:
        return False
    now, then = _read_place(new.text), _read_place(old.text)
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


def _is_taken(thing: Thing, claim: str) -> bool:
    name = re.escape(thing.said.strip("`\"' "))
    if not name or not thing.is_name:
        return False
    pattern = (
        rf"\b(?:{_CHOSEN}|{_PLACED}) (?:the |our |an? )?`?(?-i:{name})(?![\w-])(?! (?-i:[A-Z]))"
    )
    return re.search(pattern, claim, re.IGNORECASE) is not None and not is_spoken_against(
        claim, thing
    )
