"""Run a program to its end, within a time and a size, and leave nothing of it behind.

The program leads a process group of its own. When its time is over, or when this
process is interrupted, the group is told to end and then killed, so that whatever it
started ends with it. What it prints beyond the bound is read and dropped: a full pipe
would stop it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from agentx.agents.limits import AGENT_KILL_GRACE_MS, AGENT_OUTPUT_BYTES_MAX
from agentx.kernel.values import frozen

_BLOCK_BYTES = 64 * 1024
_JOIN_S = 2.0


@frozen
class ProgramCall:
    """What to run, and how long."""

    arguments: Sequence[str]
    said: str  # what it reads on stdin
    folder: Path
    environment: Mapping[str, str]
    time_limit_ms: int


@frozen
class Ended:
    """What became of it."""

    code: int
    out: str
    err: str
    too_late: bool


def run_to_end(call: ProgramCall) -> Ended:
    """Run a program; it and all it started are gone when this returns.

    Raises: OSError when it cannot be started.
    """
    process = subprocess.Popen(
        list(call.arguments),
        cwd=call.folder,
        env=dict(call.environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None, "it is a pipe"
    assert process.stdout is not None, "it is a pipe"
    assert process.stderr is not None, "it is a pipe"
    out, err = _Ear(process.stdout), _Ear(process.stderr)
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
                process.wait(AGENT_KILL_GRACE_MS / 1000)
    finally:
        # Also after a good end: a child left behind would hold the pipes open, and go on.
        _signal(process, signal.SIGKILL)
        process.wait()
    for each in (out, err):
        each.join()
    mouth.join(_JOIN_S)
    return Ended(code=process.returncode, out=out.text, err=err.text, too_late=too_late)


class _Ear:
    """Reads a pipe to its end, and keeps its first part."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._heard = bytearray()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    @property
    def text(self) -> str:
        """What was heard."""
        return bytes(self._heard).decode("utf-8", "replace")

    def join(self) -> None:
        """Wait for the end of the pipe, but not for ever."""
        self._thread.join(_JOIN_S)

    def _listen(self) -> None:
        with self._pipe:
            while block := self._pipe.read1(_BLOCK_BYTES):  # type: ignore[attr-defined]  # a BufferedReader
                room = AGENT_OUTPUT_BYTES_MAX - len(self._heard)
                self._heard += block[: max(room, 0)]


def _speak(pipe: IO[bytes], said: str) -> None:
    # A program that does not read to the end is no fault of ours.
    with suppress(OSError, ValueError), pipe:
        pipe.write(said.encode("utf-8", "replace"))


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
