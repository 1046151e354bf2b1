"""Goal: a commit that is in no repository stops no run for ever, and only a person goes on
without it.

Method: a bare remote and two clones with real git; a line that nobody can prove, and a clone that
is lost before its code was pushed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.clarification.errors import NotThePerson
from agentx.kernel.errors import IllegalTransition, InvalidValue, NotFound, UnavailableError
from agentx.operations.runs.lane import merge_lane, open_lane
from agentx.operations.runs.phases import go_to_phase
from agentx.operations.runs.read import show_run
from agentx.operations.runs.recover import pull_request, resume_run
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.sync import sync_runs
from agentx.operations.runs.write import add_task, record_event, start_run, task_step
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.runs.model import Contract, Happening, LaneStatus, Phase, TaskStatus
from agentx.wiring.runs import list_gone_runs, open_runs
from tests.support.repository import commit, git
from tests.support.run_clones import Clones

PERSON = WhoCalls(via=Via.TERMINAL)
AGENT = WhoCalls(role="engineer", agent="claude-code", via=Via.AGENT)
PROGRAM = WhoCalls(via=Via.PROGRAM)
NOWHERE = "1234567890" * 4


def _begin(project: Project) -> str:
    run = start_run(project, "shared", actor="orchestrator").id
    for title in ("first", "second"):
        add_task(project, Saying(), Contract(title=title))
    return run


def _sync(project: Project) -> None:
    sync_runs(project, agrees=lambda _where: True, caller=PERSON)


def test_a_commit_that_is_nowhere_is_named_and_a_person_goes_on_without_it(tmp_path: Path) -> None:
    project = Clones(tmp_path).clone("one")
    run = _begin(project)
    open_lane(project, Saying(task="TASK-001"))
    runs = open_runs(project)
    runs.say(run, Happening(kind="commit-made", actor="engineer", detail={"commit": NOWHERE}))

    with pytest.raises(NotFound, match="is not in this repository") as stopped:
        open_lane(project, Saying(task="TASK-002"))
    command = f"agentx run resume {run} --without {NOWHERE[:10]}"
    assert command in stopped.value.hint
    for who in (PERSON, AGENT):  # one who has it may only not have pushed it yet
        steps = show_run(project, caller=who).next
        assert any(
            f"gone for good a person goes on without it (`{command}`)" in s.text for s in steps
        )
        assert command not in [step.command for step in steps]
    ((told, gone),) = list_gone_runs(project)
    assert (told, gone.commit, gone.what) == (
        run,
        NOWHERE,
        f"the last commit of agent/{run}/work",
    )

    for who, says in ((AGENT, command.replace(run, run[-4:])), (PROGRAM, "--as-person")):
        with pytest.raises(NotThePerson) as refused:
            resume_run(project, run, actor="orchestrator", without=NOWHERE[:10], caller=who)
        assert says in refused.value.hint
    with pytest.raises(InvalidValue, match="not taken on somebody's word"):
        record_event(project, Saying(), "commit-given-up", {"commit": NOWHERE})
    with pytest.raises(NotFound, match="stands on no such commit"):
        resume_run(project, run, actor="orchestrator", without="abcdef0123", caller=PERSON)

    _, rebuilt = resume_run(project, run, actor="orchestrator", without=NOWHERE[:10], caller=PERSON)

    assert f"{run} goes on without 1234567890" in rebuilt.remarks
    work = git(project.root, "rev-parse", f"agent/{run}/work")
    assert runs.run(run)[0].git.latest_commit == work
    said = next(each for each in runs.events(run) if each.kind == "commit-given-up")
    assert (said.actor, said.text("instead"), said.text("via")) == ("human", work, "terminal")
    assert list(list_gone_runs(project)) == []
    assert open_lane(project, Saying(task="TASK-002")).lane is not None
    with pytest.raises(IllegalTransition, match="is in this repository"):
        resume_run(project, run, actor="orchestrator", without=work[:10], caller=PERSON)


def _merge_unpushed(project: Project) -> tuple[str, str, str]:
    """Merge a lane and push its branch alone; return the run, the lane and the merge."""
    run = _begin(project)
    opened = open_lane(project, Saying(task="TASK-001"))
    assert opened.lane is not None
    lane = opened.lane.id
    commit(Path(opened.folder), "b", b_py="b = 1\n")
    merged = merge_lane(project, Saying(lane=lane)).told.run.git.latest_commit
    git(project.root, "push", "-q", "origin", f"agent/{run}/{lane}")
    return run, lane, merged


@pytest.mark.promise("runs.git-is-true")
def test_what_a_lost_clone_merged_is_merged_again_from_what_it_pushed(tmp_path: Path) -> None:
    clones = Clones(tmp_path)
    one, two = clones.clone("one"), clones.clone("two")
    run, lane, merged = _merge_unpushed(one)
    _sync(one)
    _sync(two)
    assert [each.lane for each in show_run(two).unmerged] == [lane]

    resume_run(two, run, actor="orchestrator", without=merged[:10], caller=PERSON)

    now = open_runs(two).run(run)[0]
    assert now.lanes[lane].status is LaneStatus.FINISHED
    assert now.tasks["TASK-001"].status is TaskStatus.PENDING
    assert merge_lane(two, Saying(lane=lane)).conflict is None
    assert "b.py" in git(two.root, "ls-tree", "--name-only", f"agent/{run}/work")
    assert show_run(two).unmerged == ()
    assert "- [x] every lane is merged" in pull_request(two, run, actor="orchestrator").checklist


def test_what_follows_from_a_word_that_nobody_vouches_for_counts_for_nothing(
    tmp_path: Path,
) -> None:
    clones = Clones(tmp_path)
    one, two = clones.clone("one"), clones.clone("two")
    run, lane, merged = _merge_unpushed(one)
    task_step(one, Saying(task="TASK-002"), "task-dropped", {"reason": "not needed"})
    for phase in (Phase.EXECUTION, Phase.VERIFICATION):
        go_to_phase(one, Saying(), phase)
    _sync(one)
    _sync(two)

    resume_run(two, run, actor="orchestrator", without=merged[:10], caller=PERSON)
    _sync(two)
    _sync(one)

    there, here = (open_runs(project).run(run)[0] for project in (two, one))
    assert (there.phase, there.tasks["TASK-001"].status) == (Phase.EXECUTION, TaskStatus.PENDING)
    said = [each for each in open_runs(one).events(run) if each.text("without") == merged]
    assert [each.kind for each in said] == ["task-reopened", "phase-entered"]
    assert all(each.is_claim for each in said)  # one does not trust who says it
    assert here.lanes[lane].status is LaneStatus.MERGED
    assert (here.phase, here.tasks["TASK-001"].status) == (Phase.VERIFICATION, TaskStatus.COMPLETED)


def test_nothing_is_given_up_while_it_may_lie_where_nobody_looked(tmp_path: Path) -> None:
    clones = Clones(tmp_path)
    project = clones.clone("one")
    run = _begin(project)
    open_lane(project, Saying(task="TASK-001"))
    runs = open_runs(project)
    runs.say(run, Happening(kind="commit-made", actor="engineer", detail={"commit": NOWHERE}))

    def go_on() -> None:
        resume_run(project, run, actor="orchestrator", without=NOWHERE[:10], caller=PERSON)

    clones.remote.rename(tmp_path / "away.git")
    with pytest.raises(UnavailableError, match="origin was not reached"):
        go_on()
    (tmp_path / "away.git").rename(clones.remote)
    shallow = project.root / ".git" / "shallow"
    shallow.write_text(git(project.root, "rev-parse", "HEAD") + "\n")
    with pytest.raises(UnavailableError, match="shallow") as refused:
        go_on()
    assert "git fetch --unshallow" in refused.value.hint
    shallow.unlink()
    go_on()
    assert any(each.kind == "commit-given-up" for each in runs.events(run))
