"""How the ledgers were when memory last took what questions came to, noted in the store.

Each with how long its files of events were and whose words counted: what is as it was is not read
again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import msgspec

from agentx.clarification.store.ledgers import LedgerStore
from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import is_folder, read_bytes
from agentx.kernel.errors import AgentXError
from agentx.project.project import Project
from agentx.project.trust.writers import Hand
from agentx.wiring.clarifications import make_pen

_NOTE_BYTES_MAX = 4 * 1024 * 1024
LOOKS = 8  # raised where what was looked at by an earlier version is to be looked at again


class DecidedNote(msgspec.Struct, frozen=True, kw_only=True):
    """What was looked at, as it lies on disk."""

    looks: dict[
        str, str
    ] = {}  # by issue: how long its files of events were, and whose words counted
    others: dict[str, str] = {}  # the same of the files that others than this checkout wrote
    place: str = ""  # where memory was kept
    memory: str = ""  # how its files were
    taken_away: str = ""  # how the list of what the user took out of memory was
    by: int = 0  # which looks it is of


def look_at_ledgers(project: Project) -> dict[str, str]:
    """Return, by issue, what changes when somebody says something, or other words count.

    Raises: UnavailableError, UnsafePath.
    """
    return {issue: f"{sum(sizes.values())} {how}" for issue, sizes, how in _look(project)}


def look_at_others(project: Project) -> dict[str, str]:
    """Return the same of what others than this checkout said, where they said anything.

    Raises: UnavailableError, UnsafePath.
    """
    own = Hand(project.data, project.root, project.entropy).find_writer() or "/"
    looks = dict[str, str]()
    for issue, sizes, how in _look(project):
        theirs = [size for file, size in sizes.items() if not file.startswith(own)]
        if theirs:
            looks[issue] = f"{sum(theirs)} {how}"
    return looks


def _look(project: Project) -> Iterator[tuple[str, dict[str, int], str]]:
    """Yield each issue, how long its files of events are, and whose words count."""
    pen = make_pen(project)
    how = f"{pen.signatures.stamp()} {LOOKS}"
    for stamp in LedgerStore(project.paths, project.clock, pen).stamps():
        yield str(stamp.issue), stamp.sizes, how


def read_note(project: Project) -> DecidedNote:
    """Return what was looked at last; nothing where nobody knows."""
    try:
        raw = read_bytes(project.store.decided, bytes_max=_NOTE_BYTES_MAX)
        return msgspec.json.decode(raw, type=DecidedNote)
    except (OSError, ValueError, AgentXError, RecursionError):
        return DecidedNote()


def write_note(project: Project, note: DecidedNote) -> None:
    """Note what was looked at; who only looks begins no store for that."""
    if is_folder(project.store.root):
        with suppress(AgentXError, OSError):  # what is kept is found again by its name
            replace_file(project.store.decided, msgspec.json.encode(note))
