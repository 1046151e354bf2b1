"""What opens kept backups: the keys of their facts, in two checked copies outside of the store.

A backup holds facts sealed, each with a key of its own, and no key. Forgetting takes a key out of
both copies, and with it the fact out of every backup there is. Each copy is one file that knows
whether it is whole; a damaged one is made again from the other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from agentx.conversation.model import Grave
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.json_text import line_of, parse_json
from agentx.host.limits import LOCK_POLL_MS
from agentx.host.locks.flock import Flock
from agentx.kernel.errors import CorruptRecord, LockHeld
from agentx.kernel.ids import EventId
from agentx.project.project import Project

COPIES = ("a", "b")
_WAIT_MS = 60_000
VOLATILE = b"volatile:"  # what may hold anything, and so goes with every forgetting


class HeldKey(msgspec.Struct, array_like=True):
    """A key, and whose events the fact was learnt from."""

    key: bytes
    session_id: str = ""
    event_ids: list[str] = []


Keys = dict[bytes, HeldKey]
_decoder = msgspec.msgpack.Decoder(Keys)


def keyring_copies(project: Project) -> tuple[Path, ...]:
    """Return where the copies lie."""
    return tuple(project.data.keys / project.store.root.name / name for name in COPIES)


@contextmanager
def holding_keys(project: Project) -> Iterator[None]:
    """Let nobody else change the keys: a backup must not write back what is being forgotten.

    Raises: LockHeld when somebody does not end.
    """
    make_private_directory(project.data.keys)
    path = project.data.keys / f"{project.store.root.name}.lock"
    waited_ms = 0
    while (held := Flock.claim(path)) is None:
        if waited_ms >= _WAIT_MS:
            raise LockHeld(f"{path}: a backup or a forgetting does not end", hint="try again later")
        project.clock.sleep_ms(LOCK_POLL_MS)
        waited_ms += LOCK_POLL_MS
    with held:
        yield


def load_keys(project: Project) -> Keys:
    """Return the keys of the first copy that is whole; none where there is no copy.

    Raises: CorruptRecord when no copy is whole.
    """
    there = [path for path in keyring_copies(project) if path.exists()]
    for path in there:
        found = _read(path)
        if found is not None:
            return found
    if there:
        raise CorruptRecord(
            f"{there[0].parent}: both copies of the keys are damaged",
            hint="kept backups cannot be opened; the log itself is not concerned",
        )
    return {}


def save_keys(project: Project, keys: Keys) -> None:
    """Write both copies, one after the other: at any moment one of them is whole.

    Raises: UnavailableError.
    """
    raw = msgspec.msgpack.encode(keys)
    digest = hashlib.blake2b(raw, digest_size=32).hexdigest()
    head = line_of({"version": 1, "count": len(keys), "digest": digest})
    for path in keyring_copies(project):
        replace_file(path, head + b"\n" + raw)


def find_damaged_keys(project: Project) -> Iterator[Path]:
    """Yield the copies that are gone or damaged, where there is any."""
    copies = keyring_copies(project)
    if any(path.exists() for path in copies):
        yield from (path for path in copies if _read(path) is None)


def drop_keys(project: Project, goes: Callable[[bytes, HeldKey], bool]) -> None:
    """Take the keys of what is forgotten out of both copies, with those of what may hold anything.

    Raises: UnavailableError; CorruptRecord when both copies are damaged.
    """
    if not any(path.exists() for path in keyring_copies(project)):
        return
    with holding_keys(project):
        keys = load_keys(project)
        kept = {
            name: each
            for name, each in keys.items()
            if not (name.startswith(VOLATILE) or goes(name, each))
        }
        save_keys(project, kept)


def is_of_grave(name: bytes, held: HeldKey, grave: Grave) -> bool:
    """Tell whether a key opens what goes with events, or was learnt from them."""
    ref = grave.session.hex().encode()
    is_session = bool(ref) and ref in name
    is_learnt = bool(grave.session_id) and held.session_id == grave.session_id
    return is_session or is_learnt or opens_any(name, held, set(grave.event_ids))


def opens_any(name: bytes, held: HeldKey, event_ids: Collection[EventId]) -> bool:
    """Tell whether a key opens one of some events, or what was learnt from it."""
    is_event = name.startswith(b"kev:") and name[4:].decode("ascii", "replace") in event_ids
    return is_event or any(each in event_ids for each in held.event_ids)


def _read(path: Path) -> Keys | None:
    try:
        head, _, raw = path.read_bytes().partition(b"\n")
        said = parse_json(head)
        digest = hashlib.blake2b(raw, digest_size=32).hexdigest()
        if not isinstance(said, dict) or said.get("digest") != digest:
            return None
        return _decoder.decode(raw)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None
