"""How far each transcript has been read: a cache that only saves work.

Lost or damaged, everything is read again, and identity keeps it from coming twice. So it need not
be on disk after each transcript: of who is killed the last few are read again.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from agentx.adapters.port import Transcript
from agentx.capture.limits import CURSORS_STEP_BYTES
from agentx.host.files.atomic import replace_file


class _Mark(msgspec.Struct, frozen=True):
    size_bytes: int
    modified_ms: int


class _Document(msgspec.Struct):
    version: int = 1
    files: dict[str, _Mark] = {}


class Cursors:
    """Which transcripts were read whole, as they were then."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._document = _load(path)
        self._unwritten_bytes = 0  # of the transcripts that were read since it was written
        # The project of each working directory met in this import: asking git once is enough.
        self.projects: dict[str, str] = {}

    def is_read(self, transcript: Transcript) -> bool:
        """Tell whether a transcript was read and has not changed since."""
        return self._document.files.get(_name(transcript)) == _mark(transcript)

    def mark_read(self, transcript: Transcript) -> None:
        """Note that a transcript was read whole; on disk after `write`, or now and then."""
        self._document.files[_name(transcript)] = _mark(transcript)
        self._unwritten_bytes += max(1, transcript.size_bytes)
        if self._unwritten_bytes >= CURSORS_STEP_BYTES:
            self.write()

    def write(self) -> None:
        """Have on disk what was noted."""
        if self._unwritten_bytes:
            replace_file(self._path, msgspec.json.encode(self._document))
            self._unwritten_bytes = 0


def _load(path: Path) -> _Document:
    try:
        document = msgspec.json.decode(path.read_bytes(), type=_Document)
    except (OSError, msgspec.MsgspecError):
        return _Document()
    return document if document.version == 1 else _Document()


def _name(transcript: Transcript) -> str:
    return f"{transcript.path}#{transcript.session_id}"


def _mark(transcript: Transcript) -> _Mark:
    return _Mark(size_bytes=transcript.size_bytes, modified_ms=transcript.modified_ms)
