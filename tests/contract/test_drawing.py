"""Every reading command draws what a full house holds, on narrow screens too, and says it as JSON.

Goal: no drawing fails, is empty or runs over the width of a terminal, whatever the house holds.
Method: a golden house, which holds a row of every kind; the commands run in this process.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.surfaces.cli.layout import measure
from agentx.surfaces.cli.main import main
from tests.golden.story import Town
from tests.support.damage import prepare

WIDE, NORM, NARROW = 140, 80, 60
WHOLE = re.compile(r"(?:`[^`]+`|[~/]\S+)[.,;:)]*")  # one command or path, and nothing else
# A command as it is mostly written in what is said, without backticks: verbs, then what it takes.
BARE = re.compile(
    r"(?<![\w./`-])agentx [a-z]+(?: (?:add|answer|ask|inbox|list|resolve|set|show|task|wait)\b)*"
    r"(?: (?:--[a-z-]+(?: [a-z0-9]+\b)?|\"[^\"\n]*\"|'[^'\n]*'|[A-Z][A-Z0-9-]+\b))*"
)
OURS = re.compile(r"\x1b\[[0-9;]*m")
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
    *("clarify inbox", "clarify inbox engineer", "clarify stale", "workflow list"),
    *("workflow next 1",),
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


class Terminal(io.StringIO):
    """Somewhere to write that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def draw(
    town: Town,
    arguments: list[str],
    columns: int,
    monkeypatch: pytest.MonkeyPatch,
    *,
    place: type[io.StringIO] = Terminal,
) -> tuple[int, str, str]:
    """Run a command in this process; return its exit code, what it wrote and what it talked."""
    for name in os.environ.keys() - {"PATH"}:
        monkeypatch.delenv(name)
    for name, value in {**town.environment, "COLUMNS": str(columns), **_SCREEN}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(town.project)
    out, err = place(), place()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with pytest.raises(SystemExit) as left:
        main(arguments)
    code = left.value.code
    return (code if isinstance(code, int) else 0), out.getvalue(), err.getvalue()


_SCREEN = {"TERM": "xterm-256color", "AGENTX_PAGER": "cat"}


def _fits(line: str, columns: int) -> bool:
    """Tell whether a line is no wider than a screen; but what is copied is never cut."""
    is_bare = BARE.fullmatch(line.strip(" ,;.()[]")) is not None
    return measure(line) <= columns or is_bare or WHOLE.fullmatch(line.strip()) is not None


def _list_commands(town: Town, command: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return the commands that a command names, as a pipe gets them: there nothing is wrapped."""
    _, out, err = draw(town, command.split(), NARROW, monkeypatch, place=io.StringIO)
    return {*re.findall(r"`(agentx [^`\n]+)`", out + err), *BARE.findall(out + err)}


def _list_cut(commands: set[str], shown: str) -> list[str]:
    """Return the commands that a screen shows in pieces."""
    flat = re.sub(r"\s+", "", shown)
    return [one for one in commands if re.sub(r"\s", "", one) in flat and one not in shown]


def test_what_a_refusal_tells_to_type_stands_in_one_piece(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = "clarify answer CLR-1-001 x"  # it is settled
    commands = _list_commands(town, command, monkeypatch)
    assert any(len(one) > NORM for one in commands), commands
    for columns in (WIDE, NORM, NARROW):
        _, out, err = draw(town, command.split(), columns, monkeypatch)
        shown = OURS.sub("", out + err)
        assert [line for line in shown.split("\n") if not _fits(line, columns)] == []
        assert _list_cut(commands, shown) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_reading_command_draws_and_says_what_the_house_holds(
    town: Town, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = _list_commands(town, command, monkeypatch)
    for columns in (WIDE, NORM, NARROW):
        code, out, err = draw(town, command.split(), columns, monkeypatch)
        assert out.strip(), "nothing was drawn"
        shown = OURS.sub("", out + err)
        lines = re.split(r"[\r\n]", shown)  # progress writes over its own line
        assert [line for line in lines if not _fits(line, columns)] == []
        assert _list_cut(commands, shown) == [], "what is copied stands in one piece"
    code, said, talked = draw(
        town, [*command.split(), "--json"], WIDE, monkeypatch, place=io.StringIO
    )
    assert code in (0, 4), talked
    assert json.loads(said)


@pytest.mark.parametrize("command", ["status", "sessions", "toc --depth 5", "config", "run show"])
def test_what_goes_into_a_pipe_is_as_wide_as_it_is_and_has_no_colours(
    town: Town, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow, wide = (
        draw(town, command.split(), columns, monkeypatch, place=io.StringIO)[1]
        for columns in (NARROW, WIDE)
    )

    assert narrow == wide
    assert "\x1b" not in narrow
    assert "\u2026" not in narrow
