"""Goal: what a person forgot of questions and memories stays away, whatever file is read back.

Method: the verbs in process: a copy of before, the forgetting, the restore, and every file of the
project and of the user's folder held against the words.
"""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from agentx.clarification.store.ledgers import LedgerStore
from agentx.operations.memory.curate import memory_drop
from agentx.operations.memory.write import memory_remove
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.upkeep import carry
from agentx.project.project import Project
from agentx.project.roles import caller
from agentx.wiring.clarifications import make_pen, open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.keeping.backup import backup_memory
from agentx.wiring.keeping.export import export_memory
from agentx.wiring.keeping.inventory import take_inventory
from agentx.wiring.keeping.lost import tombstone_file
from agentx.wiring.keeping.tombstones import bury_observations, read_tombstones
from agentx.wiring.observation_upkeep import settle_observations
from agentx.wiring.observations import open_observations, open_vouched
from agentx.work.model import NewIssue
from tests.support.clarifying import project_at
from tests.unit.wiring.test_restore_loss import TYPING, ask, decide, say

WORDS = (b"hunter2", b"Zanzibar", b"Casablanca")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Lend decisions, a told memory and a dropped one, each with a word of its own."""
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))
    made = project_at(tmp_path)
    open_issues(made).create(NewIssue(title="Webhooks", labels=("type:feature",)))
    decide(made, ask(made, "lease"), "YES, one year")
    decide(made, ask(made, "drop"), "YES, hunter2")
    say(made, "Never deploy on Fridays.")
    memory_drop(made, say(made, "Casablanca is the staging host."), why="Casablanca moved")
    say(made, "The codeword is Zanzibar.")
    return made


def forget_all(project: Project) -> None:
    """Take away for good what holds one of the words."""
    clarify_settle.forget(project, "CLR-1-002", caller=TYPING)
    with closing(open_vouched(project)) as store:
        found = [*store.plain.everything(), *store.plain.archive()]
        doomed = [one.id for one in found if any(word.decode() in one.content for word in WORDS)]
    for each in doomed:
        memory_remove(project, each)


def list_holding(project: Project) -> list[str]:
    """Return the live files in which one of the words stands."""
    found = (*project.root.rglob("*"), *project.data.root.rglob("*"))
    paths = (path for path in found if path.is_file() and "replaced-" not in str(path))
    return [str(path) for path in paths if any(word in path.read_bytes() for word in WORDS)]


def list_told(project: Project) -> list[str]:
    with closing(open_observations(project)) as room:
        return sorted(one.content.partition(".")[0] for one in room.store.everything())


@pytest.fixture(params=["export", "backup", "backup of which only the keys forgot"])
def file(request: pytest.FixtureRequest, project: Project, tmp_path: Path) -> Path:
    """Lend a copy of before; the words are forgotten since."""
    path = tmp_path / "kept" / "of-before.agentx"
    path.parent.mkdir()
    if request.param == "export":
        export_memory(project, path)
    else:
        shutil.copy(backup_memory(project).paths[-1], path)
    forget_all(project)
    assert list_holding(project) == []
    if "keys" in request.param:
        tombstone_file(project).unlink()
        shutil.rmtree(project.store.lines_held)
        shutil.rmtree(project.paths.questions)
    return path


def test_what_was_forgotten_comes_back_with_no_copy(project: Project, file: Path) -> None:
    for lines in project.paths.questions.rglob("*.jsonl"):  # what cannot be read is mended by it
        lines.with_name("ffffff.jsonl").write_bytes(b'{"v":99}\n')
    done = carry.restore(project, file)
    settle_observations(project)

    assert done.forgotten > 0
    assert list_holding(project) == []
    questions = open_clarifications(project)
    assert [str(state.id) for state in questions.list_all()] == ["CLR-1-001"]
    assert [told.partition(":")[0] for told in list_told(project)] == [
        "Never deploy on Fridays",
        "lease",
    ]
    with closing(open_vouched(project)) as store:  # nor is it captured anew
        assert read_tombstones(project).observations <= store.drops.read().unsaid.keys()
    if tombstone_file(project).exists():
        ledgers = LedgerStore(project.paths, project.clock, make_pen(project))
        assert ledgers.check(1) == ()
        decide(project, ask(project, "sell"), "NO")
        states = [*questions.list_all()]
        assert [str(state.id) for state in states] == ["CLR-1-001", "CLR-1-003"], "no name twice"
        assert list_holding(project) == []


def test_words_that_a_merge_brings_again_are_not_held_by_who_looks(project: Project) -> None:
    before = {path: path.read_bytes() for path in project.paths.questions.rglob("*.jsonl")}
    forget_all(project)
    for path, lines in before.items():
        path.write_bytes(lines + path.read_bytes().splitlines(keepends=True)[-1])
    assert len(open_clarifications(project).list_all()) == 1
    assert not any("held" in name for name in list_holding(project))
    ask(project, "sell")
    assert list_holding(project) == [], "the next word takes them out"


def test_an_export_takes_what_it_knows_to_be_forgotten_into_a_home_that_knows_nothing(
    project: Project, tmp_path: Path
) -> None:
    old, new = tmp_path / "old.agentx", tmp_path / "new.agentx"
    export_memory(project, old)
    forget_all(project)
    export_memory(project, new)
    known = tombstone_file(project).read_bytes()
    bury_observations(project, ["obs-engineer-1-1-abcdef"])
    mine = tombstone_file(project).read_bytes()
    carry.restore(project, new)
    assert tombstone_file(project).read_bytes() == mine, "who knows something learns of no file"
    for folder in (project.store.root, project.paths.own):
        shutil.rmtree(folder)
    tombstone_file(project).unlink()

    carry.restore(project, new)
    assert tombstone_file(project).read_bytes() == known
    assert list((project.store.root).glob("tombstones*")) == []
    carry.restore(project, old)
    settle_observations(project)

    assert list_holding(project) == []


def test_a_file_that_forgetting_made_shorter_is_no_file_that_was_lost(project: Project) -> None:
    (lines,) = project.paths.questions.rglob("*.jsonl")
    assert take_inventory(project) == ()
    before = lines.stat().st_size
    forget_all(project)
    assert lines.stat().st_size < before
    assert take_inventory(project) == ()

    lines.write_bytes(b"".join(lines.read_bytes().splitlines(keepends=True)[:-2]))
    assert [each.is_shorter for each in take_inventory(project)] == [True]
