"""An export laid out beside, verified, and then swapped in: whole, or not at all.

    restoring-<id>/      db/ and the files of the store, read from the export and verified
    .agentx.restoring-<id>/, .agent-memory.restoring-<id>/     beside their places in the project
    restoring.json       written when all of that is on disk: from here on the swap is finished,
                         by this process or, when it was killed, by the next `agentx doctor --fix`
    replaced-<id>/       what was there before

Until `restoring.json` is written nothing has changed.
"""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

from agentx.conversation.store.relaying import drop_stray_keys, read_sessions, relay_log
from agentx.conversation.store.soundness import LogSoundness, check_log
from agentx.host.crash import CrashPoint, passing
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.disk import refusal_of, sync_directory, write_all
from agentx.host.files.json_text import line_of, parse_json
from agentx.host.files.parcel import Parcel, Record
from agentx.host.files.swap import put_in_place
from agentx.host.kv.claim import claiming
from agentx.host.kv.folder import has_store
from agentx.host.kv.port import Batch, Family, KeyValue
from agentx.host.kv.rocks import open_rocks
from agentx.kernel.errors import ConflictError, CorruptRecord, InvalidValue
from agentx.kernel.ids import ProjectId, project_id
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.wiring.keeping import backup
from agentx.wiring.keeping.carrying import (
    FILE,
    HELD_FOLDER,
    ROW,
    SETTLED,
    TOMBSTONES,
    VIEW_FOLDERS,
    FilePart,
    check_file,
    check_row,
)
from agentx.wiring.keeping.export import KIND
from agentx.wiring.keeping.facts import FactPlace, list_fact_files
from agentx.wiring.keeping.keyring import Keys, load_keys
from agentx.wiring.keeping.lost import has_tombstones, tombstone_file
from agentx.wiring.keeping.salvage import mint_free
from agentx.wiring.keeping.tombstones import (
    Tombstones,
    bury_again,
    forget_observations_in,
    forget_questions_in,
    read_tombstones,
)

_BATCH_BYTES = 8 * 1024 * 1024
_WORK = "restoring-"
_FOLDERS = (".agentx", ".agent-memory")


@frozen
class Restored:
    """A memory that was read back."""

    events: int
    forgotten: int  # that stay away, because they were forgotten since
    files: int
    made: str  # when the export was
    aside: Path | None  # what was there before
    is_settled: bool  # index and files are of one moment


def name_project(path: Path, *, passphrase: str = "") -> ProjectId:
    """Return the id of the project that an export is of.

    Raises: InvalidValue, DataError for a file that is none of ours.
    """
    with closing(Parcel(path, passphrase=passphrase)) as parcel:
        return project_id(str(parcel.about.get("project", "")))


def has_memory(project: Project) -> bool:
    """Tell whether there is something that a restore would replace."""
    return has_store(project.store.db) or next(iter(list_fact_files(project)), None) is not None


def restore_memory(project: Project, path: Path, *, passphrase: str = "") -> Restored:
    """Put an export in the place of a project's memory; what was there is kept aside.

    Raises: InvalidValue, DataError for a file that is not whole or not ours: nothing has changed
        then. LockHeld when the store is open in another process, UnavailableError.
    """
    if project.store.restoring.exists():
        raise ConflictError(
            "a restore was interrupted", hint="`agentx doctor --fix` finishes it; try again then"
        )
    sweep_restoring(project)
    is_new = not (has_store(project.store.db) or has_tombstones(project))
    parcel = Parcel(path, passphrase=passphrase)
    mark = mint_free(project, "replaced-")
    try:
        _check_about(project, parcel.about)
        laid = _Laying(project, mark)
        if parcel.about.get("kind") == backup.KIND:
            laid.use_keys(load_keys(project))
        laid.lay(parcel)
        passing(CrashPoint.RESTORE_LAID)
        laid.take_tombstones(is_new=is_new)
        laid.verify()  # before anything is laid again around events that cannot be opened
        forgotten = laid.forget_again(read_tombstones(project))
        events = laid.verify()
        steps = laid.steps()
    except BaseException:
        _remove_laid(project, mark)
        raise
    finally:
        parcel.close()
    replace_file(project.store.restoring, line_of({"id": mark, "steps": steps}) + b"\n")
    passing(CrashPoint.RESTORE_BEGUN)
    finish_restoring(project)
    aside = project.store.root / f"replaced-{mark}"
    return Restored(
        events=events,
        forgotten=forgotten + laid.closed,
        files=laid.files,
        made=str(parcel.about.get("made", "")),
        aside=aside if aside.is_dir() and any(aside.iterdir()) else None,
        is_settled=laid.is_settled,
    )


def finish_restoring(project: Project) -> bool:
    """Swap in what was laid out; tell whether there was something to finish.

    Raises: LockHeld, UnavailableError; to be called again then.
    """
    noted = project.store.restoring
    try:
        said = parse_json(noted.read_bytes())
        steps = [(Path(new), Path(place), Path(aside)) for new, place, aside in said["steps"]]
        mark = str(said["id"])
    except FileNotFoundError:
        return False
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CorruptRecord(f"{noted}: cannot be read: {error}", hint="remove it") from error
    make_private_directory(project.store.root / f"replaced-{mark}")
    with claiming(project.store.db):
        for new, place, aside in steps:
            if new.exists():
                put_in_place(new, place, aside)
                passing(CrashPoint.RESTORE_PARTLY_SWAPPED)
        # Of another log; they are made again.
        for path in (project.store.digest_stamp, project.store.import_cursors):
            path.unlink(missing_ok=True)
    _take_aside(project, mark, steps)
    _remove_laid(project, mark)
    noted.unlink(missing_ok=True)
    sync_directory(noted.parent)
    return True


def sweep_restoring(project: Project) -> None:
    """Remove what a restore left that was killed before it had begun to swap."""
    if project.store.restoring.exists():
        return
    for root, pattern in (
        (project.store.root, f"{_WORK}*"),
        *((project.root, f"{folder}.{_WORK}*") for folder in _FOLDERS),
    ):
        for folder in root.glob(pattern):
            shutil.rmtree(folder, ignore_errors=True)


def _take_aside(project: Project, mark: str, steps: list[tuple[Path, Path, Path]]) -> None:
    """Bring what stepped aside in the repository to the rest of it, out of people's way."""
    to = project.store.root / f"replaced-{mark}"
    for _, _, aside in steps:
        if aside.exists() and aside.parent != to:
            shutil.move(str(aside), str(to / aside.name.partition(".replaced-")[0]))


def _remove_laid(project: Project, mark: str) -> None:
    for folder in (
        project.store.root / f"{_WORK}{mark}",
        *(project.root / f"{folder}.{_WORK}{mark}" for folder in _FOLDERS),
    ):
        shutil.rmtree(folder, ignore_errors=True)


def _check_about(project: Project, about: dict[str, Any]) -> None:
    if about.get("kind") not in (KIND, backup.KIND):
        raise InvalidValue("that file is no export", hint="name one that `agentx export` wrote")
    of = about.get("project")
    if of != project.id:
        raise InvalidValue(
            f"the export is of the project {of}, and this is {project.id}",
            hint=f"let this folder be that project: agentx config set --here project.id {of}",
        )


class _Laying:
    """An export being laid out beside."""

    def __init__(self, project: Project, mark: str) -> None:
        self._project = project
        self._mark = mark
        self._work = project.store.root / f"{_WORK}{mark}"
        self.files = 0
        self.is_settled = False
        self.closed = 0  # facts of a backup whose key is gone: they were forgotten
        self._held: Keys = {}
        self._observations: dict[str, list[Any]] = {}
        self._opened: tuple[Path, int] | None = None
        make_private_directory(self._work)

    def use_keys(self, held: Keys) -> None:
        """Open sealed facts with these."""
        self._held = held

    def lay(self, parcel: Parcel) -> None:
        """Write every record where it belongs beside.

        Raises: DataError, UnavailableError.
        """
        kv = open_rocks(self._work / "db", self._project.clock)
        batch = Batch()
        size = 0
        try:
            for carried in parcel.records():
                record = self._open(carried)
                if record is None:
                    continue
                if record[:1] == [ROW]:
                    family, key, value = check_row(record)
                    batch.put(family, key, value)
                    size += len(key) + len(value)
                    if size >= _BATCH_BYTES:
                        kv.write(batch, sync=False)
                        batch, size = Batch(), 0
                elif record[:1] == [FILE]:
                    self._lay_part(check_file(record))
                elif record == [SETTLED]:
                    self.is_settled = True
                else:
                    raise CorruptRecord("the file holds what this AgentX does not know")
            kv.write(batch, sync=True)
            if self._opened is not None:
                raise CorruptRecord("a file in the file has no end", hint="use another copy")
            if parcel.about.get("kind") == backup.KIND:
                self._complete(kv)
        except OSError as error:
            raise refusal_of(self._work, error) from error
        finally:
            kv.close()

    def _open(self, record: Record) -> Record | None:
        """Return a record that may be laid; None for what was forgotten, or waits for its file."""
        if record[:1] == [backup.SEALED]:
            opened = backup.open_sealed(record, self._held)
            if opened is None:
                self.closed += 1
                return None
            record = opened
        match record:
            case [backup.OBSERVATION, str(name), bytes(said)]:
                self._observations.setdefault(name, []).append(parse_json(said))
                return None
            case _:
                return record

    def _complete(self, kv: KeyValue) -> None:
        """Give a log from a backup its keys, and the files of observations what they held."""
        batch = Batch()
        for key, held in self._held.items():
            if key.startswith((b"kev:", b"kse:")):
                batch.put(Family.KEYS, key, held.key)
        kv.write(batch)
        drop_stray_keys(kv)
        _refuse_broken(check_log(kv))
        relay_log(kv, read_sessions(kv), {}, is_backup=True)
        for name, observations in self._observations.items():
            place = FactPlace.PROJECT if name.startswith(".agentx/") else FactPlace.STORE
            part = FilePart(
                place=place, name=name, mode=0o600, changed_ns=0, part=b"", is_last=True
            )
            target = self._place_of(part)
            if target.is_file():
                joined = backup.join_observations(target.read_bytes(), observations)
                replace_file(target, joined)

    def take_tombstones(self, *, is_new: bool) -> None:
        """Know from now on what was forgotten where the export was made, in a home that `is_new`.

        Who has a memory here already keeps what they know: no file forgets anything of theirs.

        Raises: CorruptRecord for what are no tombstones.
        """
        laid = self._work / "store" / TOMBSTONES
        if laid.is_file() and is_new:
            read_tombstones(self._project, laid)
            make_private_directory(self._project.data.tombstones)
            replace_file(tombstone_file(self._project), laid.read_bytes())
        laid.unlink(missing_ok=True)

    def forget_again(self, gone: Tombstones) -> int:
        """Forget what was forgotten since the file was written; return how many events."""
        kv = open_rocks(self._work / "db", self._project.clock)
        try:
            count = bury_again(self._project, kv, gone)
        finally:
            kv.close()
        own = self._project.root / f".agentx.{_WORK}{self._mark}"
        lines = self._project.store.lines_held.relative_to(self._project.store.root) / "questions"
        count += forget_questions_in(self._project, own, self._work / "store" / lines, gone)
        for memory in (own / "memory", self._work / "store" / "private" / "memory"):
            count += forget_observations_in(self._project, memory, gone)
        if count:
            self.is_settled = False
            for name in VIEW_FOLDERS:
                shutil.rmtree(self._work / "store" / name, ignore_errors=True)
        return count

    def verify(self) -> int:
        """Open every event that was laid out; return how many there are.

        Raises: CorruptRecord.
        """
        kv: KeyValue = open_rocks(self._work / "db", self._project.clock, read_only=True)
        try:
            sound = check_log(kv)
        finally:
            kv.close()
        _refuse_broken(sound)
        return sound.events - sound.forgotten

    def steps(self) -> list[tuple[str, str, str]]:
        """Return what changes places with what: new, place, and where the old one goes."""
        store, root = self._project.store, self._project.root
        aside = store.root / f"replaced-{self._mark}"
        steps = [(self._work / "db", store.db, aside / "db")]
        of_store = self._work / "store"
        for name in (*VIEW_FOLDERS, HELD_FOLDER):
            make_private_directory(of_store / name)  # what is not carried must not stay either
        steps += [
            (new, store.root / new.name, aside / new.name) for new in sorted(of_store.iterdir())
        ]
        for folder in _FOLDERS:
            new = root / f"{folder}.{_WORK}{self._mark}"
            if new.is_dir():
                steps.append((new, root / folder, root / f"{folder}.replaced-{self._mark}"))
        return [(str(new), str(place), str(old)) for new, place, old in steps]

    def _lay_part(self, carried: FilePart) -> None:
        target = self._place_of(carried)
        if self._opened is not None and self._opened[0] != target:
            raise CorruptRecord("a file in the file has no end", hint="use another copy")
        if self._opened is None:
            make_private_directory(target.parent)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            self._opened = target, os.open(target, flags, 0o600)
        descriptor = self._opened[1]
        write_all(descriptor, carried.part)
        if not carried.is_last:
            return
        os.fchmod(descriptor, carried.mode)
        os.utime(descriptor, ns=(carried.changed_ns, carried.changed_ns))
        os.fsync(descriptor)
        os.close(descriptor)
        self._opened = None
        self.files += 1

    def _place_of(self, carried: FilePart) -> Path:
        if carried.place is FactPlace.STORE:
            return self._work / "store" / carried.name
        folder, _, rest = carried.name.partition("/")
        if not rest:
            raise CorruptRecord(f"{carried.name}: is a folder of ours", hint="use another copy")
        return self._project.root / f"{folder}.{_WORK}{self._mark}" / rest


def _refuse_broken(sound: LogSoundness) -> None:
    if sound.broken_count or sound.sessions_broken or sound.unlisted:
        raise CorruptRecord(
            f"{sound.broken_count:,} events of the file cannot be opened",
            hint="use another copy of the file; nothing was changed",
        )
