"""Daemons that hooks sent for, in a throw-away home: begin sessions, see who runs, end them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from agentx.daemon.control import Condition, state
from agentx.kernel.paths import StorePaths
from tests.support.house import House, processes_of

WITH_DAEMON = {"AGENTX_DAEMON_AUTO": "true"}


def until(true: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something that has to come."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def session(name: str, event: str, **more: str) -> dict[str, Any]:
    """Return what Claude Code says of a session."""
    return {"session_id": name, "transcript_path": "", "hook_event_name": event, **more}


def begin(
    house: House,
    name: str = "s-1",
    *,
    folder: Path | None = None,
    env: dict[str, str] | None = None,
) -> str:
    """Begin a session; return what it is told."""
    where = folder or house.project
    payload = session(name, "SessionStart", source="startup", cwd=str(where))
    return house.hook(payload, cwd=where, env={**WITH_DAEMON, **(env or {})}).stdout.decode()


def running(house: House) -> list[int]:
    """Return the daemons that answer, by their process."""
    found = (StorePaths(file.parent) for file in house.data.root.glob("*/daemon.json"))
    return [one.pid for one in map(state, found) if one.condition is Condition.RUNNING]


def end_all(house: House) -> None:
    """Kill whatever runs in a house."""
    deadline = time.monotonic() + 60
    while left := processes_of(house.home):
        assert time.monotonic() < deadline, "something does not end"
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
