"""Whether a figure that a memory gives was called wrong since: "the 0.91 was too good".

Laws: who only speaks of a figure ("the 0.91 was measured on test") does not give it. What is
measured otherwise ("without the cache it falls from 0.91 to 0.88") corrects nothing; and why
something is so stays true whatever is measured later.
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.observations.model import Category
from agentx.observations.validity.given_up import is_said_by_user
from agentx.observations.validity.reading import ComparedMemory
from agentx.prose.cues import COMPLAINS, EXPLAINS

_SENTENCE = compile_late(r"(?<=[.!?;])\s+|\n+")
# A figure that says something by itself, and how one says that it was wrong.
_FIGURE = compile_late(
    r"(?<![Tt]he )(?<![\w.#-])(?:\d+(?:[.,]\d+)+(?![\w-])|(?<![\w.#-])\d{3,}(?![\w-]))"
)
_NUMERAL = r"\d+(?:[.,]\d+)+|\d{3,}"
_WRONG = (
    r"(?:too (?:good|high|low|optimistic)|wrong|not (?:right|true|correct|valid)|a mistake|inflated"
    r"|an? art[ei]fact|leaked|off\b|worthless|useless|invalid|meaningless|void\b|bogus|garbage"
    r"|nonsense|wertlos|falsch|ung\u00fcltig|in\u00fatil|inv\u00e1lido|faux|invalide)"
)
_WAS_WRONG = compile_late(
    rf"(?i:(?<![\w.#-])(?P<was>{_NUMERAL})[^.;:,\n]{{0,20}}"
    rf" (?:was|is|were|are|ist|war|es|est) (?:now |then |therefore |also |damit )?{_WRONG}"
    r"|\b(?:instead of|rather than|(?:down|up|falls?|fell|drop(?:s|ped)?|rises?|rose) from)"
    rf" (?:the )?(?P<then>{_NUMERAL})|\bnot (?:the )?(?P<no>{_NUMERAL})(?![\w-]))"
)
_OTHERWISE = compile_late(r"(?i:(?:with|without|if|when|ohne|mit)\b)")
# The figure in which a text ends: "the final score is 0.41."
_ENDS_IN = compile_late(rf"(?i:(?:is|was|=|:|of|to|at) (?P<figure>{_NUMERAL})[.!]?\Z)")


def names_wrong(text: str) -> bool:
    """Tell whether a text names a figure that was wrong."""
    return _WAS_WRONG.search(text) is not None


def corrects(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether a figure that the older one gives is named as one that was wrong.

    It gives it first of all; or last of all, where a person says that it is wrong.
    """
    if old.of.category not in (Category.KEY_FACT, Category.CODE_CHANGE):
        return False
    first, *more = _SENTENCE.split(old.text)
    if any(_says_why(each) for each in more):
        return False
    given = [each.rstrip(".") for each in _FIGURE.findall(first)]
    for match in _WAS_WRONG.finditer(new.text):
        if match["then"] and _OTHERWISE.match(new.text):
            continue
        figure = (match["was"] or match["then"] or match["no"]).rstrip(".")
        if figure in given and (new.said & old.said) - new.numbers:
            return True
        if match["was"] and is_said_by_user(new.of.text):
            last = _ENDS_IN.search(old.text)
            if last is not None and last["figure"].rstrip(".") == figure:
                return True
    return False


def _says_why(sentence: str) -> bool:
    is_why = EXPLAINS.search(sentence) or COMPLAINS.search(sentence)
    return is_why is not None and not _FIGURE.search(sentence)
