"""Goal: memories of many questions cost a command little: each is judged once, as few as may be
told are, and they are written together.

Method: settled questions of some issues, kept as `sync` does it; what is judged, looked at and
written is counted, and what a search of few gives is held against one of all.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON
from agentx.clarification.scope import Scope
from agentx.clarification.store.ledgers import LedgerStore
from agentx.kernel.clock import DAY_MS, Millis, to_iso
from agentx.kernel.errors import UnavailableError
from agentx.kernel.roles import UNCONFIRMED
from agentx.observations.model import Category, ObservationIndex, SearchFilters
from agentx.observations.store.files.store import JsonObservationStore
from agentx.operations.questions import settle as settle_questions
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.wiring.clarifications import make_pen, open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.kept.decided import keep_decisions
from agentx.wiring.observations import open_observations
from agentx.wiring.trust.issue_marks import mark_issue
from agentx.wiring.vouched import judging
from agentx.wiring.vouched.persons_record import PersonsRecord
from agentx.wiring.vouched.seen import find_seen_in
from agentx.wiring.vouched.witness import Witness
from agentx.work.model import NewIssue
from tests.support.clarifying import project_at, request
from tests.support.kept import KeptFolder
from tests.support.time_and_chance import FakeClock
from tests.unit.wiring.test_ledgers_read_once import count_calls

ISSUES, PARTS = 3, 6
Count = Callable[[], int]


def settle(project: Project, issue: int, part: int, word: str) -> None:
    """Keep a question that a person settled; the last part asks what the first does."""
    about = part % (PARTS - 1)
    room = open_clarifications(project)
    asked = request(
        issue=issue, to=PERSON, topic=f"Part {about}", question=f"Shall I drop {about}?"
    )
    asked = replace(asked, issue_mark=mark_issue(project, issue))
    room.resolve(room.ask(asked, Scope()).id, word, by=PERSON, via="terminal")


def _furnish(root: Path) -> Project:
    made = project_at(root)
    for issue in range(1, ISSUES + 1):
        open_issues(made).create(NewIssue(title=f"Work {issue}"))
    for issue, part in product(range(1, ISSUES + 1), range(PARTS)):
        assert isinstance(made.clock, FakeClock)
        made.clock.advance(1_000)
        settle(made, issue, part, f"word {part}")
    return made


@pytest.fixture(scope="module")
def kept_project(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder[Project]:
    return KeptFolder(tmp_path_factory.mktemp("many"), _furnish)


@pytest.fixture
def project(kept_project: KeptFolder[Project]) -> Project:
    return kept_project.lend()


def search(project: Project, **wanted: object) -> tuple[ObservationIndex, ...]:
    """Return what a command finds that is begun just now."""
    with closing(open_observations(project)) as room:
        return room.store.search_by_filters(SearchFilters(**wanted))  # type: ignore[arg-type]


def test_what_questions_of_an_issue_came_to_is_written_together(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = count_calls(monkeypatch, JsonObservationStore, "store")
    notes = count_calls(monkeypatch, PersonsRecord, "keep")
    assert keep_decisions(project) == ISSUES * PARTS
    assert (writes(), notes()) == (ISSUES, ISSUES)
    settle(project, 1, 2, "another word")
    assert keep_decisions(project) == 1
    assert (writes(), keep_decisions(project)) == (1, 0)


def test_each_is_judged_once_whoever_looks(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_decisions(project)
    judged = count_calls(monkeypatch, Witness, "_judge")
    told = search(project)
    assert judged() == len(told) == ISSUES * PARTS
    assert search(project) == told
    assert judged() == 0
    # What was said since is told at once, and only its issue is judged anew.
    settle(project, 2, 1, "another word")
    now = {row.id: row.superseded_by for row in search(project)}
    assert judged() == PARTS
    withheld = {each for each, by in now.items() if by} - {
        row.id for row in told if row.superseded_by
    }
    assert len(withheld) == 1


def test_lines_that_are_held_of_an_issue_are_looked_at(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_decisions(project)
    search(project)
    reads = count_calls(monkeypatch, LedgerStore, "read")
    search(project)
    assert reads() == 0
    held = make_pen(project).held
    assert held is not None
    (held / "2").mkdir(parents=True, exist_ok=True)
    (held / "2" / "0123456789abcdef.jsonl").write_text("\n", "utf-8")
    search(project)
    assert reads() == 1


def test_no_more_are_judged_than_are_asked_for(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_decisions(project)
    monkeypatch.setattr(judging, "_TURN_ROWS", 2)
    judged = count_calls(monkeypatch, Witness, "_judge")
    assert len(search(project, superseded=False, limit=3)) == 3
    assert judged() <= 4
    assert {row.issue_number for row in search(project, superseded=False, issue_number=1)} == {1}
    assert judged() == PARTS


@pytest.mark.parametrize("superseded", [None, False, True])
@pytest.mark.parametrize("issue", [None, 2])
def test_some_are_the_first_of_all(
    project: Project, monkeypatch: pytest.MonkeyPatch, superseded: bool | None, issue: int | None
) -> None:
    keep_decisions(project)
    monkeypatch.setattr(judging, "_TURN_ROWS", 2)
    everything = [
        row
        for row in search(project)
        if issue in (None, row.issue_number) and superseded in (None, bool(row.superseded_by))
    ]
    assert everything
    for agent, category, limit in product(
        ("", PERSON), (None, Category.DECISION), (1, 3, len(everything), None)
    ):
        found = search(
            project,
            superseded=superseded,
            issue_number=issue,
            agent=agent,
            category=category,
            limit=limit,
        )
        assert list(found) == everything[:limit], (agent, category, limit)


def test_what_takes_long_to_judge_is_of_one_look(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_decisions(project)
    monkeypatch.setattr(judging, "_TURN_ROWS", 2)
    plain = Witness.judge

    def judge(self: Witness, *given: object) -> object:
        assert isinstance(project.clock, FakeClock)
        project.clock.advance(30)
        return plain(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Witness, "judge", judge)
    looks = count_calls(monkeypatch, Witness, "look_again")
    with closing(open_observations(project)) as room:
        room.store.search_by_filters(SearchFilters(superseded=True))
        assert looks() == 1
        assert isinstance(project.clock, FakeClock)
        project.clock.advance(50)
        room.store.search_by_filters(SearchFilters(superseded=True))
        assert looks() == 1


def look_anew(project: Project) -> dict[str, str]:
    """Return what a process is told that is begun just now, by memory."""
    find_seen_in.cache_clear()
    return {row.id: repr(row) for row in search(project)}


@pytest.fixture
def noted(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return the project once a command has judged all, long after the files were written."""
    monkeypatch.setattr(judging, "_MANY", 1)
    monkeypatch.setattr(judging, "_LOOK_MS", 0)
    assert isinstance(project.clock, FakeClock)
    project.clock.advance(50 * 365 * DAY_MS)
    keep_decisions(project)
    with closing(open_observations(project)) as room:
        room.store.settle()
    look_anew(project)
    return project


def test_what_an_earlier_command_judged_is_not_judged_again(
    noted: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = look_anew(noted)
    judged = count_calls(monkeypatch, Witness, "_judge")
    reads = count_calls(monkeypatch, LedgerStore, "read")
    assert look_anew(noted) == plain
    assert judged() == ISSUES, "what a later word took the place of is judged each time"
    noted.store.borne_out.unlink()
    assert look_anew(noted) == plain
    assert judged() == ISSUES * PARTS
    assert reads() > 0


def test_no_word_that_was_said_can_be_read_in_what_is_noted(noted: Project) -> None:
    kept = noted.store.borne_out.read_text("utf-8")
    assert "word" not in kept
    assert json.loads(kept)["issues"].keys() == {"1", "2", "3"}
    room = open_clarifications(noted)
    for state in [each for each in room.list_all() if each.issue == 2]:
        settle_questions.forget(noted, str(state.id), caller=WhoCalls(via=Via.TERMINAL))
    look_anew(noted)
    settle(noted, 1, 2, "another word")
    look_anew(noted)
    assert "2" not in json.loads(noted.store.borne_out.read_text("utf-8"))["issues"]


def decide_anew(project: Project) -> None:
    settle(project, 2, 1, "another word")


def say_in_doubt(project: Project) -> None:
    room = open_clarifications(project)
    asked = request(issue=2, to=PERSON, topic="Part 1", question="Shall I drop 1?")
    room.resolve(room.ask(asked, Scope()).id, "in doubt", by=PERSON, via=UNCONFIRMED)


def forget(project: Project) -> None:
    settle_questions.forget(project, "CLR-2-002", caller=WhoCalls(via=Via.TERMINAL))


def lose_key(project: Project) -> None:
    shutil.rmtree(project.data.keys)


def lose_record(project: Project) -> None:
    project.store.persons.write_text("", "utf-8")


def reword(project: Project) -> None:
    [path] = project.observations.glob("issue-2.json")
    path.write_text(path.read_text("utf-8").replace("word 1", "WORD 1"), "utf-8")


def take_issue(project: Project) -> None:
    """Let git have another issue under the number."""
    path = project.paths.issues / "2.json"
    said = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**said, "title": "Other", "created": to_iso(Millis(0))}), "utf-8")


CHANGES = (decide_anew, say_in_doubt, forget, lose_key, lose_record, reword, take_issue)


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_is_told_as_if_nothing_had_been_noted(
    noted: Project, change: Callable[[Project], None]
) -> None:
    before = look_anew(noted)
    change(noted)
    told = look_anew(noted)
    assert told != before or change is lose_record  # the ledgers say the same
    noted.store.borne_out.unlink(missing_ok=True)
    assert look_anew(noted) == told


def test_what_was_written_just_now_is_judged_once_more(
    noted: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (noted.paths.questions / "2").iterdir():
        os.utime(path, (noted.clock.now_ms() / 1000,) * 2)
    look_anew(noted)
    judged = count_calls(monkeypatch, Witness, "_judge")
    look_anew(noted)
    assert judged() == PARTS + ISSUES - 1


def fail_to_read(*given: object) -> None:
    raise UnavailableError("too many open files")


@pytest.mark.parametrize(("change", "reads"), [(decide_anew, "read"), (forget, "gather_forgotten")])
def test_what_was_judged_while_nobody_could_read_the_ledger_holds_for_that_once(
    noted: Project, monkeypatch: pytest.MonkeyPatch, change: Callable[[Project], None], reads: str
) -> None:
    kept = (noted.observations / "issue-2.json").read_bytes()
    change(noted)
    (noted.observations / "issue-2.json").write_bytes(kept)
    right = look_anew(noted)
    noted.store.borne_out.unlink()
    with monkeypatch.context() as patched:
        patched.setattr(LedgerStore, reads, fail_to_read)
        assert look_anew(noted) != right
    assert look_anew(noted) == right


def test_what_is_noted_is_judged_by_no_earlier_look_than_the_files_had(
    noted: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted.store.borne_out.unlink()
    monkeypatch.setattr(judging, "_LOOK_MS", 50)
    monkeypatch.setattr(judging, "_MANY", 5)
    assert isinstance(noted.clock, FakeClock)
    noted.clock.advance(1_000)
    find_seen_in.cache_clear()
    with closing(open_observations(noted)) as room:
        rows = [row.id for row in room.store.search_by_filters(SearchFilters(superseded=None))]
        noted.clock.advance(1_000)
        noted.store.borne_out.unlink()
        room.store.get_by_ids(rows[:1])
        for issue in range(1, ISSUES + 1):
            settle(noted, issue, 1, "another word")
        room.store.get_by_ids(rows)
    told = look_anew(noted)
    noted.store.borne_out.unlink()
    assert look_anew(noted) == told


def test_a_file_that_is_called_almost_like_an_issues_has_no_say(noted: Project) -> None:
    path = noted.paths.issues / "2.json"
    for name in ("02.json", "\u0662.json"):
        shutil.copy(path, path.with_name(name))
    look_anew(noted)
    take_issue(noted)
    told = look_anew(noted)
    noted.store.borne_out.unlink()
    assert look_anew(noted) == told


@pytest.mark.parametrize("name", ["9" * 5_000, "\u0662", "02"])
def test_a_note_that_names_no_issue_is_made_anew(noted: Project, name: str) -> None:
    told = look_anew(noted)
    kept = noted.store.borne_out
    said = json.loads(kept.read_text("utf-8"))
    said["issues"][name] = said["issues"].pop("2")
    kept.write_text(json.dumps(said), "utf-8")
    assert look_anew(noted) == told
    assert json.loads(kept.read_text("utf-8"))["issues"].keys() == {"1", "2", "3"}
