"""A terminal with a person at it, who answers what is asked."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.house import BIN, House

_WAIT_S = 200
_CONTROL = re.compile(r"\x1b\[[?0-9;]*[A-Za-z]")


def converse(
    house: House, arguments: Sequence[str], answers: Sequence[tuple[str, str]], columns: int = 80
) -> tuple[int, str]:
    """Run a command at a terminal; each answer is typed once the end of its question is seen.

    Returns the exit code, and all that was on the screen.
    """
    return converse_in(house.project, house.environment, arguments, answers, columns)


def converse_in(
    folder: Path,
    environment: Mapping[str, str],
    arguments: Sequence[str],
    answers: Sequence[tuple[str, str]] = (),
    columns: int = 80,
) -> tuple[int, str]:
    """Run a command at a terminal in a folder, as `converse`."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [str(BIN / "agentx"), *arguments],
        cwd=folder,
        env={**environment, "COLUMNS": str(columns), "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    screen, seen, left = "", 0, list(answers)
    deadline = time.monotonic() + _WAIT_S
    try:
        while time.monotonic() < deadline:
            if select.select([ours], [], [], 0.05)[0]:
                try:
                    screen += os.read(ours, 65_536).decode("utf-8", "replace")
                except OSError:  # the other end is closed
                    break
            if left and left[0][0] in screen[seen:]:
                seen = len(screen)
                os.write(ours, left.pop(0)[1].encode() + b"\n")
        return process.wait(timeout=_WAIT_S), _CONTROL.sub("", screen.replace("\r\n", "\n"))
    finally:
        process.kill()
        process.wait()
        os.close(ours)
