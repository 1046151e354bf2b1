"""Goal: time works by itself: what is late is asked once more, once; a circle is broken; nothing is
lost when who waits is gone, and nothing is claimed that did not happen.

Method: real processes, and a stand-in for an agent CLI that counts how often it is called.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from agentx.surfaces.cli.layout import measure
from tests.support.clarifying import CIRCLE, LONG_AGO
from tests.support.house import BIN, House, processes_of
from tests.support.terminal import converse, converse_in


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return a project with one feature."""
    made = House(tmp_path)
    (made.project / ".agentx").mkdir()
    made.agentx("issue", "create", "--title", "Login", "--label", "type:feature")
    return made


class Claude:
    """Stands in for the agent CLI that plays the architect."""

    def __init__(
        self,
        house: House,
        *,
        takes_s: float = 0,
        fails: bool = False,
        says: str = "",
        hangs: bool = False,
    ) -> None:
        self.calls = house.root / "calls"
        self.may_end = house.root / "may-end"
        if not hangs:
            self.may_end.touch()
        folder = house.root / "clis"
        folder.mkdir()
        reply = json.dumps({"type": "result", "is_error": False, "result": "PostgreSQL."})
        end = "exit 3" if fails else f"printf '%s' '{reply}'"
        program = folder / "claude"
        part = {"type": "assistant", "message": {"content": [{"type": "text", "text": says}]}}
        said = f"echo '{json.dumps(part)}'\n" if says else ""
        program.write_text(
            f"#!/bin/sh\ncat >/dev/null\necho called >> {self.calls}\n{said}"
            f"until [ -e {self.may_end} ]; do sleep 0.1; done\nsleep {takes_s}\n{end}\n",
            encoding="utf-8",
        )
        program.chmod(0o755)
        path = f"{folder}:{house.environment['PATH']}"
        self.env = {"PATH": path, "AGENTX_AGENTS_RUNNER": "architect=claude-code"}

    def count(self) -> int:
        return len(self.calls.read_text().splitlines()) if self.calls.exists() else 0


def words(*more: str, asker: str = "engineer", to: str = "architect") -> tuple[str, ...]:
    return (
        *("clarify", "ask", "--issue", "1", "--from", asker, "--to", to),
        *("--topic", "Storage", "--question", "Which database?", *more),
    )


def start(
    house: House, *arguments: str, env: dict[str, str] | None = None, err: Any = subprocess.PIPE
) -> Any:
    return subprocess.Popen(
        [str(BIN / "agentx"), *arguments, "--json"],
        cwd=house.project,
        env={**house.environment, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=err,
        text=True,
    )


def read(house: House, number: int = 1) -> dict[str, Any]:
    found = json.loads(ledger(house).read_text(encoding="utf-8"))["clarifications"]
    return dict(found[number - 1])


def ledger(house: House) -> Path:
    return house.project / ".agentx" / "state" / "clarifications" / "issue-1.json"


def let_time_pass(house: House) -> None:
    """Write the deadlines of every question as if they were long over."""
    path = ledger(house)
    found = json.loads(path.read_text(encoding="utf-8"))
    for row in found["clarifications"]:
        row["staleAfter"] = LONG_AGO
    path.write_text(json.dumps(found), encoding="utf-8")


def until(true: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


@pytest.mark.promise("clarify.killed")
def test_an_answer_is_kept_though_who_waited_for_it_was_killed(house: House) -> None:
    claude = Claude(house, takes_s=1)
    waiting = start(house, *words("--wait"), env=claude.env)
    until(lambda: claude.count() == 1)
    waiting.send_signal(signal.SIGKILL)
    waiting.communicate()

    until(lambda: read(house)["status"] == "answered")

    assert read(house)["thread"][-1]["body"] == "PostgreSQL."
    waited = house.json("clarify", "wait", "CLR-1-001")
    assert (waited["status"], waited["answer"]) == ("answered", "PostgreSQL.")
    until(lambda: processes_of(house.home) == [])


@pytest.mark.promise("clarify.killed")
def test_a_wait_ends_when_it_was_to_whatever_the_runner_does(house: House) -> None:
    claude = Claude(house, hangs=True)

    ended = house.agentx(*words("--wait", "--timeout", "1", "--json"), env=claude.env, expect=6)

    assert json.loads(ended.stdout)["status"] == "pending"
    assert "agentx clarify wait CLR-1-001" in ended.stderr
    assert "[Agent X] CLR-1-001 waits for architect, asked 0:0" in ended.stderr
    assert "leave with Ctrl-C" in ended.stderr
    # Asked again while it is open, it is joined, and nobody is asked twice.
    told = house.root / "told"
    with told.open("w") as err:
        again = start(house, *words("--wait", "--timeout", "60"), env=claude.env, err=err)
    until(lambda: "joined" in told.read_text())
    claude.may_end.touch()
    answer = json.loads(again.communicate(timeout=60)[0])
    assert (answer["id"], answer["answer"]) == ("CLR-1-001", "PostgreSQL.")
    assert claude.count() == 1
    assert len(house.json("clarify", "--issue", "1")["clarifications"]) == 1


def test_a_runner_that_is_not_installed_is_known_before_anything_is_asked(house: House) -> None:
    refused = house.json(*words("--runner", "codex"), expect=6)

    assert "codex is not installed" in refused["error"]["message"]
    assert not ledger(house).exists()
    house.agentx(*words("--wait"), env={"AGENTX_AGENTS_RUNNER": "architect=gemini"}, expect=6)
    assert not ledger(house).exists()


@pytest.mark.promise("clarify.retry")
def test_a_stale_question_is_asked_once_more_by_whoever_notices_and_once(house: House) -> None:
    claude = Claude(house, takes_s=0.3)
    house.agentx(*words())
    let_time_pass(house)

    looks = [start(house, "clarify", env=claude.env), start(house, "ready", env=claude.env)]
    looks.append(start(house, "clarify", "inbox", env=claude.env))
    for look in looks:
        look.communicate(timeout=60)
    until(lambda: read(house)["status"] == "answered")

    until(lambda: processes_of(house.home) == [])
    assert claude.count() == 1
    kept = read(house)
    assert (kept["retries"], kept["retry"]["runner"], kept["retry"]["outcome"]) == (
        1,
        "claude-code",
        "answered",
    )


@pytest.mark.promise("clarify.retry")
def test_an_escalation_says_only_what_happened(house: House) -> None:
    house.agentx(*words())
    let_time_pass(house)
    house.agentx("clarify")
    assert read(house)["status"] == "stale"
    let_time_pass(house)
    house.agentx("clarify")
    alone = read(house)
    assert (
        "architect did not answer in time; nobody could be asked in its place" in (alone["summary"])
    )
    assert "retry" not in alone

    claude = Claude(house, fails=True)
    asked = ("clarify", "ask", "--issue", "1", "--from", "engineer", "--to", "architect")
    house.agentx(*asked, "--topic", "Keys", "--question", "Which keys?")
    let_time_pass(house)
    house.agentx("clarify", env=claude.env)
    until(lambda: read(house, 2)["status"] == "escalated")
    failed = read(house, 2)
    assert "claude-code was asked once more and failed" in failed["summary"]
    assert failed["retry"]["outcome"] == "failed"
    assert (failed["reason"], claude.count()) == ("stale", 1)
    until(lambda: processes_of(house.home) == [])


def test_a_retry_that_was_killed_is_not_called_failed_nor_made_twice(house: House) -> None:
    claude = Claude(house, takes_s=30)
    house.agentx(*words())
    let_time_pass(house)
    house.agentx("clarify", env=claude.env)
    until(lambda: claude.count() == 1)
    for process in processes_of(house.home):
        with suppress(ProcessLookupError):  # it has just ended
            os.kill(process, signal.SIGKILL)
    until(lambda: processes_of(house.home) == [])

    house.agentx("clarify", env=claude.env)
    assert (read(house)["status"], claude.count()) == ("pending", 1)
    let_time_pass(house)
    house.agentx("clarify", env=claude.env)

    kept = read(house)
    assert kept["status"] == "escalated"
    assert "claude-code was asked once more, no answer came" in kept["summary"]
    assert "outcome" not in kept["retry"]


@pytest.mark.promise("clarify.deadlock")
def test_two_agents_that_wait_for_each_other_are_freed_within_seconds(house: House) -> None:
    workflows = house.project / ".agentx" / "workflows"
    workflows.mkdir()
    (workflows / "feature.toml").write_text(CIRCLE, encoding="utf-8")
    house.agentx("trust", "--yes")
    engineer = start(house, *words("--wait", "--timeout", "3600"))
    until(lambda: ledger(house).exists())
    architect = start(
        house, *words("--wait", "--timeout", "3600", asker="architect", to="engineer")
    )

    out, _ = engineer.communicate(timeout=60)

    freed = json.loads(out)
    assert (freed["status"], freed["reason"]) == ("escalated", "deadlock")
    assert architect.poll() is None  # the upstream question stays
    house.agentx("clarify", "answer", "CLR-1-002", "SQLite is not enough.")
    out, _ = architect.communicate(timeout=60)
    assert json.loads(out)["answer"] == "SQLite is not enough."


def test_who_closes_a_circle_is_told_why_a_person_was_called_and_to_go_on(house: House) -> None:
    workflows = house.project / ".agentx" / "workflows"
    workflows.mkdir()
    (workflows / "feature.toml").write_text(CIRCLE, encoding="utf-8")
    house.agentx("trust", "--yes")
    house.agentx(*words(asker="architect", to="engineer"))

    told = house.agentx(*words("--wait"))

    assert "[ESCALATED] CLR-1-002" in told.stderr
    assert "wait for each other" in told.stdout
    assert "go on with what is known" in told.stdout
    assert "clarify resolve" not in told.stdout, "that is a person's"


def test_one_waits_for_a_question_and_has_it_asked_by_its_id(house: House) -> None:
    house.agentx(*words())

    timed_out = house.json("clarify", "wait", "CLR-1-001", "--timeout", "0", expect=6)
    assert timed_out["status"] == "pending"
    nobody = house.json("clarify", "route", "CLR-1-001", expect=6)
    assert "nobody can be asked in its place" in nobody["error"]["message"]
    claude = Claude(house)
    routed = house.agentx("clarify", "route", "CLR-1-001", "--json", env=claude.env, expect=None)
    assert json.loads(routed.stdout)["answer"] == "PostgreSQL."
    refused = house.agentx("clarify", "route", "CLR-1-001", env=claude.env, expect=3)
    assert "nothing waits for architect" in refused.stderr
    house.json("clarify", "wait", "CLR-1-009", expect=2)


def test_who_waits_at_a_terminal_sees_for_whom_and_how_to_leave(house: House) -> None:
    house.agentx(*words())
    house.agentx("hook", "start", "--agent", "architect", "--issue", "1")

    code, shown = converse(house, ["clarify", "wait", "CLR-1-001", "--timeout", "2"], [])

    assert code == 6
    told = " ".join(shown.split())
    assert "CLR-1-001 waits for architect, asked 0:0" in told
    assert "leave with Ctrl-C" in told
    assert "waiting for architect (CLR-1-001)" in told
    assert max(map(measure, shown.replace("\r", "\n").splitlines())) <= 80


@pytest.mark.promise("clarify.retry")
def test_a_daemon_looks_after_questions_by_itself(house: House) -> None:
    house.agentx(*words())
    let_time_pass(house)

    ran = house.json("scheduler", "run", "questions")

    assert (ran["result"], ran["said"]) == ("ok", "open: 1")
    assert read(house)["status"] == "stale"


@pytest.mark.promise("clarify.compact")
def test_settled_threads_get_small_by_a_command_and_every_night(house: House) -> None:
    house.agentx(*words())
    house.agentx("clarify", "answer", "CLR-1-001", "At length: " + "words " * 100)
    house.agentx("clarify", "ask", "--follow-up", "CLR-1-001", "--question", "In short?")
    house.agentx("clarify", "answer", "CLR-1-001", "PostgreSQL.")
    house.agentx("clarify", "resolve", "CLR-1-001")

    assert "settled questions" not in house.json("scheduler", "run", "retention")["said"]
    assert house.json("clarify", "compact", "--days", "0") == {"shortened": 1, "days": 0}

    assert [len(entry["body"]) for entry in read(house)["thread"]][1] <= 120
    assert house.agentx("clarify", "compact").stdout == "settled threads shortened: 0\n"


def test_who_waits_at_a_terminal_reads_what_the_agent_says_on_the_way(house: House) -> None:
    claude = Claude(house, takes_s=2, says="I look at the migrations first.")
    code, screen = converse_in(
        house.project, {**house.environment, **claude.env}, [*words("--wait", "--timeout", "60")]
    )
    assert code == 0
    assert "[Architect ...] I look at the migrations first." in screen
    assert screen.index("I look at the migrations") < screen.index("PostgreSQL.")
    assert "leave with Ctrl-C" in " ".join(screen.split())
    # Who asked takes it away once the answer is on record, which who waits may hear of before.
    until(lambda: not list(house.data.root.glob("**/asking/*.words")))
    # A program that waits reads the answer alone.
    piped = house.agentx(*words("--wait", "--ask-anyway", "--no-block"), env=claude.env)
    assert "migrations" not in piped.stdout + piped.stderr
