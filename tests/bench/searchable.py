"""From the hook to a search result: how long until what was captured is found.

A daemon of the product runs in a home made for it. The hook, as it is installed, hands over
a prompt with a word that was never said before; the daemon is asked for the word until it
finds it. The time counts from the end of the hook.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from agentx.memory.found import SearchRequest
from agentx.memory.port import Memory
from agentx.memory.remote import dial
from tests.bench.row import Row

PROMPTS = {"small": 20, "full": 100}
POLL_S = 0.02
WAIT_S = 30.0


def run(size: str) -> list[Row]:
    """Measure."""
    folder = Path(tempfile.mkdtemp(prefix="ax-"))
    environment = {
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        "AGENTX_DAEMON_AUTO": "false",
    }
    try:
        address = _agentx(folder, environment, "daemon", "start")["address"]
        try:
            with dial(address) as memory:
                times = sorted(
                    _until_found(memory, folder, environment, number)
                    for number in range(PROMPTS[size])
                )
        finally:
            _agentx(folder, environment, "daemon", "stop")
    finally:
        shutil.rmtree(folder)
    p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
    return [
        Row("captured to searchable, median", p50 * 1000, "ms"),
        Row("captured to searchable, p95", p95 * 1000, "ms", at_most=2_000),
    ]


def _until_found(memory: Memory, folder: Path, environment: dict[str, str], number: int) -> float:
    word = f"quokka{number}x"
    payload = {
        "session_id": f"s-{number}",
        "hook_event_name": "UserPromptSubmit",
        "prompt": f"the {word} is in the harbour",
        "cwd": str(folder),
    }
    subprocess.run(
        [str(Path(sys.executable).with_name("agentx-hook")), "--harness", "claude-code"],
        input=json.dumps(payload).encode(),
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=WAIT_S,
    )
    began = time.perf_counter()
    while not memory.search(SearchRequest(query=word, mode="bm25")).hits:
        if time.perf_counter() - began > WAIT_S:
            raise TimeoutError(f"{word} was not found within {WAIT_S:g} s")
        time.sleep(POLL_S)
    return time.perf_counter() - began


def _agentx(folder: Path, environment: dict[str, str], *arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "agentx.surfaces.cli.main", *arguments, "--json"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(done.stdout)
