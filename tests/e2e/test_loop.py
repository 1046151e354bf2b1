"""Goal: who runs the loop at a terminal sees each step and how it ended, and can stop it.

Method: the real command in a process of its own, against a scripted model on the loopback.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.looping import LoopStage, staging, variables_for
from tests.support.scripted_llm import Step, calls, says
from tests.support.terminal import converse_in

MEND = {"path": "app.py", "old_text": "return a - b", "new_text": "return a + b"}
SLEEP = {"command": ["sleep", "60"]}
RUN = ("agent", "run", "engineer", "--issue", "1", "--runner", "loop")
WAIT_S = 200


class Terminal:
    """Commands in the folder of a stage."""

    def __init__(self, stage: LoopStage, home: Path) -> None:
        self.stage = stage
        self.environment = variables_for(home, stage.llm.url)

    def begin(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "agentx.surfaces.cli.main", *words],
            cwd=self.stage.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
        )

    def run(self, *words: str) -> tuple[int, str, str]:
        process = self.begin(*words)
        out, err = process.communicate(timeout=WAIT_S)
        return process.returncode, out, err


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[LoopStage]:
    with staging(tmp_path, clock=False) as lent:
        yield lent


def script(stage: LoopStage, tmp_path: Path, *steps: Step) -> Terminal:
    stage.script(*steps)
    return Terminal(stage, tmp_path)


def test_each_step_is_a_line_and_the_end_a_sentence(stage: LoopStage, tmp_path: Path) -> None:
    terminal = script(
        stage,
        tmp_path,
        calls(("read_file", {"path": "nowhere/" + "long-name/" * 30}), text="Let me look."),
        calls(("edit_file", MEND)),
        says("It adds now."),
    )

    code, screen = converse_in(stage.root, terminal.environment, RUN)

    assert code == 0
    lines = screen.replace("\r", "").splitlines()
    assert "It adds now." in lines
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("[1] $0.00") and "says: Let me look." in line for line in lines)
    assert any("read_file FAILED: " in line for line in lines)
    assert any("edit_file: app.py: 1 line replaced" in line for line in lines)
    assert "done: the agent says that it is" in lines
    assert "changed: app.py" in lines


def test_a_program_reads_json_and_the_code_says_how_it_ended(
    stage: LoopStage, tmp_path: Path
) -> None:
    ask = {"to": "architect", "topic": "t", "question": "Does add ever subtract?"}
    terminal = script(stage, tmp_path, calls(("request_clarification", ask)), says("Done."))

    code, out, _ = terminal.run(*RUN, "--json")
    reply = json.loads(out)
    assert (code, reply["loop"]["ended"], reply["loop"]["waits_for"]) == (6, "waiting", "CLR-1-001")
    code, out, _ = terminal.run("agent", "resume", "--list", "--json")
    assert [row["ended"] for row in json.loads(out)["sessions"]] == ["waiting"]
    terminal.run("clarify", "answer", "CLR-1-001", "Never.", "--from", "architect")
    code, out, _ = terminal.run("agent", "resume", reply["session_id"], "--json")

    assert (code, json.loads(out)["report"]) == (0, "Done.")


def test_ctrl_c_stops_it_with_its_command_and_it_can_go_on(
    stage: LoopStage, tmp_path: Path
) -> None:
    terminal = script(stage, tmp_path, calls(("run_command", SLEEP)), says("Done."))
    process = terminal.begin(*RUN)
    sessions = stage.root / ".agentx" / "sessions"
    until = time.monotonic() + WAIT_S
    while not any('"begun": "call' in each.read_text("utf-8") for each in sessions.glob("*.json")):
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.2)  # the command begins a moment after it is noted
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=WAIT_S)

    assert process.returncode == 130
    assert "stopped: a person stopped it" in err
    assert "to go on: agentx agent resume" in err.replace("\n", " ")
    code, out, _ = terminal.run("agent", "resume")
    assert (code, out) == (0, "Done.\n")
    assert "It may have been done" in stage.heard()


def test_a_bound_has_a_code_of_its_own(stage: LoopStage, tmp_path: Path) -> None:
    terminal = script(stage, tmp_path, calls(("list_files", {"path": "."})))

    code, _, err = terminal.run(*RUN, "--turns", "1")

    assert code == 5
    assert "stopped at its bound: 1 turns were taken" in err
