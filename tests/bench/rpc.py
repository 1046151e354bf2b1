"""gRPC: events acknowledged by a daemon of the product, in a home made for it.

An event counts when its acknowledgement has come, which is after it is on disk.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import grpc

from agentx.conversation.model import EventQuery
from agentx.memory.remote import dial
from agentx.memory.wire._generated import memory_pb2 as pb2
from agentx.memory.wire.messages import DRAFT
from tests.bench.log import drafts
from tests.bench.row import Row
from tests.support.grpc_stub import MemoryServiceStub

SIZES = {"small": 20_000, "full": 200_000}
UNARY = 500


def run(size: str) -> list[Row]:
    """Measure."""
    folder = Path(tempfile.mkdtemp(prefix="ax-"))
    try:
        address = _agentx(folder, "daemon", "start")["address"]
        try:
            return _measured(address, SIZES[size])
        finally:
            _agentx(folder, "daemon", "stop")
    finally:
        shutil.rmtree(folder)


def _measured(address: str, count: int) -> list[Row]:
    made = list(drafts(count + UNARY))
    with dial(address) as memory:
        memory.append(made[:100])  # the connection, and the first use of everything
        rate = (count - 100) / _seconds(lambda: memory.append(made[100:count]))
        pages = [_seconds(lambda: memory.events(EventQuery(limit=1_000))) for _ in range(5)]
    with grpc.insecure_channel(address) as channel:
        call = MemoryServiceStub(channel).IngestEvent
        requests = [pb2.IngestEventRequest(event=DRAFT.write(draft)) for draft in made[count:]]
        one = statistics.median(
            _seconds(partial(call, request, timeout=10)) for request in requests
        )
    return [
        Row("events acknowledged through a gRPC stream", rate, "events/s", at_least=3_000),
        Row("one event acknowledged through a gRPC call, median", one * 1000, "ms"),
        Row("a page of 1,000 events through gRPC, median", statistics.median(pages) * 1000, "ms"),
    ]


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _agentx(folder: Path, *arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "agentx.surfaces.cli.main", *arguments, "--json"],
        cwd=folder,
        env={"HOME": str(folder), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(done.stdout)
