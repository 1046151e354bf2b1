"""From the transcripts that agent CLIs keep on disk into the log.

A transcript that has not changed since it was last read is passed over; one that
has is read again from its start, and identity keeps what was already there from
coming twice. Interrupted anywhere, the next import goes on with the file it was in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from agentx.adapters.port import Adapter, Damaged, Transcript
from agentx.adapters.registry import ADAPTERS
from agentx.adapters.sniff import transcripts_at
from agentx.capture.ahead import ReadAhead
from agentx.capture.cursors import Cursors
from agentx.capture.limits import (
    DAMAGED_LINES_SHOWN_MAX,
    NEWEST_BYTES,
    SEARCHABLE_STEP_BYTES,
    SEARCHABLE_STEP_BYTES_MAX,
)
from agentx.host.crash import CrashPoint, passing
from agentx.kernel.capture import Draft, EventType, Harness
from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import ProjectId
from agentx.kernel.limits import APPEND_BATCH_EVENTS_MAX
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.project.config import Environment
from agentx.project.exclusion import fits_any, is_excluded, list_excluded
from agentx.project.project import locate


@frozen
class ImportRequest:
    """What to import. No sources means every agent CLI that left transcripts of this project."""

    sources: tuple[str, ...] = ()
    since_ms: Millis | None = None
    limit: int | None = None  # sessions, newest first
    dry_run: bool = False
    all_projects: bool = False


@dataclass(slots=True, kw_only=True)
class HarnessImport:
    """What came of one agent CLI's transcripts."""

    harness: str
    transcripts: int = 0
    unchanged: int = 0
    other_projects: int = 0
    excluded: int = 0  # transcripts of what the user wants never to be captured
    bytes: int = 0
    sessions: int = 0
    prompts: int = 0
    events: int = 0
    stored: int = 0
    duplicates: int = 0
    forgotten: int = 0
    damaged: int = 0
    first_ms: Millis | None = None
    last_ms: Millis | None = None
    keeps_transcripts_days: int | None = None


@frozen
class ImportReply:
    """What an import did, or would do."""

    dry_run: bool
    harnesses: tuple[HarnessImport, ...]
    damaged: tuple[Damaged, ...] = ()


@frozen
class ImportDone(ImportReply):
    """What an import did, and how soon."""

    searchable_ms: int  # until every word could be found
    complete_ms: int | None = None  # until all was summed up; None where that is left


class ImportPhase(StrEnum):
    """What an import is at; from the second on it is events that are done."""

    READING = "importing"
    INDEXING = "indexing"  # all is in the log, and is made to be found
    SUMMING = "summing up"  # everything can be found


@frozen
class ImportProgress:
    """How far an import is, for a progress bar."""

    done: int
    total: int
    harness: str
    events: int
    bytes_done: int = 0  # of the transcripts
    bytes_total: int = 0
    phase: ImportPhase = ImportPhase.READING


@dataclass(slots=True)
class _Run:
    """One import under way."""

    environment: Environment
    project_id: ProjectId
    memory: Memory | None  # None where nothing is to be kept
    request: ImportRequest
    told: Callable[[ImportProgress], None]
    cursors: Cursors
    excluded: tuple[str, ...]  # folders and globs, besides the list of all projects
    counts: dict[str, HarnessImport] = field(default_factory=dict)
    damaged: list[Damaged] = field(default_factory=list)
    events: int = 0
    done: int = 0  # of the transcripts
    transcripts: int = 0
    bytes_done: int = 0
    bytes_total: int = 0
    bytes_kept: int = 0  # since the views followed
    step_bytes: int = SEARCHABLE_STEP_BYTES  # after which they follow again
    has_newest: bool = False  # the newest sessions are in every view


def import_transcripts(
    memory: Memory | None,
    request: ImportRequest,
    told: Callable[[ImportProgress], None],
    *,
    environment: Environment,
    project_id: ProjectId,
    cursors: Path,
    now_ms: Millis,
    excluded: tuple[str, ...] = (),
) -> ImportReply:
    """Take transcripts into the log, or with `dry_run` say what would be taken: without a memory.

    The newest go first, and are in every view before the rest is read; of that, words can be
    found soon after they are kept. What is told of it is left for who calls this.

    Raises: InvalidValue for a source that is neither an agent CLI nor a path with transcripts.
    """
    run = _Run(environment, project_id, memory, request, told, Cursors(cursors), excluded)
    wanted = list(_choose(run))
    run.transcripts = len(wanted)
    run.bytes_total = sum(transcript.size_bytes for _, transcript in wanted)
    with ExitStack() as ending:
        ending.callback(run.cursors.write)
        ahead = ending.enter_context(ReadAhead([each for _, each in wanted], now_ms))
        for done, (adapter, transcript) in enumerate(wanted):
            run.done = done
            _import_one(run, adapter, transcript, ahead)
            run.bytes_done += transcript.size_bytes
            if done + 1 < len(wanted):
                _make_known(run, transcript.size_bytes)
    run.done = len(wanted)
    _tell(run)
    return ImportReply(
        dry_run=request.dry_run,
        harnesses=tuple(run.counts.values()),
        damaged=tuple(run.damaged),
    )


def _tell(run: _Run, harness: str = "") -> None:
    run.told(
        ImportProgress(
            done=run.done,
            total=run.transcripts,
            harness=harness,
            events=run.events,
            bytes_done=run.bytes_done,
            bytes_total=run.bytes_total,
        )
    )


def survey_transcripts(
    *,
    environment: Environment,
    project_id: ProjectId,
    cursors: Path,
    excluded: tuple[str, ...] = (),
) -> ImportReply:
    """Count what an import would read of a project, and how large that is, without reading it."""
    request = ImportRequest()
    run = _Run(
        environment, project_id, None, request, lambda _step: None, Cursors(cursors), excluded
    )
    for adapter, transcript in _choose(run):
        count = _count_of(run, adapter)
        count.transcripts += 1
        count.bytes += transcript.size_bytes
    return ImportReply(dry_run=True, harnesses=tuple(run.counts.values()))


def _choose(run: _Run) -> Iterator[tuple[Adapter, Transcript]]:
    """Yield the transcripts to read, newest first, after counting those that are passed over."""
    found = [(adapter, transcript) for adapter, transcript in _find(run)]
    found.sort(key=lambda pair: pair[1].modified_ms, reverse=True)
    left = run.request.limit
    for adapter, transcript in found:
        count = _count_of(run, adapter)
        if left is not None and left <= 0:
            return
        if run.request.since_ms is not None and transcript.modified_ms < run.request.since_ms:
            continue
        if run.cursors.is_read(transcript) and not run.request.dry_run:
            count.unchanged += 1
            continue
        if left is not None:
            left -= 1
        yield adapter, transcript


def _find(run: _Run) -> Iterator[tuple[Adapter, Transcript]]:
    names = {harness.value for harness in Harness}
    sources = run.request.sources or tuple(names)
    for source in sources:
        if source in names:
            adapter = ADAPTERS[Harness(source)]
            for transcript in adapter.discover(run.environment.homes):
                if _is_excluded(run, transcript):
                    _count_of(run, adapter).excluded += 1
                elif run.request.all_projects or _is_ours(run, transcript):
                    yield adapter, transcript
                else:
                    _count_of(run, adapter).other_projects += 1
        else:
            for adapter, transcript in _at_path(source):
                if _is_excluded(run, transcript):
                    _count_of(run, adapter).excluded += 1
                else:
                    yield adapter, transcript


def _at_path(source: str) -> Iterator[tuple[Adapter, Transcript]]:
    path = Path(source).expanduser()
    if not path.exists():
        known = ", ".join(harness.value for harness in Harness)
        raise InvalidValue(
            f"{source}: neither an agent CLI nor a path", hint=f"agent CLIs: {known}"
        )
    count = 0
    for transcript in transcripts_at(path):
        count += 1
        yield ADAPTERS[transcript.harness], transcript
    if not count:
        raise InvalidValue(
            f"{source}: no transcript found there",
            hint="give a .jsonl file, a database or a folder",
        )


def _is_ours(run: _Run, transcript: Transcript) -> bool:
    directory = transcript.working_directory
    return bool(directory) and _project_of(run, directory) == run.project_id


def _is_excluded(run: _Run, transcript: Transcript) -> bool:
    directory, data = transcript.working_directory, run.environment.data
    if fits_any(run.excluded, directory):
        return True
    if not list_excluded(data):
        return False
    return is_excluded(data, directory, _project_of(run, directory) if directory else "")


def _project_of(run: _Run, directory: str) -> str:
    known = run.cursors.projects
    if directory not in known:
        known[directory] = locate(directory, run.environment)[0].id
    return known[directory]


def _make_known(run: _Run, size_bytes: int) -> None:
    """Let the views follow, now and then, what an import that goes on has kept."""
    if run.memory is None or run.request.dry_run:
        return
    run.bytes_kept += size_bytes
    if not run.has_newest and run.bytes_kept >= NEWEST_BYTES:
        run.memory.catch_up()
        run.has_newest, run.bytes_kept = True, 0
    elif run.bytes_kept >= run.step_bytes:
        run.memory.make_searchable_soon()
        run.step_bytes = min(2 * run.step_bytes, SEARCHABLE_STEP_BYTES_MAX)
        run.bytes_kept = 0


def _import_one(run: _Run, adapter: Adapter, transcript: Transcript, ahead: ReadAhead) -> None:
    count = _count_of(run, adapter)
    count.transcripts += 1
    count.bytes += transcript.size_bytes
    seen: set[str] = set()
    _tell(run, adapter.harness)
    for batch in _batches(_drafts(run, count, ahead.read(adapter, transcript))):
        for draft in batch:
            _note(count, seen, draft)
        run.events += len(batch)
        if run.memory is not None and not run.request.dry_run:
            receipt = run.memory.append(batch)
            count.stored += len(receipt.stored)
            count.duplicates += receipt.duplicates
            count.forgotten += receipt.forgotten
    count.sessions += len(seen)
    if not run.request.dry_run:
        passing(CrashPoint.IMPORT_FILE_DONE)
        run.cursors.mark_read(transcript)


def _drafts(run: _Run, count: HarnessImport, read: Iterable[Draft | Damaged]) -> Iterator[Draft]:
    since_ms = run.request.since_ms
    for item in read:
        if isinstance(item, Damaged):
            count.damaged += 1
            if len(run.damaged) < DAMAGED_LINES_SHOWN_MAX:
                run.damaged.append(item)
        elif since_ms is None or item.timestamp_ms >= since_ms:
            yield item


def _note(count: HarnessImport, seen: set[str], draft: Draft) -> None:
    seen.add(draft.session_id)
    count.events += 1
    count.prompts += draft.event_type is EventType.USER_MESSAGE
    at_ms = draft.timestamp_ms
    count.first_ms = at_ms if count.first_ms is None else min(count.first_ms, at_ms)
    count.last_ms = at_ms if count.last_ms is None else max(count.last_ms, at_ms)


def _batches(drafts: Iterable[Draft]) -> Iterator[list[Draft]]:
    batch: list[Draft] = []
    for draft in drafts:
        batch.append(draft)
        if len(batch) == APPEND_BATCH_EVENTS_MAX:
            yield batch
            batch = []
    if batch:
        yield batch


def _count_of(run: _Run, adapter: Adapter) -> HarnessImport:
    name = adapter.harness.value
    if name not in run.counts:
        run.counts[name] = HarnessImport(
            harness=name, keeps_transcripts_days=adapter.keeps_transcripts_days
        )
    return run.counts[name]
