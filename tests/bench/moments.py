"""How long an agent waits at a prompt, and when a session begins, while a daemon is at work.

A project that remembers the sample told over and over, kept in `.bench/` between runs, is served
by a daemon of the product. The hook, as it is installed, is called in turn with bare Python, while
another session is captured beside it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

from agentx.project.project import open_project
from tests.bench.row import Row
from tests.support.history import repeated_sample
from tests.support.remembering import environment_in, remember

KEPT = Path(".bench")
SIZES = {"small": 20_000, "full": 100_000}
RUNS = {"small": 40, "full": 200}
BIN = Path(sys.executable).parent
P95_MS_MAX = 150
ASKED = "Why does the port office refuse webhooks, do retries wait long enough for the tide?"


def run(size: str) -> list[Row]:
    """Measure."""
    count = SIZES[size]
    root = (KEPT / f"moments-{count}").absolute()
    folder = root / "shop"
    folder.mkdir(parents=True, exist_ok=True)
    if not (root / "built").exists():
        remember(open_project(folder, environment_in(root)), repeated_sample(count))
        (root / "built").touch()
    said = {"HOME": str(root / "home"), "PATH": os.environ["PATH"], "TZ": "UTC"}
    place = Place(folder, {**said, "AGENTX_DAEMON_AUTO": "false"})
    place.hook(place.event("s-0", "SessionStart", source="startup"))
    place.run(BIN / "agentx", "sync")
    alone = place.measure("alone", RUNS[size])
    place.run(BIN / "agentx", "sync")  # so that what is taken in meanwhile is the session beside
    place.run(BIN / "agentx", "daemon", "start")
    try:
        place.measure("warm", 3)
        with place.talking():
            served = place.measure("served", RUNS[size])
    finally:
        place.run(BIN / "agentx", "daemon", "stop")
    named = f"{count:,} events"
    bare = _find_median(alone["bare"])
    return [
        Row("bare python3 -I -S -c pass, p95", _find_p95(served["bare"]), "ms"),
        Row(
            f"prompt hook, no daemon, {named}", _find_median(alone["prompt"]) / bare, "x bare", 2.5
        ),
        Row(f"prompt hook, daemon at work, {named}, median", _find_median(served["prompt"]), "ms"),
        Row(
            f"prompt hook, daemon at work, {named}, p95",
            _find_p95(served["prompt"]),
            "ms",
            P95_MS_MAX,
        ),
        Row(
            f"session start, daemon at work, {named}, p95",
            _find_p95(served["start"]),
            "ms",
            P95_MS_MAX,
        ),
    ]


class Place:
    """A project, and how its hook is called."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder = folder
        self._environment = environment

    def event(self, session: str, name: str, **more: str) -> dict[str, Any]:
        """Return what Claude Code tells its hook."""
        return {
            "session_id": session,
            "cwd": str(self._folder),
            "hook_event_name": name,
            **more,
        }

    def run(self, program: Path, *arguments: str, stdin: bytes = b"") -> float:
        """Run a program in the project; return how many milliseconds it took."""
        began = time.perf_counter()
        subprocess.run(
            [program, *arguments],
            cwd=self._folder,
            env=self._environment,
            input=stdin,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        return (time.perf_counter() - began) * 1000

    def hook(self, payload: dict[str, Any]) -> float:
        """Call the hook."""
        said = json.dumps(payload).encode()
        return self.run(BIN / "agentx-hook", "--harness", "claude-code", stdin=said)

    def measure(self, name: str, runs: int) -> dict[str, list[float]]:
        """Return how long bare Python, a prompt and the start of a session took."""
        times: dict[str, list[float]] = {"bare": [], "prompt": [], "start": []}
        for number in range(runs):
            session = f"{name}-{number}"
            bare = ("-I", "-S", "-c", "pass")
            times["bare"].append(self.run(Path(sys.executable), *bare))
            begins = self.event(session, "SessionStart", source="startup")
            asks = self.event(session, "UserPromptSubmit", prompt=f"{ASKED} {number}")
            times["start"].append(self.hook(begins))
            times["prompt"].append(self.hook(asks))
        return times

    @contextmanager
    def talking(self) -> Iterator[None]:
        """Let another session go on beside whatever is measured."""
        ended = Event()

        def talk() -> None:
            number = 0
            while not ended.wait(0.1):
                number += 1
                said = f"Number {number}: we decided to moor ferry {number} at quay {number % 7}."
                self.hook(self.event("beside", "UserPromptSubmit", prompt=said))

        thread = Thread(target=talk)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


def _find_median(times: list[float]) -> float:
    return sorted(times)[len(times) // 2]


def _find_p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]
