"""Goal: whether a daemon lives is never guessed, and only the right process is ever signalled.

Method: the real lock and files in a folder; child processes that are ours to end.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.daemon import control
from agentx.daemon.control import Condition, Ending, state, stop
from agentx.daemon.door import connect
from agentx.daemon.presence import (
    Presence,
    clear_presence,
    daemon_lock,
    is_served,
    lock_owner,
    read_presence,
    write_presence,
)
from agentx.host.process import Process, began, is_alive, send_signal, this_process
from agentx.kernel.clock import Millis
from agentx.kernel.errors import DaemonUnavailable, LockHeld
from agentx.kernel.paths import StorePaths


@pytest.fixture
def store(short_path: Path) -> StorePaths:
    return StorePaths(short_path)


def present(store: StorePaths) -> Presence:
    return Presence(
        pid=os.getpid(),
        address=f"unix:{store.socket}",
        started_ms=Millis(1_772_445_600_000),
        version="1.2.3",
        token_file="/x/token",
    )


def bound_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def test_a_daemon_is_nobodys_agent_whoever_sends_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AGENTX_AGENT", "AI_AGENT", "COPILOT_AGENT", "VSCODE_AGENT", "AGENTX_AGENTS_X"):
        monkeypatch.setenv(name, "1")
    paths = StorePaths(tmp_path)

    daemon = control._spawn(paths, ["/bin/sh", "-c", "env; echo end"])
    deadline = time.monotonic() + 60
    while "end\n" not in (said := paths.daemon_log.read_text()):
        assert time.monotonic() < deadline

    assert daemon.pid
    assert [line for line in said.splitlines() if "AGENT" in line] == ["AGENTX_AGENTS_X=1"]


def test_what_is_written_is_read_again_and_is_private(store: StorePaths) -> None:
    with daemon_lock(store):
        write_presence(store, present(store))

        assert read_presence(store) == present(store)
        assert store.daemon.stat().st_mode & 0o777 == 0o600
        assert store.daemon_lock.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"pid": "7"}', '{"pid": 7}', "\x00\xff", "[" * 100_000]
)
def test_a_file_that_says_nothing_usable_is_no_daemon(store: StorePaths, text: str) -> None:
    store.daemon.write_text(text, "latin-1")

    assert read_presence(store) is None
    assert connect(store) is None


def test_the_lock_has_one_holder_and_says_who(store: StorePaths) -> None:
    with daemon_lock(store):
        assert is_served(store)
        assert lock_owner(store) == this_process()
        with pytest.raises(LockHeld, match=f"process {os.getpid()}"), daemon_lock(store):
            pass
    assert not is_served(store)


def test_looking_at_the_lock_never_keeps_a_daemon_from_taking_it(store: StorePaths) -> None:
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            is_served(store)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        for _ in range(50):
            with daemon_lock(store):
                assert is_served(store)
    finally:
        done.set()
        watcher.join()


def test_a_store_without_a_daemon_is_stopped(store: StorePaths) -> None:
    assert state(store).condition is Condition.STOPPED
    assert connect(store) is None
    assert stop(store) is Ending.NOT_RUNNING


def test_a_store_that_nobody_can_write_is_stopped_where_no_daemon_serves_it(
    store: StorePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    store.daemon_lock.touch()
    monkeypatch.setattr(control, "daemon_lock", refuse)

    assert stop(store) is Ending.NOT_RUNNING


def test_files_of_a_killed_daemon_are_stale_and_swept_by_stop(store: StorePaths) -> None:
    with daemon_lock(store):
        write_presence(store, present(store))
        bound_socket(store.socket)

    assert state(store).condition is Condition.STALE
    assert connect(store) is None
    assert stop(store) is Ending.NOT_RUNNING
    assert state(store).condition is Condition.STOPPED
    assert not store.socket.exists()


def test_a_daemon_without_its_file_is_starting_or_stopping(store: StorePaths) -> None:
    with daemon_lock(store):
        found = state(store)

    assert (found.condition, found.pid) == (Condition.CHANGING, os.getpid())


def test_a_file_whose_socket_nobody_listens_on_does_not_speak_for_the_one_that_lives(
    store: StorePaths,
) -> None:
    with daemon_lock(store):
        write_presence(store, present(store))
        assert state(store).condition is Condition.CHANGING
        bound_socket(store.socket)
        assert state(store).condition is Condition.CHANGING


def test_a_command_waits_for_a_daemon_that_comes_or_goes(store: StorePaths) -> None:
    with daemon_lock(store):
        with pytest.raises(DaemonUnavailable, match="starting or stopping"):
            connect(store, wait_ms=50)
        with ThreadPoolExecutor(1) as pool, socket.socket(socket.AF_UNIX) as listening:
            waiting = pool.submit(connect, store)
            listening.bind(str(store.socket))
            listening.listen()
            write_presence(store, present(store))

            found = waiting.result(10)
            assert found is not None
            with found:
                pass
        store.daemon.unlink()
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(connect, store)
            store.daemon_lock.unlink()  # as good as the end of the daemon, for who looks

            assert waiting.result(10) is None


def test_a_file_left_by_another_daemon_does_not_speak_for_the_one_that_lives(
    store: StorePaths,
) -> None:
    with daemon_lock(store):
        write_presence(store, replace(present(store), pid=1))

        assert state(store).condition is Condition.CHANGING


def test_sweeping_removes_sockets_and_nothing_else(store: StorePaths) -> None:
    precious = store.root / "precious.txt"
    precious.write_text("keep", "utf-8")
    with daemon_lock(store):
        write_presence(store, replace(present(store), address=f"unix:{precious}"))
        clear_presence(store)

    assert precious.exists()
    assert not store.daemon.exists()


def test_a_folder_that_was_removed_is_noticed_by_the_holder(store: StorePaths) -> None:
    with daemon_lock(store) as held:
        assert held.is_still_ours()
        store.daemon_lock.unlink()
        assert not held.is_still_ours()
        store.daemon_lock.touch()
        assert not held.is_still_ours()


def test_connecting_where_there_is_no_daemon_does_not_import_grpc(store: StorePaths) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from agentx.kernel.paths import StorePaths\n"
        "from agentx.daemon.door import connect\n"
        "from agentx.daemon.control import state\n"
        f"store = StorePaths(Path({str(store.root)!r}))\n"
        "assert connect(store) is None and state(store)\n"
        "assert 'grpc' not in sys.modules and 'google.protobuf' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_only_the_very_process_is_signalled() -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"]) as child:
        there = Process(pid=child.pid, began=began(child.pid))
        stranger = replace(there, began=there.began + "0")

        assert is_alive(there)
        assert not is_alive(stranger)
        assert not send_signal(stranger, signal.SIGKILL)
        assert child.poll() is None
        assert send_signal(there, signal.SIGTERM)
        assert child.wait(60) == -signal.SIGTERM
    assert not is_alive(there)
    assert not send_signal(there, signal.SIGKILL)


def test_a_process_that_ended_and_was_not_reaped_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE) as child:
        there = Process(pid=child.pid, began=began(child.pid))
        assert child.stdout is not None
        child.stdout.read()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

        assert not is_alive(there)


@pytest.mark.parametrize("pid", [0, -1, 1 << 22])
def test_nobody_has_an_impossible_number(pid: int) -> None:
    assert began(pid) == ""
    assert not send_signal(Process(pid=pid, began=""), signal.SIGKILL)
