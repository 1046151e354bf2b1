"""Goal: two things that a person is asked on one thread are two questions, each with its answer.

Method: clones that ask on apart, and meet; what each name means then, and what can be said to it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentx.clarification.data import as_data
from agentx.clarification.errors import MaxRoundsExceeded
from agentx.clarification.model import PERSON, Clarification, EntryType, Reason
from agentx.clarification.rendering import find_asked, next_actions, stream_entry
from agentx.clarification.store.vouching.signers import find_askers, find_sayer
from agentx.clarification.watch.awaiting import (
    cut_after_answer,
    find_awaited,
    has_asked,
    name_asked,
)
from agentx.kernel.clock import Millis
from agentx.kernel.errors import IllegalTransition, NameMoved
from tests.support.clarifying import SCOPE, Room, request, room
from tests.unit.clarification.test_events import bring, clone, lines
from tests.unit.clarification.test_sight import answered

DROP, KEEP = "Really drop customers?", "Really keep the logs?"


def apart(root: Path, *, first: str = "one") -> tuple[Room, Room, Clarification]:
    """Return two clones that asked on, each something else, and had not seen one another."""
    one, asked = answered(root / "one")
    two = clone(one, root / "two", "d4e5f6")
    two.clarifications.ledger(42)
    for here, question in sorted(((one, DROP), (two, KEEP)), key=lambda each: each[1] != DROP):
        here.clock.advance(5_000 if (here is one) == (first == "one") else 9_000)
        here.clarifications.follow_up(asked.id, question, by="engineer")
    return one, two, asked


def meet(*rooms: Room) -> None:
    for one in rooms:
        for other in rooms:
            if other is not one:
                bring(other, one)


def say(here: Room, name: str, text: str) -> Clarification:
    here.clock.advance(20_000)
    return here.clarifications.answer(name, text, by=PERSON, via="terminal")


@pytest.mark.promise("clarify.merge")
def test_each_question_waits_for_its_own_answer(tmp_path: Path) -> None:
    one, two, asked = apart(tmp_path)
    meet(one, two)

    for here in (one, two):
        found = here.clarifications.ledger(42).clarifications
        assert [(each.id, find_asked(each)) for each in found] == [
            ("CLR-42-001", DROP),
            ("CLR-42-002", KEEP),
        ]
        assert all(each.waits_for_person and each.holds_its_asker for each in found)
        assert found[0].uid == asked.uid == found[1].stem
        assert here.clarifications.find("CLR-42-001@d4e5f6").id == "CLR-42-002"
    say(one, "CLR-42-002", "YES, keep")
    bring(one, two)

    for here in (one, two):
        first, other = here.clarifications.ledger(42)
        assert (first.status, other.status) == ("pending", "answered")
        assert other.answered is not None
        assert (other.answer, other.question_of(other.answered)) == ("YES, keep", KEEP)
    say(two, two.clarifications.ledger(42).clarifications[0].exact, "NO")
    bring(two, one)
    first, other = one.clarifications.ledger(42)
    assert (first.answer, other.answer) == ("NO", "YES, keep")
    assert as_data(first)["answerTo"] == DROP
    assert "(asked: Really drop customers?)" in stream_entry(first, first.thread[-1])
    # Lines lie under the thread that they were written to, and each question has its own signer.
    assert {line["question"] for line in lines(one)} == {asked.uid, other.uid}
    judged = one.store.list_judged(42, {other.uid})
    [said] = [each for each in other.thread if each.body == "YES, keep"]
    assert find_sayer(other, said, judged)
    assert set(find_askers(judged)) == {other.uid}
    assert {each.detail.get("body") for each in judged} >= {"YES, keep"}
    assert "NO" not in {each.detail.get("body") for each in judged}


def test_a_name_under_which_another_question_was_shown_answers_nothing(tmp_path: Path) -> None:
    one, two, _ = apart(tmp_path)
    meet(one, two)

    with pytest.raises(NameMoved) as refused:
        two.clarifications.find_meant("CLR-42-001")  # where it was shown as what is 002 now
    assert refused.value.message == (
        f"CLR-42-001 is '{DROP}' now, and was another question here before: "
        f"'{KEEP}', which is CLR-42-002 now"
    )
    first, other = two.clarifications.ledger(42)
    assert name_asked(first) in refused.value.hint
    assert name_asked(other) in refused.value.hint
    assert two.clarifications.find_meant(name_asked(other)).id == "CLR-42-002"
    assert two.clarifications.find_meant("CLR-42-002").id == "CLR-42-002"
    assert one.clarifications.find_meant("CLR-42-001").id == "CLR-42-001"
    say(two, name_asked(first), "NO")
    two.clarifications.follow_up("CLR-42-001", "And now?", by="engineer")
    with pytest.raises(Exception, match="not found"):
        say(two, name_asked(first), "It is not what is asked any more")


def test_what_was_answered_and_settled_apart_stays_with_its_question(tmp_path: Path) -> None:
    one, two, asked = apart(tmp_path, first="two")
    say(one, asked.id, "NO, never")
    say(two, asked.id, "YES, keep")
    one.clarifications.resolve(asked.id, by="engineer")
    meet(one, two)

    for here in (one, two):
        first, other = here.clarifications.ledger(42)
        assert (first.question, first.status, first.answer) == (KEEP, "answered", "YES, keep")
        assert (other.question, other.status, other.answer) == (DROP, "resolved", "NO, never")
        assert first.contrary_words == other.contrary_words == ()


def test_who_settled_had_not_seen_what_a_person_was_asked_whatever_the_clocks_say(
    tmp_path: Path,
) -> None:
    one, asked = answered(tmp_path / "one")
    two = clone(one, tmp_path / "two", "d4e5f6")
    one.clock.advance(5_000)
    one.clarifications.follow_up(asked.id, DROP, by="engineer")
    say(one, asked.id, "NO, never")
    two.clock.advance(90_000)
    two.clarifications.resolve(asked.id, by="engineer")
    meet(one, two)

    for here in (one, two):
        [state] = here.clarifications.ledger(42)
        assert (state.status, state.answer, state.resolution) == ("answered", "NO, never", None)


@pytest.mark.parametrize("first", ["one", "two"])
def test_what_a_person_decided_stands_beside_what_was_asked_on_unseen(
    tmp_path: Path, first: str
) -> None:
    one, asked = answered(tmp_path / "one")
    two = clone(one, tmp_path / "two", "d4e5f6")
    one.clock.advance(5_000 if first == "one" else 90_000)
    two.clock.advance(5_000 if first == "two" else 90_000)
    one.clarifications.follow_up(asked.id, DROP, by="engineer")
    say(one, asked.id, "NO, never")
    one.clarifications.resolve(asked.id, by="engineer")
    two.clarifications.escalate(asked.id, "unsure", reason=Reason.MANUAL, by="engineer")
    two.clarifications.resolve(asked.id, "STOP", by=PERSON, via="terminal")
    meet(one, two)

    for here in (one, two):
        stopped, went_on = here.clarifications.ledger(42)
        assert (stopped.uid, stopped.question) == (asked.uid, "May we spend 500?")
        assert stopped.persons_word is not None
        assert (stopped.persons_word.body, stopped.was_decided_for_asker) == ("STOP", True)
        assert (went_on.question, went_on.status) == (DROP, "resolved")
        assert went_on.persons_word is not None
        assert went_on.persons_word.body == "NO, never"


def test_a_comment_that_two_clones_have_taken_parts_no_thread(tmp_path: Path) -> None:
    one = room(tmp_path / "one")
    wanted = replace(request(topic="Budget", question="May we spend 500?"), to=PERSON)
    asked = one.clarifications.put(wanted, replace(SCOPE, can_clarify=(PERSON,))).state
    two = clone(one, tmp_path / "two", "d4e5f6")
    for here in (one, two):
        here.clock.advance(1_000)
        here.clarifications.answer(asked.id, "Yes", by=PERSON, via="github/dana/77")
    one.clarifications.follow_up(asked.id, DROP, by="engineer")
    meet(one, two)

    for here in (one, two):
        [state] = here.clarifications.ledger(42)
        assert (state.question, state.waits_for_person) == (DROP, True)


def test_who_waits_for_a_question_is_let_go_by_its_answer_alone(tmp_path: Path) -> None:
    one, two, asked = apart(tmp_path, first="two")
    awaited = find_awaited(one.clarifications.find(asked.id))
    before = replace(one.clarifications.find(asked.id), thread=asked.thread)
    assert not has_asked(before, awaited), "git took it out"
    meet(one, two)
    first, other = one.clarifications.ledger(42)
    assert (has_asked(first, awaited), has_asked(other, awaited)) == (False, True)

    say(one, other.exact, "NO")
    one.clarifications.follow_up(other.exact, "And the rest?", by="engineer")
    state = one.clarifications.find(other.exact)
    told = cut_after_answer(state, awaited)
    assert (state.status, told.status, told.answer) == ("pending", "answered", "NO")
    assert cut_after_answer(state, find_awaited(state)) == state


@pytest.mark.parametrize("first", ["one", "two"])
def test_what_shares_a_thread_goes_with_its_age_and_holds_up_nothing_else(
    tmp_path: Path, first: str
) -> None:
    one, two, asked = apart(tmp_path, first=first)
    meet(one, two)
    for state in one.clarifications.ledger(42):
        say(one, state.exact, "NO")
        one.clarifications.resolve(state.exact, by="engineer")
    third = one.ask(request(question="Another thing?"))
    one.clarifications.resolve(third.id, "YES", by=PERSON, via="terminal")
    later = Millis(one.clock.now_ms() + 1)
    gone = one.clarifications.forget_settled(later)
    assert {asked.id, third.id} <= {state.id for state in gone}
    assert [*one.clarifications.ledger(42)] == []


def test_what_shares_a_thread_is_forgotten_together_once_nothing_of_it_waits(
    tmp_path: Path,
) -> None:
    one, two, asked = apart(tmp_path)
    meet(one, two)
    first, other = one.clarifications.ledger(42)
    say(one, first.exact, "NO")
    one.clarifications.resolve(first.exact, by="engineer")
    later = Millis(one.clock.now_ms() + 1)
    assert one.clarifications.compact(later) == 0
    assert one.clarifications.forget_settled(later) == ()
    with pytest.raises(IllegalTransition, match="shares its thread with CLR-42-002"):
        one.clarifications.forget(first.exact)

    one.clarifications.resolve(other.exact, "YES", by=PERSON, via="terminal")
    one.clarifications.forget(other.exact)
    bring(two, one)
    assert one.clarifications.ledger(42).clarifications == ()
    assert not any("body" in line for line in lines(one))
    one.clarifications.put(request(topic="New", question="New?"), SCOPE)
    raw = (one.paths.questions / "42" / "d4e5f6.jsonl").read_text(encoding="utf-8")
    assert KEEP not in raw, "what a merge brought back is erased again"
    assert asked.uid in raw


def test_a_view_is_the_same_whichever_way_it_was_made(tmp_path: Path) -> None:
    one, two, _ = apart(tmp_path)
    meet(one, two)
    say(one, "CLR-42-002", "YES, keep")
    written = one.clarifications.ledger(42).clarifications
    (one.paths.ledgers / "issue-42.json").unlink()
    assert one.clarifications.ledger(42).clarifications == written
    asking = [entry for entry in written[1].thread if entry.type is EntryType.QUESTION]
    assert [entry.uid for entry in asking] == ["", written[1].uid]


def test_a_command_that_is_offered_takes_the_name_that_means_one_question_alone(
    tmp_path: Path,
) -> None:
    one, two, asked = apart(tmp_path)
    assert two.clarifications.find(asked.id).typed == asked.id
    meet(one, two)

    known = two.clarifications
    for is_said in (False, True):
        if is_said:
            assert say(two, known.find(asked.id).typed, "NO").typed == known.find(asked.id).typed
        first, other = known.ledger(42)
        assert (first.typed, other.typed) == (name_asked(first), other.id)
        shown = known.survey().active[0]
        for state in (first, shown, known.find(asked.id), known.list_all()[0]):
            for command in next_actions(state):
                name = next(word for word in command.split() if word.startswith("CLR-"))
                assert known.find_meant(name).uid == asked.uid
        assert "CLR-42-002 " in next_actions(other)[0]
    waited = known.find(asked.id).typed
    done = known.follow_up(asked.id, "And the index?", by="engineer")
    assert done.typed == name_asked(done) != waited
    assert known.ledger(42).clarifications[0].typed == done.typed


def test_what_is_asked_past_the_last_round_is_quoted_where_its_name_moved(tmp_path: Path) -> None:
    one, asked = answered(tmp_path / "one")
    while one.clarifications.find(asked.id).round < asked.rounds_max:
        one.clarifications.follow_up(asked.id, "And now?", by="engineer")
        say(one, asked.id, "Yes")
    two = clone(one, tmp_path / "two", "d4e5f6")
    two.clarifications.ledger(42)
    for here, question in ((one, DROP), (two, KEEP)):
        here.clock.advance(5_000 if here is one else 9_000)
        with pytest.raises(MaxRoundsExceeded):
            here.clarifications.follow_up(asked.id, question, by="engineer")
    meet(one, two)

    with pytest.raises(NameMoved) as refused:
        one.clarifications.find_meant(asked.id)
    for said in (refused.value.message, refused.value.hint):
        assert f"'{DROP}'" in said
        assert f"'{KEEP}'" in said
