"""Records of hooks that could not be taken and were moved aside: what of them is to be forgotten.

They hold what the hook was given, as the log would. Nobody says of one that cannot be read what it
holds: it is named, and its user decides.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from agentx.capture import spool_record
from agentx.capture.limits import RECORD_BYTES_MAX
from agentx.capture.spool import Why, list_records
from agentx.capture.spool_record import SpoolRecord
from agentx.conversation.forgotten.spans import fold_all, fold_words
from agentx.host.files import plain
from agentx.host.files.disk import sync_directory
from agentx.kernel.clock import Millis
from agentx.kernel.errors import AgentXError
from agentx.kernel.paths import SpoolPaths
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.wiring.spool import open_spool


@frozen
class AsideQuery:
    """Which records: of sessions, or of a span and saying something."""

    sessions: Collection[str] = ()
    since_ms: Millis | None = None
    until_ms: Millis | None = None
    query: str = ""

    def fits(self, record: SpoolRecord) -> bool:
        """Tell whether a record is one of them."""
        if self.sessions:
            return any(name in record.payload for name in map(_quote, self.sessions))
        if self.since_ms is not None and record.received_ms < self.since_ms:
            return False
        if self.until_ms is not None and record.received_ms >= self.until_ms:
            return False
        wanted = fold_words(self.query)
        return not wanted or any(wanted in text for text in _texts_of(record))


@frozen
class AsideRecords:
    """What was found."""

    paths: tuple[Path, ...] = ()  # that go
    unread: tuple[Path, ...] = ()  # that nobody can look into


def find_aside(project: Project, query: AsideQuery) -> AsideRecords:
    """Look through the records of a project that were moved aside."""
    found: list[Path] = []
    unread: list[Path] = []
    for path in open_spool(project).list_aside(project.id):
        try:
            raw = plain.read_bytes(path, bytes_max=RECORD_BYTES_MAX, ground=path.parents[1])
        except FileNotFoundError:
            continue
        except (OSError, AgentXError):
            unread.append(path)
            continue
        if query.fits(spool_record.parse(raw, path.name)):
            found.append(path)
    return AsideRecords(paths=tuple(found), unread=tuple(unread))


def find_orphaned(project: Project, query: AsideQuery) -> Iterator[tuple[Path, str]]:
    """Yield records of folders that are gone, each with the folder: nobody knows whose they are."""
    for group in open_spool(project).survey():
        if group.why is not Why.DIRECTORY_GONE:
            continue
        for path in list_records(SpoolPaths(Path(group.folder))):
            with suppress(OSError, AgentXError):
                raw = plain.read_bytes(path, bytes_max=RECORD_BYTES_MAX, ground=path.parents[1])
                if query.fits(spool_record.parse(raw, path.name)):
                    yield path, group.directory


def remove_aside(found: AsideRecords) -> None:
    """Delete records that were moved aside.

    Raises: OSError.
    """
    for path in found.paths:
        plain.remove(path, ground=path.parents[1])
    for folder in {path.parent for path in found.paths}:
        sync_directory(folder)


def _quote(session_id: str) -> bytes:
    return json.dumps(session_id, ensure_ascii=False).encode("utf-8", "replace")


def _texts_of(record: SpoolRecord) -> Iterator[str]:
    text = record.payload.decode("utf-8", "replace")
    yield fold_words(text)
    with suppress(ValueError, RecursionError):
        yield from fold_all(json.loads(text))
