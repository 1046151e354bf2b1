"""Runs `agentx` commands in fresh processes that need not import the house again.

A command spends most of its half second importing and compiling patterns. The zygote has done
both once; each command is a fork of it with its own environment, folder and streams: a real process
that shares nothing with the next one. What starts-up itself is tested through the
installed scripts (`tests/e2e/test_hook.py`, `House.script`).
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import json
import os
import pkgutil
import random
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, ValuesView
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from threading import Lock, active_count
from typing import IO, NoReturn

from tests.support.gaps import fill_gaps, take_large_pages

NOW_MS = "ZYGOTE_NOW_MS"
"""The variable that stops time and chance for a command, which does not see it itself."""

_TREE = Path(__file__).parents[2]
_START_S = 60
_REQUEST_BYTES_MAX = 8 << 20
_PRACTICE = ("--help", "memory list --help", "config --json", "run list --json", "issue list")
_PRACTICE_TIMES = 9  # Python looks at what it has done eight times


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
        self,
        arguments: list[str],
        *,
        cwd: Path,
        env: dict[str, str],
        timeout_s: float,
        said: str = "",
        is_enough: Callable[[str], bool] = lambda _written: True,
    ) -> subprocess.CompletedProcess[str]:
        """Run one command; what it writes comes back as text.

        What is said is on its stdin, which stays open until it has written enough.
        """
        with (
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
            socket.socket(socket.AF_UNIX) as line,
            _speaking(said) as (heard, mouth),
        ):
            line.settimeout(timeout_s)
            line.connect(self._socket)
            asked = json.dumps({"arguments": arguments, "cwd": str(cwd), "env": env}).encode()
            streams = [heard.fileno(), out.fileno(), err.fileno()]
            socket.send_fds(line, [len(asked).to_bytes(4)], streams)
            line.sendall(asked)
            pid = _number(line)
            until = time.monotonic() + timeout_s
            while not is_enough(_read_beside(out)) and time.monotonic() < until:
                if select.select([line], [], [], 0.01)[0]:
                    break  # it ended
            mouth.close()
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


def run_module(name: str, *words: object, timeout_s: float) -> subprocess.CompletedProcess[str]:
    """Run a module of the tests as a program, with all that is ours imported already."""
    arguments = ["-m", name, *map(str, words)]
    return zygote().run(arguments, cwd=_TREE, env=dict(os.environ), timeout_s=timeout_s)


@contextmanager
def _speaking(said: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Return the two ends of a pipe with words in it."""
    ends = os.pipe()
    with os.fdopen(ends[0], "rb") as heard, os.fdopen(ends[1], "wb") as mouth:
        mouth.write(said.encode())
        mouth.flush()
        yield heard, mouth


def _read_beside(file: IO[bytes]) -> str:
    """Read a file without moving in it: whoever writes it shares the place."""
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode(errors="replace")


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
    _make_ready()
    running: dict[int, tuple[int, socket.socket]] = {}  # by descriptor: who runs for whom
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path + ".new")
        door.listen(64)
        Path(path + ".new").rename(path)
        os.set_blocking(0, False)
        while True:
            ready = select.select([0, door.fileno(), *running], [], [])[0]
            if 0 in ready and _is_alone():
                break
            if door.fileno() in ready:
                line, _ = door.accept()
                pid = _begin(line, [door, *(each for _, each in running.values())])
                if pid:
                    running[os.pidfd_open(pid)] = pid, line
            for ended in running.keys() & set(ready):
                _say_how_it_ended(*running.pop(ended))
                os.close(ended)
    os._exit(0)


def _is_alone() -> bool:
    try:
        return os.read(0, 1) == b""
    except BlockingIOError:
        return False


def _begin(line: socket.socket, others: list[socket.socket]) -> int:
    """Begin a command that was asked for; return its process, or 0 where who asked is gone."""
    line.settimeout(_START_S)
    streams: list[int] = []
    try:
        head, streams, _, _ = socket.recv_fds(line, 4, 3)
        size = int.from_bytes(head)
        assert size <= _REQUEST_BYTES_MAX
        asked = json.loads(_bytes(line, size))
    except (OSError, EOFError, ValueError):
        line.close()
        for stream in streams:
            os.close(stream)
        return 0
    pid = os.fork()
    if pid == 0:
        for each in (line, *others):
            each.close()
        _become(asked, streams)
    for stream in streams:
        os.close(stream)
    with suppress(OSError):  # nobody waits for it any more
        line.sendall(pid.to_bytes(8, signed=True))
    return pid


def _say_how_it_ended(pid: int, line: socket.socket) -> None:
    _, status = os.waitpid(pid, 0)
    with line, suppress(OSError):
        line.sendall(os.waitstatus_to_exitcode(status).to_bytes(8, signed=True))


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
        vars(os)["execv"] = _turn_into
        if arguments[:1] == ["-m"]:
            _turn_into(sys.executable, [sys.executable, "-P", *arguments])
            sys.exit()
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


def _turn_into(program: str, words: list[str]) -> None:
    """Be another module of the house, which is imported already, instead of starting Python."""
    _, alone, by_module, name, *sys.argv[1:] = words
    assert (program, alone, by_module) == (sys.executable, "-P", "-m")
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _stand_still(now_ms: int) -> None:
    """Stop the clock and let chance follow from it: the same command writes the same bytes."""
    import time_machine

    time_machine.travel(now_ms / 1000, tick=False).start()
    time.sleep = lambda seconds: None
    os.urandom = random.Random(now_ms).randbytes


def _make_ready() -> None:
    """Import the whole house, and do at once what its modules put off until they are asked."""
    import agentx

    for found in pkgutil.walk_packages(agentx.__path__, "agentx."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    for name in ("rich.table", "rich.progress", "time_machine"):
        importlib.import_module(name)
    ours = [module for name, module in sys.modules.items() if name.startswith("agentx.")]
    for part in [part for module in ours for part in vars(module).values()]:
        if isinstance(part, type):
            if is_dataclass(part):
                fields(part)
            continue
        several = part.values() if isinstance(part, dict) else part
        for one in several if isinstance(several, tuple | list | ValuesView) else (part,):
            if hasattr(type(one), "__getattr__") and hasattr(one, "finditer"):
                one.search(one.pattern[:0])  # a pattern that is compiled late
    _practise()
    gc.collect()
    fill_gaps()
    take_large_pages()
    gc.freeze()  # so that the children need no copies of what they only read


def _practise() -> None:
    """Run what opens no store, in an empty home: what Python learns of our code stays learnt.

    A command would find out by itself again where an attribute lies and what a sum adds, and note
    it in memory that it shares with us.
    """
    from agentx.surfaces.cli.main import main

    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="agentx-zygote-") as home:
        os.environ.update(HOME=home, AGENTX_DAEMON_AUTO="false")
        os.chdir(home)
        for words in _PRACTICE * _PRACTICE_TIMES:
            said = io.StringIO()
            with redirect_stdout(said), redirect_stderr(said), suppress(SystemExit):
                main(words.split())
            assert said.getvalue(), words
        os.chdir(_TREE)
    os.environ.clear()
    os.environ.update(before)
    assert active_count() == 1 == len([*Path("/proc/self/task").iterdir()]), (
        "a thread is lost by a fork"
    )


if __name__ == "__main__":
    _serve(sys.argv[1])
