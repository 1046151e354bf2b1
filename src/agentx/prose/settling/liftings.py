"""How a person lifts a ban: "X works again, you can use it", "du kannst X wieder benutzen".

What is lifted is named, or is the subject of what is said just before it. Such a sentence is put
as one that allows the thing: "you can use X again". What is allowed for a part, in some case or
not yet lifts nothing.
"""

from __future__ import annotations

import re

from agentx.kernel.text import compile_late
from agentx.prose.sentences import is_question, once_a_line

_OPENING = (
    r"\W*(?:(?:ok(?:ay)?|well|so|and|but|also|good|great|btw|by the way|fyi|note|yes|und|also|gut"
    r"|y|et)\b[\s,.!:;-]+)*"
)
_ARTICLES = "(?:the |our |die |der |das |den |el |la |le )?"
_WORDS = r"[^\s,;:!?](?:[^,;:!?\n]{0,38}?[^\s,;:!?])??"
_X, _Y = (rf"{_ARTICLES}(?P<{each}>{_WORDS})" for each in "xy")
_IT = r"(?:it|them|that one|this one|that|ihn|sie|es|das|lo|la)"
_DEED = r"(?:use|run|call|take|deploy (?:to|on)|train on|touch|book|work with|rely on)"
_BENUTZEN = r"(?:be)?nutzen|ben\u00fctzen|verwenden|einsetzen|nehmen|anfassen|buchen"
_BENUTZT = r"(?:be)?nutzt|verwendet|eingesetzt|genommen|gebucht"
# Said of the thing itself: it is in order now.
_IN_ORDER = (
    r"(?:(?:is|are) (?:fine|ok(?:ay)?|good|safe|usable|allowed|up|healthy|fixed|repaired|back)"
    r"(?: again| now)*|(?:works?|runs?) (?:fine |well )?(?:again|now)"
    r"|(?:got|has|have|had|was|were|is|are) (?!not\b|no\b|n[o']t\b)[^,;:!?\n]{2,50}?"
    r"|(?:geht|gehen|funktioniert|funktionieren|l\u00e4uft|laufen) (?:jetzt )?wieder"
    r"|(?:ist|sind|hat|haben|wurde) (?!nicht\b|kein)[^,;:!?\n]{2,50}?)"
)
_MAY_IT = (
    r"(?:(?:so )?(?:you|we) (?:can|may)(?: now)? "
    rf"{_DEED} {_IT}(?: again| now)*"
    rf"|(?:so |please |just |feel free to )*{_DEED} {_IT}(?: again| now)*"
    rf"|(?:du kannst|ihr k\u00f6nnt|wir k\u00f6nnen) {_IT} (?:jetzt )?(?:wieder )?(?:{_BENUTZEN})"
    rf"|{_IT} (?:can|may) be used(?: again| now)*)"
)
_END = r"(?:,? (?:please|pls|from now on|bitte))?\W*\Z"
_LIFTS = tuple(
    compile_late(rf"{_OPENING}(?:{form}){_END}", re.IGNORECASE)
    for form in (
        rf"{_X} {_IN_ORDER}(?:,| and|;|:| -| und| so)+ {_MAY_IT}",
        rf"(?:you|we) (?:can|may)(?: now)? {_DEED} {_X} again(?: now)?",
        rf"feel free to {_DEED} {_X} again",
        rf"{_X} (?:can|may) (?:now )?be (?:used|run|called|touched|booked) (?:again|now)",
        rf"{_X} (?:is|are) (?:allowed|usable|fine|ok(?:ay)?) (?:to use )?again(?: now)?",
        (
            rf"(?:du kannst|ihr k\u00f6nnt|du darfst|ihr d\u00fcrft|wir k\u00f6nnen) {_X}"
            rf" (?:jetzt |nun )?wieder (?:{_BENUTZEN})"
        ),
        (
            rf"{_X} (?:kann|k\u00f6nnen|darf|d\u00fcrfen) (?:jetzt )?wieder (?:{_BENUTZT})"
            r" werden"
        ),
        (
            rf"(?:ya )?(?:puedes|pod\u00e9is|podemos) (?:volver a usar {_X}"
            rf"|usar {_Y} (?:de nuevo|otra vez))"
        ),
        (
            rf"(?:tu peux|vous pouvez|on peut) (?:r\u00e9utiliser {_X}"
            rf"|(?:\u00e0|de) nouveau utiliser {_Y})"
        ),
    )
)
_ANEW = compile_late(
    r"(?i:\b(?:again|now|wieder|jetzt|nun|de nuevo|otra vez|volver|r\u00e9utiliser|nouveau|fixed"
    r"|repaired|back)\b)"
)
# In some case, of a part, or not yet.
_HEDGED = compile_late(
    r"(?i:\b(?:if|once|when|unless|until|till|only|except|but not|maybe|perhaps|might|soon|tomorrow"
    r"|wenn|sobald|bis|nur|au\u00dfer|si|cuando|quand|seulement|solo)\b)"
)
# Names nothing, or says for what: a part of it.
_UNNAMED = compile_late(
    r"(?i:(?:it|they|that|this|everything|i|we|you|he|she|there|es|das|sie|ihn|one|which|who)\Z"
    r"|.*\b(?:for|in|on|at|with|f\u00fcr|bei|para|pour|not|never|no)\b)"
)
_CHARS_MAX = 240


@once_a_line
def lifts(text: str) -> bool:
    """Tell whether a sentence of a person says that something may be used again."""
    return bool(find_lifted(text))


@once_a_line
def find_lifted(text: str) -> str:
    """Return what a sentence says may be used again; nothing where it lifts no ban."""
    if len(text) > _CHARS_MAX or not _ANEW.search(text):
        return ""
    if is_question(text) or _HEDGED.search(text):
        return ""
    for form in _LIFTS:
        found = form.match(text)
        if found is None:
            continue
        name = next((each for each in found.groups() if each), "").strip()
        if name and not _UNNAMED.match(name):
            return name
    return ""


def put_lifting(sentence: str) -> str:
    """Return a sentence that lifts a ban as one that allows the thing; any other as it is."""
    name = find_lifted(sentence)
    return f"you can use {name} again" if name else sentence
