"""Goal: many agents at once on one daemon lose nothing and store nothing twice, and the daemon
stays within its memory and its handles.

Method: agents as threads that call the installed hook and commands as processes and ask the
daemon through its hatch, for a time; the daemon is watched in /proc. `make soak` runs 50 of
them for ten minutes (`AGENTX_LOAD_S` for another time), the suite a few for seconds.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from agentx.conversation.model import EventQuery
from agentx.daemon.door import connect
from agentx.kernel.paths import StorePaths
from agentx.memory.found import SearchRequest
from agentx.memory.remote import RemoteMemory
from tests.support.house import House, prompt

SEED = 20261117
PAGE = "10000"
RSS_MB_MAX = 600
HANDLES_MAX = 250
_LOAD_S = int(os.environ.get("AGENTX_LOAD_S", "600"))


class Crowd:
    """Agents that work at once until told to stop, and what was acknowledged to them."""

    def __init__(self, house: House, memory: RemoteMemory) -> None:
        self.house = house
        self.memory = memory
        self.kept: dict[str, set[str]] = defaultdict(set)
        self.took_ms: dict[str, list[float]] = defaultdict(list)
        self.failures: list[str] = []
        self.stop = threading.Event()
        house.json("issue", "create", "--title", "the crowd")
        self.run_id = house.json("run", "start", "the crowd")["run_id"]

    def work(self, number: int) -> None:
        """Be one agent."""
        chance = random.Random(SEED + number)
        ways: tuple[tuple[str, Callable[[str], bool]], ...] = (
            *(("prompt", self._say),) * 4,
            *(("search", self._search),) * 4,
            ("events", self._look),
            ("ask", self._ask),
            ("event", self._happen),
        )
        count = 0
        while not self.stop.is_set():
            count += 1
            name = f"n{number:02}x{count:05}"
            kind, do = chance.choice(ways)
            began = time.monotonic()
            try:
                if do(name):
                    self.kept[kind].add(name)
            except Exception as error:  # the test tells of it at the end
                self.failures.append(f"{kind}: {error!r}")
            self.took_ms[kind].append((time.monotonic() - began) * 1000)

    def _say(self, name: str) -> bool:
        words = prompt(f"words {name} of the gate", session=name[:3], prompt_id=name)
        return self.house.hook({**words, "cwd": str(self.house.project)}).returncode == 0

    def _search(self, name: str) -> bool:
        self.memory.search(SearchRequest(query=f"what of the gate {name[:4]}?", limit=5))
        return False

    def _look(self, _name: str) -> bool:
        self.memory.events(EventQuery(limit=20, newest_first=True))
        self.memory.status()
        return False

    def _ask(self, name: str) -> bool:
        who = ("--from", "engineer", "--to", "architect", "--no-block")
        asked = ("--issue", "1", *who, "--topic", name, "--question", f"why {name}")
        return self.house.agentx("clarify", "ask", *asked, expect=None).returncode == 0

    def _happen(self, name: str) -> bool:
        what = ("--actor", "executor", "--type", "note", "--detail", f"text={name}")
        happened = ("--run", self.run_id, *what)
        return self.house.agentx("run", "event", *happened, expect=None).returncode == 0


def _watch(pid: int) -> tuple[float, int]:
    """Return what the daemon holds: megabytes, and handles."""
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    handles = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6, handles


def _find_kept(crowd: Crowd) -> dict[str, Counter[str]]:
    house = crowd.house
    events: list[dict[str, object]] = []
    cursor = ""
    while True:
        page = house.json("events", "--limit", PAGE, "--type", "user_message", "--cursor", cursor)
        events += page["events"]
        cursor = page["next"] or ""
        if not cursor:
            break
    asked = house.json("clarify", "--issue", "1")
    happened = house.json("run", "event", "--run", crowd.run_id, "--limit", PAGE)["events"]
    prompts = [event["metadata"] for event in events]
    return {
        "prompt": Counter(str(one["prompt_id"]) for one in prompts if isinstance(one, dict)),
        "ask": Counter(each["topic"] for each in asked["clarifications"]),
        "event": Counter(each["detail"].get("text", "") for each in happened),
    }


def _p95(took: list[float]) -> float:
    return sorted(took)[int(len(took) * 0.95)]


def _press(house: House, agents: int, seconds: float) -> str:
    house.agentx("daemon", "start")
    store = StorePaths(Path(house.json("status")["store"]))
    pid = int(house.json("daemon", "status")["pid"])
    memory = connect(store)
    assert memory is not None
    with memory:
        crowd = Crowd(house, memory)
        crew = [threading.Thread(target=crowd.work, args=(each,)) for each in range(agents)]
        for one in crew:
            one.start()
        held = []
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(0.25)
            held.append(_watch(pid))
        crowd.stop.set()
        for one in crew:
            one.join(120)
    house.agentx("sync")
    found = _find_kept(crowd)
    assert crowd.failures == [], crowd.failures[:5]
    for kind, names in crowd.kept.items():
        lost = names - set(found[kind])
        assert not lost, f"{kind}: acknowledged and lost: {sorted(lost)[:5]} of {len(names)}"
        twice = [name for name, count in found[kind].items() if count > 1 and name in names]
        assert not twice, f"{kind}: twice: {twice[:5]}"
    assert int(house.json("daemon", "status")["pid"]) == pid, "the same daemon served all of it"
    after = _watch(pid)
    assert max(megabytes for megabytes, _ in held) < RSS_MB_MAX
    assert max(handles for _, handles in held) < HANDLES_MAX
    assert after[1] <= held[0][1] + 16, "handles are given back"
    house.agentx("daemon", "stop")
    times = ", ".join(
        f"{kind} {len(took)} p95 {_p95(took):.0f} ms"
        for kind, took in sorted(crowd.took_ms.items())
    )
    refused = {kind: len(crowd.took_ms[kind]) - len(crowd.kept[kind]) for kind in found}
    tenths = [held[len(held) * tenth // 10] for tenth in range(10)]
    grown = " ".join(f"{megabytes:.0f}/{handles}" for megabytes, handles in (*tenths, after))
    return (
        f"{agents} agents, {seconds:.0f} s: {times}; refused {refused}\n"
        f"megabytes/handles by tenths of the time, and after it: {grown}"
    )


@pytest.mark.promise("capture.nothing-lost")
@pytest.mark.timed
def test_a_few_agents_at_once_lose_nothing(tmp_path: Path) -> None:
    _press(House(tmp_path), agents=8, seconds=3)


@pytest.mark.soak
@pytest.mark.timeout(3_000)
def test_fifty_agents_for_ten_minutes_lose_nothing(tmp_path: Path) -> None:
    print(f"\n{_press(House(tmp_path), agents=50, seconds=_LOAD_S)}")
