"""Goal: who asks to forget words is told where they stand and how they go, also where no event
says them.

Method: the verb in process; words in a question, in memories, in a dropped one, in an issue.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.operations.capture.forget import ForgetRequest, forget
from agentx.operations.memory.curate import memory_drop
from agentx.operations.questions import settle as clarify_settle
from agentx.project.project import Project
from agentx.project.roles import caller
from agentx.wiring.hub import open_issues
from agentx.wiring.memory import open_store
from agentx.work.model import NewIssue
from tests.support.clarifying import project_at
from tests.unit.wiring.test_restore_loss import TYPING, ask, decide, say


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Lend a project in which many things say a word, and no event."""
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))
    made = project_at(tmp_path)
    open_issues(made).create(NewIssue(title="Move hunter2 away", labels=("type:feature",)))
    decide(made, ask(made, "lease"), "YES, one year")
    decide(made, ask(made, "drop"), "YES, hunter2")
    clarify_settle.escalate(made, ask(made, "sell"), "who knows  HUNTER2?", caller=TYPING)
    say(made, "Never deploy on Fridays.")
    say(made, "Hunter2 is the staging host.")
    memory_drop(made, say(made, "The old tractor was a hunter2."))
    memory_drop(made, say(made, "Deploy by hand."), why="hunter2 is typed then")
    return made


def list_quoted(project: Project, words: str) -> list[str]:
    with open_store(project) as memory:
        found = forget(project, memory, ForgetRequest(query=words), dry_run=True)
    assert found.events == 0
    return sorted(quote.mend.partition("obs-")[0].partition(",")[0] for quote in found.quoted)


def test_words_that_no_event_says_are_found_where_they_stand(project: Project) -> None:
    assert list_quoted(project, "hunter2") == [
        "agentx clarify forget CLR-1-002",
        "agentx clarify forget CLR-1-003",
        *["agentx memory remove "] * 4,  # told, decided, and dropped for its words or its reason
        "write it otherwise: agentx issue update 1",
    ]
    assert list_quoted(project, "zanzibar") == []


def test_words_of_a_question_are_found_as_they_were_said(project: Project) -> None:
    decide(project, ask(project, "lend"), "human: to who\u200bever asks")
    for said in ("human: to", "to who\u200bever asks"):
        assert "agentx clarify forget CLR-1-004" in list_quoted(project, said)
