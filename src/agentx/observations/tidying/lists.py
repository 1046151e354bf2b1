"""A merged observation that is a list: how its lines are written, and read again.

    - 2026-03-18: Retry webhooks with full jitter (commit 1f2e3d4)
    - 2026-03-21: Drop the retry table

A line a thing that was said, oldest first, with its day; the first `sources` are whose lines these
are, in the same order. So each line is told, weighed, opened and replaced as the observation that
it was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from agentx.kernel.clock import Millis, to_iso
from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import compile_late, fold_text
from agentx.kernel.tokens import estimate
from agentx.observations.ids import ParsedId, parse_observation_id
from agentx.observations.model import Category, Observation
from agentx.observations.port import ObservationStore
from agentx.prose.sentences import fit_line, join_lines, shorten

_LINE = compile_late(r"- (\d{4}-\d\d-\d\d)(, superseded since)?: ")
_MARK = "- "
_DAY_CHARS = 10
# As much of each as is told of it.
_CHARS_MAX_OF = {Category.ERROR: 320, Category.DECISION: 320}
_CHARS_MAX = 240
_ASKED_CHARS_MAX = 120
# What says only where a change comes from.
_BESIDE = compile_late(r"(?:; |\n)(?:Asked|Files|Commit|Why asked): ")


def word_part(one: Observation) -> str:
    """Return the words of an observation that a list keeps."""
    if one.category is Category.COMPACTION_SUMMARY:
        return shorten(fold_text(one.summary), _ASKED_CHARS_MAX)
    said = one.content
    if one.category is Category.CODE_CHANGE:
        said = _BESIDE.split(said, maxsplit=1)[0] or one.summary
    return fit_line(join_lines(said.split("\n")), _CHARS_MAX_OF.get(one.category, _CHARS_MAX))


def write_list(lines: Iterable[tuple[Millis, str]]) -> str:
    """Return what was said with its days, in the order given."""
    return "\n".join(f"{_MARK}{to_iso(at_ms)[:_DAY_CHARS]}: {line}" for at_ms, line in lines)


def is_list(one: Observation) -> bool:
    """Tell whether an observation is one in the place of several that say different things."""
    return bool(one.sources) and _LINE.match(one.content) is not None


def list_parts(merged: Observation) -> tuple[Observation, ...]:
    """Return the lines of a list as observations by themselves; what is none is returned as it is.

    What a list says was superseded is left out where something else stands.
    """
    if not is_list(merged):
        return (merged,)
    days: dict[str, list[tuple[str, ParsedId]]] = {}
    for name in merged.sources:
        known = _parse(name)
        if known is not None:
            days.setdefault(to_iso(known.timestamp_ms)[:_DAY_CHARS], []).append((name, known))
    found: list[tuple[bool, Observation]] = []
    day, is_gone = "", False
    for line in merged.content.split("\n"):
        head = _LINE.match(line)
        if head:
            day, is_gone = head[1], bool(head[2])
        text = line[head.end() :] if head else line.removeprefix(_MARK)
        of_day = days.get(day)
        if of_day:  # else it cannot be told whose line it is
            found.append((is_gone, _open(merged, text, *of_day.pop(0))))
    parts = [one for is_gone, one in found if not is_gone] or [one for _, one in found]
    return tuple(parts) or (merged,)


def _open(merged: Observation, text: str, name: str, known: ParsedId) -> Observation:
    return replace(
        merged,
        id=name,
        agent=known.agent,
        content=text,
        summary=text,
        tokens=estimate(text),
        timestamp_ms=known.timestamp_ms,
        sources=(),
    )


def _parse(name: str) -> ParsedId | None:
    try:
        return parse_observation_id(name)
    except InvalidValue:
        return None  # the file was edited by hand


def open_lists(
    observations: Iterable[Observation],
) -> tuple[dict[str, Observation], dict[str, Observation]]:
    """Return observations by id, those of lists by themselves, and by the same ids their lists."""
    found: dict[str, Observation] = {}
    lists: dict[str, Observation] = {}
    for one in observations:
        parts = list_parts(one)
        found |= {part.id: part for part in parts}
        if parts != (one,):
            lists |= {part.id: one for part in parts}
    return found, lists


def take_apart(
    store: ObservationStore, lists: Mapping[str, Observation], wanted: Collection[str]
) -> None:
    """Put the originals into the place of the lists that hold some of them.

    A kill in between leaves a list beside its originals, never neither.
    """
    for held in {lists[each].id: lists[each] for each in wanted if each in lists}.values():
        store.bring_back(held.sources)
        store.forget((held.id,))
