"""Which questions were forgotten by somebody whose words count, and what they were known by.

A line that nobody signed takes nothing out of memory, also where it takes a question of roles out
of the ledger (`vouching.doubts`): what is erased comes back by nothing. Nor does one that only says
that a question is old: what it came to outlives its ledger.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field

from agentx.clarification.store.question_events import (
    QuestionEvent,
    QuestionEventKind,
    born_ms,
    erase,
    has_words,
)
from agentx.clarification.store.shortening import is_of
from agentx.clarification.store.vouching.sight import ASKING
from agentx.kernel.clock import Millis
from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.values import frozen
from agentx.kernel.vouching.standing import Vouching

AGED = {"why": "retention"}  # its ledger goes, and what it came to stays in every memory
KNOWN_AS = "knownAs"  # the numbers by which the questions of a forgotten thread were known

_WORDS = frozenset({QuestionEventKind.ANSWERED, QuestionEventKind.RESOLVED})


@frozen
class ForgottenNames:
    """What the forgotten questions of an issue were known by."""

    uids: frozenset[str] = frozenset()
    numbers: Mapping[int, Millis] = field(default_factory=dict)  # each with since when
    # That forget them, also those that only aged; and what is left of how they were put.
    lines: tuple[QuestionEvent, ...] = ()

    @property
    def is_any(self) -> bool:
        """Whether any line forgets a question, also as aged."""
        return bool(self.lines)


@frozen
class LostWord:
    """What a person said to a question that somebody else forgot."""

    event: str  # that said it
    numbers: tuple[int, ...]  # of the questions that were forgotten
    by: str  # the key of who forgot them


def find_forgotten(judged: Iterable[QuestionEvent]) -> set[str]:
    """Return the questions that somebody whose words count forgot."""
    return {event.question for event in judged if _counts(event)}


def gather_forgotten(
    judged: Iterable[QuestionEvent], events: Iterable[QuestionEvent]
) -> ForgottenNames:
    """Return what questions were known by that somebody whose words count forgot for good.

    Not those of which only the ledger went, with its age.
    """
    lines = [event for event in judged if _counts(event)]
    said = [event for event in lines if not _is_aged(event)]
    questions, known = {event.question for event in lines}, tuple(events)
    births = (erase(event) for event in known if event.is_birth and event.question in questions)
    numbers: dict[int, Millis] = {}
    for event in said:
        for number in _list_numbers(event):
            numbers[number] = min(born_ms(event), numbers.get(number, born_ms(event)))
    uids = _list_uids({event.question for event in said}, known)
    return ForgottenNames(uids=uids, numbers=numbers, lines=(*births, *lines))


def list_lost(judged: Iterable[QuestionEvent], writer: str) -> tuple[LostWord, ...]:
    """Return what a person said in a checkout that goes, as others forgot the question for good."""
    known = tuple(judged)
    gone = {event.question: event for event in known if _counts(event) and not _is_aged(event)}
    lost: list[LostWord] = []
    for event in known:
        line = gone.get(event.question)
        if line is not None and line.key != event.key and _is_persons_word(event, writer):
            numbers = tuple(sorted({*_list_numbers(line)}))
            lost += (LostWord(event=event.id, numbers=numbers, by=line.key),) if numbers else ()
    return tuple(lost)


def _is_persons_word(event: QuestionEvent, writer: str) -> bool:
    is_word = event.kind in _WORDS and event.detail.get("by") == PERSON_ROLE
    return is_word and has_words(event) and is_of(event, writer)


def _is_aged(event: QuestionEvent) -> bool:
    return event.detail.items() >= AGED.items()


def _counts(event: QuestionEvent) -> bool:
    return event.kind is QuestionEventKind.FORGOTTEN and event.standing is Vouching.SIGNED


def _list_numbers(event: QuestionEvent) -> list[int]:
    if "number" not in event.detail:  # of an earlier version
        return []
    known = (event.detail["number"], *event.detail.get(KNOWN_AS, ()))
    return [number for number in known if isinstance(number, int)]


def _list_uids(gone: Collection[str], events: Iterable[QuestionEvent]) -> frozenset[str]:
    """Return what questions were known by: as threads, and as what may have been offshoots."""
    asked = (each.id for each in events if each.question in gone and each.kind in ASKING)
    return frozenset((*gone, *asked))
