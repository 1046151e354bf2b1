"""What a person took out of the files of runs for good: known by digests of the lines.

Nothing brings those lines back here: no remote, no archive that was packed with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import exists, list_folder, read_bytes
from agentx.host.git.own_branch import OwnBranch
from agentx.kernel.errors import UnavailableError
from agentx.kernel.ids import digest
from agentx.kernel.paths import ProjectPaths
from agentx.runs.model import RunEvent
from agentx.runs.store.archive import leave_out, list_facts
from agentx.runs.store.event_files import events_in
from agentx.runs.store.kept.facts import MEMORY, PACKED, is_aside, is_fact, run_of
from agentx.runs.store.kept.made_of import leave_made
from agentx.runs.store.kept.notes import KeptNotes

_EVENTS = ".jsonl"


class LinesTakenOut:
    """The lines that were taken out of one checkout's runs."""

    def __init__(self, project: ProjectPaths, branch: OwnBranch, notes: KeptNotes) -> None:
        self._root = project.root
        self._packed = project.run_memory / "archive"
        self._branch = branch
        self._notes = notes

    def take_out(self, kept: dict[str, list[Any]]) -> set[str]:
        """Return by what is known what the branch holds and the folder does not: lines, files.

        That their pages are to be made without them is noted first.

        Raises: UnavailableError.
        """
        gone = tuple(self.list_gone(kept))
        files: dict[str, dict[str, str]] = {}
        for path, _ in gone:
            files.setdefault(run_of(path), {})[path] = kept[path][1]
        for run, below in files.items():
            self._notes.begin_unmade(run, below)
        return {sum_up_line(said) for _, said in (*gone, *self.list_gone_files(kept))}

    def list_unmade(self, run: str) -> tuple[RunEvent, ...]:
        """Return the events of a run that were taken out, while its pages may say them."""
        blobs = self._notes.read_unmade(run).values()
        forgotten = frozenset(self._notes.read().get("forgotten", ())) if blobs else frozenset()
        held: list[bytes] = []
        with suppress(UnavailableError):  # git keeps them no longer
            held += self._branch.read_blobs(blobs).values() if blobs else ()
        lines = (line for text in held for line in text.splitlines())
        gone = (line for line in lines if sum_up_line(line) in forgotten)
        return tuple(event for line in gone for event in events_in(line, run))

    def note_made(self, run: str) -> None:
        """Note that the pages of a run were made without what was taken out."""
        self._notes.end_unmade(run)

    def list_gone(self, kept: dict[str, list[Any]]) -> Iterator[tuple[str, bytes]]:
        """Yield the lines, each with its file, that the branch holds and the folder does not."""
        paths = [path for path in kept if path.endswith(_EVENTS)]
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

    def list_gone_files(self, kept: dict[str, list[Any]]) -> Iterator[tuple[str, bytes]]:
        """Yield what was kept aside that the branch holds and the folder does not."""
        is_lost = (each for each in kept if is_aside(each) and not exists(self._root / each))
        paths = tuple(is_lost)
        held: dict[str, bytes] = {}
        with suppress(UnavailableError):  # the branch is gone, as above
            held.update(self._branch.read_blobs(kept[path][1] for path in paths))
        yield from ((path, held[kept[path][1]]) for path in paths if kept[path][1] in held)

    def list_left_out(self, kept: dict[str, list[Any]]) -> tuple[str, ...]:
        """Return what the branch holds and was taken out here, as a whole file."""
        forgotten = self.list_forgotten()
        if not forgotten:
            return ()
        gone = self.list_gone_files(kept)
        return tuple(path for path, data in gone if sum_up_line(data) in forgotten)

    def leave(self, path: str, found: bytes) -> bytes:
        """Return what a file is without what was taken out."""
        return _leave(path, found, self.list_forgotten())

    def list_forgotten(self) -> frozenset[str]:
        """Return by what all is known that was taken out here."""
        return frozenset(self._notes.read().get("forgotten", ()))

    def brings(self, mine: str, theirs: str, let: frozenset[str]) -> bool:
        """Tell whether a commit of the branch changes facts of another, but for lines `let`.

        Others have those lines still, and brought them back once they were pushed without.

        Raises: UnavailableError.
        """
        ours, others = (self._list_facts(each) for each in (mine, theirs))
        differ = {path for path, _ in ours.items() ^ others.items()}
        blobs = (files[path] for path in differ for files in (ours, others) if path in files)
        held = self._branch.read_blobs(blobs)
        return any(
            path not in others
            or _list_said(path, held.get(ours.get(path, ""), b""))
            != _list_said(path, held[others[path]], let)
            for path in differ
        )

    def _list_facts(self, commit: str) -> dict[str, str]:
        rows = self._branch.list_files(commit, MEMORY)
        return {path: row.blob for path, row in rows.items() if is_fact(path)}

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


def _list_said(path: str, found: bytes, let: frozenset[str] = frozenset()) -> set[bytes]:
    """Return the lines of a file, or of all in an archive but what is made, without what was let.

    What is made of what was let goes before that does.
    """
    if not path.endswith(PACKED):
        return set(_leave(path, found, let).splitlines())
    files = _leave_gone(leave_made(run_of(path), list_facts(found)), let)
    return {line for text in files.values() for line in text.splitlines()}


def _leave(path: str, found: bytes, forgotten: frozenset[str]) -> bytes:
    """Return what a file is without what is known so."""
    if not forgotten:
        return found
    if path.endswith(PACKED):
        run = run_of(path)
        return leave_out(run, found, lambda files: _leave_facts(run, files, forgotten))
    if path.endswith(_EVENTS):
        return _leave_lines(found, forgotten)
    return b"" if sum_up_line(found) in forgotten else found


def _leave_facts(
    run_id: str, files: dict[str, bytes], forgotten: frozenset[str]
) -> dict[str, bytes]:
    """Return the files of a packed run without what is gone, and without what that had made."""
    is_whole = _leave_gone(files, forgotten) == files
    return files if is_whole else _leave_gone(leave_made(run_id, files), forgotten)


def _leave_gone(files: dict[str, bytes], forgotten: frozenset[str]) -> dict[str, bytes]:
    return {
        name: _leave_lines(data, forgotten) if name.endswith(_EVENTS) else data
        for name, data in files.items()
        if name.endswith(_EVENTS) or sum_up_line(data) not in forgotten
    }


def _leave_lines(text: bytes, forgotten: frozenset[str]) -> bytes:
    lines = text.splitlines(keepends=True)
    return b"".join(each for each in lines if sum_up_line(each.rstrip(b"\n")) not in forgotten)


def sum_up_line(line: bytes) -> str:
    """Return what a line is known by."""
    return digest(repr(line)).hex()
