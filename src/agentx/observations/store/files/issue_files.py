"""One file an issue, rewritten whole and in one step.

Records that do not change are carried over as the bytes they were, so what a person or another
tool wrote beside ours stays. A file that does not parse is moved aside and reported; the rest
of the store goes on without it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path

import msgspec

from agentx.host.files.disk import unreadable
from agentx.host.files.ground import opening
from agentx.host.files.plain import look, read_bytes
from agentx.host.locks.lock import Held, locked
from agentx.kernel.clock import Clock, to_iso
from agentx.kernel.errors import ConflictError, UnavailableError, UnsafePath, UnsupportedVersion
from agentx.kernel.ids import Entropy, mint
from agentx.kernel.text import compile_late, preview, printable
from agentx.kernel.values import frozen
from agentx.observations.ids import issue_number
from agentx.observations.model import StoreFault
from agentx.observations.store.files.pages import (
    IssuePages,
    PageSeen,
    Place,
    PlacesById,
    RecordPlaces,
    read_pieces,
)
from agentx.observations.store.packing import pack, unpack
from agentx.observations.store.paths import ObservationPaths
from agentx.observations.store.records import (
    VERSION_READ_MAX,
    IssueRecord,
    ObservationRecord,
    decode_issue,
    decode_observation,
    decode_only_id,
    decode_raws,
    encode,
    indent_record,
    is_whole,
    issue_page,
)

OWNER = "memory-pipeline"
UNREADABLE = "?"  # begins the name, in a change, of a record that is no observation
Report = Callable[[StoreFault], None]
Stamp = tuple[int, int]  # size, time of the last change
Rewrite = tuple[Stamp | None, Stamp | None]  # before, after

_NAME = compile_late(r"issue-(0|[1-9][0-9]{0,8})\.json")
_STRANGE_NAMED_MAX = 3
_TRIES = 3  # to read a file that others go on writing, before it is read whole
_NAME_CHARS_MAX = 60
_ARCHIVE_NAME = compile_late(r"issue-(0|[1-9][0-9]{0,8})-archived\.json")


@frozen(kw_only=False)
class _PageBytes:
    """The records of a file, and the bytes that they lie in."""

    data: bytes = b""
    raws: list[msgspec.Raw] = field(default_factory=list)
    is_packed: bool = False


class IssueFiles:
    """The issue files of one folder, and their archive."""

    def __init__(self, folder: Path, clock: Clock, entropy: Entropy, report: Report) -> None:
        self.paths = ObservationPaths(folder)
        self._clock = clock
        self._entropy = entropy
        self._report = report
        self._pages = IssuePages()

    def path(self, issue: int) -> Path:
        """Return where an issue's observations lie."""
        return self.paths.issue(issue_number(issue))

    def archive_path(self, issue: int) -> Path:
        """Return where the originals of merged observations lie."""
        return self.paths.archive_of(issue_number(issue))

    def stamps(self) -> dict[int, Stamp]:
        """Return what every issue file looks like now."""
        return dict(_stamps(self.paths.root, _NAME))

    def archive_stamps(self) -> dict[int, Stamp]:
        """Return what every file of the archive looks like now."""
        return dict(_stamps(self.paths.archive, _ARCHIVE_NAME))

    def records(self, path: Path) -> list[ObservationRecord]:
        """Return the records of a file; none when it is not there or is damaged."""
        raws = self._raws(path)
        opened = [(raw, _open_record(raw)) for raw in raws]
        whole = [record for _, record in opened if record is not None]
        if len(whole) < len(raws):
            strange = [_name_raw(raw) for raw, record in opened if record is None]
            named = ", ".join(strange[:_STRANGE_NAMED_MAX])
            many = (
                "one record is no observation"
                if len(strange) == 1
                else (f"{len(strange)} records are no observations")
            )
            self._report(
                StoreFault(
                    what=f"{many}; stepped over: {named}",
                    where=str(path),
                    hint="mend them by hand, or take them out",
                )
            )
        return whole

    def read_some(self, path: Path, ids: frozenset[str]) -> list[ObservationRecord]:
        """Return some records of a file, in its order, without opening the others."""
        for _ in range(_TRIES):
            page = self._pages.find(path, self._place_records)
            if page is None:
                break
            with suppress(OSError):  # who reads it whole says what is wrong
                opened = _open_places(path, page, page.list_places(ids))
                if opened is not None:
                    return [each for each in opened if each is not None and each.id in ids]
        return _open_some(self._raws(path), ids)

    def _place_records(self, path: Path) -> RecordPlaces | None:
        """Return where the records of a file lie; None where that cannot be told."""
        loaded = self._load(path)
        found: PlacesById = {}
        end = 0
        for at, raw in enumerate(loaded.raws):
            piece = bytes(raw)
            start = loaded.data.find(piece, end)
            if start < 0:
                return None
            end = start + len(piece)
            with suppress(msgspec.DecodeError):
                name = decode_only_id(raw).id
                found[name] = (*found.get(name, ()), (at, start, end))
        return RecordPlaces(found, loaded.data if loaded.is_packed else b"")

    def change(
        self,
        path: Path,
        issue: int,
        held: Held,
        edit: Callable[[dict[str, bytes]], None],
    ) -> None:
        """Rewrite a locked file; `edit` is given its records by id, as bytes, to change in place.

        Raises: UnsupportedVersion, UnavailableError, StaleVersion.
        """
        raws = self._raws(path, held, strict=True)
        kept: dict[str, bytes] = {}
        for number, raw in enumerate(raws):
            record = _open_record(raw)
            # What we cannot read stays where it is: it is somebody's, and may be mended.
            kept[f"{UNREADABLE}{number}" if record is None else record.id] = bytes(raw)
        before = list(kept.items())
        edit(kept)
        if list(kept.items()) != before:
            write = pack if path == self.archive_path(issue) else issue_page
            held.write(path, write(issue, to_iso(self._clock.now_ms()), kept.values()))

    def _raws(
        self, path: Path, held: Held | None = None, *, strict: bool = False
    ) -> list[msgspec.Raw]:
        return self._load(path, held, strict=strict).raws

    def _load(self, path: Path, held: Held | None = None, *, strict: bool = False) -> _PageBytes:
        try:
            data = read_bytes(path)
        except FileNotFoundError:
            return _PageBytes()
        except UnsafePath as error:
            if strict:
                raise
            self._report(StoreFault(what=error.message, where=str(path), hint=error.hint))
            return _PageBytes()
        except OSError as error:
            raise unreadable(path, error) from error
        try:
            page: IssueRecord = decode_issue(data)
            if page.packed:
                data = unpack(page.packed)
            raws = decode_raws(data) if page.packed else page.observations
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            self._move_aside(path, str(error), held)
            return _PageBytes()
        if page.version > VERSION_READ_MAX:
            newer = f"{path}: version {page.version} is not known here"
            hint = "update AgentX to the version that wrote it"
            if strict:
                raise UnsupportedVersion(newer, hint=hint)
            self._report(StoreFault(what=newer, where=str(path), hint=hint))
            return _PageBytes()
        return _PageBytes(data, raws, is_packed=bool(page.packed))

    def _move_aside(self, path: Path, reason: str, held: Held | None) -> None:
        name = f"{path.name}.corrupt-{mint(self._clock.now_ms(), self._entropy)}"
        try:
            if held is not None:
                held.move(path, path.with_name(name))
            else:
                with locked(path, owner=OWNER, clock=self._clock) as taken:
                    taken.move(path, path.with_name(name))
            hint = f"it was moved aside to {name}: mend it and move it back, or go on without it"
        except (ConflictError, UnavailableError) as error:
            hint = f"it stays where it is: {error.message}"
        self._report(StoreFault(what=f"not an issue file: {reason}", where=str(path), hint=hint))


def _name_raw(raw: msgspec.Raw) -> str:
    """Return what a record that means nothing calls itself."""
    try:
        return preview(printable(decode_only_id(raw).id), _NAME_CHARS_MAX) or "without an id"
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "without an id"


def _open_places(
    path: Path, page: PageSeen, places: Sequence[Place]
) -> list[ObservationRecord | None] | None:
    """Return the records in some places; None where the file is no more what it was."""
    found = {place: page.opened[place] for place in places if place in page.opened}
    fresh = [place for place in places if place not in found]
    if fresh:
        pieces = read_pieces(path, page, fresh)
        if pieces is None:
            return None
        read = dict(zip(fresh, map(_open_record, pieces), strict=True))
        page.keep_opened(read)
        found |= read
    return [found[place] for place in places]


def _open_some(raws: Iterable[msgspec.Raw], ids: frozenset[str]) -> list[ObservationRecord]:
    opened = (_open_record(raw) for raw in raws)
    return [record for record in opened if record is not None and record.id in ids]


def _open_record(raw: msgspec.Raw | bytes) -> ObservationRecord | None:
    try:
        record: ObservationRecord = decode_observation(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return record if is_whole(record) else None


def _stamps(folder: Path, name: re.Pattern[str]) -> Iterator[tuple[int, Stamp]]:
    try:
        with opening(folder) as here, os.scandir(here.descriptor) as entries:
            for entry in entries:
                match = name.fullmatch(entry.name)
                if match is not None:
                    found = entry.stat(follow_symlinks=False)
                    yield int(match[1]), (found.st_size, found.st_mtime_ns)
    except (FileNotFoundError, NotADirectoryError):
        return


def stamp(path: Path) -> Stamp | None:
    """Return what a file looks like now, or None when there is none."""
    found = look(path)
    return None if found is None else (found.st_size, found.st_mtime_ns)


def put(kept: dict[str, bytes], record: ObservationRecord) -> None:
    """Add a record to those of a file; one that is there stays as it is."""
    if record.id not in kept:
        kept[record.id] = indent_record(record)


def rewrite(kept: dict[str, bytes], record: ObservationRecord) -> None:
    """Write a record anew, and leave what others added to it."""
    fields = msgspec.json.decode(kept[record.id])
    fresh = msgspec.json.decode(encode(record))
    ours = {field.encode_name for field in msgspec.structs.fields(ObservationRecord)}
    fields = {key: value for key, value in fields.items() if key not in ours or key in fresh}
    kept[record.id] = msgspec.json.format(encode(fields | fresh), indent=2).replace(
        b"\n", b"\n    "
    )


def amend(kept: dict[str, bytes], record: ObservationRecord) -> None:
    """Write anew what is known about a record, and leave everything else of it."""
    raw = kept.get(record.id)
    if raw is None:
        return
    fields = msgspec.json.decode(raw)
    for key, value in (
        ("supersededBy", record.superseded_by),
        ("changedFiles", list(record.changed_files)),
    ):
        if value:
            fields[key] = value
        else:
            fields.pop(key, None)
    kept[record.id] = msgspec.json.format(encode(fields), indent=2).replace(b"\n", b"\n    ")
