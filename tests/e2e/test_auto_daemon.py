"""Goal: whoever works with agents has a daemon, one, and never thinks of it.

Method: hooks as agent CLIs call them, in a temporary home; the daemons are real processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agentx.daemon.auto.keeping import make_room, make_way, replace_older
from agentx.daemon.control import Condition, state, stop
from agentx.daemon.launch import DaemonWish
from agentx.kernel.paths import DataPaths, StorePaths
from tests.support.company import WITH_DAEMON, begin, end_all, running, session, until
from tests.support.house import BIN, House, processes_of, prompt
from tests.support.installation import Installation

PASSING = DaemonWish(idle_exit_ms=60_000)
ROOT = Path(__file__).resolve().parents[2]
DECISION = "We decided to keep the berth store in Postgres, because two writers lock SQLite."


@pytest.fixture
def company(house: House) -> Iterator[House]:
    """Give a house; whatever daemon is left in it is ended."""
    yield house
    end_all(house)


@pytest.mark.promise("daemon.auto")
def test_what_one_session_decided_is_told_to_the_next_though_nobody_typed_a_command(
    company: House,
) -> None:
    assert begin(company) == ""
    until(lambda: len(running(company)) == 1)
    company.hook(prompt(DECISION, cwd=str(company.project)))
    company.hook(session("s-1", "Stop", last_assistant_message="Noted."))
    company.hook(session("s-1", "SessionEnd", reason="exit"), env=WITH_DAEMON)

    until(lambda: "Postgres" in begin(company, "s-2"), seconds=60)
    assert len(running(company)) == 1


def test_a_daemon_that_is_gone_in_the_middle_of_a_session_is_sent_for_at_the_next_prompt(
    company: House,
) -> None:
    begin(company)
    until(lambda: len(running(company)) == 1)
    end_all(company)
    for note in company.data.spools.glob("*/called"):
        os.utime(note, (1, 1))

    company.hook(prompt("And now?", cwd=str(company.project)), env=WITH_DAEMON)

    until(lambda: len(running(company)) == 1)


def test_a_daemon_that_was_sent_for_holds_on_to_nothing_of_who_sent_for_it(company: House) -> None:
    before = time.monotonic()
    read, write = os.pipe()
    os.set_inheritable(write, True)
    payload = json.dumps(session("s-1", "SessionStart", source="startup")).encode()
    subprocess.run(
        [str(BIN / "agentx-hook"), "--harness", "claude-code"],
        input=payload,
        cwd=company.project,
        env={**company.environment, **WITH_DAEMON, "AGENTX_AGENT": "engineer", "AI_AGENT": "x"},
        pass_fds=(write,),
        check=True,
        timeout=60,
    )
    assert time.monotonic() - before < 30
    os.close(write)
    until(lambda: len(running(company)) == 1)
    (pid,) = running(company)

    os.set_blocking(read, False)
    assert os.read(read, 1) == b"", "nobody has the other end any more"
    os.close(read)
    folder = Path(f"/proc/{pid}")
    assert (folder / "cwd").readlink() == Path("/")
    assert os.getsid(pid) == pid
    assert b"_AGENT=" not in (folder / "environ").read_bytes()
    assert (folder / "fd" / "0").readlink() == Path("/dev/null")


def test_many_sessions_that_begin_at_once_have_one_daemon(company: House) -> None:
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda number: begin(company, f"s-{number}"), range(24)))

    until(lambda: len(running(company)) == 1)
    (pid,) = running(company)
    until(lambda: processes_of(company.home) == [pid])


@pytest.mark.parametrize("said", [{"CI": "true"}, {"AGENTX_DAEMON_AUTO": "off"}])
def test_none_is_sent_for_where_none_is_wanted(company: House, said: dict[str, str]) -> None:
    begin(company, env=said)

    assert not list(company.data.spools.rglob("called"))
    assert processes_of(company.home) == []


def test_a_setting_keeps_it_away_and_the_name_it_had_before_still_counts(company: House) -> None:
    company.agentx("config", "set", "daemon.autostart", "false")

    shown = company.json("config", "get", "daemon.auto")
    _start_by_hook(company)

    assert shown["value"] is False
    assert running(company) == []


def test_one_that_runs_goes_when_the_user_wants_none_any_more(company: House) -> None:
    subprocess.run(
        [str(BIN / "agentx-hook"), "--harness", "claude-code"],
        input=json.dumps(session("s-1", "SessionStart", source="startup")).encode(),
        cwd=company.project,
        env={name: said for name, said in company.environment.items() if "DAEMON" not in name},
        check=True,
        timeout=60,
    )
    until(lambda: len(running(company)) == 1)
    company.agentx("config", "set", "--user", "daemon.auto", "false")

    until(lambda: processes_of(company.home) == [], seconds=60)


def test_one_that_runs_goes_by_the_settings_as_they_are_now(company: House) -> None:
    begin(company)
    until(lambda: len(running(company)) == 1)
    (before,) = running(company)
    log = next(company.data.root.glob("*/daemon.log"))

    company.agentx("config", "set", "--user", "memory.maxTokens", "900")
    until(lambda: log.read_text("utf-8").count("serving ") == 2, seconds=60)
    (company.home / ".config" / "agentx" / "config.toml").write_text("broken = [", "utf-8")
    until(lambda: log.read_text("utf-8").count("serving ") == 3, seconds=60)

    assert running(company) == [before], "the same process, which settles down on what is broken"
    assert "stopping: the settings changed" in log.read_text("utf-8")


def test_where_the_user_wants_none_hooks_send_for_none_at_every_prompt(company: House) -> None:
    company.agentx("config", "set", "--user", "daemon.auto", "false")

    def ask() -> None:
        subprocess.run(
            [str(BIN / "agentx-hook"), "--harness", "claude-code"],
            input=json.dumps(prompt("And?", cwd=str(company.project))).encode(),
            cwd=company.project,
            env={name: said for name, said in company.environment.items() if "DAEMON" not in name},
            check=True,
            timeout=60,
        )

    def sends_after(passed_ms: int) -> bool:
        then = time.time() - passed_ms / 1000
        os.utime(note, (then, then))
        ask()
        return note.stat().st_mtime - then > 1

    ask()
    (note,) = company.data.spools.glob("*/called")
    until(lambda: note.read_bytes() != b"")
    until(lambda: not processes_of(company.home))
    rest_ms = int(note.read_text())

    assert not sends_after(rest_ms - 30_000)
    assert sends_after(rest_ms + 2_000)


def test_an_older_daemon_gives_way_and_a_newer_one_stays(company: House) -> None:
    begin(company)
    until(lambda: len(running(company)) == 1)
    (first,) = running(company)

    _call_itself(company, "99.0.0")
    _start_by_hook(company)
    assert running(company) == [first]

    _call_itself(company, "0.0.1")
    child = _start_by_hook(company, wait=False)
    until(lambda: running(company) not in ([first], []))
    assert child is not None
    stop(_store(company))
    assert child.wait(60) == 0


def test_two_installations_of_different_versions_do_not_take_turns(company: House) -> None:
    older = Installation(company.root / "older", "0.0.1")
    newer = Installation(company.root / "newer", "99.0.0")
    environment = {**company.environment, **WITH_DAEMON}

    def call(by: Installation) -> None:
        for note in company.data.spools.glob("*/called"):
            os.utime(note, (1, 1))
        by.hook(session("s-1", "SessionEnd"), cwd=company.project, env=environment)

    def versions() -> list[str]:
        found = (StorePaths(file.parent) for file in company.data.root.glob("*/daemon.json"))
        return [one.version for one in map(state, found) if one.condition is Condition.RUNNING]

    call(older)
    until(lambda: versions() == ["0.0.1"])
    call(newer)
    until(lambda: versions() == ["99.0.0"])
    first = running(company)
    for by in (older, newer, older):
        call(by)
        time.sleep(0.1)
        until(lambda: processes_of(company.home) == first)
    assert versions() == ["99.0.0"]


@pytest.mark.parametrize(
    ("said", "successor"),
    [
        ({"leaves_when_idle": True}, PASSING),
        ({"leaves_when_idle": False}, DaemonWish()),
        ({"in_foreground": True}, None),
        ({"tcp_address": "127.0.0.1:7777"}, None),
        ({"version": "99.0.0"}, None),
    ],
)
def test_who_was_started_by_hand_has_a_successor_that_stays_if_it_has_one(
    tmp_path: Path, said: dict[str, object], successor: DaemonWish | None
) -> None:
    store = StorePaths(tmp_path / "store")
    child = _serve_nothing(store)
    try:
        until(lambda: state(store).condition is Condition.RUNNING)
        told = json.loads(store.daemon.read_text()) | {"version": "0.0.1", "in_foreground": False}
        store.daemon.write_text(json.dumps({**told, **said}))

        assert replace_older(store, PASSING) == successor

        assert (state(store).condition is Condition.RUNNING) == (successor is None)
    finally:
        stop(store)
        child.communicate(timeout=60)


@pytest.mark.parametrize(
    ("said", "stays"),
    [
        ({"leaves_when_idle": True}, False),
        ({"version": "0.0.1"}, False),
        ({"leaves_when_idle": True, "version": "99.0"}, True),
        ({}, True),
    ],
)
def test_a_daemon_that_is_started_by_hand_takes_the_place_of_one_that_would_leave_or_is_older(
    tmp_path: Path, said: dict[str, object], stays: bool
) -> None:
    store = StorePaths(tmp_path / "store")
    child = _serve_nothing(store)
    try:
        until(lambda: state(store).condition is Condition.RUNNING)
        told = json.loads(store.daemon.read_text())
        told |= {"leaves_when_idle": False, "in_foreground": False}
        store.daemon.write_text(json.dumps({**told, **said}))

        make_way(store)

        assert (state(store).condition is Condition.RUNNING) == stays
    finally:
        stop(store)
        child.communicate(timeout=60)


def test_the_daemon_that_was_idle_longest_goes_when_there_would_be_five(tmp_path: Path) -> None:
    data = DataPaths(tmp_path)
    stores = [StorePaths(tmp_path / f"store-{number}") for number in range(5)]
    children = [_serve_nothing(store) for store in stores[:4]]
    try:
        until(lambda: all(state(one).condition is Condition.RUNNING for one in stores[:4]))
        for number, store in enumerate((stores[2], stores[0], stores[1], stores[3])):
            then = time.time() - 600 + number
            os.utime(store.daemon, (then, then))

        make_room(data, stores[4])

        alive = [state(one).condition is Condition.RUNNING for one in stores[:4]]
        assert alive == [True, True, False, True]
        make_room(data, stores[0])  # who is there already takes no further room
        assert sum(state(one).condition is Condition.RUNNING for one in stores[:4]) == 3
    finally:
        for store, child in zip(stores, children, strict=False):
            stop(store)
            child.communicate(timeout=60)


def _store(house: House) -> StorePaths:
    (file,) = house.data.root.glob("*/daemon.json")
    return StorePaths(file.parent)


def _call_itself(house: House, version: str) -> None:
    presence = _store(house).daemon
    said = json.loads(presence.read_text())
    presence.write_text(json.dumps({**said, "version": version}))


def _start_by_hook(house: House, *, wait: bool = True) -> subprocess.Popen[bytes] | None:
    child = subprocess.Popen(
        [str(BIN / "agentx"), "daemon", "start", "--by-hook"],
        cwd=house.project,
        env={name: said for name, said in house.environment.items() if "DAEMON" not in name},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if wait:
        assert child.wait(60) == 0
        return None
    return child


def _serve_nothing(store: StorePaths) -> subprocess.Popen[bytes]:
    store.root.mkdir(mode=0o700)
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.support.daemon_entry",
            str(store.root),
            "idle_exit_ms=600000",
        ],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
