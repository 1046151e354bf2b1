"""Goal: a command reads each ledger once, whatever for, and is never told what was before.

Method: settled questions of some issues are looked at as a session's start does it; how often a
ledger is opened, how many entries are read and how many questions are worded is counted, in this
process and after another one wrote.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from agentx.clarification.facts import Answered, Asked, Resolved
from agentx.clarification.model import PERSON, Clarification
from agentx.clarification.scope import Scope
from agentx.clarification.service import Clarifications
from agentx.clarification.store import ledger_json
from agentx.clarification.store.book import Opener
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.watch import gathered
from agentx.clarification.watch.gathered import gather
from agentx.clarification.watch.later import tell_later
from agentx.clarification.watch.repeated import keep_repeated, tell_repeated
from agentx.kernel.bus import Bus
from agentx.kernel.clock import Millis
from agentx.kernel.ids import IssueMark
from agentx.kernel.roles import UNCONFIRMED
from agentx.project.project import Project
from agentx.recall.known import answers
from agentx.recall.known.answers import Known, find_known_answer
from agentx.wiring.clarifications import (
    find_seen,
    inbox,
    list_contested,
    list_overruled,
    make_pen,
    open_clarifications,
)
from agentx.wiring.section import section_sources
from tests.support.clarifying import after, clarification, project_at, request

ISSUES, PARTS = 3, 4
Count = Callable[[], int]


def count_calls(patch: pytest.MonkeyPatch, owner: object, name: str) -> Count:
    """Return what tells how often something was called since it was asked last."""
    calls, plain = [0], getattr(owner, name)

    def call(*given: object, **named: object) -> object:
        calls[0] += 1
        return plain(*given, **named)

    patch.setattr(owner, name, call)

    def tell() -> int:
        found, calls[0] = calls[0], 0
        return found

    return tell


def fill(project: Project, ask_again: bool = False) -> None:
    """Keep questions that a person settled, each about something else but for the last."""
    room = open_clarifications(project)
    for issue in range(1, ISSUES + 1):
        for part in range(PARTS):
            about = 0 if ask_again and part == PARTS - 1 else part
            asked = request(
                issue=issue, to=PERSON, topic=f"Part {about}", question=f"Shall I drop {about}?"
            )
            made = room.ask(asked, Scope())
            room.resolve(made.id, f"word {part}", by=PERSON, via="terminal")
    find_seen.cache_clear()  # as in a process that was begun just now


def look(project: Project) -> str:
    """Look at questions for all that a command looks for; return what the asker is told."""
    with section_sources(project) as sources:
        sources.standing()
        told = sources.standing().inbox("engineer")
    room = open_clarifications(project)
    assert {*inbox(project, "engineer")} == {*told}
    assert [*list_contested(project), *list_overruled(project)] == []
    assert len(room.list_all()) == sum(len([*ledger]) for ledger in room.ledgers())
    return " ".join(state.answer or state.thread[-1].body for state in told)


def test_a_command_reads_each_ledger_and_each_entry_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = project_at(tmp_path)
    fill(project)
    opened = count_calls(monkeypatch, Opener, "look")
    read = count_calls(monkeypatch, ledger_json, "entry_of")
    assert look(project).count("word") == ISSUES * PARTS
    said = [entry for state in open_clarifications(project).list_all() for entry in state.thread]
    assert (opened(), read()) == (ISSUES, len(said))
    assert look(project).count("word") == ISSUES * PARTS
    assert (opened(), read()) == (0, 0)


def test_what_another_process_wrote_is_read_at_once_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = project_at(tmp_path)
    fill(project)
    look(project)
    store = LedgerStore(project.paths, project.clock, make_pen(project))
    other = Clarifications(store, clock=project.clock, bus=Bus())
    asked = other.ask(request(issue=2, to=PERSON, topic="More", question="And this?"), Scope())
    other.resolve(asked.id, "NO after all", by=PERSON, via="terminal")
    opened = count_calls(monkeypatch, Opener, "look")
    assert "NO after all" in look(project)
    assert opened() == 1
    # What is held counts, too, and lies elsewhere.
    shutil.rmtree(project.held_questions)
    look(project)
    assert opened() >= ISSUES


def test_only_what_may_be_asked_again_is_held_against_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, again = project_at(tmp_path / "once"), project_at(tmp_path / "again")
    fill(project)
    fill(again, ask_again=True)
    worded = count_calls(monkeypatch, gathered, "key_words")
    inbox(project, "engineer")
    assert worded() == 0
    told = inbox(again, "engineer")
    assert 0 < worded() <= 20 * ISSUES
    # Who asked both hears the last alone.
    assert "word 0" not in " ".join(state.thread[-1].body for state in told)
    assert len(told) == ISSUES * (PARTS - 1)


def make_questions(draw: Random) -> list[Clarification]:
    """Return questions of few topics, words and issues, some asked further."""
    found = []
    for number in range(1, draw.randint(3, 14)):
        issue, at_ms = draw.randint(1, 2), Millis(number * 1_000)
        topic = draw.choice(("Tables", "the tables", "Names"))
        question = draw.choice(("Shall I drop it?", "May I drop it?", "Shall I rename it?"))
        asked = clarification(
            number, issue=issue, to=PERSON, topic=topic, question=question, at_ms=at_ms
        )
        mark = IssueMark(title="one", created="2026-01-01") if draw.random() < 0.4 else None
        state = replace(asked, issue_mark=mark) if mark else asked
        via = draw.choice(("terminal", UNCONFIRMED))
        if draw.random() < 0.8:
            body = draw.choice(("yes", "no"))
            state = after(state, Answered(at_ms=at_ms, by=PERSON, body=body, via=via))
            if draw.random() < 0.3:
                state = after(state, Asked(at_ms=at_ms, by=state.asker, body="May I drop it?"))
            elif draw.random() < 0.7:
                state = after(state, Resolved(at_ms=at_ms, by=state.asker))
        found.append(state)
    return found


def test_what_is_told_is_as_if_each_were_held_against_each() -> None:
    told_later = 0
    for seed in range(150):
        states = make_questions(Random(seed))
        whole = tell_later(states, states)
        assert tell_repeated(states, gather(keep_repeated(states))) == whole
        told_later += sum(bool(state.decided_later) for state in whole)
    assert told_later > 50, "else nothing was tried"


def test_what_was_settled_before_is_not_worded_to_offer_what_came_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def settle(number: int, topic: str, question: str) -> Clarification:
        at_ms = Millis(number * 1_000)
        asked = clarification(number, topic=topic, question=question, at_ms=at_ms)
        said = Answered(at_ms=at_ms, by=asked.to, body=f"Use redis {number}.")
        return after(asked, said, Resolved(at_ms=at_ms, by=asked.asker))

    first = [settle(number, f"Topic {number}", f"Which port {number}?") for number in range(1, 40)]
    same = settle(40, "Cache", "Which cache do we use?")
    worded = count_calls(monkeypatch, answers, "read_decision")
    wanted = request(topic="Cache", question="Which cache do we use?")
    found = find_known_answer(wanted, Known(clarifications=(*first, same)))
    assert found is not None
    assert found.grip == same.id
    assert worded() <= 2
