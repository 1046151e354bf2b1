"""By which words two questions are one, whoever asks them.

The words are the same, but for what differs between two ways to type them: case, white space,
quotes around words, what ends a sentence, "the", and how an agent asks for leave ("Shall I", "May
we"). Figures, signs and names are as they are written (`exact`), and the order counts. Every
other word may tell two questions apart: "the used tokens", "my branch", "a database".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Protocol

from agentx.kernel.text import compile_late, fold_text, printable
from agentx.prose.same.exact import list_exact

Folded = tuple[tuple[str, ...], tuple[str, ...]]  # words, and what is exact among them
Key = tuple[Folded, Folded]  # of a topic and of a question

_LEAVE = compile_late(r"(?i)^(?:shall|should|may) (?:i|we)(?= )")
_SHOULD = compile_late(r"(?i)^should(?= )")
# What stands behind a letter or a figure opens nothing: 5' is not 5".
_QUOTED = compile_late(
    r"(?<!\w)(?:`([^`]+)`|\"([^\"]+)\"|'([^']+)'"
    r"|\u201c([^\u201c\u201d]+)\u201d|\u2018([^\u2018\u2019]+)\u2019)(?!\w)"
)
_ASKS = "?!\u061f\uff01\uff1f"
_ENDS = f"{_ASKS}.,;:\u2026\u3002"
_ARTICLE = "the"
_ASKED_FOR_LEAVE = "shall i"


class Worded(Protocol):
    """A question, kept or not yet."""

    @property
    def topic(self) -> str: ...
    @property
    def question(self) -> str: ...


@lru_cache(maxsize=10_000)  # each question is held against many, of every issue
def key_words(topic: str, question: str) -> Key:
    """Return what makes two questions one: of a topic and a question."""
    return key_topic(topic), _key_question(question)


def is_same_question(one: Worded, other: Worded) -> bool:
    """Tell whether two questions are one; of their topics what they do not say themselves."""
    asked, also = key_words(one.topic, one.question), key_words(other.topic, other.question)
    return asked[1] == also[1] and _list_untold(asked) == _list_untold(also)


def list_leads(question: str) -> tuple[str, ...]:
    """Return what stands in every question of the same words, in small letters."""
    words, _ = _key_question(question)
    return tuple(word for word in words if word not in _ASKED_FOR_LEAVE.split())


def _list_untold(key: Key) -> tuple[object, ...]:
    """Return the words and exact pieces of a topic that its question has not."""
    topic, question = key
    return tuple(
        tuple(each for each in of_topic if each not in of_question)
        for of_topic, of_question in zip(topic, question, strict=True)
    )


def _key_question(question: str) -> Folded:
    return _fold(_SHOULD.sub("shall", _LEAVE.sub(_ASKED_FOR_LEAVE, _show(question))))


@lru_cache(maxsize=10_000)  # as above
def key_topic(topic: str) -> Folded:
    """Return a topic without what differs between two ways to type it."""
    return _fold(_show(topic))


def _show(text: str) -> str:
    """Return a text as it is read: who copies a command that asks it copies what is shown."""
    return fold_text(printable(text))


def _fold(text: str) -> Folded:
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
