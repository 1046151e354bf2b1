"""Evidence at three scales: what a text says, what was said around it, what it was all about.

    passage   overlapping parts of one document; a short one is a passage by itself
    window    overlapping stretches of a chapter, across its documents
    chapter   everything said in it

A question is rarely answered in its own words: the answer stands in one turn, the words
of the question in the turn before, the subject in the session. So each scale is indexed
by itself, where lengths and rarities are comparable, and ranking adds them up.

Law: what one document adds is bounded at every scale. A passage holds at most
`PASSAGE_UNITS` units, a document at most `PASSAGES_MAX` passages (the head and the tail of
what is longer), and windows and chapters take the two ends of a long text only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from agentx.kernel.ids import digest
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.search.analysis import (
    blank_out,
    list_terms,
    list_units,
    unit_spans,
    write_terms,
)
from agentx.search.document import Chapter, Document
from agentx.search.limits import (
    CHAPTER_DOCUMENT_UNITS_MAX,
    CHAPTER_UNITS_MAX,
    PASSAGE_CHARS_MAX,
    PASSAGES_MAX,
    SEARCH_TERM_CHARS_MAX,
)

PASSAGE_UNITS = 120
PASSAGE_STEP_UNITS = 60
WINDOW_UNITS = 150
WINDOW_STEP_UNITS = 75
_PASSAGE_STEPS = PASSAGE_UNITS // PASSAGE_STEP_UNITS
# Of a text with blanks between its words: a unit, and the units from one passage to the next.
_UNIT = compile_late(r"[^ ]{1,32}")
_STEP = compile_late(rf" *+((?: *+[^ ]{{1,32}}+){{1,{PASSAGE_STEP_UNITS}}}+)")
# More than a word and its blank take, in code as in prose.
_UNIT_CHARS = 16


@frozen(kw_only=False)
class Passage:
    """A part of a text: where it begins, in characters, its units and its terms."""

    start: int
    text: str
    units: int
    terms: str


@frozen(kw_only=False)
class Window:
    """A stretch of a chapter, by its units, and the documents it touches, in order."""

    units: list[str]
    members: tuple[Document, ...]


def passages(text: str) -> list[Passage]:
    """Cut a text into overlapping passages; the last one ends where the text ends."""
    blanked = blank_out(text)
    if blanked is not None:
        words = blanked.split()
        longest = max(map(len, words), default=0)
        if longest <= SEARCH_TERM_CHARS_MAX:
            return _cut_plain(text, blanked, list_terms(words, longest))
    spans = unit_spans(text)
    if len(spans) <= PASSAGE_UNITS:
        return [_cut(text, 0, len(text), len(spans))]
    return [
        _cut(text, spans[first][0], spans[first + PASSAGE_UNITS - 1][1], PASSAGE_UNITS)
        for first in _starts(len(spans))
    ]


def _cut_plain(text: str, blanked: str, terms: list[str]) -> list[Passage]:
    """Cut a text of which the terms are known by its units."""
    count = len(terms)
    if count <= PASSAGE_UNITS:
        return [_cut(text, 0, len(text), count, " ".join(terms))]
    steps = [match.span(1) for match in _STEP.finditer(blanked)]
    joined = [
        " ".join(terms[first : first + PASSAGE_STEP_UNITS])
        for first in range(0, count, PASSAGE_STEP_UNITS)
    ]
    found = []
    for first in _starts(count):
        number, left = divmod(first, PASSAGE_STEP_UNITS)
        if left:  # the last one
            here = _UNIT.finditer(blanked, steps[number][0])
            begin, end = next(islice(here, left, None)).start(), len(blanked.rstrip())
            told = " ".join(terms[first:])
        else:
            begin, end = steps[number][0], steps[number + _PASSAGE_STEPS - 1][1]
            told = " ".join(joined[number : number + _PASSAGE_STEPS])
        found.append(_cut(text, begin, end, PASSAGE_UNITS, told))
    return found


def _cut(text: str, begin: int, end: int, units: int, terms: str | None = None) -> Passage:
    if terms is not None and end - begin <= PASSAGE_CHARS_MAX:
        return Passage(begin, text[begin:end], units, terms)
    piece = text[begin : min(end, begin + PASSAGE_CHARS_MAX)]
    return Passage(begin, piece, units, write_terms(piece))


def _starts(count: int) -> list[int]:
    """Return the units that passages begin with, in a text of more than one passage."""
    starts = list(range(0, count - PASSAGE_UNITS, PASSAGE_STEP_UNITS))
    starts.append(count - PASSAGE_UNITS)
    if len(starts) > PASSAGES_MAX:
        # The point of a long text is at its head, its outcome at its tail.
        tail = PASSAGES_MAX // 4
        starts = starts[: PASSAGES_MAX - tail] + starts[-tail:]
    return starts


def windows(chapter: Chapter) -> list[Window]:
    """Cut a chapter into overlapping stretches across its documents."""
    words: list[str] = []
    owner: list[int] = []
    sizes: list[int] = []
    for number, document in enumerate(chapter.documents):
        said = _ends(document.text, WINDOW_UNITS)
        words += said
        owner += [number] * len(said)
        sizes.append(len(said))
    found = []
    for first in _steps(len(words)):
        last = min(first + WINDOW_UNITS, len(words))
        inside = Counter(owner[first:last])
        # Who only reaches into a window with a few words is not what it is about.
        members = [
            number
            for number, count in inside.items()
            if 2 * count >= sizes[number] or 2 * count >= last - first
        ]
        found.append(
            Window(
                units=words[first:last],
                members=tuple(chapter.documents[number] for number in members),
            )
        )
    return found


def _steps(count: int) -> Iterator[int]:
    """Yield where windows begin; the last one reaches the end."""
    if count:
        yield 0
    yield from range(
        WINDOW_STEP_UNITS, max(count - WINDOW_UNITS + WINDOW_STEP_UNITS, 0), WINDOW_STEP_UNITS
    )


def chapter_units(chapter: Chapter) -> list[str]:
    """Return everything said in a chapter, by its units; the ends only of what is very long."""
    return [
        unit
        for document in chapter.documents
        for unit in _ends(document.text, CHAPTER_DOCUMENT_UNITS_MAX)
    ]


def _ends(text: str, units_max: int) -> list[str]:
    """Return the units of a text; of a longer one half from each end."""
    half = units_max // 2
    reach = half * _UNIT_CHARS
    if len(text) > 2 * reach:
        # The middle need not even be read.
        head, tail = text[:reach], text[-reach:]
        return [*list_units(head)[:half], *list_units(tail)[-half:]]
    units = list_units(text)
    return units if len(units) <= units_max else units[:half] + units[-half:]


def chapters(session: str, documents: Iterable[Document]) -> Iterator[Chapter]:
    """Cut a session into chapters: a new one begins when the last one is full.

    Adding documents at the end changes the last chapter only.
    """
    held: list[Document] = []
    units = 0
    for document in documents:
        size = len(_ends(document.text, CHAPTER_DOCUMENT_UNITS_MAX))
        if held and units + size > CHAPTER_UNITS_MAX:
            yield _chapter(session, held)
            held, units = [], 0
        held.append(document)
        units += size
    if held:
        yield _chapter(session, held)


def _chapter(session: str, documents: list[Document]) -> Chapter:
    # The first document names the chapter: it stays the first while the chapter grows.
    name = digest(session, documents[0].doc_id, size=12).hex()
    return Chapter(chapter_id=f"chapter:{name}", session=session, documents=tuple(documents))
