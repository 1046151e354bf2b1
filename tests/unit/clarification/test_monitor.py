"""Goal: what is late, stuck, deadlocked or wanted by nobody is found, and nothing else (spec 3.4).

Method: clarifications as values, a world, and the findings.
"""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from agentx.clarification.facts import Asked, Escalated, Retried, WentStale
from agentx.clarification.model import PERSON, Clarification, Reason
from agentx.clarification.watch.circling import alike
from agentx.clarification.watch.monitor import World, findings
from agentx.kernel.clock import MINUTE_MS, Millis
from agentx.kernel.roles import ROLES
from tests.support.clarifying import after, answered, clarification
from tests.support.time_and_chance import START_MS

SOON = Millis(START_MS + MINUTE_MS)
LATE = Millis(START_MS + 30 * MINUTE_MS)


def found(*states: Clarification, now: int = SOON, world: World | None = None) -> dict[str, Reason]:
    seen = findings(states, world or World(now_ms=Millis(now)))
    return {finding.clarification.id: finding.reason for finding in seen}


def waits(number: int, asker: str, to: str, *, issue: int = 42, topic: str = "") -> Clarification:
    return clarification(
        number,
        issue=issue,
        asker=asker,
        to=to,
        topic=topic or f"matter {number} of {asker}",
        question=f"what about {number} for {asker}",
    )


def test_nothing_is_found_while_all_is_well() -> None:
    assert found(clarification(), answered(clarification(2, question="What else?"))) == {}


def test_8_3_a_pending_question_past_its_sla_is_stale() -> None:
    [finding] = findings([clarification()], World(now_ms=LATE))

    assert finding.facts == (WentStale(at_ms=LATE),)


def test_the_second_time_out_escalates_after_a_retry_and_without_one() -> None:
    stale = after(clarification(), WentStale(at_ms=LATE))
    again = after(stale, Retried(at_ms=LATE))
    later = Millis(LATE + 30 * MINUTE_MS)

    for state in (stale, again):
        [finding] = findings([state], World(now_ms=later))
        assert finding.facts == (Escalated(at_ms=later, reason=Reason.STALE),)
    assert found(stale, again, now=LATE + MINUTE_MS) == {}


def test_8_3_a_question_asked_again_in_the_next_round_is_stuck() -> None:
    again = Asked(at_ms=SOON, by="engineer", body="jwt, or server sessions?")

    assert found(after(answered(clarification()), again)) == {"CLR-42-001": Reason.STUCK}


def test_another_question_in_the_next_round_is_not_stuck() -> None:
    other = Asked(at_ms=SOON, by="engineer", body="How long do the keys live?")

    assert found(after(answered(clarification()), other)) == {}


def test_8_3_a_question_asked_back_is_stuck_and_the_first_stays() -> None:
    asked = clarification(1, blocking=False)
    back = clarification(
        2, asker="architect", to="engineer", question="Which do you want?", blocking=False
    )

    assert found(asked, back) == {"CLR-42-002": Reason.STUCK}


def test_the_same_matter_put_anew_after_an_answer_is_stuck() -> None:
    assert found(answered(clarification(1)), clarification(2, blocking=False)) == {
        "CLR-42-002": Reason.STUCK
    }


def test_many_agents_asking_much_the_same_at_once_are_not_stuck() -> None:
    assert found(*(clarification(number) for number in range(1, 17))) == {}
    asked_before_the_answer = answered(clarification(1), at_ms=SOON), clarification(2)
    assert found(*asked_before_the_answer) == {}


def test_questions_that_differ_in_a_number_are_two_questions() -> None:
    one, other = (f"May I go on with step {number} of the long migration plan" for number in (3, 4))
    followed = Asked(at_ms=SOON, by="engineer", body=other)

    assert found(after(answered(clarification(question=one)), followed)) == {}


@pytest.mark.promise("clarify.deadlock")
def test_8_3_of_two_that_wait_for_each_other_the_upstream_question_stays() -> None:
    upstream = waits(1, "architect", "engineer")
    downstream = waits(2, "engineer", "architect")

    assert found(upstream, downstream) == {"CLR-42-002": Reason.DEADLOCK}


@pytest.mark.parametrize(
    ("upper", "lower"), [(a, b) for at, a in enumerate(ROLES) for b in ROLES[at + 1 :]]
)
def test_every_pair_of_roles_breaks_in_favour_of_the_upper(upper: str, lower: str) -> None:
    assert found(waits(1, upper, lower), waits(2, lower, upper)) == {"CLR-42-002": Reason.DEADLOCK}


def test_a_circle_of_five_across_issues_loses_its_most_downstream_question() -> None:
    chain = ("product-manager", "tester", "architect", "reviewer", "engineer")
    states = [
        waits(1, asker, chain[(at + 1) % len(chain)], issue=10 + at)
        for at, asker in enumerate(chain)
    ]

    assert found(*states) == {"CLR-11-001": Reason.DEADLOCK}


def test_two_circles_and_parallel_questions_are_all_broken() -> None:
    states = [
        waits(1, "architect", "engineer"),
        waits(2, "engineer", "architect"),
        waits(3, "engineer", "architect"),
        waits(4, "reviewer", "tester"),
        waits(5, "tester", "reviewer"),
    ]

    assert set(found(*states)) == {"CLR-42-002", "CLR-42-003", "CLR-42-005"}


def test_a_chain_and_questions_that_do_not_block_are_no_deadlock() -> None:
    free = clarification(3, asker="product-manager", to="engineer", topic="x", blocking=False)

    states = [waits(1, "engineer", "architect"), waits(2, "architect", "product-manager"), free]
    assert found(*states) == {}


def test_a_question_on_a_closed_issue_is_abandoned_even_when_it_is_late() -> None:
    world = World(now_ms=LATE, closed_issues=frozenset({42}))

    assert found(clarification(), world=world) == {"CLR-42-001": Reason.ISSUE_CLOSED}
    assert found(answered(clarification()), world=world) == {}


def test_what_a_person_is_asked_is_not_given_up_with_its_issue() -> None:
    world = World(now_ms=LATE, closed_issues=frozenset({42}), done=frozenset({("engineer", 42)}))

    for blocking in (True, False):
        assert found(clarification(to=PERSON, blocking=blocking), world=world) == {}


def test_a_late_question_of_an_agent_that_is_done_is_abandoned_unless_it_blocked() -> None:
    world = World(now_ms=LATE, done=frozenset({("engineer", 42)}))
    free = clarification(2, topic="Other", question="Something else?", blocking=False)

    assert found(clarification(), free, world=world) == {
        "CLR-42-001": Reason.STALE,
        "CLR-42-002": Reason.ASKER_GONE,
    }
    in_time = World(now_ms=SOON, done=world.done)
    assert found(free, world=in_time) == {}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("JWT or sessions?", "jwt  OR sessions", True),
        ("Which database do we use here", "Which database do we use now", False),
        (
            "Which of the two databases do we use here now",
            "which of the two databases do we use now",
            True,
        ),
        ("\u8cc7\u6599\u5eab", "\u8cc7\u6599\u5eab", True),
        ("And rows where total > 0?", "And rows where total < 0?", False),
        ("And rows where total > 0?", "and `rows` where total > 0", True),
        ("And a delimiter of ';'?", "And a delimiter of ','?", False),
        ("May I run it with -r?", "May I run it with -R?", False),
        ("And from prod -> staging?", "And from staging -> prod?", False),
        ("???", "!!!", False),
        ("", "", True),
    ],
)
def test_texts_are_alike_by_their_words(one: str, other: str, same: bool) -> None:
    assert alike(one, other) is same


def test_what_two_agents_ask_is_looked_at_in_a_time_that_grows_with_it_alone() -> None:
    def asked(number: int, asker: str, to: str) -> Clarification:
        return answered(waits(number, asker, to, topic=f"part {number}"))

    one_way = [asked(turn, "engineer", "architect") for turn in range(3_000)]
    both = [asked(turn, *("engineer", "architect")[:: 1 - turn % 2 * 2]) for turn in range(1_000)]
    began = time.process_time()
    assert found(*one_way) == found(*both) == {}
    assert time.process_time() - began < 3, "looked at in pairs it takes longer by far"
    # What is asked back soon is found.
    back = asked(3_001, "architect", "engineer")
    assert found(*one_way, replace(back, topic="part 2999", thread=one_way[-1].thread)) == {
        back.id: Reason.STUCK
    }
