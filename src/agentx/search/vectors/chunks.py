"""Long texts in overlapping parts: an encoder reads some two hundred words and no more.

Law: what one document adds is bounded. Of a text with more parts than `VECTOR_CHUNKS_MAX`
the head and the tail are kept: the point of a long text is at its head, its outcome at
its tail.
"""

from __future__ import annotations

from agentx.kernel.values import frozen
from agentx.search.analysis import unit_spans
from agentx.search.limits import PASSAGE_CHARS_MAX, VECTOR_CHUNKS_MAX

CHUNK_UNITS = 150
CHUNK_STEP_UNITS = 100


@frozen(kw_only=False)
class Chunk:
    """A part of a text, and where it stands in it, in characters."""

    start: int
    end: int
    text: str


def chunks(text: str) -> list[Chunk]:
    """Cut a text into overlapping parts; the last one ends where the text ends."""
    spans = unit_spans(text)
    if not spans:
        return []
    if len(spans) <= CHUNK_UNITS:
        return [_chunk(text, spans[0][0], len(text))]
    starts = list(range(0, len(spans) - CHUNK_UNITS, CHUNK_STEP_UNITS))
    starts.append(len(spans) - CHUNK_UNITS)
    if len(starts) > VECTOR_CHUNKS_MAX:
        tail = VECTOR_CHUNKS_MAX // 4
        starts = starts[: VECTOR_CHUNKS_MAX - tail] + starts[-tail:]
    return [_chunk(text, spans[at][0], spans[at + CHUNK_UNITS - 1][1]) for at in starts]


def _chunk(text: str, start: int, end: int) -> Chunk:
    end = min(end, start + PASSAGE_CHARS_MAX)
    return Chunk(start, end, text[start:end])
