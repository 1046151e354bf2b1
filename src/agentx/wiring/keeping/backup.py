"""A backup a day, kept for some days: every fact sealed, and no key in it.

    ["row", family, key, value]      events, which are sealed already; identities; sessions
    ["sealed", name, sealed]         any other record, sealed with the key of that name

Observations are sealed one by one, and the files of questions by question, so that one can be
forgotten without the others. A backup that cannot be written whole leaves the older ones as they
are.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from agentx import __version__
from agentx.clarification.store.ledger_json import DamagedLedger, UnknownVersion
from agentx.clarification.store.question_events import event_of, has_words
from agentx.conversation.store.soundness import check_log
from agentx.host.files.atomic import make_private_directory
from agentx.host.files.json_text import line_of, page_of, parse_json
from agentx.host.files.parcel import Record, sweep_unfinished, write_parcel
from agentx.host.files.plain import is_folder
from agentx.host.kv import keys
from agentx.host.kv.folder import has_store
from agentx.host.kv.port import Family, KeyValue
from agentx.host.kv.rocks import RocksStore, open_rocks
from agentx.kernel.clock import DAY_MS, to_iso
from agentx.kernel.errors import CorruptRecord, UnavailableError
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.project.settings import BackupSettings
from agentx.wiring.keeping.carrying import FILE, ROW, list_files, list_rows
from agentx.wiring.keeping.export import sweep_exports
from agentx.wiring.keeping.inventory import take_inventory
from agentx.wiring.keeping.keyring import (
    VOLATILE,
    HeldKey,
    Keys,
    holding_keys,
    load_keys,
    save_keys,
)
from agentx.wiring.keeping.tombstones import OF_OBSERVATION, OF_QUESTION, read_tombstones

KIND = "backup"
SEALED, OBSERVATION = "sealed", "observation"
_FACTS = (Family.EVENTS, Family.IDENTITIES, Family.SESSIONS)
_KEY_BYTES, _NONCE_BYTES = 32, 12
_SPARE_BYTES = 500 * 1024 * 1024
_MEMORY = ".agentx/memory/"
_QUESTIONS, _VIEWS = "/questions/", ".agentx/state/clarifications/"


@frozen
class KeptBackups:
    """The backups of a store."""

    paths: tuple[Path, ...] = ()  # oldest first
    bytes: int = 0

    def __str__(self) -> str:
        return f"{len(self.paths)} kept, {self.bytes:,} bytes"


def list_backups(project: Project) -> KeptBackups:
    """Return what is kept."""
    folder = project.data.kept / project.store.root.name
    paths = tuple(sorted(folder.glob("*.agentx")))
    return KeptBackups(paths=paths, bytes=sum(path.stat().st_size for path in paths))


def backup_memory(project: Project) -> KeptBackups:
    """Write today's backup and drop those that are too old; nothing where that is switched off.

    Raises: CorruptRecord when the log is damaged, UnavailableError when there is no room: what is
        kept stays.
    """
    days = project.config.section(BackupSettings).keep_days
    if days <= 0 or not _has_facts(project):
        return list_backups(project)
    folder = project.data.kept / project.store.root.name
    make_private_directory(folder)
    sweep_unfinished(folder)
    sweep_exports(project)
    take_inventory(project)
    now_ms = project.clock.now_ms()
    with ExitStack() as closing:
        # Held from before the log is looked at until the keys are written: what is forgotten
        # meanwhile waits, and what was being forgotten before has its tombstone.
        with holding_keys(project):
            kv = open_rocks(project.store.db, project.clock, read_only=True)
            closing.callback(kv.close)
            about, records = _prepare(project, kv, folder)
        path = folder / f"{to_iso(now_ms)[:10]}.agentx"
        write_parcel(path, {**about, "made": to_iso(now_ms)}, chain(list_rows(kv, _FACTS), records))
    oldest = to_iso(now_ms - days * DAY_MS)[:10]
    for path in list_backups(project).paths[:-1]:
        if path.stem <= oldest:
            path.unlink()
    return list_backups(project)


def _has_facts(project: Project) -> bool:
    """Tell whether there is something to keep: also words and memories of who captured nothing."""
    if not has_store(project.store.db):
        paths = project.paths
        rooms = (project.observations, paths.issues, paths.runs, *project.asked, *project.taught)
        if not any(map(is_folder, rooms)):
            return False
        open_rocks(project.store.db, project.clock).close()  # a log without events
    return True


def _prepare(project: Project, kv: RocksStore, folder: Path) -> tuple[dict[str, Any], list[Record]]:
    """Seal what is not sealed yet and keep every key; return the header and the sealed facts."""
    if shutil.disk_usage(folder).free < 2 * kv.size_bytes() + _SPARE_BYTES:
        raise UnavailableError("no room for a backup", hint="free some disk space")
    sound = check_log(kv)
    if sound.broken_count or sound.sessions_broken:
        raise CorruptRecord("the log is damaged", hint="`agentx doctor --fix` mends it")
    held = {**load_keys(project), **_keys_of(kv)}
    records = list(_seal_all(project, kv, held))
    gone = read_tombstones(project)
    # First the keys: a backup without them would be worth nothing.
    save_keys(project, {name: key for name, key in held.items() if not gone.opens(name, key)})
    return {
        "kind": KIND,
        "agentx": __version__,
        "project": project.id,
        "store": "unified" if project.store.shared_by else "project",
        "events": sound.events - sound.forgotten,
    }, records


def open_sealed(record: Record, held: Keys) -> Record | None:
    """Return what a sealed record holds; None when its key is gone: it was forgotten.

    Raises: CorruptRecord.
    """
    match record:
        case [_, bytes(name), bytes(sealed)]:
            found = held.get(name)
        case _:
            raise CorruptRecord("a sealed fact of the file is none", hint="use another copy")
    if found is None:
        return None
    try:
        nonce = sealed[:_NONCE_BYTES]
        plain = AESGCM(found.key).decrypt(nonce, sealed[_NONCE_BYTES:], name)
        opened: Record = msgspec.msgpack.decode(plain)
    except (InvalidTag, ValueError, msgspec.MsgspecError) as error:
        raise CorruptRecord("a fact does not match its key", hint="use another copy") from error
    return opened


def join_observations(raw: bytes, observations: list[Any]) -> bytes:
    """Return a file of observations with those put back that it was kept without."""
    said = parse_json(raw)
    said["observations"] = observations
    return page_of(said)


def _keys_of(kv: KeyValue) -> Keys:
    found: Keys = {}
    for bounds in (keys.event_seal_range(), keys.session_seal_range()):
        for key, value in kv.scan(Family.KEYS, *bounds):
            found[key] = HeldKey(value)
    return found


def _seal_all(project: Project, kv: KeyValue, held: Keys) -> Iterator[Record]:
    for key, value in kv.scan(Family.CHECKPOINTS, *keys.checkpoint_range("observe/")):
        if b"|done/" in key:
            yield _seal(project, held, b"mark:" + key, [ROW, "checkpoints", key, value])
    before: list[Record] = []  # parts of one file of questions
    for record in list_files(project):
        if record[0] != FILE or str(record[2]).startswith(("bm25-index/", "recalled/")):
            continue
        if _QUESTIONS in f"/{record[2]}" and str(record[2]).endswith(".jsonl"):
            before = [*(each for each in before if each[2] == record[2]), record]
            if record[6]:
                yield from _seal_questions(project, held, before)
            continue
        yield from _seal_file(project, held, record)


def _seal_questions(project: Project, held: Keys, parts: list[Record]) -> Iterator[Record]:
    """Seal a file of questions as parts of one question each, with that question's key."""
    head, name = parts[-1][:5], str(parts[-1][2])
    lines = b"".join(bytes(part[5]) for part in parts).splitlines(keepends=True)
    for key_name, of_one in groupby(lines, key=lambda line: _name_key(name, line)):
        yield _seal(project, held, key_name, [*head, b"".join(of_one), False])
    yield _seal(project, held, b"file:" + name.encode(), [*head, b"", True])


def _name_key(name: str, line: bytes) -> bytes:
    """Return what the key of a line is called: of its question, if it has words of that."""
    try:
        event = event_of(parse_json(line), "")
    except (ValueError, DamagedLedger, UnknownVersion):
        return VOLATILE + name.encode()
    of_question = OF_QUESTION + event.question.encode()
    return of_question if has_words(event) else b"file:" + name.encode()


def _seal_file(project: Project, held: Keys, record: Record) -> Iterator[Record]:
    name, part = str(record[2]), bytes(record[5])
    if _VIEWS in name:  # they are made again from the events
        yield _seal(project, held, VOLATILE + name.encode(), record)
        return
    if _MEMORY in f"/{name}" or "private/memory/" in name:
        if name.endswith("manifest.json"):
            return  # it is made again from the files
        if name.endswith(".json") and record[6]:
            said = _observations_of(part)
            if said is not None:
                kept, observations = said
                yield _seal(project, held, b"file:" + name.encode(), [*record[:5], kept, True])
                for each in observations:
                    yield _seal_observation(project, held, name, each)
                return
        yield _seal(project, held, VOLATILE + name.encode(), record)
        return
    yield _seal(project, held, b"file:" + name.encode(), record)


def _observations_of(part: bytes) -> tuple[bytes, list[dict[str, Any]]] | None:
    """Return a file of observations without them, and them; None for what is none."""
    try:
        said = parse_json(part)
    except ValueError:
        return None
    if not isinstance(said, dict) or not isinstance(said.get("observations"), list):
        return None
    found = [each for each in said["observations"] if isinstance(each, dict)]
    return page_of({**said, "observations": []}), found


def _seal_observation(project: Project, held: Keys, name: str, each: dict[str, Any]) -> Record:
    key_name = OF_OBSERVATION + str(each.get("id", "")).encode()
    proofs = each.get("eventIds")
    sealed = _seal(project, held, key_name, [OBSERVATION, name, line_of(each)])
    held[key_name].session_id = str(each.get("sessionId", ""))
    held[key_name].event_ids = [str(proof) for proof in proofs] if isinstance(proofs, list) else []
    return sealed


def _seal(project: Project, held: Keys, name: bytes, record: Record) -> Record:
    if name not in held:
        held[name] = HeldKey(project.entropy(_KEY_BYTES))
    nonce = project.entropy(_NONCE_BYTES)
    plain = msgspec.msgpack.encode(record)
    return [SEALED, name, nonce + AESGCM(held[name].key).encrypt(nonce, plain, name)]
