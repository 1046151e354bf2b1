"""OpenCode's history: sessions in a SQLite database, older ones a tree of JSON files.

The database is only ever opened for reading, while OpenCode may be writing; each session
is one transcript in it. The tree beside it is what versions before the database left:

    storage/session/<project>/<session>.json
    storage/message/<session>/<message>.json
    storage/part/<message>/<part>.json

Law: never raises; what cannot be read is told as `Damaged`, numbered by row or file.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agentx.adapters.folders import files_in, transcript_at
from agentx.adapters.homes import Homes
from agentx.adapters.limits import OPENCODE_LOCK_WAIT_MS, TRANSCRIPT_LINE_BYTES_MAX
from agentx.adapters.opencode.parts import (
    at,
    did,
    draft_failure,
    draft_prompt,
    draft_start,
    draft_stop,
)
from agentx.adapters.port import Damaged, Transcript
from agentx.adapters.scene import Scene
from agentx.adapters.shapes import child, entry, limit_id, millis, session_of, word
from agentx.kernel.capture import Channel, Draft, Harness
from agentx.kernel.clock import Millis

_SESSIONS = """
SELECT s.*, coalesce((SELECT sum(length(p.data)) FROM part p WHERE p.session_id = s.id), 0) AS size
FROM session s ORDER BY s.time_created, s.id
"""
_SESSION = "SELECT * FROM session WHERE id = ?"
_MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
_PARTS = "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id"

Record = dict[str, Any]


def in_use(homes: Homes) -> bool:
    """Tell whether OpenCode has ever run here."""
    return homes.opencode_db.exists() or homes.opencode_config.is_dir()


def discover(homes: Homes) -> Iterator[Transcript]:
    """Yield every session in the database, then those of the older tree that it lacks."""
    taken: set[str] = set()
    for transcript in sessions_in(homes.opencode_db):
        taken.add(transcript.session_id)
        yield transcript
    for path in files_in(homes.opencode_db.parent / "storage" / "session", levels_max=1):
        session, _ = _json_file(path)
        if path.suffix != ".json" or not session or path.stem in taken:
            continue
        found = transcript_at(
            path,
            Harness.OPENCODE,
            working_directory=word(session, "directory"),
            session_id=path.stem,
        )
        if found is not None:
            yield found


def read(transcript: Transcript) -> Iterator[Draft | Damaged]:
    """Yield what one session says."""
    told = _Told()
    if transcript.path.suffix == ".json":
        _from_tree(transcript.path, told)
    else:
        _from_database(transcript, told)
    yield from told.damaged
    if told.session:
        yield from _drafts(transcript, told)


@dataclass(slots=True)
class _Told:
    """One session as it lies on disk: its row, its messages in order, and their parts."""

    session: Record = field(default_factory=dict)
    messages: list[Record] = field(default_factory=list)
    parts: dict[str, list[Record]] = field(default_factory=dict)
    damaged: list[Damaged] = field(default_factory=list)


# --- from records to drafts -------------------------------------------------------------------


def _drafts(transcript: Transcript, told: _Told) -> Iterator[Draft]:
    session = told.session
    cwd = transcript.working_directory or word(session, "directory")
    parent = limit_id(entry(session, "parent_id", "parentID"))
    created = entry(session, "time_created") or child(session, "time").get("created")
    scene = Scene(
        harness=Harness.OPENCODE,
        session_id=session_of(entry(session, "id") or transcript.session_id, cwd),
        timestamp_ms=millis(created) or transcript.modified_ms,
        channel=Channel.TRANSCRIPT,
        delivery="",
        metadata={"cwd": cwd, "source": {"file": str(transcript.path)}},
    )
    yield from draft_start(scene, session)
    last = _last_steps(told.messages)
    for message in told.messages:
        message_id = limit_id(message.get("id"))
        source = {"file": str(transcript.path), "id": message_id}
        here = replace(scene, metadata={"cwd": cwd, "source": source})
        here = at(here, child(message, "time"), "created")
        parts = told.parts.get(message_id, [])
        if word(message, "role") == "user":
            yield from draft_prompt(here, message, parts, parent=parent)
            continue
        for part in parts:
            yield from did(here, message, part)
        here = at(here, child(message, "time"), "completed")
        if message.get("error"):
            yield from draft_failure(here, message["error"], message_id)
        if message_id in last:
            yield from draft_stop(here, message_id, parent)


def _last_steps(messages: list[Record]) -> frozenset[str]:
    """Return the messages with which the model ended its turns."""
    last: dict[str, Record] = {
        word(message, "parentID"): message
        for message in messages
        if word(message, "role") == "assistant"
    }
    return frozenset(
        limit_id(message.get("id"))
        for message in last.values()
        if child(message, "time").get("completed") and word(message, "finish") != "tool-calls"
    )


# --- the database -----------------------------------------------------------------------------


def sessions_in(path: Path) -> Iterator[Transcript]:
    try:
        rows = _rows(path, _SESSIONS) if path.is_file() else []
    except sqlite3.Error:
        return
    for row in rows:
        if not isinstance(row.get("id"), str):
            continue
        yield Transcript(
            harness=Harness.OPENCODE,
            path=path,
            size_bytes=row["size"] if isinstance(row.get("size"), int) else 0,
            modified_ms=millis(row.get("time_updated")) or Millis(0),
            working_directory=word(row, "directory"),
            session_id=row["id"],
        )


def _from_database(transcript: Transcript, told: _Told) -> None:
    path, session_id = transcript.path, transcript.session_id
    try:
        for row in _rows(path, _SESSION, session_id):
            told.session = row
        for number, row in enumerate(_rows(path, _MESSAGES, session_id), start=1):
            message = _record(row, path, number, told)
            if message:
                told.messages.append(message)
        for number, row in enumerate(_rows(path, _PARTS, session_id), start=1):
            part = _record(row, path, number, told)
            if part:
                told.parts.setdefault(str(row.get("message_id")), []).append(part)
    except sqlite3.Error as failure:
        told.damaged.append(Damaged(path=path, line=0, reason=f"cannot be read: {failure}"))


def _rows(path: Path, query: str, *values: str) -> list[Record]:
    """Run one query on a database that is opened for reading only.

    Raises: sqlite3.Error.
    """
    address = f"{path.absolute().as_uri()}?mode=ro"
    with closing(
        sqlite3.connect(address, uri=True, timeout=OPENCODE_LOCK_WAIT_MS / 1000)
    ) as connection:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(query, values)]


def _record(row: Record, path: Path, number: int, told: _Told) -> Record:
    """Return the JSON of a row with the id that stands beside it."""
    data = row.get("data")
    try:
        value = json.loads(data) if isinstance(data, str | bytes) else None
    except (ValueError, RecursionError) as failure:
        value = None
        reason = f"row {row.get('id')}: not JSON: {failure}"
    else:
        reason = f"row {row.get('id')}: not a JSON object"
    if not isinstance(value, dict):
        told.damaged.append(Damaged(path=path, line=number, reason=reason))
        return {}
    return value | {"id": row.get("id")}


# --- the tree of older versions ---------------------------------------------------------------


def _from_tree(path: Path, told: _Told) -> None:
    told.session, reason = _json_file(path)
    if reason:
        told.damaged.append(Damaged(path=path, line=1, reason=reason))
        return
    storage = path.parent.parent.parent
    for message in _json_files(storage / "message" / path.stem, told):
        told.messages.append(message)
        message_id = limit_id(message.get("id"))
        if "/" in message_id or message_id in ("", "..", "."):
            continue
        told.parts[message_id] = _json_files(storage / "part" / message_id, told)


def _json_files(folder: Path, told: _Told) -> list[Record]:
    found = []
    for path in files_in(folder, levels_max=0):
        if path.suffix != ".json":
            continue
        value, reason = _json_file(path)
        if reason:
            told.damaged.append(Damaged(path=path, line=1, reason=reason))
        else:
            found.append({"id": path.stem} | value)
    return found


def _json_file(path: Path) -> tuple[Record, str]:
    """Return a file's object, or why it has none."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(TRANSCRIPT_LINE_BYTES_MAX + 1)
        if len(raw) > TRANSCRIPT_LINE_BYTES_MAX:
            return {}, f"longer than {TRANSCRIPT_LINE_BYTES_MAX} bytes"
        value = json.loads(raw.decode("utf-8", "replace"))
    except (OSError, ValueError, RecursionError) as failure:
        return {}, f"cannot be read: {failure}"
    return (value, "") if isinstance(value, dict) else ({}, "not a JSON object")
