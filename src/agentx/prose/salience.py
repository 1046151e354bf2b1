"""How much a passage is worth to whoever comes after, from what can be seen of it.

A passage is weighed by signs: who said it and where, whether it names code, says why, says
what is not so, claims a change, hedges, asks. The weights are log-odds, fitted to labelled
sessions by logistic regression and rounded. Those of a decision, of an error, of a stumble, of
a commit, of what the user was shown and of what was left open at the end were set by hand: few of
those sessions held one. `docs/observations.md` says how well they do on projects they were not
fitted to. No sign is a word of a project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from math import exp, log1p

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose import cues
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.sentences import words


class Occasion(Enum):
    """Where a passage was said."""

    PROMPT = "prompt"  # by a person
    CLOSING = "closing"  # in the reply that ends an exchange
    STEP = "step"  # by the agent, on its way
    REPORT = "report"  # by another agent, to this one
    PLAN = "plan"
    CHANGE = "change"  # an edit or a commit, with what was said of it
    DECISION = "decision"  # an answer, a choice, an approved plan
    ERROR = "error"  # a failure, with its cause and its fix
    STUMBLE = "stumble"  # a command that does not work here, with the one that does
    LEFT = "left"  # what the session left open
    SHOWN = "shown"  # what went wrong for the user, and was pasted


@frozen
class Speech:
    """A passage, and what can be seen of the place where it was said."""

    text: str
    source: Occasion
    index: int = 0  # among the passages of its turn
    count: int = 1  # how many these are
    turn_chars: int = 0
    turn_lines: int = 1
    is_last: bool = False  # said in the last exchange of the session
    has_edits: bool = False  # something was edited in its exchange
    steps: int = 0  # how many tools were used in its exchange
    items: int = 1  # how many items of a list it joins
    written: float = 0.0  # how many of its words were written into files and commits
    support: int = 0  # how often the same is said elsewhere in the session
    frequency: float = 0.0  # how common its words are in the session, as a mean of logs


def _sign(pattern: str) -> re.Pattern[str]:
    """Return a sign to be looked for in a text without capitals."""
    return compile_late(rf"\b(?:{pattern})\b")


_CODE = compile_late(r"`[^`\n]+`")
_COMMAND = compile_late(r"`[a-z]+ [^`]+`")
_HASH = compile_late(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")
_DENIES = _sign(
    r"not|no longer|instead|rather than|but|however|only|never|without|cannot|can't|doesn't|don't"
    r"|didn't|isn't|won't|nothing|already|unless|except|even"
)
_OBLIGES = _sign(r"must|should|needs? to|has to|have to|requires?|required|can be|may")
_DID = _sign(
    r"added|removed|changed|created|fixed|deleted|renamed|moved|replaced|updated|committed|pushed"
    r"|merged|implemented|refactored|extracted|introduced|dropped|reverted|wrapped|split|rebased"
    r"|opened|closed|configured|documented|landed|cleaned|switched|kept|left"
)
_CAME_OUT = _sign(
    r"pass(?:es|ed|ing)?|succeed(?:s|ed)?|green|failed|fails|failing|failure|error|clean|broke"
    r"|broken|worked|works|blocked|rejected|denied"
)
_IS_OPEN = _sign(
    r"not yet|still|remain(?:s|ing)?|left|pending|uncommitted|unpushed|todo|follow[- ]?up"
    r"|not (?:pushed|committed|merged|run|done|tested|verified)|next step|waiting|ahead of|behind"
    r"|outstanding|open question|haven't|hasn't"
)
_WISHES = _sign(
    r"i (?:want|prefer|don't|do not|no longer|would (?:like|prefer|rather)|need|like|think|wanted)"
    r"|please (?:don't|never|always|use|keep|make sure)|don't want|should not|shouldn't|must not"
    r"|always|never|make sure|can we|let's|instead|keep"
)
_TURNS_TO = _sign(
    r"i'm|i\u2019m|i am|i'll|i\u2019ll|let me|i want to|i need to|i should|i can|we can|would you"
    r"|do you|you can|if you"
)
_PRAISES = _sign(
    r"clean(?:er)?|nice|good|better|easy|simple|great|solid|proper(?:ly)?|helpful|pragmatic|robust"
    r"|improve\w*|well"
)
_HEDGES = _sign(
    r"option [a-c1-9]|pros?|cons?|approach|alternatively|could|might|perhaps|maybe|possibl[ey]"
    r"|if you|would|probably|likely|seems?|presumably"
)

WEIGHTS: dict[str, float] = {
    "short": -0.9,
    "any": -0.8,
    "frequency": -0.75,
    "items": -0.75,
    "late": -0.75,
    "step": -0.7,
    "report": -0.55,
    "closing": -0.5,
    "closing in many": -0.45,
    "open": -0.45,
    "praises": -0.4,
    "turns to you": -0.4,
    "plan": -0.35,
    "step, first": -0.35,
    "came out": -0.3,
    "prompt that was pasted": -0.3,
    "steps": -0.25,
    "hash": -0.2,
    "hedges": -0.2,
    "command": -0.15,
    "prompt": 0.1,
    "closing, first": 0.15,
    "code twice": 0.2,
    "obliges": 0.2,
    "takes back": 0.2,
    "change": 0.25,
    "closing, last": 0.25,
    "closing that did": 0.3,
    "prompt of a line or two": 0.3,
    "prompt that led to edits": 0.3,
    "shown": 0.3,
    "closing in few": 0.35,
    "closing of all": 0.35,
    "denies": 0.35,
    "did": 0.35,
    "code": 0.4,
    "change that was committed": 0.4,
    "code often": 0.4,
    "terms": 0.4,
    "length": 0.45,
    "support": 0.45,
    "closing with names": 0.5,
    "left": 1.0,
    "left open": 0.5,
    "names": 0.5,
    "prompt that wishes": 0.5,
    "edits": 0.6,
    "error": 0.6,
    "error that was mended": 0.5,
    "said again": 0.6,
    "written": 0.6,
    "decision": 1.5,
    "stumble": 1.5,
}


def weigh(said: Speech) -> float:
    """Return how likely it is that a passage is worth keeping, from 0 to 1."""
    odds = sum(WEIGHTS.get(name, 0.0) * value for name, value in read_signs(said))
    return 1 / (1 + exp(-max(-30.0, min(30.0, odds))))


def read_signs(said: Speech) -> Iterator[tuple[str, float]]:
    """Yield what is to be seen of a passage, by name, each from 0 to about 1."""
    yield "any", 1.0
    yield said.source.value, 1.0
    yield from _list_signs(said.text)
    yield from _read_place(said)


def _count_names(text: str) -> float:
    return min(len(code_names(text)), 3) / 3


def _read_text(text: str) -> Iterator[tuple[str, float]]:
    size = words(text)
    lowered = text.lower()
    marked = len(_CODE.findall(text))
    yield "length", min(size, 40) / 20
    yield "short", float(size < 6)
    yield "terms", min(len(terms(text)), 24) / 12
    yield "code", float(marked >= 1)
    yield "code twice", float(marked >= 2)
    yield "code often", float(marked >= 4)
    yield "names", _count_names(text)
    yield "command", float(bool(_COMMAND.search(text)))
    yield "hash", float(bool(_HASH.search(text)))
    yield "denies", min(len(_DENIES.findall(lowered)), 2) / 2
    yield "praises", min(len(_PRAISES.findall(lowered)), 2) / 2
    yield "takes back", float(cues.finds(cues.TAKES_BACK, text))
    for name, sign in _SIGNS.items():
        yield name, float(sign.search(lowered) is not None)


@lru_cache(maxsize=1_024)  # a session that runs is read again and again
def _list_signs(text: str) -> tuple[tuple[str, float], ...]:
    return tuple(_read_text(text))


_SIGNS = {
    "did": _DID,
    "obliges": _OBLIGES,
    "came out": _CAME_OUT,
    "open": _IS_OPEN,
    "turns to you": _TURNS_TO,
    "hedges": _HEDGES,
}


def _read_place(said: Speech) -> Iterator[tuple[str, float]]:
    text, source = said.text, said.source
    yield "late", said.index / max(1, said.count)
    yield "edits", float(said.has_edits)
    yield "steps", min(log1p(said.steps), 5) / 3
    yield "support", min(said.support, 6) / 6
    yield "said again", float(said.support > 0)
    yield "frequency", said.frequency / 2
    yield "items", min(said.items, 4) / 4
    yield "written", said.written
    if source is Occasion.PROMPT:
        size = words(text)
        yield "prompt of a line or two", float(8 <= size <= 45 and said.turn_chars < 600)
        yield "prompt that led to edits", float(said.has_edits)
        yield "prompt that wishes", float(bool(_WISHES.search(text.lower())))
        yield "prompt that was pasted", float(said.turn_lines > 8 or said.turn_chars > 1500)
    elif source is Occasion.CLOSING:
        yield "closing that did", float(bool(_DID.search(text.lower())))
        yield "closing, first", float(said.index == 0)
        yield "closing, last", float(said.index == said.count - 1 and said.count > 1)
        yield "closing of all", float(said.is_last)
        yield "left open", float(said.is_last and bool(_IS_OPEN.search(text.lower())))
        yield "closing in few", float(said.count <= 4)
        yield "closing in many", float(said.turn_chars > 2500)
        yield "closing with names", _count_names(text)
    elif source is Occasion.ERROR:
        yield "error that was mended", float("; Fixed by: " in text or "; It passed after " in text)
    elif source is Occasion.CHANGE:
        yield "change that was committed", float("(commit " in text)
    elif source is Occasion.STEP:
        yield "step, first", float(said.index == 0)
