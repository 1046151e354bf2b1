"""Goal: what a person decided covers what was asked then; what others reword is not covered.

Method: a question that a person answered, or decided, whose files are then changed by hand.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentx.clarification.model import PERSON, Clarification, ClarificationStatus, Entry
from agentx.clarification.store.question_events import event_of
from agentx.clarification.store.view import ledger_path
from agentx.clarification.store.vouching.signatures import message_of
from agentx.kernel.ids import mint, ulid_ms
from tests.support.clarifying import KEYS, SCOPE, KeyOfTests, Room, request, room
from tests.unit.clarification.test_signatures import file_of, open_as, read, write

BEGUN = KeyOfTests(is_begun=True)  # somebody signed here already
BAD = "May we DROP PRODUCTION?"
Lines = list[dict[str, Any]]


def answered(root: Path) -> tuple[Room, Clarification]:
    """Return a question to a person, and their answer."""
    here = room(root)
    wanted = replace(request(topic="Budget", question="May we spend 500?"), to=PERSON)
    asked = here.clarifications.put(wanted, replace(SCOPE, can_clarify=(PERSON,))).state
    here.clock.advance(1_000)
    here.clarifications.answer(asked.id, "Yes", by=PERSON, via="terminal")
    return here, asked


def decided(root: Path) -> tuple[Room, Clarification]:
    """Return a question that an agent answered, and a person decided."""
    here = room(root)
    asked = here.ask(request(topic="Budget", question="May we spend 500?"))
    here.clock.advance(1_000)
    here.clarifications.answer(asked.id, "I would.")
    here.clock.advance(1_000)
    here.clarifications.escalate(asked.id)
    here.clock.advance(1_000)
    here.clarifications.resolve(asked.id, "Yes", by=PERSON, via="terminal")
    return here, asked


def typed(lines: Lines, after: int, **said: Any) -> dict[str, Any]:
    """Return a line that stands, by its id, right after another."""
    known = mint(ulid_ms(lines[after]["id"]) + 1, bytes)
    first = lines[0]
    head = {"v": 1, "id": known, "question": first["id"], "timestamp": first["timestamp"]}
    return {**head, **said}


def bare(line: dict[str, Any], **said: Any) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name not in ("key", "sig")} | said


def edit(lines: Lines, after: int, **said: Any) -> Lines:
    return [*lines, typed(lines, after, type="edited", **said)]


REWORDINGS: dict[str, Callable[[Lines], Lines]] = {
    "opened anew": lambda all_: [bare(all_[0], body=BAD, topic="Prod"), *all_[1:]],
    "another topic": lambda all_: [bare(all_[0], topic=BAD), *all_[1:]],
    "asked in between": lambda all_: [*all_, typed(all_, 0, type="asked", by="engineer", body=BAD)],
    "answered in between": lambda all_: [
        *all_,
        typed(all_, 0, type="answered", by="architect", body=BAD),
    ],
    "called in between": lambda all_: [
        *all_,
        typed(all_, 0, type="escalated", by="agent-x", reason="manual", text=BAD),
    ],
    "topic edited": lambda all_: edit(all_, -1, fields={"topic": BAD}),
    "topic edited before": lambda all_: edit(all_, 0, fields={"topic": BAD}),
    "words edited": lambda all_: edit(all_, -1, words={all_[0]["id"]: {"body": BAD}}),
    "words edited before": lambda all_: edit(all_, 0, words={all_[0]["id"]: {"body": BAD}}),
    "summary edited": lambda all_: edit(all_, -1, fields={"summary": BAD}),
    "asker edited": lambda all_: edit(all_, -1, fields={"from": "tester"}),
    "taken in between": lambda all_: [
        *all_,
        typed(all_, 0, type="taken", number=1, row=_row(all_)),
    ],
    "removed": lambda all_: [*all_, typed(all_, -1, type="removed", entries=[all_[0]["id"]])],
}


def _row(all_: Lines) -> dict[str, Any]:
    said = {"round": 1, "from": "engineer", "type": "question", "body": BAD}
    return {"thread": [{**said, "timestamp": all_[0]["timestamp"]}]}


def covers_bad(state: Clarification) -> bool:
    """Tell whether a person's word is shown as said to what nobody asked them."""
    is_over = state.status is ClarificationStatus.RESOLVED
    bodies = [state.topic, state.summary if is_over else ""]
    for entry in state.thread:
        if entry.speaker == PERSON and entry.doubt != "unverified":
            return BAD in " ".join(bodies) or "May we spend 500?" not in bodies
        bodies.append(entry.body)
    return False


@pytest.mark.promise("clarify.signed")
@pytest.mark.parametrize("make", [answered, decided])
def test_no_rewording_is_covered_by_what_a_person_said(
    tmp_path: Path, make: Callable[[Path], tuple[Room, Clarification]]
) -> None:
    here, asked = make(tmp_path / "true")
    truth = read(file_of(here))
    was = here.clarifications.find(asked.id)
    for name, reword in REWORDINGS.items():
        for signs in (None, KeyOfTests(b"s" * 32)):
            there = room(tmp_path / f"{name}-{signs is None}")
            shutil.copytree(here.paths.questions, there.paths.questions)
            lines = reword(truth)
            if signs is not None:  # a stranger signs what they typed
                lines = [line if "sig" in line else sign(line, signs) for line in lines]
            write(file_of(there), *lines)
            doubted = open_as(there, "d4e5f6", KEYS)
            state = there.clarifications.find(asked.id)
            assert not covers_bad(state), name
            persons = [each for each in state.thread if each.speaker == PERSON and each.body]
            if name in ("opened anew", "another topic"):
                assert [each.doubt for each in persons] == ["unverified"]
                assert state.waits_for_person
            if name in ("asked in between", "answered in between", "called in between"):
                assert [each.doubt for each in persons] == [""], name
            there.store.renew(42, wait_ms=100)
            assert doubted, name
    assert here.clarifications.find(asked.id) == was


def sign(line: dict[str, Any], keys: KeyOfTests) -> dict[str, Any]:
    key, signature = keys.sign(message_of(42, "a1b2c3", event_of(line, "a1b2c3")))
    return {**line, "key": key, "sig": signature}


@pytest.mark.promise("clarify.signed")
@pytest.mark.parametrize("make", [answered, decided])
def test_the_file_rewords_nothing_that_a_person_decided(
    tmp_path: Path, make: Callable[[Path], tuple[Room, Clarification]]
) -> None:
    here, asked = make(tmp_path)
    was = here.clarifications.find(asked.id)
    view = ledger_path(here.paths, 42)
    found = json.loads(view.read_bytes())
    row = found["clarifications"][0]
    row["topic"] = BAD
    row["thread"][0]["body"] = BAD
    view.write_text(json.dumps(found), encoding="utf-8")
    doubted = open_as(here, "d4e5f6", KEYS)
    assert here.clarifications.find(asked.id) == was
    here.clarifications.take_in()
    assert here.clarifications.find(asked.id) == was
    assert [each.why for each in doubted] == ["file"]


# --- files without events -------------------------------------------------------------------


def claim(status: str, kind: str, **said: Any) -> dict[str, Any]:
    """Return a ledger as somebody makes it by hand: a person is said to have decided."""
    at = "2026-03-02T10:00:00.000Z"
    asked: dict[str, Any]
    row: dict[str, Any]
    asked = {"round": 1, "from": "engineer", "type": "question", "body": "Old?", "timestamp": at}
    word = {"round": 1, "from": "human", "type": kind, "body": "FORGED", "timestamp": at}
    row = {"id": "CLR-42-001", "from": "engineer", "to": "human", "topic": "Old"}
    row |= {"blocking": True, "status": status, "round": 1, "maxRounds": 5, "created": at}
    row |= {"staleAfter": at, "resolvedAt": at, "thread": [asked, {**word, "via": "terminal"}]}
    return {"issueNumber": 42, "clarifications": [{**row, "summary": "FORGED", **said}]}


@pytest.mark.promise("clarify.signed")
def test_what_claims_a_person_in_a_file_without_events_is_unverified_in_every_clone(
    tmp_path: Path,
) -> None:
    for turn, made in enumerate(
        (
            claim("resolved", "resolution"),
            claim("answered", "answer"),
            claim("resolved", "answer"),
            claim("resolved", "resolution", to="architect"),
            claim("resolved", "resolution", thread=[]),
        )
    ):
        here = room(tmp_path / str(turn))
        view = ledger_path(here.paths, 42)
        view.parent.mkdir(parents=True)
        view.write_text(json.dumps(made), encoding="utf-8")
        doubted = open_as(here, "d4e5f6", BEGUN)
        claims: list[Entry] = []
        for _ in range(2):  # as it stands in the file, and once it is kept
            state = here.clarifications.find("CLR-42-001")
            assert state.is_active, made
            assert state.holds_its_asker, made
            assert state.resolution is None
            assert state.summary != "FORGED"
            claims = [each for each in state.thread if each.speaker == PERSON]
            assert {each.doubt for each in claims} <= {"unverified"}
            here.ask(request(question="Another?"))
        taken = next(line for line in read(file_of(here, "d4e5f6")) if line["type"] == "taken")
        assert taken["via"] == "file"
        assert [each.why for each in doubted] == ["file"]
        # In another clone, that trusts who took it over.
        there = room(tmp_path / f"{turn}-clone")
        shutil.copytree(here.paths.questions, there.paths.questions)
        assert there.clarifications.find("CLR-42-001") == here.clarifications.find("CLR-42-001")
        # A person says it again, and then it is theirs.
        done = here.clarifications.resolve("CLR-42-001", "Really.", by=PERSON, via="terminal")
        assert (done.status, done.holds_its_asker) == (ClarificationStatus.RESOLVED, False)


def test_without_its_events_a_file_that_we_made_is_a_file_like_any_other(tmp_path: Path) -> None:
    here = room(tmp_path)
    wanted = replace(request(question="May we?"), to=PERSON)
    asked = here.clarifications.put(wanted, replace(SCOPE, can_clarify=(PERSON,))).state
    view = ledger_path(here.paths, 42)
    found = json.loads(view.read_bytes())
    del found["made"]
    row, word = found["clarifications"][0], claim("", "resolution")["clarifications"][0]["thread"]
    row |= {"status": "resolved", "thread": [*row["thread"], word[1]]}
    view.write_text(json.dumps(found), encoding="utf-8")
    shutil.rmtree(here.paths.questions / "42")
    doubted = open_as(here, "d4e5f6", BEGUN)
    for _ in range(2):
        state = here.clarifications.find(asked.id)
        assert (state.holds_its_asker, state.waits_for_person) == (True, True)
        here.ask(request(question="Another?"))
    assert [each.why for each in doubted] == ["file"]
