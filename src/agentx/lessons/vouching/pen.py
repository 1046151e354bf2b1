"""Whose words the events of lessons are: signed by who writes, judged by who reads.

    claims a person                  nobody vouches for it: an `unverified` lesson, told to nobody
    changes what a person taught     nobody vouches for it: it takes nothing away
    anything else                    counts as it is: roles are believed

The keys are those of questions and runs. What earlier versions left unsigned is taken over once: by
a checkout that looks for the first time while nobody signs lessons there yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from agentx.kernel.values import frozen
from agentx.kernel.vouching.signatures import Signatures, sign_words, sum_up_message
from agentx.kernel.vouching.standing import Vouching
from agentx.lessons.model import LtmEvent
from agentx.lessons.vouching.claims import CHANGES, claims_person, message_of


@frozen
class LessonPen:
    """With what a checkout signs the events of lessons, and tells whose others' are."""

    writer: Callable[[], str]
    signatures: Signatures
    doubt: Callable[[LtmEvent, Vouching], None]  # is told once of each that nobody vouches for


class Noted(Protocol):
    """What this checkout noted of whose words count."""

    def look(self, find_unsigned: Callable[[], Iterable[str]]) -> frozenset[str]:
        """Return what was taken over when this checkout first looked; now, where it never did."""

    def take_over(self, names: Iterable[str]) -> None:
        """Let words count from now on, whoever signed them."""

    def doubt(self, name: str, find_unsigned: Callable[[], Iterable[str]]) -> bool:
        """Note that something is doubted; tell whether it was not before."""


class LessonVouching:
    """Who vouches for the events of one checkout's lessons; without a pen nobody asks."""

    def __init__(
        self,
        pen: LessonPen | None,
        notes: Noted,
        list_all: Callable[[], Iterable[LtmEvent]],
    ) -> None:
        self._pen = pen
        self._notes = notes
        self._list_all = list_all

    def stamp(self) -> str:
        """Return what changes when other words count than before."""
        return "" if self._pen is None else self._pen.signatures.stamp()

    @property
    def is_asked(self) -> bool:
        """Whether anybody is asked who vouches for what."""
        return self._pen is not None

    def is_signed(self, event: LtmEvent) -> bool:
        """Tell whether somebody whose words count here signed an event just as it is."""
        if self._pen is None or not event.signature:
            return False
        judged = self._pen.signatures.judge(event.key, event.signature, message_of(event))
        return judged is Vouching.SIGNED

    def begin(self) -> None:
        """Note what was unsigned here before anybody signs, be it nothing."""
        if self._pen is not None:
            self._notes.look(self._find_unsigned)

    def adopt(self) -> None:
        """Let all count that is here: the user put it here."""
        claims = (each for each in self._list_all() if _needs_voucher(each))
        self._notes.take_over(sum_up_message(message_of(each)) for each in claims)

    def sign(self, event: LtmEvent) -> LtmEvent:
        """Return an event with its writer's signature, where it has to have one.

        Raises: UnavailableError where a person says something and there is no key to sign it with.
        """
        if self._pen is None or not _needs_voucher(event):
            return event
        writer = self._pen.writer()
        bare = replace(event, writer=writer)
        message, is_persons = message_of(bare), claims_person(event)
        key, signature = sign_words(self._pen.signatures, writer, message, must_be=is_persons)
        return replace(bare, key=key, signature=signature) if signature else event

    def vouches(self, event: LtmEvent) -> bool:
        """Tell whether somebody vouches for an event; what nobody does is doubted aloud, once."""
        if self._pen is None:
            return True
        try:
            message = message_of(event)
        except RecursionError:  # nested deeper than any of ours
            message = b""
        name = sum_up_message(message)
        if name in self._notes.look(self._find_unsigned):
            return True
        standing = self._pen.signatures.judge(event.key, event.signature, message)
        if standing is Vouching.SIGNED:
            return True
        if self._notes.doubt(name, self._find_unsigned):
            self._pen.doubt(event, standing)
        return False

    def _find_unsigned(self) -> Iterator[str]:
        events = tuple(self._list_all())
        if any(event.signature for event in events):
            return  # somebody signs lessons here already: what is unsigned is of no earlier version
        for event in events:
            if not event.signature and _needs_voucher(event):
                yield sum_up_message(message_of(event))


def _needs_voucher(event: LtmEvent) -> bool:
    return claims_person(event) or event.kind in CHANGES
