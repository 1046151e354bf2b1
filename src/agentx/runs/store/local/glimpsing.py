"""What can be told of a run by a glimpse at its files, without making sense of its events."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from agentx.host.files.plain import open_to_read, read_bytes
from agentx.runs.model import RunStatus
from agentx.runs.paths import RunPaths
from agentx.runs.store.event_files import event_files

_HEAD_BYTES = 8_192


def glimpse_status(paths: RunPaths) -> str:
    """Return the status that the manifest claims; empty if unclear."""
    try:
        with open_to_read(paths.manifest) as file:
            text = file.read(_HEAD_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    _, found, rest = text.partition("\nstate:\n")
    lines = rest.splitlines()[:4] if found else []
    said = [line.split(":", 1)[1].strip() for line in lines if line.startswith("  status:")]
    return said[0].strip("'\"") if len(said) == 1 and said[0] in set(RunStatus) else ""


def has_asked(paths: RunPaths) -> bool:
    """Tell whether a run ever asked a person something."""
    return names_any(paths, ("escalation-raised", "conflict-found"))


def names_any(paths: RunPaths, words: Iterable[str]) -> bool:
    """Tell whether the events of a run may name any of these: a type, an id.

    Its pages do not count: anybody can write or remove them.
    """
    sought = [word.encode() for word in words]
    with suppress(OSError):
        for file in event_files(paths):
            raw = read_bytes(file)
            if any(word in raw for word in sought):
                return True
    return False
