"""An agent CLI that runs on between its prompts, and one that works while others do.

Claude Code reads prompts as they come (`stream-json`), so it is one process and one session however
long it lasts. A CLI that answers one prompt is begun here and waited for later.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from tests.clis import drive
from tests.clis.scripted_model import ScriptedModel

_STREAMED = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")


def surroundings(
    where: drive.Place, role: str, extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the environment of an agent CLI that plays a role, beside the `agentx` under test."""
    programs = f"{drive.CLIS / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    said = {"AGENTX_AGENT": role} if role else {}
    return {**where.environment(extra), "PATH": programs, **said}


class LiveSession:
    """One session of Claude Code that is still running."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lines: Queue[str] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def say(self, prompt: str) -> str:
        """Put a prompt to it; return what it says in the end."""
        assert self._process.stdin is not None
        message = {"type": "user", "message": {"role": "user", "content": prompt}}
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        while True:
            event = self._next()
            if event.get("type") == "result":
                assert not event.get("is_error"), event
                return str(event["result"])

    def leave(self) -> None:
        """Say that no prompt comes any more, and wait for its end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=drive.RUN_SECONDS_MAX)
        self._reader.join()

    def _next(self) -> dict[str, Any]:
        try:
            event = json.loads(self._lines.get(timeout=drive.RUN_SECONDS_MAX))
        except Empty:
            raise AssertionError("the session said nothing more") from None
        assert isinstance(event, dict)
        return event

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                if line.startswith("{"):
                    self._lines.put(line)


@contextmanager
def claude(where: drive.Place, model: ScriptedModel, role: str) -> Iterator[LiveSession]:
    """Run Claude Code until the block ends; it and its children end with it."""
    found = drive.program("claude-code")
    assert found is not None, "claude-code is not installed: run scripts/install-clis"
    arguments, extra = drive._PREPARE["claude-code"](where, model, "", False)
    options = list(arguments)[2:]  # without `-p` and a prompt: those come later
    process = subprocess.Popen(
        (found, "-p", *_STREAMED, *options),
        cwd=where.repo,
        env=surroundings(where, role, extra),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    session = LiveSession(process)
    try:
        yield session
    finally:
        try:
            session.leave()
        finally:
            _end(process)


@contextmanager
def begin(
    harness: str, where: drive.Place, model: ScriptedModel, prompt: str, role: str
) -> Iterator[subprocess.Popen[str]]:
    """Let a CLI answer one prompt beside everything else; it never outlives the block."""
    found = drive.program(harness)
    assert found is not None, f"{harness} is not installed: run scripts/install-clis"
    arguments, extra = drive._PREPARE[harness](where, model, prompt, False)
    process = subprocess.Popen(
        (found, *arguments),
        cwd=where.repo,
        env=surroundings(where, role, extra),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        yield process
    finally:
        _end(process)
        assert process.stdout is not None
        process.stdout.close()


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
