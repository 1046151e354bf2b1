"""Who goes back to what was left takes back what had left it.

    "switch from cookies to JWT for the session"      "return to cookies for the session"
    "we moved from Fly to Hetzner"                    "wir gehen zur\u00fcck zu Fly"

What is said to be for another thing than the older one takes nothing back.
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.observations.validity.given_up import is_said_by_user, list_given_up
from agentx.observations.validity.reading import ComparedMemory
from agentx.prose.keyphrases import terms

_RETURNS = compile_late(
    r"(?i:\b(?:(?:go(?:es|ing)?|switch(?:ed|ing)?|mov(?:e|ed|ing)|return(?:ed|ing)?|come|came|went"
    r"|get|got|are|is|roll(?:ed)?) (?:\w+ )?back (?:to|on|with)|back (?:to|on|with)"
    r"|return(?:ed)? to|zur\u00fcck (?:zu|zum|zur|auf)|(?:doch )?wieder (?:mit|auf|zu)?|volvemos a"
    r"|vuelve a|otra vez|on revient (?:\u00e0|sur)|retour (?:\u00e0|sur)|torniamo a"
    r"|voltamos (?:a|para))"
    r" (?:the |our |using |use |use of |a |an |der |die |das |dem |el |la |le )?"
    r"(?P<thing>[\w.@+/`-]+(?: (?!for|in|on|with|and|because|since|f\u00fcr|para|pour|per)"
    r"[\w.@+/`-]+)?)"
    r"(?: (?:for|in|on|f\u00fcr|para|pour|per) (?:the |our |all |der |die |das |el |la |le )?"
    r"(?P<scope>[^,.;:\n]{2,60}))?)"
)


def may_return(text: str) -> bool:
    """Tell whether a text goes back to something."""
    return _RETURNS.search(text) is not None


def returns_to(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether a person went back to just what the older one had left."""
    if not (is_said_by_user(new.of.text) and old.is_prescribed) or new.of.at_ms <= old.of.at_ms:
        return False
    left = [frozenset(each.words) for each in list_given_up(old.of.text, old.of.category)]
    left += old.left
    for match in _RETURNS.finditer(new.text):
        thing = terms(match["thing"])
        if not terms(match["scope"] or "") <= old.said:
            continue
        if any(each and (each <= thing or (thing and thing <= each)) for each in left):
            return True
    return False
