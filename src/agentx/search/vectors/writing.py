"""What a commit writes: new rows, and segments again without their dead.

Rows go into the last segment, which is written again under a new name while it is short, so
that many small commits do not make many small files.
"""

from __future__ import annotations

import msgspec
import numpy as np

from agentx.search.limits import VECTOR_SEGMENT_ROWS_MAX
from agentx.search.vectors.bert import Floats
from agentx.search.vectors.segments import SegmentStore, VectorSegment
from agentx.search.vectors.table import Columns, Mask, join

# A segment of which more is dead is written again.
_DEAD_SHARE_MAX = 0.5


def with_deaths(segments: list[VectorSegment], dead: Mask) -> list[VectorSegment]:
    """Return the segments, each saying which of its rows are dead now."""
    first, made = 0, []
    for segment in segments:
        after = first + segment.held.rows
        gone = tuple(np.flatnonzero(dead[first:after]).tolist())
        held = segment.held
        if gone != held.dead:
            held = msgspec.structs.replace(held, dead=gone)
        made.append(VectorSegment(held, segment.columns, segment.vectors))
        first = after
    return made


def append(
    files: SegmentStore,
    segments: list[VectorSegment],
    number: int,
    columns: Columns,
    vectors: Floats,
) -> tuple[list[VectorSegment], int]:
    """Write new rows: into the last segment, written again, while it is short."""
    halves = vectors.astype(np.float16)
    at = 0
    while at < len(columns):
        last = segments[-1] if segments else None
        room = VECTOR_SEGMENT_ROWS_MAX - (last.held.rows if last is not None else 0)
        if last is None or room <= 0:
            last, room = None, VECTOR_SEGMENT_ROWS_MAX
        after = min(len(columns), at + room)
        chosen = np.ones(len(columns), dtype=np.bool_)
        chosen[at:after] = False
        part = columns.without(chosen)
        if last is None:
            segments.append(files.write(number, part, halves[at:after]))
        else:
            made = files.write(
                number,
                join((last.columns, part)),
                np.concatenate((last.vectors, halves[at:after])),
            )
            held = msgspec.structs.replace(made.held, dead=last.held.dead)
            segments[-1] = VectorSegment(held, made.columns, made.vectors)
        number, at = number + 1, after
    return segments, number


def rewritten(files: SegmentStore, segment: VectorSegment, number: int) -> VectorSegment:
    """Write a segment again without its dead."""
    dead = segment.dead()
    return files.write(number, segment.columns.without(dead), segment.vectors[~dead])


def rows_of(segments: list[VectorSegment]) -> int:
    """Return how many rows some segments have."""
    return sum(segment.held.rows for segment in segments)


def is_stale(segment: VectorSegment, *, purge: bool) -> bool:
    """Tell whether a segment is to be written again: too many dead, or none may stay."""
    dead = len(segment.held.dead)
    return dead > 0 and (purge or dead > _DEAD_SHARE_MAX * segment.held.rows)
