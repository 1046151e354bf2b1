"""What a person ruled for a time is over when they order what was to come after it.

    "keep the workaround till then, then put city back"      "put city back, keep sparse"
    "only the beta users for now"                            "all users from today"

Only what says itself that it is for a time lapses.
"""

from __future__ import annotations

from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.observations.validity.given_up import is_said_by_user
from agentx.observations.validity.reading import ComparedMemory
from agentx.prose.keyphrases import terms

_FOR_A_TIME = compile_late(
    r"(?i:\b(?:until|till|til|for now|for the moment|bis|vorerst|hasta|por ahora|jusqu'\w+"
    r"|pour l'instant)\b)"
)
_THEN = compile_late(
    r"(?i:\b(?:and then|then|danach|dann|luego|despu\u00e9s|ensuite)\s+(?P<do>[^.;,\n]{4,60}))"
)
_ONLY = compile_late(r"(?i:\b(?:only|just|nur|s[o\u00f3]lo|solamente|seulement)\b)")
_ALL = compile_late(
    r"(?i:\b(?:all|every|alle[ns]?|jede[nrs]?|todos los|todas las|tous les|toutes les)"
    r" (?:the |our |der |den )?(?P<noun>\w{3,}))"
)
_SENTENCE = compile_late(r"(?<=[.!?;])\s+|\n+")


# The same memories are compared with every session that is captured.
@lru_cache(maxsize=1_500)
def is_for_a_time(text: str) -> bool:
    """Tell whether a text says that it is for a time."""
    return _FOR_A_TIME.search(text) is not None


def ends_time(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether a person ordered what an older ruling had put off, or set aside for a time."""
    if new.of.at_ms <= old.of.at_ms or not is_said_by_user(old.of.text):
        return False
    if not is_for_a_time(old.text) or is_for_a_time(new.text):
        return False
    for match in _THEN.finditer(old.text):
        wanted = terms(match["do"])
        said = (terms(each) for each in _SENTENCE.split(new.text))
        if wanted and any(wanted <= each for each in said):
            return True
    nouns = frozenset[str]().union(*(terms(match["noun"]) for match in _ALL.finditer(new.text)))
    return _ONLY.search(old.text) is not None and bool(nouns & old.said)
