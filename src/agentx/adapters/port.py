"""What the house asks of an adapter.

An adapter is a package of three modules, one idea each:

* `hooks.py`        `drafts(call)`: what one hook payload says.
* `transcripts.py`  `discover(homes)`, `read(transcript)`: what its history on disk says.
* `setup.py`        `edits(request)`: how its settings files change when AgentX is added or removed.

`drafts` and `read` never raise on what they are given: agent CLIs change their
formats without notice. An unknown hook event or line becomes a note or is counted,
a field that is missing is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any

from agentx.adapters.homes import Homes
from agentx.kernel.capture import Draft, Harness
from agentx.kernel.clock import Millis
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen


@frozen
class HookCall:
    """One hook payload, as the spool kept it.

    `payload` is what the JSON said. `delivery` is the hash of the payload's bytes.
    """

    harness: str
    received_ms: Millis
    working_directory: str
    payload: dict[str, Any]
    delivery: str
    agent: str = ""
    branch: str = ""  # what was checked out there


@frozen
class Transcript:
    """One session on disk (or, for a database, one session in it)."""

    harness: Harness
    path: Path
    size_bytes: int
    modified_ms: Millis
    working_directory: str  # where the session ran; empty when the file does not say
    session_id: str = ""  # known beforehand only where the file name or a row says so


@frozen
class Damaged:
    """A line that could not be read; the rest of the file was."""

    path: Path
    line: int
    reason: str


SWITCHED_OFF = "no hook runs until"  # in a note of an edit: hooks are there, and do not run


class SetupScope(StrEnum):
    """Where hooks are installed."""

    USER = "user"
    PROJECT = "project"


@frozen
class SetupRequest:
    """What to add to, or take out of, the settings of an agent CLI.

    `hook_command` and `mcp_command` are argument lists with absolute paths.
    """

    homes: Homes
    scope: SetupScope
    project_root: Path
    hook_command: tuple[str, ...]
    mcp_command: tuple[str, ...] = ()
    allowed_tools: tuple[str, ...] = ()  # to be called without asking; of old ones, to be taken out
    uninstall: bool = False
    forgiving: bool = False  # what is wrong with one file is told in its edit, and stops no other

    @property
    def ground(self) -> Path | None:
        """The folder below which no link is followed; a user's own settings may be links."""
        return self.project_root if self.scope is SetupScope.PROJECT else None


@frozen
class FileEdit:
    """One settings file before and after; None means that it is not there."""

    path: Path
    before: str | None
    after: str | None
    notes: tuple[str, ...] = ()  # what the user should know or do
    ground: Path | None = None  # of a file in a repository: where no link is followed
    fault: AgentXError | None = None  # why it cannot be edited; then it is told as it is not there


@frozen
class Adapter:
    """One agent CLI, as the registry holds it; each of its modules is imported when asked."""

    harness: Harness
    title: str  # as people write it: "Claude Code"
    package: str  # the folder of its modules
    commands: tuple[str, ...]  # programs whose presence on the PATH shows that it is in use
    keeps_transcripts_days: int | None  # deletes its own history after this many days

    def drafts(self, call: HookCall) -> tuple[Draft, ...]:
        """Return what one hook payload says."""
        said: tuple[Draft, ...] = self._module("hooks").drafts(call)
        return said

    def discover(self, homes: Homes) -> Iterator[Transcript]:
        """Yield its sessions on disk."""
        found: Iterator[Transcript] = self._module("transcripts").discover(homes)
        return found

    def read(self, transcript: Transcript) -> Iterator[Draft | Damaged]:
        """Yield what a session on disk says."""
        said: Iterator[Draft | Damaged] = self._module("transcripts").read(transcript)
        return said

    def in_use(self, homes: Homes) -> bool:
        """Tell whether it left anything on this disk."""
        return bool(self._module("transcripts").in_use(homes))

    def edits(self, request: SetupRequest) -> tuple[FileEdit, ...]:
        """Return how its settings files change."""
        planned: tuple[FileEdit, ...] = self._module("setup").edits(request)
        return planned

    def _module(self, name: str) -> Any:
        return import_module(f"{__package__}.{self.package}.{name}")


class EditorName(StrEnum):
    """The editors: agents in them ask over MCP, and nothing of them is captured."""

    VSCODE = "vscode"


@frozen
class KnownEditor:
    """One editor, as the registry holds it; its package has a `setup.py` alone."""

    name: EditorName
    title: str
    package: str

    def edits(self, request: SetupRequest) -> tuple[FileEdit, ...]:
        """Return how its settings files change."""
        setup = import_module(f"{__package__}.{self.package}.setup")
        planned: tuple[FileEdit, ...] = setup.edits(request)
        return planned
