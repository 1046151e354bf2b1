"""Goal: a question that was answered once is offered its answer before anybody is woken, and what
was decided is remembered, flagged when its file changed, and forgotten with its question.

Method: the verbs in process on a real project folder, with a clock in the hands of the test.
"""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentx.clarification.data import KnownAnswer
from agentx.clarification.errors import NotThePerson
from agentx.clarification.model import PERSON
from agentx.kernel.errors import IllegalTransition, NotFound
from agentx.observations.model import Observation
from agentx.operations.memory.check import memory_verify
from agentx.operations.memory.curate import memory_drop
from agentx.operations.memory.write import memory_remove
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.questions.known import describe_known, list_known_lines, word_accept
from agentx.operations.questions.routing import Player
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.observations import open_observations
from agentx.work.model import NewIssue
from tests.support.clarifying import project_at, request
from tests.support.remembering import reword
from tests.support.time_and_chance import FakeClock

TYPING = WhoCalls(via=Via.TERMINAL)
ENGINEER = WhoCalls(via=Via.AGENT, role="engineer", agent="codex")
QUESTION = "Which database do we use for orders in src/db.py?"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def project(tmp_path: Path, clock: FakeClock) -> Project:
    made = project_at(tmp_path, clock)
    for title in ("Login", "Checkout"):
        open_issues(made).create(NewIssue(title=title, labels=("type:feature",)))
    (made.root / "src").mkdir()
    (made.root / "src" / "db.py").write_text("x = 1\n", encoding="utf-8")
    at_s = clock.now_ms() / 1000 - 60
    os.utime(made.root / "src" / "db.py", (at_s, at_s))
    return made


def ask(project: Project, issue: int, **other: Any) -> tuple[str, list[KnownAnswer]]:
    known: list[KnownAnswer] = []
    wanted = request(issue=issue, topic="Order storage", question=QUESTION)
    state = clarify_ask.ask(
        project, wanted, told=lambda _entry: None, offered=known.append, **other
    )
    return state.id, known


def settle_first(project: Project) -> None:
    first, known = ask(project, 1)
    assert known == [], "nobody knew it yet"
    clarify_settle.resolve(project, first, "Postgres.", by="human", caller=TYPING)


def memories(project: Project) -> list[Observation]:
    with closing(open_observations(project)) as room:
        return list(room.store.everything())


def test_what_was_decided_is_offered_and_nobody_is_woken(
    project: Project, clock: FakeClock
) -> None:
    settle_first(project)
    clock.advance(60_000)
    # A runner that would say something else, were it asked.
    script = project.root / "answers.json"
    script.write_text('[{"answer": "MySQL."}]', encoding="utf-8")
    waiting = clarify_ask.Waiting(player=Player(runner="scripted", script=script), wait_ms=5_000)
    second, known = ask(project, 2, waiting=waiting)

    assert [(each.grip, each.by, each.text) for each in known] == [
        ("CLR-1-001", "a person", "Postgres.")
    ]
    assert known[0].changed_files == ()
    assert open_clarifications(project).find(second).status == "pending", "kept, and not lost"
    lines = list_known_lines(known[0], second)
    assert lines[0] == "already answered: Postgres."
    assert "CLR-1-001" in lines[1]
    assert "accept: agentx clarify accept CLR-2-001 CLR-1-001" in lines
    offered = "agentx clarify accept CLR-2-001 CLR-1-001"
    assert describe_known(known[0], second)["accept"] == offered


@pytest.mark.parametrize("how", ["drop", "remove", "edit"])
def test_what_a_person_took_back_or_wrote_anew_is_no_answer_any_more(
    project: Project, clock: FakeClock, how: str
) -> None:
    settle_first(project)
    clock.advance(60_000)
    [kept] = memories(project)
    if how == "drop":
        memory_drop(project, kept.id)
    elif how == "remove":
        memory_remove(project, kept.id)
    else:
        reword(project, kept.id, "Orders are in files, never in a database.")

    second, known = ask(project, 2)

    assert known == []
    with pytest.raises(NotFound, match="memory has no answer"):
        clarify_settle.accept(project, second, caller=ENGINEER)


def test_accepting_says_from_where_and_who_took_it(project: Project, clock: FakeClock) -> None:
    settle_first(project)
    clock.advance(60_000)
    second, _ = ask(project, 2)
    done = clarify_settle.accept(project, second, caller=ENGINEER)

    assert done.status == "resolved"
    assert [(each.type, each.speaker_shown) for each in done.thread] == [
        ("question", "engineer"),
        ("answer", "agent-x (from memory, CLR-1-001)"),
        ("resolution", "engineer"),
    ]
    assert done.answer == "Postgres. (a person, CLR-1-001)"
    assert done.thread[2].via == "codex"
    assert len(memories(project)) == 1, "what was taken from memory is there already"


def test_only_the_asker_accepts_and_only_what_is_known(project: Project) -> None:
    first, _ = ask(project, 1)
    with pytest.raises(NotFound, match="memory has no answer"):
        clarify_settle.accept(project, first, caller=ENGINEER)
    clarify_settle.resolve(project, first, "Postgres.", by="human", caller=TYPING)
    second, _ = ask(project, 2)
    architect = WhoCalls(via=Via.AGENT, role="architect")
    with pytest.raises(NotThePerson):
        clarify_settle.accept(project, second, by="engineer", caller=architect)
    with pytest.raises(IllegalTransition, match="architect cannot accept"):
        clarify_settle.accept(project, second, caller=architect)
    assert open_clarifications(project).find(second).status == "pending"
    clarify_settle.accept(project, second, caller=ENGINEER)
    with pytest.raises(NotFound, match="it is resolved"):
        clarify_settle.accept(project, second, caller=ENGINEER)


def test_what_a_person_is_asked_only_a_person_accepts(project: Project, clock: FakeClock) -> None:
    settle_first(project)
    clock.advance(60_000)
    known: list[KnownAnswer] = []
    wanted = request(issue=2, to="human", topic="Order storage", question=QUESTION)
    asked = clarify_ask.ask(project, wanted, told=lambda _: None, offered=known.append)
    assert "the user accepts it in a terminal" in str(list_known_lines(known[0], asked.id))
    for by in ("", "engineer"):
        with pytest.raises(NotThePerson):
            clarify_settle.accept(project, asked.id, by=by, caller=ENGINEER)
    assert open_clarifications(project).find(asked.id).waits_for_person
    assert "speaker-refused" in project.data.audit.read_text("utf-8")

    done = clarify_settle.accept(project, asked.id, caller=TYPING)
    assert (done.status, done.answer) == ("answered", "Postgres. (a person, CLR-1-001)")
    assert (done.thread[-1].speaker, done.thread[-1].via) == ("human", "terminal")


def test_who_accepts_what_they_were_offered_takes_nothing_else(
    project: Project, clock: FakeClock
) -> None:
    settle_first(project)
    clock.advance(60_000)
    second, known = ask(project, 2)
    clock.advance(60_000)
    anew = request(issue=1, topic="Order storage", question=QUESTION)
    again = clarify_ask.ask(project, anew, told=lambda _entry: None).id
    clarify_settle.resolve(project, again, "SQLite.", by="human", caller=TYPING)
    offered = word_accept(known[0], second).split()[-1]
    with pytest.raises(NotFound, match=r"otherwise by now, from CLR-1-002: 'SQLite\.'") as refused:
        clarify_settle.accept(project, second, source=offered, caller=ENGINEER)
    assert refused.value.hint.endswith(f"agentx clarify accept {second} {again}")
    assert open_clarifications(project).find(second).status == "pending"
    done = clarify_settle.accept(project, second, source=again, caller=ENGINEER)
    assert done.answer == "SQLite. (a person, CLR-1-002)"


def test_a_settled_question_is_a_decision_that_is_remembered_once(project: Project) -> None:
    settle_first(project)
    [kept] = memories(project)

    assert (kept.agent, kept.category, kept.issue_number) == ("human", "decision", 1)
    assert (
        kept.content
        == f"Order storage: Postgres. Decided by a person, asked: {QUESTION} [CLR-1-001]"
    )
    assert kept.files == ("src/db.py",)
    clarify_settle.forget(project, "CLR-1-001", caller=TYPING)
    assert memories(project) == []


@pytest.mark.parametrize("to", ["architect", PERSON])
def test_who_forgets_a_question_is_told_where_its_words_stand_too(
    project: Project, clock: FakeClock, to: str
) -> None:
    settle_first(project)
    clock.advance(60_000)
    wanted = request(issue=2, to=to, topic="Order storage", question=QUESTION)
    second = clarify_ask.ask(project, wanted, told=lambda _entry: None)
    by = TYPING if to == PERSON else ENGINEER
    clarify_settle.accept(project, second.id, caller=by)
    other = clarify_ask.ask(
        project, request(issue=2, topic="Retries", question="How many?"), told=lambda _entry: None
    )
    clarify_settle.resolve(project, other.id, "As in (CLR-1-001).", by="human", caller=TYPING)

    forgotten = clarify_settle.forget(project, "CLR-1-001", caller=TYPING)
    assert forgotten.also_in == ("CLR-2-001",)
    assert clarify_settle.forget(project, "CLR-2-001", caller=TYPING).also_in == ()


def test_what_changed_since_is_flagged(project: Project, clock: FakeClock) -> None:
    settle_first(project)
    clock.advance(3_600_000)
    (project.root / "src" / "db.py").write_text("x = 2\n", encoding="utf-8")
    at_s = clock.now_ms() / 1000
    os.utime(project.root / "src" / "db.py", (at_s, at_s))
    second, [known] = ask(project, 2)

    assert known.changed_files == ("src/db.py",)
    assert "  changed since: src/db.py" in list_known_lines(known, second)
    assert memory_verify(project).stale == 1
    assert memories(project)[0].changed_files == ("src/db.py",)


def test_a_memory_that_cannot_be_read_hinders_nobody(project: Project) -> None:
    settle_first(project)
    folder = project.observations
    for each in folder.glob("*.json"):
        each.write_text("{", encoding="utf-8")
    second, _ = ask(project, 2)

    assert second == "CLR-2-001"


def test_what_is_forgotten_goes_also_where_it_was_merged_into_something(project: Project) -> None:
    settle_first(project)
    [said] = memories(project)
    with closing(open_observations(project)) as room:
        other = room.add("Ship on Friday.", agent="architect", issue=1, category=said.category)
        merged = replace(
            said,
            id=f"{said.id[:-6]}zzzzzz",
            content=f"{said.content}\n{other.content}",
            sources=(said.id, other.id),
        )
        room.store.put_away((said.id, other.id))
        room.store.store((merged,))

    clarify_settle.forget(project, "CLR-1-001", caller=TYPING)

    assert [one.id for one in memories(project)] == [other.id]
    for path in project.observations.rglob("*.json"):
        assert "Postgres" not in path.read_text("utf-8"), path
