"""The file `index.yaml`: all runs at a glance, those that are packed away too.

A cache. It is made again from the folders and the archives wherever it is missing, damaged,
or does not name exactly the runs there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from agentx.host.documents.document import Fault
from agentx.host.documents.yaml_file import YAML, readings
from agentx.host.documents.yaml_rows import dump_rows
from agentx.host.files.atomic import replace_file, write_if_changed
from agentx.host.files.merged_lines import has_merge_marks
from agentx.host.files.plain import look, read_bytes
from agentx.kernel.clock import Millis, to_iso
from agentx.kernel.errors import CorruptRecord
from agentx.kernel.ids import RunId, digest
from agentx.kernel.paths import ProjectPaths
from agentx.runs.model import Run, RunEvent
from agentx.runs.pages.index import archive_entry, entries_in, entry, index_of, read_index
from agentx.runs.paths import RunsPaths
from agentx.runs.rules.fold import fold
from agentx.runs.store.archive import Archive


class IndexFile:
    """The index of one project's runs; `ids` gives those with a folder, `look` one of them.

    `read_packed` gives the events of one that is packed away.
    """

    def __init__(
        self,
        project: ProjectPaths,
        ids: Callable[[], tuple[RunId, ...]],
        look: Callable[[str], Run],
        read_packed: Callable[[str], Iterable[RunEvent]],
    ) -> None:
        self._paths = RunsPaths(project)
        self._archive = Archive(project)
        self._ids = ids
        self._look = look
        self._read_events = read_packed

    def read(self) -> dict[str, Any] | None:
        """Return the index as it was last written; None when it is missing or damaged."""
        try:
            raw = read_bytes(self._paths.index)
        except OSError:
            return None
        plain = read_index(raw.decode("ascii", "replace"))
        if dump_rows(plain) == raw:  # as most are: the library takes long to come
            return plain
        found = YAML.parse(raw)
        return None if isinstance(found, Fault) else found

    def list_archived(self) -> tuple[dict[str, Any], ...]:
        """Return the line of each run that is packed away, newest first, as the archives are."""
        there = frozenset(self._ids())
        packed = tuple(name for name in self._archive.ids() if name not in there)
        known = self._read_packed() if packed else {}
        return tuple(known.get(name) or self._line(name) for name in packed)

    def _read_packed(self) -> dict[str, dict[str, Any]]:
        """Return what the index says of packed runs; of two that clones wrote, the earlier."""
        with suppress(OSError):
            raw = read_bytes(self._paths.index)
            lines = [line for each in readings(raw) for line in entries_in(each, "archived")]
            lines.sort(key=lambda line: str(line.get("archived_at")), reverse=True)
            return {line["run_id"]: line for line in lines}
        return {}

    def put(self, run: Run) -> str:
        """Bring the line of a run up to date; make all of them again where one is missing.

        Return where the file was kept before, if git had left conflict marks in it.
        """
        aside = self._keep_marked()
        known = self.read()
        there = frozenset(self._ids())
        lines = {
            each["run_id"]: each
            for group in ("active", "completed")
            for each in entries_in(known, group)
            if each["run_id"] in there
        }
        if there - lines.keys() - {run.id}:
            self.rebuild({run.id: run})
            return aside
        lines[run.id] = entry(run)
        self._write(lines.values(), self.list_archived())
        return aside

    def _keep_marked(self) -> str:
        """Copy the file aside where git left conflict marks in it; return where that is."""
        try:
            found = read_bytes(self._paths.index)
        except OSError:
            return ""
        if not has_merge_marks(found):
            return ""
        name = f"index-{digest(repr(found)).hex()[:8]}.yaml"
        replace_file(self._paths.aside / name, found)
        return str((self._paths.aside / name).relative_to(self._paths.project.root))

    def rebuild(self, known: Mapping[str, Run]) -> None:
        """Make the index from the events of every run, and from the archives."""
        runs = (known.get(name) or self._look(name) for name in self._ids())
        self._write([entry(run) for run in runs if run.started], self.list_archived())

    def note_archived(self, run: Run, at_ms: Millis) -> str:
        """Move the line of a run to those that are packed away; return where it is packed."""
        known = self.read()
        others = [
            each
            for group in ("active", "completed")
            for each in entries_in(known, group)
            if each["run_id"] != run.id
        ]
        path = self._show(run.id)
        self._write(others, [*self.list_archived(), archive_entry(run, path, to_iso(at_ms))])
        return path

    def _line(self, run_id: str) -> dict[str, Any]:
        """Return the line of a packed run, from the archive itself."""
        path = self._archive.path(run_id)
        events: list[RunEvent] = []
        with suppress(CorruptRecord):
            events += self._read_events(run_id)
        # Nobody wrote down when: it was not later than this checkout got the archive.
        seen = look(path)
        at = to_iso(Millis(seen.st_mtime_ns // 1_000_000 if seen else 0))
        return archive_entry(fold(run_id, events), self._show(run_id), at)

    def _show(self, run_id: str) -> str:
        return str(self._archive.path(run_id).relative_to(self._paths.project.root))

    def _write(
        self, lines: Iterable[Mapping[str, Any]], archived: Iterable[Mapping[str, Any]]
    ) -> None:
        write_if_changed(self._paths.index, dump_rows(index_of(lines, archived)))
