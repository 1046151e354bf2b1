"""Goal: who waits for a question is let go by what becomes of that one, and of no other.

Method: two clones in one process; while somebody waits, git takes files away and brings others.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON, Clarification
from agentx.clarification.rendering import inbox_line
from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import read as clarify_read
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.questions import waiting as clarify_waiting
from agentx.operations.setup.writers import list_writers, withdraw_writer
from agentx.project.project import Project
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.told.inbox_lines import inbox_lines
from agentx.work.model import NewIssue
from tests.support.clarifying import SCOPE, let_go, project_at, request
from tests.support.time_and_chance import FakeClock
from tests.unit.wiring.test_colleagues_decisions import (
    TYPING,
    ana,
    ask_both,
    bob,
    both,
    merge,
    wait_a_moment,
)

__all__ = ["ana", "bob", "both"]  # fixtures
ALL = "Really drop ALL?"


class Turning(FakeClock):
    """A clock at which things happen while somebody waits."""

    def __init__(self, *turns: Callable[[], object]) -> None:
        super().__init__()
        self.turns = list(turns)

    def sleep_ms(self, duration_ms: int) -> None:
        self.advance(duration_ms)
        if self.turns:
            self.turns.pop(0)()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = project_at(tmp_path)
    open_issues(made).create(NewIssue(title="Login", labels=("type:feature",)))
    return made


def say_nothing(_entry: str) -> None:
    """Hear nothing."""


def asked_on(project: Project) -> Clarification:
    """Return a question that a person answered once, and was asked on."""
    wanted = request(issue=1, to=PERSON, topic="Drop", question="May we drop one?")
    state = open_clarifications(project).ask(wanted, SCOPE)
    clarify_settle.answer(project, state.id, "Yes, one", by=PERSON, caller=TYPING)
    return state


@pytest.mark.parametrize("how", ["wait", "follow-up"])
def test_what_git_takes_away_for_a_while_lets_nobody_go(
    tmp_path: Path, project: Project, how: str
) -> None:
    state = asked_on(project)
    [file] = (project.paths.questions / "1").glob("*.jsonl")
    before, heard = file.read_bytes(), list[str]()
    if how == "wait":
        clarify_ask.follow_up(project, state.id, ALL, by="engineer", told=say_nothing)
    away = tmp_path / "away"

    def stash() -> None:
        shutil.copy(file, away)
        file.write_bytes(before)
        let_go(project)

    def pop() -> None:
        shutil.copy(away, file)

    def answer() -> None:
        other = replace(project, clock=FakeClock(project.clock.now_ms()))
        clarify_settle.answer(other, state.id, "NO", by=PERSON, caller=TYPING)

    clock = Turning(stash, say_nothing_at_all, pop, say_nothing_at_all, answer)
    clock.advance(project.clock.now_ms() - clock.now_ms())
    here = replace(project, clock=clock)
    if how == "wait":
        found = clarify_waiting.wait(here, state.id, wait_ms=60_000, told=heard.append)
    else:
        plan = clarify_ask.Waiting(wait_ms=60_000)
        found = clarify_ask.follow_up(
            here, state.id, ALL, by="engineer", waiting=plan, told=heard.append
        )

    assert (found.status, found.answer, clock.turns) == ("answered", "NO", [])
    gone = [said for said in heard if "not in this folder now" in said]
    assert len(gone) == 1, "said once"
    assert f"[Human] NO (asked: {ALL})" in heard


def say_nothing_at_all() -> None:
    """Let a moment pass."""


def test_a_question_that_stays_away_is_waited_for_in_vain(tmp_path: Path, project: Project) -> None:
    state = asked_on(project)
    [file] = (project.paths.questions / "1").glob("*.jsonl")
    before = file.read_bytes()
    clarify_ask.follow_up(project, state.id, ALL, by="engineer", told=say_nothing)

    def take_away() -> None:
        file.write_bytes(before)
        let_go(project)

    clock = Turning(take_away)
    clock.advance(project.clock.now_ms() - clock.now_ms())
    here = replace(project, clock=clock)

    found = clarify_waiting.wait(here, state.id, wait_ms=5_000, told=say_nothing)

    assert clarify_waiting.is_waited_for(found), "so it leaves with 6"
    assert "Yes, one" not in found.question


def test_each_asker_is_told_the_answer_to_its_own_question(
    both: tuple[Project, Project],
) -> None:
    one, two = both
    name = ask_both(one, two, "logs", to=PERSON)
    clarify_settle.answer(one, name, "Yes, one", by=PERSON, caller=TYPING)
    merge(one, two)
    wait_a_moment(one, two)
    clarify_ask.follow_up(one, name, ALL, by="engineer", told=say_nothing)
    wait_a_moment(two)
    clarify_ask.follow_up(two, name, "Really keep logs?", by="engineer", told=say_nothing)
    clarify_settle.answer(one, name, "NO, never", by=PERSON, caller=TYPING)
    merge(one, two)

    for each in (one, two):
        told = "\n".join(inbox_lines(each, "engineer"))
        assert f"a person answered logs ({ALL}): NO, never" in told
        [waits] = clarify_read.inbox_of(each, PERSON).clarifications
        line = inbox_line(waits, PERSON, Millis(each.clock.now_ms()))
        assert "Really keep logs?" in line
        assert f"agentx clarify answer {waits.id}" in line
    [waits] = clarify_read.inbox_of(one, PERSON).clarifications
    clarify_settle.answer(one, waits.id, "YES, keep", by=PERSON, caller=TYPING)
    merge(one, two)
    told = "\n".join(inbox_lines(two, "engineer"))
    assert f"({ALL}): NO, never" in told
    assert "(Really keep logs?): YES, keep" in told


def test_what_an_untrusted_writer_asks_further_is_counted(
    both: tuple[Project, Project],
) -> None:
    one, two = both
    name = ask_both(one, two, "rest", to=PERSON)
    clarify_settle.answer(one, name, "Yes, one", by=PERSON, caller=TYPING)
    merge(one, two)
    [writer] = [one.writer for one in list_writers(one) if not one.own]
    withdraw_writer(one, writer, caller=TYPING)
    wait_a_moment(one, two)
    clarify_ask.follow_up(two, name, ALL, by="engineer", told=say_nothing)
    merge(one, two)

    seen = clarify_read.inbox_of(one, PERSON)
    assert seen.clarifications == ()
    [note] = seen.notes
    assert note == (
        f"1 more question waits for you, of a writer that you do not trust ({name}): "
        "agentx trust --show, then agentx trust --writer NAME"
    )
    wait_a_moment(one, two)
    clarify_settle.resolve(one, name, by="engineer", caller=TYPING)
    assert clarify_read.inbox_of(one, PERSON).notes == (), "what was settled since is past"


def test_a_question_of_a_run_is_told_how_it_is_answered(project: Project) -> None:
    with pytest.raises(InvalidValue) as refused:
        clarify_waiting.wait(project, "ESC-YNJ28Q", wait_ms=0, told=say_nothing)
    assert "is a question of a run" in refused.value.message
    assert 'agentx run escalate --resolve ESC-YNJ28Q "ANSWER"' in refused.value.hint
