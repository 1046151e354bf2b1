"""What a tool works at: the project of the server's folder, and its memory, opened per call.

Nothing is held between calls: an agent CLI keeps its server running for hours, and hooks,
commands and other servers need the store meanwhile. A daemon that dies during a call is
done without in the next try.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock, local
from typing import TypeVar

from agentx.daemon.door import has_begun, open_or_look
from agentx.kernel.errors import DaemonUnavailable, NotFound
from agentx.memory.port import Behind, Memory
from agentx.project.config import Environment
from agentx.project.project import Project, open_project
from agentx.project.settings import StorageSettings
from agentx.surfaces.mcp.wire.calls import check_wanted

Reply = TypeVar("Reply")
OpenProject = Callable[[], Project]  # the project of the folder, as its settings are now

_TRIES = 2


class Desk:
    """Where the tools of one server work."""

    def __init__(
        self,
        directory: Path,
        environment: Environment,
        opened: Callable[[Project], Memory] = open_or_look,
    ) -> None:
        self._directory = directory
        self._environment = environment
        self._opened = opened
        self._last = local()  # what the last answer to this thread does not know
        # A store can be open once in a process, and clients call tools side by side.
        self._one_at_a_time = Lock()

    def project(self) -> Project:
        """Return the project, as its settings are now.

        Raises: NotFound when the folder is gone, InvalidValue for settings that cannot be.
        """
        return open_project(self._directory, self._environment)

    def ask(self, question: Callable[[Project, Memory], Reply], *, fresh: bool = False) -> Reply:
        """Put a question to the memory; with `fresh`, after taking what hooks have captured.

        Raises: NotFound when nothing is remembered yet, LockHeld when the store stays busy, and
            whatever the question raises.
        """
        with self._one_at_a_time:
            check_wanted()  # it may have been called off while it waited for its turn
            project = self.project()
            if not has_begun(project):
                raise NotFound(
                    f"nothing is remembered of {project.root} yet",
                    hint="go on without memory; the user can run `agentx init` here",
                )
            for _ in range(_TRIES - 1):
                try:
                    return self._ask(project, question, fresh=fresh)
                except DaemonUnavailable:
                    continue
            return self._ask(project, question, fresh=fresh)

    def ask_everywhere(self, question: Callable[[Project], Reply]) -> Reply:
        """Put a question to all projects, which opens their stores itself, after bringing this
        one up to date.

        Raises: LockHeld when this project's store stays busy, and whatever the question raises.
        """
        with self._one_at_a_time:
            check_wanted()
            project = self.project()
            if has_begun(project):
                self._ask(project, lambda _project, _memory: None, fresh=True)
            return question(project)

    def _ask(
        self, project: Project, question: Callable[[Project, Memory], Reply], *, fresh: bool
    ) -> Reply:
        with self._opened(project) as memory:
            if fresh:
                wait_ms = project.config.section(StorageSettings).wait_ms
                self._last.behind = memory.freshen(wait_ms)
                check_wanted()
            return question(project, memory)

    def take_behind(self) -> Behind:
        """Return what the answers to this thread did not know, once."""
        behind: Behind = getattr(self._last, "behind", Behind())
        self._last.behind = Behind()
        return behind
