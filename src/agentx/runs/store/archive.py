"""Runs packed away: one compressed file each, checked before the folder goes.

    pack      write beside, sync, read back and compare every file, then name it
    unpack    the folder again, as it was

The same folder gives the same bytes on every machine, so two clones that pack the same run
do not conflict. A run that came back, by a merge say, is packed together with what the
archive holds already, files of events line by line: nothing that was packed is ever lost.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from agentx.host.crash import CrashPoint, passing
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.below.finding import find_files
from agentx.host.files.below.walking import walk_files
from agentx.host.files.disk import refusal_of
from agentx.host.files.merged_lines import join_lines
from agentx.host.files.plain import exists, list_folder, read_bytes, remove, remove_tree, rename
from agentx.kernel.errors import CorruptRecord, InvalidValue, NotFound, UnsafePath
from agentx.kernel.ids import RunId, parse_run_id
from agentx.kernel.paths import ProjectPaths
from agentx.runs.limits import RUN_ARCHIVE_BYTES_MAX
from agentx.runs.model import RunEvent
from agentx.runs.paths import RunsPaths
from agentx.runs.store.event_files import events_in

_SUFFIX = ".tar.gz"
_EVENTS = ".jsonl"
_WRITTEN = ("artifacts/", "aside/")  # what no event can make again
_GRAPH = "artifacts/task-graph.yaml"  # a page, though it lies there
_LEAVING = ".leaving"  # a folder that is packed and on its way out
TAKEN_OVER = ".before"  # what the archive held under a name that now holds something else
IsMade = Callable[[str, bytes], bool]


class Archive:
    """The packed runs of one project."""

    def __init__(self, project: ProjectPaths) -> None:
        self._paths = RunsPaths(project)
        self._root = self._paths.archive

    def path(self, run_id: str) -> Path:
        """Return where a run is packed."""
        return self._root / f"{parse_run_id(run_id)}{_SUFFIX}"

    def ids(self) -> tuple[RunId, ...]:
        """Return the packed runs, newest first."""
        found: list[RunId] = []
        for path in find_files(self._root, depth=0, suffix=_SUFFIX):
            with suppress(InvalidValue):
                found.append(parse_run_id(path.name.removesuffix(_SUFFIX)))
        return tuple(sorted(found, reverse=True))

    def pack(self, run_id: str, is_made: IsMade = lambda _name, _data: False) -> Path:
        """Pack a run's folder, verified; the folder stays.

        Of what the archive held and the folder has otherwise, `is_made` says which is a page of
        ours that nobody edited: it is made anew, and not kept beside.

        Raises: NotFound, UnavailableError, CorruptRecord when what was written reads otherwise.
        """
        folder = self._paths.run(run_id).root
        if not exists(folder):
            raise NotFound(f"{run_id}: no such run", hint="`agentx run list` shows the runs")
        target = self.path(run_id)
        held = self.files(run_id)
        _remove_beside(folder, is_made)
        files = _files(folder)
        if held and all(_has(held, name, data) for name, data in files.items()):
            return target
        for name, data in held.items():
            if name not in files:
                if not _is_beside(name, data, is_made):
                    files[name] = data
            elif name.endswith(_EVENTS):
                files[name] = _join_events(files[name], data)
            elif files[name] != data and not is_made(name, data):
                files[name + TAKEN_OVER] = data
        packed = _pack(run_id, files)
        if _unpack(packed) != files:
            raise CorruptRecord(f"{target}: the archive does not read back", hint="try again")
        passing(CrashPoint.RUN_PACKED)
        make_private_directory(self._root)
        replace_file(target, packed)
        if read_bytes(target) != packed:
            raise CorruptRecord(f"{target}: the disk gave back other bytes", hint="check the disk")
        passing(CrashPoint.RUN_PACK_NAMED)
        return target

    def add(self, run_id: str, is_made: IsMade) -> None:
        """Add to an archive what lies in the run's folder and is neither an event nor made by us.

        Raises: CorruptRecord, UnavailableError.
        """
        held = self.files(run_id)
        found = {
            name: data
            for name, data in _files(self._paths.run(run_id).root).items()
            if held.get(name) != data and not name.endswith(_EVENTS) and not is_made(name, data)
        }
        if found:
            named = {name + TAKEN_OVER * (name in held): data for name, data in found.items()}
            replace_file(self.path(run_id), _pack(run_id, {**held, **named}))

    def remove_folder(self, run_id: str) -> None:
        """Remove the folder of a run, if every file of it is in the archive.

        Raises: CorruptRecord when something is not; UnavailableError.
        """
        folder = self._paths.run(run_id).root
        held = self.files(run_id)
        missing = [name for name, data in _files(folder).items() if not _has(held, name, data)]
        if missing:
            raise CorruptRecord(
                f"{folder / missing[0]} is not in the archive: the folder stays",
                hint="run the command again: it packs what is new",
            )
        self.drop_folder(run_id)

    def drop_folder(self, run_id: str) -> None:
        """Remove the folder of a run whose events are all in the archive.

        Raises: UnavailableError.
        """
        folder = self._paths.run(run_id).root
        # In one step: a folder that is half gone would be read as another run.
        leaving = self._root / f"{run_id}{_LEAVING}"
        try:
            remove_tree(leaving)
            rename(folder, leaving)
            passing(CrashPoint.RUN_FOLDER_GONE)
            remove_tree(leaving)
        except OSError as error:
            raise refusal_of(folder, error) from error

    def sweep(self) -> None:
        """Remove what is left of folders whose removal was interrupted."""
        with suppress(OSError):
            for name in list_folder(self._root).folders:
                if name.endswith(_LEAVING):
                    remove_tree(self._root / name)

    def unpack(self, run_id: str) -> Path:
        """Lay a packed run out again, whole or not at all; files that are there stay as they are.

        Raises: NotFound, CorruptRecord, UnavailableError.
        """
        target = self.path(run_id)
        if not exists(target):
            raise NotFound(
                f"{run_id} is not archived",
                hint="`agentx run list --archived` shows them",
            )
        folder, files = self._paths.run(run_id).root, self.files(run_id)
        if exists(folder) or not files:
            _lay(folder, files)
            return folder
        coming = self._root / f"{run_id}{_LEAVING}"  # swept as what was on its way out is
        try:
            remove_tree(coming)
            _lay(coming, files)
            make_private_directory(folder.parent)
            rename(coming, folder)
        except OSError as error:
            raise refusal_of(folder, error) from error
        finally:
            with suppress(OSError):
                remove_tree(coming)
        return folder

    def files(self, run_id: str) -> dict[str, bytes]:
        """Return every file of a packed run by its name in the run's folder; none if it is not.

        Raises: CorruptRecord.
        """
        target = self.path(run_id)
        if not exists(target):
            return {}
        try:
            return _unpack(read_bytes(target))
        except UnsafePath:
            raise
        except (OSError, EOFError, ValueError) as error:
            raise CorruptRecord(
                f"{target}: not a whole archive: {error}",
                hint="bring it back with git, or move it away; the run's folder is untouched",
            ) from error


def _lay(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        if not exists(folder / name):
            replace_file(folder / name, data)


def join_packed(run_id: str, here: bytes, there: bytes) -> bytes | None:
    """Return two archives of a run as one; None where the first holds all, or the other is none."""
    try:
        others = _unpack(there)
    except (OSError, EOFError, ValueError):
        return None
    try:
        files = _unpack(here)
    except (OSError, EOFError, ValueError):
        return there
    # Whoever joins the two, in whatever order, must come to the same bytes.
    joined = {**files, **others}
    for name in files.keys() & others.keys():
        one, other = files[name], others[name]
        is_events = name.endswith(_EVENTS)
        joined[name] = _join_events(one, other) if is_events else max(one, other, key=_rank)
    return None if joined == files else _pack(run_id, joined)


def list_facts(packed: bytes) -> dict[str, bytes]:
    """Return what an archive holds but for the pages; all of it where it is damaged."""
    try:
        return _choose_facts(_unpack(packed))
    except (OSError, EOFError, ValueError):
        return {"": packed}


def leave_out(
    run_id: str, packed: bytes, leave: Callable[[dict[str, bytes]], dict[str, bytes]]
) -> bytes:
    """Return an archive without what is gone for good, or as it is.

    `leave` returns what is left of what it holds but for the pages. Those were made with what is
    gone and go as well: whoever lays the run out has them made from what is left.
    """
    try:
        facts = _choose_facts(_unpack(packed))
    except (OSError, EOFError, ValueError):
        return packed
    left = leave(facts)
    return packed if left == facts else _pack(run_id, left)


def _choose_facts(files: dict[str, bytes]) -> dict[str, bytes]:
    """Return of the files of a run what no event makes again."""
    return {name: data for name, data in files.items() if _is_fact(name)}


def _is_fact(name: str) -> bool:
    is_written = name.startswith(_WRITTEN) and name != _GRAPH
    return is_written or name.endswith((_EVENTS, TAKEN_OVER))


def _is_beside(name: str, data: bytes, is_made: IsMade) -> bool:
    """Tell whether an earlier version kept a page beside that nobody edited."""
    return name.endswith(TAKEN_OVER) and is_made(name.removesuffix(TAKEN_OVER), data)


def _remove_beside(folder: Path, is_made: IsMade) -> None:
    for path in walk_files(folder):
        name = path.relative_to(folder).as_posix()
        if name.endswith(TAKEN_OVER) and _is_beside(name, read_bytes(path), is_made):
            remove(path)


def _rank(data: bytes) -> tuple[int, bytes]:
    return len(data), data


def _join_events(one: bytes, other: bytes) -> bytes:
    """Return a file of events with all that two states of it hold, whichever comes first."""
    least, most = sorted((one, other), key=_rank)
    return join_lines(most, least)


def _has(held: dict[str, bytes], name: str, data: bytes) -> bool:
    """Tell whether an archive has a file: of one of events every line."""
    found = held.get(name)
    is_part = found is not None and name.endswith(_EVENTS) and join_lines(found, data) == found
    return found == data or is_part


def read_packed_events(archive: Archive, run_id: str) -> Iterator[RunEvent]:
    """Yield the events of a packed run, in no order.

    Raises: CorruptRecord.
    """
    yield from _read_events(archive.files(run_id), run_id)


def unpack_events(packed: bytes, run_id: str) -> Iterator[RunEvent]:
    """Yield the events of an archive of a run, in no order; none where it is not one."""
    with suppress(OSError, EOFError, ValueError):
        yield from _read_events(_unpack(packed), run_id)


def _read_events(files: dict[str, bytes], run_id: str) -> Iterator[RunEvent]:
    for name, text in files.items():
        if name.endswith(_EVENTS):
            yield from events_in(text, run_id)


def _files(folder: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for path in sorted(walk_files(folder)):
        found[path.relative_to(folder).as_posix()] = read_bytes(path)
    return found


# Most commands open no archive: what reads one is imported by those that do.


def _pack(run_id: str, files: dict[str, bytes]) -> bytes:
    import gzip  # noqa: PLC0415  see above
    import tarfile  # noqa: PLC0415  see above

    raw = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as squeezed,
        tarfile.open(fileobj=squeezed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name in sorted(files):
            entry = tarfile.TarInfo(f"{run_id}/{name}")
            entry.size = len(files[name])
            entry.mode = 0o600
            tar.addfile(entry, io.BytesIO(files[name]))
    return raw.getvalue()


def _unpack(packed: bytes) -> dict[str, bytes]:
    """Return the files of an archive.

    Raises: OSError, EOFError, ValueError when it is none.
    """
    import tarfile  # noqa: PLC0415  see above
    import zlib  # noqa: PLC0415  see above

    found: dict[str, bytes] = {}
    size = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as tar:
            for entry in tar:
                content = tar.extractfile(entry) if entry.isfile() else None
                below = Path(entry.name.partition("/")[2])
                # Names come from a file that anybody may have made: nothing outside of the folder.
                if content is None or below == Path() or ".." in below.parts or below.is_absolute():
                    continue
                size += entry.size
                if size > RUN_ARCHIVE_BYTES_MAX:
                    raise ValueError(f"it holds more than {RUN_ARCHIVE_BYTES_MAX:,} bytes")
                found[below.as_posix()] = content.read()
    except (tarfile.TarError, zlib.error) as error:
        raise ValueError(str(error)) from error
    return found
