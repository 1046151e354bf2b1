"""Goal: a run that was interrupted in one clone is taken up in the other, in the three ways that
the document of the memory's layout names.

Method: a bare remote and two clones with real git; what the first person began, the second ends
with nothing but what was pushed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.kernel.errors import ConflictError
from agentx.operations.runs.claiming import take_lane
from agentx.operations.runs.lane import fail_lane, merge_lane, open_lane, reassign_lane, retry_lane
from agentx.operations.runs.read import show_run
from agentx.operations.runs.recover import resume_run
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import record_event, task_step
from agentx.project.project import Project
from agentx.runs.limits import RUN_CLAIM_MS
from agentx.runs.model import LaneStatus, TaskStatus
from agentx.runs.replies import Interruption, LaneTold
from tests.support.repository import commit, git
from tests.support.two_people import FIRST, PERSON, SECOND, Two

pytestmark = pytest.mark.promise("runs.resume-elsewhere")


def open_with(both: Two, project: Project, task: str, **files: str) -> LaneTold:
    """Open a lane with a commit."""
    both.clock.advance(1_000)
    lane = open_lane(project, Saying(task=task))
    commit(Path(lane.folder), task, **files)
    return lane


def push(both: Two, project: Project) -> None:
    refs = f"refs/heads/agent/{both.run_id}/*"
    git(project.root, "push", "-q", "origin", f"{refs}:{refs}")
    both.sync(project)


def list_files(both: Two, project: Project) -> list[str]:
    work = f"agent/{both.run_id}/work"
    return git(project.root, "ls-tree", "-r", "--name-only", work).split()


def name_of(lane: LaneTold) -> str:
    assert lane.lane is not None
    return lane.lane.id


def test_a_task_that_stopped_half_way_goes_on_in_the_other_clone(both: Two) -> None:
    lane = open_with(both, both.one, FIRST, b_py="b = 1\n")
    said = {"text": "the reader is written, the writer is not"}
    task_step(both.one, Saying(task=FIRST), "task-progressed", said)
    record_event(both.one, Saying(), "checkpoint-made", {"text": "reader done"})
    push(both, both.one)
    both.clock.advance(RUN_CLAIM_MS + 60_000)
    both.sync(both.two)

    found, rebuilt = resume_run(both.two, both.run_id, actor="orchestrator")

    assert found.interruption is Interruption.TASK
    assert (found.current_task, found.last_checkpoint) == (FIRST, "reader done")
    assert found.last_log == said["text"]
    assert any(" checkpoint-made" in each for each in found.happened)
    assert any(name_of(lane) in remark for remark in rebuilt.remarks), "the folder is made"
    taken = take_lane(both.two, Saying(lane=name_of(lane)), caller=PERSON)
    assert (Path(taken.folder) / "b.py").read_text() == "b = 1\n"
    commit(Path(taken.folder), "the writer", c_py="c = 1\n")
    merge_lane(both.two, Saying(lane=name_of(lane)))
    push(both, both.two)
    both.sync(both.one)
    resume_run(both.one, both.run_id, actor="orchestrator")
    for project in (both.one, both.two):
        assert {"b.py", "c.py"} <= set(list_files(both, project))
        assert both.look(project)[1].status is TaskStatus.COMPLETED
        assert show_run(project).unmerged == ()


@pytest.mark.parametrize("again", [retry_lane, reassign_lane])
def test_a_lane_that_failed_is_tried_again_or_given_to_another_in_the_other_clone(
    both: Two, again: object
) -> None:
    lane = open_with(both, both.one, FIRST, b_py="b = 1\n")
    fail_lane(both.one, Saying(lane=name_of(lane)), "the tests hang")
    push(both, both.one)
    both.sync(both.two)

    found, _ = resume_run(both.two, both.run_id, actor="orchestrator")

    assert found.interruption is Interruption.LANE
    assert "the tests hang" in found.stopped_at + " ".join(step.text for step in found.next)
    both.clock.advance(1_000)
    done = again(both.two, Saying(lane=name_of(lane)), "on a machine that has time")  # type: ignore[operator]
    folder = Path(done.folder)
    assert (folder / "b.py").exists() is (again is retry_lane)
    commit(folder, "again", c_py="c = 1\n")
    merge_lane(both.two, Saying(lane=name_of(done)))
    push(both, both.two)
    both.sync(both.one)
    resume_run(both.one, both.run_id, actor="orchestrator")
    for project in (both.one, both.two):
        run, task = both.look(project)
        assert task.status is TaskStatus.COMPLETED
        old = run.lanes[name_of(lane)].status
        assert old is (LaneStatus.MERGED if again is retry_lane else LaneStatus.REASSIGNED)
        assert "c.py" in list_files(both, project)
        assert show_run(project).unmerged == ()


def test_a_conflict_is_put_together_in_the_other_clone(both: Two) -> None:
    first = open_with(both, both.one, FIRST, a_py="a = 2\n")
    second = open_with(both, both.one, SECOND, a_py="a = 3\n")
    merge_lane(both.one, Saying(lane=name_of(first)))
    conflict = merge_lane(both.one, Saying(lane=name_of(second))).conflict
    assert conflict is not None
    push(both, both.one)
    both.clock.advance(RUN_CLAIM_MS + 60_000)
    both.sync(both.two)

    found, _ = resume_run(both.two, both.run_id, actor="orchestrator")

    assert found.interruption is Interruption.CONFLICT
    assert any("a.py" in step.text for step in found.next)
    taken = take_lane(both.two, Saying(lane=name_of(second)), caller=PERSON)
    with pytest.raises(AssertionError, match="CONFLICT"):
        git(Path(taken.folder), "merge", "-q", f"agent/{both.run_id}/work")
    commit(Path(taken.folder), "both", a_py="a = 23\n")
    merge_lane(both.two, Saying(lane=name_of(second)))
    push(both, both.two)
    both.sync(both.one)
    resume_run(both.one, both.run_id, actor="orchestrator")
    for project in (both.one, both.two):
        run, task = both.look(project, SECOND)
        assert task.status is TaskStatus.COMPLETED
        assert not any(each.open for each in run.conflicts.values())
        assert not any(each.open for each in run.escalations.values())
        assert git(project.root, "show", f"agent/{both.run_id}/work:a.py") == "a = 23"
        assert show_run(project).unmerged == ()


@pytest.mark.parametrize("how", ["take", "resume"])
def test_a_branch_that_somebody_looks_at_in_their_own_checkout_is_not_moved(
    both: Two, how: str
) -> None:
    lane = open_with(both, both.one, FIRST, b_py="b = 1\n")
    push(both, both.one)
    branch = git(Path(lane.folder), "branch", "--show-current").strip()
    git(both.two.root, "fetch", "-q", "origin", f"{branch}:{branch}")
    git(both.two.root, "switch", "-q", branch)
    commit(Path(lane.folder), "more", c_py="c = 1\n")
    push(both, both.one)
    both.clock.advance(RUN_CLAIM_MS + 60_000)
    both.sync(both.two)
    before = (
        git(both.two.root, "rev-parse", branch),
        git(both.two.root, "status", "--short", "-uno"),
    )

    if how == "take":
        with pytest.raises(ConflictError, match="is checked out in"):
            take_lane(both.two, Saying(lane=name_of(lane)), caller=PERSON)
    else:
        _, rebuilt = resume_run(both.two, both.run_id, actor="orchestrator")
        assert any("is checked out in" in remark for remark in rebuilt.remarks)

    assert (
        git(both.two.root, "rev-parse", branch),
        git(both.two.root, "status", "--short", "-uno"),
    ) == (before), "a refusal changes nothing"
    git(both.two.root, "switch", "-q", "-")  # as the hint says
    taken = take_lane(both.two, Saying(lane=name_of(lane)), caller=PERSON)
    assert sorted(each.name for each in Path(taken.folder).glob("[bc]*.py")) == ["b.py", "c.py"]
