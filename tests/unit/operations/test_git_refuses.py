"""Goal: of a repository that git refuses nothing is told to be missing, and nothing to be given up.

Method: two clones with real git, which is told that one of them belongs to another user.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentx.daemon.door import open_to_read
from agentx.host.git import command, plain
from agentx.host.git.command import find_refusal
from agentx.kernel.errors import InvalidValue, UnavailableError
from agentx.memory.port import Memory
from agentx.operations.runs.lane import finish_lane, merge_lane, open_lane
from agentx.operations.runs.prune import prune_runs
from agentx.operations.runs.read import list_runs, show_run
from agentx.operations.runs.recover import pull_request, resume_run
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.sync import sync_runs
from agentx.operations.runs.write import start_run, task_step
from agentx.operations.setup.init import InitRequest, init
from agentx.operations.setup.installation import setup_inputs
from agentx.operations.setup.trust import give_trust
from agentx.operations.upkeep.doctor import _project
from agentx.operations.upkeep.health import Health
from agentx.operations.upkeep.status import status
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from tests.support.kept import KeptFolder
from tests.support.repository import commit, git
from tests.support.two_people import FIRST, PERSON, SECOND, Two

ACTOR = "executor"
_VERBS: dict[str, Callable[[Project], object]] = {
    "show": show_run,
    "resume": lambda project: resume_run(project, actor=ACTOR),
    "pr": lambda project: pull_request(project, actor=ACTOR),
    "sync": lambda project: sync_runs(project, agrees=lambda _where: True, caller=PERSON),
    "lane open": lambda project: open_lane(project, Saying(task=SECOND)),
    "task start": lambda project: task_step(project, Saying(task=SECOND), "task-started", {}),
    "prune": lambda project: prune_runs(project, caller=PERSON),
    "prune --dry-run": lambda project: prune_runs(project, dry_run=True),
    "trust": lambda project: give_trust(project, ()),
    "start": lambda project: start_run(project, "more", actor=ACTOR),
}


def _merge_lane(place: Path) -> Two:
    two = Two(place)
    opened = open_lane(two.one, Saying(task=FIRST))
    assert opened.lane is not None
    commit(Path(opened.folder), "work", b_py="b = 1\n")
    finish_lane(two.one, Saying(lane=opened.lane.id))
    merge_lane(two.one, Saying(lane=opened.lane.id))
    return two


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder[Two]:
    return KeptFolder(tmp_path_factory.mktemp("merged"), _merge_lane)


@pytest.fixture
def refused(merged: KeptFolder[Two], monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return a clone that git took for the user's own until just now; a lane is merged in it."""
    two = merged.lend()
    said = command._plain_environment

    def say_another() -> dict[str, str]:
        return {**said(), "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}

    monkeypatch.setattr(command, "_plain_environment", say_another)
    monkeypatch.setattr(plain, "_is_plain", lambda _folder, _git: False)
    known = {"HOME": str(two.clones.folder / "home-anna"), "PATH": os.defpath}
    return open_project(two.one.root, read_environment(known))


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("verb", _VERBS)
def test_a_verb_says_that_git_refuses_the_repository(refused: Project, verb: str) -> None:
    with pytest.raises(UnavailableError, match="belongs to another user") as told:
        _VERBS[verb](refused)

    assert str(refused.root) in told.value.message
    assert f"git config --global --add safe.directory {refused.root}" in told.value.hint
    assert len(list_runs(refused)) == 1


def test_doctor_says_it_instead_of_that_there_is_no_repository(refused: Project) -> None:
    found = _project(refused)

    assert found.health is Health.WRONG
    assert "belongs to another user" in found.says
    assert "safe.directory" in found.mend


def test_what_was_a_repository_is_not_begun_beside(tmp_path: Path) -> None:
    home, shop = tmp_path / "home", tmp_path / "shop"
    inner = shop / "inner"
    inner.mkdir(parents=True)
    git(tmp_path, "init", "-q", "shop")
    (shop / ".git/HEAD").write_text("garbage\n")
    project = open_project(inner, read_environment({"HOME": str(home), "PATH": os.defpath}))

    found = _project(project)

    assert (found.health, "is damaged" in found.says) == (Health.WRONG, True)
    assert f"git -C {shop} status" in found.mend
    with pytest.raises(UnavailableError, match=rf"takes {shop}/\.git for no repository"):
        start_run(project, "more", actor=ACTOR)
    assert find_refusal(tmp_path) is None  # no repository at all


@pytest.mark.parametrize("is_beside", [False, True])
def test_nothing_is_begun_in_a_bare_repository(tmp_path: Path, is_beside: bool) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    git(shop, "init", "-q", "--bare", *((".bare",) if is_beside else ()))
    if is_beside:  # as some lay out worktrees
        (shop / ".git").write_text("gitdir: ./.bare\n")
    known = {"HOME": str(tmp_path / "home"), "PATH": os.defpath}
    project = open_project(shop, read_environment(known))
    before = sorted(shop.rglob("*"))

    with pytest.raises(InvalidValue, match="shop is a bare repository"):
        start_run(project, "more", actor=ACTOR)
    with pytest.raises(InvalidValue, match="shop is a bare repository"):
        init(project, fail_to_open, setup_inputs(project), InitRequest())
    assert sorted(shop.rglob("*")) == before


def test_a_worktree_of_a_bare_repository_is_set_up_and_has_runs(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    git(tmp_path / "shop", "init", "-q", "-b", "trunk")
    commit(tmp_path / "shop", "begin", a_py="a = 1\n")
    git(tmp_path, "clone", "-q", "--bare", "shop", ".bare")
    git(tmp_path / ".bare", "worktree", "add", "-q", "../main", "trunk")
    known = {"HOME": str(tmp_path / "home"), "PATH": os.defpath}
    project = open_project(tmp_path / "main", read_environment(known))

    init(project, fail_to_open, setup_inputs(project), InitRequest())
    assert start_run(project, "more", actor=ACTOR).id


def test_status_and_init_say_that_git_refuses_the_repository(refused: Project) -> None:
    with open_to_read(refused) as memory:
        said = status(refused, memory).git_refuses

    assert "belongs to another user" in said
    assert "safe.directory" in said
    home = Path(refused.environment.variables["HOME"])
    before = sorted(home.rglob("*"))
    with pytest.raises(UnavailableError, match="belongs to another user"):
        init(refused, fail_to_open, setup_inputs(refused), InitRequest())
    assert sorted(home.rglob("*")) == before


def fail_to_open() -> Memory:
    raise AssertionError("a store was opened")
