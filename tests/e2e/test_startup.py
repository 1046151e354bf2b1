"""Goal: a command that reads imports what it reads with, and nothing else.

The installed script runs as a user runs it, from its first line on, and Python says what it
imports. The lists hold what costs most; the counts are what there was, and a little.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from tests.support.house import BIN, WAIT_S, House, prompt

_NEVER = frozenset("asyncio email httpx mcp ssl tomlkit yaml".split())
_SERVER = frozenset({"grpc", "google.protobuf", "grpc_reflection.v1alpha", "grpc_health.v1"})
_STORE = frozenset({"rocksdict", "tantivy", "cryptography", "zstandard", "sqlite3"})
_READING: dict[tuple[str, ...], tuple[int, int]] = {  # ours: with the store, with a daemon
    (): (210, 125),
    ("status",): (200, 115),
    ("toc",): (210, 90),
    ("search", "retries"): (232, 93),
    ("recall",): (227, 94),
    ("events",): (185, 89),
    ("sessions",): (185, 89),
}


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Return a house in which something was said, and nothing waits; tests only read it."""
    house = House(tmp_path_factory.mktemp("lived-in"))
    house.agentx("init")
    for number in range(3):
        house.hook(prompt(f"add retries to webhook {number}", cwd=str(house.project)))
    house.agentx("sync")
    then = time.time() - 60
    for file in house.root.rglob("*"):
        if file.is_file() and not file.is_symlink():
            os.utime(file, (then, then))
    house.agentx("status")  # which notes what it finds out of files that are settled
    return house


def _imported(house: House, *arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", str(BIN / "agentx"), *arguments],
        cwd=house.project,
        env=house.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=WAIT_S,
    )
    lines = (line for line in done.stderr.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip() for line in lines}


def _ours(imported: set[str]) -> int:
    return sum(name.partition(".")[0] == "agentx" for name in imported)


def test_who_reads_the_log_imports_neither_the_index_nor_what_writes_summaries(
    lived_in: House,
) -> None:
    for command in ("events", "sessions"):
        imported = _imported(lived_in, command)

        assert imported & {"tantivy", "sqlite3", "hashlib", "subprocess"} == set()
        assert imported & {"agentx.conversation.editing", "agentx.views.search_view"} == set()


def test_recall_is_written_without_what_draws(lived_in: House) -> None:
    assert _imported(lived_in, "recall") & {"rich", "rich.console"} == set()


def test_the_version_is_told_without_click(house: House) -> None:
    imported = _imported(house, "--version")

    assert imported & {"click", "typing", "dataclasses", "json"} == set()
    assert _ours(imported) <= 4


def test_help_is_told_without_what_commands_need(house: House) -> None:
    imported = _imported(house, "--help")

    assert imported & (_NEVER | _STORE | _SERVER | {"rich", "msgspec", "socket"}) == set()
    assert _ours(imported) <= 12


@pytest.mark.parametrize("command", _READING, ids=lambda command: " ".join(command) or "alone")
def test_a_command_that_opens_the_store_imports_no_more_than_it_reads_with(
    lived_in: House, command: tuple[str, ...]
) -> None:
    imported = _imported(lived_in, *command)

    assert imported & (_NEVER | _SERVER) == set()
    assert _ours(imported) <= _READING[command][0]


def test_a_command_that_a_daemon_serves_opens_no_store(lived_in: House) -> None:
    lived_in.agentx("daemon", "start")
    try:
        for command, (_, most) in _READING.items():
            imported = _imported(lived_in, *command)

            assert imported & (_NEVER | _SERVER | _STORE) == set()
            assert _ours(imported) <= most
    finally:
        lived_in.agentx("daemon", "stop")


def test_who_looks_at_runs_imports_nothing_that_writes_or_signs(lived_in: House) -> None:
    lived_in.agentx("run", "start", "a run")
    lived_in.agentx("run", "show")  # which notes the user's public key

    imported = _imported(lived_in, "run", "show")

    assert imported & (_NEVER | _SERVER | _STORE | {"hashlib", "subprocess"}) == set()
    assert imported & {f"agentx.operations.runs.{name}" for name in ("write", "recover")} == set()
