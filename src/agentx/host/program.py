"""Run a program to its end, within a time and a size, and leave nothing of it behind.

The program leads a process group of its own. When its time is over, or when this
process is interrupted, the group is told to end and then killed, so that whatever it
started ends with it. Should this process itself be killed, a shell that waits for that at
the other end of a pipe kills the group. What is printed beyond the bound is read and
dropped: a full pipe would stop the program.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from agentx.host.child import Child
from agentx.host.limits import PROGRAM_KILL_GRACE_MS, PROGRAM_OUTPUT_BYTES_MAX
from agentx.kernel.values import frozen

_BLOCK_BYTES = 64 * 1024
_JOIN_S = 2.0
_ROUNDS_MAX = 5
# A line on the pipe lets go of the program; the end of the pipe means that we were killed.
_WATCH = 'read -r _ || kill -s KILL -- "-$1"'


@frozen
class ProgramCall:
    """What to run, and how long."""

    arguments: Sequence[str]
    said: str  # what it reads on stdin
    folder: Path
    environment: Mapping[str, str]
    time_limit_ms: int
    output_bytes_max: int = PROGRAM_OUTPUT_BYTES_MAX
    heard: Callable[[bytes], None] | None = None  # is told what it prints, as it comes
    end_bytes_max: int = 0  # of what comes after that, so much of its end is kept too
    held: tuple[int, ...] = ()  # open files that it keeps open
    lets_go: bool = False  # what it left running goes on after a good end; nobody hears it then
    can_wait: bool = False  # for another day: it is ended when this process is about to leave
    began: Callable[[int], None] | None = None  # is told its process, before that hears anything


@frozen
class Ended:
    """What became of it."""

    code: int
    out: str
    err: str
    too_late: bool
    too_much: bool = False  # it printed more than was kept
    end: str = ""  # the end of what it printed beyond that
    is_cut: bool = False  # it could wait for another day, and this process was about to leave


class _Leaving:
    """Which programs can wait for another day, and whether this process is about to leave."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.is_near = False
        self.running: set[subprocess.Popen[bytes]] = set()
        self.cut: set[subprocess.Popen[bytes]] = set()


_leaving = _Leaving()


@contextmanager
def ending_programs() -> Iterator[None]:
    """End the programs that can wait for another day, and begin none, as long as the block runs."""
    with _leaving.lock:
        _leaving.is_near = True
        for process in _leaving.running:
            _leaving.cut.add(process)
            _signal(process, signal.SIGKILL)
    try:
        yield
    finally:
        with _leaving.lock:
            _leaving.is_near = False


def run_to_end(call: ProgramCall) -> Ended:
    """Run a program; it and all it started are gone when this returns, but for `lets_go`.

    Raises: OSError when it cannot be started.
    """
    with _leaving.lock:
        if call.can_wait and _leaving.is_near:
            raise InterruptedError(errno.EINTR, "AgentX is about to leave")
        pages = [_Page(call.output_bytes_max) for _ in range(2 * call.lets_go)]
        process = _begin(call, pages)
        if call.can_wait:
            _leaving.running.add(process)
    try:
        ended = _follow(process, call, pages)
        return replace(ended, is_cut=process in _leaving.cut)
    finally:
        with _leaving.lock:
            _leaving.running.discard(process)
            _leaving.cut.discard(process)


def begin_apart(arguments: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> None:
    """Start a program that is its own master: nobody hears it, and nobody waits for its end.

    Raises: OSError when it cannot be started.
    """
    subprocess.Popen(
        list(arguments),
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _begin(call: ProgramCall, pages: Sequence[_Page]) -> subprocess.Popen[bytes]:
    out, err = (page.file for page in pages) if pages else (subprocess.PIPE, subprocess.PIPE)
    return Child(
        list(call.arguments),
        cwd=call.folder,
        env=dict(call.environment),
        stdin=subprocess.PIPE,
        stdout=out,
        stderr=err,
        start_new_session=True,
        pass_fds=call.held,
    )


def _follow(process: subprocess.Popen[bytes], call: ProgramCall, pages: Sequence[_Page]) -> Ended:
    assert process.stdin is not None, "it is a pipe"
    # Before anything is said: a program that hears nothing does nothing yet.
    watch = _watch(process.pid)
    if call.began is not None:
        call.began(process.pid)
    out, err = pages or _listen_to(process, call)
    mouth = threading.Thread(target=_speak, args=(process.stdin, call.said), daemon=True)
    mouth.start()
    too_late = False
    try:
        try:
            process.wait(call.time_limit_ms / 1000)
        except subprocess.TimeoutExpired:
            too_late = True
            _signal(process, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(PROGRAM_KILL_GRACE_MS / 1000)
    finally:
        # Also after a good end: a child left behind would hold the pipes open, and go on.
        if not call.lets_go or process.poll() != 0:
            _signal(process, signal.SIGKILL)
        process.wait()
        _dismiss(watch)
    # Who left its group may hold both pipes: both together are waited for.
    until = time.monotonic() + _JOIN_S
    for each in (out, err):
        each.join(until)
    mouth.join(max(until - time.monotonic(), 0))
    return Ended(
        code=process.returncode,
        out=out.text,
        err=err.text,
        too_late=too_late,
        too_much=out.is_full or err.is_full,
        end=out.end,
    )


class _Page:
    """A file that a program prints on: who is left behind by it may go on with that."""

    end = ""

    def __init__(self, bytes_max: int) -> None:
        import tempfile  # noqa: PLC0415  few need it, and it takes long to load

        self.file = tempfile.TemporaryFile()  # noqa: SIM115  closed once it is read
        self.is_full = False
        self.text = ""
        self._bytes_max = bytes_max

    def join(self, _until: float) -> None:
        """Read what is printed so far."""
        with self.file:
            said = os.pread(self.file.fileno(), self._bytes_max + 1, 0)
        self.is_full = len(said) > self._bytes_max
        self.text = said[: self._bytes_max].decode("utf-8", "replace")


def _listen_to(process: subprocess.Popen[bytes], call: ProgramCall) -> tuple[_Ear, _Ear]:
    assert process.stdout is not None, "it is a pipe"
    assert process.stderr is not None, "it is a pipe"
    out = _Ear(process.stdout, call.output_bytes_max, call.heard, call.end_bytes_max)
    return out, _Ear(process.stderr, call.output_bytes_max)


class _Ear:
    """Reads a pipe to its end, and keeps its first part."""

    def __init__(
        self,
        pipe: IO[bytes],
        bytes_max: int,
        heard: Callable[[bytes], None] | None = None,
        end_bytes_max: int = 0,
    ) -> None:
        self.is_full = False
        self._end = bytearray()
        self._end_bytes_max = end_bytes_max
        self._heard_by = heard
        self._pipe = pipe
        self._bytes_max = bytes_max
        self._heard = bytearray()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    @property
    def text(self) -> str:
        """What was heard."""
        return bytes(self._heard).decode("utf-8", "replace")

    @property
    def end(self) -> str:
        """The end of what was heard and did not fit."""
        return bytes(self._end).decode("utf-8", "replace")

    def join(self, until: float) -> None:
        """Wait for the end of the pipe, until some moment of the machine's clock at the latest."""
        self._thread.join(max(until - time.monotonic(), 0))

    def _listen(self) -> None:
        with self._pipe:
            while block := self._pipe.read1(_BLOCK_BYTES):  # type: ignore[attr-defined]  # a BufferedReader
                room = max(self._bytes_max - len(self._heard), 0)
                self.is_full = self.is_full or len(block) > room
                self._heard += block[:room]
                if self._end_bytes_max and len(block) > room:
                    self._end += block[room:]
                    del self._end[: -self._end_bytes_max]
                if self._heard_by is not None:
                    self._heard_by(block[:room])


def _speak(pipe: IO[bytes], said: str) -> None:
    # A program that does not read to the end is no fault of ours.
    with suppress(OSError, ValueError), pipe:
        pipe.write(said.encode("utf-8", "replace"))


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _watch(group: int) -> subprocess.Popen[bytes]:
    """Start what kills a process group when this process is killed."""
    return subprocess.Popen(
        ("/bin/sh", "-c", _WATCH, "sh", str(group)),
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _dismiss(watch: subprocess.Popen[bytes]) -> None:
    assert watch.stdin is not None, "it is a pipe"
    with suppress(OSError):
        watch.stdin.write(b"\n")
        watch.stdin.close()
    watch.wait()


def end_marked(name: str, value: str) -> int:
    """Kill every process of this user whose environment has a variable; return how many had it.

    What a program started may have left its process group; its environment went with it. Only where
    the system tells of it (`/proc`).
    """
    sought, found = f"{name}={value}".encode(), 0
    for _ in range(_ROUNDS_MAX):  # who is being killed may have started another
        marked = [pid for pid in _list_processes() if sought in _read_environment(pid)]
        for pid in marked:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        found += len(marked)
        if not marked:
            break
    return found


def _list_processes() -> list[int]:
    try:
        return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]
    except OSError:
        return []


def _read_environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
