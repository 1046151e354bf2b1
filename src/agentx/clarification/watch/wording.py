"""By which words two questions of an issue are one, whoever asks them.

The words are the same, but for what differs between two ways to type them: case, white space,
quotes around words, what ends a sentence, "the", and how an agent asks for leave ("Shall I", "May
we"). Figures, signs and names are as they are written (`prose.exact`), and the order counts. What
memory takes for the same is more, and who asks is shown it before it counts; nobody looks before
what a person said is marked.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agentx.clarification.model import Clarification, Entry
from agentx.kernel.text import compile_late, fold_text
from agentx.prose.exact import list_exact

Key = tuple[object, ...]

_LEAVE = compile_late(r"(?i)^(?:shall|should|may|can) (?:i|we)(?= )")
_SHOULD = compile_late(r"(?i)^should(?= )")
# What stands behind a letter or a figure opens nothing: 5' is not 5".
_QUOTED = compile_late(
    r"(?<!\w)(?:`([^`]+)`|\"([^\"]+)\"|'([^']+)'"
    r"|\u201c([^\u201d]+)\u201d|\u2018([^\u2019]+)\u2019)(?!\w)"
)
_ASKS = "?!\u061f\uff01\uff1f"
_ENDS = f"{_ASKS}.,;:\u2026\u3002"
_ARTICLE = "the"


def key_asked(state: Clarification, word: Entry) -> Key:
    """Return what makes two questions of an issue one: what was asked that something answers."""
    return key_words(state.topic, state.question_of(word))


def key_awaited(state: Clarification) -> Key:
    """Return the same of what was asked last."""
    return key_words(state.topic, state.asked_last)


@lru_cache(maxsize=1_000)  # one question is held against many
def key_words(topic: str, question: str) -> Key:
    """Return the same of a topic and a question."""
    asked = _SHOULD.sub("shall", _LEAVE.sub("shall i", fold_text(question)))
    return key_topic(topic), _fold(asked)


def key_topic(topic: str) -> Key:
    """Return a topic without what differs between two ways to type it."""
    return _fold(fold_text(topic))


def _fold(text: str) -> Key:
    bare = _QUOTED.sub(_unquote, _cut_end(text))
    words = (word for word in bare.casefold().split() if word != _ARTICLE)
    return tuple(words), tuple(each.piece for each in list_exact(bare))


def _cut_end(text: str) -> str:
    """Return a text without what ends its sentence; a sign that stands alone is no end."""
    before, space, last = text.rpartition(" ")
    bare = last.rstrip(_ENDS)
    bare = bare if any(map(str.isalnum, bare)) else last.rstrip(_ASKS)
    return f"{before}{space}{bare}".rstrip() or text


def _unquote(found: re.Match[str]) -> str:
    inner = found[found.lastindex or 0]
    return inner if any(map(str.isalnum, inner)) else found[0]
