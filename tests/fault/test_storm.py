"""Goal: whatever is killed and whenever, nothing acknowledged is lost, nothing comes twice, and
`doctor --fix` leaves nothing to mend.

Method: one house in which hooks, drains, daemons, questions, observations, issues, events of a run,
rebuilds, exports and backups go on at once as real processes; most are killed after a random delay
from a fixed seed. What an export or a backup left under its name is whole. What left with 0 was
acknowledged. `make soak` kills 2,000 of them, the suite a few.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from agentx.host.files.parcel import Parcel
from tests.support.house import BIN, House, processes_of, prompt

SEED = 20261115
AT_ONCE = 4
SETTLED_S = 300  # a rebuild of a large store, beside three others, on a slow disk
PAGE = "10000"


class Storm:
    """Processes that come and are killed; it knows which of them acknowledged what."""

    def __init__(self, house: House, seed: int) -> None:
        self.house = house
        self.chance = random.Random(seed)
        self.kills = 0
        self.kept: dict[str, set[str]] = {name: set() for name in _WRITERS}
        self._count = 0
        house.json("issue", "create", "--title", "the storm")
        self.run_id = house.json("run", "start", "the storm")["run_id"]

    def blow(self) -> None:
        """Start a few things at once, and kill most of them in the middle."""
        started = [self._start() for _ in range(AT_ONCE)]
        for kind, name, process in started:
            if self.chance.random() < 0.8:
                time.sleep(self.chance.uniform(0, 0.03 if kind == "prompt" else 0.25))
                if process.poll() is None:
                    process.kill()
                    self.kills += 1
            self._settle(kind, name, process)
        if self.chance.random() < 0.1:
            self._kill_a_daemon()

    def calm(self) -> None:
        """Do one of each in peace: after all that it must still be possible."""
        for kind in _WRITERS:
            self._settle(*self._start(kind))

    def _start(self, wanted: str = "") -> tuple[str, str, subprocess.Popen[bytes]]:
        self._count += 1
        name = f"n{self._count:05}"
        kind = wanted or self.chance.choice((*_WRITERS, "prompt", "prompt", *_OTHERS))
        if kind == "prompt":
            process = self._popen("agentx-hook", "--harness", "claude-code", given=True)
            assert process.stdin is not None
            process.stdin.write(json.dumps(prompt(f"words {name}", prompt_id=name)).encode())
            process.stdin.close()
            return kind, name, process
        said = {**_WRITERS, **_OTHERS}[kind](self, name)
        return kind, name, self._popen("agentx", *said)

    def _settle(self, kind: str, name: str, process: subprocess.Popen[bytes]) -> None:
        if process.wait(SETTLED_S) == 0 and kind in self.kept:
            self.kept[kind].add(name)

    def _kill_a_daemon(self) -> None:
        self.house.agentx("daemon", "start", expect=None)
        pid = self.house.json("daemon", "status")["pid"]
        for _ in range(3):
            self._settle(*self._start())
        if pid:
            os.kill(pid, signal.SIGKILL)
            self.kills += 1

    def _popen(self, command: str, *arguments: str, given: bool = False) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [str(BIN / command), *arguments],
            stdin=subprocess.PIPE if given else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.house.project,
            env=self.house.environment,
        )


def _ask(_storm: Storm, name: str) -> tuple[str, ...]:
    who = ("--from", "engineer", "--to", "architect", "--no-block")
    return "clarify", "ask", "--issue", "1", *who, "--topic", name, "--question", f"why {name}"


def _remember(_storm: Storm, name: str) -> tuple[str, ...]:
    whose = ("--agent", "engineer", "--issue", "1", "--category", "key-fact")
    return "memory", "add", *whose, f"the bolt of gate {name} is number {name[::-1]}"


def _open_issue(_storm: Storm, name: str) -> tuple[str, ...]:
    return "issue", "create", "--title", name


def _happen(storm: Storm, name: str) -> tuple[str, ...]:
    what = ("--actor", "executor", "--type", "note", "--detail", f"text={name}")
    return "run", "event", "--run", storm.run_id, *what


_Arguments = Callable[[Storm, str], tuple[str, ...]]
_WRITERS: dict[str, _Arguments] = {
    "prompt": lambda _storm, _name: (),
    "ask": _ask,
    "remember": _remember,
    "issue": _open_issue,
    "event": _happen,
}
_OTHERS: dict[str, _Arguments] = {
    "sync": lambda _storm, _name: ("sync",),
    "rebuild": lambda _storm, _name: ("rebuild", "search"),
    "export": lambda storm, name: ("export", str(storm.house.root / f"{name}.export")),
    "backup": lambda _storm, _name: ("scheduler", "run", "backup"),
}


def _find_kept(storm: Storm) -> dict[str, Counter[str]]:
    """Return what each kind of thing is remembered as, and how often."""
    house = storm.house
    events = house.json("events", "--limit", PAGE, "--type", "user_message")["events"]
    asked = house.json("clarify", "--issue", "1")
    facts = house.json("memory", "list", "--limit", "1000")["observations"]
    happened = house.json("run", "event", "--run", storm.run_id, "--limit", PAGE)["events"]
    issues = house.json("issue", "list")["issues"]
    return {
        "prompt": Counter(event["metadata"]["prompt_id"] for event in events),
        "ask": Counter(each["topic"] for each in asked["clarifications"]),
        "remember": Counter(row["summary"].split()[4] for row in facts),
        "issue": Counter(issue["title"] for issue in issues),
        "event": Counter(each["detail"].get("text", "") for each in happened),
    }


def _rage(house: House, kills: int) -> Storm:
    storm = Storm(house, SEED)
    while storm.kills < kills:
        storm.blow()
    storm.calm()
    found = _find_kept(storm)
    for kind, names in storm.kept.items():
        lost = names - set(found[kind])
        assert not lost, f"{kind}: acknowledged and lost: {sorted(lost)[:5]} of {len(names)}"
        assert names, f"{kind}: none was acknowledged"
        twice = [name for name, count in found[kind].items() if count > 1 and name.startswith("n")]
        assert not twice, f"{kind}: twice: {twice[:5]}"
    house.agentx("doctor", "--fix", expect=None)
    again = house.json("doctor", expect=None)
    wrong = [check for check in again["checks"] if check["health"] not in ("good", "note")]
    assert wrong == []
    house.agentx("scheduler", "run", "backup")
    _check_parcels(house)
    house.agentx("daemon", "stop", expect=None)
    assert processes_of(house.home) == []
    return storm


def _check_parcels(house: House) -> None:
    """Read every export and backup to its end; nothing unfinished may lie beside them."""
    kept = [path.parent for path in house.data.kept.glob("*/*.agentx")]
    assert kept
    for path in (*house.root.glob("*.export"), *house.data.kept.glob("*/*.agentx")):
        with closing(Parcel(path)) as parcel:
            assert list(parcel.records()), path
    assert [path for folder in (house.root, *kept) for path in folder.glob(".*.tmp")] == []


@pytest.mark.promise("capture.nothing-lost")
@pytest.mark.timed
def test_a_storm_of_kills_loses_nothing(tmp_path: Path) -> None:
    _rage(House(tmp_path), kills=4)


@pytest.mark.soak
def test_a_long_storm_of_kills_loses_nothing(tmp_path: Path) -> None:
    storm = _rage(House(tmp_path), kills=2_000)
    kept = {kind: len(names) for kind, names in storm.kept.items()}
    print(f"\n{storm.kills} kills; acknowledged and found once: {kept}")
