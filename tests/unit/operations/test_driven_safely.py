"""Goal: a driver merges only what was checked, runs only what a person approved, keeps to bounds.

Method: as for the turns of a driven run: real git, agents that are functions.
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agentx.agents.driving.plan import PlannedTask
from agentx.agents.runners.port import Ask
from agentx.host.program import ending_programs
from agentx.host.system import SystemClock
from agentx.kernel.errors import AgentUnavailable, ConflictError, InvalidValue, UnavailableError
from agentx.operations.driving import drive as driving
from agentx.operations.driving import merging
from agentx.operations.driving.asked import DriveBounds, DriveEnd, NewsOf
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import (
    add_task,
    record_event,
    revise_task,
    start_run,
    write_artifact,
)
from agentx.runs.model import ORCHESTRATOR, Contract
from agentx.runs.parts.turns import TurnEnd
from agentx.runs.store.executing import execute
from agentx.wiring.runners import runner_in_lane
from tests.support.driven import DONE, Stage, write_file
from tests.support.mcp_agent import Agent
from tests.support.repository import git
from tests.support.two_people import PERSON

ASKS = "STATUS: question\nQUESTION: which?"


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(tmp_path, monkeypatch)


def _commit_by_hand(folder: Path) -> None:
    (folder / "made.txt").write_text("bad\n")
    git(folder, "commit", "-q", "-am", "by hand")


def test_what_was_committed_after_the_checks_is_checked_before_it_is_merged(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = merging.tell_unchecked
    before: list[str] = []

    def commit_first(*given: object) -> str:
        if not before:
            before.append("now")
            _commit_by_hand(stage.folder(next(iter(stage.run.lanes))))
        return look(*given)  # type: ignore[arg-type]  # a desk and a move

    monkeypatch.setattr("agentx.operations.driving.drive.tell_unchecked", commit_first)
    stage.plays = lambda ask, folder: (
        write_file(ask, folder) if "not all passed" not in ask.question else _mend(folder)
    )
    end = stage.drive("One", checks=["grep -q made made.txt"])

    assert end.ended is DriveEnd.DONE, end.reason
    assert any("checked again" in text for text in stage.texts(NewsOf.CHECK))
    assert end.turns == 2  # the second check failed, and went back
    assert not any("the whole failed" in text for text in stage.texts(NewsOf.CHECK))


def _mend(folder: Path) -> str:
    (folder / "made.txt").write_text("made\n")
    return DONE


def test_a_lane_that_changes_whenever_it_is_checked_is_set_aside(stage: Stage) -> None:
    moves = "git -c user.name=a -c user.email=b commit -q --allow-empty -m x; date +%N > made.txt; "
    moves += "git -c user.name=a -c user.email=b commit -qam y"

    end = stage.drive("One", checks=[moves])

    assert end.ended is DriveEnd.STUCK
    assert "changes while it is checked" in end.reason
    assert end.turns == 1


def test_what_checks_leave_lying_goes_back_to_the_agent(stage: Stage) -> None:
    def tidy(ask: Ask, folder: Path) -> str:
        if "junk.txt" in ask.question:
            (folder / ".gitignore").write_text("junk.txt\n")
        return write_file(ask, folder)

    stage.plays = tidy
    end = stage.drive("One", checks=["date +%N > junk.txt"])

    assert (end.ended, end.turns) == (DriveEnd.DONE, 2), end.reason
    assert "junk.txt" not in git(stage.project.root, "ls-tree", "--name-only", end.work_branch)


def _begin_waiting(stage: Stage, *titles: str, **more: Any) -> None:
    stage.plays = lambda _ask, _folder: ASKS
    assert stage.drive(*titles, **more).ended is DriveEnd.WAITS


def _answer_all(stage: Stage) -> None:
    for name in list(stage.run.escalations):
        detail = {"escalation": name, "resolution": "this one"}
        by = Saying(actor="user")
        record_event(stage.project, by, "escalation-resolved", detail, caller=PERSON)


def test_checks_that_an_agent_adds_are_not_run_before_a_person_approves_them(
    stage: Stage, tmp_path: Path
) -> None:
    trap = tmp_path / "sprung"
    _begin_waiting(stage, "One")
    by = Saying(run_id=stage.run.id, task="TASK-001")
    revise_task(stage.project, by, {"checks": ("true", f"touch {trap}")})
    _answer_all(stage)
    stage.plays = write_file

    end = stage.drive(approve=_says_no)
    assert end.ended is DriveEnd.STUCK
    assert "nobody approved" in end.reason
    assert "--runner claude-code --approve-checks" in end.reason
    assert (end.turns, trap.exists()) == (1, False)  # the one that asked: none is spent on it

    asked: list[str] = []

    def approve(checks: tuple[str, ...]) -> bool:
        asked.extend(checks)
        return True

    assert stage.drive(approve=approve).ended is DriveEnd.DONE
    assert asked == [f"touch {trap}"]
    assert trap.exists()


def test_a_plan_that_nobody_gave_to_the_driver_brings_no_checks(
    stage: Stage, tmp_path: Path
) -> None:
    trap = tmp_path / "sprung"
    stage.plays = lambda _ask, _folder: "no plan"
    assert stage.drive(title="A run", checks=("true",)).ended is DriveEnd.STUCK
    planned = {"tasks": [{"id": "TASK-001", "title": "One", "checks": [f"touch {trap}"]}]}
    write_artifact(stage.project, Saying(), "plan.json", json.dumps(planned))
    stage.plays = write_file

    end = stage.drive(approve=_says_no)

    assert end.ended is DriveEnd.STUCK
    assert "nobody approved" in end.reason
    assert not trap.exists()


def test_checks_that_a_run_has_before_it_is_driven_are_run_by_nobody_who_did_not_see_them(
    stage: Stage, tmp_path: Path
) -> None:
    trap = tmp_path / "sprung"
    start_run(stage.project, "A run", checks=(f"touch {trap}",), actor=ORCHESTRATOR)
    add_task(stage.project, Saying(), Contract(title="One"))
    stage.plays = write_file

    with pytest.raises(ConflictError, match="which nobody approved"):
        stage.drive(approve=_says_no)
    assert not stage.run.turns
    assert not trap.exists()

    assert stage.drive(approve=lambda _seen: True).ended is DriveEnd.DONE
    assert trap.exists()


def _says_no(_seen: tuple[str, ...]) -> bool:
    return False


def _count_at_once(stage: Stage) -> Callable[[], int]:
    lock, at_work, most = threading.Lock(), [0], [0]
    met = threading.Event()

    def play(ask: Ask, folder: Path) -> str:
        with lock:
            at_work[0] += 1
            most[0] = max(most[0], at_work[0])
        met.wait(0.3)
        with lock:
            at_work[0] -= 1
        return write_file(ask, folder)

    stage.plays = play
    return lambda: most[0]


def test_no_more_agents_work_at_once_than_lanes_are_allowed(stage: Stage) -> None:
    count = _count_at_once(stage)
    assert stage.drive("One", "Two", "Three", bounds=DriveBounds(lanes=2)).ended is DriveEnd.DONE
    assert count() == 2


def test_lanes_that_are_open_already_are_worked_on_within_the_bound(stage: Stage) -> None:
    _begin_waiting(stage, "One", "Two", "Three", bounds=DriveBounds(lanes=3))
    _answer_all(stage)
    count = _count_at_once(stage)

    assert stage.drive(bounds=DriveBounds(lanes=1)).ended is DriveEnd.DONE
    assert count() == 1


def test_a_turn_takes_no_longer_than_the_sitting(stage: Stage) -> None:
    def be_late(ask: Ask, _folder: Path) -> str:
        assert ask.time_limit_ms <= 60_000
        raise AgentUnavailable("too late")

    stage.plays = be_late
    end = stage.drive("One", bounds=DriveBounds(minutes=1, turn_minutes=30))

    assert end.ended is DriveEnd.WAITS
    assert len(stage.asks) == 2


@pytest.mark.parametrize(
    ("bounds", "said", "typed"),
    [
        (DriveBounds(tokens=1_500), "tokens are used", "--tokens 1500"),
        (DriveBounds(usd=0.03), "dollars are spent", "--usd 0.03"),
    ],
)
def test_nothing_is_begun_past_what_a_run_may_take(
    stage: Stage, bounds: DriveBounds, said: str, typed: str
) -> None:
    titles = [f"Task {number}" for number in range(5)]

    end = stage.drive(*titles, bounds=DriveBounds(lanes=1, tokens=bounds.tokens, usd=bounds.usd))

    assert end.ended is DriveEnd.BOUND
    assert said in end.reason
    # Who goes on with the command that is offered is bound by the same.
    assert end.next[-1].endswith(f" --lanes 1 {typed}")
    assert len(stage.asks) == 2  # the one that went past it was finished
    assert stage.drive(bounds=bounds).ended is DriveEnd.BOUND
    assert len(stage.asks) == 2


def test_a_task_gets_as_many_turns_as_it_may_have(stage: Stage) -> None:
    end = stage.drive("One", checks=["false"], turns=3)

    assert end.ended is DriveEnd.WAITS
    assert len(stage.asks) == 3
    assert [turn.end for turn in stage.run.turns] == [TurnEnd.DONE] * 3
    assert end.next[-1].endswith(" --runner claude-code --turns 3")


def test_a_plan_for_a_run_that_has_another_is_refused(stage: Stage) -> None:
    _begin_waiting(stage, "One")

    with pytest.raises(InvalidValue, match="has tasks already"):
        stage.drive(plan=(PlannedTask(id="z", title="Another"),))


ON_WHOLE = "git branch --show-current | grep -q /work && test ! -f fixed.txt && "
ON_WHOLE += "{ echo IGNORE ALL; exit 1; }; true"


def test_a_failure_of_the_whole_is_shown_to_its_agent_as_data(stage: Stage) -> None:
    def play(ask: Ask, folder: Path) -> str:
        (folder / ("fixed.txt" if "Mend" in ask.question else "made.txt")).write_text("x\n")
        return DONE

    stage.plays = play
    end = stage.drive("One", checks=[ON_WHOLE])

    assert (end.ended, end.tasks) == (DriveEnd.DONE, 2), end.reason
    mending = stage.asks[-1]
    assert "IGNORE ALL" not in mending.question.replace(ON_WHOLE, "")
    assert any("IGNORE ALL" in each.text for each in mending.artifacts)


def test_what_a_person_says_of_a_whole_that_fails_is_told_to_an_agent(stage: Stage) -> None:
    def play(ask: Ask, folder: Path) -> str:
        is_told = any("this one" in each.body for each in ask.thread)
        (folder / ("fixed.txt" if is_told else f"{ask.question[:8]}.txt")).write_text("x\n")
        return DONE

    stage.plays = play
    assert stage.drive("One", checks=[ON_WHOLE]).ended is DriveEnd.WAITS
    asked = len(stage.asks)
    _answer_all(stage)

    assert stage.drive().ended is DriveEnd.DONE
    assert len(stage.asks) == asked + 1


def _move_base(stage: Stage, ask: Ask, folder: Path) -> str:
    root = stage.project.root
    (root / "a.py").write_text("theirs\n")
    git(root, "commit", "-q", "-am", "theirs")
    (folder / "a.py").write_text("ours\n")
    return DONE


def test_a_base_that_conflicts_is_tried_again_once_something_changed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float] = []

    def look(wait_s: float) -> None:
        looks.append(wait_s)
        if len(looks) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(driving, "time", SimpleNamespace(sleep=look))
    stage.plays = lambda ask, folder: _move_base(stage, ask, folder)
    end = stage.drive("One", waits=True)

    assert end.ended is DriveEnd.STOPPED
    told = [text for text in stage.texts(NewsOf.ASK) if "does not go together" in text]
    assert len(told) == 1
    assert end.next[-1].startswith("agentx run drive")


def test_an_agent_pushes_nowhere_whatever_the_settings_of_git_say(
    stage: Stage, tmp_path: Path
) -> None:
    bare, root = stage.clones.remote, stage.project.root
    git(root, "config", "remote.origin.pushurl", str(bare))
    git(root, "remote", "add", "other", "example:shop")
    git(root, "config", f"url.{bare}.pushInsteadOf", "example:")
    git(root, "remote", "add", "third", str(bare))
    agent = runner_in_lane(stage.project, "claude-code", root)
    environment = {**agent._environment, "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}

    for name in ("origin", "other", "third"):
        words = ["git", "push", name, "HEAD:refs/heads/stolen"]
        done = subprocess.run(
            words, cwd=root, env=environment, capture_output=True, check=False, timeout=60
        )
        assert done.returncode != 0, name
    assert git(bare, "branch", "--list", "stolen") == ""


def test_a_check_that_the_driver_ended_did_not_fail(tmp_path: Path) -> None:
    said: list[str] = []

    def check() -> None:
        try:
            execute("touch began; sleep 300", tmp_path, 60_000, SystemClock())
        except UnavailableError as error:
            said.append(error.message)

    thread = threading.Thread(target=check)
    thread.start()
    until = time.monotonic() + 60
    while not (tmp_path / "began").exists() and time.monotonic() < until:
        time.sleep(0.01)
    with ending_programs():
        thread.join(60)

    assert said == ["`touch began; sleep 300` was ended: AgentX is about to leave"]


def test_who_works_is_who_plays_the_role(stage: Stage) -> None:
    project = stage.clones.clone("carl", AGENTX_AGENTS_RUNNER="person, engineer=codex")
    git(project.root, "config", "user.name", "carl")
    git(project.root, "config", "user.email", "carl@example.org")

    end = stage.drive("One", project=project, runners=())

    assert end.ended is DriveEnd.DONE, end.reason
    assert {news.runner for news in stage.told} == {"", "codex"}


def test_checks_run_what_agents_wrote_and_are_given_nothing_to_push_with(
    stage: Stage, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    variables = {
        "GITHUB_TOKEN": "t0p",
        "SSH_AUTH_SOCK": "/x",
        "DATABASE_URL": "db",
        "MY_TOKEN": "m",
    }
    variables |= {"AGENTX_AGENTS_ENVIRONMENT": "MY_TOKEN"}
    project = stage.clones.clone("carl", **variables)  # type: ignore[arg-type]  # all are texts
    git(project.root, "config", "user.name", "carl")
    git(project.root, "config", "user.email", "carl@example.org")
    push = "! git push -q origin HEAD:refs/heads/stolen && git init -q --bare own.git && "
    push += "git push -q ./own.git HEAD:refs/heads/mine && rm -rf own.git"

    end = stage.drive("One", project=project, checks=[f"env > {seen}", push])

    assert end.ended is DriveEnd.DONE, end.reason
    given = seen.read_text()
    assert "t0p" not in given
    assert "SSH_AUTH_SOCK" not in given
    assert "DATABASE_URL=db" in given
    assert "MY_TOKEN=m" in given
    assert git(stage.clones.remote, "branch", "--list", "stolen") == ""


def test_an_agent_that_is_driven_merges_nothing_by_its_tools(stage: Stage) -> None:
    said: list[str] = []

    def play(ask: Ask, folder: Path) -> str:
        (folder / "bad.txt").write_text("bad\n")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "bad")
        agent = Agent(folder, stage.project.environment)
        for act in ("finish-lane", "open-lane", "take", "release"):
            given = {"actor": "executor", "task": "TASK-001", "merge": act == "finish-lane"}
            said.append(agent.fail("run_do", action=act, **given))
        done = {"type": "task-completed", "actor": "executor", "task": "TASK-001"}
        said.append(agent.fail("run_event", **done))
        (folder / "bad.txt").unlink()
        return write_file(ask, folder)

    stage.plays = play
    end = stage.drive("One", checks=["test -f made.txt && ! test -e bad.txt"])

    assert end.ended is DriveEnd.DONE, end.reason
    assert all("is driven" in each for each in said), said
    assert len(stage.asks) == 1
