"""A log that is gone while its views are there: an accident, and not an empty memory.

Every command that opens the store looks here first, so this imports next to nothing.
"""

from __future__ import annotations

from pathlib import Path

from agentx.host.kv.folder import has_remains, has_store
from agentx.kernel.errors import CorruptRecord
from agentx.kernel.paths import StorePaths
from agentx.project.project import Project
from agentx.search.paths import IndexPaths


def is_log_gone(store: StorePaths) -> bool:
    """Tell whether views of a log are there, and nothing of the log itself."""
    if has_remains(store.db):
        return False
    views = (IndexPaths(store.text_index).current, store.digest_stamp)
    return any(path.exists() for path in views) or any(store.text_index.glob("*/current"))


def tombstone_file(project: Project) -> Path:
    """Return where the tombstones of a project's store stand."""
    return project.data.tombstones / f"{project.store.root.name}.jsonl"


def has_tombstones(project: Project) -> bool:
    """Tell whether anything of a project's store was ever forgotten."""
    return tombstone_file(project).exists()


def say_lost(store: StorePaths) -> str:
    """Say that the log is gone."""
    return f"the log is gone: nothing is left of {store.db}, and views of it are there"


def refuse_lost_log(store: StorePaths) -> None:
    """Refuse to begin an empty log beside the views of one that is gone, or amid a restore.

    Raises: CorruptRecord.
    """
    if store.restoring.exists():
        raise CorruptRecord(
            f"{store.root}: a restore was interrupted", hint="`agentx doctor --fix` finishes it"
        )
    if not has_store(store.db) and is_log_gone(store):
        raise CorruptRecord(
            say_lost(store),
            hint="bring the folder back, or let `agentx doctor --fix` begin again with what a "
            "backup and the transcripts still hold",
        )
