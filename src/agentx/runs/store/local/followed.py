"""A run that is followed: whoever reads all of it for one event more folds that event alone.

Lines that are read again come to the same events (`event_files`), signed ones too (`vouching`); so
where all that was folded stands there still, in the same place, the run goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import is_

from agentx.kernel.values import frozen
from agentx.runs.model import Run, RunEvent
from agentx.runs.rules.fold import evolve, fold, in_order


@frozen
class SeenRun:
    """Where a run stood, and how its files were then."""

    run: Run
    stamp: str


_KEPT_MAX = 4
_kept: dict[str, tuple[list[RunEvent], Run]] = {}


def fold_followed(run_id: str, events: Iterable[RunEvent]) -> Run:
    """Return where a run stands after all its events, as `fold` does."""
    ordered = in_order(events)
    known, run = _kept.get(run_id, ([], None))
    if run is not None and len(known) <= len(ordered) and all(map(is_, known, ordered)):
        for event in ordered[len(known) :]:
            run = evolve(run, event)
    else:
        run = fold(run_id, ordered)
    if len(_kept) >= _KEPT_MAX:
        _kept.clear()
    _kept[run_id] = (ordered, run)
    return run
