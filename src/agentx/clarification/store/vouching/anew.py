"""Contests that are over, as a person was asked the same elsewhere and said what holds.

What a person says carries what they had before them (`sight`): the lines of its own thread, and
what people, trusted or not, said elsewhere to the same words. What was contested so is contested no
longer, whichever word they said, in every clone that counts it: not by clocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from agentx.clarification.contested import contests
from agentx.clarification.model import PERSON, Clarification, Entry
from agentx.clarification.store.question_events import QuestionEvent, QuestionEventKind
from agentx.clarification.store.vouching.sight import list_seen, sum_up
from agentx.clarification.watch.gathered import GatheredQuestions, gather, key_asked, key_awaited
from agentx.clarification.watch.later import holds_against, share_thread
from agentx.clarification.ways import read_missed
from agentx.kernel.values import frozen

_WORDS = frozenset({QuestionEventKind.ANSWERED, QuestionEventKind.RESOLVED})


class _Told(Protocol):
    """A question as events tell it."""

    state: Clarification | None
    heard: list[str]  # the event of each entry of its thread
    is_gone: bool


def list_said(state: Clarification, other: Clarification) -> tuple[Entry, ...]:
    """Return what people said, counting or not, to another question that asks just the same."""
    if share_thread(state, other):
        return ()
    asked = key_awaited(state)
    said = (each for each in other.thread if each.is_persons_word or contests(each))
    return tuple(each for each in said if key_asked(other, each) == asked)


def keep_saying(lines: Iterable[QuestionEvent], said: Iterable[Entry]) -> tuple[QuestionEvent, ...]:
    """Return the lines that say, as a person, what some entries do."""
    bodies = {each.body for each in said}
    return tuple(line for line in lines if _is_word(line) and line.detail.get("body") in bodies)


def end_contests(told: Iterable[_Told], events: Iterable[QuestionEvent]) -> None:
    """Mark what contests an answer, where a person who had that before them said what holds."""
    known = tuple(told)
    states = [each.state for each in known if each.state is not None and not each.is_gone]
    if not any(contests(entry) for state in states for entry in state.thread):
        return
    lines = [event for event in events if _is_word(event)]
    words = tuple(_list_words(known, {line.id: line for line in lines}))
    asked = gather(states)
    for one in known:
        if one.state is None:
            continue
        said = zip(one.state.thread, one.heard, strict=True)
        thread = (
            replace(entry, is_over=_is_over(one.state, entry, _sum_up(name, lines), words, asked))
            if contests(entry)
            else entry
            for entry, name in said
        )
        one.state = replace(one.state, thread=tuple(thread))


@frozen
class _Word:
    """What a person said, to what, and what they had before them."""

    state: Clarification
    entry: Entry
    seen: frozenset[str]


def _list_words(known: Iterable[_Told], lines: dict[str, QuestionEvent]) -> Iterator[_Word]:
    for one in known:
        if one.state is None or one.is_gone:
            continue
        for entry, name in zip(one.state.thread, one.heard, strict=True):
            line = lines.get(name)
            is_theirs = entry.is_persons_word and one.state.is_own(entry)
            # Who only lets a question go says nothing of which word holds.
            says = is_theirs and not one.state.lets_go(entry)
            if line is not None and line.is_vouched and says:
                seen = list_seen(line) or frozenset()
                yield _Word(state=one.state, entry=entry, seen=seen)


def _is_over(
    state: Clarification,
    entry: Entry,
    digests: frozenset[str],
    words: Iterable[_Word],
    states: GatheredQuestions,
) -> bool:
    asked = key_asked(state, entry)
    return any(
        digests & word.seen
        and not share_thread(word.state, state)
        and key_asked(word.state, word.entry) == asked
        and holds_against(word.state, word.entry, states)
        for word in words
    )


def _sum_up(name: str, lines: Iterable[QuestionEvent]) -> frozenset[str]:
    """Return the digests of a line, and of those that keep the same comment of a page."""
    known = tuple(lines)
    kept = {_find_comment(line) for line in known if line.id == name} - {None}
    return frozenset(
        sum_up(line) for line in known if line.id == name or _find_comment(line) in kept
    )


def _find_comment(line: QuestionEvent) -> tuple[str, str, str] | None:
    missed, body = read_missed(line.detail), str(line.detail.get("body"))
    return (line.stem or line.question, missed, body) if missed else None


def _is_word(line: QuestionEvent) -> bool:
    return line.kind in _WORDS and line.detail.get("by") == PERSON
