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
_ALTERNATIVES = compile_late(
    r"(?i:\b(?:or|oder|ou|o)\b)|\u8fd8\u662f|\u307e\u305f\u306f|\u305d\u308c\u3068\u3082|\u0438\u043b\u0438|\uc544\ub2c8\uba74"
)
_LEADING = r"""
    so | or | and | now | also | one question | question | open question | note | then | y
    et | e | und | oder | o | ou
"""
# Somebody asks what is to be done.
_SHALL_I = cues.at_the_start(
    r"""
    should (?:i|we|the|it|they|this|that|these)\b | shall (?:i|we) | may i
    soll(?:en)? (?:ich|wir|es|das|die|der)
    debo | deber\u00eda | debemos | hay que | quieres que | prefieres | l[oa]s? dejo
    dois-je | faut-il | doit-on | est-ce (?:que|qu'on) | veux-tu | voulez-vous | pr\u00e9f\w+-\w+
    devo | dobbiamo | vuoi che | preferisci | lascio | quer que | queres que | devemos | prefere\w*
    moet(?:en)? (?:ik|we|het) | zal ik | \u043d\u0443\u0436\u043d\u043e \u043b\u0438
    \u0441\u0442\u043e\u0438\u0442 \u043b\u0438
    """,
    after=_LEADING,
)
_SHALL_AT_END = compile_late(r"(?i:[,;] (?:shall|should) (?:i|we)\?)")
# "Which approach do you prefer?": what there is to choose from was said before.
_WHICH_WAY = compile_late(
    r"(?i:\W*(?:so |and |also )*(?:which|what)\b[^?]{0,40} (?:do|would|should) (?:you|i|we)\b"
    r"|\W*welche\w*\b[^?]{0,40} (?:soll|sollen|willst|wollen|m\u00f6chtest|h\u00e4ttest)\b"
    r"|\W*(?:cu\u00e1l\w*|qu\u00e9)\b[^?]{0,40} (?:prefieres|quieres|hago|dejo|pongo)\b"
    r"|\W*quel\w*\b[^?]{0,40} (?:pr\u00e9f\w+|veux|voulez|dois)\b"
    r"|\W*qua(?:le|li|l|is)\b[^?]{0,40} (?:prefer\w+|vuoi|quer\w*|devo)\b)"
)
_OF_CHOOSING = terms("approach prefer option way choose choice like go variant")
_ASKS_UNSPACED = compile_late(
    r"(?:\u307e\u3059\u304b|\u3067\u3057\u3087\u3046\u304b|\u3079\u304d\u304b|\u3079\u304d\u3067\u3059\u304b|\u3069\u3061\u3089"
    r"|\u8981\u4e0d\u8981|\u662f\u5426|\u5417|\u54ea|\uae4c\uc694|\ud560\uae4c)"
)
_WHICH = cues.at_the_start(
    r"""
    which | what | where | how | who
    welche\w* | quel\w* | qu\u00e9 | cu\u00e1l\w* | quale | quali | quais | welke
    \u043a\u0430\u043a\w+
    """,
    after=_LEADING,
)
# "Skip it or build it? Your call."
_LEAVES_IT = cues.at_the_start(
    r"""
    (?:it'?s |it is |that'?s |that is )?(?:your call | up to you | your (?:choice|decision))
    you (?:decide|choose|pick) | (?:das ist )?deine entscheidung | du entscheidest | sag du
    (?:t\u00fa )?decides(?: t\u00fa)? | como prefieras | lo que prefieras | la decisi\u00f3n es tuya
    \u00e0 toi de (?:voir|choisir|d\u00e9cider) | c'est toi qui
    comme tu (?:veux|pr\u00e9f\u00e8res)
    come preferisci | decidi tu | a scelta tua | voc\u00ea decide | tu decides | jij beslist
    """
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


def offers_ways(text: str) -> bool:
    """Tell whether a sentence names what there is to choose from."""
    return ":" in text and _ALTERNATIVES.search(text) is not None


def read_question(question: str) -> frozenset[str]:
    """Return what a question is about, beside that something is to be chosen."""
    return terms(question) - _OF_CHOOSING


def asks_what_to_do(question: str) -> bool:
    """Tell whether a question asks what is to be done, and not how something is."""
    if (
        _WHICH_WAY.match(question)
        or _SHALL_I.match(question.lstrip("\u00bf"))
        or _SHALL_AT_END.search(question)
    ):
        return True
    return _ASKS_UNSPACED.search(question) is not None


def leaves_to_you(text: str) -> bool:
    """Tell whether a sentence leaves what was asked before it to the user."""
    return _LEAVES_IT.match(text) is not None


def wants_answer(question: str, *, has_options: bool = False, is_left: bool = False) -> bool:
    """Tell whether a question wants an answer, and not only leave to go on.

    `has_options`: there was something to choose from. `is_left`: it is left to the user in words.
    """
    is_open = says_open(question)
    if is_open or cues.COURTESY.match(question):
        return is_open
    about = read_question(question)
    if _ALTERNATIVES.search(question) and len(about) >= (1 if is_left else ABOUT_MIN):
        return True
    if NEXT_STEP.search(question):
        return False
    if is_left:
        return bool(about)
    is_asked = _WHICH.match(question.lstrip("\u00bf")) is not None or asks_what_to_do(question)
    if len(about) < ABOUT_MIN:  # "Which way do you want to go?", "Should I fill it?"
        points = len(about) == 1 and POINTS.search(question) is not None
        return is_asked and (points or has_options)
    return is_asked or (words(question) >= _ASKING_WORDS_MIN and bool(code_names(question)))
