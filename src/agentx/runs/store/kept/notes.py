"""What this machine notes of the branch that keeps a checkout's runs, outside of the checkout.

    note.json       where the branch is as far as all is in the folder, and which facts it holds
    seen/<run>      how the files of a run were when they were last committed
    waiting/<run>   there from before something is written until it is committed
    unmade/<run>    which files a person took lines out of, as the branch held them, until the
                    pages are made without those

Losing them loses nothing: the branch is read anew. Without `unmade` a page that says what was taken
out is one that somebody edited.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from agentx.host.documents.json_file import JSON
from agentx.host.files import json_text
from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import exists, list_folder, read_bytes, remove, remove_tree
from agentx.host.locks.lock import locked
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import is_run_id
from agentx.kernel.paths import Below
from agentx.kernel.values import frozen

_LEAVES = b"leaves\n"
_SAID = ("forgotten", "let", "pushes_to")


@frozen(kw_only=False)
class KeptNotes:
    """The notes of one checkout."""

    root: Path

    note = Below("note.json")
    seen = Below("seen")
    waiting = Below("waiting")
    unmade = Below("unmade")
    claiming = Below("claiming")

    @property
    def is_there(self) -> bool:
        """Whether anything was ever kept."""
        return exists(self.note)

    def read(self) -> dict[str, Any]:
        """Return the note; nothing where there is none, or none that can be read."""
        with suppress(OSError):
            found = JSON.parse(read_bytes(self.note))
            if isinstance(found, dict):
                return found
        return {}

    @contextmanager
    def editing(self, clock: Clock) -> Iterator[dict[str, Any]]:
        """Hold the branch for this checkout, and give the note.

        Raises: LockHeld, UnavailableError.
        """
        with locked(self.note, owner="agentx run", clock=clock):
            note = self.read()
            before = json_text.line_of(note)
            said = {name: note.get(name) for name in _SAID}
            yield note
            after = json_text.line_of(note)
            if after != before:
                # All but what a person said can be found out anew.
                is_synced = said != {name: note.get(name) for name in _SAID}
                replace_file(self.note, after, is_synced=is_synced)

    def begin(self, run_id: str, *, leaves: bool = False) -> None:
        """Note that a run is about to be written, or that its folder goes."""
        with suppress(AgentXError, OSError):
            if leaves or not exists(self.waiting / run_id):
                replace_file(self.waiting / run_id, _LEAVES if leaves else b"", is_synced=False)

    def list_waiting(self) -> dict[str, bool]:
        """Return the runs that were written and not committed, and whether their folder goes."""
        found: dict[str, bool] = {}
        with suppress(OSError):
            for name in list_folder(self.waiting).files:
                if is_run_id(name):
                    found[name] = read_bytes(self.waiting / name) == _LEAVES
        return found

    def end(self, run_id: str) -> None:
        """Note that a run is committed."""
        with suppress(AgentXError, OSError):
            remove(self.waiting / run_id)

    def begin_unmade(self, run_id: str, files: dict[str, str]) -> None:
        """Note of which files, by what git keeps of them, a person takes lines out just now.

        Raises: UnavailableError.
        """
        replace_file(self.unmade / run_id, json_text.line_of({**self.read_unmade(run_id), **files}))

    def read_unmade(self, run_id: str) -> dict[str, str]:
        """Return the files of a run that lines were taken out of, while its pages may say them."""
        with suppress(OSError):
            found = JSON.parse(read_bytes(self.unmade / run_id))
            if isinstance(found, dict):
                return found
        return {}

    def list_unmade(self) -> tuple[str, ...]:
        """Return the runs whose pages may say what was taken out."""
        found: tuple[str, ...] = ()
        with suppress(OSError):
            found = tuple(filter(is_run_id, list_folder(self.unmade).files))
        return found

    def end_unmade(self, run_id: str) -> None:
        """Note that the pages of a run were made without what was taken out."""
        with suppress(AgentXError, OSError):
            remove(self.unmade / run_id)

    def read_seen(self, run_id: str) -> dict[str, list[int]]:
        """Return how the files of a run were when they were last committed."""
        with suppress(OSError):
            found = JSON.parse(read_bytes(self.seen / run_id))
            if isinstance(found, dict):
                return found
        return {}

    def write_seen(self, run_id: str, files: dict[str, list[int]]) -> None:
        """Note how the files of a run are now, or that it has none."""
        with suppress(AgentXError, OSError):
            if files:
                data = json_text.line_of(files)
                replace_file(self.seen / run_id, data, is_synced=False)
            else:
                remove(self.seen / run_id)

    def forget_seen(self) -> None:
        """Let every file be looked at anew."""
        with suppress(AgentXError, OSError):
            remove_tree(self.seen)
