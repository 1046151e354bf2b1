"""Every fact of a project into one file: the log with its keys, and the files of its rooms.

The log is opened for reading only, so a daemon may go on. In a store that several projects share,
the log is that of all of them; the files are this project's.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from agentx import __version__
from agentx.conversation.store.soundness import check_log
from agentx.host.files.journal import Journal
from agentx.host.files.parcel import Record, sweep_unfinished, write_parcel
from agentx.host.files.plain import exists, list_folder
from agentx.host.kv.folder import has_store
from agentx.host.kv.port import Family
from agentx.host.kv.rocks import RocksStore, open_rocks
from agentx.kernel.clock import to_iso
from agentx.kernel.errors import CorruptRecord, InvalidValue
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.wiring.keeping.carrying import FILE, TOMBSTONES, list_files, list_lines, list_rows
from agentx.wiring.keeping.lost import tombstone_file

KIND = "export"
_SET_ASIDE = ("replaced-", "db.damaged-")  # by a restore, by a mending


@frozen
class Exported:
    """An export that was written."""

    path: Path
    bytes: int
    events: int
    files: int
    is_sealed: bool


def export_memory(project: Project, path: Path, *, passphrase: str = "") -> Exported:
    """Write every fact into a file that was not there, for this user only.

    Raises: InvalidValue when there is such a file, or nothing to write; CorruptRecord when the
        log is damaged; UnavailableError when the disk refuses: no file is left then.
    """
    if path.exists() or path.is_symlink():
        raise InvalidValue(f"{path}: is there already", hint="name a file that is not there yet")
    if not path.parent.is_dir():
        raise InvalidValue(f"{path.parent}: no such folder", hint="make it, or name another")
    sweep_exports(project)
    sweep_unfinished(path.parent, path.name)
    _note(project, path, "begun")
    kv = open_rocks(project.store.db, project.clock, read_only=True) if _has_log(project) else None
    try:
        events = 0 if kv is None else _count_events(kv)
        counted = {"files": 0}
        about = {
            "kind": KIND,
            "made": to_iso(project.clock.now_ms()),
            "agentx": __version__,
            "project": project.id,
            "store": "unified" if project.store.shared_by else "project",
            "events": events,
        }
        size = write_parcel(path, about, _records(project, kv, counted), passphrase=passphrase)
    finally:
        if kv is not None:
            kv.close()
    _note(project, path, "path")
    return Exported(
        path=path, bytes=size, events=events, files=counted["files"], is_sealed=bool(passphrase)
    )


def list_exports(project: Project) -> tuple[str, ...]:
    """Return where exports of this project's memory were written: they are beyond forgetting."""
    return tuple(str(path) for path in _list_noted(project, "path"))


def list_set_aside(project: Project) -> tuple[str, ...]:
    """Return what a restore or a mending put aside of this memory: the user's to keep or remove."""
    names = list_folder(project.store.root).folders if exists(project.store.root) else ()
    aside = (name for name in names if name.startswith(_SET_ASIDE))
    return tuple(str(project.store.root / name) for name in aside)


def sweep_exports(project: Project) -> int:
    """Remove what exports left behind that were killed; return how many files that were."""
    return sum(sweep_unfinished(path.parent, path.name) for path in _list_noted(project, "begun"))


def _list_noted(project: Project, what: str) -> tuple[Path, ...]:
    noted = Journal(project.store.exports, project.clock).records()
    found = (each.get(what) for each in noted if isinstance(each, dict))
    return tuple(dict.fromkeys(Path(each) for each in found if isinstance(each, str)))


def _note(project: Project, path: Path, what: str) -> None:
    said = {"at": to_iso(project.clock.now_ms()), what: str(path.absolute())}
    Journal(project.store.exports, project.clock).append([said])


def _has_log(project: Project) -> bool:
    return has_store(project.store.db)


def _count_events(kv: RocksStore) -> int:
    """Return how many events can be read, after trying each."""
    sound = check_log(kv)
    if sound.broken_count or sound.sessions_broken:
        raise CorruptRecord(
            f"{sound.broken_count:,} events cannot be opened",
            hint="`agentx doctor --fix` mends the log; export it then",
        )
    return sound.events - sound.forgotten


def _records(project: Project, kv: RocksStore | None, counted: dict[str, int]) -> Iterator[Record]:
    if kv is not None:
        yield from list_rows(kv, tuple(Family))
    for record in chain(list_files(project), list_lines(TOMBSTONES, tombstone_file(project))):
        counted["files"] += record[0] == FILE and bool(record[-1])
        yield record
