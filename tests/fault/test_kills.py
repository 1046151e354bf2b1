"""Goal: kill -9 at any moment of hook, drain and daemon loses nothing that was acknowledged, and
brings nothing twice.

Method: real processes, killed after random delays from a fixed seed, under load. A hook has
acknowledged when it left with 0; an event sent to the daemon when its acknowledgement came.
`make soak` does 200 kills, the suite a few.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.house import BIN, WAIT_S, House, processes_of, prompt

SEED = 20260302
FIRST_MS = 1_772_445_600_000  # 2026-03-02T10:00:00Z


class Load:
    """Hooks that come and go; it knows which of them acknowledged."""

    def __init__(self, house: House, chance: random.Random) -> None:
        self.house = house
        self.chance = chance
        self.sent = 0
        self.acknowledged: set[str] = set()
        self.kills = 0

    def hooks(self, count: int, *, kill: bool) -> None:
        """Run some hooks at once, and kill some of them in the middle."""
        running: list[tuple[str, subprocess.Popen[bytes]]] = []
        for _ in range(count):
            self.sent += 1
            name = f"p-{self.sent:05}"
            process = subprocess.Popen(
                [str(BIN / "agentx-hook"), "--harness", "claude-code"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=self.house.project,
                env=self.house.environment,
            )
            payload = prompt(f"text {name} \U0001f680" + "x" * 3000, prompt_id=name)
            assert process.stdin is not None
            process.stdin.write(json.dumps(payload).encode())
            process.stdin.close()
            running.append((name, process))
        for name, process in running:
            if kill and self.chance.random() < 0.5:
                time.sleep(self.chance.uniform(0, 0.03))
                process.kill()
                self.kills += 1
            if process.wait(WAIT_S) == 0:
                self.acknowledged.add(name)

    def killed_sync(self) -> None:
        """Begin to take the spool, and die on the way."""
        process = subprocess.Popen(
            [str(BIN / "agentx"), "sync"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.house.project,
            env=self.house.environment,
        )
        time.sleep(self.chance.uniform(0.1, 0.9))
        process.kill()
        process.wait(WAIT_S)
        self.kills += 1

    def killed_daemon(self) -> None:
        """Let a daemon drain for a moment, then kill it."""
        self.house.agentx("daemon", "start")
        pid = self.house.json("daemon", "status")["pid"]
        self.hooks(3, kill=False)
        time.sleep(self.chance.uniform(0, 0.5))
        os.kill(pid, signal.SIGKILL)
        self.kills += 1


def _read_level(house: House) -> list[dict[str, Any]]:
    """Read the log until nobody says that something is not taken in yet: beside a process that is
    dying still, a look is all there is.
    """
    until = time.monotonic() + WAIT_S
    while True:
        told = house.json("events", "--limit", "10000")
        if not told.get("behind"):
            return list(told["events"])
        assert time.monotonic() < until, "it never becomes level"


def _assert_nothing_lost_and_nothing_twice(load: Load) -> None:
    seen = Counter(event["metadata"]["prompt_id"] for event in _read_level(load.house))
    lost = load.acknowledged - set(seen)
    twice = {name for name, count in seen.items() if count > 1}
    assert not lost, f"acknowledged and lost: {sorted(lost)[:5]} of {len(load.acknowledged)}"
    assert not twice, f"stored twice: {sorted(twice)[:5]}"
    assert len(load.acknowledged) > 0


def _storm(house: House, *, kills: int, seed: int) -> Load:
    load = Load(house, random.Random(seed))
    while load.kills < kills:
        load.hooks(4, kill=True)
        if load.chance.random() < 0.5:
            load.killed_sync()
        else:
            load.killed_daemon()
    _assert_nothing_lost_and_nothing_twice(load)
    house.agentx("daemon", "stop")
    assert processes_of(house.home) == []
    return load


@pytest.mark.promise("capture.nothing-lost")
def test_a_few_kills_lose_nothing(tmp_path: Path) -> None:
    _storm(House(tmp_path), kills=8, seed=SEED)


@pytest.mark.soak
def test_two_hundred_kills_lose_nothing(tmp_path: Path) -> None:
    load = _storm(House(tmp_path), kills=200, seed=SEED)
    print(f"\n{load.kills} kills, {load.sent} hooks, {len(load.acknowledged)} acknowledged")


def _fill(house: House, count: int) -> None:
    """Put many records into the spool, as that many hooks would have."""
    assert house.hook(prompt("first", prompt_id="p-first")).returncode == 0
    new = house.data.spool(str(house.project)).new
    (first,) = new.iterdir()
    raw = first.read_bytes()
    at = re.search(rb'"at":(\d+)', raw)
    assert at is not None
    for number in range(count):
        at_ms = FIRST_MS + number * 1_000
        body = raw.replace(at[0], b'"at":%d' % at_ms).replace(b"p-first", b"p-%06d" % number)
        body = body.replace(b"first", b"text %06d" % number)
        body = body.replace(b'"s-1"', b'"s-%d"' % (number // 500))
        (new / f"{at_ms:013}-1-{number:08x}.evt").write_bytes(body)


@pytest.mark.parametrize(
    "count", [1_000, pytest.param(100_000, marks=[pytest.mark.soak, pytest.mark.timeout(900)])]
)
def test_a_long_spool_is_taken_whole(tmp_path: Path, count: int) -> None:
    house = House(tmp_path)
    _fill(house, count)
    began = time.monotonic()
    done = subprocess.run(
        [str(BIN / "agentx"), "sync", "--json"],
        cwd=house.project,
        env=house.environment,
        capture_output=True,
        check=True,
        timeout=900,
    )
    print(f"\n{count} spool files in {time.monotonic() - began:.1f} s")

    assert json.loads(done.stdout)["stored"] == count + 1
    assert list(house.data.spool(str(house.project)).new.iterdir()) == []
    assert house.json("status")["memory"]["log"]["events"] == count + 1
