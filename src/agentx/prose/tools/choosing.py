"""Whether a text settles on one of some tools, or only gives tools up.

"We switched from SQLite to Postgres."    settles on one
"Throw Celery and Redis out."             gives up both
"""

from __future__ import annotations

import re
from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.prose.sentences import is_question, sentences

_NEAR = 60
# Before a name, and after it: how it is said that it was given up, or never wanted.
_GIVEN_UP = compile_late(
    r"(?i:\b(?:from|off(?: of)?|instead of|replac\w+|supersed\w+|drop\w*|thr[eo]w\w*|kill\w*"
    r"|remov\w+|leav\w+|left|abandon\w*|rid of|stop\w* using|without|not|no|never"
    r"|over|than|against|statt|weg von|kein\w*)(?: (?:use|using|the|our|on))* `?"
    r"(?:[\w./+-]+`?(?:,? (?:and|or|nor)|,) `?)*\Z)"
)
_GONE = compile_late(
    r"(?i:\A`?(?:,? (?:and|or) [\w./+-]+)?(?: (?:is|are|was|were|can|has been|have been)|'s)?"
    r" (?:out|gone|go|dead|dropped|removed|replaced|history|abandoned)\b)"
)
_SETTLES = compile_late(
    r"(?i:\b(?:us(?:e|es|ed|ing)|tak(?:e|es|ing)|took|go(?:es|ing)? with|went with"
    r"|mov(?:e|es|ed|ing)|switch\w*|migrat\w+|ch(?:oo|o)s\w*|pick\w*|revers\w+|replac\w+|decision|decided|stays?|stick"
    r"|keeps?|kept|it is|then|plan|runs? on|stands? on|nehmen|nutzen|verwenden|bleib\w+)\b)"
)
_WORDS_FIRST = 8


def weigh_choice(text: str, tools: frozenset[str]) -> int:
    """Return 2 for what settles on one of some tools, 1 for what names one, 0 for neither."""
    pattern = _spell_names(tools)
    weight = 0
    for sentence in (each.text for each in sentences(text)):
        if is_question(sentence):
            continue
        for match in pattern.finditer(sentence):
            before, after = sentence[: match.start()], sentence[match.end() :]
            if _GIVEN_UP.search(before[-_NEAR:]) or _GONE.match(after):
                continue
            leads = not weight and len(before.split()) < _WORDS_FIRST
            weight = max(weight, 2 if leads or _SETTLES.search(sentence) else 1)
    return weight


@lru_cache(maxsize=64)
def _spell_names(tools: frozenset[str]) -> re.Pattern[str]:
    names = "|".join(map(re.escape, sorted(tools, key=len, reverse=True)))
    return re.compile(rf"(?<![\w-])(?:{names})(?:\.js|ql)?(?![\w-])", re.IGNORECASE)
