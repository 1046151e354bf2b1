"""Which question it is that somebody waits for: a thread may have had several.

A question, and a call for a person, is known by the event that put it; the first of a thread by the
thread's own. An answer is the answer to the one that was put last when it was given
(`Clarification.question_of`), and lets go of who waits for that one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from agentx.clarification.model import (
    PERSON,
    Clarification,
    ClarificationStatus,
    Entry,
    EntryType,
)
from agentx.clarification.summary import find_note
from agentx.clarification.ways import UNTRUSTED
from agentx.kernel.ids import IssueMark, digest
from agentx.kernel.text import fold_text

_ASKING = frozenset({EntryType.QUESTION, EntryType.ESCALATION})
_WORDS = frozenset({EntryType.ANSWER, EntryType.RESOLUTION})


def find_awaited(state: Clarification) -> str:
    """Return which question, or call for a person, was put last: what its asker waits for."""
    asking = [entry.uid for entry in state.thread if entry.type in _ASKING and not entry.late]
    return (asking[-1] if asking else "") or state.uid


def name_asked(state: Clarification) -> str:
    """Return a name of a question that means what was asked last, and nothing else ever."""
    return f"{state.id}@{find_awaited(state)}" if state.uid else state.id


def say_asked(state: Clarification) -> str:
    """Return what a person is asked now: the question that was put last, and what they were called
    with."""
    note = find_note(state) if state.status is ClarificationStatus.ESCALATED else ""
    return f"{state.asked_last} ({note})" if note else state.asked_last


def sum_up_asked(state: Clarification) -> str:
    """Return by what it is known whether somebody was shown just what is asked now."""
    return digest(state.topic, say_asked(state)).hex()


def fold_words(*texts: str) -> tuple[str, ...]:
    """Return texts without what differs between two ways to type them."""
    return tuple(fold_text(text).casefold() for text in texts)


class _OfIssue(Protocol):
    @property
    def issue(self) -> int: ...

    @property
    def issue_mark(self) -> IssueMark: ...


def is_of_same_issue(one: _OfIssue, other: _OfIssue) -> bool:
    """Tell whether two questions are about one issue, whatever number it had when each was put."""
    if one.issue_mark.is_another(other.issue_mark):
        return False
    return one.issue == other.issue or (
        bool(one.issue_mark.created) and one.issue_mark == other.issue_mark
    )


def is_asked_further(state: Clarification, told: str) -> bool:
    """Tell whether something waits that was asked after the question that somebody was shown."""
    first = (state.uid, state.stem)
    awaited = find_awaited(state)
    is_told = awaited == told or (awaited in first and told in first)
    return is_to_be_answered(state) and not is_told and has_asked(state, told)


def is_to_be_answered(state: Clarification) -> bool:
    """Tell whether somebody's answer or decision is waited for."""
    return state.is_unanswered or state.status is ClarificationStatus.ESCALATED


def has_asked(state: Clarification, awaited: str) -> bool:
    """Tell whether a question, or a call for a person, stands in a thread and is vouched for."""
    known = (entry.uid for entry in state.thread if not entry.doubt)
    return awaited == state.uid or awaited in known


def cut_after_answer(state: Clarification, awaited: str) -> Clarification:
    """Return a thread as it was when a question was answered, if something is asked on since."""
    if not is_to_be_answered(state) or find_awaited(state) == awaited:
        return state
    asked = ""
    for at, entry in enumerate(state.thread):
        if entry.late:
            continue
        if entry.type in _ASKING:
            asked = entry.uid or state.stem or state.uid
        elif entry.type is EntryType.ANSWER and asked == awaited:
            return replace(
                state,
                status=ClarificationStatus.ANSWERED,
                thread=state.thread[: at + 1],
                reason=None,
                summary="",
            )
    return state


def find_untrusted_question(state: Clarification) -> Entry | None:
    """Return what a writer who is not trusted asks a person further, since somebody spoke."""
    said = (each for each in state.thread if each.type in _WORDS and not each.late)
    since = max((each.at_ms for each in said), default=0)
    asked = (each for each in state.thread if is_untrusted_question(each.type, each.via))
    newer = [each for each in asked if state.to == PERSON and each.late and each.at_ms >= since]
    return newer[-1] if newer else None


def is_untrusted_question(kind: object, via: object) -> bool:
    """Tell whether an entry is a question of a writer who is not trusted, which changes nothing."""
    return kind == EntryType.QUESTION and via == UNTRUSTED
