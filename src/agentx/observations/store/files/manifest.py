"""The manifest: a compact line for every observation, rebuilt from the issue files when in doubt.

It says beside the specified fields how each issue file looked when its lines were written
(`files`) and which act of the journal was the last that went into it (`settled`). So a kill
between an issue file and the manifest, a file edited by hand, restored or deleted, all show at
the next read, and only the lines of those issues are made anew.

Law: a manifest that is lost, damaged or late costs time, never an observation. Only recall
counts live here and nowhere else; without a manifest they begin at nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import msgspec

from agentx.host.crash import CrashPoint, passing
from agentx.host.files.disk import unreadable
from agentx.host.files.plain import open_to_read, read_bytes
from agentx.host.locks.lock import Held
from agentx.kernel.clock import Clock, to_iso
from agentx.kernel.ids import Entropy, mint
from agentx.kernel.text import compile_late
from agentx.observations.model import StoreFault
from agentx.observations.store.files.issue_files import IssueFiles, Report, Rewrite, Stamp
from agentx.observations.store.files.pending import Act
from agentx.observations.store.records import (
    VERSION,
    EntryRecord,
    ObservationRecord,
    are_entries,
    decoder_of,
    encode,
    entry_of,
)

Rows = dict[str, EntryRecord]


class ManifestRecord(msgspec.Struct, rename="camel"):
    """The manifest on disk."""

    version: int
    updated_at: str
    entries: list[EntryRecord]
    settled: str = ""
    files: dict[str, tuple[int, int]] = {}


_SETTLED = compile_late(rb'"settled": "([0-9A-Z]*)"')
_HEAD_BYTES = 400
_NOTHING: Mapping[int, Rewrite] = MappingProxyType({})
_decode = decoder_of(ManifestRecord)


@dataclass(slots=True, kw_only=True)
class Index:
    """The manifest as this process holds it: rows in the order they were stored."""

    rows: Rows
    files: dict[int, Stamp]
    settled: str = ""
    trouble: str = ""  # why it was made from the issue files; empty when it was read
    late: bool = False  # an issue file had changed behind its back


class ManifestFile:
    """`manifest.json` of one folder."""

    def __init__(
        self,
        files: IssueFiles,
        clock: Clock,
        entropy: Entropy,
        report: Report,
        reread: Callable[[Collection[ObservationRecord]], None],
    ) -> None:
        """Keep it for issue files; `reread` is told what a file holds that others changed."""
        self.path: Path = files.paths.manifest
        self._reread = reread
        self._files = files
        self._clock = clock
        self._entropy = entropy
        self._report = report

    def read_settled(self) -> str:
        """Return the last act of the journal that is in the manifest; reads the head alone."""
        try:
            with open_to_read(self.path) as file:
                match = _SETTLED.search(file.read(_HEAD_BYTES))
        except OSError:
            return ""
        return match[1].decode() if match else self._parse(None).settled

    def read(self, held: Held | None = None, written: Mapping[int, Rewrite] = _NOTHING) -> Index:
        """Return the index, brought up to date with the issue files.

        `written` are files that the caller rewrote: it puts their lines in itself.
        """
        index = self._parse(held)
        for issue, (before, after) in written.items():
            if index.files.get(issue) == before and after is not None:
                index.files[issue] = after
        index.late = self.catch_up(index)
        return index

    def catch_up(self, index: Index) -> bool:
        """Make the lines of issue files anew that changed behind the manifest's back."""
        now = self._files.stamps()
        changed = [issue for issue, stamp in now.items() if index.files.get(issue) != stamp]
        gone = index.files.keys() - now.keys()
        if not changed and not gone:
            return False
        touched = set(changed) | gone
        counts = {
            row.id: row.recall_count for row in index.rows.values() if row.issue_number in touched
        }
        index.rows = {row.id: row for row in index.rows.values() if row.issue_number not in touched}
        for issue in sorted(changed):
            records = self._files.records(self._files.path(issue))
            for record in records:
                index.rows[record.id] = entry_of(record, counts.get(record.id, 0))
            self._reread(records)
        # Reading may have moved a damaged file aside.
        index.files = self._files.stamps()
        return True

    def write(self, held: Held, index: Index) -> None:
        """Replace the manifest while its lock is held.

        Raises: as `Held.write`.
        """
        held.write(self.path, _page(index, to_iso(self._clock.now_ms())))
        passing(CrashPoint.OBSERVATIONS_MANIFEST_WRITTEN)

    def _parse(self, held: Held | None) -> Index:
        try:
            data = read_bytes(self.path)
        except FileNotFoundError:
            return Index(rows={}, files={}, trouble="missing")
        except OSError as error:
            raise unreadable(self.path, error) from error
        try:
            page: ManifestRecord = _decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if held is not None:
                self._move_aside(held, str(error))
            return Index(rows={}, files={}, trouble=f"damaged: {error}")
        if page.version > VERSION or not are_entries(page.entries):
            return Index(rows={}, files={}, trouble="of another making")
        return Index(
            rows={entry.id: entry for entry in page.entries},
            files={int(issue): stamp for issue, stamp in page.files.items() if issue.isdigit()},
            settled=page.settled,
        )

    def _move_aside(self, held: Held, reason: str) -> None:
        name = f"{self.path.name}.corrupt-{mint(self._clock.now_ms(), self._entropy)}"
        held.move(self.path, self.path.with_name(name))
        self._report(
            StoreFault(
                what=f"not a manifest: {reason}",
                where=str(self.path),
                hint=f"it was moved aside to {name} and made anew from the issue files",
            )
        )


def list_unsettled(acts: list[Act], settled: str) -> list[Act]:
    """Return the acts of the journal that are not in the manifest yet."""
    for position, act in enumerate(acts):
        if act.record == settled:
            return acts[position + 1 :]
    return acts


def apply(rows: Rows, acts: Iterable[Act]) -> None:
    """Bring rows up to date with acts of the journal, in their order.

    Acts of a later version stay in the journal's lines that were applied.
    """
    for act in acts:
        if act.op == "store":
            for record in act.observations:
                rows.setdefault(record.id, entry_of(record))
        elif act.op == "remove":
            for each in act.ids:
                rows.pop(each, None)
        elif act.op in _NEWS:
            changes = {record.id: _NEWS[act.op](record) for record in act.observations}
            _change(rows, changes)
        elif act.op == "recalled":
            counts = Counter(each for each in act.ids if each in rows)
            _change(
                rows,
                {
                    each: {"recall_count": rows[each].recall_count + count}
                    for each, count in counts.items()
                },
            )


def _change(rows: Rows, changes: Mapping[str, Mapping[str, object]]) -> None:
    for each, change in changes.items():
        if each in rows:
            rows[each] = msgspec.structs.replace(rows[each], **change)


def _list_news(record: ObservationRecord) -> dict[str, object]:
    return {"superseded_by": record.superseded_by, "stale": bool(record.changed_files)}


def _list_repeated(record: ObservationRecord) -> dict[str, object]:
    return {
        "summary": record.summary,
        "tokens": record.tokens,
        "repeats": record.repeats,
        "branch": record.branch,
    }


_NEWS = {"amend": _list_news, "repeat": _list_repeated}


def _page(index: Index, updated_at: str) -> bytes:
    """Return the manifest with one entry a line: 50,000 of them are still easy to look through."""
    lines = b",\n".join(b"    " + encode(row) for row in index.rows.values())
    entries = b"[\n" + lines + b"\n  ]" if lines else b"[]"
    files = encode({str(issue): stamp for issue, stamp in sorted(index.files.items())})
    return b"".join(
        (
            f'{{\n  "version": {VERSION},\n  "updatedAt": "{updated_at}",\n'.encode(),
            f'  "settled": "{index.settled}",\n  "entries": '.encode(),
            entries,
            b',\n  "files": ',
            files,
            b"\n}\n",
        )
    )
