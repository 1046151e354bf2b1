"""From the spool into the log.

Hooks leave one file a payload and never wait. The drain takes whole batches: read,
turn into drafts, append (on disk before it returns), and only then remove the
files. Killed anywhere in between, the next drain takes the same files again and
identity makes each event one event.

Nothing is thrown away. A payload that is not what its agent CLI promises becomes a
note; a file that cannot be taken at all is moved aside, and `doctor` says so.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, fields, replace
from pathlib import Path

from agentx.adapters.port import HookCall
from agentx.adapters.registry import adapter_for
from agentx.capture import spool_record
from agentx.capture.faults import Faults
from agentx.capture.limits import DRAIN_BATCH_BYTES_MAX, DRAIN_BATCH_FILES_MAX
from agentx.capture.spool_record import SpoolRecord
from agentx.conversation.service import Conversation
from agentx.host.crash import CrashPoint, passing
from agentx.kernel.capture import Channel, Draft, EventType, Role
from agentx.kernel.clock import Clock
from agentx.kernel.errors import DataError
from agentx.kernel.ids import digest
from agentx.kernel.paths import SpoolPaths, StorePaths
from agentx.kernel.text import printable
from agentx.kernel.values import frozen
from agentx.memory.port import Drained
from agentx.project.settlement import note_settled, read_lines
from agentx.views.recall_tally import NOTE_MARK, Note, SessionTold, count_recalls, note_of

_SALVAGE_CHARS = 4_000


@frozen
class SpoolFolder:
    """The spool of one working directory that belongs to this store."""

    paths: SpoolPaths
    directory: str
    project: str


@frozen
class Spool:
    """Everything hooks have spooled for one store, wherever they left it."""

    roots: tuple[Path, ...]
    store: StorePaths
    clock: Clock
    locate: Callable[[str], tuple[str, str]]  # the store's folder and project of a directory
    active_run: Callable[[], str]  # that goes on while sessions begin; empty for none

    def folders(self) -> Iterator[SpoolFolder]:
        """Yield the spool folders whose working directory belongs to this store."""
        for root in self.roots:
            try:
                if root.lstat().st_uid != os.getuid():
                    continue  # somebody else's folder under the temporary one
                entries = sorted(os.scandir(root), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folder = self._settle(SpoolPaths(Path(entry.path)))
                    if folder is not None:
                        yield folder

    def waiting(self) -> int:
        """Count what hooks have left and nobody has taken yet."""
        return sum(1 for folder in self.folders() for _ in _list_files(folder.paths.new))

    def count_refused(self) -> int:
        """Count what was moved aside."""
        return sum(1 for folder in self.folders() for _ in _list_files(folder.paths.refused))

    def drain(self, conversation: Conversation, tell: Callable[[SessionTold], None]) -> Drained:
        """Take what hooks have spooled into the log; tell what sessions were told."""
        intake = _Intake(
            store=self.store, faults=Faults(self.store.faults, self.clock), run=self.active_run()
        )
        total = Drained()
        for folder in self.folders():
            log = conversation.of_project(folder.project)
            for batch in _batches(folder):
                total = _sum(total, _take(batch, folder, log, intake))
        for note in intake.recalled:
            tell(note.fact)
        return total

    def _settle(self, paths: SpoolPaths) -> SpoolFolder | None:
        """Return the folder if its working directory belongs to this store; settle that once."""
        settled = read_lines(paths.store)
        directory = "".join(read_lines(paths.directory)[:1]) or _find_directory(paths)
        if len(settled) < 2:
            if not directory:
                return None
            settled = list(self.locate(directory))
            note_settled(paths, directory, *settled)
        if settled[0] != str(self.store.root):
            return None
        return SpoolFolder(paths=paths, directory=directory, project=settled[1])


@frozen
class _Taken:
    file: Path
    drafts: tuple[Draft, ...]
    damaged: str = ""
    recalled: Note | None = None


@frozen
class _Intake:
    """Where one drain puts what is not the log's."""

    store: StorePaths
    faults: Faults
    run: str  # that goes on while sessions begin
    recalled: list[Note] = field(default_factory=list)


def _take(files: list[Path], folder: SpoolFolder, log: Conversation, intake: _Intake) -> Drained:
    faults = intake.faults
    taken: list[_Taken] = []
    refusals = 0
    for file in files:
        try:
            raw = file.read_bytes()
        except FileNotFoundError:
            continue  # another drain was faster
        except OSError as error:
            refusals += _set_aside(file, folder, str(error), faults)
            continue
        taken.append(_read(file, raw, folder))
    passing(CrashPoint.DRAIN_READ)
    drafts = (draft for item in taken for draft in item.drafts)
    receipt = log.append(attach_to_run(drafts, intake.run))
    passing(CrashPoint.DRAIN_APPENDED)
    notes = [item.recalled for item in taken if item.recalled is not None]
    intake.recalled.extend(count_recalls(intake.store.recall_counts(folder.project), notes))
    for item in taken:
        if item.damaged:
            faults.report("damaged payload", file=item.file.name, reason=item.damaged)
        item.file.unlink(missing_ok=True)
        passing(CrashPoint.DRAIN_PARTLY_REMOVED)
    return Drained(
        files=len(taken),
        stored=len(receipt.stored),
        duplicates=receipt.duplicates,
        damaged=sum(1 for item in taken if item.damaged),
        refused=refusals,
    )


def attach_to_run(drafts: Iterable[Draft], run: str) -> Iterator[Draft]:
    """Yield drafts, the starts of sessions marked with the run that goes on.

    In the log and not in the run: a session that merely begins must not change files that are
    committed, and its words are on this machine only.
    """
    for draft in drafts:
        if run and draft.event_type is EventType.SESSION_START:
            yield replace(draft, metadata={**draft.metadata, "run": run})
        else:
            yield draft


def _read(file: Path, raw: bytes, folder: SpoolFolder) -> _Taken:
    record = spool_record.parse(raw, file.name)
    try:
        payload = json.loads(record.payload)
    except (ValueError, RecursionError) as error:
        reason = str(error) or type(error).__name__
        return _Taken(file=file, drafts=(_salvage(record, folder, reason),), damaged=reason)
    if not isinstance(payload, dict):
        reason = f"a payload is an object, this is {type(payload).__name__}"
        return _Taken(file=file, drafts=(_salvage(record, folder, reason),), damaged=reason)
    call = HookCall(
        harness=record.harness,
        received_ms=record.received_ms,
        working_directory=folder.directory,
        payload=payload,
        delivery=digest(record.payload.decode("utf-8", "replace")).hex(),
        agent=record.agent,
    )
    if record.kind == "injected":
        noted = note_of(
            payload,
            name=file.stem,
            project=folder.project,
            harness=record.harness,
            session_id=str(payload.get("session_id") or "unknown"),
            at_ms=record.received_ms,
        )
        # That a session was given a digest, without a word that could be taken as said.
        draft = _note_of(record, noted.fact.session_id, "")
        draft = replace(draft, source_id=f"injected:{file.stem}", metadata={NOTE_MARK: payload})
        return _Taken(file=file, drafts=(draft,), recalled=noted)
    adapter = adapter_for(record.harness)
    if adapter is None:
        session = payload.get("session_id") or payload.get("sessionId") or _unknown_in(folder)
        draft = _note_of(record, session, record.payload.decode("utf-8", "replace"))
        told = {"unknown_harness": True}
        return _Taken(file=file, drafts=(replace(draft, delivery=call.delivery, metadata=told),))
    try:
        return _Taken(file=file, drafts=adapter.drafts(call))
    except Exception as error:  # noqa: BLE001  one payload that an adapter trips over must not dam the spool
        reason = f"the {record.harness} adapter failed: {error!r}"
        return _Taken(file=file, drafts=(_salvage(record, folder, reason),), damaged=reason)


def _salvage(record: SpoolRecord, folder: SpoolFolder, reason: str) -> Draft:
    """Keep what a damaged payload says, in the session it names if it still names one."""
    text = record.payload.decode("utf-8", "replace")
    return replace(
        _note_of(record, _find_session(text) or _unknown_in(folder), text),
        delivery=digest(text, str(record.received_ms)).hex(),
        metadata={"damaged": reason, "bytes": len(record.payload), "cut": record.cut},
    )


def _find_session(text: str) -> str:
    head = text[:_SALVAGE_CHARS]
    for name in ('"session_id"', '"sessionId"', '"sessionID"'):
        _, found, after = head.partition(name)
        if found:
            _, _, quoted = after.partition('"')
            return quoted.partition('"')[0]
    return ""


def _note_of(record: SpoolRecord, session: object, text: str) -> Draft:
    return Draft(
        harness=record.harness,
        session_id=str(session),
        event_type=EventType.NOTE,
        timestamp_ms=record.received_ms,
        role=Role.SYSTEM,
        text=printable(text),
        channel=Channel.HOOK,
        agent=record.agent,
    )


def _unknown_in(folder: SpoolFolder) -> str:
    return f"unknown-{digest(folder.directory).hex()[:16]}"


def _find_directory(paths: SpoolPaths) -> str:
    """Return the working directory as a record names it: its hook died before it noted it."""
    for entry in _list_files(paths.new):
        record = spool_record.parse(Path(entry.path).read_bytes())
        if record.working_directory:
            return record.working_directory
    return ""


def _list_files(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from (entry for entry in entries if entry.is_file(follow_symlinks=False))
    except OSError:
        return


def _batches(folder: SpoolFolder) -> Iterator[list[Path]]:
    """Yield what waits, oldest first, in batches bounded by count and by size."""
    batch: list[Path] = []
    size = 0
    for entry in sorted(_list_files(folder.paths.new), key=lambda entry: entry.name):
        try:
            size += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
        batch.append(Path(entry.path))
        if len(batch) >= DRAIN_BATCH_FILES_MAX or size >= DRAIN_BATCH_BYTES_MAX:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _set_aside(file: Path, folder: SpoolFolder, reason: str, faults: Faults) -> int:
    faults.report("refused record", file=file.name, reason=reason)
    try:
        folder.paths.refused.mkdir(mode=0o700, exist_ok=True)
        file.rename(folder.paths.refused / file.name)
    except OSError as error:
        raise DataError(
            f"{file}: can neither be read nor moved aside: {error}", hint="check its owner"
        ) from error
    return 1


def _sum(one: Drained, other: Drained) -> Drained:
    return Drained(
        **{
            part.name: getattr(one, part.name) + getattr(other, part.name)
            for part in fields(Drained)
        }
    )
