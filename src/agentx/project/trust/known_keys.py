"""Whose keys the user trusts in a repository: said once, for all checkouts the user has of it.

    <data folder>/trust/repositories/<name>.json    by fingerprint: the key, when that was said, and
                                                    whether it was withdrawn

A checkout is deleted and cloned anew, or there are two of them: whom the user trusts is no matter
of the folder. A repository may have several names; what was said last of a key counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path

from agentx.host.files.atomic import replace_file
from agentx.host.files.disk import look_at
from agentx.host.files.json_text import line_of, parse_json
from agentx.kernel.clock import Clock, from_iso, to_iso
from agentx.kernel.ids import digest
from agentx.kernel.values import frozen
from agentx.project.trust.marker import read_small

_FILE_BYTES_MAX = 1024 * 1024
_FILE_NAME_BYTES = 16
_PLACES_MAX = 16  # who drives a run asks for the same at every word


@frozen
class TrustedKey:
    """What the user says of a writer's key in one repository."""

    key: str
    name: str
    at: str
    repositories: tuple[str, ...] = ()  # what it called this repository, beside our own names
    withdrawn: bool = False
    writer: str = ""  # of whose card it was taken


Keys = Mapping[str, TrustedKey]  # by fingerprint


class KnownKeys:
    """The keys of whom the user trusts, by what the repositories are called in signatures."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._read: dict[str, tuple[object, Keys]] = {}

    def list_keys(self, names: Iterable[str], others: Keys) -> dict[str, TrustedKey]:
        """Return what was said last of each key, beside what `others` say of it."""
        found = dict(others)
        for name in names:
            _add_newer(found, self._look(self._place(name)))
        return found

    def note(self, names: Iterable[str], keys: Keys) -> None:
        """Note what is said of some keys, under every name of a repository.

        Raises: UnavailableError, LockHeld.
        """
        # Few commands come here, and locks take long to load.
        from agentx.host.locks.lock import locked  # noqa: PLC0415  see above

        for path in map(self._place, names):
            with locked(path, owner="writers", clock=self._clock):
                known = dict(_read_file(path))
                _add_newer(known, keys)
                said = {name: asdict(key) for name, key in sorted(known.items())}
                replace_file(path, line_of({"keys": said}) + b"\n")

    def list_files(self, names: Iterable[str]) -> tuple[Path, ...]:
        """Return where it stands what is said of keys, name by name."""
        return tuple(map(self._place, names))

    def _look(self, path: Path) -> Keys:
        seen = look_at(path)
        if seen is None:
            return {}
        known = self._read.get(path.name)
        if known is None or known[0] != seen:
            known = self._read[path.name] = (seen, _read_file(path))
        return known[1]

    def _place(self, name: str) -> Path:
        return _place_below(self._folder, name)


@lru_cache(_PLACES_MAX)
def _place_below(folder: Path, name: str) -> Path:
    # The name came from a card, which anybody may have written: it leads nowhere.
    return folder / f"{digest(name, size=_FILE_NAME_BYTES).hex()}.json"


def read_keys(said: object) -> dict[str, TrustedKey]:
    """Return the keys that a document lists; what is none is left out."""
    found = said.items() if isinstance(said, dict) else ()
    return {str(name): _read_key(key) for name, key in found if isinstance(key, dict)}


def _read_key(said: Mapping[str, object]) -> TrustedKey:
    names = said.get("repositories")
    return TrustedKey(
        key=str(said.get("key")),
        name=str(said.get("name")),
        at=read_time(said.get("at")),
        repositories=tuple(map(str, names)) if isinstance(names, list) else (),
        withdrawn=said.get("withdrawn") is True,
        writer=str(said.get("writer", "")),
    )


def read_time(said: object) -> str:
    """Return a time as times are compared here; nothing for what is none."""
    try:
        return to_iso(from_iso(said)) if isinstance(said, str) else ""
    except (ValueError, OverflowError, OSError):
        return ""


def _read_file(path: Path) -> Keys:
    raw = read_small(path, _FILE_BYTES_MAX)
    try:
        said = None if raw is None else parse_json(raw)
    except ValueError:
        return {}
    return read_keys(said.get("keys")) if isinstance(said, dict) else {}


def _add_newer(known: dict[str, TrustedKey], others: Keys) -> None:
    for name, key in others.items():
        if name not in known or known[name].at < key.at:
            known[name] = key
