"""Settled threads get small: what was said on the way is cut to a line, by who wrote it.

The questions, the last answer, all that a person said and what was decided stay whole; the summary
of a settled thread says the same before and after. Who shortens an event signs it again. Of an
event that a merge brings back whole the shortened one counts, and the whole one goes next time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentx.clarification.model import PERSON, Clarification, EntryType
from agentx.clarification.store.question_events import QuestionEvent, QuestionEventKind
from agentx.clarification.summary import POSITIONS
from agentx.kernel.clock import Millis
from agentx.kernel.text import preview

# A line of a summary is never longer: so it says the same as before.
_LINE_CHARS = 120
_MARK = "shortened"


def find_settled(states: Iterable[Clarification], before_ms: Millis) -> frozenset[str]:
    """Return the questions that were settled or given up before a moment."""
    return frozenset(
        state.uid for state in states if not state.is_active and find_end(state) < before_ms
    )


def find_end(state: Clarification) -> int:
    """Return when the last thing happened to a question, as far as its thread says."""
    said = (entry.at_ms for entry in state.thread if not entry.is_claim)
    return max((state.created_ms, state.resolved_ms or 0, *said))


def find_long(
    events: Iterable[QuestionEvent],
    states: Iterable[Clarification],
    before_ms: Millis,
    writer: str,
) -> frozenset[str]:
    """Return the events of a writer's that say more of settled questions than need be kept."""
    known_states = tuple(states)
    ended = find_settled(known_states, before_ms)
    settled = {state.uid: state.answer for state in known_states if state.uid in ended}
    known = sorted((one for one in events if one.question in settled), key=lambda one: one.id)
    last = {one.question: one.id for one in known if one.kind is QuestionEventKind.ANSWERED}
    return frozenset(
        one.id
        for one in known
        if one.id != last.get(one.question)
        and one.detail.get("body") != settled[one.question]
        and one.detail.get("by") != PERSON
        and is_of(one, writer)
        and shorten(one).detail != one.detail
    )


def list_begun(events: Iterable[QuestionEvent], writer: str) -> set[str]:
    """Return the questions that a writer asked."""
    return {event.question for event in events if event.is_birth and is_of(event, writer)}


def is_of(event: QuestionEvent, writer: str) -> bool:
    """Tell whether an event lies in a file of a writer's."""
    return event.writer.partition("-")[0] == writer


def shorten(event: QuestionEvent) -> QuestionEvent:
    """Return an event with what need be kept of its words."""
    detail = dict(event.detail)
    match event.kind, detail:
        case QuestionEventKind.ANSWERED, {"body": str(body)} if len(body) > _LINE_CHARS:
            detail |= {"body": preview(body, _LINE_CHARS), _MARK: True}
        case QuestionEventKind.ESCALATED, {"text": str(text)} if POSITIONS in text:
            detail |= {"text": text.partition(POSITIONS)[0], _MARK: True}
        case _:
            return event
    return replace(event, detail=detail)


def cut_words(kind: EntryType, body: str) -> str:
    """Return what is kept of an entry's words when its thread gets small."""
    match kind:
        case EntryType.ANSWER:
            return preview(body, _LINE_CHARS) if len(body) > _LINE_CHARS else body
        case EntryType.ESCALATION:
            return body.partition(POSITIONS)[0]
        case _:
            return body


def is_shortened(event: QuestionEvent) -> bool:
    """Tell whether an event was shortened."""
    return event.detail.get(_MARK) is True


def is_short_of(short: str, whole: str) -> bool:
    """Tell whether one text is what is kept of another."""
    return short in (preview(whole, _LINE_CHARS), whole.partition(POSITIONS)[0])
