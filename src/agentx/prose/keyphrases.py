"""The words that a text is about.

Two views of the same words: *terms*, a set of folded words by which two lines are
compared, and *keyphrases*, words as people write them. Names out of code (`parse_node_id`,
`auth/session.py`, `HTTPServer`, `--force`) are kept whole. Scripts without spaces are
read in pairs of characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby, takewhile

from agentx.kernel.text import compile_late
from agentx.prose import limits

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KATAKANA = "\u30a0-\u30ff"
_CJK_FROM = "\u3040"
_CJK = f"{_CJK_FROM}-\u309f{_KATAKANA}{_HAN}"
_CODE = compile_late(
    r"`([^`\s]{2,60})`"  # what the writer marked as code
    r"|(?<![\w/])(/?(?:[\w.@-]+/)+[\w.@-]*\w)"  # a path
    r"|(?<![\w-])(--[a-z][\w-]+)"  # an option
    r"|(?<![\w.])(\w+(?:\.\w+)*\.[a-z]{1,5})(?![\w.])"  # a file, or a dotted name
    r"|\b([A-Za-z]\w*_\w+|[a-z]+[A-Z]\w+|[A-Z]+[a-z]+[A-Z]\w*|[A-Z]{2,}\d*[a-z]\w+)\b"
)
_SPACED = r"[^\W_](?:[\w'\u2019-]*\w)?"
_WORD = compile_late(rf"[{_CJK}]+|{_SPACED}")
_WORD_SPACED = compile_late(_SPACED)
_WORD_ASCII = compile_late(r"[a-z0-9](?:[\w'-]*\w)?", re.ASCII)
_CJK_NAME = compile_late(rf"[{_KATAKANA}]{{2,}}|[{_HAN}]{{2,}}")
_URL = compile_late(r"\b(?:https?|file|ssh|git)://\S+")
_ARGUMENTS = compile_late(r"[(\[{<=:].*", re.DOTALL)
_TRIM = "`'\"()[]{}<>,;:!?"
_VALUES = frozenset({"true", "false", "nil", "null", "none", "undefined"})

_LINE_CHARS = 512

# A longer run of Han is a sentence; its beginning is usually its subject.
_CJK_NAME_CHARS_MAX = 6

# Words that say nothing about what a text is about. English has the longest list because
# agents speak it; the other languages are those in which people prompt most often.
_EMPTY_WORDS = """
    a about above across actually add added after again against ago all almost along already
    also although always am an and another any anything are aren't around as at away back be
    became because become been before being below best better between both but by call can
    can't cannot case certain change changed changes check come could couldn't currently day
    decide decided decision decisions did didn't different do does doesn't doing don't done
    down during each either else end enough even ever every everything exactly example far few
    file files find fine first fix fixed follow following for found from full further get gets
    getting give given go goes going good got great had has hasn't have haven't having he help
    her here here's him his how however i i'd i'll i'm i've if in indeed instead into is isn't
    issue it it's its itself just keep kind know last later least less let let's like likely
    line lines little long look looking looks lot made make makes making many may maybe me
    mean means might more most much must my need needed needs never new next nice no not
    nothing now of off oh ok okay old on once one only onto or other others our out over own
    part perfect per perhaps place please point possible pretty probably problem put quite
    rather really reverse reversed reverses right run running said same say says see seems set
    several shall she should shouldn't show shows side simple simply since so some something
    soon still such sure take takes tell than thank thanks that that's the their them then
    there there's these they they're thing things think this those though through thus time to
    together told too took toward tried true try trying turn two under unless until up upon us
    use used uses using usually value very via want wants was wasn't way we we'd we'll we're
    we've well went were weren't what what's when where whether which while who whole why will
    with within without won't work working works would wouldn't write wrong yeah yes yet you
    you'd you'll you're you've your yourself
    der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war wird werden
    wir ich du sie er es mit von zu zum zur im auf in an bei aus nach wie auch noch nur so dass wenn
    el la los las un una unos unas y o pero no es son fue ser por para con sin de del al en que se
    su sus lo le les como mas muy ya hay este esta esto
    le les une des et ou mais ne pas est sont dans sur avec sans pour par que qui ce cette ces il
    elle nous vous ils du au aux se sa son
    um uma uns umas e os as em no na nos nas com sem por para que se do da dos das ao
"""
_STOP_WORDS = frozenset(_EMPTY_WORDS.split())


def terms(text: str) -> frozenset[str]:
    """Return the folded words by which two lines are compared."""
    return _terms_of_line(text) if len(text) <= _LINE_CHARS else _find_terms(text)


def _find_terms(text: str) -> frozenset[str]:
    if text.isascii():
        return frozenset(map(_stem, set(_WORD_ASCII.findall(text.lower())) - _STOP_WORDS))
    found: set[str] = set()
    spaced = _WORD_SPACED.findall(text) if max(text) < _CJK_FROM else _list_words(text)
    for word in set(spaced):
        if _is_cjk(word[0]):
            found.update(_cjk_terms(word))
            continue
        lowered = word.lower().replace("\u2019", "'")
        if lowered not in _STOP_WORDS:
            found.add(_stem(lowered))
    return frozenset(found)


# A line is compared by many rules, one soon after another.
_terms_of_line = lru_cache(maxsize=4096)(_find_terms)


def _list_words(text: str) -> Iterator[str]:
    """Yield words, and what is written without spaces by itself.

    No pattern tells these apart: one that names many thousand characters takes long to compile.
    """
    for word in _WORD_SPACED.findall(text):
        if not _is_cjk(word[0]):
            yield word
            continue
        run = "".join(takewhile(_is_cjk, word))
        yield run
        yield from _list_words(word[len(run) :])


def _is_cjk(char: str) -> bool:
    return char >= _CJK_FROM and (
        char <= "\u30ff"
        or "\u3400" <= char <= "\u4dbf"
        or "\u4e00" <= char <= "\u9fff"
        or "\uf900" <= char <= "\ufaff"
    )


def _cjk_terms(run: str) -> list[str]:
    """Return the pairs of characters in a run without spaces, of its names if it has any."""
    by_script = ("".join(chars) for is_name, chars in groupby(run, _script_of) if is_name)
    names = [name for name in by_script if len(name) > 1] or [run]
    return [name[at : at + 2] for name in names for at in range(max(len(name) - 1, 1))]


def _script_of(char: str) -> str:
    """Return the script that names are written in; empty for the one of grammar."""
    return "" if char <= "\u309f" else "katakana" if char <= "\u30ff" else "han"


def code_names(text: str) -> list[str]:
    """Return the names out of code in a text, whole and in order."""
    return list(_names_of_line(text) if len(text) <= _LINE_CHARS else _find_names(text))


def _find_names(text: str) -> tuple[str, ...]:
    if "://" in text:
        text = _URL.sub(" ", text)
    return tuple(name for found in _CODE.finditer(text) if (name := _name(found)))


_names_of_line = lru_cache(maxsize=4096)(_find_names)


def _name(match: re.Match[str]) -> str:
    """Return the name in a piece of code: without arguments, line numbers and long folders."""
    whole = next(filter(None, match.groups()))
    name = _ARGUMENTS.sub("", whole).strip(_TRIM).rstrip("/.")
    if name.count("/") > 2:
        name = name.rsplit("/", 1)[-1]
    plain = name.lower()
    return name if len(name) > 2 and plain not in _VALUES and any(map(str.isalpha, name)) else ""


def keyphrases(lines: Iterable[str], names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return what lines are about, the most telling first; `names` count as said once each."""
    score: Counter[str] = Counter()
    written: dict[str, str] = {}  # folded -> as it was written first
    pairs: Counter[str] = Counter()
    for name in names:
        _count(name, 4, score, written)
    for line in lines:
        for name in code_names(line):
            _count(name, 3, score, written)
        _count_words(_CODE.sub(" | ", line), score, written, pairs)
    for pair, count in pairs.items():
        if count > 1:
            score[pair] += 2 * count
            written.setdefault(pair, pair)
            for word in pair.split(" "):
                score[word] -= count  # the pair stands for it
    ranked = sorted(score.items(), key=lambda item: (-item[1], item[0]))
    return _distinct(written[key] for key, points in ranked if points > 0)


def _count(name: str, points: int, score: Counter[str], written: dict[str, str]) -> None:
    key = name.lower()
    written.setdefault(key, name)
    score[key] += points


def _count_words(
    line: str,
    score: Counter[str],
    written: dict[str, str],
    pairs: Counter[str],
) -> None:
    before, before_end = "", -1
    for match in _WORD.finditer(line):
        word = match[0]
        if _is_cjk(word[0]):
            for name in _CJK_NAME.findall(word):
                _count(name[:_CJK_NAME_CHARS_MAX], 1, score, written)
            before = ""
            continue
        lowered = word.lower().replace("\u2019", "'")
        if lowered in _STOP_WORDS or len(lowered) < 3 or lowered.isdigit():
            before = ""
            continue
        _count(lowered if word.istitle() else word, 1, score, written)
        if before and match.start() - before_end == 1:
            pairs[f"{before} {lowered}"] += 1
        before, before_end = lowered, match.end()


def _distinct(ranked: Iterable[str]) -> tuple[str, ...]:
    """Keep the first of phrases that contain one another."""
    kept: list[str] = []
    for phrase in ranked:
        folded = phrase.lower()
        if any(folded in other.lower() or other.lower() in folded for other in kept):
            continue
        kept.append(phrase)
        if len(kept) == limits.KEYWORDS_MAX:
            break
    return tuple(kept)


@lru_cache(maxsize=16_384)  # people use the same few thousand words
def _stem(word: str) -> str:
    """Fold the commonest endings, so that `tokens`, `token's` and `token` are one term."""
    word = word.removesuffix("'s")
    if word.endswith(("ies", "ied")) and len(word) > 5:
        return word[:-3] + "y"  # retries, retried: retry
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) > 3 and not word.endswith("ss"):
            return word[: -len(ending)].removesuffix("e")
    return word.removesuffix("e") if len(word) > 4 else word
