"""Goal: what a session is told at its start fits its branch, its role and its agent CLI's cap.

Method: the bundled sample in a real store, with an observation, a lesson and a question added;
the digests that lie ready are read.
"""

from __future__ import annotations

import subprocess
from itertools import product

import pytest

from agentx.kernel.capture import Harness
from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN
from agentx.kernel.tokens import estimate
from agentx.lessons.model import Confidence, Content, LessonKind
from agentx.observations.model import Category
from agentx.operations.lessons.known import add_lesson
from agentx.project.project import Project
from agentx.recall.section.digests import CAPS
from agentx.recall.section.gather import Gathered, Gatherer
from agentx.recall.section.sources import About
from agentx.wiring.kept.views import open_digests
from agentx.wiring.memory import open_store
from agentx.wiring.observations import open_observations
from agentx.wiring.section import renew_digests
from tests.support.drafts import draft
from tests.support.history import imported_sample
from tests.support.remembering import project_in, remember

DECIDED = "Berths are kept for seven minutes, because the payment page times out after six."
BRANCH = "feature/77-keep-berths"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a project whose rooms hold something."""
    root = tmp_path_factory.mktemp("told")
    (root / "shop").mkdir()
    subprocess.run(["git", "init", "-q", "-b", BRANCH], cwd=root / "shop", check=True, timeout=60)
    made = remember(project_in(root), imported_sample())
    room = open_observations(made)
    room.add(DECIDED, agent="engineer", issue=77, category=Category.DECISION)
    room.close()
    lesson = Content(name="", text="Back off with jitter", area="webhooks")
    add_lesson(made, LessonKind.CODE, lesson, Confidence.HIGH)
    return made


def told(project: Project, harness: Harness, branch: str = "", role: str = "") -> str:
    """Return a digest as an agent reads it."""
    prepared = project.store.digest(harness, branch, role).read_text(encoding="utf-8")
    return "\n".join(line.partition("\t")[2] for line in prepared.split("\n"))


def test_a_branch_named_after_an_issue_is_told_what_is_known_of_it_first(project: Project) -> None:
    with open_store(project) as memory:
        renew_digests(project, memory)

    text = told(project, Harness.CLAUDE_CODE, BRANCH)

    first = next(line for line in text.splitlines() if line.startswith("- "))
    assert DECIDED in first
    assert "### Lessons of earlier runs" in text
    assert "Back off with jitter" in text
    assert "### Decisions" in text


def test_no_digest_is_over_the_cap_of_its_agent_cli(project: Project) -> None:
    with open_store(project) as memory:
        renew_digests(project, memory)

    assert len(CAPS) > 3
    for harness, branch in product(map(Harness, CAPS), ("", BRANCH)):
        text = told(project, harness, branch)
        assert len(text) <= CAPS[harness].chars
        assert estimate(text) <= CAPS[harness].tokens
        assert text.startswith(RECALL_OPEN)
        assert text.rstrip().endswith(RECALL_CLOSE)


def test_the_digest_of_a_branch_that_is_no_longer_told_of_is_gone(project: Project) -> None:
    old = project.store.digest(Harness.CODEX, "feature/1-long-ago")
    old.parent.mkdir(parents=True, exist_ok=True)
    old.write_text("what somebody forgot since", encoding="utf-8")

    with open_store(project) as memory:
        renew_digests(project, memory)

    assert not old.exists()


def test_digests_are_made_again_only_when_what_they_are_made_from_changed(
    project: Project,
) -> None:
    path = project.store.digest(Harness.CODEX)
    with open_store(project) as memory:
        stamp = "as it is"
        view = open_digests(project, memory, lambda: stamp)
        view.catch_up()
        path.write_text("touched by a test", encoding="utf-8")

        assert not view.catch_up()
        assert path.read_text(encoding="utf-8") == "touched by a test"
        stamp = "something happened"
        assert view.catch_up()
        assert told(project, Harness.CODEX).startswith(RECALL_OPEN)


def test_who_goes_on_with_what_another_could_not_end_makes_the_others_alone(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str | None] = []
    gather = Gatherer.gather

    def count(self: Gatherer, about: About, *, with_standing: bool = True) -> Gathered:
        if len(made) == 1:
            made.append("cut short")
            raise KeyboardInterrupt
        made.append(about.branch)
        return gather(self, about, with_standing=with_standing)

    monkeypatch.setattr(Gatherer, "gather", count)
    path = project.store.digest(Harness.CODEX)
    with open_store(project) as memory:
        stamp = "as it is"
        view = open_digests(project, memory, lambda: stamp)
        with pytest.raises(KeyboardInterrupt):
            view.catch_up()
        path.write_text("made already", encoding="utf-8")
        assert view.catch_up()
        assert (made[0], BRANCH in made[2:], "" in made[2:]) == ("", True, False)
        assert path.read_text(encoding="utf-8") == "made already"
        assert not project.store.digests_begun.exists()
        assert not view.catch_up()

        for change in ("something happened", "", "asked"):  # else all are made
            made.clear()
            stamp = change or stamp
            with pytest.raises(KeyboardInterrupt):
                view.catch_up() if change else view.rebuild()
            if change:
                stamp = f"{change}, and more since"
            view.catch_up()
            assert made[:3] == ["", "cut short", ""]


def test_news_prepares_the_digests_once_and_not_again_when_all_is_quiet(project: Project) -> None:
    path = project.store.digest(Harness.CODEX)
    with open_store(project) as memory:
        memory.append([draft(text="We keep the berth map in one file.", session_id="quiet")])
        memory.catch_up()
        path.write_text("touched by a test", encoding="utf-8")

        memory.catch_up()

        assert path.read_text(encoding="utf-8") == "touched by a test"
