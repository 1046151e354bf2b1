"""Goal: agents carry a run from its plan to its pull request, whatever ends the driver on the way.

Method: the installed command, a small real repository, two agent CLIs that follow a script: one
check that fails first, one conflict, one question to a person; the driver killed; another clone.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.calculator import CHECK, Calculator
from tests.support.house import BIN, House, processes_of

WAIT_S = 200
FIRST = "## The task\n\nTASK-001: Add"


@pytest.fixture
def calculator(tmp_path: Path) -> Iterator[Calculator]:
    house = House(tmp_path)
    yield Calculator(house)
    assert processes_of(house.home) == []


def _texts(told: list[dict[str, Any]], doing: str) -> list[str]:
    return [line["text"] for line in told if line.get("doing") == doing]


@pytest.mark.promise("drive.whole")
def test_agents_carry_a_run_from_its_plan_to_its_pull_request(calculator: Calculator) -> None:
    house = calculator.house
    first = calculator.drive("A calculator", "--check", CHECK, expect=6)
    run_id = first[-1]["end"]["run_id"]
    work = f"agent/{run_id}/work"
    asked = house.agentx("clarify", "inbox").stdout
    calculator.answer(first)
    second = calculator.drive()
    end = second[-1]["end"]

    # What failed went back with what it printed; the conflict went back; a person was asked.
    prompts = {(one["name"], one["prompt"]) for one in calculator.asked()}
    assert any("mul says 5" in prompt and "not all passed" in prompt for _, prompt in prompts)
    assert any("left its marks" in prompt for _, prompt in prompts)
    assert any("English or German?" in prompt and "English" in prompt for _, prompt in prompts)
    assert {name for name, _ in prompts} == {"claude", "codex"}
    assert "English or German?" in asked
    assert first[-1]["end"]["waits_for"][0].endswith("English or German?")
    # The branch holds all of it; the user's own branch and files are as before.
    assert (end["ended"], end["tasks_done"], end["tasks"]) == ("done", 3, 3)
    held = calculator.show(work, "calc.sh")
    assert "add() { echo $(($1 + $2)); }" in held
    assert "mul() { echo $(($1 * $2)); }" in held
    assert calculator.show(work, "README.md") == "add and mul"
    assert house.git("branch", "--show-current") == "main"
    assert house.git("log", "--format=%s", "main") == "calc\nbegin"
    # What is said of it is true, and what it taught waits for a person.
    pr = house.json("run", "pr", run_id)
    assert pr["ready"]
    assert "calc.sh has a line a function" in pr["description"]
    taught = house.agentx("ltm", "candidates", "--run", run_id).stdout
    assert "calc.sh has a line a function" in taught
    assert any("lesson" in remark for remark in end["remarks"])
    kinds = _kinds(house, run_id)
    assert kinds.count("turn-began") == kinds.count("turn-ended") == 7
    assert kinds.count("drive-began") == kinds.count("drive-ended") == 2


def _kinds(house: House, run_id: str) -> list[str]:
    """Return the types of a run's events."""
    folder = house.project / ".agent-memory" / "runs" / run_id
    lines = (line for file in folder.rglob("*.jsonl") for line in file.read_text().splitlines())
    return [json.loads(line)["type"] for line in lines]


@pytest.mark.promise("drive.walls")
def test_an_agent_has_what_it_needs_and_nothing_to_push_with(calculator: Calculator) -> None:
    house = calculator.house
    house.agentx("config", "set", "agents.commands", "pytest, git diff")
    house.agentx("config", "set", "agents.environment", "MY_KEY")
    told = calculator.drive("A calculator", "--check", CHECK, "--lanes", "1", expect=6)
    one = next(one for one in calculator.asked() if "TASK-001" in one["prompt"])

    assert told[-1]["end"]["ended"] == "waits"
    assert "GITHUB_TOKEN" not in one["env"]
    assert one["env"]["ANTHROPIC_API_KEY"] == "dummy"
    assert one["env"]["AGENTX_AGENT"] == "engineer"
    assert "Bash(pytest:*),Bash(git diff:*)" in one["argv"]
    assert not any("bypass" in word or "skip-perm" in word for word in one["argv"])
    bare = house.root / "remote.git"
    house.git("init", "-q", "--bare", str(bare))
    house.git("remote", "add", "origin", str(bare))
    pushed = subprocess.run(
        ["git", "push", "origin", "HEAD:refs/heads/mine"],
        cwd=house.project,
        env={**house.environment, **one["env"]},
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_S,
    )
    assert pushed.returncode != 0
    assert house.git("branch", "--list", cwd=bare) == ""


def _drive_until(
    calculator: Calculator,
    *words: str,
    is_there: Callable[[dict[str, Any]], bool],
    number: int = signal.SIGKILL,
) -> list[str]:
    """Drive, and end the driver at the first thing it tells that is meant; return what came."""
    house = calculator.house
    runners = ("--runner", "claude-code", "--runner", "codex")
    process = subprocess.Popen(
        [str(BIN / "agentx"), "run", "drive", *words, *runners, "--json"],
        cwd=house.project,
        env={**house.environment, **calculator.environment(house)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if is_there(json.loads(line)):
                break
        else:
            raise AssertionError("it was not told")
    finally:
        os.kill(process.pid, number)
        rest, _ = process.communicate(timeout=WAIT_S)
    return rest.splitlines()


def _tells(doing: str, text: str) -> Callable[[dict[str, Any]], bool]:
    return lambda line: line.get("doing") == doing and text in line["text"]


def _finish(calculator: Calculator, *words: str) -> dict[str, Any]:
    told = calculator.drive(*words, expect=None)
    if told[-1]["end"]["ended"] == "waits":
        assert told[-1]["end"]["waits_for"][0].endswith("English or German?")
        calculator.answer(told)
        told = calculator.drive(*words, expect=None)
    end: dict[str, Any] = told[-1]["end"]
    return end


def _check_whole(calculator: Calculator, end: dict[str, Any]) -> None:
    assert (end["ended"], end["tasks_done"], end["tasks"]) == ("done", 3, 3)
    held = calculator.show(end["work_branch"], "calc.sh")
    assert held.count("add() {") == held.count("mul() {") == 1
    assert "$1 * $2" in held


KILLS = {
    "plan": _tells("plan", "plans the work"),
    "turn": _tells("turn", "turn 1"),
    "check": _tells("check", "runs"),
    "merge": _tells("merge", "merged into"),
    "conflict": _tells("merge", "does not go together"),
    "tasks": _tells("plan", "Multiply"),
}
LATE_KILLS = {
    "verification": _tells("run", "VERIFICATION"),
    "clean-up": _tells("run", "CLEANUP"),
    "hand-over": _tells("run", "PR_PREP"),
}


@pytest.mark.promise("drive.killed")
def test_a_driver_that_is_killed_is_followed_by_one_that_goes_on(calculator: Calculator) -> None:
    """The soak kills one in every phase; killed in a turn it is followed further below."""
    typed = ("A calculator", "--check", CHECK)
    _drive_until(calculator, *typed, is_there=KILLS["merge"])

    _check_whole(calculator, _finish(calculator, *typed))  # the same command goes on
    assert len(calculator.house.json("run", "list")["runs"]) == 1


@pytest.mark.soak
@pytest.mark.parametrize("when", list(KILLS))
def test_a_driver_may_be_killed_in_each_phase(calculator: Calculator, when: str) -> None:
    _drive_until(calculator, "A calculator", "--check", CHECK, is_there=KILLS[when])

    _check_whole(calculator, _finish(calculator))


@pytest.mark.soak
@pytest.mark.parametrize("when", list(LATE_KILLS))
def test_a_driver_may_be_killed_near_the_end(calculator: Calculator, when: str) -> None:
    calculator.answer(calculator.drive("A calculator", "--check", CHECK, expect=6))
    _drive_until(calculator, is_there=LATE_KILLS[when])

    _check_whole(calculator, _finish(calculator))


@pytest.mark.promise("drive.killed")
def test_no_agent_outlives_a_driver_that_is_killed_and_what_it_left_is_kept(
    calculator: Calculator,
) -> None:
    house = calculator.house
    hanging = house.home / "hang-add"
    hanging.touch()

    def is_at_work(_line: dict[str, Any]) -> bool:
        found = [one for one in calculator.asked() if FIRST in one["prompt"]]
        folder = Path(found[0]["cwd"]) if found else None
        return folder is not None and (folder / "half-done.txt").exists()

    until = time.monotonic() + WAIT_S
    runners = ("--runner", "claude-code")
    process = subprocess.Popen(
        [str(BIN / "agentx"), "run", "drive", "A calculator", "--check", CHECK, *runners],
        cwd=house.project,
        env={**house.environment, **calculator.environment(house)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not is_at_work({}) and time.monotonic() < until:
        time.sleep(0.05)
    agent = next(one["pid"] for one in calculator.asked() if FIRST in one["prompt"])
    process.send_signal(signal.SIGKILL)
    process.wait(WAIT_S)
    while Path(f"/proc/{agent}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not Path(f"/proc/{agent}").exists()
    hanging.unlink()

    end = _finish(calculator)
    _check_whole(calculator, end)
    assert calculator.show(end["work_branch"], "half-done.txt") == "half done"
    again = [one for one in calculator.asked() if FIRST in one["prompt"]]
    assert "You worked on this before and were cut off" in again[1]["prompt"]


def test_a_driver_that_is_told_to_end_says_how_it_goes_on(calculator: Calculator) -> None:
    house = calculator.house
    (house.home / "hang-add").touch()
    told = _tells("turn", "turn 1")
    words = ("A calculator", "--check", CHECK)
    lines = _drive_until(calculator, *words, is_there=told, number=signal.SIGTERM)

    end = json.loads(lines[-1])["end"]
    assert end["ended"] == "stopped"
    assert end["next"][-1].startswith("agentx run drive")
    assert _kinds(house, end["run_id"])[-1] == "drive-ended"


@pytest.mark.promise("drive.elsewhere")
def test_another_clone_takes_a_run_up_and_two_do_not_drive_it_at_once(
    calculator: Calculator, tmp_path: Path
) -> None:
    ana = calculator.house
    bare = tmp_path / "remote.git"
    ana.git("init", "-q", "--bare", "-b", "main", str(bare))
    ana.git("remote", "add", "origin", str(bare))
    ana.git("push", "-q", "origin", "main")
    started = ana.json("run", "start", "A calculator", "--check", CHECK)
    ana.agentx("run", "sync", "--push", "--as-person")
    refused = calculator.drive(started["run_id"], expect=3)
    assert "which nobody approved on this machine" in str(refused)
    told = calculator.drive(started["run_id"], "--approve-checks", expect=6)
    lanes = ana.git("branch", "--list", "agent/*/lane-*", "--format=%(refname)", cwd=bare)
    assert len(lanes.splitlines()) == 3  # the one that waits too

    bob = House(tmp_path / "other", git=False)
    bob.project.rmdir()
    bob.git("clone", "-q", str(bare), str(bob.project), cwd=bob.root)
    calculator.install(bob)
    bob.agentx("run", "sync", "--push", "--as-person")
    trusted = ana.json("trust", "--show")["writers"]
    mine = next(one["fingerprint"] for one in trusted if one["own"])
    bob.agentx("trust", "--writer", mine, "--yes", env=calculator.environment(bob))
    calculator.answer(told, bob)
    taking = ("--take", "--approve-checks", "--as-person")
    end = calculator.drive(started["run_id"], *taking, house=bob, expect=None)[-1]["end"]

    assert end["ended"] == "done", end
    assert end["pushed"] == "origin"
    held = ana.git("show", f"{end['work_branch']}:calc.sh", cwd=bare)
    assert "$1 * $2" in held
