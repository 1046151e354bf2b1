"""Which old observations say nearly the same, and what one of them says for all.

Observations of an issue that share words and files are merged, two to six into one; what is like
nothing else goes with what it is most like, so that no old observation is left alone. The merged
one keeps every summary, then as much of the text as its length allows, the newest first, and
names its originals. They go to the archive, and search finds the merged one by their words too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from agentx.kernel.clock import DAY_MS, to_iso
from agentx.kernel.ids import digest
from agentx.kernel.limits import OBSERVATION_CHARS_MAX
from agentx.kernel.text import fold_text, preview, whole_head
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.observations.ids import observation_id
from agentx.observations.limits import (
    OBSERVATION_ARCHIVE_DAYS,
    OBSERVATION_EVENTS_MAX,
    OBSERVATION_FILES_MAX,
    OBSERVATION_SUMMARY_CHARS_MAX,
)
from agentx.observations.model import Category, CompactionResult, Observation
from agentx.observations.relevance import keywords

_GROUP_MAX = 6
# Pairs are compared with each other: bounds the work in an issue with very many.
_BLOCK = 200
_ALIKE = 0.35
_SUMMARISED = 3  # of more, none would be told whole
_REST_MIN = 20  # a cut text that is shorter says nothing
_ELLIPSIS = "\u2026"


@frozen
class Merge:
    """One observation in the place of several."""

    merged: Observation
    originals: tuple[str, ...]


def merges(observations: Sequence[Observation], *, before_ms: int) -> tuple[Merge, ...]:
    """Return how the observations older than `before_ms` are merged; the others stay.

    What was merged once is not merged again: compacted week after week, an issue would end as one.
    """
    old = sorted(
        (
            each
            for each in observations
            if each.timestamp_ms < before_ms and not each.sources and not each.pinned
        ),
        key=lambda each: (each.timestamp_ms, each.id),
    )
    found = []
    for start in range(0, len(old), _BLOCK):
        block = old[start : start + _BLOCK]
        found += [_merge([block[number] for number in sorted(group)]) for group in _groups(block)]
    return tuple(found)


def outcome(issue: int, before: int, planned: Sequence[Merge]) -> CompactionResult:
    """Return what merging comes to in an issue that had so many observations."""
    gone = tuple(old for each in planned for old in each.originals)
    return CompactionResult(
        issue_number=issue,
        before=before,
        after=before - len(gone) + len(planned),
        merged=tuple(each.merged for each in planned),
        archived=gone,
    )


def old_enough(before_ms: int | None, now_ms: int) -> int:
    """Return the time before which observations are merged: what was asked, or the threshold."""
    return now_ms - OBSERVATION_ARCHIVE_DAYS * DAY_MS if before_ms is None else before_ms


def _groups(block: Sequence[Observation]) -> list[list[int]]:
    """Return groups of two or more; only a block of one has none."""
    alike = _likeness(block)
    group_of: dict[int, list[int]] = {}
    for likeness, one, other in sorted(alike, key=lambda each: (-each[0], each[1], each[2])):
        mine, others = group_of.get(one), group_of.get(other)
        if mine is None and others is None:
            group_of[one] = group_of[other] = [one, other]
        elif likeness >= _ALIKE and (mine is None or others is None):
            group = mine if mine is not None else others
            assert group is not None, "one of them is"
            if len(group) < _GROUP_MAX:
                lonely = other if mine is not None else one
                group.append(lonely)
                group_of[lonely] = group
    return _with_the_last(block, group_of, alike)


def _with_the_last(
    block: Sequence[Observation],
    group_of: dict[int, list[int]],
    alike: Sequence[tuple[float, int, int]],
) -> list[list[int]]:
    """Let who is left alone go with what is most like it."""
    for number in range(len(block)):
        if number in group_of:
            continue
        near = max(
            (each for each in alike if number in each[1:]),
            key=lambda each: (each[0], -each[1], -each[2]),
            default=None,
        )
        if near is not None:
            group = group_of[near[2] if near[1] == number else near[1]]
            group.append(number)
            group_of[number] = group
    unique = {id(group): group for group in group_of.values()}
    return list(unique.values())


def _likeness(block: Sequence[Observation]) -> list[tuple[float, int, int]]:
    """Return how alike each pair is, from 0 to 1: shared words, the rare ones more, and files."""
    words = [keywords(f"{each.summary} {each.content}") for each in block]
    counts = Counter(word for each in words for word in each)
    weight = {word: math.log(1 + len(block) / count) for word, count in counts.items()}
    size = [sum(weight[word] for word in each) for each in words]
    found = []
    for one, other in combinations(range(len(block)), 2):
        shared = sum(weight[word] for word in words[one] & words[other])
        likeness = shared / max(min(size[one], size[other]), 1e-9)
        if block[one].category == block[other].category:
            likeness += 0.05
        if set(block[one].files) & set(block[other].files):
            likeness += 0.15
        found.append((likeness, one, other))
    return found


def _merge(group: Sequence[Observation]) -> Merge:
    newest = group[-1]
    categories = {each.category for each in group}
    category = newest.category if len(categories) == 1 else Category.COMPACTION_SUMMARY
    agent = Counter(each.agent for each in reversed(group)).most_common(1)[0][0]
    content = _content(group)
    ids = tuple(each.id for each in group)
    superseded = {each.superseded_by for each in group}
    merged = Observation(
        # The same originals give the same id, so that a compaction that was killed can go on.
        id=observation_id(
            agent,
            newest.issue_number,
            newest.timestamp_ms,
            lambda count: digest(*ids, size=count),
        ),
        agent=agent,
        issue_number=newest.issue_number,
        category=category,
        content=content,
        summary=_summary(group),
        tokens=estimate(content),
        timestamp_ms=newest.timestamp_ms,
        session_id=newest.session_id,
        event_ids=_union((each.event_ids for each in reversed(group)), OBSERVATION_EVENTS_MAX),
        files=_union((each.files for each in reversed(group)), OBSERVATION_FILES_MAX),
        commit=newest.commit,
        superseded_by=superseded.pop() if len(superseded) == 1 else "",
        changed_files=_union(
            (each.changed_files for each in reversed(group)), OBSERVATION_FILES_MAX
        ),
        sources=ids,
    )
    return Merge(merged=merged, originals=ids)


def _summary(group: Sequence[Observation]) -> str:
    """Return the newest summaries in one line, each with its share of the room."""
    every = list(dict.fromkeys(fold_text(each.summary) for each in reversed(group)))
    said, left = every[:_SUMMARISED], len(every) - _SUMMARISED
    more = f"; {left} more" if left > 0 else ""
    share = (OBSERVATION_SUMMARY_CHARS_MAX - len(more) - 2 * (len(said) - 1)) // len(said)
    return "; ".join(preview(each, share) for each in said) + more


def _content(group: Sequence[Observation]) -> str:
    """Return every summary, then the text behind it, newest first, as far as there is room."""
    heads, rests = [], []
    for each in group:
        gone = ", superseded since" if each.superseded_by else ""
        said, rest = _split_told(each)
        heads.append(f"- {to_iso(each.timestamp_ms)[:10]} {each.category}{gone}: {said}")
        rests.append(rest)
    room = OBSERVATION_CHARS_MAX - sum(len(head) + 1 for head in heads)
    shares = _shares([len(rest) for rest in rests], room)
    lines = [
        _continue_line(head, rest, share)
        for head, rest, share in zip(heads, rests, shares, strict=True)
    ]
    return whole_head("\n".join(lines), OBSERVATION_CHARS_MAX)


def _continue_line(head: str, rest: str, share: int) -> str:
    """Return a line that goes on as far as its share of the room allows."""
    if len(rest) > share:
        if share < _REST_MIN:
            return head
        rest = whole_head(rest, share - 1).rstrip() + _ELLIPSIS
    return head.removesuffix(_ELLIPSIS) + rest if rest else head


def _split_told(observation: Observation) -> tuple[str, str]:
    """Return the summary, and what the content says beyond it: both together read as one."""
    said = fold_text(observation.content)
    head = fold_text(observation.summary)
    if not head:
        return preview(said, OBSERVATION_SUMMARY_CHARS_MAX), ""
    _, found, rest = said.partition(head.removesuffix(_ELLIPSIS))
    return (head, rest) if found else (head, f" {said}")


def _shares(wanted: Sequence[int], room: int) -> list[int]:
    """Share room out: who wants less than an equal share leaves the rest to the others."""
    shares = [0] * len(wanted)
    left = max(room, 0)
    for rank, number in enumerate(sorted(range(len(wanted)), key=lambda each: wanted[each])):
        shares[number] = min(wanted[number] + 1, left // (len(wanted) - rank))
        left -= shares[number]
    return shares


def _union(parts: Iterable[Iterable[str]], count: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for part in parts for each in part))[:count]
