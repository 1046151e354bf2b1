"""Text cut into sentences that know where they stand.

A sentence is a place in the text, `text[start:end]`, and the form in which it is shown.
The shown form follows from the words in that place by these steps and no others:

1. markdown bold marks are dropped, and `[label](target)` becomes its label; what is code, or
   only looks like a mark (`10**400`, `handlers[name](event)`), stays as it is;
2. white space is folded to single spaces;
3. what is too long is cut at the end of a clause, else of a word, else of a visible
   character, and ends with an ellipsis.

Marks of headings, lists and quotations stand outside the place. Code blocks, tables, and
blocks in tags (what agent CLIs put around prompts) hold no sentences. Of a very long text
only the head and the tail are read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

from agentx.kernel.text import compile_late, fold_text, whole_head, whole_tail
from agentx.kernel.values import frozen
from agentx.prose import limits

ELLIPSIS = "\u2026"
# After these nothing need part a line from the next.
_STOPS = tuple(".!?:;,\u2026\u3002\uff01\uff1f\u061f\uff1a\uff1b\u3001\uff0c")

_LINE = compile_late(r"[^\n]*\n?")
_FENCE = compile_late(r"[ \t>]*(?:```|~~~)")
_TAG_OPEN = compile_late(r"<([a-zA-Z][\w-]*)(?:\s[^<>]*)?>")
_HEADING = compile_late(r"#{1,6}[ \t]+")
_MARKER = compile_late(
    r"(?:(?:[-*+\u2022\u2023\u25e6]|\(?\d{1,3}[.)])[ \t]+|>[ \t]?)(?:\[[ xX]\][ \t]+)?"
)
_RULE = compile_late(r"[-=*_\s|+:]+\Z")
# Sentences end at a stop that white space follows, or at a stop of a script without spaces.
_STOP = compile_late(
    r"(?<![.!?\u2026\u061f\u06d4\u0964])"  # a run is tried once, from its beginning
    r"[.!?\u2026\u061f\u06d4\u0964]+[\"')\]*_`\u201d\u2019\u00bb]*(?=\s)"
    r"|[\u2600-\u27bf\U0001f300-\U0001faff][\ufe0e\ufe0f\u200d\U0001f3fb-\U0001f3ff]*(?=\s)"
    r"|[\u3002\uff01\uff1f\uff61]+[\u300d\u300f\u201d\u2019\uff09\"')]*"
)
_ABBREVIATION = compile_late(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|excl|Mr|Mrs|Dr|St|No|Fig|al|ca|bzw|usw|z\.B|d\.h)"
    # One letter: "z. B.", "J. Doe"; an ordinal: "am 3. Mai", but "the size is 128."
    r"|\b[^\W\d_]|(?:^|\s)(?<!\bis\s)(?<!\bto\s)(?<!\bare\s)(?<!\bwas\s)\d{1,3})\.\Z"
)
_LONG_WORD = compile_late(r"[^\W\d_]{4}\Z")
# After a short word, which may be cut short, only what begins one: "on the box. never delete it".
_BEGINS = compile_late(
    r"(?:never|always|don'?t|do|no|not|but|and|please|pls|also|use|we|i|i'm|it|it's|that|this|so|if"
    r"|then|just|keep|make|put|when|there|they|you|now|why|how|what|can|yes|ok|okay|btw)"
    r"(?![\w.])"
)
_SHOWN = compile_late(
    r"(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|(?<![\w*])\*\*(?![\s*])(?P<bold>[^*`]*(?:`[^`]*`[^*`]*)*)(?<!\s)\*\*(?![\w*])"
    r"|(?<![\w\])])!?\[(?P<label>[^\[\]]*)\]\([^()\s]*\)",
    re.DOTALL,
)
_SPACE = compile_late(r"\s+")
# Words that promise another one: a line must not end with them.
_DANGLING = compile_late(
    r"(?: (?:a|an|the|and|or|but|so|to|of|in|on|at|by|for|from|with|that|which|is|are|was|as|if|we"
    r"|i|it|this))+\Z",
    re.IGNORECASE,
)
_CLAUSE = compile_late(
    r"[,;:\uff0c\uff1b\u3001\u060c](?=\s|[\u3040-\u9fff])|\s[-\u2013\u2014](?=\s)"
)


_UNSPACED_FROM = "\u3040"


class Block(Enum):
    """What a sentence is part of."""

    PROSE = "prose"
    ITEM = "item"
    HEADING = "heading"


@frozen(kw_only=False)
class Sentence:
    """A place in a text and how it is shown."""

    start: int
    end: int
    text: str
    block: Block


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a text, in order."""
    return list(_find_known(text) if len(text) <= _KNOWN_CHARS_MAX else _find(text))


def _find(text: str) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    for begin, end in windows(text, limits.SUMMARY_HEAD_CHARS_MAX, limits.SUMMARY_TAIL_CHARS_MAX):
        for start, stop, block in _blocks(text, begin, end):
            found.extend(_split(text, start, stop, block))
    return tuple(found)


_More = ParamSpec("_More")
_Answer = TypeVar("_Answer")
_LINES_KNOWN_MAX = 512
_LINE_CHARS_MAX = 2_000  # longer texts are no lines, and would take room


def once_a_line(
    ask: Callable[Concatenate[str, _More], _Answer],
) -> Callable[Concatenate[str, _More], _Answer]:
    """Return a question about a line that remembers its last answers; these are not changed.

    The rules that read a session ask each other: whether a sentence settles something, or is only
    of the moment. Each is asked of a line ten times and more, one soon after the other.
    """
    known = lru_cache(maxsize=_LINES_KNOWN_MAX)(ask)

    @wraps(ask)
    def find(text: str, /, *given: _More.args, **named: _More.kwargs) -> _Answer:
        if len(text) > _LINE_CHARS_MAX:
            return ask(text, *given, **named)
        return known(text, *given, **named)  # type: ignore[arg-type]

    return find


# Rule after rule asks for the sentences of the same texts.
_KNOWN_CHARS_MAX = 8_000
_find_known = lru_cache(maxsize=1_024)(_find)


def show_excerpt(excerpt: str) -> str:
    """Return the form in which a piece of text is shown, before anything is cut."""
    if "**" in excerpt or "](" in excerpt:
        excerpt = _SHOWN.sub(_unmark, excerpt)
    return " ".join(excerpt.split())


def _unmark(found: re.Match[str]) -> str:
    if found["code"] is not None:
        return found["code"]
    if found["bold"] is not None:
        return _SHOWN.sub(_unmark, found["bold"])  # a link may stand in it
    return found["label"]


def shorten(text: str, chars_max: int) -> str:
    """Cut one line at the end of a clause, else of a word, else of a visible character."""
    if len(text) <= chars_max:
        return text
    head = whole_head(text, chars_max - len(ELLIPSIS))
    clauses = [found.start() for found in _CLAUSE.finditer(head, chars_max // 2)]
    if clauses:
        kept = head[: clauses[-1]]
    else:
        word_end = head.rfind(" ", chars_max // 2)
        kept = head[:word_end] if word_end > 0 else head
        kept = _DANGLING.sub("", kept)
    return kept.rstrip(" ,;:-\u2013\u2014") + ELLIPSIS


def is_question(text: str) -> bool:
    """Tell whether a line asks."""
    return text.rstrip("\"')*_` ").endswith(("?", "\uff1f", "\u061f"))


def words(text: str) -> int:
    """Count words; two characters of a script without spaces count as one."""
    spaced = len(text.split())
    if text.isascii() or max(text) < _UNSPACED_FROM:
        return spaced
    return spaced + sum(map(_is_unspaced, text)) // 2


def _is_unspaced(char: str) -> bool:
    # No pattern: one that names so many characters takes longer to compile than most texts have.
    return char >= _UNSPACED_FROM and (
        char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af"
    )


def windows(text: str, head: int, tail: int) -> tuple[tuple[int, int], ...]:
    """Return the parts of a text that are read: all of it, or its head and its tail."""
    if len(text) <= head + tail:
        return ((0, len(text)),)
    return ((0, len(whole_head(text, head))), (_next_space(text, len(text) - tail), len(text)))


def _next_space(text: str, at: int) -> int:
    found = _SPACE.search(text, at, min(at + 200, len(text)))
    return found.end() if found else at


def _blocks(text: str, begin: int, end: int) -> Iterator[tuple[int, int, Block]]:
    """Yield the paragraphs, list items and headings of a part of a text."""
    start = stop = -1  # the paragraph or list item that is being read
    kind = Block.PROSE
    in_code = False
    closing = ""
    for line in _LINE.finditer(text, begin, end):
        content = line[0].strip()
        if in_code or _FENCE.match(line[0]):
            closed = in_code and content[:3] in ("```", "~~~")
            in_code = not closed
            content = ""
        elif closing:
            closing = "" if closing in content else closing
            content = ""
        elif content.startswith("<"):
            tag = _TAG_OPEN.match(content)
            if tag:
                after = f"</{tag[1]}>"
                closing = "" if after in content or content.endswith("/>") else after
                content = ""
        if not content or content[0] == "|" or _RULE.match(content):
            if start >= 0:
                yield start, stop, kind
                start = -1
            continue
        at = line.start() + line[0].index(content[0])
        heading = _HEADING.match(content)
        marker = None if heading else _MARKER.match(content)
        if start >= 0 and (heading or marker):
            yield start, stop, kind
            start = -1
        if heading:
            yield at + heading.end(), at + len(content), Block.HEADING
            continue
        if start < 0:
            kind = Block.ITEM if marker else Block.PROSE
            start = at + (marker.end() if marker else 0)
        stop = at + len(content)
    if start >= 0:
        yield start, stop, kind


def _split(text: str, start: int, stop: int, block: Block) -> Iterator[Sentence]:
    """Cut a block where sentences end."""
    at = start
    for found in _STOP.finditer(text, start, stop):
        end = found.end()
        if end < stop and not _is_stop(text, at, found, stop):
            continue
        yield from _sentence(text, at, end, block)
        at = end
    yield from _sentence(text, at, stop, block)


def _is_stop(text: str, at: int, found: re.Match[str], stop: int) -> bool:
    """Tell whether a stop ends a sentence, and not an abbreviation or a piece of code."""
    if _is_in_code(text, at, found.start(), stop):
        return False
    if not found[0].startswith("."):
        return True
    after = _SPACE.match(text, found.end())
    follows = text[after.end()] if after and after.end() < stop else ""
    if _ABBREVIATION.search(text, max(at, found.start() - 8), found.start() + 1):
        return False
    # People who write without capitals still end their sentences.
    return (
        not follows.islower()
        or _LONG_WORD.search(text, max(at, found.start() - 4), found.start()) is not None
        or (after is not None and _BEGINS.match(text, after.end(), stop) is not None)
    )


def _is_in_code(text: str, start: int, at: int, stop: int) -> bool:
    """Tell whether a place lies between two backticks of one sentence."""
    if text.count("`", start, at) % 2 == 0:
        return False
    return text.find("`", at, stop) >= 0


def _sentence(text: str, start: int, end: int, block: Block) -> Iterator[Sentence]:
    while start < end and (text[start].isspace() or _is_ornament(text[start])):
        start += 1
    excerpt = whole_head(text[start:end].rstrip(), limits.EXCERPT_CHARS_MAX)
    line = shorten(show_excerpt(excerpt), limits.BULLET_CHARS_MAX)
    if line:
        yield Sentence(start, start + len(excerpt), line, block)


def _is_ornament(char: str) -> bool:
    """Tell whether a character only decorates the beginning of a line: a tick, an arrow."""
    return char > "\u2000" and unicodedata.category(char) in ("So", "Sm", "Mn", "Cf")


def join_lines(lines: Iterable[str]) -> str:
    """Return lines as one; what does not end with a stop is parted from what follows."""
    said = ""
    for line in map(fold_text, lines):
        if line:
            between = " " if said.endswith(_STOPS) else "; "
            said = f"{said}{between}{line}" if said else line
    return said


def fit_line(line: str, chars_max: int, left_out: str = "") -> str:
    """Return as many whole sentences of a line as fit."""
    if len(line) <= chars_max:
        return line
    ends = (one.end for one in sentences(line))
    end = max((at for at in ends if at + len(left_out) <= chars_max), default=0)
    return line[:end] + left_out if end else shorten(line, chars_max)


def fit_ends(line: str, chars_max: int) -> str:
    """Return as many whole sentences as fit of both ends of a line."""
    if len(line) <= chars_max:
        return line
    half = (chars_max - len(f" {ELLIPSIS} ")) // 2
    starts = (one.start for one in sentences(line))
    start = min((at for at in starts if len(line) - at <= half), default=len(line))
    tail = line[start:] or whole_tail(line, half)
    return f"{fit_line(line, half).removesuffix(ELLIPSIS).rstrip()} {ELLIPSIS} {tail.lstrip()}"
