"""Goal: where the user's folder takes nothing, it is told what became of what was said: it stands,
nobody is told to say it again, and what git could still take back is named.

Method: one project in process; folders of the user's that cannot be written.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON
from agentx.host.files.disk import refusal_of
from agentx.kernel.errors import UnavailableError
from agentx.operations.questions import read as clarify_read
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.upkeep.people import check_people
from agentx.project.project import Project
from agentx.project.roles import caller
from agentx.project.roles.caller import Via, WhoCalls
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.hub import open_issues
from agentx.work.model import AgentStatus, NewIssue
from agentx.work.store.agent_status import AgentStatusFile
from tests.support.clarifying import SCOPE, project_at, request
from tests.support.players import Player

TYPING = WhoCalls(via=Via.TERMINAL)


@pytest.fixture(autouse=True)
def _nobody_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = project_at(tmp_path)
    open_issues(made).create(NewIssue(title="Webhooks", labels=("type:feature",)))
    wanted = request(issue=1, to=PERSON, topic="buy", question="May we buy?")
    open_clarifications(made).ask(wanted, SCOPE)
    return made


def say(project: Project, word: str = "NO") -> None:
    clarify_settle.answer(project, "CLR-1-001", word, by=PERSON, caller=TYPING)


def shut(project: Project) -> None:
    """Have a file lie where lines are held: nothing can be."""
    shutil.rmtree(project.store.lines_held, ignore_errors=True)
    project.store.lines_held.write_text("")


def list_says(project: Project) -> list[str]:
    return [each.says for each in check_people(project) if each.name == "questions"]


def test_an_answer_that_no_status_could_follow_stands_and_says_so(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(
        self: AgentStatusFile,
        agent: str,
        decide: Callable[[AgentStatus], AgentStatus],
        issue: int | None = None,
    ) -> AgentStatus:
        del agent, decide, issue
        raise refusal_of(self._folder, OSError(errno.ENOSPC, "No space left on device"))

    clarify_read.active(project)  # the asker is blocked
    with monkeypatch.context() as full:
        full.setattr(AgentStatusFile, "change", refuse)
        with pytest.raises(UnavailableError) as refused:
            say(project)
        assert "nothing was changed" not in refused.value.message
        assert "what was said is kept" in refused.value.message
        assert "do not say it again" in refused.value.hint
        # Who only looks sees it all the same.
        [state] = clarify_read.thread(project, 1)
        assert (state.answer, state.is_unanswered) == ("NO", False)


def test_what_could_not_be_held_is_named_until_it_is(project: Project) -> None:
    shut(project)
    say(project)
    [state] = clarify_read.thread(project, 1)
    assert state.answer == "NO"
    said = clarify_read.say_unheld(project, state)
    assert "CLR-1-001 is kept" in said
    assert str(project.store.lines_held) in said
    [told] = list_says(project)
    assert "CLR-1-001" in told
    assert str(project.store.lines_held) in told
    project.store.lines_held.unlink()
    assert list_says(project) == []
    assert clarify_read.say_unheld(project, state) == ""


def test_a_folder_that_cannot_be_written_is_named_before_it_matters(project: Project) -> None:
    assert list_says(project) == []
    shutil.rmtree(project.held_questions)
    project.held_questions.write_text("")
    assert str(project.held_questions) in list_says(project)[0]


def test_a_command_that_answers_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = Player(tmp_path, monkeypatch)
    player.play()
    player.agentx("issue", "create", "--title", "Webhooks")
    asked = ("--from", "engineer", "--to", "architect", "--topic", "a", "--question", "Go?")
    player.agentx("clarify", "ask", "--issue", "1", *asked)
    shut(player.project)
    code, said = player.agentx("clarify", "answer", "CLR-1-001", "Yes.", "--from", "architect")
    assert (code, "CLR-1-001 is kept, but not held" in " ".join(said.split())) == (0, True)
