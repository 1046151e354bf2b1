"""A served memory: the real servers of a daemon on real sockets in this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentx.daemon.activity import Activity
from agentx.daemon.servers import Ask, Host, Offer
from agentx.memory.remote import RemoteMemory, dial
from agentx.memory.wire.calls import Call
from agentx.surfaces.grpc.server import RpcServer
from agentx.surfaces.grpc.service import MemoryService
from agentx.surfaces.hatch.server import HatchServer
from tests.support.fake_memory import FakeMemory
from tests.support.time_and_chance import START_MS, FakeClock


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A memory and the ways to it."""

    memory: FakeMemory
    remote: RemoteMemory
    server: RpcServer
    hatch: HatchServer
    service: MemoryService
    address: str
    clock: FakeClock
    stops: list[str]
    activity: Activity


@contextmanager
def serve(
    folder: Path,
    *,
    through_hatch: bool = False,
    besides: tuple[tuple[Call[..., Any], Ask], ...] = (),
) -> Iterator[Served]:
    """Serve a memory that lies in a dictionary, and see that no thread is left."""
    before = threading.active_count()
    memory, clock, activity = FakeMemory(), FakeClock(), Activity()
    stops: list[str] = []
    host = Host(pid=77, started_ms=START_MS, clock=clock, end=lambda: stops.append("stop"))
    offer = Offer(memory=memory, host=host, activity=activity, besides=besides)
    service = MemoryService(offer)
    server, hatch = RpcServer(service), HatchServer(offer)
    address = server.listen_on_socket(folder / "daemon.sock")
    hatch.listen(folder / "hatch.sock")
    server.start()
    hatch.start()
    with dial(address, hatch=hatch.address if through_hatch else "") as remote:
        yield Served(
            memory=memory,
            remote=remote,
            server=server,
            hatch=hatch,
            service=service,
            address=address,
            clock=clock,
            stops=stops,
            activity=activity,
        )
    for one in (server, hatch):
        one.refuse_new_calls(0)
        one.wait_until_ended()
    deadline = time.monotonic() + 60
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before, f"threads are left: {threading.enumerate()}"
