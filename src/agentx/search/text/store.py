"""Generations of an index: a new one is built beside the old one and takes its place in one step.

    bm25-index/
      current            the name of the generation that answers
      writer.lock        held by the one process that may write
      g-0001/            version.json  mark.json  passages/  windows/  chapters/  kept/
      g-0002/            being built; nobody reads it yet

Readers keep the generation they opened until `current` names another one. What a crash
left half-built is swept away by the next builder.

Law: `current` names only generations whose mark says what they hold.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from agentx.host.crash import CrashPoint, passing
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.disk import sync_directory
from agentx.host.files.json_text import line_of, parse_json
from agentx.host.files.plain import remove_tree
from agentx.host.limits import LOCK_POLL_MS
from agentx.host.locks.flock import Flock
from agentx.kernel.clock import Clock
from agentx.kernel.errors import IndexUnavailable, LockHeld
from agentx.kernel.text import compile_late
from agentx.search.limits import SEARCH_WRITER_WAIT_MS
from agentx.search.paths import GenerationPaths, IndexPaths

_LOCKS = (".tantivy-meta.lock", ".tantivy-writer.lock")  # written by who only reads, too

_GENERATION = compile_late(r"g-([0-9]{4,12})")
_HINT = "it is rebuilt from the log by `agentx rebuild search`"


class IndexStore:
    """The generations in one folder."""

    def __init__(self, root: Path, *, version: int) -> None:
        self.paths = IndexPaths(root)
        self._version = version
        self._held: Flock | None = None

    def current(self) -> GenerationPaths:
        """Return the generation that answers.

        Raises: IndexUnavailable when there is none, or none that this version can read.
        """
        name = self.current_name()
        if name is None:
            raise IndexUnavailable(f"{self.paths.root}: there is no search index yet", hint=_HINT)
        generation = GenerationPaths(self.paths.root / name)
        found = _read(generation.version)
        if not isinstance(found, dict) or found.get("version") != self._version:
            raise IndexUnavailable(
                f"{generation.root}: the search index is of another version", hint=_HINT
            )
        return generation

    def current_name(self) -> str | None:
        """Return the name of the generation that answers, if there is one."""
        try:
            name = self.paths.current.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return None
        return name if _GENERATION.fullmatch(name) else None

    def begin(self) -> GenerationPaths:
        """Make the folder of a new generation; to be called by the writer only.

        Raises: UnavailableError when the disk refuses.
        """
        make_private_directory(self.paths.root)
        self._sweep()
        number = max((number for number, _ in self._generations()), default=0) + 1
        generation = self.paths.generation(number)
        make_private_directory(generation.root)
        replace_file(generation.version, line_of({"version": self._version}))
        return generation

    def adopt(self, generation: GenerationPaths) -> None:
        """Let a generation answer from now on, and remove the others."""
        replace_file(self.paths.current, generation.root.name.encode())
        passing(CrashPoint.INDEX_REPLACED)
        self._sweep()

    def sweep_left(self, clock: Clock) -> None:
        """Remove generations that somebody left who died; not while another process writes.

        They hold what was in the index then, and that may be forgotten meanwhile.
        """
        current = self.current_name()
        if any(folder.name != current for _, folder in self._generations()):
            with suppress(LockHeld):
                self.claim(clock, wait_ms=0)
                self._sweep()
                self.release()

    def mark(self, generation: GenerationPaths) -> Any:
        """Return what the owner noted at the last commit, or None."""
        return _read(generation.mark)

    def set_mark(self, generation: GenerationPaths, mark: object) -> None:
        """Note how far the owner has come."""
        replace_file(generation.mark, line_of(mark))

    def write(self, path: Path, data: bytes) -> None:
        """Write a file of a generation, whole or not at all; to be called by the writer only."""
        replace_file(path, data)

    def settle(self, path: Path) -> int:
        """Make a file durable that a library wrote; return its size."""
        with path.open("rb") as file:
            os.fsync(file.fileno())
        sync_directory(path.parent)
        return path.stat().st_size

    def claim(self, clock: Clock, wait_ms: int = SEARCH_WRITER_WAIT_MS) -> None:
        """Become the one writer, until `release`. Claiming again changes nothing.

        Raises: LockHeld when another process is, and does not end in time.
        """
        if self._held is not None:
            return
        make_private_directory(self.paths.root)
        until = clock.now_ms() + wait_ms
        while True:
            self._held = Flock.claim(self.paths.writer_lock)
            if self._held is not None:
                return
            if clock.now_ms() >= until:
                raise LockHeld(
                    f"{self.paths.root}: another process is writing to the search index",
                    hint="try again; the lock is free when that process ends",
                )
            clock.sleep_ms(LOCK_POLL_MS)

    def release(self) -> None:
        """Be the writer no longer."""
        held, self._held = self._held, None
        if held is not None:
            held.release()

    def _sweep(self) -> None:
        """Remove every generation that does not answer; readers keep what they have open."""
        kept = self.current_name()
        for _, folder in self._generations():
            if folder.name != kept:
                with suppress(OSError):  # the next one to look tries again
                    remove_tree(folder)

    def _generations(self) -> list[tuple[int, Path]]:
        found = []
        for path in self.paths.root.iterdir():
            match = _GENERATION.fullmatch(path.name)
            if match is not None:
                found.append((int(match[1]), path))
        return found


def bytes_in(folder: Path) -> int:
    """Return what the files below a folder weigh."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return total


def _read(path: Path) -> Any:
    try:
        return parse_json(path.read_bytes())
    except (OSError, ValueError):
        return None


def open_aside(folder: Path) -> Path | None:
    """Return a folder of ours through which one is read that takes nothing; None where it does."""
    if os.access(folder, os.W_OK) or not folder.is_dir():
        return None
    from agentx.host.files.aside import lead_aside  # noqa: PLC0415  hardly any index needs it

    return lead_aside(folder, without=_LOCKS)


def leave_aside(folder: Path) -> None:
    """Take such a folder away."""
    from agentx.host.files.aside import remove_aside  # noqa: PLC0415  see above

    remove_aside(folder)
