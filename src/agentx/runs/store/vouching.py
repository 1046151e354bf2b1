"""Whose words the events of runs are: signed by who writes, judged by who reads.

The keys are those of the questions (`agentx trust` lists the writers). Events of a version that did
not sign are taken over once: those of runs that were here when this checkout first looked. From
then on an unsigned line that claims a person is a claim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache

from agentx.host.documents.vouched import VouchedNotes
from agentx.kernel.clock import Clock
from agentx.kernel.values import frozen
from agentx.kernel.vouching.signatures import Judge, Signatures, sign_words, sum_up_message
from agentx.kernel.vouching.standing import UNVERIFIED, Vouching
from agentx.runs.model import RunEvent
from agentx.runs.paths import RunNotes
from agentx.runs.rules.claims import (
    ASKS,
    ENDS_RUN,
    claims_person,
    is_of_checks,
    is_person,
    message_of,
    must_be_vouched,
    must_sign,
)
from agentx.runs.rules.draft import escalation_name

# What was found signed, by whose words counted then: who follows a run reads it again and again.
# Each is kept with the event that it was made of, so that no other can come to its id.
_SIGNED_MAX = 4_096
_signed: dict[int, tuple[RunEvent, str, RunEvent]] = {}


@frozen
class RunPen:
    """With what a checkout signs the events of runs, and tells whose others' are."""

    writer: Callable[[], str]
    signatures: Signatures
    name_owner: Callable[[str], str]
    doubt: Callable[[RunEvent], None]  # is told once of each claim that nobody vouches for


class RunVouching:
    """Who vouches for the events of one checkout's runs; without a pen nobody asks."""

    def __init__(
        self,
        pen: RunPen | None,
        notes: RunNotes,
        checkout: str,
        clock: Clock,
        list_all: Callable[[], Iterable[RunEvent]],
    ) -> None:
        self._pen = pen
        self._checkout = checkout
        self._by = ""  # whose words count, as it was looked at last
        self._notes = VouchedNotes(notes.vouched, checkout, clock, "agentx run")
        self._list_all = list_all

    def stamp(self) -> str:
        """Return what changes when other words count than before."""
        return "" if self._pen is None else self._pen.signatures.stamp()

    def begin(self) -> None:
        """Note what was unsigned here before the first event is signed."""
        if self._pen is not None:
            self._notes.look(self._find_unsigned)

    def adopt(self) -> None:
        """Let all count that is here: the user put it here."""
        claims = (each for each in self._list_all() if must_be_vouched(each))
        self._notes.take_over(sum_up_message(message_of(each)) for each in claims)

    def sign(self, event: RunEvent) -> RunEvent:
        """Return an event with its writer's signature, where it has to have one.

        Raises: UnavailableError where a person says something, or a run ends, and there is no key
            to sign it with.
        """
        if self._pen is None:
            return event
        if not must_sign(event):
            return replace(event, standing=Vouching.UNSIGNED) if is_of_checks(event) else event
        writer = self._pen.writer()
        bare = replace(event, writer=writer)
        # Unsigned neither would count.
        must_be, message = is_person(event.actor) or event.kind in ENDS_RUN, message_of(bare)
        key, signature = sign_words(self._pen.signatures, writer, message, must_be=must_be)
        if not signature:
            return event
        owner = self._pen.name_owner(key)
        return replace(bare, key=key, signature=signature, standing=Vouching.SIGNED, owner=owner)

    def is_signed(self, event: RunEvent) -> bool:
        """Tell whether somebody whose words count here signed an event just as it is."""
        if self._pen is None:
            return False
        judged = self._pen.signatures.judge(event.key, event.signature, message_of(event))
        return judged is Vouching.SIGNED

    def is_anybodys(self, event: RunEvent) -> bool:
        """Tell whether somebody may have written an event whose words do not count here."""
        if self._pen is None or not (event.signature or self._is_begun()):
            return False  # nobody signs here: it is of an earlier version
        return not self.is_signed(event)

    def _is_begun(self) -> bool:
        return self._pen is not None and self._pen.signatures.is_begun()

    def judge(self, events: Iterable[RunEvent]) -> tuple[RunEvent, ...]:
        """Return events, each with how it stands where that matters.

        Of several with one id that differ, those count that somebody vouches for.
        """
        if self._pen is None:
            return tuple(events)
        known = tuple(events)
        self._by = f"{self._checkout} {self._pen.signatures.stamp()}"
        name_owner = cache(self._pen.name_owner)  # one key has signed most of them
        find_judge = cache(self._pen.signatures.judging)  # mostly all of them are known
        several = _list_differing(known) | _list_of_one_name(known)
        found = [
            self._judge(each, find_judge, name_owner)
            if each.id in several or must_be_vouched(each)
            else each
            for each in known
        ]
        vouched = {each.id for each in found if each.standing is Vouching.SIGNED}
        return tuple(
            each
            for each in found
            if each.standing is Vouching.SIGNED or each.id not in several & vouched
        )

    def _judge(
        self, event: RunEvent, find_judge: Callable[[], Judge], name_owner: Callable[[str], str]
    ) -> RunEvent:
        assert self._pen is not None, "without a pen nobody is judged"
        known = _signed.get(id(event))
        if known is not None and known[0] is event and known[1] == self._by:
            return known[2]
        try:
            message = message_of(event)
        except RecursionError:  # nested deeper than any of ours
            message = b""
        standing = find_judge()(event.key, event.signature, message)
        if standing is Vouching.SIGNED:
            found = replace(event, standing=standing, owner=name_owner(event.key))
            if len(_signed) >= _SIGNED_MAX:
                _signed.clear()
            _signed[id(event)] = (event, self._by, found)
            return found
        taken_over = self._notes.look(self._find_unsigned)
        if sum_up_message(message) in taken_over:
            return event
        if not claims_person(event):
            return replace(event, standing=standing)
        claim = replace(event, standing=standing, actor=UNVERIFIED)
        if self._notes.doubt(sum_up_message(message), self._find_unsigned):
            self._pen.doubt(claim)
        return claim

    def _find_unsigned(self) -> frozenset[str]:
        # Where somebody signs already, what is unsigned is of no earlier version.
        events = () if self._is_begun() else tuple(self._list_all())
        signed = {each.run for each in events if each.kind == "run-started" and each.signature}
        return frozenset(
            sum_up_message(message_of(each))
            for each in events
            if must_be_vouched(each)
            and not each.signature
            and each.run not in signed
            # No earlier version knows checks: whoever typed them, it was not one.
            and not is_of_checks(each)
        )


def _list_differing(events: tuple[RunEvent, ...]) -> frozenset[str]:
    """Return the ids that stand for several events which are not the same."""
    often = {name for name, count in Counter(each.id for each in events).items() if count > 1}
    if not often:
        return frozenset()
    lines: dict[str, set[str]] = {}
    for each in events:
        if each.id in often:
            lines.setdefault(each.id, set()).add(repr(each))
    return frozenset(name for name, said in lines.items() if len(said) > 1)


def _list_of_one_name(events: tuple[RunEvent, ...]) -> frozenset[str]:
    """Return the events that ask a person something under one name: somebody made one up."""
    asking: dict[str, set[str]] = {}
    for each in events:
        if each.kind in ASKS:
            asking.setdefault(escalation_name(each.id), set()).add(each.id)
    return frozenset().union(*(ids for ids in asking.values() if len(ids) > 1))
