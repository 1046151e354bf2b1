"""Goal: a daemon has one life, ends cleanly, and leaves nothing that stops the next one.

Method: real processes. Most tests run the daemon over a memory in a dictionary, so
that they are about its life; the last ones run the product itself in a temporary home.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from agentx.conversation.model import EventQuery
from agentx.daemon.control import Condition, Ending, start, state, stop
from agentx.daemon.door import connect, open_memory
from agentx.daemon.presence import lock_owner
from agentx.host.process import is_alive
from agentx.kernel.errors import AgentXError, DaemonUnavailable
from agentx.kernel.paths import StorePaths
from agentx.memory.remote import RemoteMemory, dial
from agentx.memory.wire.connection import connect_to, is_healthy
from agentx.memory.wire.ingest import IngestStream
from agentx.project.config import read_environment
from agentx.project.project import open_project
from tests.support.drafts import draft
from tests.support.house import House

ROOT = Path(__file__).resolve().parents[2]
ENTRY = (sys.executable, "-m", "tests.support.daemon_entry")

Run = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def store() -> Iterator[StorePaths]:
    """A store's folder with a short path; whatever daemon is left in it is ended."""
    folder = Path(tempfile.mkdtemp(prefix="ax-"))
    paths = StorePaths(folder / "store")
    paths.root.mkdir(mode=0o700)
    yield paths
    stop(paths)
    shutil.rmtree(folder)


@pytest.fixture
def run() -> Iterator[Run]:
    """Run a daemon in the foreground, as a child; wait until it serves."""
    children: list[subprocess.Popen[str]] = []

    def begin(paths: StorePaths, *options: str, wait: bool = True) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [*ENTRY, str(paths.root), *options],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        children.append(child)
        if wait:
            until(lambda: state(paths).condition is Condition.RUNNING)
        return child

    yield begin
    for child in children:
        if child.poll() is None:
            child.kill()
        child.communicate(timeout=60)


def until(true: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def connected(paths: StorePaths) -> RemoteMemory:
    remote = connect(paths)
    assert remote is not None
    return remote


def entry_command(paths: StorePaths, *options: str) -> list[str]:
    """The daemon as `start` is given it: it finds the tests from any folder."""
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from tests.support.daemon_entry import main\n"
        "sys.exit(main())"
    )
    return [sys.executable, "-c", script, str(paths.root), "to_log=1", *options]


def children_of(pid: int) -> list[int]:
    asked = ["ps", "-o", "pid=", "--ppid", str(pid)]
    with subprocess.Popen(asked, stdout=subprocess.PIPE, text=True, encoding="ascii") as asking:
        found, _ = asking.communicate(timeout=60)
        return [int(word) for word in found.split() if int(word) != asking.pid]


def test_a_daemon_serves_on_a_private_socket_and_ends_without_a_trace(
    store: StorePaths, run: Run
) -> None:
    child = run(store)

    assert store.socket.stat().st_mode & 0o777 == 0o600
    assert store.hatch.stat().st_mode & 0o777 == 0o600
    assert store.root.stat().st_mode & 0o777 == 0o700
    assert is_healthy(state(store).address)
    assert children_of(child.pid) == []
    with connected(store) as memory:
        memory.append([draft("hello")])
        status = memory.status()
    assert (status.log.events, status.daemon_pid) == (1, child.pid)

    child.send_signal(signal.SIGTERM)
    assert child.wait(60) == 0
    assert state(store).condition is Condition.STOPPED
    assert connect(store) is None
    assert sorted(path.name for path in store.root.iterdir()) == ["daemon.lock"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_call_in_flight_is_answered_before_the_daemon_goes(
    store: StorePaths, run: Run, number: signal.Signals
) -> None:
    child = run(store, "append_ms=600")
    with connected(store) as memory, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(memory.append, [draft()])
        until((store.root / "appending").exists)
        child.send_signal(number)

        assert len(answer.result(10).stored) == 1
    assert child.wait(60) == 0


def test_a_stream_that_stays_open_does_not_keep_the_daemon(store: StorePaths, run: Run) -> None:
    child = run(store)
    with connected(store) as memory:
        memory.append([draft()])
        stream = IngestStream(connect_to(state(store).address))
        try:
            began = time.monotonic()
            child.send_signal(signal.SIGTERM)
            assert child.wait(60) == 0
            assert time.monotonic() - began < 50
        finally:
            stream.close()


@pytest.mark.promise("daemon.one")
def test_of_two_daemons_started_at_once_exactly_one_lives(store: StorePaths, run: Run) -> None:
    children = [run(store, wait=False) for _ in range(3)]
    until(lambda: sum(child.poll() is not None for child in children) == 2)
    until(lambda: state(store).condition is Condition.RUNNING)

    (survivor,) = (child for child in children if child.poll() is None)
    losers = [child for child in children if child.poll() is not None]
    assert [child.returncode for child in losers] == [3, 3]
    for child in losers:
        _, said = child.communicate(timeout=60)
        assert "is served by a daemon already" in said
        assert "agentx daemon status" in said
    assert state(store).pid == survivor.pid
    with connected(store) as memory:
        assert len(memory.append([draft()]).stored) == 1


def test_a_killed_daemon_leaves_nothing_that_stops_the_next(store: StorePaths, run: Run) -> None:
    first = run(store)
    first.kill()
    first.wait(60)
    assert store.socket.exists()
    assert store.hatch.exists()
    assert store.daemon.exists()
    assert state(store).condition is Condition.STALE
    assert connect(store) is None

    second = run(store)

    assert state(store).pid == second.pid
    with connected(store) as memory:
        assert len(memory.append([draft()]).stored) == 1


def test_a_daemon_drains_by_itself_and_once_more_at_the_end(store: StorePaths, run: Run) -> None:
    run(store, "spooled=1")

    with connected(store) as memory:
        until(lambda: memory.status().log.events == 1)
        (event,) = memory.events(EventQuery()).events
    assert event.text == "from the spool"


def test_an_idle_daemon_goes_and_one_that_is_asked_stays(store: StorePaths, run: Run) -> None:
    idle_s = 1.5
    child = run(store, f"idle_exit_ms={idle_s * 1000:.0f}")
    with connected(store) as memory:
        began = time.monotonic()
        while time.monotonic() - began < idle_s * 1.2:
            memory.status()
            time.sleep(0.01)
        assert child.poll() is None

    assert child.wait(60) == 0
    _, said = child.communicate(timeout=60)
    assert "ended: idle" in said


@pytest.mark.parametrize("when", ["away", "replaced", "replaced while it began"])
def test_a_daemon_whose_repository_was_moved_away_goes(
    store: StorePaths, run: Run, tmp_path: Path, when: str
) -> None:
    root, is_early = tmp_path / "shop", when.endswith("began")
    root.mkdir()
    more = ("hang_ms=500",) if is_early else ()
    child = run(store, "idle_exit_ms=2000", f"root={root}", *more, wait=not is_early)
    until(lambda: lock_owner(store) is not None)
    root.rename(tmp_path / "moved")
    if when != "away":
        root.mkdir()
    until(lambda: state(store).condition is Condition.RUNNING)

    def ask_and_look() -> bool:  # somebody who asks all the time does not keep it
        with suppress(AgentXError):
            memory.status()
        return child.poll() is not None

    with connected(store) as memory:
        until(ask_and_look)
    _, said = child.communicate(timeout=60)
    assert "ended: the folder of the project was moved or removed" in said


def test_a_daemon_whose_folder_was_removed_goes(store: StorePaths, run: Run) -> None:
    child = run(store, "idle_exit_ms=4000")
    shutil.rmtree(store.root)

    assert child.wait(60) == 0
    _, said = child.communicate(timeout=60)
    assert "ended: the folder of the store was removed" in said
    store.root.mkdir(mode=0o700)


def test_a_store_deep_in_the_tree_gets_a_short_socket(store: StorePaths, run: Run) -> None:
    deep = StorePaths(store.root / ("d" * 90) / "with space")
    deep.root.mkdir(parents=True)
    short = store.root / "short"

    child = run(deep, f"short_folder={short}")
    with connected(deep) as memory:
        assert len(memory.append([draft()]).stored) == 1
        assert memory.status().log.events == 1
    assert [path.stat().st_mode & 0o777 for path in short.iterdir()] == [0o600, 0o600]

    assert stop(deep) is Ending.ASKED
    assert child.wait(60) == 0
    assert list(short.iterdir()) == []


def test_tcp_is_served_beside_the_socket_with_a_token(store: StorePaths, run: Run) -> None:
    run(store, "tcp=127.0.0.1:0")
    found = state(store)

    token = Path(found.token_file).read_text("ascii").strip()
    with dial(found.tcp_address, token=token) as memory:
        assert len(memory.append([draft()]).stored) == 1
    assert not is_healthy(found.tcp_address)
    assert is_healthy(found.address)
    assert Path(found.token_file).stat().st_mode & 0o777 == 0o600


def test_start_detaches_and_stop_waits_until_it_is_gone(store: StorePaths) -> None:
    before = children_of(os.getpid())

    started = start(store, entry_command(store))
    again = start(store, entry_command(store))

    owner = lock_owner(store)
    assert owner is not None
    assert (started.was_running, again.was_running) == (False, True)
    assert started.state == again.state
    assert owner.pid == started.state.pid
    assert os.getsid(owner.pid) != os.getsid(0)
    assert children_of(os.getpid()) == before
    assert stop(store) is Ending.ASKED
    assert not is_alive(owner)
    assert stop(store) is Ending.NOT_RUNNING
    assert "serving" in store.daemon_log.read_text("utf-8")
    assert store.daemon_log.stat().st_mode & 0o777 == 0o600


def test_starting_twice_at_once_gives_one_daemon_and_no_error(store: StorePaths) -> None:
    with ThreadPoolExecutor(3) as pool:
        started = list(pool.map(lambda _: start(store, entry_command(store)), range(3)))

    assert {one.state.pid for one in started} == {state(store).pid}
    assert sum(not one.was_running for one in started) == 1


def test_a_daemon_that_does_not_come_up_is_told_with_its_log(store: StorePaths) -> None:
    with pytest.raises(DaemonUnavailable, match="the disk is on fire"):
        start(store, entry_command(store, "refuse=the disk is on fire"))
    assert state(store).condition is Condition.STOPPED


def test_a_daemon_that_does_not_answer_in_time_is_ended(store: StorePaths) -> None:
    with pytest.raises(DaemonUnavailable, match="did not answer within"):
        start(store, entry_command(store, "hang_ms=300000"), wait_ms=500)

    until(lambda: state(store).condition is Condition.STOPPED)


def test_a_daemon_that_hangs_is_killed_and_swept(store: StorePaths) -> None:
    started = start(store, entry_command(store))
    os.kill(started.state.pid, signal.SIGSTOP)

    assert stop(store, wait_ms=500) is Ending.KILLED

    assert state(store).condition is Condition.STOPPED
    assert not store.socket.exists()
    assert not store.hatch.exists()


def test_a_number_that_another_process_has_now_is_never_killed(store: StorePaths, run: Run) -> None:
    child = run(store)
    child.kill()
    child.wait(60)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"]) as bystander:
        for path in (store.daemon_lock, store.daemon):
            said = json.loads(path.read_text("utf-8"))
            path.write_text(json.dumps({**said, "pid": bystander.pid}), "utf-8")

        assert stop(store) is Ending.NOT_RUNNING
        assert bystander.poll() is None
        bystander.kill()


def test_a_full_log_is_put_aside(store: StorePaths) -> None:
    store.daemon_log.write_bytes(b"x" * 6_000_000)

    start(store, entry_command(store))

    assert store.daemon_log.stat().st_size < 10_000
    assert store.daemon_log_before.stat().st_size == 6_000_000


# --- the product ------------------------------------------------------------------------------


class Home:
    """A temporary home and project in which the product is run."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.environment = {
            "HOME": str(folder),
            "PATH": os.environ["PATH"],
            "XDG_DATA_HOME": str(folder / "data"),
        }

    def agentx(self, *arguments: str, code: int = 0) -> Any:
        """Run a command with --json and return what it said."""
        done = subprocess.run(
            [sys.executable, "-m", "agentx.surfaces.cli.main", *arguments, "--json"],
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == code, done.stderr + done.stdout
        return json.loads(done.stdout)


@pytest.fixture
def home() -> Iterator[Home]:
    folder = Path(tempfile.mkdtemp(prefix="ax-"))
    made = Home(folder)
    yield made
    made.agentx("daemon", "stop")
    shutil.rmtree(folder)


def test_the_command_starts_shows_and_stops_the_daemon(home: Home) -> None:
    before = home.agentx("daemon", "status")
    assert (before["state"], before["answers"]) == ("stopped", False)

    started = home.agentx("daemon", "start")
    shown = home.agentx("daemon", "status")

    assert started["was_running"] is False
    assert (shown["state"], shown["pid"]) == ("running", started["pid"])
    os.kill(started["pid"], signal.SIGSTOP)
    held = home.agentx("daemon", "status")
    os.kill(started["pid"], signal.SIGCONT)
    assert (shown["answers"], held["answers"]) == (True, False)
    assert home.agentx("daemon", "start")["was_running"] is True
    assert home.agentx("daemon", "stop") == {"was_running": True, "ending": "stopped"}
    assert home.agentx("daemon", "status")["state"] == "stopped"


def test_a_second_daemon_in_the_foreground_is_a_conflict(home: Home) -> None:
    home.agentx("daemon", "start")

    refused = home.agentx("daemon", "start", "--foreground", code=3)

    assert refused["error"]["code"] == "lock_held"


def test_tcp_beyond_loopback_without_tls_is_refused_before_anything_starts(home: Home) -> None:
    refused = home.agentx("daemon", "start", "--tcp", "0.0.0.0:7777", code=2)

    assert "needs TLS" in refused["error"]["message"]
    assert home.agentx("daemon", "status")["state"] == "stopped"


def test_events_are_the_same_with_and_without_the_daemon_and_survive_its_death(home: Home) -> None:
    started = home.agentx("daemon", "start")
    secret = "AKIA" + "IOSFODNN7EXAMPLQ"
    with dial(started["address"]) as memory:
        memory.append(
            [
                draft(
                    f"event {index} \u6f22\u5b57",
                    at=index,
                    source_id=str(index),
                    metadata={"n": index},
                )
                for index in range(1_200)
            ]
        )
        memory.append([draft(f"aws_access_key_id = {secret}", at=5_000, source_id="secret")])
    with_daemon = home.agentx("events", "--limit", "2000")
    os.kill(started["pid"], signal.SIGKILL)

    without = home.agentx("events", "--limit", "2000")

    assert len(with_daemon["events"]) == 1_201
    assert without == with_daemon
    assert secret not in json.dumps(without)
    assert home.agentx("daemon", "start")["was_running"] is False
    assert home.agentx("events", "--limit", "2000") == with_daemon


COMES_UP = """
import sys, time
from pathlib import Path
from agentx.daemon.life import DaemonPlan, run_daemon
from agentx.project.config import read_environment
from agentx.project.project import open_project
from agentx.surfaces.cli.commands.behind.daemon import open_servers
from agentx.wiring.memory import open_store

project = open_project(Path(sys.argv[1]), read_environment())
memory = open_store(project)
print("has the store", flush=True)
time.sleep(1.5)
plan = DaemonPlan(store=project.store, short_folder=Path(sys.argv[2]))
run_daemon(plan, lambda: memory, open_servers, clock=project.clock)
"""


def test_a_command_that_waits_for_the_store_asks_the_daemon_that_comes_up_with_it(
    house: House, short_path: Path
) -> None:
    house.agentx("sync")
    with subprocess.Popen(
        [sys.executable, "-c", COMES_UP, str(house.project), str(short_path)],
        env=house.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline()
        try:
            before = time.monotonic()
            project = open_project(house.project, read_environment(house.environment))
            with open_memory(project) as memory:
                assert isinstance(memory, RemoteMemory)
            assert time.monotonic() - before < 25
        finally:
            child.terminate()
