"""Runs `agentx` commands in fresh processes that need not import the house again.

A command spends most of its half second importing. The zygote has imported everything once;
each command is a fork of it with its own environment, folder and streams: a real process
that shares nothing with the next one. What starts-up itself is tested through the
installed scripts (`tests/e2e/test_hook.py`, `House.script`).
"""

from __future__ import annotations

import atexit
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from functools import cache
from pathlib import Path
from threading import Lock
from typing import NoReturn

NOW_MS = "ZYGOTE_NOW_MS"
"""The variable that stops time and chance for a command, which does not see it itself."""

_TREE = Path(__file__).parents[2]
_START_S = 60
_REQUEST_BYTES_MAX = 8 << 20


_STARTING = Lock()


def zygote() -> Zygote:
    """Return the one of this process, started at the first call."""
    with _STARTING:
        return _started()


@cache
def _started() -> Zygote:
    return Zygote()


class Zygote:
    """The near end: asks for commands."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="agentx-zygote-")
        self._socket = str(Path(self._folder.name) / "z")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.zygote", self._socket],
            env={
                "PATH": os.environ["PATH"],
                "LANG": "C.UTF-8",
                "TZ": "UTC",
                "PYTHONPATH": str(_TREE / "src"),  # this tree, wherever the package is installed
            },
            cwd=_TREE,
            stdin=subprocess.PIPE,  # closed when we end, however we end: then so does it
        )
        atexit.register(self.stop)
        until = time.monotonic() + _START_S
        while not Path(self._socket).exists():
            assert self._process.poll() is None, "the zygote did not start"
            assert time.monotonic() < until, "the zygote did not start in time"
            time.sleep(0.02)

    def stop(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(_START_S)
        self._folder.cleanup()

    def run(
        self, arguments: list[str], *, cwd: Path, env: dict[str, str], timeout_s: float
    ) -> subprocess.CompletedProcess[str]:
        """Run one command; what it writes comes back as text."""
        with (
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
            Path(os.devnull).open("rb") as nothing,
            socket.socket(socket.AF_UNIX) as line,
        ):
            line.settimeout(timeout_s)
            line.connect(self._socket)
            asked = json.dumps({"arguments": arguments, "cwd": str(cwd), "env": env}).encode()
            streams = [nothing.fileno(), out.fileno(), err.fileno()]
            socket.send_fds(line, [len(asked).to_bytes(4)], streams)
            line.sendall(asked)
            pid = _number(line)
            try:
                code = _number(line)
            except TimeoutError as late:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(arguments, timeout_s) from late
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(
                ["agentx", *arguments], code, out.read().decode(), err.read().decode()
            )


def _number(line: socket.socket) -> int:
    return int.from_bytes(_bytes(line, 8), signed=True)


def _bytes(line: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size:
        part = line.recv(size - len(got))
        if not part:
            raise EOFError("the zygote hung up")
        got += part
    return got


def _serve(path: str) -> NoReturn:
    """The far end: forks for every command, until nobody is there to ask."""
    _import_everything()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path + ".new")
        door.listen(64)
        Path(path + ".new").rename(path)
        door.settimeout(0.5)
        os.set_blocking(0, False)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # those who wait for a command are reaped
        while not _is_alone():
            try:
                line, _ = door.accept()
            except TimeoutError:
                continue
            if os.fork() == 0:
                door.close()
                _attend(line)
            line.close()
    os._exit(0)


def _is_alone() -> bool:
    try:
        return os.read(0, 1) == b""
    except BlockingIOError:
        return False


def _attend(line: socket.socket) -> NoReturn:
    """Run one command and say how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    line.settimeout(None)
    head, streams, _, _ = socket.recv_fds(line, 4, 3)
    size = int.from_bytes(head)
    assert size <= _REQUEST_BYTES_MAX
    asked = json.loads(_bytes(line, size))
    pid = os.fork()
    if pid == 0:
        line.close()
        _become(asked, streams)
    try:
        line.sendall(pid.to_bytes(8, signed=True))
        _, status = os.waitpid(pid, 0)
        line.sendall(os.waitstatus_to_exitcode(status).to_bytes(8, signed=True))
    finally:
        os._exit(0)


def _become(asked: dict[str, object], streams: list[int]) -> NoReturn:
    """Be the command from here on."""
    code = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        environment = asked["env"]
        arguments = asked["arguments"]
        assert isinstance(environment, dict)
        assert isinstance(arguments, list)
        now_ms = environment.pop(NOW_MS, "")
        os.environ.clear()
        os.environ.update(environment)
        time.tzset()
        os.chdir(str(asked["cwd"]))
        sys.argv = ["agentx", *arguments]
        if now_ms:
            _stand_still(int(now_ms))
        from agentx.surfaces.cli.main import main

        main()
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        traceback.print_exc()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _stand_still(now_ms: int) -> None:
    """Stop the clock and let chance follow from it: the same command writes the same bytes."""
    import time_machine

    time_machine.travel(now_ms / 1000, tick=False).start()
    time.sleep = lambda seconds: None
    os.urandom = random.Random(now_ms).randbytes


def _import_everything() -> None:
    import importlib

    from agentx.surfaces.cli.root import COMMANDS

    for module, _ in COMMANDS.values():
        importlib.import_module(f"agentx.surfaces.cli.commands.{module}")
    for name in ("agentx.wiring.memory", "agentx.project.project", "rich.table", "rich.progress"):
        importlib.import_module(name)


if __name__ == "__main__":
    _serve(sys.argv[1])
