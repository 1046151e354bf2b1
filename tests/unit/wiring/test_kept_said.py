"""Goal: what a person told memory themself stays in their words and their name, whatever is done to
the files of memory, until they take it away: then nothing of its words is left.

Method: the verbs in process; files of memory are changed by hand, as with a file tool.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.clarification.errors import NotThePerson
from agentx.clarification.model import PERSON
from agentx.host.ancestry import Ancestor
from agentx.observations.model import Observation
from agentx.operations.memory.check import memory_verify
from agentx.operations.memory.curate import memory_drop, memory_edit, memory_pin, memory_undrop
from agentx.operations.memory.write import NewObservation, memory_add, memory_remove
from agentx.operations.recall.recall import recall
from agentx.operations.recall.section import RecallRequest
from agentx.operations.upkeep.doctor import _observations
from agentx.project.project import Project, open_project
from agentx.project.roles import caller
from agentx.project.setting_files import set_value
from agentx.wiring.observation_upkeep import settle_observations
from agentx.wiring.observations import open_observations
from tests.support.clarifying import project_at

CLAUDE = Ancestor(name="claude", arguments=("claude",), variables={})
WORDS = "Never deploy on Fridays."


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))
    return project_at(tmp_path)


def bring_back(project: Project) -> int:
    from agentx.wiring.kept.said import keep_said

    settle_observations(project)
    return keep_said(project)


def say(project: Project, text: str = WORDS, agent: str = PERSON) -> Observation:
    said = memory_add(project, NewObservation(text=text, agent=agent, issue=1))
    settle_observations(project)
    return said


def edit_page(project: Project, change: Callable[[dict[str, object]], object]) -> None:
    """Edit the first entry of the file of memory, as by hand; take it out where nothing is left."""
    settle_observations(project)
    path = project.observations / "issue-1.json"
    page = json.loads(path.read_text("utf-8"))
    first, *rest = page["observations"]
    page["observations"] = [*filter(None, [change(first)]), *rest]
    path.write_text(json.dumps(page), encoding="utf-8")


def memories(project: Project) -> list[Observation]:
    with closing(open_observations(project)) as room:
        return list(room.store.everything())


def told(project: Project) -> str:
    asked = RecallRequest(agent="engineer", issue=1, budget_tokens=1_500)
    return "\n".join(f"{line.text} [{line.source}" for line in recall(project, None, asked).lines)


def holds_word(project: Project, word: str) -> list[str]:
    """Return the files of the project and of the user that hold a word."""
    roots = (project.root, project.data.root)
    found = [path for root in roots for path in root.rglob("*") if path.is_file()]
    return [str(path) for path in found if word.encode() in path.read_bytes()]


CHANGES: dict[str, Callable[[dict[str, object]], object]] = {
    "taken out": lambda one: None,
    "relabelled": lambda one: {**one, "agent": "engineer"},
    "reworded": lambda one: {**one, "content": "Deploy at will.", "summary": "Deploy at will."},
}


@pytest.mark.parametrize("how", [*CHANGES, "folder gone"])
def test_what_a_file_lost_or_changed_is_named_and_comes_back(project: Project, how: str) -> None:
    said = say(project)
    noted = say(project, "The cache is warm.", "engineer")
    memory_pin(project, said.id)
    if how == "folder gone":
        shutil.rmtree(project.observations)
    else:
        edit_page(project, CHANGES[how])

    assert memory_verify(project).missing == (said.id,)
    [check] = [each for each in _observations(project) if said.id in each.says]
    assert "agentx sync" in check.mend
    assert f"agentx memory remove {said.id}" in check.mend
    for line in told(project).splitlines():
        assert "[engineer" not in line or line.startswith(noted.content)
        assert "[human" not in line

    assert bring_back(project) == 1
    assert bring_back(project) == 0
    assert replace(said, pinned=True, reviewed=True) in memories(project)
    assert f"{WORDS} [{PERSON}" in told(project)
    assert "at will" not in told(project)
    found = memory_verify(project)
    assert (found.missing, found.unverified) == ((), ())
    assert not [each for each in _observations(project) if said.id in each.says]


@pytest.mark.parametrize("how", ["removed", "dropped", "forgotten", "edited", "removed when lost"])
def test_what_a_person_took_away_stays_away_with_all_its_words(project: Project, how: str) -> None:
    said = say(project, "The codeword is Zanzibar.")
    if how == "removed":
        memory_remove(project, said.id)
    elif how == "dropped":
        memory_drop(project, said.id)
    elif how == "edited":
        memory_edit(project, said.id, "There is a codeword.")
    elif how == "forgotten":
        with closing(open_observations(project)) as room:
            room.forget((said.id,))
    else:
        edit_page(project, CHANGES["taken out"])
        memory_remove(project, said.id)
    if how == "dropped":  # its text lies in the archive until it is forgotten
        assert all("archive" in each for each in holds_word(project, "Zanzibar"))
    else:
        settle_observations(project)
        assert holds_word(project, "Zanzibar") == []

    assert memory_verify(project).missing == ()
    shutil.rmtree(project.observations)
    assert bring_back(project) == (how == "edited")
    assert [one.content for one in memories(project)] == ["There is a codeword."] * (
        how == "edited"
    )
    assert holds_word(project, "Zanzibar") == []


def test_what_was_brought_back_from_the_archive_comes_back(project: Project) -> None:
    said = say(project)
    memory_drop(project, said.id)
    memory_undrop(project, said.id)
    edit_page(project, CHANGES["taken out"])
    assert bring_back(project) == 1


def test_no_agent_takes_away_what_a_file_lost(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = say(project)
    for change in CHANGES.values():
        edit_page(project, change)
        with monkeypatch.context() as below:
            below.setattr(caller, "list_ancestors", lambda: iter([CLAUDE]))
            with pytest.raises(NotThePerson):
                memory_remove(project, said.id)
        assert bring_back(project) == 1


def test_words_of_an_earlier_version_are_kept_from_then_on(project: Project) -> None:
    said = say(project)
    shutil.rmtree(project.store.persons_words)
    edit_page(project, CHANGES["taken out"])
    assert bring_back(project) == 0
    [check] = [each for each in _observations(project) if said.id in each.says]
    assert "agentx memory add" in check.mend
    memory_remove(project, said.id)
    assert memory_verify(project).missing == ()
    again = say(project)
    shutil.rmtree(project.store.persons_words)
    assert bring_back(project) == 0
    edit_page(project, CHANGES["taken out"])
    assert bring_back(project) == 1
    assert [one.id for one in memories(project)] == [again.id]


def test_another_kind_of_store_gets_them_too(project: Project) -> None:
    said = say(project)
    own = project.environment.settings_here(project.identity.natural)
    set_value(own, "memory.backend", "sqlite")

    moved = replace(open_project(project.directory, project.environment), clock=project.clock)
    assert memories(moved) == []
    assert bring_back(moved) == 1
    assert memories(moved) == [said]
