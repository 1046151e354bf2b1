"""Goal: a session is told what matters, at the moment it matters, by whichever agent CLI runs it.

Method: hooks as agent CLIs call them, in a temporary home, beside a daemon that is a real process.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agentx.daemon.control import state, stop
from agentx.kernel.paths import StorePaths
from tests.support.house import House, prompt

DECISION = "We decided to keep the berth store in Postgres, because two writers lock SQLite."


@pytest.fixture
def served(house: House) -> Iterator[House]:
    """Give a house whose daemon runs; whatever is left of it is ended."""
    house.hook(session("s-0", "SessionStart", source="startup"))
    house.agentx("daemon", "start")
    yield house
    stop(store_of(house))


def store_of(house: House) -> StorePaths:
    (file,) = house.data.root.glob("*/daemon.lock")
    return StorePaths(file.parent)


def session(name: str, event: str, **more: Any) -> dict[str, Any]:
    return {"session_id": name, "transcript_path": "", "hook_event_name": event, **more}


def tell(house: House, payload: dict[str, Any], harness: str = "claude-code") -> str:
    """Call the hook; return what the agent CLI puts before its model."""
    printed = house.hook(payload, harness).stdout
    said = json.loads(printed) if printed else {}
    context = said.get("hookSpecificOutput", said).get("additionalContext", said.get("context", ""))
    return str(context)


def begin(house: House, name: str, harness: str = "claude-code", source: str = "startup") -> str:
    return tell(house, session(name, "SessionStart", source=source), harness)


def until(true: Callable[[], bool], seconds: float = 15) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)


def decide(house: House, name: str = "s-1") -> None:
    """Let a session decide something and end."""
    house.hook({**prompt(DECISION), "session_id": name})
    house.hook(session(name, "Stop", last_assistant_message="Noted."))
    house.hook(session(name, "SessionEnd", reason="exit"))


def test_a_session_is_told_afresh_by_the_daemon_and_without_it_what_was_prepared(
    served: House,
) -> None:
    decide(served)
    until(lambda: "Postgres" in begin(served, "s-2", "codex"))
    store = store_of(served)
    prepared = store.digest("claude-code", "main")
    until(lambda: prepared.exists() and "Postgres" in prepared.read_text("utf-8"))

    kept = prepared.read_text("utf-8")
    prepared.unlink()
    fresh = begin(served, "s-3")
    assert "Postgres" in fresh

    prepared.write_text(kept, encoding="utf-8")
    pid = state(store).pid
    os.kill(pid, signal.SIGSTOP)
    try:
        began = time.monotonic()
        from_disk = begin(served, "s-4")
        took = time.monotonic() - began
    finally:
        os.kill(pid, signal.SIGCONT)
    assert from_disk == fresh, "both are made of the same"
    assert took < 1.5, "a daemon that hangs is not waited for"
