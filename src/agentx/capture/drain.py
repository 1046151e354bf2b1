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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from agentx.adapters.port import HookCall
from agentx.adapters.registry import adapter_for
from agentx.capture import spool_record
from agentx.capture.faults import Faults
from agentx.capture.limits import DRAIN_BATCH_BYTES_MAX, DRAIN_BATCH_FILES_MAX
from agentx.capture.spool_record import SpoolRecord
from agentx.conversation.service import Conversation
from agentx.host.crash import CrashPoint, passing
from agentx.host.files.atomic import replace_file
from agentx.kernel.bus import Bus
from agentx.kernel.capture import Channel, Draft, EventType, Role
from agentx.kernel.errors import DataError
from agentx.kernel.ids import digest
from agentx.kernel.paths import SpoolPaths, StorePaths
from agentx.kernel.text import printable
from agentx.memory.port import Drained
from agentx.project.project import Project, locate
from agentx.recall.events import MemoryRecalled
from agentx.recall.tally import NOTE_MARK, Note, count_recalls, doc_ids_of

_SALVAGE_CHARS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolFolder:
    """The spool of one working directory that belongs to this store."""

    paths: SpoolPaths
    directory: str
    project: str


def folders(project: Project) -> Iterator[SpoolFolder]:
    """Yield the spool folders whose working directory belongs to this project's store."""
    for root in project.environment.spools:
        try:
            if root.lstat().st_uid != os.getuid():
                continue  # somebody else's folder under the temporary one
            entries = sorted(os.scandir(root), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folder = _settled(SpoolPaths(Path(entry.path)), project)
                if folder is not None:
                    yield folder


def waiting(project: Project) -> int:
    """Count what hooks have left and nobody has taken yet."""
    return sum(1 for folder in folders(project) for _ in _listed(folder.paths.new))


def refused(project: Project) -> int:
    """Count what was moved aside."""
    return sum(1 for folder in folders(project) for _ in _listed(folder.paths.refused))


def drain(project: Project, conversation: Conversation, bus: Bus | None = None) -> Drained:
    """Take what hooks have spooled for this project into the log; tell what was recalled."""
    intake = _Intake(
        store=project.store,
        faults=Faults(project.store.faults, project.clock),
        run=_run_going_on(project),
    )
    total = Drained()
    for folder in folders(project):
        log = conversation.of_project(folder.project)
        for batch in _batches(folder):
            total = _sum(total, _take(batch, folder, log, intake))
    if bus is not None:
        for note in intake.recalled:
            bus.tell(note.fact)
    return total


def settle(project: Project) -> None:
    """Note which store this project's folder belongs to, so that its hooks find their digest."""
    for directory in {str(project.root), str(project.directory)}:
        spool = project.data.spool(directory)
        _write_settled(spool, directory, str(project.store.root), project.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    file: Path
    drafts: tuple[Draft, ...]
    damaged: str = ""
    recalled: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
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
    receipt = log.append(_attached(drafts, intake.run))
    passing(CrashPoint.DRAIN_APPENDED)
    notes = [item.recalled for item in taken if item.recalled is not None]
    intake.recalled.extend(count_recalls(intake.store.recalled(folder.project), notes))
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


def _run_going_on(project: Project) -> str:
    if not project.paths.runs.is_dir():
        return ""
    from agentx.wiring.runs import active_run  # noqa: PLC0415  most projects have no runs

    return active_run(project)


def _attached(drafts: Iterable[Draft], run: str) -> Iterable[Draft]:
    if not run:
        return drafts
    from agentx.wiring.runs import attached  # noqa: PLC0415  as above

    return attached(drafts, run)


def _read(file: Path, raw: bytes, folder: SpoolFolder) -> _Taken:
    record = spool_record.parse(raw, file.name)
    try:
        payload = json.loads(record.payload)
    except (ValueError, RecursionError) as error:
        reason = str(error) or type(error).__name__
        return _Taken(file=file, drafts=(_salvaged(record, folder, reason),), damaged=reason)
    if not isinstance(payload, dict):
        reason = f"a payload is an object, this is {type(payload).__name__}"
        return _Taken(file=file, drafts=(_salvaged(record, folder, reason),), damaged=reason)
    call = HookCall(
        harness=record.harness,
        received_ms=record.received_ms,
        working_directory=folder.directory,
        payload=payload,
        delivery=digest(record.payload.decode("utf-8", "replace")).hex(),
        agent=record.agent,
    )
    if record.kind == "injected":
        noted = _noted(call, file.stem, folder.project)
        return _Taken(file=file, drafts=(_injected(call, file.stem),), recalled=noted)
    adapter = adapter_for(record.harness)
    if adapter is None:
        return _Taken(file=file, drafts=(_foreign(call, record),))
    try:
        return _Taken(file=file, drafts=adapter.drafts(call))
    except Exception as error:  # noqa: BLE001  one payload that an adapter trips over must not dam the spool
        reason = f"the {record.harness} adapter failed: {error!r}"
        return _Taken(file=file, drafts=(_salvaged(record, folder, reason),), damaged=reason)


def _salvaged(record: SpoolRecord, folder: SpoolFolder, reason: str) -> Draft:
    """Keep what a damaged payload says, in the session it names if it still names one."""
    text = record.payload.decode("utf-8", "replace")
    return Draft(
        harness=record.harness,
        session_id=_named_session(text) or f"unknown-{digest(folder.directory).hex()[:16]}",
        event_type=EventType.NOTE,
        timestamp_ms=record.received_ms,
        role=Role.SYSTEM,
        text=printable(text),
        channel=Channel.HOOK,
        agent=record.agent,
        delivery=digest(text, str(record.received_ms)).hex(),
        metadata={"damaged": reason, "bytes": len(record.payload), "cut": record.cut},
    )


def _named_session(text: str) -> str:
    head = text[:_SALVAGE_CHARS]
    for name in ('"session_id"', '"sessionId"', '"sessionID"'):
        _, found, after = head.partition(name)
        if found:
            _, _, quoted = after.partition('"')
            return quoted.partition('"')[0]
    return ""


def _injected(call: HookCall, name: str) -> Draft:
    """Keep that a session was given a digest, without a word that could be taken as said."""
    return Draft(
        harness=call.harness,
        session_id=str(call.payload.get("session_id") or "unknown"),
        event_type=EventType.NOTE,
        timestamp_ms=call.received_ms,
        role=Role.SYSTEM,
        text="",
        channel=Channel.HOOK,
        agent=call.agent,
        source_id=f"injected:{name}",
        metadata={NOTE_MARK: call.payload},
    )


def _noted(call: HookCall, name: str, project: str) -> Note:
    """Return what a session was told, to be counted."""
    return Note(
        name=name,
        fact=MemoryRecalled(
            project=project,
            harness=call.harness,
            session_id=str(call.payload.get("session_id") or "unknown"),
            at_ms=call.received_ms,
            doc_ids=doc_ids_of(call.payload),
        ),
    )


def _foreign(call: HookCall, record: SpoolRecord) -> Draft:
    """Keep what an agent CLI says that we have no adapter for."""
    session = call.payload.get("session_id") or call.payload.get("sessionId")
    return Draft(
        harness=call.harness,
        session_id=str(session or f"unknown-{digest(call.working_directory).hex()[:16]}"),
        event_type=EventType.NOTE,
        timestamp_ms=call.received_ms,
        role=Role.SYSTEM,
        text=printable(record.payload.decode("utf-8", "replace")),
        channel=Channel.HOOK,
        agent=call.agent,
        delivery=call.delivery,
        metadata={"unknown_harness": True},
    )


def _settled(paths: SpoolPaths, project: Project) -> SpoolFolder | None:
    """Return the folder if its working directory belongs to this store; settle that once."""
    settled = _lines(paths.store)
    directory = "".join(_lines(paths.directory)[:1]) or _named_in_record(paths)
    if len(settled) < 2:
        if not directory:
            return None
        identity, store = locate(directory, project.environment)
        settled = [str(store.root), identity.id]
        _write_settled(paths, directory, *settled)
    if settled[0] != str(project.store.root):
        return None
    return SpoolFolder(paths=paths, directory=directory, project=settled[1])


def _named_in_record(paths: SpoolPaths) -> str:
    """Return the working directory as a record names it: its hook died before it noted it."""
    for entry in _listed(paths.new):
        record = spool_record.parse(Path(entry.path).read_bytes())
        if record.working_directory:
            return record.working_directory
    return ""


def _write_settled(paths: SpoolPaths, directory: str, store: str, project: str) -> None:
    if _lines(paths.store) != [store, project]:
        replace_file(paths.store, f"{store}\n{project}\n".encode("utf-8", "surrogateescape"))
    if not _lines(paths.directory):
        replace_file(paths.directory, directory.encode("utf-8", "surrogateescape"))


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []


def _listed(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from (entry for entry in entries if entry.is_file(follow_symlinks=False))
    except OSError:
        return


def _batches(folder: SpoolFolder) -> Iterator[list[Path]]:
    """Yield what waits, oldest first, in batches bounded by count and by size."""
    batch: list[Path] = []
    size = 0
    for entry in sorted(_listed(folder.paths.new), key=lambda entry: entry.name):
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
        files=one.files + other.files,
        stored=one.stored + other.stored,
        duplicates=one.duplicates + other.duplicates,
        damaged=one.damaged + other.damaged,
        refused=one.refused + other.refused,
    )
