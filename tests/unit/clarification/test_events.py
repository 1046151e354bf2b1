"""Goal: questions are events per writer; the ledger's file is a view that others may write.

Method: a real folder; views that are lost, old, written by others and by earlier versions; clones
as folders whose files of events are laid together; processes killed at every step of a write.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentx.clarification.facts import Answered, Asked, Escalated, Resolved, WentStale
from agentx.clarification.model import PERSON, ClarificationStatus, Reason
from agentx.clarification.rendering import say_decision, stream, terminal
from agentx.clarification.service import Clarifications
from agentx.clarification.store.book import Pen
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.store.merging import hear
from agentx.clarification.store.view import ledger_path
from agentx.host.crash import CrashPoint, arm, disarm
from agentx.kernel.bus import Bus
from agentx.kernel.clock import Millis
from agentx.kernel.paths import ProjectPaths
from tests.support.clarifying import PEN, SCOPE, Room, answered, clarification, ids, request, room
from tests.support.time_and_chance import START_MS

NOW = Millis(START_MS + 1)


def view(here: Room, issue: int = 42) -> Path:
    return ledger_path(here.paths, issue)


def document(here: Room) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(view(here).read_text(encoding="utf-8"))
    return found


def write(here: Room, found: dict[str, Any]) -> None:
    view(here).write_text(json.dumps(found), encoding="utf-8")


def lines(here: Room, writer: str = "a1b2c3") -> list[dict[str, Any]]:
    raw = (here.paths.questions / "42" / f"{writer}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in raw.splitlines()]


def clone(here: Room, folder: Path, writer: str) -> Room:
    """Copy what git would carry to another checkout."""
    shutil.copytree(here.paths.questions, ProjectPaths(folder).questions)
    made = room(folder)
    pen = Pen(writer=lambda: writer, secret=PEN.secret, signatures=PEN.signatures)
    made.store = LedgerStore(made.paths, made.clock, pen)
    made.clarifications = Clarifications(made.store, clock=made.clock, bus=Bus())
    return made


def bring(source: Room, target: Room) -> None:
    """Lay the files of one clone into the other, as a merge would."""
    for path in (source.paths.questions / "42").iterdir():
        there = target.paths.questions / "42" / path.name
        if not there.exists() or there.stat().st_size < path.stat().st_size:
            shutil.copy(path, there)


def test_every_change_is_a_line_of_the_writers_own_file(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    here.clarifications.answer(state.id, "JWT.", via="codex")
    here.clarifications.resolve(state.id)

    told = lines(here)
    assert [line["type"] for line in told] == ["opened", "answered", "resolved"]
    assert {line["question"] for line in told} == {told[0]["id"]} == {state.uid}
    assert (told[0]["number"], told[0]["from"], told[0]["body"]) == (
        1,
        "engineer",
        "JWT or server sessions?",
    )
    assert (told[1]["by"], told[1]["body"], told[1]["via"]) == ("architect", "JWT.", "codex")
    assert sorted(line["id"] for line in told) == [line["id"] for line in told]
    hidden = (here.paths.state / ".gitignore").read_text(encoding="utf-8")
    assert hidden == "*\n"
    assert [path.name for path in here.paths.questions.iterdir()] == ["42"], "nothing beside it"


def test_a_view_that_is_lost_or_old_is_made_again_the_same(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    early = view(here).read_bytes()
    here.clarifications.answer(state.id, "JWT.")
    late = view(here).read_bytes()
    known = here.clarifications.ledger(42)

    view(here).write_bytes(early)  # as a killed writer, or git, leaves it
    assert here.clarifications.ledger(42).clarifications == known.clarifications
    here.store.renew(42, wait_ms=100)
    assert view(here).read_bytes() == late
    view(here).unlink()
    assert here.clarifications.survey().behind == (42,)
    here.store.renew(42, wait_ms=100)
    assert document(here)["clarifications"] == json.loads(late)["clarifications"]


def test_what_another_tool_writes_becomes_events_and_is_never_overwritten(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    found = document(here)
    row = found["clarifications"][0]
    at = "2026-03-02T10:05:00.000Z"
    said = {"round": 1, "from": "architect", "type": "answer", "body": "Theirs.", "timestamp": at}
    row["thread"].append({**said, "seen": 3})
    row["status"], row["mood"] = "answered", "curious"
    theirs = {**row, "id": "CLR-42-002", "topic": "A tool's own", "created": at, "thread": [said]}
    del theirs["uid"]
    found["clarifications"].append(theirs)
    write(here, found)

    assert here.clarifications.find(state.id).answer == "Theirs.", "seen before it is kept"
    assert len(lines(here)) == 1
    here.clarifications.resolve(state.id, "Fine.")

    assert [line["type"] for line in lines(here)] == [
        "opened",
        "answered",
        "edited",
        "taken",
        "resolved",
    ]
    first, second = document(here)["clarifications"]
    assert [entry["body"] for entry in first["thread"]][1:] == ["Theirs.", "Fine."]
    assert (first["thread"][1]["seen"], first["mood"], first["status"]) == (
        3,
        "curious",
        "resolved",
    )
    assert (second["topic"], second["status"]) == ("A tool's own", "answered")
    view(here).unlink()
    assert ids(here.clarifications.ledger(42)) == ("CLR-42-001", "CLR-42-002")


def test_what_another_tool_mends_or_takes_out_stays_so(tmp_path: Path) -> None:
    here = room(tmp_path)
    kept, gone = here.ask(), here.ask(request(question="Something else?"))
    here.clarifications.answer(kept.id, "JTW.")
    found = document(here)
    found["clarifications"][0]["thread"][1]["body"] = "JWT."
    del found["clarifications"][1]
    write(here, found)

    here.clarifications.resolve(kept.id)

    view(here).unlink()
    ledger = here.clarifications.ledger(42)
    assert ids(ledger) == (kept.id,)
    assert [entry.body for entry in ledger.clarifications[0].thread][1] == "JWT."
    assert here.ask(request(question="A third?")).id == "CLR-42-003", f"not {gone.id} again"


def test_a_file_that_does_not_say_what_it_was_made_from_takes_nothing_away(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    old = document(here)
    here.clarifications.answer(state.id, "JWT.")
    here.ask(request(question="Something else?"))
    del old["made"], old["clarifications"][0]["uid"]
    write(here, old)

    ledger = here.clarifications.ledger(42)

    assert ids(ledger) == ("CLR-42-001", "CLR-42-002")
    assert ledger.clarifications[0].status is ClarificationStatus.ANSWERED
    here.clarifications.resolve(state.id)
    assert [line["type"] for line in lines(here)] == ["opened", "answered", "opened", "resolved"]


def test_a_store_of_an_earlier_version_is_read_as_it_is_and_taken_over_without_loss(
    tmp_path: Path,
) -> None:
    here = room(tmp_path)
    state = here.ask()
    here.clarifications.escalate(state.id, "we disagree")
    here.ask(request(question="Something else?"))
    found = document(here)
    del found["made"]
    for row in found["clarifications"]:
        del row["uid"]
    shutil.rmtree(here.paths.questions)
    write(here, found)
    before, raw = here.clarifications.ledger(42), view(here).read_bytes()
    assert [each.status for each in before] == ["escalated", "pending"]
    assert view(here).read_bytes() == raw
    assert not here.paths.questions.exists(), "who reads writes nothing"

    here.clarifications.resolve(state.id, "Decided.")

    after = here.clarifications.ledger(42)
    assert after.clarifications[0].thread[:-1] == before.clarifications[0].thread
    assert after.clarifications[1] == before.clarifications[1]
    for row in document(here)["clarifications"]:
        del row["uid"]
    # A clone that takes its copy over too has the same questions, and undoes nothing.
    other = room(tmp_path / "other")
    other.clock.advance(60_000)
    ledger_path(other.paths, 42).parent.mkdir(parents=True)
    write(other, found)
    other.clarifications.answer("CLR-42-002", "Late.")
    theirs = other.paths.questions / "42" / "a1b2c3.jsonl"
    theirs.rename(theirs.with_name("d4e5f6.jsonl"))
    bring(other, here)
    merged = here.clarifications.ledger(42)
    assert ids(merged) == ("CLR-42-001", "CLR-42-002")
    assert merged.clarifications[0].status is ClarificationStatus.RESOLVED
    assert merged.clarifications[1].answer == "Late."


def test_of_two_that_wanted_one_number_the_earlier_has_it_and_both_are_found(
    tmp_path: Path,
) -> None:
    here = room(tmp_path / "one")
    here.ask()
    other = clone(here, tmp_path / "two", "d4e5f6")
    other.clock.advance(5_000)
    mine = here.ask(request(topic="Mine", question="Mine?"))
    theirs = other.clarifications.ask(request(topic="Theirs", question="Theirs?"), SCOPE)
    other.clarifications.escalate(theirs.id)
    assert mine.id == theirs.id == "CLR-42-002"

    for one, source in ((here, other), (other, here)):
        bring(source, one)
        ledger = one.clarifications.ledger(42)
        assert [(state.id, state.topic) for state in ledger] == [
            ("CLR-42-001", "Session storage"),
            ("CLR-42-002", "Mine"),
            ("CLR-42-003", "Theirs"),
        ]
        assert one.clarifications.find("CLR-42-002@d4e5f6").topic == "Theirs"
        # What a person is told to type is about this question, not about the other one.
        assert "CLR-42-002" not in ledger.clarifications[2].summary
        assert "clarify resolve CLR-42-003" in ledger.clarifications[2].summary
    done = here.clarifications.resolve("CLR-42-002@d4e5f6", "So.", by=PERSON)
    assert (done.id, done.formerly) == ("CLR-42-003", "CLR-42-002@d4e5f6")
    assert here.ask(request(question="Next?")).id == "CLR-42-004"


@pytest.mark.promise("clarify.merge")
def test_no_merge_brings_back_what_was_forgotten(tmp_path: Path) -> None:
    here = room(tmp_path / "one")
    state = here.ask(request(topic="Salaries", question="Who earns 90,000?"))
    here.ask(request(question="Something else?"))
    other = clone(here, tmp_path / "two", "d4e5f6")
    other.clarifications.answer(state.id, "Mira earns it.")

    assert here.clarifications.forget(state.id) == ("engineer", "architect")
    everything = b"".join(path.read_bytes() for path in tmp_path.glob("one/**/*") if path.is_file())
    assert b"90,000" not in everything
    assert b"Salaries" not in everything

    shutil.copy(here.paths.questions / "42" / "a1b2c3.jsonl", tmp_path / "scrubbed")
    bring(other, here)  # a merge that takes both: the words are back in a file
    with (here.paths.questions / "42" / "a1b2c3.jsonl").open("ab") as file:
        file.write((tmp_path / "scrubbed").read_bytes())
    assert ids(here.clarifications.ledger(42)) == ("CLR-42-002",)
    here.clarifications.answer("CLR-42-002", "Yes.")
    for path in tmp_path.glob("one/**/*"):
        assert not path.is_file() or b"90,000" not in path.read_bytes(), path
        assert not path.is_file() or b"Mira" not in path.read_bytes(), path
    bring(here, other)
    assert ids(other.clarifications.ledger(42)) == ("CLR-42-002",)
    assert other.ask(request(question="Next?")).id == "CLR-42-003"


def test_a_line_that_is_no_event_is_named_and_harms_no_other(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    file = here.paths.questions / "42" / "a1b2c3.jsonl"
    stranger = {**lines(here)[0], "type": "applauded", "id": "01KJPZV2800000000000000000"}
    with file.open("ab") as more:
        more.write(b"<<<<<<< HEAD\n")
        more.write(json.dumps(stranger).encode() + b"\n")
        more.write(b'{"v":1,"id":"01KJ')  # torn: its writer was killed
    here.clarifications.answer(state.id, "JWT.")

    ledger = here.clarifications.ledger(42)
    assert [state.answer for state in ledger] == ["JWT."]
    assert ledger.faults == (
        "42/a1b2c3.jsonl: line 2: a conflict marker of git",
        "42/a1b2c3.jsonl: line 3: nobody knows what 'applauded' means",
    )
    assert len(here.clarifications.survey().damaged) == 2, "also from the view"


def test_a_file_that_git_brought_back_to_an_earlier_state_is_left_alone(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    file = here.paths.questions / "42" / "a1b2c3.jsonl"
    early = file.read_bytes()
    here.clarifications.answer(state.id, "On one branch.")
    file.write_bytes(early)  # another branch is checked out

    here.clarifications.answer(state.id, "On the other.")

    assert file.read_bytes() == early
    assert len(list(file.parent.glob("a1b2c3-*.jsonl"))) == 1
    assert here.clarifications.find(state.id).answer == "On the other."


@pytest.mark.parametrize(
    "point",
    [
        CrashPoint.JOURNAL_WRITTEN,
        CrashPoint.QUESTION_TAKEN_IN,
        CrashPoint.QUESTION_WRITTEN,
        CrashPoint.QUESTION_SCRUBBED,
        CrashPoint.ATOMIC_TEMP_WRITTEN,
        CrashPoint.ATOMIC_REPLACED,
        CrashPoint.LOCK_IN_GUARD,
    ],
)
def test_killed_at_any_step_of_a_write_nothing_kept_is_lost(
    tmp_path: Path, point: CrashPoint
) -> None:
    here = room(tmp_path)
    state = here.ask()
    forgotten = here.ask(request(question="Forget me?"))
    found = document(here)
    found["clarifications"][0]["mood"] = "curious"
    write(here, found)
    child = os.fork()
    if child == 0:
        arm(point, lambda: os._exit(9))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        here.clarifications.answer(state.id, "JWT.")
        here.clarifications.forget(forgotten.id)
        os._exit(0)
    _, code = os.waitpid(child, 0)
    disarm()
    assert os.waitstatus_to_exitcode(code) == 9, "the point was passed"

    ledger = here.clarifications.ledger(42)
    assert ledger.faults == ()
    assert ledger.clarifications[0].question == "JWT or server sessions?"
    assert ledger.clarifications[0].status in {"pending", "answered"}
    if ledger.clarifications[0].is_unanswered:
        here.clarifications.answer(state.id, "After all.")
    assert here.clarifications.resolve(state.id).answer in {"JWT.", "After all."}
    if forgotten.id in ids(ledger):
        here.clarifications.forget(forgotten.id)
    row = document(here)["clarifications"][0]
    assert row["mood"] == "curious"
    assert ids(here.clarifications.ledger(42)) == (state.id,)
    for path in tmp_path.rglob("*.jsonl"):
        assert b"Forget me" not in path.read_bytes()


# --- what clones decided apart ---------------------------------------------------------------


def test_what_is_settled_stays_settled_and_every_word_is_kept() -> None:
    settled = hear(answered(clarification()), Resolved(at_ms=NOW, by=PERSON, body="So."))
    for late in (
        Answered(at_ms=NOW, by="architect", body="No."),
        Asked(at_ms=NOW, by="engineer", body="Why?"),
        Escalated(at_ms=NOW, reason=Reason.STALE, text="called"),
        Resolved(at_ms=NOW, by="engineer", body="Mine."),
    ):
        after = hear(settled, late)
        assert after.status is ClarificationStatus.RESOLVED
        assert after.thread[-1].late
        assert after.resolution is not None
        assert after.resolution.body == "So."
    assert hear(settled, WentStale(at_ms=NOW)) == settled
    newer = hear(settled, Resolved(at_ms=NOW, by=PERSON, body="Or so."))
    assert newer.resolution is not None
    assert newer.resolution.body == "Or so.", "the newest word of people holds"


def test_what_was_answered_is_not_brought_to_a_person_for_want_of_an_answer() -> None:
    state = hear(answered(clarification()), Escalated(at_ms=NOW, reason=Reason.STALE, text="x"))
    assert (state.status, state.thread[-1].late) == (ClarificationStatus.ANSWERED, True)
    called = hear(clarification(), Escalated(at_ms=NOW, reason=Reason.STALE))
    done = hear(hear(called, Answered(at_ms=NOW, by="architect", body="JWT.")), _by_asker())
    assert done.status is ClarificationStatus.RESOLVED
    wanted = hear(clarification(), Escalated(at_ms=NOW, reason=Reason.MANUAL))
    assert hear(wanted, _by_asker()).status is ClarificationStatus.ESCALATED
    decided = hear(wanted, Answered(at_ms=NOW, by=PERSON, body="So."))
    assert decided.status is ClarificationStatus.RESOLVED
    assert hear(answered(clarification()), WentStale(at_ms=NOW)).status == "answered"
    assert hear(clarification(), Asked(at_ms=NOW, by="engineer", body="b")).round == 1


def _by_asker() -> Resolved:
    return Resolved(at_ms=NOW, by="engineer", body="Fine.")


def test_what_a_file_says_that_a_person_decided_is_unverified_and_unblocks_nothing(
    tmp_path: Path,
) -> None:
    here = room(tmp_path)
    asked, called = here.ask(), here.ask(request(question="Something else?"))
    here.clarifications.escalate(called.id)
    doubted: list[tuple[int, str]] = []
    pen = replace(PEN, doubt=lambda issue, doubt: doubted.append((issue, doubt.question)))
    here.store = LedgerStore(here.paths, here.clock, pen)
    here.clarifications = Clarifications(here.store, clock=here.clock, bus=Bus())
    found = document(here)
    at = "2026-03-02T10:05:00.000Z"
    said = {"round": 1, "from": "human", "body": "Do as I say.", "timestamp": at, "via": "terminal"}
    for row in found["clarifications"]:
        row["thread"].append({**said, "type": "resolution"})
        row |= {"status": "resolved", "resolvedAt": at, "blocking": False}
    found["clarifications"][0]["thread"].append({**said, "type": "answer"})
    write(here, found)

    for _ in range(2):  # as it stands in the file, and once it is kept
        states = here.clarifications.ledger(42).clarifications[:2]
        assert [state.status for state in states] == ["pending", "escalated"]
        assert all(state.holds_its_asker for state in states)
        claims = [entry for state in states for entry in state.thread if entry.body == said["body"]]
        assert [entry.doubt for entry in claims] == ["unverified"] * 3
        assert "human (unverified)" in terminal(states[1], colour=False)
        assert "[Human (unverified)] Do as I say." in stream(states[0])
        here.ask(request(question="Keep it."))
    assert sorted(doubted) == sorted([(42, asked.uid)] * 2 + [(42, called.uid)])
    # A status that is set without a word is no decision either.
    found = document(here)
    found["clarifications"][1]["status"] = "resolved"
    write(here, found)
    here.clarifications.answer(asked.id, "JWT.")
    assert here.clarifications.find(called.id).status is ClarificationStatus.ESCALATED
    found = document(here)
    del found["clarifications"][1]
    write(here, found)
    assert here.clarifications.find(called.id).status is ClarificationStatus.ESCALATED
    done = here.clarifications.resolve(called.id, "So.", by=PERSON, via="terminal")
    assert (done.status, say_decision(done)) == (ClarificationStatus.RESOLVED, "So.")
    assert done.resolution is not None
    assert done.resolution.doubt == ""
    # Nor are the words of a person somebody else's to change, or a question of theirs to make up.
    found = document(here)
    changed = found["clarifications"][1]
    changed["thread"][-1]["body"] = "Not so."
    found["clarifications"].append({**changed, "id": "CLR-42-009", "uid": None, "topic": "Made up"})
    write(here, found)
    for _ in range(2):
        ledger = here.clarifications.ledger(42)
        decided = [state.resolution for state in ledger if state.resolution is not None]
        assert [(each.body, each.doubt) for each in decided] == [("So.", "")]
        [made_up] = [state for state in ledger if state.topic == "Made up"]
        assert (made_up.status, made_up.claim is not None) == ("escalated", True)
        here.clarifications.find(called.id)
        here.ask(request(question="Keep that too."))


def test_a_link_among_the_files_of_events_harms_its_own_ledger_alone(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    (here.paths.questions / "7").symlink_to("/etc")
    (here.paths.questions / "8").write_text("no folder", encoding="utf-8")
    (here.paths.questions / "9").mkdir()
    (here.paths.questions / "9" / "evil.jsonl").symlink_to("/etc/passwd")

    seen = here.clarifications.survey()

    assert ids(seen.active) == (state.id,)
    assert seen.closed == (7, 9)
    assert ["symbolic link" in named for named in seen.damaged] == [True, True]
