"""Goal: a shallow clone gives no advice that throws work of others away.

Method: a bare remote and two clones with real git, the second of the last commits alone. All was
pushed and merged; git cannot tell so there until the history is brought.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.host.git.command import do_git
from agentx.kernel.errors import IllegalTransition
from agentx.operations.runs.lane import merge_lane, open_lane
from agentx.operations.runs.read import show_run
from agentx.operations.runs.recover import pull_request, resume_run
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.sync import sync_runs
from agentx.operations.runs.write import add_task, start_run
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.runs.lacking.mending import say_mending
from agentx.runs.model import Contract
from agentx.runs.store.shared.branches import fail_git
from agentx.wiring.runs import list_gone_runs, list_unmerged_runs, open_runs
from tests.support.repository import commit, git
from tests.support.run_clones import Clones

PERSON = WhoCalls(via=Via.TERMINAL)
DESTROYS = ("--delete", "--without", "branch -D", "pushes it", "worktree remove")


def _sync(project: Project) -> None:
    sync_runs(project, agrees=lambda _where: True, caller=PERSON)


@pytest.fixture(name="shallow")
def _make_shallow(tmp_path: Path) -> tuple[Project, str, list[str]]:
    """A shallow clone of a run whose lanes are both merged and pushed; the run; its lanes."""
    clones = Clones(tmp_path)
    one = clones.clone("one")
    run = start_run(one, "shared", actor="orchestrator").id
    lanes: list[str] = []
    for title in ("first", "second"):
        add_task(one, Saying(), Contract(title=title))
        opened = open_lane(one, Saying(task=f"TASK-00{len(lanes) + 1}"))
        assert opened.lane is not None
        lanes.append(opened.lane.id)
        for text in "ab":
            commit(Path(opened.folder), f"{title} {text}", **{f"{title}_py": text})
        merge_lane(one, Saying(lane=lanes[-1]))
    git(one.root, "push", "-q", "origin", f"refs/heads/agent/{run}/*:refs/heads/agent/{run}/*")
    _sync(one)
    cut = clones.clone("cut", depth=1)
    _sync(cut)
    return cut, run, lanes


def test_a_shallow_clone_names_what_is_missing_and_nothing_to_delete(
    shallow: tuple[Project, str, list[str]],
) -> None:
    project, run, lanes = shallow
    found = show_run(project, run, caller=PERSON)
    resumed, _ = resume_run(project, run, actor="orchestrator", caller=PERSON)
    page = pull_request(project, run, actor="orchestrator")
    mends = [say_mending(run, unmerged[0]) for _, unmerged in list_unmerged_runs(project)]
    mends += [say_mending(run, gone) for _, gone in list_gone_runs(project)]

    assert {each.lane for each in found.unmerged} == set(lanes)
    for steps in (found.next, resumed.next):
        (said,) = [each for each in steps if "shallow" in each.text]
        assert said.command == f"git fetch --unshallow; agentx run resume {run}"
        assert all(lane in said.text for lane in lanes)
    assert not page.ready
    assert "this clone is shallow" in page.checklist
    assert mends
    assert all("git fetch --unshallow" in each for each in mends)
    texts = [f"{each.text} {each.command}" for each in (*found.next, *resumed.next)]
    assert not [text for text in (*texts, *mends) for word in DESTROYS if word in text]


def test_what_a_shallow_clone_cannot_do_says_how_it_can(
    shallow: tuple[Project, str, list[str]],
) -> None:
    project, run, lanes = shallow
    with pytest.raises(IllegalTransition, match="shallow") as refused:
        merge_lane(project, Saying(lane=lanes[1]))
    assert "git fetch --unshallow" in refused.value.hint
    with pytest.raises(IllegalTransition, match="shallow") as refused:
        open_runs(project).check_merged(open_runs(project).run(run)[0])
    assert "git fetch --unshallow" in refused.value.hint

    words = ("merge", "--no-edit", f"origin/agent/{run}/{lanes[1]}")
    said = do_git(project.root, *words)
    assert "git fetch --unshallow" in fail_git(project.root, "merge", said).hint

    git(project.root, "fetch", "-q", "--unshallow")
    resume_run(project, run, actor="orchestrator", caller=PERSON)
    assert not show_run(project, run, caller=PERSON).unmerged
