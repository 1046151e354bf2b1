"""Whether what is left waits for the user: an answer, or something only they can do. Tables.

An offer to go on ("Want me to commit it?", "Anything else?") waits for nobody.
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.observations.extract.left.open_words import YOU_MUST, says_open
from agentx.prose import cues
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.sentences import is_question, words
from agentx.prose.settling.next_step import NEXT_STEP

_FOR_YOU = compile_late(
    r"(?i:\b(?:waits?|waiting|on hold) (?:for|on|until) (?:you\b|your\b)"
    r"|\b(?:needs?|requires?|awaits?|lacks?) your\b|\bfrom you\b|\bby you\b|\bfor you:"
    r"|\b(?:wartet|warte) (?:noch )?auf (?:dich|euch|deine?\w*)\b|\bbitte \w+"
    r"|(?:\A|[;,:.\u2013\u2014-] |\band )please (?!note|see|find)\w+)"
)
# What there is to choose from, behind the question.
OPTIONS = compile_late(r"(?<=[?\uff1f]) \((.+ / .+)\)\Z")
_ALTERNATIVES = compile_late(r"(?i:\b(?:or|oder|ou|o)\b)|\u8fd8\u662f|\u307e\u305f\u306f")
_SHALL = cues.at_the_start(
    r"""
    should (?:i|we|the|it|they)\b | shall (?:i|we) | may i | which | what | where | how | who
    soll(?:en)? (?:ich|wir) | welche\w* | \u00bfdebo | debo | dois-je | devo
    """,
    after="so | or | and | now | also | one question | question | open question | note | then",
)
POINTS = cues.anywhere("it | that | this | them | these | those | one | das | es | eso | \u00e7a")
ABOUT_MIN = 2
_ASKING_WORDS_MIN = 8


def waits_for_user(text: str) -> bool:
    """Tell whether what is left waits for the user: an answer, or something only they can do."""
    return asks_user(text) or YOU_MUST.search(text) is not None or _FOR_YOU.search(text) is not None


def asks_user(text: str) -> bool:
    """Tell whether what waits for the user is an answer."""
    return is_question(OPTIONS.sub("", text))


def wants_answer(question: str, *, has_options: bool = False) -> bool:
    """Tell whether a question wants an answer, and not only leave to go on.

    `has_options`: there was something to choose from.
    """
    if says_open(question):
        return True
    if cues.COURTESY.match(question):
        return False
    about = terms(question)
    if _ALTERNATIVES.search(question) and len(about) >= ABOUT_MIN:
        return True
    if NEXT_STEP.search(question):
        return False
    is_asked = _SHALL.match(question) is not None
    if len(about) < ABOUT_MIN:  # "Which way do you want to go?", "Should I fill it?"
        points = len(about) == 1 and POINTS.search(question) is not None
        return is_asked and (points or has_options)
    return is_asked or (words(question) >= _ASKING_WORDS_MIN and bool(code_names(question)))
