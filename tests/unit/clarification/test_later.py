"""What a person decided otherwise, asked the same more than once: the last word stands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentx.clarification.data import as_data
from agentx.clarification.facts import Answered, Escalated, Resolved
from agentx.clarification.model import PERSON, Clarification, ClarificationStatus, Reason
from agentx.clarification.rendering import (
    inbox_line,
    say_against,
    say_decision,
    stream,
    terminal,
)
from agentx.clarification.watch.inbox import inbox_among
from agentx.clarification.watch.later import find_later, tell_later
from agentx.clarification.ways import LET_GO, UNTRUSTED
from agentx.kernel.clock import Millis
from agentx.kernel.ids import mint
from agentx.kernel.roles import UNCONFIRMED
from agentx.kernel.vouching.standing import Vouching
from tests.support.clarifying import after, clarification
from tests.support.time_and_chance import START_MS

LATER = START_MS + 60_000


def decided(state: Clarification, said: str, *, via: str = "terminal") -> Clarification:
    """Return a question as a person decided it whom its asker had called."""
    at_ms = Millis(state.created_ms + 10)
    called = Escalated(at_ms=at_ms, reason=Reason.MANUAL)
    return after(state, called, Resolved(at_ms=at_ms, by=PERSON, body=said, via=via))


def asked_anew(
    said: str = "NO never",
    *,
    by: str = PERSON,
    via: str = "",
    at_ms: int = LATER,
    **how: str,
) -> Clarification:
    """Return the same question asked anew, answered and settled by its asker."""
    given = {"to": by, "question": "jwt or  server sessions?", **how}
    state = clarification(2, at_ms=at_ms, **given)  # type: ignore[arg-type]
    answer = Answered(at_ms=Millis(at_ms + 5), by=by, body=said, via=via)
    return after(state, answer, Resolved(at_ms=Millis(at_ms + 6), by=state.asker))


FIRST = decided(clarification(), "YES ship")


def test_what_was_decided_otherwise_later_says_so_and_is_no_news() -> None:
    later = asked_anew()
    first, last = tell_later((FIRST, later), (FIRST, later))

    assert (first.decided_later, last.decided_later) == ("NO never (CLR-42-002)", "")
    told = "(later decided otherwise: NO never (CLR-42-002))"
    assert all(told in look for look in (say_decision(first), stream(first)))
    assert told in terminal(first, colour=False)
    assert as_data(first)["decidedLater"] == "NO never (CLR-42-002)"
    assert inbox_among((FIRST,), "engineer") == (FIRST,)
    assert inbox_among((first, last), "engineer") == ()


@pytest.mark.parametrize(
    "other",
    [
        asked_anew("YES  ship"),  # the same again
        asked_anew(by="architect"),  # no person's word
        asked_anew(via=Vouching.UNTRUSTED),
        asked_anew(via="unconfirmed"),
        asked_anew(question="JWT or server sessions for mobile?"),
        asked_anew(topic="Session storage 2"),
        replace(asked_anew(), issue=43),
        asked_anew(question="JWT or server session?"),
        asked_anew(question="Server sessions or JWT?"),
        clarification(2, to=PERSON, at_ms=LATER),  # nobody said anything yet
    ],
)
def test_nothing_else_takes_a_decision_back(other: Clarification) -> None:
    assert find_later(FIRST, (FIRST, other)) is None


@pytest.mark.parametrize("question", ["JWT or server sessions", "`JWT` or the server sessions?"])
def test_whoever_asks_and_however_it_is_typed_the_last_word_marks_the_other(question: str) -> None:
    later = asked_anew(asker="tester", question=question)
    first, last = tell_later((FIRST, later), (FIRST, later))

    assert (first.decided_later, last.decided_later) == ("NO never (CLR-42-002)", "")
    assert inbox_among((first, last), "engineer") == (first,), "nobody told its asker the other"


def test_what_an_agent_answered_another_gives_way_to_a_persons_word_and_takes_none_back() -> None:
    asked = asked_anew("JWT", by="architect", asker="tester", at_ms=START_MS - 99)
    assert find_later(asked, (FIRST,)) is FIRST
    assert find_later(FIRST, (asked,)) is None


def test_whichever_was_asked_first_the_last_word_takes_the_other_back() -> None:
    asked_before = replace(asked_anew(), created_ms=START_MS)
    assert find_later(FIRST, (FIRST, asked_before)) is asked_before
    assert find_later(asked_before, (FIRST, asked_before)) is None


def test_the_newest_counts_and_what_is_said_but_not_settled_does_too() -> None:
    back = replace(asked_anew("YES ship"), id=clarification(3).id, created_ms=Millis(LATER + 9))
    newer = replace(back, thread=tuple(replace(e, at_ms=Millis(e.at_ms + 99)) for e in back.thread))
    assert find_later(FIRST, (asked_anew(), newer)) is None
    pending = clarification(2, to=PERSON, at_ms=LATER)
    said = after(pending, Answered(at_ms=Millis(LATER + 5), by=PERSON, body="NO", via="terminal"))
    assert find_later(FIRST, (said,)) is said


def test_a_clock_that_was_set_back_does_not_make_the_last_word_the_first() -> None:
    def mint_at(at_ms: int, turn: int) -> str:
        return mint(Millis(at_ms), lambda size: bytes([turn] * size))

    ahead = START_MS + 120_000
    first = replace(decided(clarification(at_ms=ahead), "YES ship"), uid=mint_at(ahead, 1))
    # The id of what is asked next is later than all that its writer had seen.
    last = replace(asked_anew(), uid=mint_at(ahead + 20, 2))
    assert last.created_ms < first.created_ms

    assert find_later(first, (first, last)) == last
    assert find_later(last, (first, last)) is None


def let_go(said: str = LET_GO, *, number: int = 2, by: str = PERSON) -> Clarification:
    """Return the same question asked anew, and let go."""
    state = clarification(number, to=PERSON, at_ms=LATER)
    at_ms = Millis(LATER + 10)
    called = Escalated(at_ms=at_ms, reason=Reason.DEADLOCK)
    via = "terminal" if by == PERSON else ""
    return after(state, called, Resolved(at_ms=at_ms, by=by, body=said, via=via))


NO = decided(clarification(), "NO never")
STANDS = "a person had said to the same, which stands: NO never"


@pytest.mark.parametrize("said", ["", LET_GO])
def test_what_was_said_to_the_same_is_told_with_what_was_only_let_go(said: str) -> None:
    again = let_go(said)
    first, last = tell_later((NO, again), (NO, again))
    assert first == NO
    assert say_decision(last) == f"{LET_GO} ({STANDS} (CLR-42-001))"
    assert all(STANDS in look for look in (stream(last), terminal(last, colour=False)))
    assert STANDS in say_against(last)


def test_a_role_that_goes_on_without_an_answer_is_told_what_a_person_had_said() -> None:
    called = replace(let_go(), thread=let_go().thread[:-1], status=ClarificationStatus.ANSWERED)
    gone_on = after(called, Resolved(at_ms=Millis(LATER + 20), by="engineer", body=""))
    [told] = tell_later((gone_on,), (NO, gone_on))
    assert say_decision(told) == f"{LET_GO} ({STANDS} (CLR-42-001))"


def test_what_contests_it_hides_nothing_of_what_was_said_to_what_was_let_go() -> None:
    claimed = asked_anew("YES", via=UNTRUSTED)
    claimed = replace(claimed, id=clarification(3).id)
    in_doubt = asked_anew("YES", via=UNCONFIRMED)
    in_doubt = replace(in_doubt, id=clarification(4).id)
    again = let_go()
    told = [tell_later((again,), (NO, again, each))[0] for each in (claimed, in_doubt)]
    assert f"{STANDS} (CLR-42-001)" in say_decision(told[0])
    assert "NO never (CLR-42-001); YES (unconfirmed, CLR-42-004)" in say_decision(told[1])
    [alone] = tell_later((again,), (again, in_doubt))
    assert "which stands: YES (unconfirmed, CLR-42-004)" in say_decision(alone)


def test_who_is_asked_the_same_again_is_told_what_was_said_to_it_before() -> None:
    pending = clarification(2, to=PERSON, at_ms=LATER)
    [told] = tell_later((pending,), (NO, pending))
    before = "a person had said to the same: NO never (CLR-42-001); it waits for its own answer"
    assert (told.decided_meanwhile, told.stands_beside) == ("", "NO never (CLR-42-001)")
    looks = inbox_line(told, PERSON, LATER), stream(told), say_against(told)
    assert all(before in look for look in looks)
    assert as_data(told)["standsBeside"] == "NO never (CLR-42-001)"
