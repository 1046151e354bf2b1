"""Where transcripts lie: a walk over a folder that follows no link.

A linked folder may lead anywhere, also in a circle, and what it holds is found where it
really is. Law: never raises; a folder that is missing or may not be read holds nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

from agentx.adapters.port import Transcript
from agentx.kernel.capture import Harness
from agentx.kernel.clock import Millis


def files_in(folder: Path, levels_max: int) -> Iterator[Path]:
    """Yield the files in a folder and in the folders below it, in order of their names."""
    try:
        if folder.is_symlink() or not folder.is_dir():
            return
        # An entry knows what it is: to ask the disk for each takes most of the time.
        with os.scandir(folder) as entries:
            found = sorted(entries, key=attrgetter("name"))
    except OSError:
        return
    for entry in found:
        try:
            if entry.is_symlink():
                continue
            is_file = entry.is_file()
        except OSError:
            continue
        if is_file:
            yield folder / entry.name
        elif levels_max > 0:
            yield from files_in(folder / entry.name, levels_max - 1)


def transcript_at(
    path: Path, harness: Harness, *, working_directory: str, session_id: str
) -> Transcript | None:
    """Return a file as a transcript, or None when it has gone meanwhile."""
    try:
        status = path.stat()
    except OSError:
        return None
    return Transcript(
        harness=harness,
        path=path,
        size_bytes=status.st_size,
        modified_ms=Millis(status.st_mtime_ns // 1_000_000),
        working_directory=working_directory,
        session_id=session_id,
    )
