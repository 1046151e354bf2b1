"""Goal: clones exchange runs by a branch of their own; nothing is lost, nobody is obeyed unasked.

Method: a bare remote and clones with real git, each with a data folder of its own.
"""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from agentx.clarification.errors import NotThePerson
from agentx.kernel.errors import (
    AgentXError,
    ConflictError,
    IllegalTransition,
    NotFound,
    UnavailableError,
)
from agentx.operations.runs.archive import archive_run
from agentx.operations.runs.lane import open_lane
from agentx.operations.runs.phases import go_to_phase
from agentx.operations.runs.read import bring_back_runs, list_archived, list_runs, show_run
from agentx.operations.runs.recover import rebuild_runs, resume_run
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.sync import Exchanged, sync_runs
from agentx.operations.runs.write import add_task, record_event, start_run, task_step
from agentx.operations.setup.trust import look_at_trust
from agentx.operations.upkeep.carry import export, restore
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.runs.model import Contract
from agentx.wiring.bound.run_branch import list_notes, open_exchange
from agentx.wiring.memory import open_store
from agentx.wiring.runs import open_runs
from tests.support.repository import commit, git
from tests.support.run_clones import Clones
from tests.support.trusting import trusted

PERSON = WhoCalls(role="", agent="", via=Via.TERMINAL)
BRANCH = "agent-memory"


@pytest.fixture
def clones(tmp_path: Path) -> Clones:
    return Clones(tmp_path)


def _sync(project: Project, *, agrees: bool = True) -> Exchanged:
    return sync_runs(project, agrees=lambda _where: agrees, caller=PERSON)


def _tasks(project: Project) -> list[str]:
    return [each.title for each in show_run(project).tasks]


def _add(project: Project, title: str) -> None:
    add_task(project, Saying(run_id="", actor="orchestrator"), Contract(title=title))


@pytest.mark.promise("runs.kept-exchange")
def test_two_clones_exchange_runs_and_lose_nothing(clones: Clones) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    run = start_run(one, "shared", actor="orchestrator").id
    _sync(one)
    assert _sync(two).taken_in == (run,)

    _add(one, "from one")
    _add(two, "from two")  # at the same time
    assert _sync(one).is_pushed
    assert _sync(two).is_pushed  # which had to take in what came first
    assert _sync(one).taken_in == (run,)

    assert sorted(_tasks(one)) == sorted(_tasks(two)) == ["from one", "from two"]
    tips = [git(each.root, "rev-parse", BRANCH) for each in (one, two)]
    assert tips[0] == tips[1] == git(clones.remote, "rev-parse", BRANCH)
    assert not _sync(one).is_pushed
    for project in (one, two):  # no file of the person's was touched
        changed = git(project.root, "status", "--short").splitlines()
        assert set(changed) <= {"?? .agent-memory/", "?? .agentx/"}


def test_a_clone_that_was_made_without_contents_has_those_of_runs(clones: Clones) -> None:
    one = clones.clone("one")
    run = start_run(one, "shared", actor="orchestrator").id
    _sync(one)
    two = clones.clone("two", has_contents=False)

    assert _sync(two).taken_in == (run,)
    _add(one, "from one")
    _sync(one)
    _add(two, "from two")
    assert _sync(two).is_pushed
    _sync(one)

    assert sorted(_tasks(one)) == sorted(_tasks(two)) == ["from one", "from two"]


@pytest.mark.parametrize(
    "own", ["", "color.transport=always", "push.recurseSubmodules=only", "push.gpgSign=true"]
)
def test_a_push_that_lost_the_race_is_tried_again(clones: Clones, own: str) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    if own:  # what a user set for their own pushes
        git(two.root, "config", *own.split("="))
    run = start_run(one, "shared", actor="orchestrator").id
    _sync(one)
    _sync(two)
    _add(one, "from one")
    _add(two, "from two")
    exchange = open_exchange(two)
    assert exchange is not None

    assert exchange.take_in() == ()
    _sync(one)
    assert not exchange.push()  # somebody was first
    assert exchange.take_in() == (run,)
    assert exchange.push()
    assert git(clones.remote, "rev-parse", BRANCH) == git(two.root, "rev-parse", BRANCH)
    assert sorted(_tasks(two)) == ["from one", "from two"]


def test_a_push_that_is_overtaken_while_the_remote_checks_it_is_tried_again(
    clones: Clones,
) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    start_run(one, "shared", actor="orchestrator")
    _sync(one)
    _sync(two)
    before = git(clones.remote, "rev-parse", BRANCH)
    _add(one, "from one")
    _add(two, "from two")
    _sync(one)
    clones.let_overtake(BRANCH, git(clones.remote, "rev-parse", BRANCH))
    git(clones.remote, "update-ref", f"refs/heads/{BRANCH}", before)

    assert _sync(two).is_pushed

    assert sorted(_tasks(two)) == ["from one", "from two"]


def test_a_hook_here_that_stops_git_is_not_told_as_a_remote_that_is_away(clones: Clones) -> None:
    one = clones.clone("one")
    run = start_run(one, "shared", actor="orchestrator").id
    _add(one, "first")
    _sync(one)
    two = clones.clone("two")
    _sync(two)
    lane = open_lane(one, Saying(task="TASK-001")).lane
    assert lane is not None
    git(one.root, "push", "-q", "origin", lane.branch)
    _sync(one)
    hook = two.root / ".git/hooks/reference-transaction"
    hook.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)

    with pytest.raises(UnavailableError, match=r"git here took in nothing of origin: .*hook") as no:
        _sync(two)

    assert no.value.hint == "runs are kept here meanwhile"
    told = resume_run(two, run, actor="orchestrator")[1].remarks
    assert not [each for each in told if "was not reached" in each]
    hook.unlink()
    assert _sync(two).taken_in == (run,)


@pytest.mark.parametrize("does", ["exit 1", 'echo "cannot lock ref" >&2; exit 1'])
def test_a_remote_that_declines_is_said_at_once(clones: Clones, does: str) -> None:
    one = clones.clone("one")
    start_run(one, "shared", actor="orchestrator")
    asked = clones.folder / "asked"
    clones.set_hook(f"echo >> {asked}; {does}")

    with pytest.raises(UnavailableError, match=f"origin did not take {BRANCH}"):
        _sync(one)

    assert len(asked.read_text(encoding="utf-8").splitlines()) == 1


def test_a_lock_that_was_left_at_the_remote_is_named(clones: Clones) -> None:
    one = clones.clone("one")
    start_run(one, "shared", actor="orchestrator")
    lock = clones.remote / "refs" / "heads" / f"{BRANCH}.lock"
    lock.touch()

    with pytest.raises(UnavailableError) as refused:
        _sync(one)

    assert refused.value.message == f"origin has a lock on {BRANCH}: {lock}"
    assert refused.value.hint == "where it stays: who keeps origin removes it, if no git runs there"
    lock.unlink()
    assert _sync(one).is_pushed


def test_the_first_push_asks_a_person_once_and_no_agent(clones: Clones) -> None:
    one = clones.clone("one")
    start_run(one, "mine", actor="orchestrator")
    agent = WhoCalls(role="engineer", agent="claude-code", via=Via.AGENT)

    with pytest.raises(NotThePerson, match="pushed to origin") as refused:
        sync_runs(one, agrees=lambda _where: True, caller=agent)
    assert "agentx run sync origin" in refused.value.hint
    with pytest.raises(ConflictError, match="nobody agreed"):
        _sync(one, agrees=False)
    assert git(clones.remote, "branch", "--list", BRANCH) == ""

    assert _sync(one).is_pushed
    _add(one, "more")
    assert sync_runs(one, agrees=lambda _where: False, caller=agent).is_pushed


def test_who_says_yes_is_heard_also_where_nothing_is_to_push_yet(clones: Clones) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    start_run(one, "shared", actor="orchestrator")
    _add(one, "first")
    _sync(one)
    agent = WhoCalls(role="engineer", agent="claude-code", via=Via.AGENT)

    with pytest.raises(NotThePerson, match="pushed to origin"):
        sync_runs(two, agrees=lambda _where: True, says_yes=True, caller=agent)
    assert not _sync(two).is_pushed  # who does not say it is not asked either
    (alone,) = task_step(two, Saying(task="TASK-001"), "task-started", {}).remarks
    assert alone.startswith("nobody agreed yet to push runs to origin; ")
    assert alone.endswith("TASK-001 is claimed here only, until `agentx run sync --push`")
    told = resume_run(two, actor="orchestrator")[1].remarks  # what others did is seen
    agree = "`agentx run sync --push` lets others see this"
    assert f"nobody agreed yet to push runs to origin; {agree}" in told
    three = clones.clone("three")
    said = sync_runs(three, agrees=lambda _where: True, says_yes=True, caller=PERSON)
    assert (said.is_pushed, said.remarks) == (False, ("runs are pushed to origin from now on",))
    assert task_step(three, Saying(task="TASK-001"), "task-started", {}).remarks == ()
    with pytest.raises(IllegalTransition, match="is held by"):
        task_step(one, Saying(task="TASK-001"), "task-started", {})


def test_offline_is_said_and_nothing_is_lost(clones: Clones) -> None:
    one = clones.clone("one")
    start_run(one, "mine", actor="orchestrator")
    clones.remote.rename(clones.folder / "away.git")

    with pytest.raises(UnavailableError, match="origin was not reached"):
        _sync(one)
    assert len(list_runs(one)) == 1


def test_what_a_remote_brings_is_taken_in_only_where_the_repository_is_trusted(
    clones: Clones,
) -> None:
    one = clones.clone("one")
    start_run(one, "theirs", actor="orchestrator")
    _sync(one)
    git(clones.folder, "clone", "-q", str(clones.remote), "two")
    known = {"HOME": str(clones.folder / "home-two"), "PATH": "/usr/bin:/bin"}
    stranger = open_project(clones.folder / "two", read_environment(known))

    assert list_runs(stranger) == ()
    with pytest.raises(ConflictError, match="was not written here") as refused:
        _sync(stranger)
    assert "`git log -p origin/agent-memory`; then say `agentx trust`" in refused.value.hint
    assert look_at_trust(stranger)[0].runs == ("origin/agent-memory",)
    assert list_runs(stranger) == ()
    assert git(stranger.root, "branch", "--list", BRANCH) == ""


def test_a_branch_of_that_name_with_other_files_is_left_alone(clones: Clones) -> None:
    one = clones.clone("one")
    git(one.root, "push", "-q", "origin", f"main:refs/heads/{BRANCH}")
    theirs = git(clones.remote, "rev-parse", BRANCH)
    start_run(one, "mine", actor="orchestrator")

    with pytest.raises(ConflictError, match="other files"):
        _sync(one)
    assert git(clones.remote, "rev-parse", BRANCH) == theirs


def test_a_run_packed_in_one_clone_is_packed_in_the_other(clones: Clones) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    run = start_run(one, "shared", actor="orchestrator").id
    _sync(one)
    _sync(two)
    go_to_phase(one, Saying(run_id=run, actor="orchestrator"), "fail", reason="enough")
    _sync(two)
    with pytest.raises(NotFound, match="FAILED"):  # who ended it let others know
        open_runs(two).which.choose("")
    archive_run(one, run)
    _sync(two)
    _sync(one)

    for project in (one, two):
        assert list_runs(project) == ()
        assert [each.run_id for each in list_archived(project)] == [run]
        assert bring_back_runs(project) == ()
    assert [_sync(each).is_pushed for each in (one, two, one)] == [False, False, False]


def test_an_archive_that_is_cut_off_here_comes_back_whole_from_the_branch(
    clones: Clones,
) -> None:
    one = clones.clone("one")
    run = start_run(one, "shared", actor="orchestrator").id
    go_to_phase(one, Saying(run_id=run, actor="orchestrator"), "fail", reason="enough")
    archive_run(one, run)
    _sync(one)
    (packed,) = (one.paths.run_memory / "archive").glob("*.tar.gz")
    whole = packed.read_bytes()
    packed.write_bytes(whole[:200])

    assert bring_back_runs(one)
    _sync(one)

    assert packed.read_bytes() == whole
    there = git(clones.remote, "rev-parse", f"{BRANCH}:{packed.relative_to(one.root)}")
    assert there == git(one.root, "hash-object", str(packed))


def test_what_a_person_took_out_stays_out(clones: Clones) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    run = start_run(one, "shared", actor="orchestrator").id
    record_event(one, Saying(run_id=run, actor="executor"), "note", {"text": "a name"})
    _sync(one)
    _sync(two)
    (file,) = (one.paths.runs / run / "events" / "executor").iterdir()
    kept = file.read_bytes()
    file.write_bytes(b"")
    assert bring_back_runs(one)
    assert file.read_bytes() == kept

    file.write_bytes(b"")
    rebuild_runs(one, run, as_is=True)
    _add(two, "on")
    _sync(two)
    _sync(one)
    _sync(one)

    held = b"".join(each.read_bytes() for each in one.paths.runs.rglob("*.jsonl"))
    assert b"a name" not in held
    assert "on" in _tasks(one)


def test_runs_of_a_worktree_of_a_bare_repository_are_exchanged(clones: Clones) -> None:
    git(clones.folder, "clone", "-q", "--bare", str(clones.remote), "shop.bare")
    git(clones.folder / "shop.bare", "worktree", "add", "-q", "../tree", "main")
    known = {"HOME": str(clones.folder / "home"), "PATH": "/usr/bin:/bin"}
    project = trusted(open_project(clones.folder / "tree", read_environment(known)))
    run = start_run(project, "here", actor="orchestrator").id
    _sync(project)

    other = clones.clone("other")
    _sync(other)

    assert (other.paths.runs / run).is_dir()


@pytest.mark.parametrize("layout", ["no git", "bare", "apart"])
def test_where_no_branch_keeps_runs_the_true_reason_is_told(clones: Clones, layout: str) -> None:
    place, known = (
        clones.folder / "here",
        {"HOME": str(clones.folder / "home"), "PATH": "/usr/bin:/bin"},
    )
    place.mkdir()
    if layout == "bare":
        git(place, "clone", "-q", "--bare", str(clones.remote), ".bare")
        (place / ".bare" / ".agentx").mkdir()  # by an earlier version
        git(place / ".bare", "worktree", "add", "-q", "../main", "main")
        place = place / "main"
    if layout == "apart":
        git(place, "clone", "-q", "--separate-git-dir", "../git", str(clones.remote), ".")
    project = trusted(open_project(place, read_environment(known)))
    start_run(project, "here", actor="orchestrator")
    _add(project, "on")
    said = {
        "no git": "here is no git repository",
        "bare": "bare is a bare repository: its runs lie there",
        "apart": "git's folder of .*here lies elsewhere, and does not say that its files are here",
    }

    with pytest.raises(AgentXError, match=said[layout]) as told:
        _sync(project)

    if layout == "apart":
        with pytest.raises(ConflictError, match=said[layout]):
            open_lane(project, Saying(task="TASK-001"))
        git(place, *shlex.split(told.value.hint.partition(": git ")[2]))
        project = trusted(open_project(place, read_environment(known)))
        lane = Path(open_lane(project, Saying(task="TASK-001")).folder)
        assert open_project(lane, read_environment(known)).root == place
        _sync(project)


def test_where_code_tracks_runs_git_exchanges_them_and_doctor_says_so(clones: Clones) -> None:
    one = clones.clone("one", AGENTX_RUNS_BRANCH="code")
    start_run(one, "as before", actor="orchestrator")
    commit(one.root, "with the code")
    git(one.root, "push", "-q", "origin", "main")
    two = clones.clone("two")
    _add(two, "on")

    with pytest.raises(IllegalTransition, match="committed with its code"):
        _sync(two)
    assert git(two.root, "branch", "--list", BRANCH) == ""
    assert ["with the code" in each.says for each in list_notes(two)] == [True]

    known = {"HOME": str(clones.folder / "home-two"), "PATH": "/usr/bin:/bin"}
    taken = {**known, "AGENTX_RUNS_BRANCH": BRANCH}
    over = open_project(two.root, read_environment(taken))
    _add(over, "taken over")
    assert [each.mend.partition(" ")[0] for each in list_notes(over)] == ["git"]
    git(two.root, "rm", "-rq", "--cached", ".agent-memory/runs", ".agent-memory/index.yaml")
    commit(two.root, "apart from the code")
    git(two.root, "clean", "-fdxq")
    assert _tasks(over) == ["on", "taken over"]
    assert list(list_notes(over)) == []


def test_what_is_brought_back_is_in_the_log_whoever_looks(clones: Clones) -> None:
    one = clones.clone("one")
    run = start_run(one, "mine", actor="orchestrator").id
    git(one.root, "clean", "-fdxq")

    assert [row.run_id for row in list_runs(one)] == [run]
    said = one.store.log.read_text("utf-8").splitlines()
    assert ["run-brought-back" in line and run in line for line in said].count(True) == 1


def test_a_restore_counts_and_is_not_undone_by_the_branch(
    clones: Clones,
) -> None:
    one = clones.clone("one")
    run = start_run(one, "mine", actor="orchestrator").id
    file = clones.folder / "all.agentx"
    export(one, lambda: open_store(one), file)
    _add(one, "since")

    restore(one, file)

    assert bring_back_runs(one) == ()
    assert _tasks(one) == []
    _add(one, "later")
    git(one.root, "clean", "-fdxq")
    assert [row.run_id for row in list_runs(one)] == [run]
    assert _tasks(one) == ["later"]


@pytest.mark.promise("runs.kept-exchange")
def test_a_file_that_somebody_laid_aside_goes_to_nobody_and_is_named(clones: Clones) -> None:
    one = clones.clone("one")
    start_run(one, "shared", actor="orchestrator")
    ours = one.paths.run_aside / "index-0123abcd.yaml"
    stray = one.paths.run_aside / "fill"
    ours.parent.mkdir(parents=True, exist_ok=True)
    for file in (ours, stray):
        file.write_text("words", encoding="utf-8")
    _add(one, "first")
    _sync(one)

    kept = git(clones.remote, "ls-tree", "-r", "--name-only", BRANCH).splitlines()

    assert f".agent-memory/aside/{ours.name}" in kept
    assert f".agent-memory/aside/{stray.name}" not in kept
    (note,) = list_notes(one)
    assert note.says.startswith(".agent-memory/aside/fill: no file of AgentX's")
    stray.unlink()
    _sync(one)
    assert not stray.exists()
    assert not list(list_notes(one))


@pytest.mark.promise("runs.kept-exchange")
def test_what_was_laid_into_a_run_by_hand_counts_in_every_clone(clones: Clones) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    run = start_run(one, "shared", actor="orchestrator").id
    _add(one, "first")
    _sync(one)
    _sync(two)
    (file,) = (two.paths.runs / run / "events/orchestrator").glob("*.jsonl")
    line = json.loads(file.read_text("utf-8").splitlines()[-1])
    line |= {"id": line["id"][:-4] + "ZZZZ", "task": "TASK-007", "detail": {"title": "typed"}}
    (file.parent / "2026-03-02T10-00-00Z-0123ab.jsonl").write_text(json.dumps(line) + "\n", "utf-8")

    assert _sync(two).is_pushed
    _sync(one)

    assert _tasks(one) == _tasks(two) == ["first", "typed"]
    os.utime(two.paths.runs / run / "manifest.yaml", (0, 0))  # no news
    os.utime(file, (0, 0))
    assert not _sync(two).is_pushed
