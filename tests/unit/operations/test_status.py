"""Goal: what `status` once found out is told again only while it is still true.

Method: a real project and real settings files of agent CLIs, old or changed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON
from agentx.daemon.presence import daemon_lock
from agentx.kernel.capture import Harness
from agentx.operations.memory.write import NewObservation, memory_add
from agentx.operations.setup.installation import setup_inputs
from agentx.operations.setup.setup import Setup, setup
from agentx.operations.upkeep.status import StatusReply, status
from agentx.project.project import Project
from agentx.surfaces.cli.commands.begin.status import tell_daemon, tell_questions
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.memory import open_store
from tests.support.clarifying import SCOPE, request
from tests.support.remembering import project_in


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return project_in(tmp_path)


def look(project: Project) -> StatusReply:
    with open_store(project) as memory:
        return status(project, memory)


def install(project: Project, harness: Harness, *, uninstall: bool = False) -> None:
    wanted = Setup(harness=harness, project_root=project.root, uninstall=uninstall)
    setup(setup_inputs(project), wanted)


def age_files(project: Project, *folders: Path) -> None:
    """Let all files be old, by the project's clock."""
    then = project.clock.now_ms() // 1000 - 60
    for folder in folders:
        for file in folder.rglob("*"):
            os.utime(file, (then, then))


def test_what_a_person_answered_is_not_told_as_open_between_agents(project: Project) -> None:
    asked = open_clarifications(project)
    for topic, to in (("One", PERSON), ("Two", PERSON), ("Three", "architect")):
        asked.ask(request(topic=topic, to=to, issue=1), SCOPE)
    asked.answer("CLR-1-001", "Yes", by=PERSON, via="terminal")

    rooms = look(project).rooms

    assert [one.id for one in rooms.questions_yours] == ["CLR-1-002"]
    assert (rooms.questions_open, rooms.questions_answered) == (3, 1)
    assert rooms.questions_between_agents == 1
    assert list(tell_questions(rooms)) == [
        "1 for you: `agentx clarify inbox`",
        "1 open between agents: `agentx clarify`",
        "1 answered, for who asked to go on: `agentx clarify`",
    ]


def test_hooks_that_were_noted_are_told_and_every_change_is_seen(project: Project) -> None:
    home = project.environment.homes.home
    install(project, Harness.CLAUDE_CODE)
    age_files(project, home)

    assert look(project).hooks == ("claude-code",)
    assert b'"hooks"' in project.store.notes.read_bytes()
    assert look(project).hooks == ("claude-code",)

    install(project, Harness.CODEX)
    assert look(project).hooks == ("claude-code", "codex")
    install(project, Harness.CLAUDE_CODE, uninstall=True)
    assert look(project).hooks == ("codex",)


def test_a_note_of_other_settings_or_a_damaged_one_is_no_answer(project: Project) -> None:
    home = project.environment.homes.home
    install(project, Harness.CLAUDE_CODE)
    age_files(project, home)
    look(project)

    for damage in (b"", b"{", b"[1]", b'{"hooks": 7}', b'{"settings files": ["x", ["\x00"]]}'):
        project.store.notes.write_bytes(damage)
        assert look(project).hooks == ("claude-code",)


def test_observations_are_counted_again_when_their_files_changed(project: Project) -> None:
    def learn(text: str) -> None:
        asked = NewObservation(agent="engineer", issue=7, category="decision", text=text)
        memory_add(project, asked)

    learn("retries stop after eight")
    age_files(project, project.paths.observations)
    assert [look(project).rooms.observations for _ in range(2)] == [1, 1]
    assert b'"observations"' in project.store.notes.read_bytes()

    learn("the queue is drained before the deploy")
    assert look(project).rooms.observations == 2


def test_settings_behind_a_link_are_looked_at_every_time(project: Project, tmp_path: Path) -> None:
    home = project.environment.homes.home
    install(project, Harness.CLAUDE_CODE)
    settings = home / ".claude" / "settings.json"
    elsewhere = settings.rename(tmp_path / "settings.json")
    settings.symlink_to(elsewhere)
    age_files(project, home)
    assert look(project).hooks == ("claude-code",)

    elsewhere.write_text("{}")
    then = project.clock.now_ms() // 1000 - 60
    os.utime(elsewhere, (then, then))

    assert look(project).hooks == ()


def test_a_daemon_that_is_there_and_did_not_answer_is_not_said_not_to_run(project: Project) -> None:
    reply = look(project)
    assert tell_daemon(reply, project, by_itself=False).startswith("not running")

    with daemon_lock(project.store):
        assert "did not answer" in tell_daemon(reply, project, by_itself=True)
