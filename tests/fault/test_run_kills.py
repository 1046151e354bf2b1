"""Goal: kill -9 at any crash point of any verb of runs, then resume: nothing acknowledged is lost.

Method: a child does one verb and kills itself at a point; then the run is taken up in this
process, compared with what was there before, and the verb done again. The suite strikes a
few pairs with real processes (every point is struck in process by the unit tests); the
soak strikes all.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from agentx.kernel.crash import CrashPoint
from agentx.kernel.errors import ConflictError, IllegalTransition
from tests.fault.run_child import verbs
from tests.support.repository import commit, git, repository
from tests.support.run_stories import Team

POINTS = (
    *(point for point in CrashPoint if point.name.startswith("RUN_")),
    CrashPoint.JOURNAL_WRITTEN,
    CrashPoint.ATOMIC_TEMP_WRITTEN,
    CrashPoint.ATOMIC_REPLACED,
    CrashPoint.LOCK_CREATED_EMPTY,
    CrashPoint.LOCK_BEFORE_COMMIT,
)
VERBS = (
    *("start", "event", "phase", "task", "checkpoint", "verify", "escalate", "open", "merge"),
    *("rebase", "pr", "rebuild", "resume"),
)
SUITE = (
    ("task", CrashPoint.JOURNAL_WRITTEN),
    ("task", CrashPoint.RUN_VIEW_WRITTEN),
    ("open", CrashPoint.RUN_WORKTREE_MADE),
    ("merge", CrashPoint.RUN_GIT_DONE),
    ("rebuild", CrashPoint.RUN_DAMAGE_COPIED),
)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a project with a run that has a lane to merge, and damaged lines."""
    folder = tmp_path_factory.mktemp("run")
    team = Team(repository(folder / "shop", a_py="a = 1\n"), folder / "store")
    run = team.runs.start("kill me").id
    team.says(run, "task-added", task="TASK-001", title="do it")
    lane = team.lanes.open(run, actor="executor", task="TASK-001")
    commit(Path(lane.folder), "work", a_py="a = 2\n")
    return folder, run


def _strike(folder: Path, run: str, verb: str, point: CrashPoint) -> int:
    # Git knows worktrees by their path: the copy must lie where the original lay.
    words = [str(folder / "shop"), str(folder / "store"), str(point), verb, run]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fault.run_child", *words],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL, 1), done.stderr
    if done.returncode == 1:
        assert "IllegalTransition" in done.stderr or "ConflictError" in done.stderr, done.stderr
    return done.returncode


def _struck_then_resumed(template: tuple[Path, str], verb: str, point: CrashPoint) -> bool:
    folder, run = template
    kept = folder.with_name(f"{folder.name}-kept")
    shutil.copytree(folder, kept, symlinks=True)
    try:
        team = Team(folder / "shop", folder / "store", seed=9)
        if verb == "rebase":
            team.lanes.merge(run, "lane-001", actor="executor")
            commit(team.root, "base moved", b_py="b = 1\n")
        if verb == "rebuild":
            file = next((team.store.project.run(run).events() / "executor").iterdir())
            file.write_bytes(file.read_bytes() + b"damaged\n")
        before = {event.id for event in team.runs.events(run)}
        theirs = git(team.root, "rev-parse", "main")
        died = _strike(folder, run, verb, point) == -signal.SIGKILL

        found, rebuilt = team.runs.resume(run)
        assert before <= {event.id for event in team.runs.events(run)}
        assert rebuilt.faults == ()
        assert found.next
        if verb not in ("start", "task", "open", "phase"):
            _again(team, run, verb)
        assert git(team.root, "rev-parse", "main") == theirs
        assert team.runs.rebuild(run).files_changed == 0
        assert next(team.runs.all()).started
    finally:
        shutil.rmtree(folder)
        kept.rename(folder)
    return died


def _again(team: Team, run: str, verb: str) -> None:
    # It may have happened already, or not be able to happen yet: then it says so.
    with suppress(IllegalTransition, ConflictError):
        verbs(team.runs, run)[verb]()


@pytest.mark.promise("runs.recover")
@pytest.mark.parametrize(("verb", "point"), SUITE)
def test_a_verb_killed_at_a_point_is_made_good(
    template: tuple[Path, str], verb: str, point: CrashPoint
) -> None:
    assert _struck_then_resumed(template, verb, point)


@pytest.mark.soak
@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_killed_at_every_point_is_made_good(
    template: tuple[Path, str], verb: str
) -> None:
    died = [point for point in POINTS if _struck_then_resumed(template, verb, point)]

    assert len(died) >= 3, f"{verb} passes few points: {died}"
