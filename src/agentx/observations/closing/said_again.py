"""What was left open and is said again by a later session: told once, by who said it last.

    "where do the buckets live with a second machine?"      2 March
    "open: where buckets live with a second machine"        9 March, told

Law: only what names as much falls. What is a list is told item by item, and falls by what is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentx.kernel.text import compile_late
from agentx.observations.extract.left.open_list import read_open_list
from agentx.observations.extract.left.settled import UNDONE
from agentx.observations.labels import BY_USER, LABELS, strip_label
from agentx.observations.model import Observation, SearchFilters
from agentx.observations.port import ObservationStore
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import share_alike, share_of_shorter
from agentx.prose.sentences import is_question

_LOOKED_AT_MAX = 200
_SAME = 0.75
_SHARED_MIN = 4
_BRACKETS = compile_late(r"\([^()]*\)")
_NUMBER = compile_late(r"(?<![\w.])#?\d[\w.]*")


def find_said_again(
    store: ObservationStore, kept: Sequence[Observation]
) -> Iterator[tuple[Observation, str]]:
    """Yield what was open and is said again, with the id of what says it last."""
    new = [one for one in kept if one.content.startswith(LABELS)]
    if not new:
        return
    rows = store.search_by_filters(
        SearchFilters(superseded=False, pinned=False, limit=_LOOKED_AT_MAX)
    )
    ids = [row.id for row in rows if row.summary.startswith(LABELS)]
    for one in store.get_by_ids(ids):
        if one.superseded_by or not one.content.startswith(LABELS):
            continue
        for other in new:
            first, last = sorted((one, other), key=lambda each: each.timestamp_ms)
            is_other_session = first.session_id != last.session_id
            # What is said on the default branch is told everywhere.
            is_told = last.branch in ("", first.branch)
            if is_other_session and is_told and says_again(first, last):
                yield first, last.id
                break


def says_again(one: Observation, later: Observation) -> bool:
    """Tell whether a later open end says what one said."""
    own = strip_label(one.content)
    is_list = not is_question(own) and len(read_open_list(own).items) > 1
    if BY_USER in one.content or is_list:
        return False
    mine, theirs = _read(one), _read(later)
    shared = share_alike(mine, theirs)
    if len(shared) < _SHARED_MIN or not _numbers(one) <= _numbers(later):
        return False
    return share_of_shorter(len(shared), len(mine), len(theirs)) >= _SAME


def _read(one: Observation) -> frozenset[str]:
    return terms(_BRACKETS.sub(" ", strip_label(one.content))) - UNDONE


def _numbers(one: Observation) -> frozenset[str]:
    """Return the numbers that tell two things apart; a single digit counts things."""
    found = _NUMBER.findall(_BRACKETS.sub(" ", one.content))
    return frozenset(each for each in found if len(each) > 1)
