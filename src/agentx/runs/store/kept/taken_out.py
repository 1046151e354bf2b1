"""What a person took out of the files of runs for good: known by digests of the lines.

Nothing brings those lines back here: no remote, no archive that was packed with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import list_folder, read_bytes
from agentx.host.git.own_branch import OwnBranch
from agentx.kernel.errors import UnavailableError
from agentx.kernel.ids import digest
from agentx.kernel.paths import ProjectPaths
from agentx.runs.model import RunEvent
from agentx.runs.store.archive import leave_out
from agentx.runs.store.event_files import events_in
from agentx.runs.store.kept.facts import MEMORY, PACKED, is_fact, run_of
from agentx.runs.store.kept.notes import KeptNotes


class LinesTakenOut:
    """The lines that were taken out of one checkout's runs."""

    def __init__(self, project: ProjectPaths, branch: OwnBranch, notes: KeptNotes) -> None:
        self._root = project.root
        self._packed = project.run_memory / "archive"
        self._branch = branch
        self._notes = notes

    def list_events(self) -> dict[str, tuple[RunEvent, ...]]:
        """Return the events of each run that the branch holds and the folder does not."""
        found: dict[str, tuple[RunEvent, ...]] = {}
        for path, line in self.list_gone(self._notes.read().get("facts", {})):
            run = run_of(path)
            found[run] = (*found.get(run, ()), *events_in(line, run))
        return found

    def list_gone(self, kept: dict[str, list[Any]]) -> Iterator[tuple[str, bytes]]:
        """Yield the lines, each with its file, that the branch holds and the folder does not."""
        paths = [path for path in kept if path.endswith(".jsonl")]
        try:
            held = self._branch.read_blobs(kept[path][1] for path in paths)
        except UnavailableError:  # the branch is gone, and nothing can be brought back from it
            return
        here: set[bytes] = set()
        for path in paths:
            with suppress(OSError):
                here.update(read_bytes(self._root / path).splitlines())
        for path in paths:
            gone = (line for line in held[kept[path][1]].splitlines() if line not in here)
            yield from ((path, line) for line in gone)

    def leave(self, path: str, found: bytes) -> bytes:
        """Return what a file is without the lines that were taken out."""
        forgotten = frozenset(self._notes.read().get("forgotten", ()))
        if not forgotten or not path.endswith((".jsonl", PACKED)):
            return found

        def leave(text: bytes) -> bytes:
            lines = text.splitlines(keepends=True)
            kept = (each for each in lines if sum_up_line(each.rstrip(b"\n")) not in forgotten)
            return b"".join(kept)

        return leave_out(run_of(path), found, leave) if path.endswith(PACKED) else leave(found)

    def clean_packed(self) -> None:
        """Take the lines out of the archives as well: a run is packed with what its own holds.

        Raises: UnavailableError.
        """
        for name in list_folder(self._packed).files:
            path = f"{MEMORY}/archive/{name}"
            if is_fact(path):
                packed = read_bytes(self._root / path)
                left = self.leave(path, packed)
                if left != packed:
                    replace_file(self._root / path, left)


def sum_up_line(line: bytes) -> str:
    """Return what a line is known by."""
    return digest(repr(line)).hex()
