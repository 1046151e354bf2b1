"""What a run asks a person, and what was said to it."""

from __future__ import annotations

from agentx.kernel.clock import Millis
from agentx.kernel.ids import digest, spell
from agentx.kernel.roles import PERSON_ROLE, UNCONFIRMED
from agentx.kernel.values import frozen
from agentx.kernel.vouching.standing import SAID_FOR_PERSON, Vouching


@frozen
class PersonsAnswer:
    """What was said to an escalation."""

    event_id: str
    at_ms: Millis
    by: str
    text: str
    via: str = ""
    owner: str = ""
    writer: str = ""
    key: str = ""
    saw: tuple[str, ...] = ()  # the answers that were there, by their events
    why: str = ""  # it is a claim: why nobody vouches for it

    @property
    def is_unconfirmed(self) -> bool:
        """Whether a program said that a person said it."""
        return self.via == UNCONFIRMED

    @property
    def speaker(self) -> str:
        """Who said it, as it is shown."""
        return f"{self.by} ({UNCONFIRMED})" if self.is_unconfirmed else self.by

    @property
    def doubt(self) -> str:
        """That nobody saw a person say it, where nobody did."""
        return SAID_FOR_PERSON if self.is_unconfirmed else ""


@frozen
class Escalation:
    """A question to a person."""

    id: str
    at_ms: Millis
    actor: str
    question: str
    task: str = ""
    lane: str = ""
    tried: tuple[str, ...] = ()
    needed: str = ""
    options: tuple[str, ...] = ()
    blocking: bool = True
    resolution: str = ""
    resolved_by: str = ""
    resolved_ms: Millis | None = None
    answers: tuple[PersonsAnswer, ...] = ()
    claims: tuple[PersonsAnswer, ...] = ()  # that nobody vouches for: they settle nothing

    @property
    def open(self) -> bool:
        """Whether nobody has answered yet."""
        return self.resolved_ms is None

    @property
    def digest(self) -> str:
        """By what it is known to who answers it: all that a person is asked."""
        more = (spell(*self.options), spell(*self.tried), self.needed)
        return digest(self.question, *(more if any(more) else ()), size=16).hex()

    @property
    def standing(self) -> PersonsAnswer | None:
        """The answer that stands, in every clone the same.

        One that was given by somebody who had seen another replaces that one. Of others, what a
        person said themself comes before what a program says a person said; then the later.
        """
        return max(self._list_last(), key=_rank_answer, default=None)

    def find_answer(self, event_id: str) -> PersonsAnswer | None:
        """Return what was said to it in an event, whether it counts or not; or None."""
        said = (*self.answers, *self.claims)
        return next((each for each in said if each.event_id == event_id), None)

    @property
    def contrary(self) -> tuple[PersonsAnswer, ...]:
        """What other people answered otherwise, without having seen the answer that stands.

        And what was said later for the very person, and is in doubt: that takes nothing back.
        """
        stands = self.standing
        return tuple(
            each
            for each in self._list_last()
            if stands is not None
            and each.by == stands.by == PERSON_ROLE
            and (each.key != stands.key or each.at_ms > stands.at_ms)
            and each.text != stands.text
        )

    @property
    def contesting(self) -> tuple[PersonsAnswer, ...]:
        """What writers who are not trusted here signed otherwise, unseen by who answered."""
        stands = self.standing
        if stands is None or stands.by != PERSON_ROLE:
            return ()
        seen = {name for each in self.answers for name in each.saw}
        return tuple(
            each
            for each in self.claims
            if each.why == Vouching.UNTRUSTED
            and each.event_id not in seen
            and each.text.split() != stands.text.split()
        )

    def _list_last(self) -> list[PersonsAnswer]:
        seen = {name for each in self.answers for name in each.saw}
        return [each for each in self.answers if each.event_id not in seen]


def _rank_answer(answer: PersonsAnswer) -> tuple[bool, Millis, str]:
    return not answer.is_unconfirmed, answer.at_ms, answer.event_id
