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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, fields, replace
from pathlib import Path

from agentx.adapters.port import HookCall
from agentx.adapters.registry import adapter_for
from agentx.capture import spool_record
from agentx.capture.faults import Faults
from agentx.capture.limits import (
    DRAIN_BATCH_BYTES_MAX,
    DRAIN_BATCH_FILES_MAX,
    RECORD_BYTES_MAX,
    TRIAL_KEPT_MS,
)
from agentx.capture.spool import Spool, SpoolFolder, list_records
from agentx.capture.spool_record import SpoolRecord
from agentx.conversation.service import Conversation
from agentx.host.crash import CrashPoint, passing
from agentx.host.files import plain
from agentx.host.files.disk import look_at
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.capture import UNKNOWN_HARNESS, Channel, Draft, EventType, Role
from agentx.kernel.errors import InputError, LimitError
from agentx.kernel.ids import digest
from agentx.kernel.paths import StorePaths
from agentx.kernel.text import printable
from agentx.kernel.values import frozen
from agentx.memory.port import Drained
from agentx.views.recall_tally import NOTE_MARK, Note, count_recalls, note_of

_SALVAGE_CHARS = 4_000
_FAULTS_LOOKED_AT = 50
_OF_WORK = (EventType.SESSION_START, EventType.USER_MESSAGE)


SessionNames = frozenset[tuple[str, str]]  # the agent CLI, and what it calls the session


@frozen
class Intake:
    """Where one drain puts what it takes: the log's own, and what is not the log's."""

    store: StorePaths
    faults: Faults
    find_run: Callable[[str], Mapping[str, str]] = lambda _folder: {}  # that a session works for
    # Is told which sessions began, or were spoken to, in the folder of a lane.
    attach: Callable[[Mapping[str, str], SessionNames], None] = lambda _work, _sessions: None
    now_ms: int = 0
    recalled: list[Note] = field(default_factory=list)


def drain_spool(
    spool: Spool, conversation: Conversation, intake: Intake, told: HowFar = unheard
) -> Drained:
    """Take what hooks have spooled for a store into its log; `told` is heard after each batch."""
    total = Drained()
    for path in spool.list_excluded():
        _remove(path, intake.faults)
    for folder in spool.folders():
        log = conversation.of_project(folder.project)
        for batch in _batches(folder):
            total = _sum(total, _take_all(batch, folder, log, intake))
            told(total.files, total.files)
    return total


@frozen
class _Taken:
    file: Path
    drafts: tuple[Draft, ...]
    damaged: str = ""
    recalled: Note | None = None


def _take_all(files: list[Path], folder: SpoolFolder, log: Conversation, intake: Intake) -> Drained:
    """Take a batch; where one record of it cannot be stored, that one is moved aside.

    Raises: UnavailableError, DataError when it is the store that fails.
    """
    try:
        return _take(files, folder, log, intake)
    except (InputError, LimitError, ValueError) as error:
        if len(files) == 1:
            return Drained(refused=_set_aside(files[0], folder, str(error), intake.faults))
    total = Drained()
    for file in files:
        total = _sum(total, _take_all([file], folder, log, intake))
    return total


def _take(files: list[Path], folder: SpoolFolder, log: Conversation, intake: Intake) -> Drained:
    faults = intake.faults
    taken: list[_Taken] = []
    refusals = 0
    for file in files:
        try:
            raw = plain.read_bytes(file, bytes_max=RECORD_BYTES_MAX, ground=folder.paths.root)
        except FileNotFoundError:
            continue  # another drain was faster
        except OSError as error:
            refusals += _set_aside(file, folder, str(error), faults)
            continue
        if spool_record.is_trial(raw):
            _leave_trial(file, raw, intake)
            continue
        taken.append(_read(file, raw, folder))
    passing(CrashPoint.DRAIN_READ)
    drafts = tuple(draft for item in taken for draft in item.drafts)
    work = intake.find_run(folder.directory)
    receipt = log.append(attach_to_run(drafts, work))
    passing(CrashPoint.DRAIN_APPENDED)
    notes = [item.recalled for item in taken if item.recalled is not None]
    intake.recalled.extend(count_recalls(intake.store.recall_counts(folder.project), notes))
    for item in taken:
        if item.damaged:
            faults.report("damaged payload", file=item.file.name, reason=item.damaged)
        _remove(item.file, faults)
        passing(CrashPoint.DRAIN_PARTLY_REMOVED)
    sessions = frozenset(
        (draft.harness, draft.session_id) for draft in drafts if draft.event_type in _OF_WORK
    )
    if work.get("lane") and sessions:
        intake.attach(work, sessions)
    return Drained(
        files=len(taken),
        stored=len(receipt.stored),
        duplicates=receipt.duplicates,
        damaged=sum(1 for item in taken if item.damaged),
        refused=refusals,
    )


def attach_to_run(drafts: Iterable[Draft], work: Mapping[str, str]) -> Iterator[Draft]:
    """Yield drafts, the starts of sessions marked with the run, lane and task they work for."""
    for draft in drafts:
        if work and draft.event_type is EventType.SESSION_START:
            yield replace(draft, metadata={**draft.metadata, **work})
        else:
            yield draft


def _leave_trial(file: Path, raw: bytes, intake: Intake) -> None:
    """Leave a test event to whoever sent it and looks for it; throw away what is left of one."""
    age_ms = intake.now_ms - spool_record.parse(raw, file.name).received_ms
    if not 0 <= age_ms < TRIAL_KEPT_MS:
        _remove(file, intake.faults)


def _read(file: Path, raw: bytes, folder: SpoolFolder) -> _Taken:
    record = spool_record.parse(raw, file.name)
    if record.is_role_open:
        record = replace(record, agent=folder.role)
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
        branch=record.branch,
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
        told = {UNKNOWN_HARNESS: True}
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


def _batches(folder: SpoolFolder) -> Iterator[list[Path]]:
    """Yield what waits, oldest first, in batches bounded by count and by size."""
    batch: list[Path] = []
    size = 0
    for path in list_records(folder.paths):
        seen = look_at(path)
        if seen is None:
            continue
        size += seen[1]
        batch.append(path)
        if len(batch) >= DRAIN_BATCH_FILES_MAX or size >= DRAIN_BATCH_BYTES_MAX:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _set_aside(file: Path, folder: SpoolFolder, reason: str, faults: Faults) -> int:
    """Move a record aside; where even that cannot be done it waits, and nobody waits for it."""
    try:
        folder.paths.refused.mkdir(mode=0o700, exist_ok=True)
        file.rename(folder.paths.refused / file.name)
    except OSError as error:
        _report_once(faults, "record stays", file, f"{reason}; nor moved aside: {error.strerror}")
        return 0
    faults.report("refused record", file=file.name, reason=reason)
    return 1


def _remove(file: Path, faults: Faults) -> None:
    """Remove a record that is in the log; should it stay, it is known there when it comes again."""
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        _report_once(faults, "record stays", file, f"taken, but not removed: {error.strerror}")


def _report_once(faults: Faults, kind: str, file: Path, reason: str) -> None:
    if not any(fault.file == file.name for fault in faults.newest(_FAULTS_LOOKED_AT)):
        faults.report(kind, file=file.name, reason=reason)


def _sum(one: Drained, other: Drained) -> Drained:
    return Drained(
        **{
            part.name: getattr(one, part.name) + getattr(other, part.name)
            for part in fields(Drained)
        }
    )
