"""What people see: nine screens at three widths, as text to be looked at.

    python -m tests.golden.screens      draws them anew: look at the difference before it is kept

The stage is a part of the sample, at a time that stands still, in a place of a fixed name, so that
every run draws the same. Sizes on disk and ids that are drawn by chance are blotted out.
"""

from __future__ import annotations

import fcntl
import io
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import time_machine

from agentx.demo import sample
from agentx.kernel.clock import DAY_MS, HOUR_MS
from agentx.surfaces.cli.main import main as run_agentx
from tests.golden.layout import HERE
from tests.golden.story import Town

WIDTHS = (60, 80, 140)
COMMANDS = (
    *("", "status", "toc last week", "search retries --limit 4", "recall"),
    *("sessions", "run show", "clarify", "config"),
)
_STAGE = Path("/tmp/agentx-screens")
_SESSIONS = (18, 23, 25, 26)  # of the sample: three agent CLIs, two scripts
_JAPANESE = "予約カレンダーの表示が遅いのはどうしてですか。保存期間も教えてください \U0001f6a4"
_NOW_MS = 1_774_031_400_000  # 2026-03-20T18:30Z, a Friday
# Sizes on disk, and ids that are drawn by chance: these keep their length.
_SIZE = re.compile(r"\d[\d.,]* [KM]?B\b")
_CHANCE = re.compile(r"(?<=\b01)[0-9A-HJKMNP-TV-Z]{24}\b|(?<=\bobs-)[0-9a-z]{6}\b")
_SCREEN = {"TERM": "xterm-256color", "NO_COLOR": "1", "AGENTX_PAGER": "cat", "LANG": "C.UTF-8"}
_OURS = re.compile(r"\x1b\[[0-9;]*m")


class Screen(io.StringIO):
    """Somewhere to write that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Stage(Town):
    """A home whose project has a name, whatever folder it lies in."""

    now_ms = _NOW_MS

    @property
    def environment(self) -> dict[str, str]:
        """The environment of everything that runs here."""
        return {**super().environment, "AGENTX_PROJECT_ID": "tidebook"}


@contextmanager
def set_up() -> Iterator[Stage]:
    """Lend the stage; who comes second waits until the first has left."""
    with _STAGE.with_suffix(".lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(_STAGE, ignore_errors=True)
        try:
            stage = Stage(_STAGE)
            _play(stage)
            yield stage
        finally:
            shutil.rmtree(_STAGE, ignore_errors=True)


def _play(stage: Stage) -> None:
    """Let everything happen that is shown."""
    told = sample.sessions()
    for number in _SESSIONS:  # one after the other, so that each draws the same chance every time
        for path, text in sample.transcript_files(stage.project, (told[number],)):
            target = stage.home / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        stage.agentx("import")
    stage.agentx("sync")
    stage.now_ms = _NOW_MS - 2 * DAY_MS
    stage.tell(
        "issue", "create", "--title", "Webhooks to Lynetten time out and are never tried again"
    )
    stage.tell("issue", "create", "--title", _JAPANESE)
    _ask(
        stage,
        "1",
        "engineer",
        "architect",
        "How long may a harbour office be without an answer before its berth goes to others?",
    )
    _ask(
        stage,
        "2",
        "engineer",
        "product-manager",
        _JAPANESE,
    )
    stage.now_ms = _NOW_MS - 3 * HOUR_MS
    stage.tell(
        "run", "start", "Retries that do not storm: full jitter, a cap, and a table of dead letters"
    )
    for title in (
        "Move the retry policy out of the worker into one module with its own tests and cases",
        "Show dead letters to the harbour office",
    ):
        stage.tell("run", "task", "add", title)
    stage.tell("run", "phase", "next")
    stage.tell("run", "task", "start", "TASK-002")
    stage.now_ms = _NOW_MS
    stage.agentx("sync")  # nothing is left to be taken in by the first screen that looks


def _ask(stage: Stage, issue: str, asker: str, to: str, topic: str) -> None:
    words = ("--topic", topic, "--question", topic)
    stage.tell("clarify", "ask", "--issue", issue, "--from", asker, "--to", to, *words)


def draw_all(stage: Stage, columns: int) -> str:
    """Return every screen at a width, one after the other."""
    return "\n".join(_draw(stage, command, columns) for command in COMMANDS)


def _draw(stage: Stage, command: str, columns: int) -> str:
    out, err = Screen(), Screen()
    with pytest.MonkeyPatch.context() as patch, time_machine.travel(_NOW_MS / 1000, tick=False):
        for name in os.environ.keys() - {"PATH"}:
            patch.delenv(name)
        for name, value in {**stage.environment, **_SCREEN, "COLUMNS": str(columns)}.items():
            patch.setenv(name, value)
        patch.chdir(stage.project)
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        with pytest.raises(SystemExit) as left:
            run_agentx(command.split())
    assert left.value.code in (0, None), (command, err.getvalue())
    shown = _SIZE.sub("(size)", _OURS.sub("", out.getvalue()))
    shown = _CHANCE.sub(lambda found: "x" * len(found.group()), shown)
    return f"$ agentx {command}".rstrip() + f"\n{shown}"


def find_file(columns: int) -> Path:
    """Return where the screens of a width are kept."""
    return HERE / "screens" / f"{columns}.txt"


def main() -> None:
    """Draw every screen anew."""
    with set_up() as stage:
        for columns in WIDTHS:
            find_file(columns).parent.mkdir(exist_ok=True)
            find_file(columns).write_text(draw_all(stage, columns), encoding="utf-8")


if __name__ == "__main__":
    main()
