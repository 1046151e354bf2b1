"""What a request works at: the project of the folder, and its memory, opened for that request.

Nothing is held between requests but the project itself, for a moment: a daemon serves the memory,
and where none may run the store belongs to hooks and commands as well. Without a daemon requests
wait for each other, since a store can be open once in a process.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Lock

from agentx.conversation.model import SessionQuery
from agentx.daemon.auto.calling import call_daemon
from agentx.daemon.door import find_daemon, has_begun, open_to_read
from agentx.kernel.errors import AgentXError, DaemonUnavailable
from agentx.kernel.roles import PERSON_ROLE
from agentx.memory.port import Memory
from agentx.operations.questions.read import inbox_of
from agentx.project.config import Environment
from agentx.project.project import Project, open_project
from agentx.project.roles.caller import WhoCalls, find_caller
from agentx.project.settings import StorageSettings
from agentx.project.zone import project_zone
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.asked import PageCall

_SESSIONS_WATCHED = 20
_WAITING_SECONDS = 4.0  # to look is work: late questions are seen to by whoever looks
_CALLED_SECONDS = 30.0
_PROJECT_SECONDS = 2.0  # how old what settings say may be


class PageDesk:
    """Where the views of one server work."""

    def __init__(
        self, directory: Path, environment: Environment, caller: WhoCalls | None = None
    ) -> None:
        self._directory = directory
        self._environment = environment
        self._changing = Lock()
        self.deciding = Lock()  # what is shown and what is said of it: one person's word at a time
        self._one_at_a_time = Lock()
        self._known: tuple[float, Project] | None = None
        # Who opened the page: a process turns into its server, and has above it who called it.
        self.caller = caller or find_caller(self.project)
        self._waiting: tuple[float, tuple[str, ...]] = (float("-inf"), ())
        self._calls, self._called = False, float("-inf")
        self.form_word = ""  # that every form of the page carries

    @property
    def project(self) -> Project:
        """The project, as its settings are now."""
        with self._changing:
            now = time.monotonic()
            if self._known is None or now - self._known[0] > _PROJECT_SECONDS:
                self._known = (now, open_project(self._directory, self._environment))
            return self._known[1]

    @property
    def dates(self) -> Dates:
        """The present, and where days begin."""
        project = self.project
        return Dates(now_ms=project.clock.now_ms(), zone=project_zone(project))

    @property
    def is_begun(self) -> bool:
        """Whether anything is remembered of this folder."""
        return has_begun(self.project)

    @property
    def read_only(self) -> str:
        """Why nothing can be changed here; empty where it can."""
        if not self.caller.is_agent:
            return ""
        return f"opened by {self.caller.said_name}: only a person changes memory by this page"

    def find_refusal(self, asked: PageCall) -> str:
        """Return why who asks may change nothing here, by no form; empty for a person."""
        sender = "" if self.read_only else asked.find_sender()
        told = f"asked by {sender}: only a person changes memory by this page" if sender else ""
        return self.read_only or told

    def may_speak(self, asked: PageCall) -> bool:
        """Tell whether who asks can say here what a person says."""
        return self.caller.is_person and not self.find_refusal(asked)

    @contextmanager
    def reading(self) -> Iterator[Memory]:
        """Give the memory, as it is."""
        project = self.project
        is_served = _has_daemon(project)
        if not is_served:
            self._call_again()
        with nullcontext() if is_served else self._one_at_a_time, open_to_read(project) as memory:
            if not is_served:
                memory.freshen(project.config.section(StorageSettings).wait_ms)
            yield memory

    def list_waiting(self) -> tuple[str, ...]:
        """Return what waits for the person, by names, as it was a moment ago."""
        with self._changing:
            at, known = self._waiting
        if time.monotonic() - at > _WAITING_SECONDS:
            known = self._list_waiting()
            with self._changing:
                self._waiting = (time.monotonic(), known)
        return known

    def forget_waiting(self) -> None:
        """Look anew at what waits: somebody has just decided."""
        with self._changing:
            self._waiting = (float("-inf"), ())

    def _list_waiting(self) -> tuple[str, ...]:
        if not self.project.has_questions and not self.project.has_runs:
            return ()
        seen = inbox_of(self.project, PERSON_ROLE)
        return (
            *(one.id for one in seen.clarifications),
            *(f"{one.run_id} {one.asked.id}" for one in seen.run_questions),
        )

    def look(self) -> dict[str, object]:
        """Return how things stand now, by what changes with it."""
        waiting = self.list_waiting()
        if not self.is_begun:
            return {"questions": waiting}
        with self.reading() as memory:
            lately = memory.sessions(SessionQuery(limit=_SESSIONS_WATCHED))
            told = {one.session_id: (one.events, one.last_ms, one.ended) for one in lately}
        return {**told, "questions": waiting}

    def call_daemon(self) -> None:
        """Have a daemon serve the memory from now on, where the settings let it."""
        self._calls = True
        if self.is_begun and not _has_daemon(self.project):
            self._call_again()

    def _call_again(self) -> None:
        """Send for a daemon, one that was ended too; not at once again where none came."""
        now = time.monotonic()
        with self._changing:
            is_due = self._calls and now - self._called > _CALLED_SECONDS
            self._called = now if is_due else self._called
        if is_due:
            call_daemon(self.project)


def _has_daemon(project: Project) -> bool:
    try:
        return find_daemon(project.store, wait_ms=0) is not None
    except DaemonUnavailable:
        return False
    except AgentXError:
        return False
