"""What in an archive its events make again, though it may hold what people wrote."""

from __future__ import annotations

from pathlib import PurePosixPath

from agentx.runs.pages.hand_edits import read_artifact
from agentx.runs.rules.fold import fold, in_order
from agentx.runs.store.archive import TAKEN_OVER
from agentx.runs.store.event_files import events_in

_ARTIFACTS = "artifacts"


def leave_made(run_id: str, files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the facts of a packed run without the artifacts to which nobody added by hand."""
    texts = (data for name, data in files.items() if name.endswith(".jsonl"))
    events = tuple(in_order(event for text in texts for event in events_in(text, run_id)))
    run = fold(run_id, events)

    def is_made(name: str, data: bytes) -> bool:
        path = PurePosixPath(name.removesuffix(TAKEN_OVER))
        if str(path.parent) != _ARTIFACTS:
            return False
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return False
        return read_artifact(run, path.name, text, events) is None

    return {name: data for name, data in files.items() if not is_made(name, data)}
