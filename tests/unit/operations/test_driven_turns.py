"""Goal: whatever an agent leaves or says, its turn ends, what it took counts, no work is lost.

Method: a run that is driven in this process with real git; agents are functions.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.agents.runners.port import Ask
from agentx.kernel.ids import shorten_run
from agentx.operations.driving.asked import DriveBounds, DriveEnd, NewsOf
from agentx.operations.driving.turn_ends import GivenTurn
from agentx.operations.runs.recover import pull_request
from agentx.runs.parts.turns import TurnEnd
from tests.support.driven import DONE, Stage, write_file
from tests.support.repository import git

TOOK = 1_100


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(tmp_path, monkeypatch)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_of_the_driver_in_a_turn_ends_the_turn_and_is_told(stage: Stage) -> None:
    def break_down(_ask: Ask, folder: Path) -> str:
        (folder / "made.txt").write_text("made\n")
        raise ValueError("nobody thought of that")

    stage.plays = break_down
    end = stage.drive("One")

    assert end.ended is DriveEnd.STUCK
    assert "nobody thought of that" in end.reason
    assert len(stage.asks) == 1
    assert [turn.end for turn in stage.run.turns] == [TurnEnd.FAILED]
    assert (stage.folder(next(iter(stage.run.lanes))) / "made.txt").exists()
    stage.drive()
    assert [turn.end for turn in stage.run.turns] == [TurnEnd.FAILED] * 2
    assert stage.drive().ended is DriveEnd.WAITS  # a person is asked
    assert len(stage.asks) == 2


def test_a_run_that_is_done_is_said_to_be_to_who_was_killed_before_they_heard(stage: Stage) -> None:
    assert stage.drive("One").ended is DriveEnd.DONE

    again = stage.drive(run_id=stage.run.id)
    assert (again.ended, again.tasks_done, again.turns) == (DriveEnd.DONE, 1, 1)
    assert again.reason.startswith("it was completed before; `agentx run event --type run-reopened")


@pytest.mark.parametrize(
    "said",
    [
        f"{DONE} \ud800 and \0",
        f"{DONE}\nLEARNT:\n- pattern: \ud800\n- error:\n- pattern: {'x' * 200_000}",
        "STATUS: done\nSUMMARY: \0\ud800",
    ],
)
def test_what_no_file_can_hold_is_no_reason_to_stop(stage: Stage, said: str) -> None:
    stage.plays = lambda ask, folder: said if write_file(ask, folder) else ""

    end = stage.drive("One")

    assert (end.ended, end.turns) == (DriveEnd.DONE, 1), end.reason


def test_a_question_without_end_is_asked_with_its_ends(stage: Stage) -> None:
    stage.plays = lambda _ask, _folder: (
        f"STATUS: question\nQUESTION: a{'b' * 3_000_000}c\nOPTIONS:\n- {'o' * 100_000}"
    )

    end = stage.drive("One")

    assert end.ended is DriveEnd.WAITS
    (asked,) = stage.run.escalations.values()
    assert asked.question.startswith("ab")
    assert len(asked.question) < 5_000


def _detach(_ask: Ask, folder: Path) -> str:
    git(folder, "switch", "-q", "--detach")
    (folder / "made.txt").write_text("made\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "mine")
    (folder / "more.txt").write_text("made\n")
    return DONE


def _branch_off(_ask: Ask, folder: Path) -> str:
    git(folder, "switch", "-q", "-c", "feature")
    (folder / "made.txt").write_text("made\n")
    return DONE


def _lose_link(_ask: Ask, folder: Path) -> str:
    (folder / ".git").unlink()
    (folder / "made.txt").write_text("made\n")
    return DONE


@pytest.mark.parametrize("plays", [_detach, _branch_off, _lose_link])
def test_work_beside_the_branch_of_the_lane_is_put_on_it(stage: Stage, plays: object) -> None:
    stage.plays = plays  # type: ignore[assignment]  # a function of an ask and a folder

    end = stage.drive("One", checks=["test -f made.txt"])

    assert end.ended is DriveEnd.DONE, end.reason
    assert git(stage.project.root, "show", f"{end.work_branch}:made.txt") == "made"


@pytest.mark.parametrize("branch", ["main", "release"])
def test_a_branch_of_people_that_an_agent_moved_is_told(stage: Stage, branch: str) -> None:
    root = stage.project.root
    git(root, "branch", "release")

    def move(_ask: Ask, folder: Path) -> str:
        (folder / "made.txt").write_text("made\n")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "mine")
        git(folder, "update-ref", f"refs/heads/{branch}", "HEAD")
        return DONE

    stage.plays = move
    assert stage.drive("One").ended is DriveEnd.DONE

    told = f"{branch} now holds what was committed in this lane, which was not checked"
    assert [text.partition(":")[0] for text in stage.texts(NewsOf.LANE)][1:] == [told]
    assert [told in event.text("text") for event in stage.events if event.kind == "note"] == [True]


def test_a_task_for_which_nothing_was_changed_is_told_as_that(stage: Stage) -> None:
    stage.plays = lambda _ask, _folder: DONE
    end = stage.drive("One")

    found = pull_request(stage.project, end.run_id, actor="orchestrator")
    assert "**One** (TASK-001)\n  nothing was changed for it\n" in found.description


def test_a_repository_that_an_agent_made_in_its_lane_is_never_asked(
    stage: Stage, tmp_path: Path
) -> None:
    trap = tmp_path / "sprung"

    def swap(_ask: Ask, folder: Path) -> str:
        (folder / ".git").unlink()
        git(folder, "init", "-q")
        git(folder, "config", "filter.trap.clean", f"touch {trap}; cat")
        (folder / ".gitattributes").write_text("* filter=trap\n")
        (folder / "made.txt").write_text("made\n")
        return DONE

    stage.plays = swap
    end = stage.drive("One", checks=["test -f made.txt"])

    assert end.ended is DriveEnd.DONE, end.reason
    assert not trap.exists()
    assert any("repository of its own" in text for text in stage.texts(NewsOf.LANE))


def test_who_went_to_other_work_is_told_and_nothing_of_it_is_merged(stage: Stage) -> None:
    def leave(_ask: Ask, folder: Path) -> str:
        if len(stage.asks) == 1:
            return write_file(_ask, folder)
        git(folder, "switch", "-q", "-c", "elsewhere", "main")
        (folder / "other.txt").write_text("other\n")
        return DONE

    stage.plays = leave
    end = stage.drive("One", checks=["test -f other.txt"])

    assert end.ended is not DriveEnd.DONE
    assert "elsewhere" in end.reason
    assert stage.run.turns[-1].end is TurnEnd.FAILED
    assert end.tokens == 2 * TOOK


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_turn_that_was_cut_off_counts_as_others_did(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def be_killed(ask: Ask, folder: Path) -> str:
        if "TASK-002" in ask.question:
            raise KeyboardInterrupt  # what a thread of a process that is killed does: nothing more
        return write_file(ask, folder)

    stage.plays = be_killed
    with monkeypatch.context() as killed:
        killed.setattr(GivenTurn, "_break_off", lambda _turn, _error: None)
        stage.drive("One", "Two", bounds=DriveBounds(lanes=1))
    stage.plays = write_file
    end = stage.drive()

    assert end.ended is DriveEnd.DONE, end.reason
    assert [turn.end for turn in stage.run.turns] == [TurnEnd.DONE, TurnEnd.CUT, TurnEnd.DONE]
    assert end.tokens == 3 * TOOK
    assert end.is_estimated


def test_how_a_run_goes_on_is_told_with_what_it_was_driven_with(stage: Stage) -> None:
    stage.plays = lambda _ask, _folder: "STATUS: question\nQUESTION: which?"

    end = stage.drive("One", setup="test -d . && true", role="tester")

    again = " --runner claude-code --setup 'test -d . && true' --role tester"
    assert end.next[-1] == f"agentx run drive {shorten_run(end.run_id)}{again}"


def test_who_changed_nothing_and_says_it_is_done_is_told(stage: Stage) -> None:
    stage.plays = lambda _ask, _folder: DONE

    assert stage.drive("One").ended is DriveEnd.DONE
    assert any("nothing is changed in its lane" in text for text in stage.texts(NewsOf.TURN))
    stage.told.clear()
    stage.plays = write_file
    stage.drive("One")
    assert not any("nothing is changed" in text for text in stage.texts(NewsOf.TURN))


def test_what_lies_inside_of_a_submodule_is_left_to_a_person(stage: Stage) -> None:
    def make(folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        git(folder, "init", "-q")
        git(folder, "commit", "-q", "--allow-empty", "-m", "x")

    make(stage.project.root / "sub")
    git(stage.project.root, "add", "sub")
    git(stage.project.root, "commit", "-q", "-m", "a submodule")

    def nest(_ask: Ask, folder: Path) -> str:
        make(folder / "sub")
        (folder / "sub" / "made.txt").write_text(f"{len(stage.asks)}\n")
        return DONE

    stage.plays = nest
    end = stage.drive("One", turns=2)

    assert (end.ended, end.turns) == (DriveEnd.WAITS, 2), end.reason
    assert "sub lies in the lane uncommitted" in end.waits_for[0]
