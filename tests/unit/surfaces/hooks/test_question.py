"""Goal: a hook that asks a daemon gets its text in time, or nothing; whatever the daemon does.

Method: real sockets whose other end answers well, wrongly, late, endlessly or not at all.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN
from agentx.memory.wire import plain
from agentx.operations.recall.telling import TELL, Telling
from agentx.surfaces.hooks.settled import find_hatch
from agentx.surfaces.hooks.spool import Caller
from agentx.surfaces.hooks.telling.question import ask_to_tell, read_answer
from tests.support.pace import least_s

TEXT = (
    f"\t{RECALL_OPEN}\nobs-1\t- Tides \u202e \U0001f30a come at \u4e03. [codex]\n\t{RECALL_CLOSE}"
)
WAIT_MS = 150
PATIENT_MS = 30_000  # what answers at once does so on any machine
SLACK_S = 0.5  # for a machine that others use too

Answer = Callable[[socket.socket], None]


def write_answer(text: str) -> bytes:
    return plain.encode({"reply": Telling(prepared=text)})


def frame(payload: bytes) -> bytes:
    return len(payload).to_bytes(4) + payload


@contextmanager
def daemon(store: Path, answer: Answer, *, mode: int = 0o600) -> Iterator[list[bytes]]:
    """Be there as a daemon is, and answer each caller; what was asked is noted."""
    path = store / "hatch.sock"
    asked: list[bytes] = []
    ended = threading.Event()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(mode)
        listener.listen(8)
        listener.settimeout(0.05)
        said = {"pid": os.getpid(), "version": "0", "hatch": str(path)}
        (store / "daemon.json").write_text(json.dumps(said), encoding="utf-8")

        def serve() -> None:
            while not ended.is_set():
                with suppress(OSError):
                    caller, _ = listener.accept()
                    with caller:
                        caller.settimeout(30)
                        length = int.from_bytes(caller.recv(4))
                        asked.append(caller.recv(length, socket.MSG_WAITALL))
                        answer(caller)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield asked
        finally:
            ended.set()
            thread.join()


def ask(store: Path, wait_ms: int = PATIENT_MS) -> str:
    call = Caller("codex", 1, str(store), "engineer")
    return ask_to_tell(call, str(store), wait_ms, moment="start")


def ask_in_vain(store: Path) -> None:
    """See that nothing comes, and that it takes the time it may and no more."""
    limit_s = WAIT_MS / 1000 + SLACK_S
    told: list[str] = []
    took_s = least_s(lambda: told.append(ask(store, WAIT_MS)), limit_s, time.monotonic)

    assert set(told) == {""}
    assert took_s < limit_s


def test_what_the_daemon_tells_comes_as_it_was_sent(short_path: Path) -> None:
    with daemon(short_path, lambda caller: caller.sendall(frame(write_answer(TEXT)))) as asked:
        assert ask(short_path) == TEXT

    said = json.loads(asked[0])
    given = plain.read_given(TELL, said["given"])
    assert said["call"] == TELL.name
    assert given["request"].harness == "codex"
    assert given["request"].agent == "engineer"
    assert given["directory"] == str(short_path)


def _trickle(caller: socket.socket) -> None:
    for byte in frame(write_answer(TEXT * 20)):
        caller.sendall(bytes([byte]))
        time.sleep(0.01)


@pytest.mark.parametrize(
    "answer",
    [
        lambda _caller: None,
        lambda caller: caller.recv(1),  # says nothing until the caller has left
        _trickle,
        lambda caller: caller.sendall(b"\0\0"),
        lambda caller: caller.sendall(b"\xff\xff\xff\xff" + b"x" * 1_000),
        lambda caller: caller.sendall(frame(b"")),
        lambda caller: caller.sendall(frame(b"not json at all")),
        lambda caller: caller.sendall(frame(b'{"error":{"code":"invalid"}}')),
        lambda caller: caller.sendall(frame(b'{"reply":{"prepared":"cut o')),
        lambda caller: caller.sendall(frame(b'{"reply":{"prepared":"\xff\xfe"}}')),
        lambda caller: caller.sendall(frame(b'{"reply":{"prepared":7}}')),
        lambda caller: caller.sendall(frame(write_answer("Do this at once."))),
        lambda caller: caller.sendall(frame(write_answer(f"{TEXT}\nand now do this"))),
        lambda caller: caller.sendall(frame(write_answer(TEXT))[:-9]),
    ],
    ids=range(14),
)
def test_a_daemon_that_fails_costs_its_time_and_nothing_else(
    short_path: Path, answer: Answer
) -> None:
    with daemon(short_path, answer):
        ask_in_vain(short_path)


def test_so_many_callers_that_none_is_accepted_any_more_is_no_answer(short_path: Path) -> None:
    path = short_path / "hatch.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(0)
        (short_path / "daemon.json").write_text(json.dumps({"hatch": str(path)}), encoding="utf-8")
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(4)]
        for caller in waiting:
            caller.setblocking(False)
            with suppress(BlockingIOError):
                caller.connect(str(path))
        ask_in_vain(short_path)
        for caller in waiting:
            caller.close()


@pytest.mark.parametrize("mode", [0o666, 0o660, 0o602])
def test_a_socket_that_others_may_open_is_not_asked(short_path: Path, mode: int) -> None:
    with daemon(short_path, lambda caller: None, mode=mode) as asked:
        assert ask(short_path) == ""
    assert asked == []


def test_nothing_but_a_socket_of_ours_is_a_hatch(short_path: Path) -> None:
    presence = short_path / "daemon.json"
    file = short_path / "file"
    file.write_text("", encoding="utf-8")
    file.chmod(0o600)
    link = short_path / "link"
    for said in (
        "",
        "[" * 5_000,
        json.dumps({"hatch": "hatch.sock"}),
        json.dumps({"hatch": "/a\0b"}),
        json.dumps({"hatch": str(file)}),
        json.dumps({"hatch": str(link)}),
        json.dumps({"hatch": str(short_path / "gone")}),
    ):
        presence.write_text(said, encoding="utf-8")
        assert find_hatch(str(short_path)) == ""

    with daemon(short_path, lambda caller: None):
        assert find_hatch(str(short_path)) == str(short_path / "hatch.sock")
        link.symlink_to(short_path / "hatch.sock")
        presence.write_text(json.dumps({"hatch": str(link)}), encoding="utf-8")
        assert find_hatch(str(short_path)) == ""


def test_a_killed_daemon_leaves_a_socket_that_answers_nothing(short_path: Path) -> None:
    with daemon(short_path, lambda caller: None):
        pass
    assert ask(short_path) == ""


def test_a_section_without_its_fence_is_none() -> None:
    assert read_answer(write_answer(TEXT)) == TEXT
    assert read_answer(write_answer(TEXT.replace(RECALL_CLOSE, ""))) == ""
    assert read_answer(write_answer("")) == ""
