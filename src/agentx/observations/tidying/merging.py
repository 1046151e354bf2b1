"""Which old observations go together, and what one of them says for all.

Of an issue, what is old and of one kind: likes are joined to one line with their dates, and lines
that share words and files are put together, so that a kind is found as before. A line is the best
that was said, word for word: a change by its headline, a session by what was asked, anything else
by its text as far as its share of the room goes. What was superseded is left out where something
else stands. The originals go to the archive, and search finds the merged one by their words too.
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
from agentx.observations.ids import observation_id, parse_observation_id
from agentx.observations.limits import (
    OBSERVATION_ARCHIVE_DAYS,
    OBSERVATION_EVENTS_MAX,
    OBSERVATION_FILES_MAX,
    OBSERVATION_SUMMARY_CHARS_MAX,
)
from agentx.observations.model import Category, CompactionResult, Observation
from agentx.observations.tidying.repeats import strip_again
from agentx.observations.tidying.said import Meaning, read_observed, read_said, say_same
from agentx.prose.sentences import shorten

_GROUP_MAX = 8
# Pairs are compared with each other: bounds the work in an issue with very many.
_BLOCK = 200
_ALIKE = 0.35
_SUMMARISED = 3  # of more, none would be told whole
_SAME = 0.6  # of the words of two texts, what they share when they say the same
_LINE_CHARS_MAX = 200
_PARTS_MAX = 3
# What such an observation says beyond its headline is told by others, or by the commit.
_BY_HEADLINE = frozenset({Category.CODE_CHANGE, Category.COMPACTION_SUMMARY})


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
    for category in Category:
        kind = [each for each in old if each.category is category]
        for start in range(0, len(kind), _BLOCK):
            block = kind[start : start + _BLOCK]
            groups = _groups(block)
            found += [_merge([block[number] for number in sorted(group)]) for group in groups]
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
    """Return how alike each pair is, from 0 to 1: shared words, the rare ones more, and files.

    Those that say the same come first: they make one line.
    """
    meanings = [read_observed(each) for each in block]
    words = [each.terms for each in meanings]
    counts = Counter(word for each in words for word in each)
    weight = {word: math.log(1 + len(block) / count) for word, count in counts.items()}
    size = [sum(weight[word] for word in each) for each in words]
    found = []
    for one, other in combinations(range(len(block)), 2):
        shared = sum(weight[word] for word in words[one] & words[other])
        likeness = shared / max(min(size[one], size[other]), 1e-9)
        if say_same(meanings[one], meanings[other], least=_SAME):
            likeness += 1
        if set(block[one].files) & set(block[other].files):
            likeness += 0.15
        found.append((likeness, one, other))
    return found


def _merge(group: Sequence[Observation]) -> Merge:
    newest = group[-1]
    agent = Counter(each.agent for each in reversed(group)).most_common(1)[0][0]
    content = _content(group)
    ids = tuple(each.id for each in group)
    superseded = {each.superseded_by for each in group}
    branches = {each.branch for each in group}
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
        category=newest.category,
        content=content,
        summary=_summary(group),
        tokens=estimate(content),
        timestamp_ms=newest.timestamp_ms,
        session_id=newest.session_id,
        # One proof of each: its original in the archive has the others.
        event_ids=_union((each.event_ids[:1] for each in reversed(group)), OBSERVATION_EVENTS_MAX),
        files=_union((each.files for each in reversed(group)), OBSERVATION_FILES_MAX),
        commit=newest.commit,
        superseded_by=superseded.pop() if len(superseded) == 1 else "",
        changed_files=_union(
            (each.changed_files for each in reversed(group)), OBSERVATION_FILES_MAX
        ),
        sources=ids,
        reviewed=all(each.reviewed for each in group),
        branch=newest.branch if len(branches) == 1 else "",
        head=newest.head if len(branches) == 1 else "",
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
    """Return a line for each thing that was said, oldest first, with the days on which it was."""
    standing = [each for each in group if not each.superseded_by] or list(group)
    facts: list[tuple[Meaning, list[Observation]]] = []
    for each in standing:
        meaning = read_observed(each)
        like = (olds for known, olds in facts if say_same(known, meaning, least=_SAME))
        same = next(like, None)
        if same is None:
            facts.append((meaning, [each]))
        else:
            same.append(each)
    room = OBSERVATION_CHARS_MAX // len(facts) - 1
    lines, day = [], ""
    for _, olds in facts:
        line = _say_line(olds, room)
        # A day is named once, by the first line of it.
        rest = line.removeprefix(f"- {day}: ")
        lines.append(line if rest == line else f"- {rest}")
        day = line[2:12]
    return whole_head("\n".join(lines), OBSERVATION_CHARS_MAX)


def _say_line(olds: Sequence[Observation], room: int) -> str:
    """Return what some observations say that say the same: the fullest of them, word for word."""
    best = max(olds, key=lambda each: (len(read_said(each.content).terms), each.timestamp_ms))
    seen = [each.timestamp_ms for each in olds]
    seen += [parse_observation_id(id_).timestamp_ms for each in olds for id_ in each.repeats]
    days = list(dict.fromkeys(to_iso(at_ms)[:10] for at_ms in sorted(seen)))
    gone = ", superseded since" if all(each.superseded_by for each in olds) else ""
    count = len(olds) + sum(len(each.repeats) for each in olds)
    times = f" ({count} times: {', '.join(days)})" if count > 1 else ""
    head = f"- {days[-1]}{gone}: "
    left = max(min(room - len(head) - len(times), _LINE_CHARS_MAX), 1)
    return head + _pick_words(best, left) + times


def _pick_words(best: Observation, room: int) -> str:
    """Return the words of an observation that matter most, as many as there is room for."""
    whole, headline = fold_text(strip_again(best.content)), fold_text(best.summary)
    if best.category in _BY_HEADLINE and headline:
        return shorten(headline, room)
    if len(whole) <= room:
        return whole
    if best.category is Category.ERROR:
        # What failed, why, and what mended it: a bit of each says more than all of the first.
        lines = [fold_text(each) for each in best.content.splitlines() if each.strip()][:_PARTS_MAX]
        return " ".join(shorten(each, max(room // len(lines) - 1, 1)) for each in lines)
    return shorten(headline or whole, room)


def _union(parts: Iterable[Iterable[str]], count: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for part in parts for each in part))[:count]
