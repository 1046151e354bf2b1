"""Goal: a lane is taken over with its commits, its folder and its claim, and nothing is lost by it.

Method: a bare remote and two clones with real git, each with a home and a clock of its own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.clarification.errors import NotThePerson
from agentx.kernel.errors import (
    ConflictError,
    IllegalTransition,
    NotFound,
    UnavailableError,
)
from agentx.operations.runs.claiming import take_lane
from agentx.operations.runs.lane import finish_lane, merge_lane, open_lane
from agentx.operations.runs.recover import resume_run
from agentx.operations.runs.saying import Saying
from agentx.project.roles.caller import Via, WhoCalls
from agentx.runs.limits import RUN_CLAIM_MS
from agentx.wiring.runs import open_runs
from tests.support.repository import commit, git
from tests.support.two_people import FIRST, PERSON, SECOND, Two

AGENT = WhoCalls(role="engineer", agent="claude-code", via=Via.AGENT)


def _open(both: Two, *, is_pushed: bool = True) -> tuple[str, Path]:
    """Let anna open a lane and commit there; return its name and its folder."""
    opened = open_lane(both.one, Saying(task=FIRST))
    assert opened.lane is not None
    commit(Path(opened.folder), "work", b_py="b = 1\n")
    if is_pushed:
        run = both.run_id
        refs = f"refs/heads/agent/{run}/*"
        git(both.one.root, "push", "-q", "origin", f"{refs}:{refs}")
    both.sync(both.one)
    return opened.lane.id, Path(opened.folder)


def test_who_merges_is_told_to_push_the_work_that_others_read_of(both: Two) -> None:
    lane, _ = _open(both)
    branch = f"agent/{both.run_id}/work"
    says = f"{branch} is not pushed as it is here: `git push origin {branch}`"

    assert says in merge_lane(both.one, Saying(lane=lane)).told.remarks
    assert says in both.sync(both.one).remarks
    assert both.sync(both.two).remarks == ()
    git(both.one.root, "push", "-q", "origin", branch)
    assert both.sync(both.one).remarks == ()
    # What was merged is there with the word of it: nobody is told to push what was pushed.
    assert both.sync(both.two).remarks == (f"the work branch holds now what origin/{branch} has",)
    there = open_runs(both.two)
    assert there.list_unmerged(there.run(both.run_id)[0]) == ()


@pytest.mark.promise("runs.lane-take")
def test_a_lane_is_taken_with_its_commits_its_folder_and_its_claim(both: Two) -> None:
    lane, _ = _open(both)

    done = take_lane(both.two, Saying(lane=lane), PERSON)

    assert (Path(done.folder) / "b.py").read_text() == "b = 1\n"
    assert git(Path(done.folder), "branch", "--show-current") == f"agent/{both.run_id}/{lane}"
    assert done.lane is not None
    assert done.lane.checkout == open_runs(both.two).own.checkout
    assert both.holder(both.two) == "bert"
    said = both.sync(both.one).remarks
    assert len(said) == 1
    assert f"{FIRST} is not yours: orchestrator of bert (" in said[0]
    assert said[0].endswith(f"; {lane} went there")
    with pytest.raises(IllegalTransition, match="held by orchestrator of bert"):
        finish_lane(both.one, Saying(lane=lane))
    # Where it is now, work goes on to the merge.
    commit(Path(done.folder), "more", c_py="c = 1\n")
    finish_lane(both.two, Saying(lane=lane))
    assert merge_lane(both.two, Saying(lane=lane)).told.run.tasks[FIRST].over


@pytest.mark.promise("runs.lane-take")
def test_what_any_remote_has_of_a_lane_counts_though_another_has_less(both: Two) -> None:
    lane, folder = _open(both)
    remote = both.clones.remote
    git(both.clones.folder, "clone", "-q", "--bare", str(remote), "backup.git")  # it is named first
    git(both.two.root, "remote", "add", "backup", str(both.clones.folder / "backup.git"))
    commit(folder, "more", c_py="c = 1\n")
    finish_lane(both.one, Saying(lane=lane))
    git(both.one.root, "push", "-q", "origin", f"agent/{both.run_id}/{lane}")
    both.sync(both.one)

    assert merge_lane(both.two, Saying(lane=lane)).told.run.tasks[FIRST].over

    held = git(both.two.root, "ls-tree", "--name-only", f"agent/{both.run_id}/work").split()
    assert {"b.py", "c.py"} <= set(held)


@pytest.mark.promise("runs.lane-take")
def test_a_lane_is_not_taken_where_something_would_be_lost_or_somebody_holds_it(both: Two) -> None:
    lane, _ = _open(both, is_pushed=False)
    own = open_runs(both.one).own.checkout
    with pytest.raises(NotThePerson, match="held by orchestrator of anna"):
        take_lane(both.two, Saying(lane=lane), AGENT)
    unpushed = f"of {lane} is not pushed: it is in the checkout {own}"
    with pytest.raises(NotFound, match=unpushed) as no:
        take_lane(both.two, Saying(lane=lane), PERSON)
    branch = f"agent/{both.run_id}/{lane}"
    assert no.value.hint == f"there: git push origin {branch}"
    assert both.holder(both.two) == "anna"  # a refusal takes nothing

    git(both.one.root, "push", "-q", "origin", branch)
    both.go_offline()
    with pytest.raises(UnavailableError, match="is not here: origin was not reached"):
        take_lane(both.two, Saying(lane=lane), PERSON)
    both.go_online()
    folder = Path(take_lane(both.two, Saying(lane=lane), PERSON).folder)
    both.sync(both.one)
    # Back again: what is not committed, or committed apart, is left as it is.
    here = open_runs(both.one).git.folder(both.run_id, lane)
    (here / "b.py").write_text("b = 2\n")
    with pytest.raises(ConflictError, match=r"changes here that are not committed: b\.py"):
        take_lane(both.one, Saying(lane=lane), PERSON)
    commit(here, "apart", b_py="b = 2\n")
    commit(folder, "there", c_py="c = 1\n")
    git(both.two.root, "push", "-q", "origin", branch)
    both.sync(both.two)
    with pytest.raises(
        ConflictError, match="has commits here that its remote lacks, and lacks others"
    ):
        take_lane(both.one, Saying(lane=lane), PERSON)
    git(here, "reset", "-q", "--hard", "HEAD~1")
    back = take_lane(both.one, Saying(lane=lane), PERSON)
    assert (Path(back.folder) / "c.py").exists()
    merge_lane(both.one, Saying(lane=lane))
    both.sync(both.one)
    with pytest.raises(IllegalTransition, match="MERGED: there is nothing to take"):
        take_lane(both.two, Saying(lane=lane), PERSON)


@pytest.mark.promise("runs.lane-take")
def test_who_merges_a_lane_that_went_elsewhere_merges_what_was_done_there(both: Two) -> None:
    lane, _ = _open(both)
    branch = f"agent/{both.run_id}/{lane}"
    folder = Path(take_lane(both.two, Saying(lane=lane), PERSON).folder)
    commit(folder, "more", c_py="c = 1\n")
    finish_lane(both.two, Saying(lane=lane))

    with pytest.raises(NotFound, match=f"of {lane} is not pushed"):
        merge_lane(both.one, Saying(lane=lane))  # the branch here is older than that
    git(both.two.root, "push", "-q", "origin", branch)
    merged = merge_lane(both.one, Saying(lane=lane)).told.run

    assert merged.tasks[FIRST].over
    held = git(both.one.root, "ls-tree", "--name-only", f"agent/{both.run_id}/work").split()
    assert {"b.py", "c.py"} <= set(held)


@pytest.mark.promise("runs.resume-elsewhere")
def test_who_resumes_elsewhere_has_the_folders_that_are_named_and_is_told_what_lacks(
    both: Two,
) -> None:
    lane, _ = _open(both)
    held, rebuilt = resume_run(both.two, actor="orchestrator")
    folder = open_runs(both.two).git.folder(both.run_id, lane)
    assert not folder.is_dir()  # anna works there
    assert [step.command for step in held.next if step.takes] == [f"agentx run lane take {lane}"]

    both.clock.advance(RUN_CLAIM_MS + 60_000)
    found, rebuilt = resume_run(both.two, actor="orchestrator")
    assert f"{lane} is in {folder}" in rebuilt.remarks
    assert (folder / "b.py").exists()
    assert f"go on with {FIRST} in {lane}: first" in [step.text for step in found.next]

    opened = open_lane(both.one, Saying(task=SECOND)).lane
    assert opened is not None
    both.sync(both.one)
    both.clock.advance(RUN_CLAIM_MS + 60_000)
    _, rebuilt = resume_run(both.two, actor="orchestrator")
    said = [each for each in rebuilt.remarks if opened.id in each]
    assert len(said) == 1
    assert f"{opened.id} could not be made here: " in said[0]
    assert f"(there: git push origin agent/{both.run_id}/{opened.id})" in said[0]
    both.go_offline()
    _, rebuilt = resume_run(both.two, actor="orchestrator")
    assert "origin was not reached; what others did since is not seen" in rebuilt.remarks
