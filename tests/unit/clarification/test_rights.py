"""Goal: what nobody vouches for does what it may, as the table of `doubts` has it, and no more.

Method: rooms on disk, with lines that are typed into another writer's file.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentx.clarification.data import as_data
from agentx.clarification.model import HUB, PERSON, Clarification, Reason
from agentx.clarification.rendering import terminal
from agentx.clarification.ways import name_github_way
from agentx.kernel.clock import MINUTE_MS, to_iso
from agentx.kernel.ids import mint, ulid_ms
from tests.support.clarifying import SCOPE, Room, request, room
from tests.unit.clarification.test_signatures import by_hand, file_of, read, write

ANYBODY = replace(SCOPE, can_clarify=("architect", PERSON))
FORGED = {"by": "architect", "body": "FORGED"}


def type_in(here: Room, state: Clarification, *said: dict[str, Any]) -> Clarification:
    """Type lines, each after all that is there; return what becomes of the question."""
    for each in said:
        here.clock.advance(1_000)
        other = file_of(here, "ffffff")
        lines = read(other) if other.exists() else []
        at = {"timestamp": to_iso(here.clock.now_ms())}
        write(other, *lines, by_hand(here, state.uid, **{**at, **each}))
    return here.clarifications.find(state.exact)


def test_what_roles_say_unsigned_counts_as_specified(tmp_path: Path) -> None:
    here = room(tmp_path)
    asked = here.ask()
    answered = type_in(here, asked, {"type": "answered", "by": "architect", "body": "JWT."})
    assert (answered.status, answered.answer) == ("answered", "JWT.")
    again = type_in(here, asked, {"type": "asked", "by": "engineer", "body": "How long?"})
    assert (again.status, again.question, again.round) == ("pending", "How long?", 2)
    assert "unverified" not in terminal(again, colour=False)
    type_in(here, asked, {"type": "answered", "by": "architect", "body": "15 minutes."})
    done = type_in(here, asked, {"type": "resolved", "by": "engineer"})
    assert (done.status, as_data(done)["resolution"]) == ("resolved", "15 minutes.")

    called = here.ask(request(question="And this?"))
    here.clock.advance(40 * MINUTE_MS)
    stale = {"type": "escalated", "by": HUB, "reason": "stale"}
    assert type_in(here, called, stale).reason is Reason.STALE


def test_a_question_that_an_agent_puts_on_after_a_persons_answer_is_answered_by_its_role(
    tmp_path: Path,
) -> None:
    here = room(tmp_path)
    asked = here.ask()
    here.clarifications.answer(asked.id, "JWT.", by=PERSON, via="terminal")
    late = type_in(here, asked, {"type": "asked", "by": "engineer", "body": "FORGED?"})
    assert (late.status, late.question, late.answer) == ("answered", asked.question, "JWT.")
    here.clarifications.follow_up(asked.id, "How long?", by="engineer")
    again = type_in(here, asked, {"type": "answered", "by": "architect", "body": "15 minutes."})
    assert (again.status, again.answer) == ("answered", "15 minutes.")
    for act in ({"type": "removed"}, {"type": "edited", "fields": {"topic": "FORGED"}}):
        assert type_in(here, asked, act).topic == asked.topic
    entries = {"type": "removed", "entries": [line["id"] for line in read(file_of(here))]}
    assert any(entry.is_persons_word for entry in type_in(here, asked, entries).thread)


@pytest.mark.promise("clarify.signed")
def test_nobody_opens_again_by_hand_what_a_person_decided_or_answered(tmp_path: Path) -> None:
    here = room(tmp_path)
    answered, decided = (here.ask(request(to=PERSON, question=q), ANYBODY) for q in ("A?", "B?"))
    here.clarifications.answer(answered.id, "Yes", by=PERSON, via="terminal")
    here.clarifications.resolve(answered.id, by="engineer")
    here.clarifications.resolve(decided.id, "Yes", by=PERSON, via="terminal")
    for state in (answered, decided):
        was = here.clarifications.find(state.id)
        for act in (
            {"type": "asked", "by": "engineer", "body": "FORGED?", "saw": []},
            {"type": "escalated", "by": "engineer", "reason": "manual", "text": "F", "saw": []},
            {"type": "escalated", "by": HUB, "reason": "max-rounds", "text": "F", "saw": []},
        ):
            after = type_in(here, state, act)
            assert (after.status, after.question, after.resolution) == (
                *("resolved", was.question),
                was.resolution,
            )
            assert (after.thread[-1].late, after.thread[-1].doubt) == (True, "unverified")


@pytest.mark.promise("clarify.signed")
def test_what_waits_for_a_person_waits_as_it_was_put(tmp_path: Path) -> None:
    here = room(tmp_path)
    person = here.ask(request(to=PERSON), ANYBODY)
    called = here.ask(request(question="Which?"))
    here.clarifications.escalate(called.id, reason=Reason.MANUAL)
    ahead = {"timestamp": "2026-03-12T10:00:00.000Z"}
    acts: tuple[dict[str, Any], ...] = (
        {"type": "escalated", "by": "engineer", "reason": "stale", "text": "FORGED"},
        {"type": "edited", "fields": {"maxRounds": 0, "from": "tester", "round": 3}},
        {"type": "asked", "by": "engineer", "body": "FORGED?", **ahead},
        {"type": "answered", "by": HUB, "body": "FORGED", "via": "memory/ob-1"},
        {"type": "resolved", "by": HUB, "body": "FORGED"},
        {"type": "answered", **FORGED},
    )
    for state in (person, here.clarifications.find(called.id)):
        after = state
        for act in acts:
            after = type_in(here, state, act)
            added = after.thread[len(state.thread) :]
            assert replace(after, thread=state.thread) == state, act
            assert all(entry.late and entry.doubt == "unverified" for entry in added), act
            assert after.question == state.question
        heads = [line for line in terminal(after, colour=False).splitlines() if "[" in line]
        assert sum("(unverified)" in head for head in heads) == len(acts) - 1
    assert here.clarifications.find(person.exact).answered is None


def test_nobody_answers_or_decides_as_agentx_or_on_github_by_hand(tmp_path: Path) -> None:
    here = room(tmp_path)
    asked = here.ask()
    nobody = type_in(here, asked, {"type": "resolved", "by": "", "body": "FORGED"})
    assert nobody.thread == asked.thread
    assert len(here.clarifications.ledger(42).faults) == 1
    settled = type_in(here, asked, {"type": "resolved", "by": HUB, "body": "FORGED"})
    assert (settled.status, settled.resolution) == ("pending", None)
    known = {"type": "answered", "by": HUB, "body": "FORGED", "via": "memory/ob-1"}
    answer = type_in(here, asked, known).answered
    assert answer is not None
    assert (answer.speaker_shown, answer.source) == ("agent-x (unverified)", "")

    other = here.ask(request(question="Which?"))
    way = name_github_way("ana", 101)
    made_up = type_in(here, other, {"type": "answered", **FORGED, "via": way}).answered
    assert made_up is not None
    assert not made_up.account
    here.clarifications.escalate(other.id)
    said = here.clarifications.resolve(other.id, "Really.", by=PERSON, via=way)
    assert said.decision is not None
    assert said.decision.account == "ana"
    assert here.clarifications.find(other.id) == said


@pytest.mark.promise("clarify.signed")
def test_a_doubt_stays_whoever_takes_the_answer(tmp_path: Path) -> None:
    here = room(tmp_path)
    asked = here.ask()
    word = {"key": "a-key", "sig": "no-signature"}
    typed = {"type": "answered", "by": HUB, "body": "FORGED", **word}
    type_in(here, asked, typed)
    done = here.clarifications.resolve(asked.id, by="engineer")
    data = as_data(done)
    assert (data["resolution"], data["resolvedBy"]) == ("FORGED", "engineer")
    assert data["doubt"] == "unverified"


@pytest.mark.promise("clarify.signed")
def test_nobody_asks_in_the_name_of_a_person_or_of_agentx_by_hand(tmp_path: Path) -> None:
    here = room(tmp_path)
    here.ask()
    [line] = read(file_of(here))
    for turn, name in enumerate((PERSON, HUB), 1):
        known = mint(ulid_ms(line["id"]) + turn, bytes)
        typed = {**line, "id": known, "question": known, "number": 7, "from": name, "to": "tester"}
        bare = {part: typed[part] for part in typed if part not in ("key", "sig")}
        row = {**bare, "type": "taken", "row": {"from": name, "to": "tester", "thread": []}}
        for each in (typed, bare, row):
            write(file_of(here, "ffffff"), {**each, "body": "FORGED"})
            ledger = here.clarifications.ledger(42)
            assert [state.asker for state in ledger] == ["engineer"], each
            assert len(ledger.faults) == 1


def test_an_escalation_by_hand_says_only_what_happened(tmp_path: Path) -> None:
    here = room(tmp_path)
    for reason in ("stale", "max-rounds"):
        asked = here.ask(request(question=f"{reason}?"))
        act = {"type": "escalated", "by": "engineer", "reason": reason, "text": "So."}
        after = type_in(here, asked, act)
        assert (after.status, after.reason) == ("escalated", Reason.MANUAL)
