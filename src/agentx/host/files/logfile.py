"""What AgentX itself did: a structured log with rotation, which never gets in the way.

One JSON object a line, each written by one append, so several processes may
write. A full file becomes `<name>.1`, `.1` becomes `.2`, the oldest goes. Whatever
happens, `record` returns: a log that fails its teller is worse than none.
"""

from __future__ import annotations

import fcntl
import math
import os
from collections.abc import Collection
from itertools import islice
from pathlib import Path
from typing import Any

from agentx.host.files import json_text
from agentx.host.files.ground import make_folders
from agentx.host.files.plain import exists, look, open_to_write, read_bytes, rename
from agentx.host.limits import LOG_FILE_BYTES_MAX, LOG_FILES_MAX, LOG_LINE_BYTES_MAX
from agentx.host.system import process_id
from agentx.kernel.clock import Clock, to_iso
from agentx.kernel.text import cut

_DEPTH_MAX = 6
_TEXT_CHARS_MAX = 2_000
_ITEMS_MAX = 50


class LogFile:
    """Where records go."""

    def __init__(
        self, path: Path, clock: Clock, *, file_bytes_max: int = LOG_FILE_BYTES_MAX
    ) -> None:
        self._path = path
        self._clock = clock
        self._file_bytes_max = file_bytes_max

    def record(self, level: str, event: str, **fields: object) -> None:
        """Write one record; never raise."""
        try:
            self._write(self._line(level, event, fields))
        except (OSError, ValueError, RecursionError):
            return

    def _line(self, level: str, event: str, fields: dict[str, object]) -> bytes:
        head = {
            "time": to_iso(self._clock.now_ms()),
            "level": str(level),
            "event": str(event),
            "pid": process_id(),
        }
        line = json_text.line_of({**head, **{name: _plain(each) for name, each in fields.items()}})
        if len(line) >= LOG_LINE_BYTES_MAX:
            line = json_text.line_of({**head, "cut": cut(line.decode("utf-8"), _TEXT_CHARS_MAX)})
        return line + b"\n"

    def _write(self, line: bytes) -> None:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
        try:
            descriptor = open_to_write(self._path, flags)
        except FileNotFoundError:
            make_folders(self._path.parent, private=True)
            descriptor = open_to_write(self._path, flags)
        try:
            # After a crash or a full disk the last line may be torn: do not grow onto it.
            os.write(descriptor, line if _ends_whole(descriptor) else b"\n" + line)
            if os.fstat(descriptor).st_size >= self._file_bytes_max:
                self._rotate(descriptor)
        finally:
            os.close(descriptor)

    def blank(self, field: str, values: Collection[str], *, kept: Collection[str]) -> None:
        """Take the words out of records of which a field is one of some values, wherever they lie.

        Their place stays, with the fields that are to be kept.

        Raises: OSError.
        """
        marks = [value.encode() for value in values]
        for file in filter(exists, _list_files(self._path)):
            text = read_bytes(file)
            if not any(mark in text for mark in marks):
                continue
            descriptor, at = open_to_write(file, os.O_RDWR), 0
            try:
                for line in text.splitlines(keepends=True):
                    record = _record_of(line) if any(mark in line for mark in marks) else None
                    if record is not None and record.get(field) in values:
                        left = {name: each for name, each in record.items() if name in kept}
                        # Others append meanwhile: nothing may move.
                        os.pwrite(descriptor, json_text.line_of(left).ljust(len(line) - 1), at)
                    at += len(line)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def _rotate(self, full: int) -> None:
        try:
            fcntl.flock(full, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # another process is at it
        now = look(self._path)
        if now is None or os.fstat(full).st_ino != now.st_ino:
            return  # another process was at it a moment ago
        # The full file moves last: until then nobody can fill another and rotate too.
        for number in range(LOG_FILES_MAX - 1, 0, -1):
            newer = self._path if number == 1 else _number(self._path, number - 1)
            if exists(newer):
                rename(newer, _number(self._path, number))


def read_records(path: Path, limit: int) -> list[dict[str, Any]]:
    """Return the last records of all files that are kept, newest last, without damaged lines."""
    found: list[dict[str, Any]] = []  # newest first
    for file in _list_files(path):
        try:
            lines = read_bytes(file).split(b"\n")
        except OSError:
            continue
        for line in reversed(lines):
            if len(found) >= limit:
                break
            record = _record_of(line)
            if record is not None:
                found.append(record)
    found.reverse()
    return found


def _record_of(line: bytes) -> dict[str, Any] | None:
    if not line:
        return None
    try:
        record = json_text.parse_json(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _ends_whole(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"


def _list_files(path: Path) -> tuple[Path, ...]:
    return (path, *(_number(path, number) for number in range(1, LOG_FILES_MAX)))


def _number(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")


def _plain(value: object, depth: int = 0) -> object:
    """Return what JSON can hold of any value, within bounds."""
    plain: object
    match value:
        case None | bool() | int():
            plain = value
        case float():
            plain = value if math.isfinite(value) else str(value)
        case str() | Path():
            plain = cut(str(value), _TEXT_CHARS_MAX)
        case dict() if depth < _DEPTH_MAX:
            items = islice(value.items(), _ITEMS_MAX)
            plain = {str(_plain(key, _DEPTH_MAX)): _plain(each, depth + 1) for key, each in items}
        case list() | tuple() | set() | frozenset() if depth < _DEPTH_MAX:
            plain = [_plain(each, depth + 1) for each in islice(value, _ITEMS_MAX)]
        case BaseException():
            from traceback import format_exception_only  # noqa: PLC0415  few lines hold one

            # Says something even of an exception whose own words fail.
            plain = cut("".join(format_exception_only(value)).strip(), _TEXT_CHARS_MAX)
        case _:
            plain = f"<{type(value).__name__}>"
    return plain
