"""Goal: kill -9 at any crash point of any verb of runs, then resume: nothing acknowledged is lost.

Method: a child does one verb and kills itself at a point; then the run is taken up in this
process, compared with what was there before, and the verb done again. The suite strikes a
few pairs with real processes (every point is struck in process by the unit tests); the
soak strikes all.
"""

from __future__ import annotations

import shutil
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from agentx.host.crash import CrashPoint
from agentx.kernel.errors import ConflictError, IllegalTransition
from agentx.runs.store.archive import Archive
from tests.fault.run_child import afterwards, later_verbs, verbs
from tests.support.kept_runs import Kept
from tests.support.repository import commit, git, repository
from tests.support.run_stories import Team
from tests.support.zygote import run_module

POINTS = (
    *(point for point in CrashPoint if point.name.startswith(("RUN_", "LESSON"))),
    CrashPoint.JOURNAL_WRITTEN,
    CrashPoint.ATOMIC_TEMP_WRITTEN,
    CrashPoint.ATOMIC_REPLACED,
    CrashPoint.LOCK_BEFORE_NAMED,
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
LATER_SUITE = (
    ("archive", CrashPoint.RUN_PACK_NAMED),
    ("clean", CrashPoint.RUN_FOLDER_GONE),
    ("accept", CrashPoint.LESSONS_WRITTEN),
    ("add", CrashPoint.LESSON_PAGE_WRITTEN),
)
LATER_VERBS = ("archive", "clean", "accept", "add")


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
    words = folder / "shop", folder / "store", point, verb, run
    done = run_module("tests.fault.run_child", *words, timeout_s=60)
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
            file = next((team.store.paths.run(run).events() / "executor").iterdir())
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


@pytest.mark.promise("runs.kept")
def test_a_kill_between_an_event_and_its_commit_loses_nothing(
    template: tuple[Path, str],
) -> None:
    folder, run = template
    kept = folder.with_name(f"{folder.name}-kept")
    shutil.copytree(folder, kept, symlinks=True)
    try:
        for point in (CrashPoint.RUN_EVENTS_WRITTEN, CrashPoint.RUN_KEPT):
            assert _strike(folder, run, "event", point) == -signal.SIGKILL
        team = Kept(folder / "shop", folder / "store", seed=9)
        ids = [event.id for event in team.runs.events(run)]
        assert team.tell(team.runs.start("another").id) == ()
        git(team.root, "clean", "-fdxq")

        assert [event.id for event in team.runs.events(run)] == ids
    finally:
        shutil.rmtree(folder)
        kept.rename(folder)


@pytest.mark.soak
@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_killed_at_every_point_is_made_good(
    template: tuple[Path, str], verb: str
) -> None:
    died = [point for point in POINTS if _struck_then_resumed(template, verb, point)]

    assert len(died) >= 3, f"{verb} passes few points: {died}"


# --- what a run leaves behind ---------------------------------------------------------------


@pytest.fixture
def ended(tmp_path: Path) -> tuple[Path, str]:
    """Return a project with a run that is over and taught two things."""
    team = Team(repository(tmp_path / "shop"), tmp_path / "store")
    run = team.runs.start("teach me").id
    for kind, text in (("pattern", "Close what you open"), ("tech-debt", "No retries yet")):
        team.says(run, "candidate-proposed", kind=kind, text=text, evidence=["mail.py"])
    team.says(run, "run-failed", reason="enough")
    return tmp_path, run


def _struck_then_done_again(ended: tuple[Path, str], verb: str, point: CrashPoint) -> bool:
    folder, run = ended
    place = afterwards(folder / "shop", folder / "store")
    events = {event.id for event in place.runs.events(run)}
    died = _strike(folder, run, verb, point) == -signal.SIGKILL

    place = afterwards(folder / "shop", folder / "store", days=41)
    place.archiving.sweep()
    if verb in ("accept", "add") or place.store.exists(run):
        later_verbs(place, run)[verb]()
    found = place.learning.refresh()
    expected = {"add": {"LRN-001"}}.get(verb, {"PAT-001", "TD-001"})
    assert {lesson.id for lesson in found.known.lessons.values()} == expected
    assert found.faults == ()
    pages = place.store.paths.project.lessons.rglob("*-patterns.yaml")
    assert verb == "add" or ["Close what you open" in page.read_text() for page in pages] == [True]
    if verb in ("archive", "clean"):
        assert not place.store.exists(run)
        assert list(found.known.measures) == [run]
        assert [line["run_id"] for line in place.store.index.list_archived()] == [run]
        packed = Archive(place.store.paths.project)
        assert [path.name for path in packed.path(run).parent.iterdir()] == [f"{run}.tar.gz"]
        packed.unpack(run)
    assert {event.id for event in place.runs.events(run)} == events
    return died


@pytest.mark.promise("runs.archive-whole")
@pytest.mark.parametrize(("verb", "point"), LATER_SUITE)
def test_what_a_run_leaves_behind_is_whole_wherever_a_verb_was_killed(
    ended: tuple[Path, str], verb: str, point: CrashPoint
) -> None:
    assert _struck_then_done_again(ended, verb, point)


@pytest.mark.soak
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("verb", LATER_VERBS)
def test_every_later_verb_killed_at_every_point_is_made_good(
    ended: tuple[Path, str], verb: str, point: CrashPoint
) -> None:
    _struck_then_done_again(ended, verb, point)
