"""Whether a text is put together from what was said, and says nothing else.

    said: "Done: the pool is too small, so a request waits; I did not change it."
    kept: "The pool is too small"        no: "I did not change it" turns what stands before it
    kept: "The pool is too small, I did not change it"        yes: whole clauses, in their order

Words in another order, a figure with another unit, a denial that is left out: each may say the
opposite, and no rule can tell which does. So a sentence counts only if it is made of whole
clauses of one sentence that was said, in their order and their words. What is left out must not
turn what stays: a denial, a condition, a doubt, something taken back. Articles and forms of "is"
may come and go, and a name may stand for the "it" that follows the sentence it begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose.sentences import is_question, sentences

_SENTENCES_MAX = 2_000
_NAME_WORDS_MAX = 5
_STRIPPED = "\"'`*()[]{}.,;:!?\u2018\u2019\u201c\u201d\u2013\u2014"
_SEMICOLON = compile_late(r";\s|\n")
_STOP = compile_late(r"[.!?\u3002\uff01\uff1f](?:\s|[\u3040-\u9fff])")
_CLAUSE = compile_late(
    r"[,;:()\u2013\u2014](?=\s|\Z)|\s(?=\()|\s-\s|(?<=[,\s])(?=(?:and|but|or|so|because|since|while|"
    r"which|und|aber|oder|weil|denn|w\u00e4hrend)\s)",
    re.IGNORECASE,
)
_FREE = frozenset(
    """a an the is are am be been being has have do does it its this that these those there and
    i we ich wir der die das den dem des ein eine einen einem einer ist sind hat haben es
    und""".split()
)
_JOINING = frozenset("but or so because since while which aber oder weil denn w\u00e4hrend".split())
_LEANS = compile_late(r"(?:it|this|that|they|these|those|es|das|dies|sie)\b", re.IGNORECASE)
_TURNS = compile_late(
    r"(?:no|not|nor|never|none|nothing|nobody|neither|without|cannot|\w+n['\u2019]t|hardly|barely|"
    r"rarely|only|unless|except|if|until|otherwise|instead|rather|against|unlike|than|"
    r"might|maybe|perhaps|could|would|should|may|possibly|probably|seem(?:s|ed)?|apparently|"
    r"supposed(?:ly)?|allegedly|unlikely|doubt\w*|unclear|unsure|"
    r"thought|assum\w+|believ\w+|suspect\w*|guess\w*|expect\w*|hop(?:e|ed|ing)|wish\w*|want\w*|"
    r"tr(?:y|ied|ying)|plan(?:s|ned|ning)?|propos\w+|suggest\w*|consider\w*|suppos\w+|imagin\w+|"
    r"wrong\w*|false\w*|untrue|incorrect\w*|mistak\w+|lie|lies|myth|ignore\w*|"
    r"revert\w*|remov\w+|drop(?:s|ped|ping)?|undo\w*|undid|replac\w+|abandon\w*|reject\w*|refus\w+|"
    r"declin\w+|withdr\w+|supersed\w+|deprecat\w+|delet\w+|forb\w+|avoid\w*|stop\w*|"
    r"fail\w*|longer|gone|"
    r"nicht|kein\w*|nie|niemals|nichts|ohne|weder|nur|wenn|falls|au\u00dfer|statt|sondern|"
    r"vielleicht|wohl|k\u00f6nnt\w+|w\u00fcrd\w+|sollt\w+|scheint|angeblich|falsch\w*|verworfen|"
    r"entfernt|zur\u00fcck\w*)\Z"
)
# A language whose denials are known; of any other nothing is left out.
_KNOWN = compile_late(
    r"\b(?:the|and|of|to|is|are|was|were|with|from|that|this|not|it|by|der|die|das|und|ist|nicht|"
    r"mit|von|wird|ein|eine)\b",
    re.IGNORECASE,
)
_FOREIGN = compile_late(r"[^\W\d_a-zA-Z\u00e4\u00f6\u00fc\u00c4\u00d6\u00dc\u00df]")
Words = tuple[str, ...]


@frozen(kw_only=False)
class _Said:
    """A sentence as far as it matters here."""

    clauses: tuple[Words, ...]
    leans: bool  # it begins with a word for what the one before names
    asks: bool
    is_known: bool  # whether its language is
    turned: tuple[bool, ...]  # which clauses may not be left out

    @property
    def words(self) -> Words:
        """All that it says."""
        return tuple(chain.from_iterable(self.clauses))


def is_put_together(text: str, sources: Iterable[str]) -> bool:
    """Tell whether every sentence of a text is made of whole clauses of one that was said."""
    if _is_decorated(text):
        return False
    said = list(_read_all(sources))
    parts = list(_parts(text))
    return bool(parts) and all(_is_held(part, said) for part in parts)


def is_named_after(title: str, sources: Iterable[str]) -> bool:
    """Tell whether a title is how a clause that was said begins, with all that turns it."""
    words, asks = _list_words(title), is_question(title)
    if not words or _is_decorated(title):
        return False
    return any(
        words == one.words[at : at + len(words)]
        and not any(map(_TURNS.match, (*one.words[:at], *one.words[at + len(words) :])))
        and asks == one.asks
        for one in _read_all(sources)
        if one.is_known
        for at in _starts(one)
    ) or is_put_together(title, sources)


def _is_decorated(text: str) -> bool:
    """Tell whether signs stand in a text that could change how it is shown."""
    return (
        text.count("`") % 2 == 1
        or "```" in text
        or not "".join(text.split()).isprintable()
        or any(len(chunk) > 1 and not chunk.strip(_STRIPPED) for chunk in text.split())
    )


def _is_held(part: str, said: list[_Said]) -> bool:
    words, asks = _list_words(part), is_question(part)
    if not words:
        return False
    if any(asks == one.asks and _is_made_of(words, one) for one in said):
        return True
    return any(
        asks == one.asks and one.leans and _is_led_by(words, before, one)
        for before, one in pairwise(said)
    )


def _is_made_of(words: Words, said: _Said) -> bool:
    """Tell whether some words are whole clauses of a sentence, and the others may be missing."""
    reached = {0}
    for clause, turned in zip(said.clauses, said.turned, strict=True):
        taken = {
            at + len(form)
            for at in reached
            for form in _forms(clause, is_first=at == 0)
            if words[at : at + len(form)] == form
        }
        reached = taken if turned else reached | taken
    return len(words) in reached


def _forms(clause: Words, *, is_first: bool) -> Iterator[Words]:
    yield clause
    if is_first and len(clause) > 1 and clause[0] in _JOINING:
        yield clause[1:]  # what joined it to the clause before it


def _is_led_by(words: Words, before: _Said, said: _Said) -> bool:
    """Tell whether a name from the beginning of the sentence before stands for "it"."""
    if any(before.turned) or before.asks:
        return False
    lead = before.clauses[0]
    return any(
        words[:count] == lead[:count] and _is_made_of(words[count:], said)
        for count in range(1, min(_NAME_WORDS_MAX, len(words) - 1, len(lead)) + 1)
    )


def _starts(said: _Said) -> list[int]:
    """Return where the clauses of a sentence begin."""
    starts, at = [], 0
    for clause in said.clauses:
        starts.append(at)
        at += len(clause)
    return starts


# --- reading --------------------------------------------------------------------------------


def _parts(text: str) -> Iterator[str]:
    """Yield what a text asserts, one thing at a time."""
    for sentence in sentences(text):
        yield from filter(str.strip, _SEMICOLON.split(sentence.text))


def _read_all(sources: Iterable[str]) -> Iterator[_Said]:
    for source in sources:
        found = [one.text for one in sentences(source)[:_SENTENCES_MAX]]
        # What a program prints has lines, and they are no sentences.
        lines = source.splitlines()[:_SENTENCES_MAX]
        found += [line for line in lines if line.strip() and not _STOP.search(line)]
        yield from filter(lambda one: bool(one.clauses), map(_read, dict.fromkeys(found)))


def _read(sentence: str) -> _Said:
    clauses = tuple(filter(None, map(_list_words, _CLAUSE.split(sentence))))
    is_known = _KNOWN.search(sentence) is not None and not _FOREIGN.search(sentence)
    return _Said(
        clauses,
        _LEANS.match(sentence) is not None,
        is_question(sentence),
        is_known,
        tuple(not is_known or any(map(_TURNS.match, clause)) for clause in clauses),
    )


def _list_words(text: str) -> Words:
    """Return the words of a text as they are compared: without what may come and go."""
    bare = (chunk.strip(_STRIPPED).casefold() for chunk in text.split())
    return tuple(word for word in bare if word and word not in _FREE)
