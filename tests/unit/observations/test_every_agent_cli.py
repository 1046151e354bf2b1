"""The same session keeps the same lines, whichever agent CLI wrote it down."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentx.kernel.capture import Harness
from agentx.observations.extract import extract
from agentx.observations.model import Category
from agentx.views.sessions.turns import turns_of
from tests.support.told_by import (
    Story,
    Told,
    read_events,
    write_claude_code,
    write_codex,
    write_gemini,
    write_opencode,
)

STORY: Story = [
    Told(what="user", text="the nightly export is slow and sometimes loses rows, find out why"),
    Told(what="agent", text="I'll look at how the export writes its rows."),
    Told(what="shell", text="rg -n 'def export' src", output="src/export.py:12:def export(rows):"),
    Told(
        what="agent",
        text="`export()` in `src/export.py` opens the file once for each row, and `close()` is"
        " never called on an error, so the last buffer is lost.",
    ),
    Told(what="shell", text="pytest -q", output="E   AssertionError: 998 rows\n1 failed", code=1),
    Told(
        what="agent",
        text="The assertion fails because the last two rows stay in the buffer of `src/export.py`.",
    ),
    Told(
        what="edit",
        text="src/export.py",
        old="handle = open(path)",
        new="with open(path) as handle:\n    writer = RowWriter(handle)",
        output="updated",
    ),
    Told(what="shell", text="pytest -q", output="41 passed"),
    Told(
        what="agent",
        text="The export opens its file once now and closes it on every path, so no row is lost."
        " `RowWriter` in `src/export.py` does the buffering. A run takes 4 s instead of 61 s.",
    ),
    Told(
        what="user",
        text="good. never write exports to /tmp, keep them under var/exports because the backup"
        " only reads that",
    ),
    Told(
        what="edit",
        text="src/paths.py",
        old='EXPORTS = "/tmp"',
        new='EXPORTS = "var/exports"',
        output="updated",
    ),
    Told(
        what="shell",
        text="git commit -am 'Write exports where the backup reads them'",
        output="[main 1a2b3c4] Write exports where the backup reads them\n 2 files changed",
    ),
    Told(
        what="agent",
        text="Exports go to `var/exports` now. The old files in /tmp are still there: I left them"
        " because the retention job has not run yet.",
    ),
]
WRITERS: dict[Harness, Callable[[Story, Path], Path]] = {
    Harness.CLAUDE_CODE: write_claude_code,
    Harness.CODEX: write_codex,
    Harness.GEMINI: write_gemini,
    Harness.OPENCODE: write_opencode,
}


def keep(harness: Harness, folder: Path) -> list[tuple[Category, str]]:
    """Return the lines that are kept of the story, told by one agent CLI."""
    events = read_events(harness, WRITERS[harness](STORY, folder))
    return [
        (one.category, one.content)
        for one in extract(turns_of(events))
        if one.category is not Category.COMPACTION_SUMMARY
    ]


@pytest.mark.parametrize("harness", [one for one in WRITERS if one is not Harness.CLAUDE_CODE])
def test_the_same_session_keeps_the_same_lines_by_every_agent_cli(
    harness: Harness, tmp_path: Path
) -> None:
    kept = keep(harness, tmp_path)

    assert sorted(kept) == sorted(keep(Harness.CLAUDE_CODE, tmp_path))
    assert len(kept) >= 5


def test_what_it_keeps_is_why_it_failed_what_changed_what_was_wished_and_what_is_left(
    tmp_path: Path,
) -> None:
    told = "\n".join(content for _, content in keep(Harness.CLAUDE_CODE, tmp_path))

    for words in (
        "stay in the buffer",
        "(commit 1a2b3c4)",
        "keep them under var/exports because the backup",
        "The old files in /tmp are still there",
    ):
        assert words in told
