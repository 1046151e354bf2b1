"""Moving acts from the journal into the files, and originals into the archive.

One process settles at a time, under the lock of the journal's name; others go on appending.
Each issue file is changed under its own lock, then the manifest under its lock, then the journal
is emptied, if nothing was appended meanwhile; else what came is moved too, the last of it while
nobody may append.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

import msgspec

from agentx.host.crash import CrashPoint, passing
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.locks.lock import locked
from agentx.kernel.clock import Clock, to_iso
from agentx.kernel.errors import UnsupportedVersion
from agentx.kernel.ids import hash_text
from agentx.observations.forgetting import Undoing
from agentx.observations.ids import parse_observation_id
from agentx.observations.model import Marking
from agentx.observations.store.files.issue_files import (
    OWNER,
    UNREADABLE,
    IssueFiles,
    Rewrite,
    amend,
    put,
    rewrite,
    stamp,
)
from agentx.observations.store.files.manifest import ManifestFile, apply, list_unsettled
from agentx.observations.store.files.pending import Act, Pending
from agentx.observations.store.records import (
    ObservationRecord,
    decode_observation,
    encode,
    with_marking,
    with_news,
    with_repeats,
)

_KNOWN = frozenset({"store", "amend", "repeat", "remove", "recalled"})
_ROUNDS = 3


class Settling:
    """The only code that writes issue files and the manifest."""

    def __init__(
        self, pending: Pending, files: IssueFiles, manifest: ManifestFile, clock: Clock
    ) -> None:
        self._pending = pending
        self._files = files
        self._manifest = manifest
        self._clock = clock

    def settle(self) -> int:
        """Move every act; return how many there were.

        Raises: LockHeld, UnavailableError, UnsupportedVersion.
        """
        if not self._pending.size():
            return 0
        moved = 0
        with locked(self._pending.path, owner=OWNER, clock=self._clock):
            for _ in range(_ROUNDS):
                moved += self._move()
                if self._pending.empty():
                    return moved
            # Others append faster than we move: for the last of it they wait.
            with self._pending.hold() as descriptor:
                moved += self._move()
                self._pending.empty_held(descriptor)
        return moved

    def replace(
        self, issue: int, *, new: Sequence[ObservationRecord], originals: Sequence[str]
    ) -> None:
        """Put merged observations in the place of their originals, which go to the archive.

        The archive is written first: a kill in between leaves originals in both places, never in
        none, and the next compaction goes on from there.
        """
        path, archive = self._files.path(issue), self._files.archive_path(issue)
        make_private_directory(archive.parent)
        gone = frozenset(originals)
        with locked(path, archive, owner=OWNER, clock=self._clock) as held:
            olds = self._files.read_some(path, gone)
            self._files.change(archive, issue, held, partial(_archive, olds=olds))
            passing(CrashPoint.OBSERVATIONS_ARCHIVED)
            self._files.change(path, issue, held, partial(_replace, new=new, gone=gone))
        passing(CrashPoint.OBSERVATIONS_ISSUE_WRITTEN)
        self._write_manifest((), {})

    def mark(self, issue: int, markings: Mapping[str, Marking]) -> None:
        """Write what a person said into an issue file; the manifest follows from the file."""
        path = self._files.path(issue)
        with locked(path, owner=OWNER, clock=self._clock) as held:
            now = to_iso(self._clock.now_ms())
            self._files.change(path, issue, held, partial(_mark, markings=markings, now=now))
        passing(CrashPoint.OBSERVATIONS_ISSUE_WRITTEN)
        self._write_manifest((), {})

    def archive(self, issue: int, records: Sequence[ObservationRecord]) -> None:
        """Add originals to the archive."""
        archive = self._files.archive_path(issue)
        make_private_directory(archive.parent)
        with locked(archive, owner=OWNER, clock=self._clock) as held:
            self._files.change(archive, issue, held, partial(_archive, olds=records))

    def set_counts(self, counts: Mapping[str, int]) -> None:
        """Set how often observations were recalled."""
        with locked(self._manifest.path, owner=OWNER, clock=self._clock) as held:
            index = self._manifest.read(held)
            for each, count in counts.items():
                if each in index.rows:
                    index.rows[each] = msgspec.structs.replace(index.rows[each], recall_count=count)
            self._manifest.write(held, index)

    def undo(self, issue: int, undone: Undoing) -> None:
        """Take observations out of both files of an issue; others come back from the archive.

        The issue file is written first: a kill in between leaves what comes back in both places,
        never in none, and what is to go in the archive, where the next try finds it.
        """
        path, archive = self._files.path(issue), self._files.archive_path(issue)
        make_private_directory(archive.parent)
        with locked(path, archive, owner=OWNER, clock=self._clock) as held:
            back = self._files.read_some(archive, undone.returning)
            new = [msgspec.structs.replace(each, archived=False) for each in back]
            self._files.change(path, issue, held, partial(_undo, new=new, gone=undone.gone))
            passing(CrashPoint.OBSERVATIONS_ISSUE_WRITTEN)
            gone = undone.gone.union(each.id for each in self._files.records(path))
            self._files.change(archive, issue, held, partial(_undo, new=(), gone=gone))
        self._write_manifest((), {})

    def renew_manifest(self) -> None:
        """Write the manifest as the issue files are."""
        self._write_manifest((), {})

    def overlaid(
        self, kept: dict[str, ObservationRecord], acts: Iterable[Act], issue: int
    ) -> dict[str, ObservationRecord]:
        """Return the records of an issue as they are once the journal is settled."""
        for act in acts:
            for record in act.observations:
                if record.issue_number == issue:
                    _overlay(kept, act.op, record)
            if act.op == "remove":
                for each in act.ids:
                    kept.pop(each, None)
        return kept

    def overlay_some(
        self, kept: dict[str, ObservationRecord], ids: Iterable[str], issue: int
    ) -> dict[str, ObservationRecord]:
        """Return some records of an issue as they are once the journal is settled."""
        for each in ids:
            for op, record in self._pending.list_said(each):
                if record is None:
                    kept.pop(each, None)
                elif record.issue_number == issue:
                    _overlay(kept, op, record)
        return kept

    def _move(self) -> int:
        """Move the acts that are in the journal now."""
        self._pending.refresh()
        self._keep_damaged()
        settled = self._manifest.read_settled()
        acts = list_unsettled(self._pending.acts, settled)
        unknown = next((act.op for act in acts if act.op not in _KNOWN), None)
        if unknown is not None:
            raise UnsupportedVersion(
                f"{self._pending.path}: {unknown!r} is not known here",
                hint="update AgentX to the version that wrote it",
            )
        if not acts:
            return 0
        written: dict[int, Rewrite] = {}
        for issue, part in _by_issue(acts).items():
            path = self._files.path(issue)
            with locked(path, owner=OWNER, clock=self._clock) as held:
                before = stamp(path)
                self._files.change(path, issue, held, partial(_fold, acts=part, issue=issue))
                written[issue] = (before, stamp(path))
            passing(CrashPoint.OBSERVATIONS_ISSUE_WRITTEN)
        self._write_manifest(acts, written)
        return len(acts)

    def _write_manifest(self, acts: Sequence[Act], written: dict[int, Rewrite]) -> None:
        with locked(self._manifest.path, owner=OWNER, clock=self._clock) as held:
            index = self._manifest.read(held, written)
            if acts:
                apply(index.rows, acts)
                index.settled = acts[-1].record
            self._manifest.write(held, index)

    def _keep_damaged(self) -> None:
        """Put lines aside that are no acts: the journal is emptied afterwards."""
        if self._pending.damaged:
            data = b"\n".join(self._pending.damaged) + b"\n"
            name = f"{self._pending.path.name}.corrupt-{hash_text(data.hex()).hex()}"
            replace_file(self._pending.path.with_name(name), data)


def _overlay(kept: dict[str, ObservationRecord], op: str, record: ObservationRecord) -> None:
    if op == "store":
        kept.setdefault(record.id, record)
    elif record.id in kept:
        join = with_repeats if op == "repeat" else with_news
        kept[record.id] = join(kept[record.id], record)


def _by_issue(acts: Iterable[Act]) -> dict[int, list[Act]]:
    """Return which acts touch which issue, in their order."""
    found: dict[int, list[Act]] = {}
    for act in acts:
        if act.op == "recalled":
            continue
        touched = {record.issue_number for record in act.observations}
        touched |= {parse_observation_id(each).issue_number for each in act.ids}
        for issue in sorted(touched):
            found.setdefault(issue, []).append(act)
    return found


def _fold(kept: dict[str, bytes], *, acts: Iterable[Act], issue: int) -> None:
    for act in acts:
        for record in act.observations:
            if record.issue_number == issue:
                _CHANGES[act.op](kept, record)
        if act.op == "remove":
            for each in act.ids:
                kept.pop(each, None)


def _repeat(kept: dict[str, bytes], record: ObservationRecord) -> None:
    if record.id in kept:
        rewrite(kept, with_repeats(decode_observation(kept[record.id]), record))


_CHANGES = {"store": put, "amend": amend, "repeat": _repeat}


def _mark(kept: dict[str, bytes], *, markings: Mapping[str, Marking], now: str) -> None:
    for each, marking in markings.items():
        if each in kept:
            rewrite(kept, with_marking(decode_observation(kept[each]), marking, now))


def _archive(kept: dict[str, bytes], *, olds: Iterable[ObservationRecord]) -> None:
    for old in olds:
        # In one line: nobody reads them but to look one up.
        kept.setdefault(old.id, encode(msgspec.structs.replace(old, archived=True)))


def _replace(
    kept: dict[str, bytes], *, new: Iterable[ObservationRecord], gone: Iterable[str]
) -> None:
    for each in gone:
        kept.pop(each, None)
    for record in new:
        put(kept, record)


def _undo(
    kept: dict[str, bytes], *, new: Iterable[ObservationRecord], gone: Collection[str]
) -> None:
    _replace(kept, new=new, gone=gone)
    # What cannot be read may hold the same text, in an older form.
    needles = [each.encode() for each in gone]
    for name in [each for each in kept if each.startswith(UNREADABLE)]:
        if any(needle in kept[name] for needle in needles):
            del kept[name]
