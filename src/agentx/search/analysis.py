"""How text becomes terms, the same way for what is stored and for what is asked.

    parseHTTPHeader  ->  parse HTTP Header parseHTTPHeader
    max_retry_count  ->  max retry count max_retry_count
    app/db.py        ->  app db py            (a phrase finds the whole path)
    (any run of a script without spaces)  ->  overlapping pairs of its characters

`prepare` spells identifiers out and pairs characters; the analyser then folds case and accents,
drops the commonest English words and takes the stems. Text in scripts with spaces passes
through it unharmed.

Texts repeat their words, so what becomes of a word is found out once: the index is handed terms
(`list_terms`, `join_terms`, `write_terms`) and takes them as they are, one for each word.

A *unit* is what a reader would call a word: lengths of passages are counted in units,
so that one line of a megabyte without a blank is still cut.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import tantivy

from agentx.kernel.text import compile_late, encodable
from agentx.search.limits import SEARCH_TERM_CHARS_MAX, TERMS_KNOWN_MAX, WORDS_KNOWN_MAX

ANALYSER = "agentx_text"

# Scripts that are written without spaces: Thai to Khmer, kana, Han, Hangul, and their extensions.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3007\u3040-\u30ff\u3100-\u312f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
UNIT_CHARS_MAX = 32
# Stands where a word was dropped: phrases count places. No term is a sign alone.
_DROPPED = "-"
_UNIT_ASCII = compile_late(r"\w{1,32}", re.ASCII)
_WORD = compile_late(r"(\w+)", re.ASCII)
_ASCII = bytes(range(128))
_BLANKS = bytes([byte if chr(byte).isalnum() or byte == ord("_") else 32 for byte in _ASCII] * 2)
# Only words that change case inside, hold an underscore, or mix letters with digits.
_IDENTIFIER = compile_late(r"[a-z][A-Z]|_|[A-Z]{2}[a-z]|[a-z]\d|\d[a-z]")
_PART = compile_late(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")

# Words that carry the grammar of a question and not its subject. They stay in the index: a
# phrase may need them, and a query may hold nothing else.
FUNCTION_WORDS = frozenset(
    (
        "a about above after again all also am an and any anyone anything are as at be because "
        "been before being below between both but by can could d did do does doing done down "
        "during each ever few for from further get got had has have having he her here hers him "
        "his how i if in into is it its itself just know let ll m many may me might more most "
        "much must my myself no nor not of off on once only or other our ours out over own please "
        "re remind s same shall she should so some something such t tell than that the their "
        "theirs them themselves then there these they this those through to too under until up us "
        "ve very was we were what when where which while who whom whose why will with would you "
        "your yours yourself "
    ).split()
)


# Sets of so many characters are slow to compile, and ASCII text asks for neither.
@lru_cache(maxsize=1)
def _compile_unspaced() -> re.Pattern[str]:
    return re.compile(f"[{_UNSPACED}]+")


@lru_cache(maxsize=1)
def _unit() -> re.Pattern[str]:
    return re.compile(rf"[{_UNSPACED}]{{1,2}}|[^\W{_UNSPACED}]{{1,32}}")


def prepare(text: str) -> str:
    """Return the text with identifiers spelled out and unspaced scripts in pairs."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = _compile_unspaced().sub(_pairs, text)
    parts = _WORD.split(text)
    parts[1::2] = map(_spelled.__getitem__, parts[1::2])
    return "".join(parts)


def blank_out(text: str) -> str | None:
    """Return a text with a blank in the place of each character that is in no unit.

    None where units are more than ASCII's words.
    """
    if not text.isascii():
        strange = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
        if not all(map(_separates, set(strange.decode("utf-8", "surrogatepass")))):
            return None
    return text.encode("ascii", "replace").translate(_BLANKS).decode("ascii")


@lru_cache(maxsize=1024)
def _separates(char: str) -> bool:
    """Tell whether a character is ASCII, or stands between words however it is written."""
    if char.isascii():
        return True
    written = unicodedata.normalize("NFKC", char)
    return not (
        unicodedata.combining(char)
        or any(map(str.isalnum, char + written))
        or _compile_unspaced().search(char)
    )


def cut_long(words: list[str]) -> list[str]:
    """Return words in pieces that are no longer than a unit may be."""
    size = UNIT_CHARS_MAX
    if max(map(len, words), default=0) <= size:
        return words
    pieces = words.copy()
    for at in reversed(_list_long(words)):
        word = words[at]
        pieces[at : at + 1] = [word[begin : begin + size] for begin in range(0, len(word), size)]
    return pieces


def list_terms(words: list[str], longest: int) -> list[str]:
    """Return by its units the terms of each word of ASCII: they stand where its first unit is.

    `longest` is how many characters the longest word has.
    """
    found = list(map(_terms.__getitem__, words))
    if longest > UNIT_CHARS_MAX:
        for at in reversed(_list_long(words)):
            found[at + 1 : at + 1] = [""] * ((len(words[at]) - 1) // UNIT_CHARS_MAX)
    return found


def _list_long(words: list[str]) -> list[int]:
    """Return which words are longer than a unit may be."""
    return [at for at, size in enumerate(map(len, words)) if size > UNIT_CHARS_MAX]


def join_terms(units: list[str]) -> str:
    """Return the terms of units one after the other, as they are handed to the index."""
    if all(map(str.isascii, units)):
        return " ".join(map(_terms.__getitem__, units))
    return write_terms(" ".join(units))


def write_terms(text: str) -> str:
    """Return the terms of a text as they are handed to the index."""
    return " ".join(map(_find_term, _tokeniser().analyze(encodable(prepare(text)))))


def _spell(word: str) -> str:
    """Spell an identifier: its parts, then the whole as one word the tokeniser will not split."""
    parts = _PART.findall(word) if _IDENTIFIER.search(word) else ()
    if len(parts) < 2:
        return word
    return f"{' '.join(parts)} {word.replace('_', '')}"


class _Spelled(dict[str, str]):
    """Words as they are spelled out; texts repeat them."""

    def __missing__(self, word: str) -> str:
        spelled = _spell(word)
        if len(word) <= SEARCH_TERM_CHARS_MAX:
            if len(self) >= WORDS_KNOWN_MAX:
                self.clear()
            self[word] = spelled
        return spelled


_spelled = _Spelled()


class _Terms(dict[str, str]):
    """The terms of words of ASCII, as they are handed to the index."""

    def __missing__(self, word: str) -> str:
        found = " ".join(map(_find_term, _spell(word).replace("_", " ").split()))
        if len(word) <= SEARCH_TERM_CHARS_MAX:
            if len(self) >= WORDS_KNOWN_MAX:
                self.clear()
            self[word] = found
        return found


_terms = _Terms()


@lru_cache(maxsize=TERMS_KNOWN_MAX)
def _find_term(token: str) -> str:
    """Return the term of a word as the tokeniser cuts it; of one that is dropped its place."""
    return next(iter(analyser().analyze(token)), _DROPPED)


def _pairs(match: re.Match[str]) -> str:
    run = match[0]
    if len(run) == 1:
        return f" {run} "
    return " " + " ".join([run[at : at + 2] for at in range(len(run) - 1)]) + " "


@lru_cache(maxsize=1)
def analyser() -> tantivy.TextAnalyzer:
    """Return what turns prepared text into terms."""
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(SEARCH_TERM_CHARS_MAX))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .filter(tantivy.Filter.stopword("english"))
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


@lru_cache(maxsize=1)
def index_analyser() -> tantivy.TextAnalyzer:
    """Return what an index takes terms with: as they are, without those that were dropped."""
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
        .filter(tantivy.Filter.custom_stopword([_DROPPED]))
        .build()
    )


@lru_cache(maxsize=1)
def _tokeniser() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).build()


def terms(text: str) -> list[str]:
    """Return the terms of a text, in order, with repetitions."""
    return analyser().analyze(encodable(prepare(text)))


@lru_cache(maxsize=1)
def function_terms() -> frozenset[str]:
    """Return the function words as terms."""
    return FUNCTION_WORDS | {term for word in FUNCTION_WORDS for term in terms(word)}


def unit_spans(text: str) -> list[tuple[int, int]]:
    """Return where each unit of a text begins and ends."""
    unit = _UNIT_ASCII if text.isascii() else _unit()
    return [match.span() for match in unit.finditer(text)]


def list_units(text: str) -> list[str]:
    """Return the units of a text."""
    blanked = blank_out(text)
    return _unit().findall(text) if blanked is None else cut_long(blanked.split())
