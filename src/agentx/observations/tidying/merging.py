"""Which old observations go together, and what one of them says for all.

Of an issue, what is old and of one kind:

    what says the same   one of them, the fullest, word for word, and the days it was said on
    what a person ruled or had kept, what a question came to, and what was left open
                         stays by itself: it is told, and taken back, by itself
    anything else        a list of those that share words and files, a line each

Of a session stays what was asked, of a change its headline. What stands is not put with what was
superseded, nor what holds on one branch with what holds on another. The originals go to the
archive, and search finds the merged one by their words too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from agentx.kernel.clock import DAY_MS
from agentx.kernel.ids import digest
from agentx.kernel.limits import OBSERVATION_CHARS_MAX
from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.text import compile_late, fold_text, preview
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.observations.ids import observation_id
from agentx.observations.limits import (
    OBSERVATION_ARCHIVE_DAYS,
    OBSERVATION_EVENTS_MAX,
    OBSERVATION_FILES_MAX,
    OBSERVATION_SUMMARY_CHARS_MAX,
)
from agentx.observations.model import Category, CompactionResult, Marking, Observation
from agentx.observations.tidying.lists import word_part, write_list
from agentx.observations.tidying.repeats import join_ids, say_again
from agentx.observations.tidying.said import Meaning, read_observed, read_said, say_same
from agentx.prose.cues import LEAVES_OPEN, finds

_GROUP_MAX = 8
# Pairs are compared with each other: bounds the work in an issue with very many.
_BLOCK = 200
_ALIKE = 0.35
_SUMMARISED = 3  # of more, none would be told whole
_SAME = 0.6  # of the words of two texts, what they share when they say the same
_SESSIONS_MAX = 12
_RULED = compile_late(r"The user\b|Asked: ")
_OF_QUESTION = compile_late(r"\[CLR-\d+-\d+\]\Z")
_OPEN = compile_late(r"\bNot seen fixed\b|(?:\A|\n)Left open: ")


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
            if each.timestamp_ms < before_ms and not each.sources and not _is_spoken_for(each)
        ),
        key=lambda each: (each.timestamp_ms, each.id),
    )
    parted: dict[tuple[Category, bool], list[Observation]] = {}
    for each in old:
        parted.setdefault((each.category, bool(each.superseded_by)), []).append(each)
    order = list(Category)
    keys = sorted(parted, key=lambda key: (order.index(key[0]), key[1]))
    return tuple(found for key in keys for found in _merge_kind(parted[key]))


def _is_spoken_for(one: Observation) -> bool:
    """Tell whether somebody else than sessions has the say in it: a person, or the ledger."""
    is_persons = one.pinned or one.agent == PERSON_ROLE
    return is_persons or _OF_QUESTION.search(one.content) is not None


def _merge_kind(olds: Sequence[Observation]) -> Iterator[Merge]:
    """Yield how those of one kind are merged."""
    if olds[0].category is Category.COMPACTION_SUMMARY:
        for start in range(0, len(olds), _SESSIONS_MAX):
            yield from _list(olds[start : start + _SESSIONS_MAX])
        return
    rest: dict[str, list[Observation]] = {}
    for group in _find_same(olds):
        if len(group) > 1:
            yield _join(group)
        elif not _stays_alone(group[0]):
            rest.setdefault(group[0].branch, []).append(group[0])
    for alone in rest.values():
        for start in range(0, len(alone), _BLOCK):
            block = alone[start : start + _BLOCK]
            for numbers in _groups(block):
                yield from _list([block[number] for number in sorted(numbers)])


def _stays_alone(one: Observation) -> bool:
    """Tell whether something is told or taken back by itself: a ruling, or an open end."""
    if one.category is Category.CODE_CHANGE:
        return False
    if one.repeats:
        return True  # it came back: it says when, and will again
    is_ruled = one.category is Category.DECISION and _RULED.match(one.content) is not None
    return is_ruled or _OPEN.search(one.content) is not None or finds(LEAVES_OPEN, one.content)


def _find_same(olds: Sequence[Observation]) -> Iterator[list[Observation]]:
    """Yield what says the same, together."""
    known: dict[tuple[str, ...], list[tuple[Meaning, list[Observation]]]] = {}
    for each in olds:
        meaning = read_observed(each)
        likes = known.setdefault(meaning.exact, [])
        near = likes[-_BLOCK:]
        same = next((group for one, group in near if say_same(one, meaning, least=_SAME)), None)
        if same is None:
            likes.append((meaning, [each]))
        else:
            same.append(each)
    return (group for likes in known.values() for _, group in likes)


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


def _list(group: Sequence[Observation]) -> Iterator[Merge]:
    """Yield several as lists that are whole; what is worded the same is one line."""
    if len(group) < 2:
        return
    lines: dict[str, Observation] = {}
    for each in group:
        lines[word_part(each)] = each  # the newest of those that are worded the same
    content = write_list([(each.timestamp_ms, line) for line, each in lines.items()])
    if len(content) > OBSERVATION_CHARS_MAX:
        half = len(group) // 2
        yield from _list(group[:half])
        yield from _list(group[half:])
        return
    told = [each.id for each in lines.values()]
    rest = [each.id for each in group if each.id not in told]
    yield _merge(group, content, _summarise(group), (*told, *rest))


def _join(group: Sequence[Observation]) -> Merge:
    """Return several that say the same as one: the fullest, word for word, and when else."""
    best = max(
        group,
        key=lambda each: (
            each.mended_ms,
            each.reviewed,
            len(read_said(each.content).terms),
            each.timestamp_ms,
        ),
    )
    others = [each.id for each in group if each is not best]
    again = join_ids((), Marking(id=best.id, again=(*others, *_list_again(group))))
    content, summary = say_again(best.content, best.summary, again)
    made = _merge(group, content, summary, tuple(each.id for each in group))
    return Merge(
        merged=replace(made.merged, repeats=again, mended_ms=best.mended_ms),
        originals=made.originals,
    )


def _list_again(group: Iterable[Observation]) -> Iterator[str]:
    return (seen for each in group for seen in each.repeats)


def _merge(
    group: Sequence[Observation], content: str, summary: str, sources: tuple[str, ...]
) -> Merge:
    newest = group[-1]
    agent = Counter(each.agent for each in reversed(group)).most_common(1)[0][0]
    branches = {each.branch for each in group}
    merged = Observation(
        # The same originals give the same id, so that a compaction that was killed can go on.
        id=observation_id(
            agent,
            newest.issue_number,
            newest.timestamp_ms,
            lambda count: digest(*sources, size=count),
        ),
        agent=agent,
        issue_number=newest.issue_number,
        category=newest.category,
        content=content,
        summary=summary,
        tokens=estimate(content),
        timestamp_ms=newest.timestamp_ms,
        session_id=newest.session_id,
        # One proof of each: its original in the archive has the others.
        event_ids=_union((each.event_ids[:1] for each in reversed(group)), OBSERVATION_EVENTS_MAX),
        files=_union((each.files for each in reversed(group)), OBSERVATION_FILES_MAX),
        commit=newest.commit,
        superseded_by=newest.superseded_by,
        changed_files=_union(
            (each.changed_files for each in reversed(group)), OBSERVATION_FILES_MAX
        ),
        sources=sources,
        reviewed=all(each.reviewed for each in group),
        branch=newest.branch if len(branches) == 1 else "",
        head=newest.head if len(branches) == 1 else "",
    )
    return Merge(merged=merged, originals=tuple(each.id for each in group))


def _summarise(group: Sequence[Observation]) -> str:
    """Return the newest headlines in one line, each with its share of the room."""
    every = list(dict.fromkeys(fold_text(each.summary) for each in reversed(group)))
    said, left = every[:_SUMMARISED], len(every) - _SUMMARISED
    more = f"; {left} more" if left > 0 else ""
    share = (OBSERVATION_SUMMARY_CHARS_MAX - len(more) - 2 * (len(said) - 1)) // len(said)
    return "; ".join(preview(each, share) for each in said) + more


def _union(parts: Iterable[Iterable[str]], count: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for part in parts for each in part))[:count]
