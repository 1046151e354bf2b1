"""Which process plays an agent in a lane: noted while it does, so that none outlives its driver.

<store>/runs/turns/<run-id>/<lane>.json     {"turn", "pid", "began"}
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.plain import is_folder, list_folder, read_text, remove
from agentx.host.process import Process, began, send_signal
from agentx.host.program import end_marked
from agentx.kernel.values import frozen
from agentx.runs.parts.turns import TURN_MARK
from agentx.runs.paths import RunNotes


@frozen
class TurnNote:
    """A process that plays an agent, and for which turn."""

    turn: str
    process: Process


class TurnNotes:
    """The notes of one run."""

    def __init__(self, notes: RunNotes, run_id: str) -> None:
        self._notes = notes
        self._run_id = run_id

    def note(self, lane: str, turn: str, pid: int) -> None:
        """Note which process plays an agent.

        Raises: OSError.
        """
        path = self._notes.turn(self._run_id, lane)
        make_private_directory(path.parent)
        said = {"turn": turn, "pid": pid, "began": began(pid)}
        replace_file(path, json.dumps(said).encode())

    def end(self, lane: str, turn: str) -> None:
        """End what is left of a turn: also what left its process group, where that can be told."""
        end_marked(TURN_MARK, turn)
        with suppress(OSError):
            remove(self._notes.turn(self._run_id, lane))

    def end_orphans(self) -> tuple[str, ...]:
        """End what a driver that was killed left at work; return whose turns these were."""
        ended = []
        for path, note in self._list():
            if send_signal(note.process, signal.SIGKILL):
                ended.append(note.turn)
            end_marked(TURN_MARK, note.turn)
            with suppress(OSError):
                remove(path)
        return tuple(ended)

    def _list(self) -> Iterator[tuple[Path, TurnNote]]:
        folder = self._notes.turn(self._run_id, "").parent
        for name in list_folder(folder).files if is_folder(folder) else ():
            path = folder / name
            try:
                said = json.loads(read_text(path))
                process = Process(pid=int(said["pid"]), began=str(said["began"]))
                yield path, TurnNote(turn=str(said["turn"]), process=process)
            except (OSError, ValueError, KeyError, TypeError):
                continue
