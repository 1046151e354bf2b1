"""Goal: memories of many questions cost a command little: each is judged once, as few as may be
told are, and they are written together.

Method: settled questions of some issues, kept as `sync` does it; what is judged, looked at and
written is counted, and what a search of few gives is held against one of all.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON
from agentx.clarification.scope import Scope
from agentx.clarification.store.ledgers import LedgerStore
from agentx.observations.model import Category, ObservationIndex, SearchFilters
from agentx.observations.store.files.store import JsonObservationStore
from agentx.project.project import Project
from agentx.wiring.clarifications import make_pen, open_clarifications
from agentx.wiring.kept.decided import keep_decisions
from agentx.wiring.observations import open_observations
from agentx.wiring.vouched import judging
from agentx.wiring.vouched.persons_record import PersonsRecord
from agentx.wiring.vouched.witness import Witness
from tests.support.clarifying import project_at, request
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
    room.resolve(room.ask(asked, Scope()).id, word, by=PERSON, via="terminal")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = project_at(tmp_path)
    for issue, part in product(range(1, ISSUES + 1), range(PARTS)):
        assert isinstance(made.clock, FakeClock)
        made.clock.advance(1_000)
        settle(made, issue, part, f"word {part}")
    return made


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
