"""What a question is after, as far as its words tell: whose words, which kind of answer.

The cues are few and of every day: somebody who says "I" asks for what they said, somebody
who says "what did you recommend" for what the agent said; "when" is answered by a text
that names a time. A cue leans, it never excludes.
"""

from __future__ import annotations

import re
from enum import StrEnum

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen


class Intent(StrEnum):
    """What kind of answer is wanted."""

    EXPLORE = "explore"  # what do we know about a subject
    ANSWER = "answer"  # a fact
    LOCATE = "locate"  # the place where something was said or done
    TIME_BOXED = "time-boxed"  # what was in a span of time


class Voice(StrEnum):
    """Whose words are wanted."""

    ANY = "any"
    USER = "user"
    ASSISTANT = "assistant"


@frozen(kw_only=False)
class Cues:
    """What the words of a question tell."""

    intent: Intent
    voice: Voice
    asks_when: bool
    asks_why: bool = False


_FIRST_PERSON = compile_late(r"\b(?:i|me|my|mine|myself)\b", re.IGNORECASE)
_ADVICE = compile_late(
    r"\b(?:you|your|agent|assistant|model)\b[^.?!]{0,60}?\b(?:recommend|suggest|told|tell|gave"
    r"|give|provid|mention|said|say|explain|list|share|advis|describ|wrote|write|propos|answer)"
    r"|\b(?:recommended|suggested|told)\s+(?:to\s+)?me\b|\bremind\s+me\b",
    re.IGNORECASE,
)
_WHEN = compile_late(
    r"\A\W*(?:when\b|(?:on\s+)?(?:what|which)\s+(?:date|day|month|year|time)\b(?!-)"
    r"|how\s+long\s+(?:ago|since)\b|since\s+when\b)",
    re.IGNORECASE,
)
_WHY = compile_late(
    r"\A\W*(?:and\s+|so\s+|but\s+)?(?:why\b|how\s+come\b|what\s+(?:made|makes)\b"
    r"|(?:what|which)\b[^.?!]{0,40}\breasons?\b|for\s+what\s+reason\b)",
    re.IGNORECASE,
)
_LOCATE = compile_late(
    r"\b(?:where|which\s+(?:session|commit|file|run|branch))\b|\bfind\b|\blocate\b", re.IGNORECASE
)
_EXPLORE = compile_late(
    r"\b(?:overview|summar\w+|everything|all\s+(?:the|about|we)|what\s+do\s+we\s+know"
    r"|state\s+of|history\s+of|across)\b",
    re.IGNORECASE,
)
_ASKING = compile_late(
    r"\A\W*(?:who|what|which|whose|when|where|why|how|is|are|was|were|do|does|did|can|could"
    r"|should|has|have|had)\b|\?\s*\Z",
    re.IGNORECASE,
)


def cues(question: str, *, has_span: bool = False) -> Cues:
    """Read the cues of a question."""
    return Cues(
        _intent(question, has_span),
        _voice(question),
        asks_when=bool(_WHEN.search(question)),
        asks_why=bool(_WHY.search(question)),
    )


def is_asking(question: str) -> bool:
    """Tell a question from a list of words."""
    return bool(_ASKING.search(question))


def _voice(question: str) -> Voice:
    if _ADVICE.search(question):
        return Voice.ASSISTANT
    return Voice.USER if _FIRST_PERSON.search(question) else Voice.ANY


def _intent(question: str, has_span: bool) -> Intent:
    if has_span:
        return Intent.TIME_BOXED
    if _EXPLORE.search(question):
        return Intent.EXPLORE
    if _LOCATE.search(question):
        return Intent.LOCATE
    return Intent.ANSWER if is_asking(question) else Intent.EXPLORE
