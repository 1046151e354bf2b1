"""Goal: the jobs can be seen, paused, resumed and run, with a daemon and without one.

Method: the real commands in a throw-away home. What the daemon knows must be what the next
daemon, and a command without one, knows too.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from agentx.daemon.door import find_daemon
from agentx.daemon.life import DaemonPlan, run_daemon
from agentx.daemon.remote import STOP, RemoteScheduler
from agentx.daemon.scheduler.model import Every, JobSpec, JobStatus, RunResult
from agentx.daemon.scheduler.registry import Registry
from agentx.daemon.scheduler.scheduler import Scheduler
from agentx.host.system import SystemClock, system_entropy
from agentx.kernel.paths import StorePaths
from agentx.memory.wire.connection import Connection, connect_to
from agentx.surfaces.cli.commands.behind.daemon import open_servers
from tests.support.fake_memory import FakeMemory
from tests.support.house import House
from tests.support.soaking import in_soak

JOBS = {"retention", "compact", "memory-settle", "memory-verify", "memory-compact"}


def jobs(house: House) -> dict[str, dict[str, Any]]:
    return {job["name"]: job for job in house.json("scheduler", "status")["jobs"]}


def until(true: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def registry(house: House) -> Path:
    store = house.json("status")["store"]
    return Path(store) / "scheduler.json"


def test_without_a_daemon_jobs_are_shown_run_and_paused(house: House) -> None:
    status = house.json("scheduler", "status")
    assert not status["daemon_runs"]
    assert status["zone"] == "UTC"
    assert {job["name"] for job in status["jobs"]} >= JOBS
    assert {job["result"] for job in status["jobs"]} == {"never"}

    ran = house.json("scheduler", "run", "compact")
    assert ran["result"] == "ok"
    assert "bytes" in ran["said"]
    house.agentx("scheduler", "pause", "retention")

    known = jobs(house)
    assert (known["compact"]["result"], known["compact"]["runs"]) == ("ok", 1)
    assert (known["retention"]["state"], known["retention"]["next_run_ms"]) == ("paused", None)


def test_the_daemon_knows_what_was_done_before_it_and_the_next_one_what_it_did(
    house: House,
) -> None:
    house.agentx("scheduler", "run", "retention")
    house.agentx("scheduler", "pause", "compact")

    house.agentx("daemon", "start")
    status = house.json("scheduler", "status")
    assert status["daemon_runs"]
    assert jobs(house)["retention"]["runs"] == 1
    assert jobs(house)["compact"]["state"] == "paused"

    assert house.json("scheduler", "run", "retention")["result"] == "ok"
    assert house.json("scheduler", "run", "compact")["result"] == "ok"
    assert house.json("scheduler", "resume", "compact")["next_run_ms"] > 0
    by_daemon = jobs(house)
    assert (by_daemon["retention"]["runs"], by_daemon["compact"]["runs"]) == (2, 1)
    house.agentx("daemon", "stop")

    assert jobs(house) == by_daemon
    house.agentx("daemon", "start")
    assert jobs(house) == by_daemon


def test_a_run_that_was_missed_is_made_up_for_when_the_daemon_starts(house: House) -> None:
    house.agentx("scheduler", "resume", "retention")
    house.agentx("scheduler", "run", "retention")
    path = registry(house)
    document = json.loads(path.read_text(encoding="utf-8"))
    document["jobs"]["retention"]["next_run_ms"] = 1_700_000_000_000
    path.write_text(json.dumps(document), encoding="utf-8")

    house.agentx("daemon", "start")

    until(lambda: jobs(house)["retention"]["runs"] == 2)
    until(lambda: jobs(house)["retention"]["result"] == "ok")
    assert jobs(house)["retention"]["next_run_ms"] > time.time() * 1000


def test_a_run_that_was_going_on_when_the_daemon_was_killed_is_reported(house: House) -> None:
    house.agentx("scheduler", "run", "compact")
    pid = house.json("daemon", "status")["pid"]
    assert pid is None
    path = registry(house)
    document = json.loads(path.read_text(encoding="utf-8"))
    document["jobs"]["compact"]["result"] = "running"
    path.write_text(json.dumps(document), encoding="utf-8")

    house.agentx("daemon", "start")

    compact = jobs(house)["compact"]
    assert (compact["result"], compact["failures"]) == ("interrupted", 1)
    shown = house.agentx("scheduler", "status").stdout
    assert "last run: the process ended while it ran" in shown


def test_a_killed_daemon_leaves_a_registry_that_the_next_one_reads(house: House) -> None:
    house.agentx("daemon", "start")
    house.agentx("scheduler", "pause", "compact")
    os.kill(house.json("daemon", "status")["pid"], signal.SIGKILL)
    until(lambda: house.json("daemon", "status")["state"] != "running")

    assert jobs(house)["compact"]["state"] == "paused"
    house.agentx("daemon", "start")
    assert jobs(house)["compact"]["state"] == "paused"


def test_a_damaged_registry_is_moved_aside_and_the_daemon_starts(house: House) -> None:
    house.agentx("scheduler", "run", "retention")
    path = registry(house)
    path.write_bytes(b'{"jobs": {"retention"\xff')

    house.agentx("daemon", "start")

    assert jobs(house)["retention"]["runs"] == 0
    (aside,) = path.parent.glob("scheduler.json.corrupt-*")
    assert aside.read_bytes().endswith(b"\xff")
    assert aside.name in (path.parent / "daemon.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("with_daemon", [False, True])
@pytest.mark.parametrize("verb", ["run", *in_soak("pause", "resume")])
def test_a_job_that_is_not_there_is_refused_in_the_same_words(
    house: House, verb: str, with_daemon: bool
) -> None:
    if with_daemon:
        house.agentx("daemon", "start")

    error = house.json("scheduler", verb, "tidy", expect=2)["error"]

    assert (error["code"], error["message"]) == ("not_found", "'tidy' is not a job")
    assert "retention, backup, compact" in error["hint"]


def test_a_person_reads_a_table_and_what_to_do(house: House) -> None:
    house.agentx("scheduler", "run", "retention")

    shown = house.agentx("scheduler", "status", env={"COLUMNS": "80"}).stdout

    assert "every Sunday at 04:30" in shown
    assert "just now" in shown
    assert "compact: Give back the room" in shown
    assert "times of schedules are in UTC" in shown
    assert "`agentx daemon start`" in shown
    assert "retention done in" in house.agentx("scheduler", "run", "retention").stdout
    assert "compact is paused" in house.agentx("scheduler", "pause", "compact").stdout
    assert "compact is active" in house.agentx("scheduler", "resume", "compact").stdout


@pytest.fixture
def store() -> Iterator[StorePaths]:
    folder, umask = Path(tempfile.mkdtemp(prefix="ax-")), os.umask(0o077)
    yield StorePaths(folder / "store")
    os.umask(umask)
    shutil.rmtree(folder)


def test_a_daemon_that_is_told_to_stop_lets_a_job_finish_before_it_closes_the_memory(
    store: StorePaths,
) -> None:
    clock, memory, seen = SystemClock(), FakeMemory(), []

    def stop_the_daemon_and_go_on() -> str:
        with closing(connected(store)) as connection:
            connection.ask(STOP)
        time.sleep(0.3)  # the daemon is stopping meanwhile
        seen.append((memory.is_closed, [job.name for job in status(store)]))
        return "finished"

    job = JobSpec(name="long", about="", when=Every(1), run=stop_the_daemon_and_go_on)
    registry = Registry(store.scheduler, clock)
    reason = run_daemon(
        DaemonPlan(store=store, short_folder=store.root),
        lambda: memory,
        open_servers,
        clock=clock,
        scheduler=lambda _memory: Scheduler(
            [job], registry, clock=clock, zone=UTC, entropy=system_entropy
        ),
    )

    assert reason == "asked to stop"
    assert seen == [(False, ["long"])]
    assert memory.is_closed
    record = registry.read()["long"]
    assert (record.result, record.said, record.runs) == (RunResult.OK, "finished", 1)


def connected(store: StorePaths) -> Connection:
    presence = find_daemon(store)
    assert presence is not None
    return connect_to(presence.address)


def status(store: StorePaths) -> tuple[JobStatus, ...]:
    with closing(connected(store)) as connection:
        return RemoteScheduler(connection).status().jobs
