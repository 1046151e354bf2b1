"""What number each question has.

A question claims the number it wanted when it was put. One that lost it to an earlier question gets
a number after all that were claimed, and whoever writes next says so (`named`): a claim like any
other. Claims count by their time, so a number that was said stays, unless an earlier claim arrives.
A `named` that nobody vouches for gives only what nobody else claims, to one that has no number.
What nobody signed claims after all that somebody did: its time is what anybody typed. Of a question
that was forgotten nothing is signed but that: so that line says what it had claimed, and the number
stays taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agentx.clarification.store.question_events import (
    NUMBER_MAX,
    QuestionEvent,
    QuestionEventKind,
    born_ms,
    number_of,
)
from agentx.kernel.ids import ulid_ms
from agentx.kernel.vouching.standing import Vouching

_When = tuple[bool, int, str]  # what nobody signed comes last
_Claim = tuple[_When, int, str]  # when, which number, for which question


@dataclass(slots=True)
class Numbers:
    """The number of each question."""

    given: dict[str, int] = field(default_factory=dict)  # by question
    unsaid: dict[str, int] = field(default_factory=dict)  # of these, what no claim that counts says
    also: dict[int, str] = field(default_factory=dict)  # claimed by one that has another number

    @property
    def highest(self) -> int:
        """The highest that was ever claimed or given."""
        return max((*self.given.values(), *self.also), default=0)


def give_numbers(births: Mapping[str, QuestionEvent], events: Iterable[QuestionEvent]) -> Numbers:
    """Return the number of each question; none depends on the order the files arrive in."""
    known = tuple(events)
    named = [
        event
        for event in known
        if event.kind is QuestionEventKind.NAMED and event.question in births
    ]
    sure = [event for event in named if event.standing is Vouching.SIGNED]
    gone = {event.question: event for event in known if _claims_on(event, births)}
    first = {**births, **gone}.values()
    own = [(_when_born(birth), number_of(birth), birth.question) for birth in first]
    claims = sorted((*own, *(_claim(event, births) for event in sure)))
    numbers = Numbers()
    holders: dict[int, str] = {}
    _give(claims, numbers, holders)
    for _, number, question in claims:
        if number not in holders:
            numbers.also.setdefault(number, question)
    sure_of = frozenset(numbers.given)
    holders |= numbers.also
    _give(sorted(_claim(event, births) for event in named), numbers, holders)
    highest = numbers.highest
    later = [question for _, _, question in sorted(own) if question not in numbers.given]
    numbers.given |= {question: highest + turn for turn, question in enumerate(later, 1)}
    numbers.unsaid = {
        question: number
        for question, number in sorted(numbers.given.items())
        if question not in sure_of and number <= NUMBER_MAX
    }
    return numbers


def _give(claims: Iterable[_Claim], numbers: Numbers, holders: dict[int, str]) -> None:
    for _, number, question in claims:
        if question not in numbers.given and number not in holders:
            numbers.given[question] = number
            holders[number] = question


def _claims_on(event: QuestionEvent, births: Mapping[str, QuestionEvent]) -> bool:
    """Tell whether an event says what a question had claimed that was forgotten."""
    is_gone = event.kind is QuestionEventKind.FORGOTTEN and event.standing is Vouching.SIGNED
    return is_gone and "number" in event.detail and event.question in births


def _when_born(birth: QuestionEvent) -> _When:
    return birth.standing is Vouching.UNSIGNED, born_ms(birth), birth.question


def _claim(event: QuestionEvent, births: Mapping[str, QuestionEvent]) -> _Claim:
    """Return the claim of a `named`: nobody names a question before it was put."""
    _, born, question = _when_born(births[event.question])
    at_ms, name = max((int(ulid_ms(event.id)), event.id), (born, question))
    when = (event.standing is Vouching.UNSIGNED, at_ms, name)
    return when, number_of(event), event.question
