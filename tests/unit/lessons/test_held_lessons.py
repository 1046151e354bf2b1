"""Goal: what a person taught, or took back, stays so whatever git takes out of the files.

Method: a checkout in process; git itself takes the files back.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.lessons.model import Confidence, Content, LessonKind
from agentx.operations.lessons.known import add_lesson, judge_lesson, list_lessons
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.project.roles import caller
from agentx.wiring.taught.lessons import relevant_lessons
from tests.support.time_and_chance import FakeClock
from tests.support.trusting import trusted


def git(project: Project, *words: str) -> None:
    name = ("-c", "user.name=n", "-c", "user.email=n@x.y")
    subprocess.run(["git", *name, *words], cwd=project.root, check=True, timeout=60)


def commit(project: Project) -> None:
    git(project, "add", "-A")
    git(project, "commit", "-q", "--allow-empty", "-m", "x")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))
    monkeypatch.setattr(caller, "_sits_at_terminal", lambda: True)
    subprocess.run(["git", "init", "-q", str(tmp_path / "shop")], check=True, timeout=60)
    (tmp_path / "shop" / ".agentx").mkdir()
    environment = read_environment({"HOME": str(tmp_path / "home"), "PATH": "/nowhere"})
    made = trusted(replace(open_project(tmp_path / "shop", environment), clock=FakeClock()))
    commit(made)
    return made


def teach(project: Project, text: str) -> str:
    content = Content(name=text, text=text)
    return add_lesson(project, LessonKind.DECISION, content, Confidence.MEDIUM).id


def list_told(project: Project) -> list[str]:
    return [lesson.content.text for lesson in relevant_lessons(project)]


@pytest.mark.promise("lessons.held")
@pytest.mark.parametrize("how", ["revert", "older", "file"])
def test_a_lesson_that_a_person_retired_does_not_come_back(project: Project, how: str) -> None:
    name = teach(project, "We may buy.")
    commit(project)
    judge_lesson(project, name, "retire")
    commit(project)
    assert list_told(project) == []
    if how == "revert":
        git(project, "revert", "--no-edit", "HEAD")
    elif how == "older":
        git(project, "checkout", "-q", "HEAD~1", "--", ".agent-memory")
    else:
        newest = max((project.paths.lessons / "events").rglob("*.jsonl"))
        newest.unlink()

    assert list_told(project) == []
    teach(project, "We may sell.")
    assert list_told(project) == ["We may sell."]
    [row] = list_lessons(project, (LessonKind.DECISION,)).lessons
    assert row.text == "We may sell."
    files = (project.paths.lessons / "events").rglob("*.jsonl")
    kept = b"".join(path.read_bytes() for path in files)
    assert kept.count(b'"retired"') == 1, "written back once"


def lose(project: Project, how: str) -> None:
    if how == "all":
        shutil.rmtree(project.paths.run_memory)
    elif how == "clean":
        git(project, "clean", "-qfdx")
    else:
        git(project, "add", "-A")
        git(project, "reset", "-q", "--hard")


@pytest.mark.promise("lessons.held")
@pytest.mark.parametrize("how", ["all", "clean", "reset"])
def test_what_a_person_taught_and_is_not_committed_yet_is_not_lost(
    project: Project, how: str
) -> None:
    teach(project, "We may buy.")
    lose(project, how)
    assert list_told(project) == ["We may buy."]


def test_another_repository_in_the_same_place_is_taught_nothing(project: Project) -> None:
    teach(project, "We may buy.")
    shutil.rmtree(project.root)
    subprocess.run(["git", "init", "-q", str(project.root)], check=True, timeout=60)
    (project.root / ".agentx").mkdir()
    again = trusted(replace(open_project(project.root, project.environment), clock=FakeClock()))
    assert list_told(again) == []
