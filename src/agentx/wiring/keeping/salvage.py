"""A damaged log, mended: every readable event into a fresh store beside, which takes its place.

    db/ -- read --> mending-<id>/db/ -- verified --> changes places with db/
                                                     db.damaged-<id>/ is kept

The damaged store is never written to. Until the places change everything is as it was, so a kill at
any moment leaves either the damaged store or the mended one, and at most a folder to sweep.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from agentx.conversation.store.relaying import (
    LostEvents,
    RelaidLog,
    drop_stray_keys,
    read_sessions,
    relay_log,
)
from agentx.conversation.store.reunion import events_of
from agentx.conversation.store.soundness import check_log
from agentx.host.crash import CrashPoint, passing
from agentx.host.files.swap import put_in_place
from agentx.host.kv import keys
from agentx.host.kv.claim import claiming
from agentx.host.kv.folder import has_remains
from agentx.host.kv.port import Batch, Family, KeyValue
from agentx.host.kv.rocks import open_rocks
from agentx.host.kv.salvage import DamagedStore
from agentx.kernel.errors import CorruptRecord, DataError, InvalidValue
from agentx.kernel.ids import EventId, is_ulid, mint
from agentx.kernel.paths import StorePaths
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.wiring.keeping.keyring import load_keys
from agentx.wiring.keeping.tombstones import bury_again, read_tombstones

_BATCH_ROWS = 2_000
_WORK = "mending-"
_ASIDE = "db.damaged-"
_OF_VIEWS = (
    Family.EVENTS,
    Family.OUTBOX,
    Family.CHECKPOINTS,
    Family.TOC_NODES,
    Family.TOC_LATEST,
    Family.GRIPS,
)


@frozen
class SalvagedLog:
    """What came of mending a log."""

    events: int
    sessions: int
    lost: LostEvents
    aside: Path | None  # where the damaged one is kept
    faults: tuple[str, ...]  # what RocksDB said
    is_relaid: bool  # sessions and views are made anew; else every row was copied as it was


def salvage_log(project: Project) -> SalvagedLog:
    """Mend the log of a project's store. Its views are gone afterwards, and to be made again.

    Raises: LockHeld when a process has it open; UnavailableError when the disk refuses: nothing has
        changed then.
    """
    store = project.store
    sweep_mending(store.root)
    _take_back(store)
    mark = mint_free(project, _ASIDE)
    work = store.root / f"{_WORK}{mark}"
    had_log = store.db.is_dir() and any(store.db.iterdir())
    with claiming(store.db):
        try:
            faults, relaid = _make_fresh(project, work)
            passing(CrashPoint.STORE_MENDED)
            aside = store.root / f"{_ASIDE}{mark}"
            put_in_place(work / "db", store.db, aside)
            passing(CrashPoint.STORE_SWAPPED)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    drop_views(project)
    if not had_log:
        shutil.rmtree(aside, ignore_errors=True)  # it held nothing but our own claim
    return SalvagedLog(
        events=relaid.events,
        sessions=relaid.sessions,
        lost=relaid.lost,
        aside=aside if had_log else None,
        faults=tuple(faults),
        is_relaid=bool(faults) or relaid.lost.count > 0,
    )


def mint_free(project: Project, prefix: str) -> str:
    """Return an id by which nothing in the store's folder is named yet."""
    first = mark = mint(project.clock.now_ms(), project.entropy)
    tries = 1
    while (project.store.root / f"{prefix}{mark}").exists():
        tries += 1
        mark = f"{first}-{tries}"
    return mark


def drop_views(project: Project) -> None:
    """Take away what was made from a log that is no longer the one; it is made again."""
    store = project.store
    for folder in (store.text_index, store.root / "recalled"):
        shutil.rmtree(folder, ignore_errors=True)
    for path in (store.digest_stamp, store.import_cursors):
        path.unlink(missing_ok=True)


def sweep_mending(root: Path) -> None:
    """Remove what a mending that was killed left behind."""
    for folder in root.glob(f"{_WORK}*"):
        shutil.rmtree(folder, ignore_errors=True)


def _take_back(store: StorePaths) -> None:
    """Put the log back that stepped aside for one that never came: a kill came first."""
    aside = list_damaged_logs(store.root)
    if aside and not has_remains(store.db):
        shutil.rmtree(store.db, ignore_errors=True)
        aside[-1].rename(store.db)


def list_damaged_logs(root: Path) -> tuple[Path, ...]:
    """Return the damaged logs that were put aside."""
    return tuple(sorted(root.glob(f"{_ASIDE}*")))


def _make_fresh(project: Project, work: Path) -> tuple[list[str], RelaidLog]:
    damaged = DamagedStore(project.store.db, work)
    fresh = open_rocks(work / "db", project.clock)
    try:
        for family in Family:
            _copy_rows(fresh, family, damaged)
        faults = list(damaged.faults)
        if not faults and not _is_sound(fresh):
            faults.append("events that do not match their keys")
        known = _list_known_events(fresh)
        if not faults and not _absent(fresh, known):
            sound = check_log(fresh)
            readable = sound.events - sound.forgotten
            count = sum(1 for _ in fresh.scan(Family.SESSIONS, *keys.session_range()))
            return [], RelaidLog(
                events=readable, sessions=count, closed=sound.forgotten, lost=LostEvents()
            )
        _fill(fresh, damaged)
        # What was made out of raw bytes may be a name that never was: two must say it.
        named = [_list_by_keys(fresh), _list_by_sessions(fresh)]
        known |= {each: ref for each, ref in named[1].items() if each in named[0]}
        _fill_keys(project, fresh)
        sessions = read_sessions(fresh)
        relaid = relay_log(fresh, sessions, known, keeps_views=damaged.is_whole(_OF_VIEWS))
        if relaid.lost.count and damaged.is_whole(_OF_VIEWS):
            relaid = relay_log(fresh, sessions, known)
        _drop_identities(fresh)
        bury_again(project, fresh, read_tombstones(project))
        return faults, relaid
    finally:
        damaged.close()
        fresh.close()


def _copy_rows(fresh: KeyValue, family: Family, damaged: DamagedStore) -> None:
    batch = Batch()
    for key, value in damaged.rows(family):
        batch.put(family, key, value)
        if len(batch) >= _BATCH_ROWS:
            fresh.write(batch, sync=False)
            batch = Batch()
    fresh.write(batch, sync=True)


def _fill(fresh: KeyValue, damaged: DamagedStore) -> None:
    """Add what can be made out of raw files."""

    def is_known(family: Family, key: bytes) -> bool:
        return fresh.get(family, key) is not None

    batch = Batch()
    for family, (key, value) in damaged.raw_rows(is_known):
        batch.put(family, key, value)
        if len(batch) >= _BATCH_ROWS:
            fresh.write(batch, sync=False)
            batch = Batch()
    fresh.write(batch, sync=True)


def _fill_keys(project: Project, fresh: KeyValue) -> None:
    """Add the keys that are kept for backups; those of what was forgotten are not among them."""
    try:
        held = load_keys(project)
    except CorruptRecord:
        return
    batch = Batch()
    for key, kept in held.items():
        if key.startswith((b"kev:", b"kse:")) and fresh.get(Family.KEYS, key) is None:
            batch.put(Family.KEYS, key, kept.key)
    fresh.write(batch)
    drop_stray_keys(fresh)


def _is_sound(fresh: KeyValue) -> bool:
    try:
        sound = check_log(fresh)
    except DataError:
        return False
    return not (sound.broken_count or sound.sessions_broken or sound.unlisted)


def _list_known_events(kv: KeyValue) -> dict[EventId, bytes]:
    """Return every event that a key or a session's list names."""
    return {**_list_by_keys(kv), **_list_by_sessions(kv)}


def _list_by_keys(kv: KeyValue) -> dict[EventId, bytes]:
    names = (
        key[4:].decode("ascii", "replace")
        for key, _ in kv.scan(Family.KEYS, *keys.event_seal_range())
    )
    return {EventId(name): b"" for name in names if is_ulid(name)}


def _list_by_sessions(kv: KeyValue) -> dict[EventId, bytes]:
    found: dict[EventId, bytes] = {}
    for key, _ in kv.scan(Family.SESSIONS, b"six:", b"six;"):
        try:
            event_id = keys.event_id_of(keys.session_event_of(key))
            found[event_id] = bytes.fromhex(key[4:36].decode("ascii", "replace"))
        except (CorruptRecord, ValueError):
            continue
    return found


def _absent(kv: KeyValue, known: dict[EventId, bytes]) -> set[EventId]:
    names = list(known)
    absent: set[EventId] = set()
    for start in range(0, len(names), _BATCH_ROWS):
        some = names[start : start + _BATCH_ROWS]
        absent.update(each for each in some if not _is_event(each))
        some = [each for each in some if each not in absent]
        found = kv.get_many(Family.EVENTS, [keys.event_key_of(each) for each in some])
        absent.update(each for each, row in zip(some, found, strict=True) if row is None)
    return absent


def _is_event(name: EventId) -> bool:
    try:
        keys.event_key_of(name)
    except InvalidValue:
        return False
    return True


def _drop_identities(kv: KeyValue) -> None:
    """Take away the identities of events that are lost, so that they may come back by import."""
    batch = Batch()
    for key, value in kv.scan(Family.IDENTITIES, *keys.identity_range()):
        try:
            named = events_of(value)
        except CorruptRecord:
            named = ()
        if not named or _absent(kv, dict.fromkeys(named, b"")):
            batch.delete(Family.IDENTITIES, key)
    kv.write(batch)
