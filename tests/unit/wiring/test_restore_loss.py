"""Goal: before a memory is replaced it is said what people decided, and told it, that goes with it.

Method: an export, words of people after it, and the file held against what is there.
"""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON
from agentx.lessons.model import Confidence, Content, LessonKind
from agentx.operations.lessons.known import add_lesson
from agentx.operations.memory.curate import memory_drop
from agentx.operations.memory.write import NewObservation, memory_add, memory_remove
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import record_event
from agentx.operations.upkeep import carry
from agentx.project.project import Project
from agentx.project.roles import caller
from agentx.project.roles.caller import Via, WhoCalls
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.keeping.export import export_memory
from agentx.wiring.observation_upkeep import settle_observations
from agentx.wiring.observations import open_observations
from agentx.wiring.runs import open_runs
from agentx.work.model import NewIssue
from tests.support.clarifying import SCOPE, project_at, request

TYPING = WhoCalls(via=Via.TERMINAL)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))
    made = project_at(tmp_path)
    open_issues(made).create(NewIssue(title="Webhooks", labels=("type:feature",)))
    return made


def answer_run(project: Project, asked: str, said: str) -> None:
    detail = {"escalation": asked, "resolution": said}
    record_event(project, Saying(), "escalation-resolved", detail, caller=TYPING)


def ask(project: Project, topic: str) -> str:
    wanted = request(issue=1, to=PERSON, topic=topic, question=f"May we {topic} it?")
    return str(open_clarifications(project).ask(wanted, SCOPE).id)


def decide(project: Project, name: str, said: str) -> None:
    clarify_settle.answer(project, name, said, by=PERSON, caller=TYPING)
    clarify_settle.resolve(project, name, by="engineer", caller=TYPING)


def say(project: Project, text: str) -> str:
    said = memory_add(project, NewObservation(text=text, agent=PERSON, issue=1)).id
    settle_observations(project)
    return said


def test_what_people_said_since_is_named_before_it_goes(project: Project, tmp_path: Path) -> None:
    from agentx.surfaces.cli.commands.behind.restore import _list_lines

    decide(project, ask(project, "rent"), "Yes, one")
    pending = ask(project, "buy")
    say(project, "Never deploy on Fridays.")
    gone = say(project, "The codeword is Zanzibar.")
    file = tmp_path / "memory.agentx"
    export_memory(project, file)
    assert list(_list_lines(project, file, "")) == []

    decide(project, pending, "No, never")
    decide(project, ask(project, "sell"), "Only the old one")
    later = say(project, "Deploy with make ship.")
    memory_remove(project, gone)

    assert list(_list_lines(project, file, "")) == [
        "What people decided would be taken back (2):",
        '  CLR-1-002 buy: "No, never" would be pending again',
        '  CLR-1-003 sell: "Only the old one" would be gone',
        "What people told memory themselves would be gone (1):",
        "  Deploy with make ship.",
    ]
    assert not list(project.store.root.glob("restoring-*"))

    carry.restore(project, file)
    from agentx.wiring.kept.said import keep_said

    assert keep_said(project) == 0, "a person had it replaced"
    with closing(open_observations(project)) as room:
        said = {one.id: one.content for one in room.store.everything()}
    assert later not in said
    assert "Never deploy on Fridays." in said.values()
    assert not any(b"make ship" in path.read_bytes() for path in _list_live(project))


def test_answers_to_runs_lessons_and_open_questions_are_named_too(
    project: Project, tmp_path: Path
) -> None:
    from agentx.surfaces.cli.commands.behind.restore import _list_lines

    def teach(text: str) -> None:
        content = Content(name="", text=text)
        add_lesson(project, LessonKind.DECISION, content, Confidence.MEDIUM)

    def raise_asked(question: str) -> str:
        told = record_event(project, Saying(), "escalation-raised", {"question": question})
        return list(told.run.escalations)[-1]

    dropped = ask(project, "lend")
    decide(project, dropped, "Never lend it")
    settle_observations(project)
    say(project, "Never deploy on Fridays.")
    teach("Use postgres")
    open_runs(project).start("Ship it")
    first, again = raise_asked("May we sell?"), raise_asked("May we log?")
    answer_run(project, again, "Yes, log")
    file = tmp_path / "memory.agentx"
    export_memory(project, file)
    assert list(_list_lines(project, file, "")) == []

    answer_run(project, first, "NO, never sell")
    teach("NO typed lesson")
    waiting, later = ask(project, "buy"), raise_asked("May we burn?")
    with closing(open_observations(project)) as room:
        theirs = [one.id for one in room.store.everything()]
    for one in theirs:
        memory_drop(project, one)

    assert list(_list_lines(project, file, "")) == [
        "What people answered to runs would be taken back (1):",
        f'  {first} May we sell?: "NO, never sell" would be asked again, and the run wait',
        "Lessons of people would be gone (1):",
        "  ADR-0002: NO typed lesson",
        "What was asked since would be gone, and who asked goes on waiting (2):",
        f"  {waiting} buy: May we buy it? (engineer asks human)",
        f"  {later}: May we burn?",
    ]
    carry.restore(project, file)
    with closing(open_observations(project)) as room:
        assert not [one.content for one in room.store.everything()], "dropped stays dropped"


def test_an_export_carries_what_git_took_out_of_the_files(project: Project, tmp_path: Path) -> None:
    name, file = ask(project, "buy"), tmp_path / "held.export"
    asked = {path: path.read_bytes() for path in project.paths.questions.rglob("*.jsonl")}
    decide(project, name, "NO, never")
    for path, lines in asked.items():
        path.write_bytes(lines)
    export_memory(project, file)
    shutil.rmtree(project.store.lines_held)
    assert open_clarifications(project).find(name).status == "pending"

    carry.restore(project, file)

    settled = open_clarifications(project).find(name).resolution
    assert settled is not None
    assert open_clarifications(project).survey().missing == (name,)


def _list_live(project: Project) -> list[Path]:
    """Return the files of the store but for what was put aside."""
    found = project.store.root.rglob("*")
    return [path for path in found if path.is_file() and "replaced-" not in str(path)]


def test_only_the_first_few_are_named(project: Project, tmp_path: Path) -> None:
    from agentx.surfaces.cli.commands.behind.restore import _list_lines

    file = tmp_path / "memory.agentx"
    ask(project, "buy")
    export_memory(project, file)
    for number in range(7):
        say(project, f"Rule {number} is a rule of its own: {'abcdefg'[number] * 9}.")
    first, *lines, more = _list_lines(project, file, "")
    assert first == "What people told memory themselves would be gone (7):"
    assert (len(lines), more) == (5, "  and 2 more")
