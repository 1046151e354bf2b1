"""Goal: what others did to a lane's branch, at a remote or by force, is followed without a loss.

Method: a bare remote and two clones with real git; both work on one run, push and pull.
"""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from agentx.clarification.errors import NotThePerson
from agentx.host.git.command import name_git
from agentx.kernel.errors import ConflictError, IllegalTransition
from agentx.runs.checking.check_work import CheckWork
from agentx.runs.choosing.place import Aim
from agentx.runs.lane_work import LaneWork
from agentx.runs.model import Lane, Run
from agentx.runs.replies import NextStep
from agentx.runs.store.git_shared import Pushed
from agentx.runs.store.shared.replaced import Replaced
from agentx.runs.taking.lane_taking import LaneTaking
from tests.support.repository import commit, git, repository
from tests.support.run_stories import Team
from tests.support.shared_run import ACTOR, Pair


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def unmerged(pair: Pair, team: Team) -> list[str]:
    return [each.lane for each in LaneWork(team.runs).list_unmerged(pair.look(team))]


def open_with(pair: Pair, team: Team, **files: str) -> tuple[str, Path]:
    """Open a lane, commit something there and push it; return its name and its folder."""
    opened = team.lanes.open(pair.run_id, actor=ACTOR, task="TASK-001")
    assert opened.lane is not None
    commit(Path(opened.folder), "first", **files)
    pair.share(team, opened.lane.id)
    return opened.lane.id, Path(opened.folder)


def find(team: Team, name: str) -> str:
    """Return the commit of a name; empty where it means none."""
    return git(team.root, "for-each-ref", "--format=%(objectname)", name).strip()


def test_what_was_deleted_at_the_remote_is_seen_there_no_more(pair: Pair, tmp_path: Path) -> None:
    lane, _ = open_with(pair, pair.one, b_py="b = 1\n")
    branch = f"agent/{pair.run_id}/{lane}"
    git(pair.one.root, "worktree", "add", "-q", "--detach", str(tmp_path / "late"), branch)
    pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)
    commit(tmp_path / "late", "after", late_py="late = 1\n")
    late = git(tmp_path / "late", "rev-parse", "HEAD").strip()
    git(tmp_path / "late", "push", "-q", "origin", f"HEAD:{branch}", "main:refs/heads/others")
    pair.share(pair.one, "work")
    pair.share(pair.two)
    git(pair.two.root, "fetch", "-q")
    pair.two.runs.fetch(pair.run_id)
    assert unmerged(pair, pair.two) == [lane]

    git(pair.one.root, "push", "-q", "origin", "--delete", branch, "others")
    remarks = pair.two.runs.fetch(pair.run_id)

    assert unmerged(pair, pair.two) == []
    gone = f"origin has {branch} no more; {late[:10]}, which only it had, went with it"
    assert remarks == (gone,)
    assert find(pair.two, "refs/remotes/origin/others")  # is the user's
    assert pair.two.runs.fetch(pair.run_id) == ()


def test_what_a_branch_had_that_was_deleted_before_it_was_merged_stays(pair: Pair) -> None:
    lane, folder = open_with(pair, pair.one, b_py="b = 1\n")
    branch = f"agent/{pair.run_id}/{lane}"
    pair.share(pair.two)
    pair.two.runs.fetch(pair.run_id)
    tip = find(pair.two, f"refs/remotes/origin/{branch}")

    git(pair.one.root, "push", "-q", "origin", "--delete", branch)
    remarks = pair.two.runs.fetch(pair.run_id)

    kept = f"refs/agentx/kept/{pair.run_id}/{lane}/{tip[:10]}"
    assert remarks == (
        f"origin has {branch} no more; {tip[:10]}, which only it had, stays here as {kept}",
    )
    assert find(pair.two, f"refs/remotes/origin/{branch}") == ""
    assert find(pair.two, kept) == tip
    commit(folder, "more", more_py="more = 1\n")
    git(folder, "commit", "-q", "--amend", "-m", "another")
    pair.share(pair.one, lane)  # whatever comes there under the name
    assert pair.two.runs.fetch(pair.run_id) == ()
    git(pair.two.root, "fetch", "-q", "--prune")
    assert find(pair.two, kept) == tip


@pytest.mark.promise("runs.git-is-true")
def test_what_only_a_branch_had_that_was_replaced_by_force_stays(
    pair: Pair, tmp_path: Path
) -> None:
    lane, _ = open_with(pair, pair.one, b_py="b = 1\n")
    branch = f"agent/{pair.run_id}/{lane}"
    pair.share(pair.two)
    pair.two.runs.fetch(pair.run_id)
    there = f"origin/{branch}"
    git(pair.two.root, "worktree", "add", "-q", "--detach", str(tmp_path / "late"), there)
    commit(tmp_path / "late", "theirs", late_py="late = 1\n")
    late = git(tmp_path / "late", "rev-parse", "HEAD").strip()
    git(tmp_path / "late", "push", "-q", "origin", f"HEAD:{branch}")
    git(pair.two.root, "worktree", "remove", str(tmp_path / "late"))

    git(pair.one.root, "push", "-q", "--force", "origin", branch)
    remarks = pair.two.runs.fetch(pair.run_id)

    kept = f"refs/agentx/kept/{pair.run_id}/{lane}/{late[:10]}"
    assert remarks == (
        f"{branch} was replaced at origin; {late[:10]}, which only it had, stays here as {kept}",
    )
    assert find(pair.two, kept) == late
    assert pair.two.runs.fetch(pair.run_id) == ()  # said once
    assert unmerged(pair, pair.two) == []


def resume(pair: Pair, team: Team) -> tuple[list[str], list[NextStep]]:
    """Take the run up in a clone; return what is said, and what is next."""
    found, rebuilt = team.runs.resume(pair.run_id)
    made = LaneTaking(team.runs).make_folders(rebuilt.run)
    return [*rebuilt.remarks, *made], list(found.next)


def replace_by_force(pair: Pair, lane: str, folder: Path) -> tuple[str, str]:
    """Take a file out of the last commit of a lane and push that; return what was, what is."""
    before = git(folder, "rev-parse", "HEAD").strip()
    git(folder, "rm", "-q", "secret.env")
    git(folder, "commit", "-q", "--amend", "--no-edit")
    git(folder, "push", "-q", "--force", "origin", f"agent/{pair.run_id}/{lane}")
    return before, git(folder, "rev-parse", "HEAD").strip()


def copy_lane(pair: Pair) -> tuple[str, Path, Path]:
    """Open a lane in one clone and resume in the other; return its name and both folders."""
    lane, folder = open_with(pair, pair.one, b_py="b = 1\n", secret_env="x\n")
    for team in (pair.one, pair.two):
        team.clock.advance(10 * 3_600_000)  # nobody holds the task any more
    pair.share(pair.two)
    resume(pair, pair.two)
    copy = pair.two.runs.git.folder(pair.run_id, lane)
    assert (copy / "secret.env").exists()
    return lane, folder, copy


@pytest.mark.promise("runs.git-is-true")
def test_a_copy_of_a_lane_follows_who_holds_it_and_brings_nothing_back(pair: Pair) -> None:
    lane, folder, copy = copy_lane(pair)
    before, after = replace_by_force(pair, lane, folder)
    pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)
    pair.share(pair.one, "work")
    pair.share(pair.two)

    said, steps = resume(pair, pair.two)

    assert f"{lane}: who has it replaced its branch; the copy here is at {after[:10]}" in said[-1]
    kept = f"refs/agentx/kept/{pair.run_id}/{lane}/{before[:10]}"
    assert said[-1].endswith(f", it was at {before[:10]}, which stays as {kept}")
    assert find(pair.two, kept) == before
    assert git(copy, "rev-parse", "HEAD").strip() == after
    assert not (copy / "secret.env").exists()
    assert unmerged(pair, pair.two) == []
    assert not any("lane merge" in step.command for step in steps)
    assert resume(pair, pair.two)[0] == []


def test_a_copy_that_could_not_follow_yet_does_not_count(pair: Pair) -> None:
    lane, folder, copy = copy_lane(pair)
    before, _ = replace_by_force(pair, lane, folder)
    pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)
    pair.share(pair.one, "work")
    pair.share(pair.two)
    (copy / "mine.txt").write_text("not committed")

    said, _ = resume(pair, pair.two)

    assert f"{lane}: who has it replaced its branch; the copy here stays at" in said[-1]
    assert f"{copy} has changes" in said[-1]
    assert git(copy, "rev-parse", "HEAD").strip() == before
    assert (copy / "mine.txt").exists()
    assert unmerged(pair, pair.two) == []


def test_what_lies_only_in_a_copy_is_taken_in_by_a_person(pair: Pair) -> None:
    lane, folder, copy = copy_lane(pair)
    commit(copy, "mine", mine_py="mine = 1\n")
    replace_by_force(pair, lane, folder)
    pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)
    pair.share(pair.one, "work")
    pair.share(pair.two)
    tip = git(copy, "rev-parse", "HEAD").strip()

    said, steps = resume(pair, pair.two)

    assert "stays at" in said[-1]
    assert "commits of its own" in said[-1]
    assert git(copy, "rev-parse", "HEAD").strip() == tip
    (step,) = (step for step in steps if "lane merge" in step.command)
    assert step.takes  # an agent is not sent there
    assert f"git worktree remove {copy}; git branch -D agent/{pair.run_id}/{lane}" in step.text

    def refuse(run: Run, found: Lane) -> None:
        raise NotThePerson(f"{found.id} of {run.id}")

    with pytest.raises(NotThePerson, match=lane):
        pair.two.lanes.merge(pair.run_id, lane, actor=ACTOR, see_person=refuse)
    assert "mine.py" not in pair.list_files(pair.two)
    pair.two.lanes.merge(pair.run_id, lane, actor=ACTOR)
    assert "mine.py" in pair.list_files(pair.two)


def test_a_remote_may_have_a_slash_in_its_name(pair: Pair) -> None:
    pair.work_in_lane(pair.one, "TASK-001", b_py="b = 1\n")
    pair.share(pair.one, "work")
    pair.share(pair.two)
    git(pair.two.root, "remote", "rename", "origin", "team/hub")

    assert pair.two.runs.fetch(pair.run_id) == ()
    assert unmerged(pair, pair.two) == []
    assert "b.py" in pair.list_files(pair.two)


def test_who_merges_what_is_merged_elsewhere_is_told_what_lacks(pair: Pair) -> None:
    lane = pair.work_in_lane(pair.two, "TASK-002", c_py="c = 1\n")
    pair.share(pair.two, "work")
    pair.share(pair.one)
    pair.one.runs.fetch(pair.run_id)
    git(pair.one.root, "update-ref", f"refs/heads/agent/{pair.run_id}/work", "main")
    git(pair.two.root, "push", "-q", "origin", "--delete", f"agent/{pair.run_id}/work")
    git(pair.one.root, "update-ref", "-d", f"refs/remotes/origin/agent/{pair.run_id}/work")

    with pytest.raises(IllegalTransition, match=f"{lane} counts as merged, but") as refused:
        pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)

    assert f"agentx run resume {pair.run_id}" in refused.value.hint


def test_a_commit_that_was_replaced_here_after_it_was_pushed_is_checked_and_told_as_it_is(
    pair: Pair,
) -> None:
    one = pair.one
    one.store.ask_git = one.runs.git.ask
    one.says(pair.run_id, "task-revised", task="TASK-001", title="x", checks=["true"])
    lane, folder = open_with(pair, one, b_py="b = 1\n")
    branch = f"agent/{pair.run_id}/{lane}"
    one.says(pair.run_id, "commit-made", lane=lane, commit=find(one, f"refs/heads/{branch}"))
    (folder / "b.py").write_text("b = 2\n")
    git(folder, "commit", "-q", "--amend", "-am", "better")

    aim = Aim(run_id=pair.run_id, task="TASK-001")
    checks = CheckWork(one.runs)
    ran = checks.run(aim, (), actor=ACTOR, wait_ms=10_000)
    assert ran.report.commit == checks.find_commit(aim) == find(one, f"refs/heads/{branch}")
    # It is not sent back to a check that passed: what keeps it is what is pushed.
    with pytest.raises(ConflictError, match=f"origin/{branch} has commits that {lane} lacks") as no:
        one.lanes.merge(pair.run_id, lane, actor=ACTOR)
    assert f"git push --force-with-lease origin {branch}" in no.value.hint
    git(one.root, "push", "-q", "--force-with-lease", "origin", branch)
    one.lanes.merge(pair.run_id, lane, actor=ACTOR)
    assert git(one.root, "show", f"agent/{pair.run_id}/work:b.py").strip() == "b = 2"


def test_a_conflict_of_a_lane_that_another_checkout_has_names_no_folder_that_is_not_here(
    pair: Pair,
) -> None:
    lane, folder = open_with(pair, pair.one, b_py="b = 1\n")
    files = ["two\nlines.txt", *(f"f{number}.py" for number in range(9))]
    pair.one.says(pair.run_id, "conflict-found", lane=lane, operation="merge", files=files)
    pair.share(pair.one)
    pair.share(pair.two)

    own, theirs = (team.runs.resume(pair.run_id)[0].next[0] for team in (pair.one, pair.two))
    named = f"{lane} conflicts in two\ufffdlines.txt, f0.py, f1.py, f2.py, f3.py and 5 more: "
    assert own.text.startswith(f"{named}in {folder} `git merge ")
    assert own.command == f"agentx run lane merge {lane}"
    assert theirs.text == f"{named}who has it mends that; to do so here a person takes it first"
    assert (theirs.command, theirs.takes) == (f"agentx run lane take {lane}", True)
    asked = list(pair.look(pair.two).escalations.values())[-1]
    assert asked.question.endswith("two\ufffdlines.txt, f0.py, f1.py, f2.py, f3.py and 5 more")


def take_to_and_fro(pair: Pair) -> tuple[str, Path, Path]:
    """Open a lane in one clone, take it to the other and back; return its name and both folders."""
    lane, folder = open_with(pair, pair.one, b_py="b = 1\n", secret_env="x\n")
    copy = pair.two.runs.git.folder(pair.run_id, lane)
    for team in (pair.two, pair.one):
        pair.share(team)
        team.runs.fetch(pair.run_id)
        LaneTaking(team.runs).take(pair.run_id, lane, actor=ACTOR)
        pair.share(team)
    return lane, folder, copy


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("is_merged", [False, True])
def test_a_lane_that_went_to_and_fro_brings_nothing_back_that_its_owner_took_out(
    pair: Pair, *, is_merged: bool
) -> None:
    lane, folder, copy = take_to_and_fro(pair)
    before, after = replace_by_force(pair, lane, folder)
    pair.one.says(pair.run_id, "commit-made", lane=lane, commit=after)
    if is_merged:
        pair.one.lanes.merge(pair.run_id, lane, actor=ACTOR)
    pair.share(pair.one, *(("work",) if is_merged else ()))
    pair.share(pair.two)

    said, steps = resume(pair, pair.two)

    kept = f"refs/agentx/kept/{pair.run_id}/{lane}/{before[:10]}"
    replaced = f"{lane}: who has it replaced its branch; the copy here is at {after[:10]} now"
    assert f"{replaced}, it was at {before[:10]}, which stays as {kept}" in said
    assert find(pair.two, kept) == before
    assert git(copy, "rev-parse", "HEAD").strip() == after
    assert not (copy / "secret.env").exists()
    assert not any("lane merge" in step.command for step in steps)
    if not is_merged:
        LaneTaking(pair.two.runs).prepare(pair.look(pair.two), pair.look(pair.two).lanes[lane])
        taken = LaneTaking(pair.two.runs).take(pair.run_id, lane, actor=ACTOR)
        assert git(Path(taken.folder), "rev-parse", "HEAD").strip() == after


def keep_no_logs(pair: Pair) -> None:
    """Let git keep no log of where the remote's branches were."""
    for team in (pair.one, pair.two):
        git(team.root, "config", "core.logAllRefUpdates", "false")


@pytest.mark.promise("runs.git-is-true")
@pytest.mark.parametrize("is_logged", [True, False])
def test_who_has_commits_on_what_its_owner_took_out_is_told_to_put_them_onto_what_is_there(
    pair: Pair, *, is_logged: bool
) -> None:
    if not is_logged:
        keep_no_logs(pair)
    lane, folder, copy = take_to_and_fro(pair)
    before = git(copy, "rev-parse", "HEAD")
    commit(copy, "mine", mine_py="mine = 1\n")
    tip = git(copy, "rev-parse", "HEAD")
    _, after = replace_by_force(pair, lane, folder)
    pair.one.says(pair.run_id, "commit-made", lane=lane, commit=after)
    pair.share(pair.one)
    pair.share(pair.two)

    onto = f"rebase --onto origin/agent/{pair.run_id}/{lane} {before[:10]}"
    replaced = f"{lane}: who has it replaced its branch; the copy here stays at {tip[:10]}: "
    own = f"commits of its own; put them onto it: `git -C {copy} {onto}`"
    assert f"{replaced}{own}" in resume(pair, pair.two)[0]
    taking, run = LaneTaking(pair.two.runs), pair.look(pair.two)
    with pytest.raises(ConflictError, match="who has it replaced its branch") as refused:
        taking.prepare(run, run.lanes[lane])
    assert f"git -C {copy} {onto}" in refused.value.hint
    assert "merge" not in refused.value.hint
    assert git(copy, "rev-parse", "HEAD") == tip

    git(copy, *onto.split())
    assert not any("replaced its branch" in word for word in resume(pair, pair.two)[0])
    taking.prepare(run, run.lanes[lane])
    taken = taking.take(pair.run_id, lane, actor=ACTOR)
    assert git(Path(taken.folder), "ls-files").split() == ["a.py", "b.py", "mine.py"]


@pytest.mark.parametrize("adds", [True, False])
def test_who_has_a_lane_whose_former_owner_took_something_out_is_not_told_to_merge_it_back(
    pair: Pair, *, adds: bool
) -> None:
    lane, folder = open_with(pair, pair.one, b_py="b = 1\n", secret_env="x\n")
    for team in (pair.one, pair.two):
        team.clock.advance(10 * 3_600_000)  # nobody holds the task any more
    pair.share(pair.two)
    pair.two.runs.fetch(pair.run_id)
    taken = LaneTaking(pair.two.runs).take(pair.run_id, lane, actor=ACTOR)
    copy = Path(taken.folder)
    if adds:
        commit(copy, "mine", mine_py="mine = 1\n")
    before, after = replace_by_force(pair, lane, folder)

    with pytest.raises(ConflictError, match="what was taken out there is still here") as refused:
        pair.two.lanes.merge(pair.run_id, lane, actor=ACTOR)
    first, _, then = refused.value.hint.partition("; or, where yours replace them, push yours: ")
    onto = f"rebase --onto origin/agent/{pair.run_id}/{lane} {before[:10]}"
    assert first == f"put yours onto them: `git -C {copy} {onto}`"
    assert then.startswith("`git push --force-with-lease origin ")
    git(copy, *onto.split())
    pair.two.lanes.merge(pair.run_id, lane, actor=ACTOR)

    held = git(pair.two.root, "ls-tree", "--name-only", f"agent/{pair.run_id}/work").split()
    assert held == ["a.py", "b.py", *["mine.py"] * adds]
    assert git(pair.two.root, "log", "--format=%H", f"agent/{pair.run_id}/work").count(after) == 1


def test_what_was_merged_back_by_hand_is_not_taken_before_it_is_pushed(pair: Pair) -> None:
    lane, folder, copy = take_to_and_fro(pair)
    before = git(copy, "rev-parse", "HEAD")
    commit(copy, "mine", mine_py="mine = 1\n")
    replace_by_force(pair, lane, folder)
    pair.share(pair.one)
    pair.share(pair.two)
    branch = f"agent/{pair.run_id}/{lane}"
    git(copy, "fetch", "-q")
    git(copy, "merge", "-q", "-X", "ours", "--no-edit", f"origin/{branch}")

    taking, run = LaneTaking(pair.two.runs), pair.look(pair.two)
    with pytest.raises(ConflictError, match="who has it replaced its branch") as refused:
        taking.prepare(run, run.lanes[lane])
    assert f"rebase --onto origin/{branch} {before[:10]}" in refused.value.hint
    git(copy, "push", "-q", "origin", branch)
    taking.prepare(run, run.lanes[lane])


def test_a_lane_without_a_log_of_its_remote_follows_its_owner_too(pair: Pair) -> None:
    keep_no_logs(pair)
    lane, folder, copy = take_to_and_fro(pair)
    _, after = replace_by_force(pair, lane, folder)
    pair.share(pair.one)
    pair.share(pair.two)

    assert any("replaced its branch; the copy here is at" in w for w in resume(pair, pair.two)[0])
    assert git(copy, "rev-parse", "HEAD") == after


def test_commits_that_went_apart_are_put_together(pair: Pair) -> None:
    lane, folder, copy = take_to_and_fro(pair)
    commit(copy, "mine", mine_py="mine = 1\n")
    commit(folder, "theirs", theirs_py="theirs = 1\n")
    pair.share(pair.one, lane)
    pair.share(pair.two)

    assert not any("replaced its branch" in word for word in resume(pair, pair.two)[0])
    taking, run = LaneTaking(pair.two.runs), pair.look(pair.two)
    with pytest.raises(ConflictError, match="has commits here that its remote lacks") as refused:
        taking.prepare(run, run.lanes[lane])
    assert f"git merge origin/agent/{pair.run_id}/{lane}" in refused.value.hint


def test_what_to_type_about_a_folder_works_where_its_path_has_a_space(tmp_path: Path) -> None:
    folder = repository(tmp_path / "home of bert" / "work")
    by = Pushed(name="origin/agent/x/lane", commit="b" * 40)
    replaced = Replaced(by=by, last="a" * 40, is_all=False)

    subprocess.run(f"{name_git(folder)} status", shell=True, check=True)
    there = ["git", "-C", str(folder), "rebase", "--onto", "origin/agent/x/lane", "a" * 10]
    assert shlex.split(replaced.say_onto(folder, "lane")) == there
    gone = tmp_path / "home of bert" / "gone"
    made = ["git", "worktree", "add", str(gone), "lane", "&&", "git", "-C", str(gone)]
    assert shlex.split(replaced.say_onto(gone, "lane"))[:9] == made
