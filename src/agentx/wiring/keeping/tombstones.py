"""What was forgotten, noted outside of the store: no restore and no salvage brings it back.

A line for each forgetting, synced before the first key goes: ids and times, never a word. When a
memory is read back from a file, everything that has a tombstone is forgotten in it again, before it
takes its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from agentx.conversation.forgotten.spans import ForgottenSpan, WordsPrint
from agentx.conversation.model import Event, ForgottenName, Grave
from agentx.conversation.store import rows
from agentx.conversation.store.log import LogStore
from agentx.conversation.store.relaying import relay_log
from agentx.conversation.store.reunion import name_again
from agentx.host.files.atomic import make_private_directory
from agentx.host.files.journal import Journal
from agentx.host.kv import keys
from agentx.host.kv.port import Batch, Family, KeyValue
from agentx.kernel.clock import Millis, to_iso
from agentx.kernel.errors import CorruptRecord
from agentx.kernel.ids import EventId, is_ulid
from agentx.kernel.values import frozen
from agentx.observations.model import SearchFilters
from agentx.observations.port import ObservationStore
from agentx.observations.store.files.store import JsonObservationStore
from agentx.observations.store.paths import ObservationPaths
from agentx.project.project import Project
from agentx.wiring.keeping.keyring import drop_keys
from agentx.wiring.keeping.lost import tombstone_file

_QUOTING = (Family.CHECKPOINTS, Family.TOC_NODES, Family.TOC_LATEST, Family.GRIPS)


@frozen
class Tombstones:
    """Everything of a store that was ever forgotten."""

    event_ids: frozenset[EventId]
    names: tuple[ForgottenName, ...]  # of events that were forgotten singly
    sessions: dict[bytes, rows.SessionRow]  # by reference: as it stands after it was forgotten
    spans: tuple[ForgottenSpan, ...] = ()


def bury(project: Project, grave: Grave) -> None:
    """Note what is about to be forgotten; return after it is on disk.

    Raises: UnavailableError when the disk refuses; nothing may be forgotten then.
    """
    said: dict[str, object] = {"at": to_iso(project.clock.now_ms()), "events": grave.event_ids}
    if grave.names:
        said["names"] = [
            (
                *(each.identity, each.value.hex(), each.event_ids),
                *(each.session_id, each.harness, each.project),
            )
            for each in grave.names
        ]
    if grave.session:
        said |= {
            "session": grave.session.hex(),
            "session_id": grave.session_id,
            "harness": grave.harness,
            "project": grave.project,
            "until_ms": grave.at_ms,
        }
    make_private_directory(project.data.tombstones)
    Journal(tombstone_file(project), project.clock).append([said])
    drop_keys(project, grave)


def bury_span(project: Project, span: ForgottenSpan) -> None:
    """Note that a span is forgotten, with all of it that was never captured.

    Raises: UnavailableError when the disk refuses; nothing may be forgotten then.
    """
    said: dict[str, object] = {
        "project": span.project,
        "since_ms": span.since_ms,
        "before_ms": span.until_ms,
    }
    if span.words is not None:
        words = span.words
        said["words"] = (words.chars, words.base, words.total, words.salt.hex(), words.hashed.hex())
    make_private_directory(project.data.tombstones)
    line = {"at": to_iso(project.clock.now_ms()), "span": said}
    Journal(tombstone_file(project), project.clock).append([line])


def read_tombstones(project: Project) -> Tombstones:
    """Return what was ever forgotten in this store.

    Raises: CorruptRecord when a line cannot be read: nothing may be restored then.
    """
    event_ids: set[EventId] = set()
    names: list[ForgottenName] = []
    sessions: dict[bytes, rows.SessionRow] = {}
    spans: list[ForgottenSpan] = []
    for said in Journal(tombstone_file(project), project.clock).records():
        match said:
            case {"session": str(ref), "session_id": str(name), "until_ms": int(until_ms)}:
                sessions[bytes.fromhex(ref)] = rows.SessionRow(
                    session_id=name,
                    harness=str(said.get("harness", "")),
                    project=str(said.get("project", "")),
                    forgotten_ms=until_ms,
                )
            case _:
                pass
        match said:
            case {"events": list(found)}:
                event_ids.update(EventId(each) for each in found if is_ulid(str(each)))
            case _:
                pass
        match said:
            case {"names": list(found)}:
                names.extend(_name_of(each) for each in found)
            case {"span": dict(span)}:
                spans.append(_span_of(span))
            case _:
                pass
    return Tombstones(
        event_ids=frozenset(event_ids), names=tuple(names), sessions=sessions, spans=tuple(spans)
    )


def _span_of(said: dict[str, object]) -> ForgottenSpan:
    words: WordsPrint | None = None
    match said.get("words"):
        case [int(chars), int(base), int(total), str(salt), str(hashed)]:
            words = WordsPrint(
                chars=chars,
                base=base,
                total=total,
                salt=bytes.fromhex(salt),
                hashed=bytes.fromhex(hashed),
            )
        case None:
            pass
        case _:
            raise CorruptRecord("a tombstone says no words", hint="bring the file back")
    match said:
        case {"project": str(project), "since_ms": int(since_ms), "before_ms": int(until_ms)}:
            return ForgottenSpan(
                project=project, since_ms=Millis(since_ms), until_ms=Millis(until_ms), words=words
            )
        case _:
            raise CorruptRecord("a tombstone names no span", hint="bring the file back")


def _name_of(said: object) -> ForgottenName:
    match said:
        case [str(identity), str(value), list(gone), str(session), str(harness), str(project)]:
            return ForgottenName(
                identity=identity,
                value=bytes.fromhex(value),
                event_ids=tuple(EventId(each) for each in gone if is_ulid(str(each))),
                session_id=session,
                harness=harness,
                project=project,
            )
        case _:
            raise CorruptRecord("a tombstone names no event", hint="bring the file back")


def bury_again(project: Project, kv: KeyValue, gone: Tombstones) -> int:
    """Forget in a log that was read back what was forgotten since; return how many events."""
    log = LogStore(kv, entropy=project.entropy)
    alive = [event for each in sorted(gone.event_ids) if (event := log.get(each)) is not None]
    alive += _find_covered(log, gone)
    touched = {rows.session_ref(each.project, each.harness, each.session_id) for each in alive}
    count = 0
    for ref, buried in gone.sessions.items():
        raw = kv.get(Family.SESSIONS, keys.session_key(ref))
        row = buried if raw is None else rows.unpack_session(raw)
        if raw is None or row.forgotten_ms < buried.forgotten_ms:
            # One that is not here must be known to be forgotten too: a transcript may hold it.
            until_ms = Millis(buried.forgotten_ms)
            count += log.forget_session(ref, row, now_ms=until_ms).events
            touched.add(ref)
    left: list[Event] = [event for event in alive if log.get(event.event_id) is not None]
    if left:
        count += log.forget_events(left).events
    if touched:
        _drop_quotes(kv, touched)
    name_again(kv, gone.names)
    return count


def _find_covered(log: LogStore, gone: Tombstones) -> list[Event]:
    """Return what lies in a forgotten span and was not there when that was forgotten."""
    found: dict[EventId, Event] = {}
    for span in gone.spans:
        for event_id, event in log.scan(*keys.event_range(span.since_ms, span.until_ms)):
            if event_id in gone.event_ids or event is None:
                continue
            if span.covers(event, project=event.project):
                found[event_id] = event
    return list(found.values())


def forget_observations(stores: Iterable[ObservationStore], gone: Tombstones) -> int:
    """Take what was learnt from forgotten events out of observations; return how many went."""
    names = {row.session_id for row in gone.sessions.values()}
    count = 0
    for store in stores:
        known = [each.id for each in store.search_by_filters(SearchFilters())]
        doomed = [
            each.id
            for each in store.get_by_ids(known)
            if each.session_id in names or gone.event_ids.intersection(each.event_ids)
        ]
        count += len(store.forget(doomed)) if doomed else 0
    return count


def forget_observations_in(project: Project, folder: Path, gone: Tombstones) -> int:
    """Do so in a folder of observations that is no project's yet."""
    if not folder.is_dir():
        return 0
    database, words = ObservationPaths(folder).database, folder / ".words"
    files = JsonObservationStore(
        folder, clock=project.clock, entropy=project.entropy, view_folder=words
    )
    with closing(files):
        count = forget_observations((files,), gone)
    if database.exists():
        from agentx.observations.store.sqlite.store import SqliteObservationStore  # noqa: PLC0415  few have one

        rows = SqliteObservationStore(database, clock=project.clock, view_folder=words)
        with closing(rows):
            count += forget_observations((rows,), gone)
    return count


def _drop_quotes(kv: KeyValue, touched: set[bytes]) -> None:
    """Take away what quotes the events of some sessions; it is made again without them."""
    sessions = {
        keys.session_ref_of(key): rows.unpack_session(raw)
        for key, raw in kv.scan(Family.SESSIONS, *keys.session_range())
    }
    relay_log(kv, sessions, {})
    batch = Batch()
    for key, _ in kv.scan(Family.CHECKPOINTS, *keys.checkpoint_range("observe/")):
        if any(ref.hex() in keys.checkpoint_name_of(key) for ref in touched):
            batch.delete(Family.CHECKPOINTS, key)
    kv.write(batch)
    for family in _QUOTING:
        kv.erase(family)
