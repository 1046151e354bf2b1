"""Signed lines of lessons that this checkout saw, held in the user's folder: git takes files back.

    <store>/held/lessons/<actor>/<stamp>-<writer>.jsonl

What a person taught, or took back, they did; a revert of the commit that holds it changes nothing
of that. A change is a file of its own that is never written again, so what is held is such a file
without the lines that nobody signed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.below.finding import find_files
from agentx.host.files.plain import look, read_bytes
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen

SIGNED = b'"sig"'  # stands in a line that somebody signed


@frozen(kw_only=False)
class HeldLessons:
    """What is held of the lessons of one checkout."""

    folder: Path
    events: Path  # where the files of events lie
    counts: Callable[[bytes], bool]  # whether somebody whose words count here signed a line

    def hold(self, files: Iterable[Path]) -> None:
        """Hold what is not held yet; what cannot be held now is held when it is seen next."""
        for file in files:
            there = self.folder / file.relative_to(self.events)
            if look(there) is None:
                with suppress(AgentXError, OSError):
                    lines = [line for line in _read(file) if SIGNED in line and self.counts(line)]
                    if lines:
                        make_private_directory(there.parent)
                        replace_file(there, _join(lines), is_synced=False)

    def list_missing(self) -> Iterator[tuple[Path, list[bytes]]]:
        """Yield the files of events out of which lines were taken that count, with these."""
        for there in find_files(self.folder, depth=1, suffix=".jsonl"):
            file = self.events / there.relative_to(self.folder)
            known = frozenset(_read(file))
            missing = [line for line in _read(there) if line not in known and self.counts(line)]
            if missing:
                yield file, missing

    def put_back(self) -> None:
        """Write into the files again what git took out of them.

        Raises: UnavailableError.
        """
        for file, missing in self.list_missing():
            replace_file(file, _join((*_read(file), *missing)))

    def stamp(self) -> str:
        """Return what changes when more is held; nothing where nothing is."""
        found = map(look, find_files(self.folder, depth=1, suffix=".jsonl"))
        size = sum(each.st_size for each in found if each is not None)
        return f":{size}" if size else ""


def _read(file: Path) -> list[bytes]:
    try:
        return [line for line in read_bytes(file).split(b"\n") if line.strip()]
    except FileNotFoundError:
        return []


def _join(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
