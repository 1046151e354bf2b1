"""Goal: nobody is called like a person or the hub, a key that is gone is said and mended, and a
notification that cannot be made is said.

Method: the verbs in process on a real project folder; files and keys are put there and taken away.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentx.agents.roles.texts import read_shipped
from agentx.clarification.model import Clarification
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.operations.issues.deps import deps
from agentx.operations.issues.workflows import check_workflows
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.questions.read import say_unnotified
from agentx.operations.setup import writers as writers_verbs
from agentx.operations.setup.settings import SettingPlace, set_setting
from agentx.operations.setup.writers import (
    WriterView,
    find_writer,
    list_writers,
    say_lost_key,
    trust_writer,
)
from agentx.operations.upkeep.people import check_people
from agentx.project.project import Project, open_project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.surfaces.cli.commands.begin.trust import _draw_writer
from agentx.surfaces.cli.screen import open_console
from agentx.wiring.clarifications import open_clarifications, role_named
from agentx.wiring.hub import open_issues
from agentx.work.model import NewIssue
from tests.support.clarifying import project_at, request
from tests.support.trusting import trusted

TYPING = WhoCalls(via=Via.TERMINAL)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = project_at(tmp_path)
    open_issues(made).create(NewIssue(title="Login", labels=("type:feature",)))
    return made


def ask(project: Project, question: str = "May we?", asker: str = "engineer") -> Clarification:
    wanted = replace(request(issue=1, to="human", question=question), asker=asker)
    return clarify_ask.ask(project, wanted, told=lambda _entry: None)


@pytest.mark.promise("clarify.signed")
def test_no_project_has_a_role_that_is_called_like_a_person_or_the_hub(project: Project) -> None:
    folder = project.paths.roles
    folder.mkdir(parents=True)
    for name in ("human", "agent-x"):
        (folder / f"{name}.md").write_text("# Me\n\nI decide.\n", encoding="utf-8")
    project.paths.workflows.mkdir(parents=True, exist_ok=True)
    (project.paths.workflows / "feature.toml").write_text(
        'name = "feature"\ndescription = "x"\n[[steps]]\nid = "decide"\ntitle = "x"\n'
        'agent = "human"\ncan_clarify = ["engineer", "human"]\n',
        encoding="utf-8",
    )
    trusted(project)

    for name in ("human", "agent-x"):
        with pytest.raises(InvalidValue):
            ask(project, asker=name)
    with pytest.raises(InvalidValue, match="human is a person: no agent plays it") as refused:
        role_named(project, "human")
    assert f"rename {folder / 'human.md'}" in refused.value.hint
    wrong = [str(problem) for problem in check_workflows(project)]
    assert sum("human is a person" in problem for problem in wrong) == 2
    says = [f"{check.says} {check.mend}" for check in check_people(project)]
    assert [line.partition(" is not used")[0] for line in says] == [
        str(folder / "agent-x.md"),
        str(folder / "human.md"),
    ]
    # What an earlier version copied there is nobody's doing.
    (folder / "agent-x.md").write_text(read_shipped("agent-x"), encoding="utf-8")
    (folder / "human.md").unlink()
    assert list(check_people(trusted(project))) == []


@pytest.mark.promise("clarify.signed")
def test_a_key_that_is_gone_is_said_and_what_it_signed_can_be_believed_again(
    project: Project,
) -> None:
    asked = ask(project)
    clarify_settle.answer(project, asked.id, "Yes.", by="human", caller=TYPING)
    [old] = list_writers(project)
    card = project.paths.question_writers / f"{old.writer}.json"
    shown = card.read_bytes()
    assert say_lost_key(project) == ""

    for turn in range(2):  # it is gone, and then another one
        project.data.signing_key.unlink(missing_ok=True)
        said = say_lost_key(project)
        assert old.writer in said
        assert "agentx trust --writer" in said
        assert [check.name for check in check_people(project)] == ["key"]
        assert open_clarifications(project).find(asked.id).waits_for_person
        ask(project, f"And that {turn}?")
        assert card.read_bytes() == shown, "a card is never another's"
    writers = {each.writer: each for each in list_writers(project)}
    assert len(writers) == 3
    assert (writers[old.writer].was_own, writers[old.writer].trusted) == (True, False)
    assert sum(each.own for each in writers.values()) == 1

    for each in writers.values():
        if each.was_own:
            trust_writer(project, each.writer, caller=TYPING)
    found = open_clarifications(project).find(asked.id)
    assert (found.status, found.thread[-1].doubt) == ("answered", "")
    assert say_lost_key(project) == ""


def test_a_command_that_cannot_notify_is_said(project: Project) -> None:
    here = project.environment, project.directory
    for command, says in (
        ("no-such-program --now", "there is no program 'no-such-program' here"),
        ("'unclosed", "is no command"),
    ):
        set_setting(*here, "notify.command", command, SettingPlace.USER)
        told = replace(open_project(project.directory, project.environment), clock=project.clock)
        assert says in say_unnotified(told, ask(told, f"May we {says}?"))
        assert [check.name for check in check_people(told)] == ["notify"]
    assert say_unnotified(project, ask(project)) == ""


def test_a_writer_is_trusted_by_the_name_it_alone_gives_itself(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def there(*writers: WriterView) -> None:
        monkeypatch.setattr(writers_verbs, "list_writers", lambda _project: writers)

    own = WriterView(writer="aaaaaa", fingerprint="aa" * 10, name="Mira B.", own=True)
    other = WriterView(writer="bbbbbb", fingerprint="bb" * 10, name="Ann  Lee")
    # Who calls itself as another's id is, is not that one.
    evil = WriterView(writer="cccccc", fingerprint="cc" * 10, name="bbbbbb")
    there(own, other, evil)
    for wanted, meant in (
        ("Ann Lee", other),
        ("bbbbbb", other),
        ("bbbb bbbb", other),
        ("cccccc", evil),
        ("Mira B.", own),
    ):
        assert find_writer(project, wanted) is meant
    with pytest.raises(NotFound) as unknown:
        find_writer(project, "Ann")
    assert "bbbbbb (Ann Lee)" in unknown.value.hint
    # Of two clones of one user both have the key that would be trusted.
    there(own, other, replace(other, writer="dddddd"))
    assert find_writer(project, "Ann Lee") is other
    there(own, other, replace(evil, name="Ann Lee"))
    with pytest.raises(InvalidValue, match="2 writers call themselves 'Ann Lee'") as several:
        find_writer(project, "Ann Lee")
    assert several.value.hint == "agentx trust --writer bbbbbb, or agentx trust --writer cccccc"
    there(replace(own, name="Ann Lee"), other)
    with pytest.raises(InvalidValue, match="2 writers call themselves 'Ann Lee'") as several:
        find_writer(project, "Ann Lee")
    assert several.value.hint == "agentx trust --writer bbbbbb; yours is aaaaaa, and counts anyway"


def test_the_name_that_a_writer_gives_itself_is_quoted_and_short(
    capsys: pytest.CaptureFixture[str],
) -> None:
    evil = 'alice): trusted\n  key 8d8e 77e0 "yours" ' + "x" * 60
    _draw_writer(open_console(), WriterView(writer="e0b5b8", fingerprint="ab" * 10, name=evil))
    head = capsys.readouterr().out.splitlines()[0]
    assert head.startswith("    e0b5b8, calls itself \"alice): trusted key 8d8e 77e0 'yours'")
    assert head.endswith('": not trusted')
    assert len(head) < 90


@pytest.mark.promise("clarify.person")
def test_who_types_an_answer_once_a_person_was_called_decides(project: Project) -> None:
    wanted = replace(request(issue=1, to="architect"), asker="engineer")
    first, second = (
        clarify_ask.ask(project, replace(wanted, topic=topic), told=lambda _entry: None)
        for topic in ("one", "two")
    )
    clarify_settle.escalate(project, first.id, caller=TYPING)
    script = WhoCalls(via=Via.PROGRAM)

    done = clarify_settle.answer(project, first.id, "Postgres.", caller=TYPING)
    said = clarify_settle.answer(project, second.id, "Postgres.", caller=TYPING)

    assert (str(done.status), done.resolution and done.resolution.speaker) == ("resolved", "human")
    assert said.answered is not None
    assert said.answered.speaker == "architect", "nobody was called: it is the architect's answer"
    clarify_settle.escalate(project, second.id, caller=script)
    late = clarify_settle.answer(project, second.id, "No.", by="architect", caller=TYPING)
    assert str(late.status) == "escalated"


def test_an_issue_whose_agent_waits_for_an_answer_is_blocked_for_scripts_too(
    project: Project,
) -> None:
    assert not deps(project, 1).blocked
    asked = ask(project)
    found = deps(project, 1)
    assert (found.blocked, found.open_blockers) == (True, ())
    assert found.questions == (f"BLOCKED: Clarification {asked.id} pending from a person",)
    [view] = (project.paths.state / "clarifications").glob("issue-1.json")
    view.write_text("{")
    [said] = deps(project, 1).questions
    assert "cannot be read" in said
