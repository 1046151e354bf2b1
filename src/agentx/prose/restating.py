"""Whether a text is put together from what was said, and says nothing else.

    said: "Done: the pool is too small, so a request waits; I did not change it."
    kept: "The pool is too small"        no: "I did not change it" turns what stands before it
    kept: "The pool is too small, I did not change it"        yes: whole clauses, in their order

Words in another order, a figure with another unit, a denial that is left out: each may say the
opposite, and no rule can tell which does. So a sentence counts only if it is made of whole
clauses of one sentence that was said, in their order and their words. What is left out must not
turn what stays: a denial, a condition, a doubt, something taken back, and neither must the words
that lead to it ("Options:", "Before:", a heading). Articles and forms of "is" may come and go, and
a name may stand for the "it" that follows the sentence it begins.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose.sentences import Block, is_question, sentences

_SENTENCES_MAX = 2_000
_NAME_WORDS_MAX = 5
_STRIPPED = "\"'`*()[]{}.,;:!?\u2018\u2019\u201c\u201d\u2013\u2014"
_SEMICOLON = compile_late(r";\s|\n")
_CLAUSE = compile_late(
    r"[,;()\u2013\u2014](?=\s|\Z)|(?<=:)(?=\s|\Z)|\s(?=\()|\s-\s|(?<=[,\s])(?=(?:and|but|so|because|"
    r"since|while|which|und|aber|weil|denn|w\u00e4hrend)\s)",
    re.IGNORECASE,
)
_FREE = frozenset(
    """a an the is are am be been being has have do does it its this that these those there and
    i we ich wir der die das den dem des ein eine einen einem einer ist sind hat haben es
    und""".split()
)
_JOINING = frozenset("but so because since while which aber weil denn w\u00e4hrend".split())
_LEANS = compile_late(r"(?:it|this|that|they|these|those|es|das|dies|sie)\b", re.IGNORECASE)
_TURNS = compile_late(
    r"(?:no|not|nor|never|none|nothing|nobody|neither|without|cannot|\w+n['\u2019]t|hardly|barely|"
    r"rarely|or|either|between|only|unless|except|if|until|otherwise|instead|rather|against|unlike|than|"
    r"might|maybe|perhaps|could|would|should|may|possibly|probably|seem(?:s|ed)?|apparently|"
    r"supposed(?:ly)?|allegedly|unlikely|doubt\w*|unclear|unsure|"
    r"thought|assum\w+|believ\w+|suspect\w*|guess\w*|expect\w*|hop(?:e|ed|ing)|wish\w*|want\w*|"
    r"tr(?:y|ied|ying)|plan(?:s|ned|ning)?|propos\w+|suggest\w*|consider\w*|suppos\w+|imagin\w+|"
    r"wrong\w*|false\w*|untrue|incorrect\w*|mistak\w+|lie|lies|myth|ignore\w*|"
    r"revert\w*|remov\w+|drop(?:s|ped|ping)?|undo\w*|undid|replac\w+|abandon\w*|reject\w*|refus\w+|"
    r"declin\w+|withdr\w+|supersed\w+|deprecat\w+|delet\w+|forb\w+|avoid\w*|stop\w*|"
    r"fail\w*|longer|gone|"
    r"oder|nicht|kein\w*|nie|niemals|nichts|ohne|weder|nur|wenn|falls|au\u00dfer|statt|sondern|"
    r"vielleicht|wohl|k\u00f6nnt\w+|w\u00fcrd\w+|sollt\w+|scheint|angeblich|falsch\w*|verworfen|"
    r"entfernt|zur\u00fcck\w*)\Z"
)
# What turns all that it leads to.
_LEADS = compile_late(
    r"(?:option|alternative|choice|proposal|idea|example|risk|question|todo)s?\Z"
    r"|(?:before|old|previous(?:ly)?|earlier|former(?:ly)?|was|were|would-be|pros|cons|bad|worse|"
    r"missing|open|left|later|next|then|vorher|fr\u00fcher|alt|bisher|optionen|alternativen|offen)\Z"
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


def is_put_together(text: str, said_in: Iterable[str], printed: Iterable[str] = ()) -> bool:
    """Tell whether every sentence of a text is made of whole clauses of one that was said.

    What a program `printed` has lines, and they need be no sentences.
    """
    if _is_decorated(text):
        return False
    said = [*_read_said(said_in), *_read_printed(printed)]
    parts = list(_parts(text))
    return bool(parts) and all(_is_held(part, said) for part in parts)


def is_named_after(title: str, said_in: Sequence[str], printed: Sequence[str] = ()) -> bool:
    """Tell whether a title is how a clause that was said begins, with all that turns it."""
    words, asks = _list_words(title), is_question(title)
    if not words or _is_decorated(title):
        return False
    return any(
        words == one.words[at : at + len(words)]
        and not any(map(_TURNS.match, (*one.words[:at], *one.words[at + len(words) :])))
        and not any(turned for start, turned in _starts(one) if start < at)
        and asks == one.asks
        for one in (*_read_said(said_in), *_read_printed(printed))
        if one.is_known
        for at, _ in _starts(one)
    ) or is_put_together(title, said_in, printed)


def _is_decorated(text: str) -> bool:
    """Tell whether signs stand in a text that could change how it is shown."""
    return (
        text.count("`") % 2 == 1
        or "```" in text
        or not "".join(text.split()).isprintable()
        or any(len(chunk) > 1 and not chunk.strip(_STRIPPED) for chunk in text.split())
    )


def _is_held(part: str, said: list[_Said]) -> bool:
    clauses, asks = [_list_words(each) for each in _CLAUSE.split(part)], is_question(part)
    words = tuple(chain.from_iterable(clauses))
    if not words:
        return False
    # A dash in another place may turn a sentence, too.
    ends = frozenset(accumulate(map(len, clauses)))
    if any(asks == one.asks and _is_made_of(words, ends, one) for one in said):
        return True
    return any(
        asks == one.asks and one.leans and _is_led_by(words, ends, before, one)
        for before, one in pairwise(said)
    )


def _is_made_of(words: Words, ends: Collection[int], said: _Said, begin: int = 0) -> bool:
    """Tell whether words are whole clauses of a sentence, and what is left out may be.

    `ends`: where clauses of these words end; only where one of the sentence does.
    """
    reached = {begin}
    for clause, turned in zip(said.clauses, said.turned, strict=True):
        taken = {
            at + len(form)
            for at in reached
            for form in _forms(clause, is_first=at == begin)
            if words[at : at + len(form)] == form
            and not any(at < end < at + len(form) for end in ends)
        }
        reached = taken if turned else reached | taken
    return len(words) in reached


def _forms(clause: Words, *, is_first: bool) -> Iterator[Words]:
    yield clause
    if is_first and len(clause) > 1 and clause[0] in _JOINING:
        yield clause[1:]  # what joined it to the clause before it


def _is_led_by(words: Words, ends: Collection[int], before: _Said, said: _Said) -> bool:
    """Tell whether a name from the beginning of the sentence before stands for "it"."""
    if any(before.turned) or before.asks:
        return False
    lead = before.clauses[0]
    return any(
        words[:count] == lead[:count] and _is_made_of(words, ends, said, count)
        for count in range(1, min(_NAME_WORDS_MAX, len(words) - 1, len(lead)) + 1)
    )


def _starts(said: _Said) -> list[tuple[int, bool]]:
    """Return where the clauses of a sentence begin, and which may not be left out."""
    starts, at = [], 0
    for clause, turned in zip(said.clauses, said.turned, strict=True):
        starts.append((at, turned))
        at += len(clause)
    return starts


# --- reading --------------------------------------------------------------------------------


def _parts(text: str) -> Iterator[str]:
    """Yield what a text asserts, one thing at a time."""
    for sentence in sentences(text):
        yield from filter(str.strip, _SEMICOLON.split(sentence.text))


def _read_said(sources: Iterable[str]) -> Iterator[_Said]:
    """Yield the sentences of some texts, each with what leads to it."""
    for source in sources:
        heading = lead = ""
        for one in sentences(source)[:_SENTENCES_MAX]:
            if one.block is Block.HEADING:
                heading, lead = one.text, ""
            elif one.block is not Block.ITEM:
                lead = one.text if one.text.rstrip("*_ ").endswith(":") else ""
            elif one.text.rstrip("*_ ").endswith(":"):
                lead = one.text
            leads = (heading, lead) if one.block is Block.ITEM else (heading,)
            read = _read(one.text, [each for each in leads if each and each != one.text])
            if read.clauses:
                yield read


def _read_printed(texts: Iterable[str]) -> Iterator[_Said]:
    for text in texts:
        for line in text.splitlines()[:_SENTENCES_MAX]:
            read = _read(line, ())
            if read.clauses:
                yield read


def _read(sentence: str, leads: Sequence[str]) -> _Said:
    parts = [each for each in _CLAUSE.split(sentence) if _list_words(each)]
    clauses = [_list_words(each) for each in parts]
    is_known = _KNOWN.search(sentence) is not None and not _FOREIGN.search(sentence)
    turned = [
        not is_known or _turns(clause, leads=part.rstrip().endswith(":"))
        for part, clause in zip(parts, clauses, strict=True)
    ]
    # Only what turns is told again with each sentence that it leads to.
    before = [words for each in leads if _turns(words := _list_words(each), leads=True)]
    return _Said(
        (*before, *clauses) if clauses else (),
        _LEANS.match(sentence) is not None,
        is_question(sentence),
        is_known,
        (*(True for _ in before), *turned) if clauses else (),
    )


def _turns(clause: Words, *, leads: bool) -> bool:
    return any(_TURNS.match(word) or (leads and _LEADS.match(word)) for word in clause)


def _list_words(text: str) -> Words:
    """Return the words of a text as they are compared: without what may come and go."""
    bare = (chunk.strip(_STRIPPED).casefold() for chunk in text.split())
    return tuple(word for word in bare if word and word not in _FREE)
