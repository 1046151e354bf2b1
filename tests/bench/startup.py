"""How long a person waits for a command that reads, and what of it is start-up.

The commands as they are installed are run in turn with bare Python and with Python that has
imported click, so that all meet the same load of the machine. A figure is the ratio of the best
times: what else the machine does meanwhile belongs to neither. The store is what `agentx demo`
replays; the second round has a daemon serve it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Timer

from agentx.demo import sample
from agentx.demo.stage import DemoStage
from tests.bench.row import Row

_ROUNDS = {"small": 15, "full": 60}
_WAIT_S = 120
_AGENTX = str(Path(sys.executable).with_name("agentx"))

_BARE = (sys.executable, "-c", "pass")
_CLICK = (sys.executable, "-c", "import click")
_READING: Mapping[str, tuple[str, ...]] = {
    "alone": (),
    "status": ("status",),
    "toc": ("toc",),
    "search": ("search", "why did we move from SQLite to Postgres?"),
    "recall": ("recall",),
    "recall --context": ("recall", "--context", "retries of webhooks"),
    "events": ("events",),
    "sessions": ("sessions",),
}


def run(size: str) -> list[Row]:
    """Measure every command that reads against the two yardsticks."""
    rounds = _ROUNDS[size]
    with tempfile.TemporaryDirectory(prefix="ax-") as folder:
        stage = DemoStage(Path(folder), sys.executable)
        stage.set_up(sample.sessions())
        stage.run("init", quiet=True)
        stage.run("sync", quiet=True)
        bare = _best({"bare": _BARE, "--version": (_AGENTX, "--version")}, stage, rounds)
        helped = _best({"click": _CLICK, "--help": (_AGENTX, "--help")}, stage, rounds)
        alone = _reading(stage, rounds)
        stage.run("daemon", "start", quiet=True)
        try:
            served = _reading(stage, rounds)
        finally:
            stage.run("daemon", "stop", quiet=True)
    return [
        Row("bare python -c pass", bare["bare"] * 1000, "ms"),
        Row('python -c "import click"', helped["click"] * 1000, "ms"),
        Row("agentx --version", bare["--version"] / bare["bare"], "x bare", at_most=2.5),
        Row("agentx --help", helped["--help"] / helped["click"], "x click", at_most=1.8),
        *(
            Row(f"agentx {name}{way}", times[name] / times["click"], "x click", at_most=5)
            for way, times in (("", alone), (", served by a daemon", served))
            for name in _READING
        ),
    ]


def _reading(stage: DemoStage, rounds: int) -> dict[str, float]:
    commands = {name: (_AGENTX, *arguments) for name, arguments in _READING.items()}
    return _best({"click": _CLICK, **commands}, stage, rounds)


def _best(commands: Mapping[str, Sequence[str]], stage: DemoStage, rounds: int) -> dict[str, float]:
    timings: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            took = _seconds(command, stage)
            if turn:  # the first one warms the disk
                timings[name].append(took)
    return {name: min(times) for name, times in timings.items()}


def _seconds(command: Sequence[str], stage: DemoStage) -> float:
    """Run a command to its end; a wait with a time-out would look only every 50 ms."""
    began = time.perf_counter()
    with subprocess.Popen(
        command,
        cwd=stage.project,
        env=stage.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        watch = Timer(_WAIT_S, process.kill)
        watch.start()
        code = process.wait()
        took = time.perf_counter() - began
        watch.cancel()
    if code:
        raise subprocess.CalledProcessError(code, command)
    return took
