"""Goal: the loop goes on after a kill at any step, and does nothing twice unsaid.

Method: a model that goes by what it was told, not by how often it is asked; commands and edits
that can be counted. The process dies at each point, the n-th time, in the test's own process and
for real; then the session is taken up, and what was done is counted.
"""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from agentx.agents.loop.wording import SAY_UNKNOWN
from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.kernel.errors import ConflictError
from agentx.wiring.loop.desk import holding_session
from tests.support.crashing import Died
from tests.support.looping import LoopStage, staging
from tests.support.scripted_llm import Asked, ScriptedLlm, Step, calls, says
from tests.support.zygote import run_module

pytestmark = pytest.mark.promise("loop.once")

POINTS = (
    CrashPoint.LOOP_HEARD,
    CrashPoint.LOOP_BEGUN,
    CrashPoint.LOOP_DONE,
    CrashPoint.LOOP_ANSWERED,
)
SAVES = (CrashPoint.ATOMIC_TEMP_WRITTEN, CrashPoint.ATOMIC_REPLACED)
COUNT = "open('runs.txt', 'a').write('run\\n')\n"
PLAN = (
    calls(("read_file", {"path": "app.py"})),
    calls(("run_command", {"command": ["python3", "check.py"]}), text="Let me check."),
    calls(("edit_file", {"path": "app.py", "old_text": "a - b", "new_text": "a - b + 2 * b"})),
    calls(("create_file", {"path": "new.txt", "content": "new"})),
    says("It is done."),
)


class Attentive(ScriptedLlm):
    """A model that goes by how many of its calls were answered."""

    def next_step(self, asked: Asked) -> Step:
        told = json.dumps(asked.body)
        self.steps = [PLAN[told.count('"tool_result"')]]
        return super().next_step(asked)


def attend(stage: LoopStage) -> None:
    """Let the model of a stage go by what it is told."""
    stage.llm.__class__ = Attentive
    (stage.root / "check.py").write_text(COUNT, encoding="utf-8")


def count_runs(root: Path) -> int:
    path = root / "runs.txt"
    return len(path.read_text("utf-8").splitlines()) if path.exists() else 0


def see_done_once(stage: LoopStage, reply: Any) -> None:
    """See that all was done, and once; or that the model was told that it may not have been."""
    unknown = json.dumps(stage.saved()).count(SAY_UNKNOWN[:40])
    done = (
        count_runs(stage.root),
        (stage.root / "app.py").read_text("utf-8").count("2 * b"),
        int((stage.root / "new.txt").exists()),
    )
    assert reply.report == "It is done."
    assert max(done) <= 1
    assert sum(done) + unknown >= 3
    assert unknown <= 1
    assert stage.llm.refused == []
    assert (reply.agent_status, reply.issue_status) == ("done", "In Review")


def strike_after(times: int) -> Any:
    left = times

    def strike() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            crash.disarm()
            raise Died

    return strike


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("point", POINTS)
def test_it_goes_on_where_it_died(tmp_path: Path, point: CrashPoint, times: int) -> None:
    with staging(tmp_path) as stage:
        attend(stage)
        crash.arm(point, strike_after(times))
        with pytest.raises(Died):
            stage.run()

        see_done_once(stage, stage.resume())


@pytest.mark.parametrize("point", SAVES)
def test_it_goes_on_wherever_a_step_was_being_saved(tmp_path: Path, point: CrashPoint) -> None:
    died = 0
    for times in range(2, 60, 13):
        with staging(tmp_path / str(times)) as stage:
            attend(stage)
            crash.arm(point, strike_after(times))
            try:
                reply = stage.run()
            except Died:
                died += 1
                begun = list((stage.root / ".agentx" / "sessions").glob("*.json"))
                reply = stage.resume() if begun else stage.run()
            crash.disarm()
            see_done_once(stage, reply)
    assert died > 3


@pytest.mark.parametrize("point", POINTS)
def test_it_goes_on_after_a_real_kill(tmp_path: Path, point: CrashPoint) -> None:
    with staging(tmp_path, clock=False) as stage:
        attend(stage)
        words = tmp_path, stage.llm.url, point.value, "2"
        killed = run_module("tests.fault.loop_child", *words, timeout_s=120)
        assert killed.returncode == -signal.SIGKILL, killed.stderr

        see_done_once(stage, stage.resume())


def test_a_session_at_work_is_not_taken_up(tmp_path: Path) -> None:
    with staging(tmp_path) as stage:
        attend(stage)
        crash.arm(CrashPoint.LOOP_BEGUN, strike_after(1))
        with pytest.raises(Died):
            stage.run()
        (path,) = (stage.root / ".agentx" / "sessions").glob("*.json")
        with (
            holding_session(stage.project, path.stem),
            pytest.raises(ConflictError, match="at work"),
        ):
            stage.resume()
        assert [line for line in stage.seen if "goes on" in line] == []
