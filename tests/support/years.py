"""Years of transcripts, as an agent CLI leaves them: some megabytes, made of a few words."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

DAY_S = 86_400
BEGIN_S = 1_772_445_600
_FILLER = "The harbour keeps its ledgers in plain files, one for each quay and each year. "


def write_years(home: Path, project: Path, sessions: int, *, kilobytes: int = 400) -> None:
    """Write one transcript a day; the last is the newest. Some lines are no JSON."""
    folder = home / ".claude/projects" / str(project).replace("/", "-").replace(".", "-")
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(sessions):
        path = folder / f"s-{number:03}.jsonl"
        path.write_text("\n".join(_lines(project, number, kilobytes)) + "\n", encoding="utf-8")
        at_s = BEGIN_S + number * DAY_S
        os.utime(path, (at_s, at_s))


def _lines(project: Path, number: int, kilobytes: int) -> list[str]:
    lines = []
    for turn in range(10):
        at = datetime.fromtimestamp(BEGIN_S + number * DAY_S + turn * 60, UTC)
        shared = {
            "sessionId": f"s-{number:03}",
            "cwd": str(project),
            "timestamp": at.isoformat().replace("+00:00", "Z"),
        }
        said = f"We decided to paint quay {number} in colour{number}x, because of turn {turn}."
        asked = {"role": "user", "content": said}
        reply = {
            "id": f"m-{turn}",
            "role": "assistant",
            "content": [{"type": "text", "text": said + " " + _FILLER * (kilobytes * 100 // 80)}],
        }
        lines += [
            json.dumps({"type": "user", "uuid": f"u-{turn}", "message": asked, **shared}),
            json.dumps({"type": "assistant", "uuid": f"a-{turn}", "message": reply, **shared}),
            '{"type": "user", "message": {"role": "us',  # cut short by whoever wrote it
        ]
    return lines
