"""Whose transcript a file is, told from its first lines: for `agentx import PATH`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentx.adapters.lines import json_lines
from agentx.adapters.opencode import transcripts as opencode
from agentx.adapters.port import Damaged, Transcript
from agentx.kernel.capture import Harness
from agentx.kernel.clock import Millis

_LOOK_LINES_MAX = 20
_FILES_MAX = 100_000
_SQLITE = b"SQLite format 3\x00"


def transcripts_at(path: Path) -> Iterator[Transcript]:
    """Yield the transcripts in a file or below a folder; what is none is passed over."""
    files = [path] if path.is_file() else _below(path)
    for file in files:
        yield from _in_file(file)


def _below(folder: Path) -> Iterator[Path]:
    for count, file in enumerate(sorted(folder.rglob("*"))):
        if count >= _FILES_MAX:
            return
        if file.is_file() and not file.is_symlink():
            yield file


def _in_file(file: Path) -> Iterator[Transcript]:
    try:
        with file.open("rb") as opened:
            head = opened.read(len(_SQLITE))
        stat = file.stat()
    except OSError:
        return
    if head == _SQLITE:
        yield from opencode.sessions_in(file)
        return
    if not (file.name.endswith((".jsonl", ".jsonl.zst")) or file.suffix == ".json"):
        return
    harness = harness_of(file)
    if harness is not None:
        yield Transcript(
            harness=harness,
            path=file,
            size_bytes=stat.st_size,
            modified_ms=Millis(stat.st_mtime_ns // 1_000_000),
            working_directory="",
        )


def harness_of(file: Path) -> Harness | None:
    """Return the agent CLI that wrote a transcript."""
    if file.suffix == ".json":
        return Harness.GEMINI if _is_gemini_record(file) else None
    for count, item in enumerate(json_lines(file)):
        if count >= _LOOK_LINES_MAX:
            break
        if not isinstance(item, Damaged):
            harness = _guess_writer(item[1])
            if harness is not None:
                return harness
    return None


def _guess_writer(line: dict[str, Any]) -> Harness | None:
    if "projectHash" in line and "sessionId" in line:
        return Harness.GEMINI
    if isinstance(line.get("payload"), dict) and "type" in line:
        return Harness.CODEX
    if isinstance(line.get("data"), dict) and "." in str(line.get("type", "")):
        return Harness.COPILOT
    if "sessionId" in line and "type" in line:
        return Harness.CLAUDE_CODE
    return None


def _is_gemini_record(file: Path) -> bool:
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(record, dict) and "sessionId" in record and "messages" in record
