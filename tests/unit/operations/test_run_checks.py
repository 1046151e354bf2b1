"""Goal: a check is really run where the work is, kept with how it ended, and nothing stands for it.

Method: real commands in process on a real repository; checks are shell commands that end at once.
What is kept is read back from the run's events.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentx.host.system import SystemClock
from agentx.runs.model import Run
from agentx.runs.store.executing import execute
from agentx.wiring.runs import open_runs
from tests.support.mcp_agent import Agent
from tests.support.players import Player
from tests.support.repository import commit, git

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
IS_THERE = "test -f b.py"


class Shop(Player):
    """A repository with a run and a task that must pass a check."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        super().__init__(root, patch)
        git(self.folder, "init", "-q", "-b", "main")
        commit(self.folder, "begin", a_py="a = 1\n")
        self.play()
        self.do("run", "start", "Ship it")
        self.do("run", "task", "add", "Write b", "--check", IS_THERE)
        self.do("run", "phase", "next")

    def do(self, *words: str, expect: int = 0) -> Any:
        code, said = self.agentx("--json", *words)
        assert code == expect, said
        return json.loads(said[said.index("{") :])

    def refuse(self, *words: str, expect: int = 3) -> str:
        error = self.do(*words, expect=expect)["error"]
        return f"{error['message']} | {error['hint']}"

    @property
    def run(self) -> Run:
        return open_runs(self.project).run("")[0]

    def open_lane(self) -> Path:
        return Path(self.do("run", "lane", "open", "--task", "TASK-001")["folder"])


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    return Shop(tmp_path, monkeypatch)


@pytest.mark.promise("runs.checks")
def test_a_check_runs_in_the_lane_and_is_kept_with_exit_code_output_and_commit(shop: Shop) -> None:
    lane = shop.open_lane()
    verify = ("run", "verify", "--task", "TASK-001")
    begun = git(lane, "rev-parse", "HEAD")
    show = f"pwd; printf 'on stderr\\n' >&2; echo {TOKEN}; printf '\\033[31mred\\033[0m\\n'; exit 7"

    failed = shop.do(*verify, "--run", show, expect=3)
    (lane / "b.py").write_text("b = 1\n")
    dirty = shop.do(*verify)
    refused = shop.refuse("run", "task", "done", "TASK-001")
    git(lane, "add", "b.py")
    git(lane, "commit", "-q", "-m", "b")
    stale = shop.refuse("run", "lane", "merge", "lane-001")
    passed = shop.do(*verify)
    merged = shop.do("run", "lane", "merge", "lane-001")

    ran, declared = failed["checks"]
    assert (ran["exit_code"], ran["passed"], declared["exit_code"]) == (7, False, 1)
    assert ran["output"].splitlines()[:2] == [str(lane), "on stderr"]
    assert TOKEN not in json.dumps(failed)
    assert ran["output"].splitlines()[3] == "red"
    assert failed["commit"] == begun
    assert (dirty["verdict"], dirty["dirty"]) == ("PASSED", ["b.py"])
    assert "b.py was not committed" in refused
    assert "agentx run verify --task TASK-001" in refused
    assert "TASK-001 cannot be completed" in stale
    assert (passed["verdict"], passed["dirty"]) == ("PASSED", [])
    assert [each["type"] for each in merged["events"]][-1] == "task-completed"
    report = shop.run.tasks["TASK-001"].reports[-1]
    (kept,) = [each for each in open_runs(shop.project).events("") if each.id == report.event_id]
    assert (kept.kind, kept.text("commit")) == ("checks-run", passed["commit"])
    page = shop.folder / f".agent-memory/runs/{shop.run.id}/verification/TASK-001-verification.yaml"
    assert report.event_id in page.read_text()
    for file in (shop.folder / ".agent-memory").rglob("*"):
        assert not file.is_file() or TOKEN.encode() not in file.read_bytes()


@pytest.mark.promise("runs.checks")
def test_a_check_ends_in_time_and_of_much_output_both_ends_are_kept(tmp_path: Path) -> None:
    clock = SystemClock()
    late = execute("echo begun; sleep 300", tmp_path, 1_500, clock)
    loud = execute("seq 1 400000; echo the end; exit 5", tmp_path, 60_000, clock)
    shot = execute("kill -9 $$", tmp_path, 60_000, clock)
    left = execute("sleep 300 & echo gone", tmp_path, 60_000, clock)

    assert (late.exit_code, late.output, late.passed) == (None, "begun", False)
    assert "had not ended after 1.5 s" in late.why
    assert loud.exit_code == 5
    assert loud.output.startswith("1\n2\n3\n")
    assert loud.output.endswith("400000\nthe end")
    assert len(loud.output) <= 8_000
    assert "signal 9" in shot.why
    assert (left.exit_code, left.output) == (0, "gone")
    assert left.duration_ms < 60_000


@pytest.mark.promise("runs.gates")
def test_words_and_typed_events_open_no_gate_where_a_check_is_asked_for(shop: Shop) -> None:
    shop.do("run", "verify", "--task", "TASK-001", "--verdict", "PASSED", "--check", "b=is there")
    assert "`test -f b.py` has not been run" in shop.refuse("run", "task", "done", "TASK-001")

    check = {"name": IS_THERE, "command": IS_THERE, "passed": True, "exit_code": 0}
    detail = {"verdict": "PASSED", "checks": [check]}
    agent = Agent(shop.folder, shop.project.environment)
    for kind in ("checks-run", "verification-recorded"):
        said = agent.fail("run_event", type=kind, actor="verifier", task="TASK-001", detail=detail)
        assert "not taken on somebody's word" in said
        assert "agentx run verify" in said
    said = agent.fail("run_event", type="task-completed", actor="executor", task="TASK-001")
    assert "has not been run" in said
    typed = {"verdict": "FAILED", "checks": [{**check, "commit": "x"}]}
    agent.call(
        "run_event", type="verification-recorded", actor="verifier", task="TASK-001", detail=typed
    )
    assert "has not been run" in shop.refuse("run", "task", "done", "TASK-001")
    _type_line(shop, "checks-run", detail)
    assert "whom nobody here trusts" in shop.refuse("run", "task", "done", "TASK-001")
    assert shop.run.tasks["TASK-001"].status == "PENDING"


def _type_line(shop: Shop, kind: str, detail: dict[str, Any]) -> None:
    """Write an event into the files of a run, as anybody can."""
    folder = shop.folder / ".agent-memory" / "runs" / shop.run.id / "events" / "orchestrator"
    line = json.loads(next(folder.glob("*.jsonl")).read_text().splitlines()[-1])
    said = {"id": "01M7N4HJX" + kind.encode().hex().upper()[:17], "type": kind, "task": "TASK-001"}
    plain = {name: value for name, value in line.items() if name not in ("writer", "key", "sig")}
    (folder / f"{kind}.jsonl").write_text(json.dumps({**plain, **said, "detail": detail}) + "\n")


@pytest.mark.promise("runs.gates")
def test_a_check_that_a_stranger_declared_is_not_run_unless_it_is_named(shop: Shop) -> None:
    mark = shop.folder / "was-here"
    _type_line(shop, "task-revised", {"title": "Write b", "checks": [f"touch {mark}"]})

    told = shop.do("run", "verify", "--task", "TASK-001", expect=3)
    assert not mark.exists()
    assert [each["command"] for each in told["checks"]] == [IS_THERE]
    assert told["not_run"] == [f"touch {mark}"]
    shop.do("run", "verify", "--task", "TASK-001", "--run", f"touch {mark}", expect=3)
    assert mark.exists()


def test_who_is_to_be_trusted_and_shows_no_key_yet_is_told_how(shop: Shop) -> None:
    shop.do("run", "task", "revise", "TASK-001", "--no-checks")
    shop.do("run", "event", "--type", "note", "--detail", "text=later")
    _type_line(shop, "task-revised", {"title": "Write b", "checks": ["true"]})

    said = shop.refuse("run", "verify", "--task", "TASK-001", expect=2)
    assert "nobody whom you trust put that there" in said
    assert "commits and pushes their card in .agentx/questions/writers/ first" in said
    said = shop.refuse("run", "task", "done", "TASK-001", expect=3)  # verify alone runs it never
    assert "`true` has not been run, and nobody whom you trust asked for it" in said
    assert '`agentx run verify --task TASK-001 --run "true"`, then again' in said
    assert "agentx trust --show" in said
    said = shop.refuse("trust", "--writer", "ann", expect=2)
    assert "nobody shows a key here as 'ann'" in said
    assert "commits and pushes their card (.agentx/questions/writers/), then pull it" in said


def test_who_resumes_reads_which_check_waits_to_be_run_by_name(shop: Shop) -> None:
    shop.do("run", "task", "revise", "TASK-001", "--no-checks")
    shop.do("run", "task", "start", "TASK-001")
    _type_line(shop, "task-revised", {"title": "Write b", "checks": ["true"]})
    command = 'agentx run verify --task TASK-001 --run "true"'
    assert command in shop.refuse("run", "task", "done", "TASK-001", expect=3)

    told = shop.do("run", "resume")["next"]

    [step] = [each for each in told if each["command"] == command]
    assert step["text"].startswith("before TASK-001 ends: `true` has not been run")
    shop.do("run", "verify", "--task", "TASK-001", "--run", "true")  # as it says
    assert not [each for each in shop.do("run", "resume")["next"] if each["command"] == command]
    shop.do("run", "task", "done", "TASK-001")


@pytest.mark.promise("runs.gates")
def test_no_agent_takes_a_check_away_and_a_person_does(shop: Shop) -> None:
    shop.play(below="")
    for words in (("--no-checks",), ("--check", "true")):
        said = shop.refuse("run", "task", "revise", "TASK-001", *words, expect=2)
        assert "only a person" in said
    shop.do("run", "task", "revise", "TASK-001", "--check", IS_THERE, "--check", "true")
    shop.play()
    shop.do("run", "task", "revise", "TASK-001", "--no-checks")
    shop.do("run", "task", "done", "TASK-001")


@pytest.mark.promise("runs.gates")
def test_a_pull_request_is_ready_only_when_all_checks_passed_on_its_branch(shop: Shop) -> None:
    lane = shop.open_lane()
    commit(lane, "b", b_py="b = 1\n")
    shop.do("run", "verify", "--declare", "--run", "test ! -f broken")
    shop.do("run", "verify", "--task", "TASK-001")
    shop.do("run", "lane", "merge", "lane-001")
    shop.do("run", "phase", "VERIFICATION")
    assert "`test ! -f broken` has not been run" in shop.refuse("run", "phase", "next")
    shop.do("run", "verify")
    for _ in range(2):
        shop.do("run", "phase", "next")
    assert shop.do("run", "pr")["ready"] is True

    work = open_runs(shop.project).git.folder(shop.run.id, "work")
    commit(work, "break it", broken="x\n")
    late = shop.do("run", "pr")
    assert late["ready"] is False
    assert "is stale" in late["missing"][0]["text"]
    assert "TASK-001: passed, 1 of 1 checks (stale: it was at " in late["description"]
    assert "is stale" in shop.refuse("run", "phase", "complete")
    shop.do("run", "verify", expect=3)
    assert "failed (exit 1)" in shop.refuse("run", "phase", "complete")
    shop.do("run", "task", "retry", "TASK-001", "--reason", "it is broken")
    assert (shop.run.phase, shop.run.tasks["TASK-001"].status) == ("EXECUTION", "IN_PROGRESS")


@pytest.mark.promise("runs.roles")
def test_the_role_of_who_calls_decides_whatever_actor_is_named(shop: Shop) -> None:
    shop.play(role="engineer")
    assert "not for the executor" in shop.refuse("run", "task", "add", "Another")
    assert "not for the executor" in shop.refuse("run", "phase", "next", "--actor", "orchestrator")
    said = shop.refuse("run", "verify", "--task", "TASK-001", "--verdict", "PASSED")
    assert "it is for: verifier, orchestrator, person; engineer counts as executor" in said
    shop.do("run", "task", "start", "TASK-001")
    shop.play(role="tester")
    assert "not for the verifier" in shop.refuse("run", "task", "start", "TASK-001")
    shop.do("run", "verify", "--task", "TASK-001", "--verdict", "FAILED")
    shop.play()
    assert "not for the verifier" in shop.refuse("run", "task", "add", "x", "--actor", "verifier")


def test_how_verify_is_told_what_to_run_and_for_which_run(shop: Shop) -> None:
    first = shop.run.id
    another = shop.do("run", "start", "Another")["run_id"]
    verify = ("run", "verify", "--run", first[-4:])

    assert shop.do(*verify, "--run", "true", "--task", "TASK-001", expect=3)["run_id"] == first
    assert "neither a run nor a command" in shop.refuse("run", "verify", "--run", "zzzz", expect=2)
    assert "no verdict is said" in shop.refuse(
        *verify, "--run", "true", "--verdict", "PASSED", expect=2
    )
    assert shop.do(*verify, "--verdict", "PASSED")["run_id"] == first
    words = shop.do(*verify, "--task", "TASK-001", "--", "test", "-f", "b py", expect=3)
    assert words["checks"][0]["command"] == "test -f 'b py'"
    assert "declares no checks" in shop.refuse("run", "verify", "--run", another, expect=2)
