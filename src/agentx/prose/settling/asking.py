"""What only asks for an answer or for work, and settles nothing."""

from __future__ import annotations

import re

from agentx.kernel.text import compile_late
from agentx.prose import cues
from agentx.prose.sentences import is_question, sentences
from agentx.prose.titles import phrase_title

# People often ask without a mark. "Can we ..." is a wish.
_ASKS = compile_late(
    r"\W*(?:(?:and|so|but|ok|okay|also|then|hm+)[, ]+)*"
    r"(?:what|why|how|where|when|which|who|do|does|did|is|are|was|were|has|have)(?:'s|'re)? "
    r"(?:you|we|it|they|he|she|the|this|that|there|these|those|your|our|my|i|a|an)\b"
    r"|(?:(?:and|so|but|also|then)[, ]+)*(?:how|why) (?:do|does|did|is|are|was|can|should)\b",
    re.IGNORECASE,
)
# "doesn't that mean ..."
_ASKS_IF = compile_late(
    r"\b(?:does|do|is|are|was|were|did|has)n'?t (?:that|this|it|there|they)\b", re.IGNORECASE
)
_WISHES = compile_late(
    r"\b(?:can'?t|couldn'?t|shouldn'?t|why (?:not|don'?t)) (?:we|you)\b", re.IGNORECASE
)


_REQUESTS = compile_late(
    r"(?:(?:ok(?:ay)?|and|so|also|now|then|hm+|i think)[, ]+)*"
    r"(?:please|(?:can|could|would) (?:you|we)|we need to|you need to)\b",
    re.IGNORECASE,
)


# What says how.
CONSTRAINS = cues.anywhere(
    r"""
    but | instead | rather than | (?:don'?t|do not|doesn'?t) | never | always | must | without
    keep | not | except | only (?:if|when|for|on) | because | so that | no longer | should be
    """
)


def only_asks(text: str) -> bool:
    """Tell whether a text asks for information; "can't we use X?" is a wish."""
    said = sentences(text)
    if not said or _WISHES.search(text):
        return False
    return all(
        is_question(one.text) or _ASKS.match(one.text) or _ASKS_IF.search(one.text) for one in said
    )


def only_requests(text: str) -> bool:
    """Tell whether a text wants something done and does not say how: a request settles nothing."""
    asked = [one.text for one in sentences(text)]
    return any(
        _REQUESTS.match(one) or cues.COMMANDS.match(phrase_title(one)) for one in asked
    ) and not CONSTRAINS.search(text)
