"""Goal: the scheduler over gRPC is the scheduler: same values, same errors.

Method: a real server on a real socket in front of a real scheduler with a clock that stands still.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from agentx.daemon.activity import Activity
from agentx.daemon.remote import RemoteScheduler
from agentx.daemon.scheduler.cron import parse_cron
from agentx.daemon.scheduler.door import SchedulerDoor
from agentx.daemon.scheduler.model import JobSpec, JobState, JobStatus, RunResult
from agentx.daemon.scheduler.registry import Registry
from agentx.daemon.scheduler.scheduler import Scheduler
from agentx.daemon.servers import Host, Offer
from agentx.kernel.errors import NotFound, UnavailableError
from agentx.memory.wire.connection import connect_to
from agentx.surfaces.grpc.server import RpcServer
from agentx.surfaces.grpc.service import MemoryService
from tests.support.fake_memory import FakeMemory
from tests.support.served import Served
from tests.support.time_and_chance import START_MS, CountingEntropy, FakeClock

WAIT_S = 60


class Work:
    """What the job does, as the test says."""

    def __init__(self) -> None:
        self.run: Callable[[], object] = lambda: "\u2713 rolled \u4e09 days"

    def __call__(self) -> object:
        return self.run()


@pytest.fixture
def work() -> Work:
    return Work()


@pytest.fixture
def scheduler(work: Work, tmp_path: Path) -> Iterator[Scheduler]:
    made = Scheduler(
        [
            JobSpec(name="roll", about="Rolls days.", when=parse_cron("0 3 * * *"), run=work),
            JobSpec(name="rest", about="Rests.", when=parse_cron("30 4 * * sun"), run=print),
        ],
        Registry(tmp_path / "scheduler.json", FakeClock()),
        clock=FakeClock(),
        zone=UTC,
        entropy=CountingEntropy(),
    )
    yield made
    made.stop(wait_ms=0)


@pytest.fixture
def remote(scheduler: Scheduler, short_path: Path) -> Iterator[RemoteScheduler]:
    host = Host(pid=7, started_ms=START_MS, clock=FakeClock(), end=lambda: None)
    offer = Offer(memory=FakeMemory(), host=host, activity=Activity(), scheduler=scheduler)
    server = RpcServer(MemoryService(offer))
    address = server.listen_on_socket(short_path / "daemon.sock")
    server.start()
    with closing(connect_to(address)) as connection:
        yield RemoteScheduler(connection)
    server.refuse_new_calls(0)
    server.wait_until_ended()


def sent(job: JobStatus) -> JobStatus:
    """A job as it travels: what only the disk needs stays behind."""
    return replace(job, record=replace(job.record, planned_by=""))


def test_a_status_that_went_over_the_wire_is_equal(
    remote: RemoteScheduler, scheduler: Scheduler
) -> None:
    scheduler.run_now("roll")
    scheduler.pause("rest")
    here = scheduler.status()

    there: SchedulerDoor = remote

    assert there.status() == replace(here, jobs=tuple(map(sent, here.jobs)))


def test_a_failure_travels_too(remote: RemoteScheduler, scheduler: Scheduler, work: Work) -> None:
    def fail() -> None:
        raise ValueError("not today: \u05e9\u05d2\u05d9\u05d0\u05d4")

    work.run = fail
    run = remote.run_now("roll")

    assert (run.result, run.started_ms) == (RunResult.FAILED, START_MS)
    assert run.error == "ValueError: not today: \u05e9\u05d2\u05d9\u05d0\u05d4"
    assert remote.status().jobs[0].record.failures == 1


def test_pausing_and_resuming_reach_the_scheduler(
    remote: RemoteScheduler, scheduler: Scheduler
) -> None:
    assert remote.pause("roll").record.state is JobState.PAUSED
    assert scheduler.status().jobs[0].record.state is JobState.PAUSED

    assert remote.resume("roll").record.state is JobState.ACTIVE
    assert scheduler.status().jobs[0].record.state is JobState.ACTIVE


def test_a_run_is_answered_when_it_is_done_and_a_second_is_skipped(
    remote: RemoteScheduler, work: Work
) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def wait() -> str:
        begun.set()
        assert may_end.wait(WAIT_S)
        return "waited"

    work.run = wait
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(remote.run_now, "roll")
        assert begun.wait(WAIT_S)
        second = remote.run_now("roll")
        may_end.set()

        assert first.result(WAIT_S).said == "waited"
    assert (second.result, second.started_ms) == (RunResult.SKIPPED, None)


@pytest.mark.parametrize("verb", ["pause", "resume", "run_now"])
@pytest.mark.parametrize("name", ["nope", "", "\u5e97", "../roll", "x" * 5_000])
def test_a_job_that_is_not_there_is_not_found(
    remote: RemoteScheduler, verb: str, name: str
) -> None:
    with pytest.raises(NotFound) as refused:
        getattr(remote, verb)(name)

    assert refused.value.hint == "the jobs are: roll, rest"


def test_a_daemon_that_is_stopping_begins_no_job(
    remote: RemoteScheduler, scheduler: Scheduler
) -> None:
    scheduler.stop()

    with pytest.raises(UnavailableError, match="stopping"):
        remote.run_now("roll")
    assert len(remote.status().jobs) == 2


def test_a_daemon_without_a_scheduler_says_so(served: Served) -> None:
    with (
        closing(connect_to(served.address)) as connection,
        pytest.raises(UnavailableError, match="no scheduler"),
    ):
        RemoteScheduler(connection).status()
