"""A project's memory, looked through for damage: the log, its views, the documents.

Nothing is changed. The log is opened for reading only, so that a daemon may go on serving it; its
blocks are held against RocksDB's own checksums, all of them where the log is small or the user
asks for it. A view that lies about being whole is worse than one that is gone, so the files of the
indexes are held against their checksums too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path

from agentx.conversation.store.outbox import newest_sequence
from agentx.conversation.store.soundness import check_log
from agentx.host.files.json_text import parse_json
from agentx.host.kv import keys
from agentx.host.kv.folder import has_remains
from agentx.host.kv.port import Family
from agentx.host.kv.rocks import RocksStore, open_rocks
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.errors import AgentXError
from agentx.kernel.paths import StorePaths
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.search.checksums import find_damaged_text
from agentx.wiring.keeping.documents import find_damaged_documents
from agentx.wiring.keeping.keyring import find_damaged_keys
from agentx.wiring.keeping.lost import is_log_gone, say_lost

# A log up to this size is read through by every `doctor`: about a second.
_READ_WHOLE_BYTES_MAX = 64 * 1024 * 1024
_FIX = "agentx doctor --fix"


class DamagedPart(StrEnum):
    """What of a memory is damaged, which decides on the mend."""

    LOG = "log"
    INDEX = "index"
    DOCUMENT = "document"
    KEYS = "keys"  # of kept backups
    CACHE = "cache"  # made again by whoever needs it


@frozen
class Damage:
    """Something that is gone, or is not what was written."""

    part: DamagedPart
    says: str
    mend: str = _FIX
    path: Path | None = None  # the file, where it is one


@frozen
class Inspection:
    """What was looked through, and what was found."""

    damages: tuple[Damage, ...]
    rows: int  # of the log, read and held against their checksums
    is_whole: bool  # every block of the log was read


def inspect_memory(project: Project, *, deep: bool = False, told: HowFar = unheard) -> Inspection:
    """Look the memory of a project through; `deep` reads every block and opens every event."""
    found: list[Damage] = []
    rows, is_whole = _inspect_log(project, found, deep=deep, told=told)
    found += (Damage(part=DamagedPart.INDEX, says=says) for says in _of_indexes(project))
    for path in find_damaged_keys(project):
        says = f"{path}: a copy of the keys of kept backups is damaged or gone"
        found.append(Damage(part=DamagedPart.KEYS, says=says))
    for each in find_damaged_documents(project):
        part = DamagedPart.CACHE if each.is_view else DamagedPart.DOCUMENT
        found.append(Damage(part=part, says=each.says, mend=each.mend, path=each.path))
    return Inspection(damages=tuple(found), rows=rows, is_whole=is_whole)


def _inspect_log(
    project: Project, found: list[Damage], *, deep: bool, told: HowFar
) -> tuple[int, bool]:
    store = project.store

    def tell(says: str) -> None:
        found.append(Damage(part=DamagedPart.LOG, says=says))

    if store.restoring.exists():
        tell("a restore was interrupted")
        return 0, False
    if is_log_gone(store):
        tell(say_lost(store))
        return 0, True
    if not has_remains(store.db):
        return 0, True
    try:
        kv = open_rocks(store.db, project.clock, read_only=True)
    except AgentXError as error:
        tell(error.message)
        return 0, False
    try:
        is_whole = deep or kv.size_bytes() <= _READ_WHOLE_BYTES_MAX
        rows = _read_blocks(kv, tell, told) if is_whole else 0
        if not found:
            _hold_against_views(store, kv, tell)
        if deep and not found:
            _open_events(kv, tell, told)
        return rows, is_whole
    except AgentXError as error:
        tell(error.message)
        return 0, False
    finally:
        kv.close()


def _read_blocks(kv: RocksStore, tell: Callable[[str], None], told: HowFar) -> int:
    rows = 0
    for done, family in enumerate(Family, start=1):
        try:
            rows += kv.verify(family)
        except AgentXError as error:
            tell(f"{family}: {error.message}")
        told(done, len(Family))
    return rows


def _hold_against_views(store: StorePaths, kv: RocksStore, tell: Callable[[str], None]) -> None:
    """Tell when a view has read what is not there: the end of the log was lost."""
    newest = newest_sequence(kv)
    for mark in _marks(store):
        sequence, entry = _read_mark(mark)
        there = kv.get(Family.OUTBOX, keys.outbox_key(sequence))
        if sequence > newest:
            tell(
                f"the end of the log is gone: {mark} has read {sequence:,} entries, and there are "
                f"{newest:,}"
            )
        elif entry and there is not None and there != entry.encode():
            tell(f"the end of the log is gone: {mark} has read another entry {sequence:,}")


def _open_events(kv: RocksStore, tell: Callable[[str], None], told: HowFar) -> None:
    sound = check_log(kv, told=told)
    if sound.broken_count:
        named = ", ".join(sound.broken)
        tell(f"{sound.broken_count:,} events cannot be opened, the first: {named}")
    if sound.sessions_broken:
        tell(f"{sound.sessions_broken:,} sessions cannot be read")
    if sound.unlisted:
        tell(f"{sound.unlisted:,} events are not named by their session")


def _marks(store: StorePaths) -> Iterator[Path]:
    yield from store.text_index.glob("g-*/mark.json")
    if store.shared_by:
        yield from store.text_index.glob("*/g-*/mark.json")


def _read_mark(mark: Path) -> tuple[int, str]:
    """Return how far a view has read, and what it read last where it says so."""
    try:
        said = parse_json(mark.read_bytes())
    except (OSError, ValueError):
        return 0, ""
    match said:
        case {"sequence": int(sequence), "entry": str(entry)}:
            return sequence, entry
        case {"sequence": int(sequence)} | {"owner": {"sequence": int(sequence)}}:
            return sequence, ""
        case _:
            return 0, ""


def _of_indexes(project: Project) -> Iterator[str]:
    for folder in _folders(project.store.text_index):
        yield from find_damaged_text(folder)


def _folders(root: Path) -> Iterator[Path]:
    """Yield the folder of an index, and those of projects that share a store."""
    yield root
    yield from sorted(path.parent for path in root.glob("*/current"))
