"""From one kind of store to the other: copied, compared, and only then in its place.

    read all --> write a new store beside --> compare every observation --> move in --> switch

The old one is kept aside, whole. A kill before the move leaves the old store in use and a new
one that the next migration overwrites.

Law: nothing is renamed before count and digest of everything were found to be the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from agentx.host.files.atomic import make_private_directory
from agentx.host.files.below.finding import find_files
from agentx.host.files.disk import sync_directory
from agentx.host.files.plain import exists, list_folder, remove_tree, rename
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.clock import Clock
from agentx.kernel.errors import CorruptRecord
from agentx.kernel.ids import Entropy, digest, mint
from agentx.kernel.values import frozen
from agentx.observations.model import Migrated, Observation, SearchFilters
from agentx.observations.store.files.pending import Pending
from agentx.observations.store.files.store import JsonObservationStore
from agentx.observations.store.paths import ObservationPaths
from agentx.observations.store.records import encode, observation_of, record_of
from agentx.observations.store.sqlite.store import SqliteObservationStore
from agentx.observations.store.words.view import WordView

_BATCH = 500
_VIEWS = "views"
Store = JsonObservationStore | SqliteObservationStore


@frozen
class Fingerprint:
    """What two stores have in common exactly when they hold the same."""

    observations: int
    archived: int
    digest: str


def migrate(
    folder: Path,
    *,
    to: str,
    clock: Clock,
    entropy: Entropy,
    view_folder: Path,
    told: HowFar = unheard,
) -> Migrated:
    """Move every observation to a store of the other kind, in the same folder.

    Raises: CorruptRecord when the copy is not the same, LockHeld, UnavailableError.
    """
    paths = ObservationPaths(folder)
    make_private_directory(folder)
    beside = folder / ".migrating"
    remove_tree(beside)
    make_private_directory(beside)
    new = ObservationPaths(beside)

    def json_at(where: Path, views: Path) -> JsonObservationStore:
        return JsonObservationStore(where, clock=clock, entropy=entropy, view_folder=views)

    if to == "sqlite":
        source: Store = json_at(folder, view_folder)
        target: Store = SqliteObservationStore(
            new.database, clock=clock, view_folder=beside / _VIEWS
        )
    else:
        source = SqliteObservationStore(paths.database, clock=clock, view_folder=view_folder)
        target = json_at(beside, beside / _VIEWS)
    try:
        found = copy_verified(source, target, told)
    finally:
        source.close()
        target.close()
    aside = paths.replacement(mint(clock.now_ms(), entropy))
    _move(paths, beside, aside, to=to)
    # Nobody would take a forgotten word out of lists that nobody reads any more.
    WordView(view_folder, folder if to == "sqlite" else paths.database).delete()
    return Migrated(
        backend=to,
        observations=found.observations,
        archived=found.archived,
        digest=found.digest,
        kept_aside=str(aside),
    )


def copy_verified(source: Store, target: Store, told: HowFar = unheard) -> Fingerprint:
    """Copy everything and compare; return what both hold.

    Raises: CorruptRecord when the copy is not the same.
    """
    source.settle()
    copy_all(source, target, told)
    made = fingerprint(target)
    if made != fingerprint(source):
        # Somebody may have captured meanwhile: what came is copied too, then it must be the same.
        copy_all(source, target)
        made = fingerprint(target)
    _compare(fingerprint(source), made)
    return made


def fingerprint(store: Store) -> Fingerprint:
    """Return the count and a digest over every observation, its recall count included."""
    counts = {each.id: each.recall_count for each in store.search_by_filters(SearchFilters())}
    whole = sorted(
        encode(record_of(each)).decode() + f" {counts.get(each.id, 0)}"
        for each in store.everything()
    )
    old = sorted(encode(record_of(each)).decode() for each in store.archive())
    return Fingerprint(
        observations=len(whole), archived=len(old), digest=digest(*whole, "archive", *old).hex()
    )


def copy_all(source: Store, target: Store, told: HowFar = unheard) -> None:
    """Store everything of one store in another as well; `told` is heard after each batch."""
    target.keep_archived(source.archive())
    done, total = 0, source.get_stats().total_observations
    for batch in _batches(source.everything()):
        target.store(batch)
        target.amend(batch)
        done += len(batch)
        told(done, max(done, total))
    target.settle()
    rows = source.search_by_filters(SearchFilters())
    target.keep_counts({each.id: each.recall_count for each in rows if each.recall_count})


def _batches(observations: Iterable[Observation]) -> Iterator[list[Observation]]:
    batch: list[Observation] = []
    for each in observations:
        batch.append(each)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _compare(wanted: Fingerprint, made: Fingerprint) -> None:
    if made != wanted:
        raise CorruptRecord(
            f"the copy is not the same: {made.observations} of {wanted.observations} observations,"
            f" digest {made.digest} instead of {wanted.digest}",
            hint="nothing was changed; run `agentx doctor`, then try again",
        )


def _move(paths: ObservationPaths, beside: Path, aside: Path, *, to: str) -> None:
    """Put the old store aside and the new one in its place."""
    olds = _json_parts(paths) if to == "sqlite" else _database_parts(paths)
    if olds:
        make_private_directory(aside)
    for old in olds:
        rename(old, aside / old.name)
    made = list_folder(beside)
    for name in (*made.files, *made.folders):
        if name != _VIEWS and not name.endswith((".lock", "-shm")):
            rename(beside / name, paths.root / name)
    remove_tree(beside)
    sync_directory(paths.root)


def _json_parts(paths: ObservationPaths) -> list[Path]:
    known = [path for path in (paths.manifest, paths.archive) if exists(path)]
    issues = find_files(paths.root, depth=0, suffix=".json")
    return [*known, *(path for path in issues if path.name.startswith("issue-"))]


def _database_parts(paths: ObservationPaths) -> list[Path]:
    found = find_files(paths.root, depth=0, suffix="")
    return [path for path in found if path.name.startswith(paths.database.name)]


def absorb(pending: Pending, target: SqliteObservationStore) -> int:
    """Take what a process that knew nothing of the migration has captured since; return the acts.

    Raises: LockHeld, UnavailableError.
    """
    if not pending.size():
        return 0
    pending.refresh()
    for act in pending.acts:
        found = [observation_of(record) for record in act.observations]
        if act.op == "store":
            target.store(found)
        elif act.op == "amend":
            target.amend(found)
        elif act.op == "recalled":
            target.increment_recall_count(*act.ids)
        else:
            for each in act.ids:
                target.remove(each)
    moved = len(pending.acts)
    return moved if pending.empty() else 0
