"""Where a person is asked two things on one thread by clones that had not seen one another.

Each question is one that a person answers for itself. So of two follow-ups whose writers had not
seen one another the earlier goes on with the thread; the other is an *offshoot*: a question of its
own, known by the event that asked it, which begins with all that its writer had seen. Whatever is
said by who had seen it is said to it. Which lines somebody had seen is signed with what they say
(`vouching.sight`), so the threads are the same in every clone, in whatever order lines arrive.

An event lies in the file under its thread's question, also where it is an offshoot's: who does not
trust the one who asked sees one thread, and loses nothing.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace

from agentx.clarification.model import Reason
from agentx.clarification.store.question_events import QuestionEvent, QuestionEventKind
from agentx.clarification.store.vouching.sight import (
    SeenLines,
    is_for_person,
    list_seen,
    sum_up,
)


@dataclass(slots=True)
class _Thread:
    """One thread: its first lines, which an offshoot shares, and then its own."""

    question: str
    lines: list[QuestionEvent] = field(default_factory=list)
    asked: list[QuestionEvent] = field(default_factory=list)  # what a person is asked on it


@dataclass(slots=True)
class Parted:
    """Events, each under the thread that it belongs to."""

    events: list[QuestionEvent]
    offshoots: dict[str, QuestionEvent] = field(default_factory=dict)  # what each begins with


def part_threads(
    known: list[QuestionEvent],
    births: Mapping[str, QuestionEvent],
    sight: SeenLines,
    gone: Container[str] = (),
) -> Parted:
    """Return events, in the order of their ids, with those of offshoots under their own questions.

    `known` has each id once; `gone` are the questions that were forgotten.
    """
    asked: dict[str, list[QuestionEvent]] = {}
    for event in known:
        birth = births.get(event.question)
        if birth is not None and event is not birth and _asks_person(event, birth):
            asked.setdefault(event.question, []).append(event)
    parted = Parted(known)
    for question, asks in asked.items():
        if len(asks) > 1 and question not in gone:
            counting = {event.id for event in asks if event.is_vouched or sight.covers(event)}
            if len(counting) > 1:
                _part(parted, births[question], counting)
    parted.events.sort(key=lambda event: event.id)
    return parted


def _asks_person(event: QuestionEvent, birth: QuestionEvent) -> bool:
    """Tell whether an event asks a person something: a follow-up, or one past the last round."""
    if event.kind is QuestionEventKind.ASKED:
        return is_for_person(birth)
    is_call = event.kind is QuestionEventKind.ESCALATED
    return is_call and event.detail.get("reason") == Reason.MAX_ROUNDS


def _part(parted: Parted, birth: QuestionEvent, asks: Container[str]) -> None:
    question = birth.question
    trunk = _Thread(question)
    threads = [trunk]  # in the order in which they begin, so the deepest that was seen is the last
    for event in parted.events:
        if event.question != question:
            continue
        seen = list_seen(event)
        home = trunk
        if seen is not None:
            homes = (each for each in threads[1:] if _saw(seen, parted.offshoots[each.question]))
            home = max(homes, key=lambda each: each.question, default=trunk)
        is_asked = event.id in asks
        if is_asked and seen is not None and not all(_saw(seen, one) for one in home.asked):
            before = [one for one in home.lines if one.id == birth.id or _saw(seen, one)]
            home = _Thread(event.id, before, [one for one in home.asked if one in before])
            parted.offshoots[event.id] = event
            threads.append(home)
        home.lines.append(event)
        if is_asked:
            home.asked.append(event)
    if len(threads) == 1:
        return
    others = (event for event in parted.events if event.question != question)
    split = (
        replace(event, question=each.question, stem=question)
        for each in threads[1:]
        for event in each.lines
    )
    parted.events = [*others, *trunk.lines, *split]


def _saw(seen: Container[str], event: QuestionEvent) -> bool:
    return sum_up(event) in seen
