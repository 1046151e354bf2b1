"""Goal: ledgers on disk are exactly as specified, other tools may read and write them, and damage
is moved aside and never replaced (spec 4.2, 4.4, 3.3, 3.5, 12.2).

Method: a real folder, a clock in hand, files read and written beside the room.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentx.clarification.errors import ClarificationNotFound, LockTimeout, MaxRoundsExceeded
from agentx.clarification.events import (
    ClarificationAnswered,
    ClarificationEscalated,
    ClarificationEvent,
    ClarificationRequested,
    ClarificationResolved,
    ClarificationStale,
    MonitorRan,
)
from agentx.clarification.model import ClarificationStatus, Reason
from agentx.clarification.store.ledger_json import DamagedLedger
from agentx.clarification.store.survey import LedgerRows
from agentx.clarification.store.view import ledger_path
from agentx.clarification.watch.monitor import World
from agentx.host.locks.lock import locked
from agentx.host.system import SystemClock
from agentx.kernel.clock import MINUTE_MS
from agentx.kernel.errors import CorruptRecord, IllegalTransition, InvalidValue
from tests.support.clarifying import SCOPE, Room, ids, request, room
from tests.support.mutation import change_each
from tests.support.time_and_chance import START_MS


def document(here: Room, issue: int = 42) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ledger_path(here.paths, issue).read_text(encoding="utf-8"))
    return found


def check(here: Room) -> None:
    here.clarifications.check(here.clarifications.survey(), World(now_ms=here.clock.now_ms()))


def test_4_2_the_file_has_the_fields_of_the_schema(tmp_path: Path) -> None:
    here = room(tmp_path)
    here.ask()

    path = tmp_path / ".agentx" / "state" / "clarifications" / "issue-42.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["issueNumber"] == 42
    [row] = found["clarifications"]
    assert {name: row[name] for name in row if name not in {"slaMinutes", "thread", "uid"}} == {
        "id": "CLR-42-001",
        "from": "engineer",
        "to": "architect",
        "topic": "Session storage",
        "blocking": True,
        "status": "pending",
        "round": 1,
        "maxRounds": 5,
        "created": "2026-03-02T10:00:00.000Z",
        "staleAfter": "2026-03-02T10:30:00.000Z",
        "resolvedAt": None,
    }
    assert row["thread"] == [
        {
            "round": 1,
            "from": "engineer",
            "type": "question",
            "body": "JWT or server sessions?",
            "timestamp": "2026-03-02T10:00:00.000Z",
        }
    ]


def test_3_3_ask_answer_follow_up_and_resolve_are_kept_in_the_thread(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    here.clarifications.answer(state.id, "JWT.")
    here.clarifications.follow_up(state.id, "And the keys?", by="engineer")
    here.clarifications.answer(state.id, "ES256.")
    here.clarifications.resolve(state.id)

    [row] = document(here)["clarifications"]
    assert (row["status"], row["round"]) == ("resolved", 2)
    assert [(entry["round"], entry["from"], entry["type"]) for entry in row["thread"]] == [
        (1, "engineer", "question"),
        (1, "architect", "answer"),
        (2, "engineer", "question"),
        (2, "architect", "answer"),
        (2, "engineer", "resolution"),
    ]
    assert row["resolvedAt"] == "2026-03-02T10:00:00.000Z"
    assert "ES256" in row["summary"]


@pytest.mark.promise("clarify.rounds")
@pytest.mark.parametrize(("blocking", "rounds"), [(True, 5), (False, 6)])
def test_3_5_after_the_last_round_it_is_escalated_and_said(
    tmp_path: Path, blocking: bool, rounds: int
) -> None:
    here = room(tmp_path)
    state = here.ask(request(blocking=blocking))
    for number in range(1, rounds):
        here.clarifications.answer(state.id, f"answer {number}")
        here.clarifications.follow_up(state.id, f"question {number}", by="engineer")
    here.clarifications.answer(state.id, "the last answer")

    with pytest.raises(MaxRoundsExceeded) as refused:
        here.clarifications.follow_up(state.id, "Still not clear", by="engineer")

    assert refused.value.message == f"CLR-42-001 reached max rounds ({rounds}). Auto-escalated"
    [row] = document(here)["clarifications"]
    assert (row["status"], row["round"], row["reason"]) == ("escalated", rounds, "max-rounds")
    assert "Still not clear" in row["thread"][-1]["body"]
    assert here.clarifications.resolve(state.id, "Do it so").status is ClarificationStatus.RESOLVED


def test_3_5_not_found_has_its_sentence(tmp_path: Path) -> None:
    with pytest.raises(ClarificationNotFound) as refused:
        room(tmp_path).clarifications.answer("CLR-42-001", "x")

    assert refused.value.message == "Clarification CLR-42-001 not found in ledger."
    assert refused.value.code == "NOT_FOUND"


def test_3_5_lock_timeout_has_its_sentence_and_4_4_the_lock_its_fields(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = room(tmp_path)
    here.ask()
    monkeypatch.setattr(here.store, "_take_over", lambda: None)  # which waits longer than asked
    path = ledger_path(here.paths, 42)

    with locked(path, owner="reviewer", clock=SystemClock()):
        record = json.loads(path.with_name(path.name + ".lock").read_text(encoding="utf-8"))
        with (
            pytest.raises(LockTimeout) as refused,
            here.store.editing(42, agent="engineer", wait_ms=30),
        ):
            pytest.fail("the lock was not ours")

    assert {"pid", "timestamp", "agent"} <= set(record)
    assert record["agent"] == "reviewer"
    assert refused.value.message == (
        "Failed to acquire lock for issue-42.json after 5 retries (5s timeout)."
    )
    assert refused.value.code == "LOCK_TIMEOUT"
    assert not path.with_name(path.name + ".lock").exists()


def test_numbers_go_up_and_grow_a_digit_past_999(tmp_path: Path) -> None:
    here = room(tmp_path)
    here.ask()
    found = document(here)
    theirs = {**found["clarifications"][0], "id": "CLR-42-999", "topic": "Theirs"}
    del theirs["uid"]
    found["clarifications"].append(theirs)
    ledger_path(here.paths, 42).write_text(json.dumps(found), encoding="utf-8")

    assert here.ask(request(question="And then?")).id == "CLR-42-1000"
    assert here.ask(request(question="And now?")).id == "CLR-42-1001"
    assert ids(here.clarifications.ledger(42))[-1] == "CLR-42-1001"


def test_what_other_tools_wrote_beside_our_fields_stays(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    found = document(here)
    found["team"] = "blue"
    found["clarifications"][0]["mood"] = "curious"
    found["clarifications"][0]["thread"][0]["seen"] = True
    ledger_path(here.paths, 42).write_text(json.dumps(found), encoding="utf-8")

    here.clarifications.answer(state.id, "JWT.")

    after = document(here)
    assert after["team"] == "blue"
    [row] = after["clarifications"]
    assert (row["mood"], row["thread"][0]["seen"], row["status"]) == ("curious", True, "answered")


def test_a_ledger_that_another_tool_wrote_by_the_schema_alone_is_read(tmp_path: Path) -> None:
    here = room(tmp_path)
    here.ask()
    found = document(here)
    [row] = found["clarifications"]
    del row["slaMinutes"]
    row["created"] = "2026-03-02T11:00:00+01:00"
    ledger_path(here.paths, 42).write_text(json.dumps(found), encoding="utf-8")

    [state] = here.clarifications.ledger(42)

    assert (state.created_ms, state.sla_minutes) == (START_MS, 30)


WHOLE = {"status": "pending", "round": 1, "created": "2026-03-02T10:00:00.000Z"}
DAMAGE = {
    "no JSON": b'{"issueNumber": 42, "clarif',
    "not UTF-8": b"\xff\xfe\x00",
    "no object": b"[]",
    "no list": b'{"issueNumber": 42, "clarifications": {}}',
    "another issue": b'{"issueNumber": 7, "clarifications": []}',
}


@pytest.mark.promise("clarify.damage")
@pytest.mark.parametrize("raw", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_ledger_stays_where_it_is_and_is_named_until_somebody_mends_it(
    tmp_path: Path, raw: bytes
) -> None:
    here = room(tmp_path)
    here.ask()
    path = ledger_path(here.paths, 42)
    whole = path.read_bytes()
    path.write_bytes(raw)

    for _ in range(2):
        for verb in (here.ask, lambda: here.clarifications.ledger(42)):
            with pytest.raises(CorruptRecord, match=r"issue-42\.json") as refused:
                verb()
            assert "mend that line" in refused.value.hint
        seen = here.clarifications.survey()
        assert (seen.closed, len(seen.damaged)) == ((42,), 1)
        assert seen.hides("CLR-42-001")
        assert path.read_bytes() == raw
    path.write_bytes(whole)
    assert ids(here.clarifications.survey().active) == ("CLR-42-001",)
    path.unlink()
    assert here.ask(request(question="And then?")).id == "CLR-42-002"
    assert ids(here.clarifications.ledger(42)) == ("CLR-42-001", "CLR-42-002")


def test_numbers_go_on_after_what_an_earlier_version_moved_aside(tmp_path: Path) -> None:
    here = room(tmp_path)
    aside = ledger_path(here.paths, 42).with_name("issue-42.json.corrupt-01KJPZV280")
    aside.parent.mkdir(parents=True)
    aside.write_bytes(b'{"id": "CLR-42-007"')

    assert here.ask().id == "CLR-42-008"
    assert here.store.list_moved_aside() == (aside,)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("status", "pondering", "status is 'pondering', none of pending"),
        ("round", True, "round is not a number"),
        ("created", "yesterday", "created is no time"),
        ("blocking", "yes", "blocking is not true or false"),
        ("id", "CLR-7-001", "CLR-7-001 is not of issue 42"),
        ("id", "first", "'first' is not a clarification"),
    ],
)
def test_a_field_that_cannot_be_is_named_and_harms_its_own_row_alone(
    tmp_path: Path, field: str, value: object, words: str
) -> None:
    here = room(tmp_path)
    state = here.ask()
    here.ask(request(question="Something else?"))
    found = document(here)
    del found["clarifications"][0]["uid"]  # as of a tool that knows the format alone
    found["clarifications"][0][field] = value
    path = ledger_path(here.paths, 42)
    path.write_text(json.dumps(found), encoding="utf-8")

    for _ in range(2):
        ledger = here.clarifications.ledger(42)
        assert ids(ledger)[-1] == "CLR-42-002"
        assert any(words in fault for fault in ledger.faults), ledger.faults
        # What is kept beside it changes nothing of that.
        assert here.clarifications.answer("CLR-42-002", "JWT.").answer == "JWT."
        here.clarifications.follow_up("CLR-42-002", "And the keys?", by="engineer")
        assert any(words in named for named in here.clarifications.survey().damaged)
    if field != "id":
        assert here.clarifications.survey().hides(state.id)
        with pytest.raises(CorruptRecord, match=words):
            here.clarifications.find(state.id)
        found = document(here)
        found["clarifications"][0][field] = True if field == "blocking" else WHOLE[field]
        path.write_text(json.dumps(found), encoding="utf-8")
        assert here.clarifications.find(state.id).status is ClarificationStatus.PENDING
        assert here.clarifications.answer(state.id, "JWT.").answer == "JWT."
        assert here.clarifications.ledger(42).faults == ()


def test_an_entry_that_nobody_understands_stays_and_harms_no_other(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    found = document(here)
    odd = {"type": "applause", "from": "architect"}
    found["clarifications"][0]["thread"].append(odd)
    found["clarifications"].append(7)
    ledger_path(here.paths, 42).write_text(json.dumps(found), encoding="utf-8")

    here.clarifications.answer(state.id, "JWT.")
    answered = here.clarifications.resolve(state.id)

    assert [entry.body for entry in answered.thread] == ["JWT or server sessions?", "JWT.", ""]
    after = document(here)["clarifications"]
    assert (after[0]["thread"][-1], after[1]) == (odd, 7)
    faults = here.clarifications.ledger(42).faults
    assert len(faults) == 2, faults
    ledger_path(here.paths, 42).unlink()
    assert here.clarifications.ledger(42) == replace(
        here.clarifications.ledger(42), faults=faults, is_behind=True
    )


def test_an_unknown_version_is_refused(tmp_path: Path) -> None:
    here = room(tmp_path)
    here.ask()
    path = ledger_path(here.paths, 42)
    whole = path.read_bytes()
    path.write_text(json.dumps({**document(here), "version": 2}), encoding="utf-8")
    for verb in (here.ask, lambda: here.clarifications.ledger(42)):
        with pytest.raises(CorruptRecord, match="version 2"):
            verb()
    path.write_bytes(whole)

    events = here.paths.questions / "42" / "a1b2c3.jsonl"
    line = events.read_text(encoding="utf-8").replace('"v":1', '"v":2')
    events.write_text(line, encoding="utf-8")
    path.unlink()
    for verb in (here.ask, lambda: here.clarifications.ledger(42)):
        with pytest.raises(CorruptRecord, match=r"line 1.*version 2"):
            verb()
    assert here.clarifications.survey().closed == (42,)


def test_a_damaged_ledger_harms_no_other_and_is_reported(tmp_path: Path) -> None:
    here = room(tmp_path)
    here.ask()
    ledger_path(here.paths, 7).write_bytes(b"{")

    seen = here.clarifications.survey()

    assert ids(seen.active) == ("CLR-42-001",)
    assert len(seen.damaged) == 1
    assert "issue-7.json" in seen.damaged[0]


def test_a_survey_sees_what_changed_since_the_last(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    other = room(tmp_path)
    assert ids(other.clarifications.survey().active) == (state.id,)

    here.clarifications.resolve(state.id, "done")

    assert other.clarifications.survey().active == ()


def test_what_is_read_back_is_what_was_kept(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    here.clock.advance(30 * MINUTE_MS)
    check(here)
    here.clarifications.retry(state.id)
    here.clarifications.answer(state.id, "JWT.")
    kept = here.clarifications.follow_up(state.id, "And the keys?", by="engineer")

    assert (kept.retries, kept.went_stale) == (0, 1)
    assert here.clarifications.find(state.id) == kept
    assert "retries" not in document(here)["clarifications"][0]
    escalated = here.clarifications.escalate(state.id, "half a character: \ud800")
    assert here.clarifications.find(state.id) == escalated


def test_secrets_reach_no_ledger(tmp_path: Path) -> None:
    here = room(tmp_path)
    key = "AKIA" + "IOSFODNN7EXAMPLQ"
    here.ask(request(topic=f"key {key}", question=f"use {key}?"))

    assert key not in ledger_path(here.paths, 42).read_text(encoding="utf-8")


def test_refused_verbs_leave_the_file_as_it_was(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    before = ledger_path(here.paths, 42).read_bytes()

    with pytest.raises(IllegalTransition):
        here.clarifications.resolve(state.id, by="engineer")
    with pytest.raises(InvalidValue):
        here.clarifications.answer(state.id, "a" * 2_001)

    assert ledger_path(here.paths, 42).read_bytes() == before


@pytest.mark.promise("clarify.events")
def test_12_2_the_five_events_fire_with_their_payloads(tmp_path: Path) -> None:
    here = room(tmp_path)
    first, second = here.ask(), here.ask(request(question="Something else?", blocking=False))
    here.clarifications.answer(first.id, "JWT.")
    here.clarifications.resolve(first.id)
    here.clock.advance(30 * MINUTE_MS)
    check(here)
    here.clarifications.escalate(second.id, "Nobody answers")

    events = [event for event in here.told if isinstance(event, ClarificationEvent)]
    assert [type(event) for event in events] == [
        ClarificationRequested,
        ClarificationRequested,
        ClarificationAnswered,
        ClarificationResolved,
        ClarificationStale,
        ClarificationEscalated,
    ]
    asked = events[0]
    assert (asked.clarification_id, asked.issue) == ("CLR-42-001", 42)
    assert (asked.asker, asked.to, asked.topic) == ("engineer", "architect", "Session storage")
    assert (asked.blocking, asked.at_ms) == (True, START_MS)
    escalated = events[-1]
    assert isinstance(escalated, ClarificationEscalated)
    assert "Nobody answers" in escalated.summary


def test_3_4_a_check_gives_what_it_found_and_a_second_one_finds_nothing(tmp_path: Path) -> None:
    here, other = room(tmp_path), room(tmp_path)
    state = here.ask()
    here.clock.advance(30 * MINUTE_MS)
    world = World(now_ms=here.clock.now_ms())
    seen_by_both = here.clarifications.survey(), other.clarifications.survey()

    found = here.clarifications.check(seen_by_both[0], world)
    same = other.clarifications.check(seen_by_both[1], world)

    assert ids(found.stale) == (state.id,)
    assert same.stale == (), "what another process has done is not done twice"
    assert [event.stale for event in here.told if isinstance(event, MonitorRan)] == [1]
    assert here.clarifications.retry(state.id).status is ClarificationStatus.PENDING


def test_3_4_break_deadlock_escalates_downstream_and_continues_upstream(tmp_path: Path) -> None:
    here = room(tmp_path)
    kept = here.ask(request(issue=1, asker="architect", to="engineer", topic="a", question="b"))
    given_up = here.ask(request(issue=2, topic="c", question="d"), SCOPE)

    check(here)

    assert here.clarifications.find(kept.id).status is ClarificationStatus.PENDING
    broken = here.clarifications.find(given_up.id)
    assert (broken.status, broken.reason) == (ClarificationStatus.ESCALATED, Reason.DEADLOCK)


def test_a_ledger_with_any_odd_value_is_read_or_named_as_damaged(tmp_path: Path) -> None:
    here = room(tmp_path)
    here.clarifications.answer(here.ask().id, "JWT.")

    for odd in change_each(document(here)):
        for read in (LedgerRows.list_all, lambda rows: rows.list_open(0)):
            with suppress(DamagedLedger):
                read(LedgerRows(odd, 42))
