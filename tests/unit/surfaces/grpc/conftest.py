"""A served memory: the real gRPC server on a real socket in this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentx.daemon.activity import Activity
from agentx.daemon.servers import Host, Offer
from agentx.memory.remote import RemoteMemory, dial
from agentx.surfaces.grpc.server import RpcServer
from agentx.surfaces.grpc.service import MemoryService
from tests.support.fake_memory import FakeMemory
from tests.support.time_and_chance import START_MS, FakeClock


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A memory and the ways to it."""

    memory: FakeMemory
    remote: RemoteMemory
    server: RpcServer
    service: MemoryService
    address: str
    clock: FakeClock
    stops: list[str]
    activity: Activity


@pytest.fixture
def served(short_path: Path) -> Iterator[Served]:
    before = threading.active_count()
    memory, clock, activity = FakeMemory(), FakeClock(), Activity()
    stops: list[str] = []
    host = Host(pid=77, started_ms=START_MS, clock=clock, end=lambda: stops.append("stop"))
    service = MemoryService(Offer(memory=memory, host=host, activity=activity))
    server = RpcServer(service)
    address = server.listen_on_socket(short_path / "daemon.sock")
    server.start()
    with dial(address) as remote:
        yield Served(
            memory=memory,
            remote=remote,
            server=server,
            service=service,
            address=address,
            clock=clock,
            stops=stops,
            activity=activity,
        )
    server.refuse_new_calls(0)
    server.wait_until_ended()
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before, f"threads are left: {threading.enumerate()}"
