"""Goal: what agents and hooks are told follows the ledgers where nobody here wrote them: in a
repository that is not trusted, and after somebody else forgot a word.

Method: one project in process; trust withdrawn, and files as a merge brings them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON
from agentx.operations.agents.boundary import start
from agentx.operations.issues.state import state as list_states
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import read as clarify_read
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.setup.trust import revoke_trust
from agentx.project.project import Project
from agentx.project.roles import caller
from agentx.project.roles.caller import Via, WhoCalls
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.section import are_notices_late, renew_notices
from agentx.work.model import AgentState, NewIssue
from tests.support.clarifying import project_at, request

TYPING = WhoCalls(via=Via.TERMINAL)


@pytest.fixture(autouse=True)
def _nobody_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = project_at(tmp_path)
    open_issues(made).create(NewIssue(title="Webhooks", labels=("type:feature",)))
    wanted = request(issue=1, to=PERSON, topic="fish", question="May we use zebrafish?")
    clarify_ask.ask(made, wanted, told=lambda _entry: None)
    return made


def test_whom_a_question_holds_is_not_at_work_where_nobody_trusts_the_repository(
    project: Project,
) -> None:
    revoke_trust(project)
    assert not project.trust.has_data
    begun = start(project, agent="engineer", issue=1).status
    [told] = [one for one in list_states(project) if one.agent == "engineer"]
    assert begun.state is told.state is AgentState.BLOCKED_CLARIFICATION
    assert told.clarification_id == "CLR-1-001"


def test_no_notice_keeps_what_was_forgotten_elsewhere(project: Project) -> None:
    clarify_settle.answer(project, "CLR-1-001", "NO zebrafish", by=PERSON, caller=TYPING)
    notice = project.store.notice("engineer")
    assert "zebrafish" in notice.read_text("utf-8")
    # As a merge brings it: this checkout was told nothing of it.
    open_clarifications(project).forget("CLR-1-001")
    view = project.paths.ledgers / "issue-1.json"
    view.unlink()
    assert "zebrafish" in notice.read_text("utf-8")
    clarify_read.active(project)
    assert not notice.exists() or "zebrafish" not in notice.read_text("utf-8")


def test_who_looks_at_questions_lets_hooks_tell_answers_again(project: Project) -> None:
    """Files that git wrote anew, with the same in them: hooks cannot know that."""
    clarify_settle.answer(project, "CLR-1-001", "NO zebrafish", by=PERSON, caller=TYPING)
    assert not are_notices_late(project)
    for file in project.paths.questions.glob("1/*.jsonl"):
        os.utime(file, (2e9, 2e9))
    assert are_notices_late(project)
    clarify_read.inbox_of(project, "engineer")
    assert not are_notices_late(project)


def test_where_nobody_asked_anything_no_stamp_lies(tmp_path: Path) -> None:
    made = project_at(tmp_path / "quiet")
    renew_notices(made)
    assert not are_notices_late(made)
    assert not list(made.store.digests.glob("*.stamp"))
