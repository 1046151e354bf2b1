"""Goal: a command works for the run that is meant, and asks where that is not clear.

Method: two runs of one checkout; somebody stands in a lane's folder, or an environment says it, or
neither.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentx.kernel.errors import (
    AgentXError,
    ConflictError,
    IllegalTransition,
    InvalidValue,
    NotFound,
)
from agentx.runs.checking.check_work import CheckWork
from agentx.runs.choosing.place import Aim, WorkPlace, find_place
from agentx.runs.choosing.which_run import WhichRun
from agentx.runs.lacking.mending import say_mending
from agentx.runs.paths import RunNotes
from agentx.runs.replies import Unmerged
from agentx.runs.taking.claim_work import ClaimWork
from agentx.runs.taking.lane_taking import LaneTaking
from tests.support.run_stories import Team

RUN = "20260302-1000-a-run-0001"


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path / "repo", tmp_path / "data")


def choosing(team: Team, **said: Any) -> WhichRun:
    return WhichRun(team.store, lambda: WorkPlace(**said))


@pytest.mark.parametrize(
    ("below", "variables", "expected"),
    [
        ("lane-001-ab12", {}, WorkPlace(run=RUN, lane="lane-001-ab12")),
        ("lane-001-ab12/src/deep", {}, WorkPlace(run=RUN, lane="lane-001-ab12")),
        ("lane-001-ab12", {"AGENTX_RUN": "other"}, WorkPlace(run=RUN, lane="lane-001-ab12")),
        ("work", {"AGENTX_TASK": "TASK-002"}, WorkPlace(run=RUN, task="TASK-002")),
        ("work", {"AGENTX_RUN": "9999", "AGENTX_TASK": "TASK-002"}, WorkPlace(run=RUN)),
        ("work", {"AGENTX_RUN": "0001", "AGENTX_LANE": "l"}, WorkPlace(run=RUN, lane="l")),
    ],
)
def test_the_folder_of_a_lane_comes_before_the_environment(
    tmp_path: Path, below: str, variables: dict[str, str], expected: WorkPlace
) -> None:
    folder = RunNotes(tmp_path).worktrees / RUN / below
    folder.mkdir(parents=True)

    assert find_place(RunNotes(tmp_path), folder, variables) == expected


@pytest.mark.parametrize("elsewhere", ["", "worktrees", f"worktrees/{RUN}", "worktreesish/a/b"])
def test_elsewhere_the_environment_says_it(tmp_path: Path, elsewhere: str) -> None:
    folder = tmp_path / elsewhere
    folder.mkdir(parents=True, exist_ok=True)
    variables = {"AGENTX_RUN": " 0001 ", "AGENTX_LANE": "lane-002", "AGENTX_TASK": "TASK-003"}

    said = find_place(RunNotes(tmp_path), folder, variables)

    assert said == WorkPlace(run="0001", lane="lane-002", task="TASK-003", is_said=True)


def test_a_link_into_a_lane_stands_in_the_lane(tmp_path: Path) -> None:
    lane = RunNotes(tmp_path).worktrees / RUN / "lane-001-ab12"
    lane.mkdir(parents=True)
    (tmp_path / "short").symlink_to(lane)

    assert find_place(RunNotes(tmp_path), tmp_path / "short", {}).lane == "lane-001-ab12"


def test_of_several_in_progress_none_is_taken_by_chance(team: Team) -> None:
    first = team.runs.start("one").id
    assert choosing(team).choose("") == first
    team.clock.advance(120_000)
    second = team.runs.start("two").id

    for verb in (choosing(team).choose, choosing(team).choose_to_see):
        with pytest.raises(InvalidValue, match="2 runs are in progress") as caught:
            verb("")
        assert first in caught.value.message
        assert second in caught.value.message
        assert f"--run {second[-4:]}" in caught.value.hint
    assert (choosing(team).find_meant(), choosing(team).active()) == ("", second)
    assert choosing(team).choose(first[-4:]) == first

    team.says(second, "run-failed", reason="no")
    assert choosing(team).choose("") == first
    team.says(first, "run-failed", reason="no")
    assert (choosing(team).active(), choosing(team).choose_to_see("")) == ("", second)
    with pytest.raises(NotFound, match="no run is going on"):
        choosing(team).choose("")
    with pytest.raises(NotFound):
        choosing(team).choose("20260302-1000-nobody-0000")


def test_who_goes_on_with_a_run_that_ended_is_told_who_ended_it_and_how_it_is_taken_up(
    team: Team,
) -> None:
    with pytest.raises(NotFound, match=r"^no run is going on$") as none:
        choosing(team).choose("")
    assert none.value.hint.startswith('`agentx run start "TITLE"`')
    first = team.runs.start("one").id
    team.clock.advance(120_000)
    second = team.runs.start("two").id
    team.says(second, "run-failed", reason="too late")
    team.clock.advance(120_000)
    team.says(first, "run-failed", reason="no budget")  # the last one that ended

    with pytest.raises(NotFound) as ended:
        choosing(team).choose("")

    said = f"no run is going on: executor ended {first}: FAILED: no budget"
    assert ended.value.message == said
    again = f"`agentx run event --type run-reopened --run {first[-4:]}`"
    assert ended.value.hint == (
        f"{again} takes it up again, its lanes keep their commits; "
        '`agentx run start "TITLE"` begins another'
    )
    with pytest.raises(
        IllegalTransition, match=r"is FAILED \(too late\): task-added cannot"
    ) as refused:
        team.says(second, "task-added", task="T", title="x")
    assert f"--run {second[-4:]}" in refused.value.hint


def test_a_refusal_offers_commands_about_the_run_that_was_named(team: Team) -> None:
    first = team.runs.start("one").id
    with pytest.raises(ConflictError) as meant, choosing(team).naming(first):
        raise ConflictError("it is held", hint="`agentx run task list`")
    assert meant.value.hint == "`agentx run task list`"  # it is meant where none is named
    team.clock.advance(120_000)
    second = team.runs.start("two").id
    hints = {
        "see `agentx run task list`, or `agentx run show`": (
            "see `agentx run task list --run {0}`, or `agentx run show {0}`"
        ),
        "`agentx run list` shows them": "`agentx run list` shows them",
        "`agentx run verify --run pytest`": "`agentx run verify --run {0} --run pytest`",
        "`agentx run verify --run 'a; `b`'`": "`agentx run verify --run {0} --run 'a; `b`'`",
        "`agentx run verify -- pytest -q`": "`agentx run verify --run {0} -- pytest -q`",
        "`agentx run phase next; git log`": "`agentx run phase next --run {0}; git log`",
        '`agentx run task done T "a; (b)"`': '`agentx run task done T "a; (b)" --run {0}`',
        "look (agentx run context --task T)": "look (agentx run context --task T --run {0})",
        "git branch x 1a2b; agentx run lane merge x": (
            "git branch x 1a2b; agentx run lane merge x --run {0}"
        ),
    }

    for given, offered in hints.items():
        for here in (choosing(team), choosing(team, run=first)):
            with pytest.raises(ConflictError) as told, here.naming(second):
                raise ConflictError("it is held", hint=given)
            assert told.value.hint == offered.format(second[-4:])


def test_whatever_refuses_something_names_the_run_in_what_it_offers(team: Team) -> None:
    first = team.runs.start("one").id
    team.clock.advance(120_000)
    second = team.runs.start("two").id
    run = team.runs.run(second)[0]
    team.says(second, "task-added", task="T", title="x")
    verify = CheckWork(team.runs)
    refused: dict[str, Callable[[], object]] = {
        "task list": lambda: team.runs.context(second, "gone", 1_000),
        "task add TITLE": lambda: ClaimWork(team.runs).find_task(second, "gone"),
        "verify": lambda: verify.run(Aim(run_id=second), (), actor="verifier", wait_ms=1),
        "lane list": lambda: LaneTaking(team.runs).find(second, "gone"),
    }

    for offered, ask in refused.items():
        with pytest.raises(AgentXError) as told:
            ask()
        assert f"`agentx run {offered} --run {second[-4:]}" in told.value.hint
    lost = Unmerged(lane="lane-001-ab12", task="T", commit="1a2b", why="", is_here=True)
    assert f"merge lane-001-ab12 --run {second[-4:]}`" in say_mending(second, lost)
    again = "git branch b 1a2b; agentx run lane merge lane-001-ab12"
    assert choosing(team, run=first).complete(again, run) == f"{again} --run {second[-4:]}"


def test_where_one_stands_decides_though_another_was_used_last(team: Team) -> None:
    first = team.runs.start("one").id
    team.clock.advance(120_000)
    second = team.runs.start("two").id
    team.says(second, "note", text="used last")

    here = choosing(team, run=first)
    assert (here.choose(""), here.choose_to_see(""), here.active()) == (first,) * 3
    assert here.choose(second) == second
    with pytest.raises(NotFound, match="AGENTX_RUN: gone: no such run"):
        choosing(team, run="gone", is_said=True).choose("")
    with pytest.raises(NotFound, match="AGENTX_RUN: gone: no such run"):
        choosing(team, run="gone", is_said=True).choose_shown()
    assert choosing(team, run=second, is_said=True).choose_shown() == second


def test_a_lane_and_its_task_are_known_by_the_folder(team: Team) -> None:
    run_id = team.runs.start("one").id
    team.says(run_id, "task-added", task="TASK-001", title="checker")
    team.says(run_id, "lane-opened", lane="lane-001-ab12", task="TASK-001", branch="b")
    run = team.runs.run(run_id)[0]

    here = choosing(team, run=run_id, lane="lane-001-ab12")
    assert here.find_task(run) == "TASK-001"
    assert here.choose_lane("") == "lane-001-ab12"
    assert here.choose_lane("lane-002") == "lane-002"
    assert choosing(team, run=run_id, lane="lane-009").find_task(run) == ""
    assert choosing(team, task="TASK-004", lane="lane-001-ab12").find_task(run) == "TASK-004"
    with pytest.raises(InvalidValue, match="not said which lane"):
        choosing(team).choose_lane("")


def test_what_is_proposed_can_be_typed_though_several_are_in_progress(team: Team) -> None:
    first = team.runs.start("one")
    start = "agentx run task start TASK-001"
    assert choosing(team).complete(start, first) == start
    team.clock.advance(120_000)
    team.runs.start("two")

    here = choosing(team)
    assert here.complete(start, first) == f"{start} --run {first.id[-4:]}"
    assert here.complete("agentx run pr", first) == f"agentx run pr {first.id[-4:]}"
    for said in (f"agentx run resume {first.id}", ""):
        assert here.complete(said, first) == said
    assert choosing(team, run=first.id).complete(start, first) == start
    team.says(first.id, "run-failed", reason="no")
    over = team.runs.run(first.id)[0]
    assert choosing(team).complete("agentx run archive", over).endswith(f" {first.id[-4:]}")
