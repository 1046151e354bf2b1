"""The folder of a store, looked at from outside: is there one, and is it whole at first sight?

RocksDB finds everything through the file `CURRENT`. Where that is gone it would begin an empty
store in the same folder, and sweep away the tables it no longer knows: so whoever opens a store
looks here first.
"""

from __future__ import annotations

from pathlib import Path

from agentx.kernel.errors import CorruptRecord

_HEAD = "CURRENT"
_REMAINS = ("*.sst", "MANIFEST-*", "*.log")


def has_store(path: Path) -> bool:
    """Tell whether a store can be opened there."""
    return (path / _HEAD).exists()


def has_remains(path: Path) -> bool:
    """Tell whether something of a store lies there, whole or not."""
    return has_store(path) or any(any(path.glob(pattern)) for pattern in _REMAINS)


def refuse_headless(path: Path) -> None:
    """Refuse to begin a store over the remains of another.

    Raises: CorruptRecord.
    """
    if not has_store(path) and has_remains(path):
        raise CorruptRecord(
            f"{path}: the store is damaged: {_HEAD} is gone, its tables are still there",
            hint="`agentx doctor --fix` brings back what can be read; nothing is touched before",
        )
