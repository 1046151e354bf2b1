"""Every reading command draws what a full house holds, on narrow screens too, and says it as JSON.

Goal: no drawing fails, is empty or breaks a narrow terminal, whatever the house holds.
Method: a golden house, which holds a row of every kind; the commands run in this process.
"""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.surfaces.cli.main import main
from tests.golden.story import Town
from tests.support.damage import prepare

WIDE, NARROW = 100, 60
COMMANDS = (
    *(
        "status",
        "sessions",
        "events --limit 20",
        "events --full --limit 5",
        "toc --depth 5",
        "digest",
    ),
    *("search quay", "search quay --explain", "recall", "recall --context quay --issue 1"),
    *("memory list", "memory search quay", "memory stats", "memory budget", "memory verify"),
    *("issue list", "issue show 1", "ready", "state", "deps 1", "clarify", "clarify --issue 1"),
    *("clarify stale", "workflow list", "workflow next 1"),
    *("run list", "run show", "run context", "ltm patterns", "ltm candidates"),
    *(
        "ltm decisions",
        "ltm metrics",
        "ltm debt",
        "ltm learnings",
        "run pr",
        "scheduler status",
        "daemon status",
        "config",
        "logs",
    ),
    *("logs --audit", "trust --show", "doctor", "agent roles", "exclude --list"),
)


@pytest.fixture(scope="module")
def town() -> Iterator[Town]:
    """Lend a house in which everything was taken and every view is up to date."""
    with tempfile.TemporaryDirectory(prefix="agentx-drawing-") as folder:
        made = prepare(Path(folder) / "house")
        made.agentx("sync")
        yield made


def draw(
    town: Town, arguments: list[str], columns: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, str, str]:
    """Run a command in this process; return its exit code, what it wrote and what it talked."""
    for name in os.environ.keys() - {"PATH"}:
        monkeypatch.delenv(name)
    for name, value in {**town.environment, "COLUMNS": str(columns)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(town.project)
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with pytest.raises(SystemExit) as left:
        main(arguments)
    code = left.value.code
    return (code if isinstance(code, int) else 0), out.getvalue(), err.getvalue()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_reading_command_draws_and_says_what_the_house_holds(
    town: Town, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = [draw(town, command.split(), columns, monkeypatch) for columns in (WIDE, NARROW)]
    code, said, talked = draw(town, [*command.split(), "--json"], WIDE, monkeypatch)

    for each, out, err in drawn:
        assert each == code, err
        assert out.strip(), "nothing was drawn"
    assert code in (0, 4), talked
    assert json.loads(said)
