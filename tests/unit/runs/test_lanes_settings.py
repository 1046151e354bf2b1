"""Goal: AgentX's own steps in git come out alike, whatever a user has set there for their own.

Method: real git with settings and hooks that stop, paint or change what git does; merges, a
rebase, a conflict that git has seen before, and a work branch that is brought up.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.kernel.errors import UnavailableError
from tests.support.company import until
from tests.support.kept import KeptFolder
from tests.support.repository import commit, git
from tests.support.run_stories import Team
from tests.support.shared_run import ACTOR, Pair


@pytest.fixture(scope="module")
def kept_pair(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder[Pair]:
    def furnish(folder: Path) -> Pair:
        pair = Pair(folder)
        for team, task in ((pair.one, "TASK-001"), (pair.two, "TASK-002")):
            team.lanes.open(pair.run_id, actor=ACTOR, task=task)
        return pair

    return KeptFolder(tmp_path_factory.mktemp("pair"), furnish)


@pytest.fixture
def pair(kept_pair: KeptFolder[Pair]) -> Pair:
    return kept_pair.lend()


def _folder(pair: Pair, team: Team, name: str = "") -> Path:
    return team.runs.git.folder(pair.run_id, name or team.lane(1))


def _merge(pair: Pair, team: Team, **files: str) -> None:
    commit(_folder(pair, team), "work", **files)
    team.lanes.merge(pair.run_id, "lane-001", actor=ACTOR)


def _set(team: Team, *settings: str) -> None:
    for each in settings:
        git(team.root, "config", *each.split("="))


@pytest.mark.parametrize("fast", ["only", "false"])
def test_how_a_user_merges_says_nothing_of_how_lanes_are(pair: Pair, fast: str) -> None:
    _set(pair.two, f"merge.ff={fast}", "merge.log=true", "rebase.backend=apply", "pull.ff=only")
    work = f"agent/{pair.run_id}/work"
    _merge(pair, pair.one, b_py="b = 1\n")
    pair.share(pair.one, "work")
    pair.two.runs.git.catch_up(pair.look(pair.two))
    assert pair.two.runs.git.find_work(pair.run_id) == git(pair.one.root, "rev-parse", work)

    commit(_folder(pair, pair.two, "work"), "by hand", c_py="c = 1\n")
    commit(_folder(pair, pair.one, "work"), "by hand", d_py="d = 1\n")
    pair.share(pair.one, "work")
    pair.two.runs.git.catch_up(pair.look(pair.two))
    _merge(pair, pair.two, e_py="e = 1\n")
    commit(pair.two.root, "base", f_py="f = 1\n")
    moved = pair.two.lanes.rebase(pair.run_id, actor=ACTOR)

    assert moved.conflict is None
    assert pair.list_files(pair.two) >= {f"{name}.py" for name in "abcdef"}


def test_a_conflict_that_git_has_settled_before_is_a_conflict(pair: Pair) -> None:
    team = pair.one
    commit(_folder(pair, team, "work"), "by hand", a_py="one = 2\n")
    commit(_folder(pair, team), "work", a_py="one = 3\n")
    _set(team, "rerere.enabled=true", "rerere.autoUpdate=true")
    git(_folder(pair, team), "merge", "-q", f"agent/{pair.run_id}/work", check=False)
    commit(_folder(pair, team), "both", a_py="one = 4\n")
    git(_folder(pair, team), "reset", "-q", "--hard", "HEAD^1")

    stopped = team.lanes.merge(pair.run_id, "lane-001", actor=ACTOR)

    assert stopped.conflict is not None
    assert stopped.conflict.files == ("a.py",)


def test_who_merges_only_what_is_signed_is_told_what_to_sign_or_to_set(pair: Pair) -> None:
    _set(pair.one, "merge.verifySignatures=true")

    with pytest.raises(UnavailableError, match="does not have a GPG signature") as stopped:
        _merge(pair, pair.one, b_py="b = 1\n")

    assert "merge.verifySignatures false" in stopped.value.hint


@pytest.mark.parametrize(
    "hook", ["post-checkout", "post-merge", "post-rewrite", "pre-merge-commit"]
)
def test_no_hook_writes_in_the_folder_of_the_work_branch(pair: Pair, hook: str) -> None:
    team = pair.one
    program = team.root / ".git" / "hooks" / hook
    program.parent.mkdir(exist_ok=True)
    program.write_text("#!/bin/sh\necho more >> a.py\n", "utf-8")
    program.chmod(0o755)
    work = _folder(pair, team, "work")
    git(team.root, "worktree", "remove", str(work))

    _merge(pair, team, b_py="b = 1\n")
    commit(team.root, "base", c_py="c = 1\n")
    team.lanes.rebase(pair.run_id, actor=ACTOR)

    assert git(work, "status", "--porcelain") == ""
    assert pair.list_files(team) >= {"b.py", "c.py"}


@pytest.mark.parametrize("says", ["", ">/dev/null 2>&1"])
def test_what_a_hook_left_running_goes_on_and_holds_nobody_up(pair: Pair, says: str) -> None:
    team = pair.one
    program, go, done = (
        team.root / ".git" / name for name in ("hooks/post-checkout", "go", "done")
    )
    program.parent.mkdir(exist_ok=True)
    waits = f"n=0; while [ ! -e {go} ] && [ $n -lt 400 ]; do n=$((n+1)); sleep 0.05; done"
    program.write_text(f"#!/bin/sh\n({waits}; echo on; echo on > {done}) {says} &\n", "utf-8")
    program.chmod(0o755)

    opened = team.lanes.open(pair.run_id, actor=ACTOR)
    go.touch()

    until(lambda: done.exists() and done.read_text("utf-8") == "on\n")
    commit(Path(opened.folder), "work", b_py="b = 1\n")
