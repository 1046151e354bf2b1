"""What the next commit of the branch changes: files that are others than when it was last made."""

from __future__ import annotations

from _sha1 import sha1  # type: ignore[import-not-found]  # as hashlib's, which loads OpenSSL
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from agentx.host.files.below.walking import measure_files
from agentx.host.files.plain import exists, look, read_bytes
from agentx.host.git.own_branch import StoredFile
from agentx.runs.settings import BRANCH
from agentx.runs.store.kept.facts import MEMORY, PACKED, is_fact, is_kept

_SHA1_CHARS = 40


class KeptDraft:
    """What the next commit changes; `known` is what it holds, where no file was looked at yet."""

    def __init__(
        self, root: Path, note: dict[str, Any], known: Mapping[str, StoredFile] | None = None
    ) -> None:
        self._root = root
        self._known = known or {}
        self._facts: dict[str, list[Any]] = note.get("facts", {})
        self._rest: dict[str, list[int]] = dict(note.get("rest", {}))
        self.files: dict[str, bytes | None] = dict.fromkeys(note.get("gone", ()))
        self.seen: dict[str, dict[str, list[int]]] = {}

    def add_run(self, run_id: str, before: dict[str, list[int]], *, leaves: bool) -> None:
        """Add the files of a run that are others than before."""
        folder = f"{MEMORY}/runs/{run_id}"
        if not exists(self._root / folder):
            if leaves and (before or self._has(folder)):
                self.files[folder] = None
            return
        measured = measure_files(self._root / folder)
        now = self._add_changed({f"{folder}/{name}": row for name, row in measured.items()}, before)
        held = {path for path in self._known if path.startswith(f"{folder}/")}
        for path in (before.keys() | held) - now.keys():
            if not is_fact(path):  # a fact that is gone is brought back
                self.files[path] = None
        self.seen[run_id] = now

    def add_rest(self) -> None:
        """Add what belongs to no folder of a run: packed runs, the index, what was kept aside."""
        memory = self._root / MEMORY
        found = {
            f"{MEMORY}/{folder}/{name}": row
            for folder, suffix in (("archive", PACKED), ("aside", ""))
            for name, row in measure_files(memory / folder).items()
            if name.endswith(suffix) and is_fact(f"{MEMORY}/{folder}/{name}")
        }
        index = look(memory / "index.yaml")
        if index is not None:
            found[f"{MEMORY}/index.yaml"] = [index.st_size, index.st_mtime_ns]
        self._rest = self._add_changed(found, self._rest)

    def _add_changed(
        self, files: Mapping[str, list[int]], before: dict[str, list[int]]
    ) -> dict[str, list[int]]:
        now: dict[str, list[int]] = {}
        for path, row in files.items():
            if not is_kept(path) or ("/aside/" in path and not is_fact(path)):
                continue
            now[path] = row
            if before.get(path) != row:
                with suppress(FileNotFoundError):
                    data = read_bytes(self._root / path)
                    now[path] = [len(data), row[1]]
                    known = self._known.get(path)
                    if known is None or known.blob != name_blob(data, len(known.blob)):
                        self.files[path] = data
        return now

    @property
    def has_news(self) -> bool:
        """Whether facts are among what changes, or something goes."""
        return any(data is None or is_fact(path) for path, data in self.files.items())

    def _has(self, folder: str) -> bool:
        return any(path.startswith(f"{folder}/") for path in self._facts)

    def note_done(self, note: dict[str, Any], commit: str) -> None:
        """Note what the branch holds now."""
        gone = tuple(path for path, data in self.files.items() if data is None)
        facts = {
            path: row
            for path, row in self._facts.items()
            if path not in gone and not path.startswith(tuple(f"{each}/" for each in gone))
        }
        for path, data in self.files.items():
            if data is not None and is_fact(path):
                facts[path] = [len(data), name_blob(data, len(commit))]
        note.update({"commit": commit, "facts": facts, "rest": self._rest, "kept": BRANCH})
        note.pop("gone", None)


def name_blob(data: bytes, chars: int) -> str:
    """Return the id that git gives a content, in a repository whose ids have so many letters."""
    kind = sha1
    if chars != _SHA1_CHARS:
        from hashlib import sha256 as kind  # noqa: PLC0415  few repositories are of that kind
    return str(kind(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest())
