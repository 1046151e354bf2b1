"""Goal: who only reads where nothing was begun leaves nothing, and no daemon keeps it waiting.

Method: a store for the moment, below which somebody still writes when it is left; a daemon whose
process is held, played by a lock and a socket at which nobody answers.
"""

from __future__ import annotations

import os
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from agentx.daemon.door import is_held, open_memory, open_to_read
from agentx.daemon.presence import Presence, daemon_lock, write_presence
from agentx.kernel.clock import Millis
from agentx.kernel.errors import AgentXError, DaemonUnavailable
from agentx.memory.wire.hatch_connection import HatchConnection
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project

_WRITES_S = 0.3


def test_a_store_for_the_moment_goes_also_while_its_threads_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "passing").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "passing"))
    known = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    project = open_project(tmp_path / "work", read_environment(known))
    with open_to_read(project):
        [folder] = (tmp_path / "passing").iterdir()
        [store] = folder.iterdir()
        late = Thread(target=_write_below, args=(store,))
        late.start()
    late.join()

    assert list((tmp_path / "passing").iterdir()) == []


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Project]:
    """A project with a memory, whose daemon takes calls and answers none."""
    (tmp_path / "work").mkdir()
    known = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    project = open_project(tmp_path / "work", read_environment(known))
    with open_memory(project):
        pass
    path = tmp_path / "hatch.sock"
    with socket.socket(socket.AF_UNIX) as listener, daemon_lock(project.store):
        listener.bind(str(path))
        listener.listen()
        write_presence(
            project.store,
            Presence(
                pid=os.getpid(),
                address=f"unix:{path}",
                started_ms=Millis(1),
                version="0",
                hatch=str(path),
            ),
        )
        yield project


def test_who_reads_beside_a_daemon_that_is_held_is_shown_what_is_stored(held: Project) -> None:
    said: list[AgentXError] = []
    began = time.monotonic()

    with open_to_read(held, said.append) as memory:
        assert memory.toc_roots() == ()

    assert "does not answer" in said[0].message
    assert time.monotonic() - began < 8  # a loaded machine; it is given one second
    assert is_held(held.store)


def test_who_writes_beside_a_daemon_that_is_held_is_told_so(held: Project) -> None:
    with pytest.raises(DaemonUnavailable, match="does not answer"):
        open_memory(held, wait_ms=100)


@pytest.mark.parametrize(
    ("accepts", "is_shut"),  # who looks whether it is there, who asks; before that it is closed
    [(1, False), (1, True), (2, False)],
)
def test_a_daemon_that_was_just_killed_is_waited_for_until_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, accepts: int, is_shut: bool
) -> None:
    (tmp_path / "work").mkdir()
    known = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    project = open_project(tmp_path / "work", read_environment(known))
    with open_memory(project):
        pass
    path, is_up, is_closed = tmp_path / "hatch.sock", Event(), Event()
    ask = HatchConnection.is_answered

    def ask_then(connection: HatchConnection, wait_ms: int) -> bool:
        if is_shut:
            assert is_closed.wait(10)
        return ask(connection, wait_ms)

    monkeypatch.setattr(HatchConnection, "is_answered", ask_then)

    def die() -> None:
        with daemon_lock(project.store):
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(str(path))
                listener.listen(1)
                address = f"unix:{path}.grpc"
                presence = Presence(
                    pid=os.getpid(),
                    address=address,
                    started_ms=Millis(1),
                    version="0",
                    hatch=str(path),
                )
                write_presence(project.store, presence)
                is_up.set()
                for _ in range(accepts):
                    listener.accept()[0].close()
            is_closed.set()
            time.sleep(_WRITES_S)  # its sockets are closed, and its lock is not

    dying = Thread(target=die)
    dying.start()
    assert is_up.wait(10)
    said: list[AgentXError] = []

    with open_to_read(project, said.append) as memory:
        assert memory.toc_roots() == ()

    dying.join()
    assert said == []


def _write_below(store: Path) -> None:
    until = time.monotonic() + _WRITES_S
    number = 0
    while time.monotonic() < until:
        number += 1
        try:
            (store / f"{number}.log").write_text("x")
        except OSError:
            return
