"""Goal: who works in lanes with others is told what became of them, and nothing that is not so.

Method: a bare remote and two clones with real git, each with a home of its own; what is drawn is
read.
"""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from agentx.kernel.errors import ConflictError, IllegalTransition
from agentx.operations.runs.claiming import take_lane
from agentx.operations.runs.lane import finish_lane, merge_lane, open_lane
from agentx.operations.runs.phases import go_to_phase
from agentx.operations.runs.read import RunOverview, show_run
from agentx.operations.runs.recover import pull_request, resume_run
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import record_event, run_checks, task_step
from agentx.project.project import Project
from agentx.runs.limits import RUN_CLAIM_MS
from agentx.surfaces.cli.commands.runs.draw import draw_lanes, draw_list
from agentx.wiring.runs import open_runs
from tests.support.repository import commit, git
from tests.support.two_people import FIRST, PERSON, SECOND, Two


def _open(both: Two, project: Project, task: str, **files: str) -> tuple[str, Path]:
    both.clock.advance(1_000)
    opened = open_lane(project, Saying(task=task))
    assert opened.lane is not None
    folder = Path(opened.folder)
    commit(folder, "work", **files)
    git(project.root, "push", "-q", "origin", opened.lane.branch)
    return opened.lane.id, folder


def _take_away(both: Two) -> tuple[str, Path]:
    lane, folder = _open(both, both.one, FIRST, a_py="a = 1\n")
    both.sync(both.one)
    both.sync(both.two)
    take_lane(both.two, Saying(lane=lane), PERSON)
    return lane, folder


def test_who_lost_a_lane_is_told_that_before_what_is_not_committed_in_it(both: Two) -> None:
    lane, folder = _take_away(both)
    (folder / "a.py").write_text("a = 2\n")

    with pytest.raises(IllegalTransition, match=f"{FIRST} is held by .* of bert") as refused:
        finish_lane(both.one, Saying(lane=lane))

    assert f"; {FIRST} is not yours: orchestrator of bert (" in refused.value.hint
    assert refused.value.hint.endswith(f"{lane} went there")


@pytest.mark.parametrize("how", ["refused", "renewed", "checked"])
def test_what_an_exchange_found_is_told_also_by_a_verb_about_something_else(
    both: Two, how: str
) -> None:
    other, folder = _open(both, both.one, SECOND, b_py="b = 1\n")
    _take_away(both)
    (folder / "b.py").write_text("b = 2\n")
    said: tuple[str, ...]

    if how == "refused":
        with pytest.raises(ConflictError, match="not committed") as refused:
            finish_lane(both.one, Saying(lane=other))
        said = (refused.value.hint,)
    else:
        both.clock.advance(RUN_CLAIM_MS * 3 // 4)  # work renews the claim
        by = Saying(task=SECOND)
        if how == "renewed":
            said = task_step(both.one, by, "task-progressed", {"text": "x"}).remarks
        else:
            said = run_checks(both.one, by, ["true"]).told.remarks

    assert any(f"{FIRST} is not yours: orchestrator of bert (" in word for word in said)
    assert both.sync(both.one).remarks == ()  # told once


def _draw(found: RunOverview) -> dict[str, str]:
    out = io.StringIO()
    draw_lanes(Console(file=out, width=200), found, found.updated_ms)
    return {line.split()[0]: line for line in out.getvalue().splitlines() if line.strip()}


def test_a_lane_whose_task_another_holds_is_not_theirs_and_gets_no_folder_there(both: Two) -> None:
    both.go_offline()
    lanes = []
    for project in (both.one, both.two):
        both.clock.advance(1_000)
        opened = open_lane(project, Saying(task=FIRST))
        assert opened.lane is not None
        lanes.append(opened.lane.id)
        commit(Path(opened.folder), "work", b_py="b = 1\n")
    both.go_online()
    branch = f"agent/{both.run_id}/{lanes[1]}"
    git(both.two.root, "push", "-q", "origin", branch)
    for project in (both.one, both.two, both.one):
        both.sync(project)

    _, rebuilt = resume_run(both.one, both.run_id, actor="executor")

    assert not any(lanes[1] in word for word in rebuilt.remarks)
    drawn = _draw(show_run(both.one))
    assert "yours" in drawn[lanes[0]]
    assert "yours" not in drawn[lanes[1]]


def test_a_work_branch_that_nobody_pushed_is_named_where_a_pull_request_is_spoken_of(
    both: Two,
) -> None:
    lane, _ = _open(both, both.one, FIRST, a_py="a = 1\n")
    merge_lane(both.one, Saying(lane=lane))
    task_step(both.one, Saying(task=SECOND), "task-dropped", {"reason": "not needed"})
    work = f"agent/{both.run_id}/work"
    said = f"{work} is not pushed as it is here: `git push origin {work}`"

    assert said in pull_request(both.one, actor="executor").remarks
    git(both.one.root, "push", "-q", "origin", work)
    assert said not in pull_request(both.one, actor="executor").remarks
    commit(open_runs(both.one).git.folder(both.run_id, "work"), "more", c_py="c = 1\n")
    assert said in pull_request(both.one, actor="executor").remarks
    offered = {"kind": "pattern", "text": "tests need a port of their own", "confidence": "LOW"}
    record_event(both.one, Saying(), "candidate-proposed", offered)
    for _ in range(4):
        assert not go_to_phase(both.one, Saying(), "next").run.over
    ended = go_to_phase(both.one, Saying(), "next")
    assert ended.run.over
    assert said in ended.remarks
    assert any("1 lesson waits for a word" in word for word in ended.remarks)


def test_where_every_run_is_packed_away_that_is_said() -> None:
    out = io.StringIO()
    draw_list(Console(file=out, width=80), (), 0, packed=2)
    assert "2 runs packed away" in out.getvalue()
    assert "agentx run list --archived" in out.getvalue()
    assert "no runs yet" not in out.getvalue()
