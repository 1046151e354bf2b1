"""Goal: what a colleague decided in their clone is told here as a decision, with its author, once,
where the repository and the writer are trusted; and not before.

Method: two clones in one process; the files of questions are carried over as git would.
"""

from __future__ import annotations

import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.setup.writers import accept_repository, list_writers, trust_writer
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.recall.section.gather import Gatherer
from agentx.recall.section.sources import About
from agentx.views.documents.clarifications import clarification_document
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.kept.decided import keep_decisions
from agentx.wiring.observations import open_observations
from agentx.wiring.section import section_sources
from agentx.work.model import NewIssue
from tests.support.clarifying import project_at, request

TYPING = WhoCalls(via=Via.TERMINAL)
QUESTION = "How often at most do we retry a webhook?"


def clone_of(root: Path, name: str) -> Project:
    folder = root / name / "shop"
    folder.mkdir(parents=True)
    for words in (("init", "-q"), ("config", "user.name", name)):
        subprocess.run(["git", *words], cwd=folder, check=True, timeout=20)
    return project_at(root / name)


def settle_question(project: Project) -> str:
    open_issues(project).create(NewIssue(title="Webhooks", labels=("type:feature",)))
    wanted = request(issue=1, topic="Retry limit", question=QUESTION)
    asked = clarify_ask.ask(project, wanted, told=lambda _entry: None)
    clarify_settle.escalate(project, asked.id, caller=TYPING)
    clarify_settle.resolve(
        project, asked.id, "Five times, then dead letter.", by="human", caller=TYPING
    )
    return asked.id


def list_decisions(project: Project) -> list[str]:
    with closing(open_observations(project)) as room:
        return [one.content for one in room.store.everything()]


def tell(project: Project) -> list[str]:
    with section_sources(project) as sources:
        found = Gatherer(sources, tokens=1_500).gather(About(issue=1), with_standing=False)
    return [line.text for line in found.lines]


@pytest.fixture
def ana(tmp_path: Path) -> Project:
    return clone_of(tmp_path, "ana")


@pytest.fixture
def bob(tmp_path: Path) -> Project:
    return clone_of(tmp_path, "bob")


def test_a_colleagues_decision_is_kept_once_with_who_decided_it(ana: Project, bob: Project) -> None:
    settle_question(ana)
    wanted = f"Retry limit: Five times, then dead letter. Decided by ana, asked: {QUESTION}"
    assert list_decisions(ana) == [f"{wanted} [CLR-1-001]"]
    assert keep_decisions(ana) == 0, "it is there already"

    shutil.copytree(ana.paths.questions, bob.paths.questions)
    assert keep_decisions(bob) == 0, "nobody vouches for it yet"
    accept_repository(bob)
    [writer] = [each.writer for each in list_writers(bob) if not each.own]
    trust_writer(bob, writer, caller=TYPING)
    assert keep_decisions(bob) == 1
    assert keep_decisions(bob) == 0
    assert list_decisions(bob) == list_decisions(ana)
    for each in (ana, bob):
        assert [line for line in tell(each) if "Five times" in line and "Decided by ana" in line]
    # What a person takes away does not come back with the next pull.
    with closing(open_observations(bob)) as room:
        room.forget(one.id for one in room.store.everything())
    (bob.paths.questions / "1" / "ffffff.jsonl").write_text("", encoding="utf-8")
    assert keep_decisions(bob) == 0


def test_a_thread_is_found_by_what_it_came_to_and_not_by_what_called_a_person(
    ana: Project,
) -> None:
    name = settle_question(ana)
    text = clarification_document(open_clarifications(ana).find(name), ana.id).text
    assert text.splitlines() == [
        "Retry limit",
        "human: Five times, then dead letter.",
        f"engineer: {QUESTION}",
    ]
