"""Goal: what runs leave in git is listed, and taken away only where nothing is lost with it.

Method: real git; runs with lanes that were merged, were not, and are not known here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.clarification.errors import NotThePerson
from agentx.host.git.loose import NOT_ALL
from agentx.kernel.errors import UnavailableError
from agentx.operations.runs import prune
from agentx.operations.runs.archive import archive_run
from agentx.operations.runs.lane import open_lane
from agentx.operations.runs.phases import go_to_phase
from agentx.operations.runs.prune import prune_runs
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import add_task, start_run
from agentx.operations.setup.trust import revoke_trust
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.runs.model import Contract
from agentx.runs.store.git_leftovers import SeenPushed
from agentx.runs.store.shared.kept_commits import keep_commit
from agentx.surfaces.cli.commands.runs.archive import say_archived
from agentx.wiring.runs import open_runs
from tests.support.repository import commit, git, repository
from tests.support.run_clones import Clones
from tests.support.trusting import trusted


def _leave_an_idea(tmp_path: Path) -> tuple[Clones, Project, str]:
    """Make a clone with a run that failed, and a lane of it with a commit; return its branch."""
    clones = Clones(tmp_path)
    project = clones.clone("one")
    run = start_run(project, "over soon", actor="orchestrator").id
    by = Saying(run_id=run, actor="orchestrator")
    add_task(project, by, Contract(title="an idea"))
    opened = open_lane(project, Saying(run_id=run, actor="executor", task="TASK-001"))
    assert opened.lane is not None
    commit(Path(opened.folder), "idea", idea_py="idea = 1\n")
    go_to_phase(project, by, "fail", reason="enough")
    return clones, project, f"agent/{run}/{opened.lane.id}"


def test_leftovers_go_where_nothing_is_lost(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", a_py="a = 1\n")
    known = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    project = trusted(open_project(root, read_environment(known)))
    run = start_run(project, "over soon", actor="orchestrator").id
    by = Saying(run_id=run, actor="orchestrator")
    for title in ("empty", "worked on", "dirty"):
        add_task(project, by, Contract(title=title))
    lanes = [
        Path(open_lane(project, Saying(run_id=run, actor="executor", task=f"TASK-00{n}")).folder)
        for n in (1, 2, 3)
    ]
    commit(lanes[1], "work", b_py="b = 1\n")
    (lanes[2] / "c.py").write_text("c = 1\n", "utf-8")
    git(lanes[0], "checkout", "-q", "--detach")
    commit(lanes[0], "loose", d_py="d = 1\n")
    assert prune_runs(project, dry_run=True).gone == ()  # it goes on

    go_to_phase(project, by, "fail", reason="enough")
    git(root, "branch", "agent/20200101-0000-of-somebody-ab12/work")
    listed = prune_runs(project, dry_run=True)
    done = prune_runs(project)

    assert [row.name for row in listed.gone if row.is_folder] == [
        row.name for row in done.gone if row.is_folder
    ]
    branches = set(git(root, "branch", "--format=%(refname:short)").splitlines())
    assert lanes[0].exists(), "its HEAD is on no branch"
    assert "1 commit is on no branch" in {row.stays for row in done.kept}
    git(lanes[0], "checkout", "-q", "--detach", "main")  # somebody throws it away
    prune_runs(project)
    branches = set(git(root, "branch", "--format=%(refname:short)").splitlines())
    names = {path.name for path in lanes[1:]}
    assert branches == {"main", "agent-memory"} | {f"agent/{run}/{name}" for name in names}
    assert not lanes[0].exists()
    assert not lanes[1].exists()
    assert (lanes[2] / "c.py").exists()
    assert {row.stays for row in done.kept} >= {
        "1 commit is on no other branch",
        "not all in it is committed",
    }
    assert prune_runs(project).gone == ()


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("holds", ["ignored", "new", "changed after it was listed"])
def test_a_folder_stays_for_the_reason_that_merge_archive_and_prune_name_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, holds: str
) -> None:
    _, project, branch = _leave_an_idea(tmp_path)
    run, lane = branch.split("/")[1:]
    folder = project.store.root / "worktrees" / run / lane
    (folder / ".env").write_text("SECRET=typed by hand\n", "utf-8")
    # What a cache lays there stands in no way.
    (folder / ".pytest_cache").mkdir()
    (folder / ".pytest_cache" / ".gitignore").write_text("# made\n*\n", "utf-8")
    (folder / ".pytest_cache" / "README.md").write_text("a cache\n", "utf-8")
    if holds == "ignored":
        (project.root / ".git" / "info" / "exclude").write_text(".env\n", "utf-8")
    if holds == "changed after it was listed":
        (folder / ".env").rename(tmp_path / "env")

        def ask(*_: object) -> SeenPushed:
            (tmp_path / "env").rename(folder / ".env")
            return SeenPushed()

        monkeypatch.setattr(prune, "ask_what_is_pushed", ask)
    why = "git ignores .env, and no branch has it" if holds == "ignored" else NOT_ALL

    pruned = prune_runs(project)
    packed = archive_run(project, run)

    assert [row.stays for row in pruned.kept if row.name == str(folder)] == [why]
    assert dict(zip(packed.folders_kept, packed.folders_why, strict=True)) == {str(folder): why}
    assert f"{folder} stays: {why}" in say_archived(packed)
    assert (folder / ".env").read_text("utf-8") == "SECRET=typed by hand\n"


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("now", ["there", "deleted", "replaced", "not reached"])
def test_what_was_pushed_once_counts_only_while_the_remote_has_it(tmp_path: Path, now: str) -> None:
    clones, project, branch = _leave_an_idea(tmp_path)
    git(project.root, "push", "-q", "origin", branch)
    if now == "deleted":
        git(clones.remote, "update-ref", "-d", f"refs/heads/{branch}")
    elif now == "replaced":
        git(clones.remote, "update-ref", f"refs/heads/{branch}", "main")
    elif now == "not reached":
        clones.remote.rename(tmp_path / "away.git")

    listed, done = prune_runs(project, dry_run=True), prune_runs(project)

    here = git(project.root, "branch", "--format=%(refname:short)").splitlines()
    assert (branch in here) == (now != "there")
    stay = {row.name: row.stays for row in done.kept}
    assert [row.stays for row in listed.kept if not row.is_folder] == [*stay.values()]
    if now == "not reached":
        assert stay[branch].endswith("that is seen now: origin was not reached")
    elif now != "there":
        assert stay[branch] == "1 commit is on no other branch"


def test_nothing_of_a_run_goes_that_only_cannot_be_read(tmp_path: Path) -> None:
    project = Clones(tmp_path).clone("one")
    run = start_run(project, "goes on", actor="orchestrator").id
    opened = open_lane(project, Saying(run_id=run, actor="executor"))
    runs = project.paths.runs
    runs.rename(tmp_path / "runs")
    runs.write_text("no folder", encoding="ascii")

    with pytest.raises(UnavailableError, match="cannot be read"):
        prune_runs(project)
    with pytest.raises(UnavailableError, match="cannot be read"):
        open_runs(project).which.choose("")  # it is not told that there is none
    runs.unlink()
    runs.mkdir()
    (runs / run).write_text("what cannot be laid out", encoding="ascii")
    assert prune_runs(project).gone == ()
    assert Path(opened.folder).is_dir()


def test_an_agent_looks_at_what_is_left_and_takes_nothing_away(tmp_path: Path) -> None:
    project = Clones(tmp_path).clone("one")
    left = "agent/20200101-0000-of-somebody-ab12/work"
    git(project.root, "branch", left)
    agent = WhoCalls(role="engineer", agent="claude-code", via=Via.AGENT)

    with pytest.raises(NotThePerson) as refused:
        prune_runs(project, caller=agent)

    assert "agentx run prune" in refused.value.hint
    assert [row.name for row in prune_runs(project, dry_run=True, caller=agent).gone] == [left]
    assert left in git(project.root, "branch", "--format=%(refname:short)").splitlines()
    assert [row.name for row in prune_runs(project).gone] == [left]


@pytest.mark.promise("strangers.no-programs")
def test_who_only_looks_at_leftovers_runs_nothing_of_a_repository_that_is_not_trusted(
    tmp_path: Path,
) -> None:
    _, project, branch = _leave_an_idea(tmp_path)
    run, lane = branch.split("/")[1:]
    folder, ran = project.store.root / "worktrees" / run / lane, tmp_path / "ran"
    git(project.root, "config", "filter.odd.clean", f"touch {ran}; cat")
    (project.root / ".git" / "info" / "attributes").write_text("* filter=odd\n", "utf-8")
    (folder / "idea.py").write_text("idea = 2\n", "utf-8")
    revoke_trust(project)

    listed = prune_runs(project, dry_run=True)

    assert not ran.exists()
    stay = {row.name: row.stays for row in listed.kept}
    assert stay[str(folder)] == f"{project.root} is not trusted"


def test_a_commit_that_was_kept_goes_once_its_run_is_over_and_others_have_it(
    tmp_path: Path,
) -> None:
    root = repository(tmp_path / "shop", a_py="a = 1\n")
    known = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    project = trusted(open_project(root, read_environment(known)))
    git(root, "checkout", "-q", "-b", "mine")
    commit(root, "only here", b_py="b = 1\n")
    tip = git(root, "rev-parse", "HEAD").strip()
    git(root, "checkout", "-q", "main")
    over, going = "20200101-0000-of-somebody-ab12", start_run(project, "on", actor="x").id
    names = [keep_commit(root, run, f"agent/{run}/lane-001", tip) for run in (over, going)]
    git(root, "branch", "-D", "mine")

    drop = f"git -C {root} update-ref -d {names[0]}"
    assert [(row.name, row.stays) for row in prune_runs(project).kept] == [
        (names[0], f"1 commit is on no other branch; if nobody wants it: {drop}")
    ]
    git(root, "branch", f"agent/{over}/lane-001", tip)  # which stays: it has nobody else
    listed, done = prune_runs(project, dry_run=True), prune_runs(project)

    assert [row.name for row in listed.gone] == [row.name for row in done.gone] == names[:1]
    assert [row.name for row in done.kept] == [f"agent/{over}/lane-001"]
    assert git(root, "for-each-ref", "--format=%(refname)", "refs/agentx/").split() == names[1:]


@pytest.mark.promise("runs.git-is-true")
def test_another_branch_that_was_replaced_at_the_remote_holds_nothing(tmp_path: Path) -> None:
    clones, project, branch = _leave_an_idea(tmp_path)
    git(project.root, "push", "-q", "origin", f"{branch}:refs/heads/feature/x")
    git(project.root, "fetch", "-q")
    git(clones.remote, "update-ref", "refs/heads/feature/x", "main")

    stay = {row.name: row.stays for row in prune_runs(project).kept}

    assert stay[branch] == "1 commit is on no other branch"
