"""The recall section as it is asked for and given, and the way to a daemon that makes it.

A daemon has at hand what a command would have to import, compile and read first. It opens the
folder that the command stands in, with what the command's surroundings say, so that both make
the same section.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from agentx.kernel.errors import AgentXError, InvalidValue
from agentx.kernel.paths import StorePaths
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.memory.wire.calls import Call
from agentx.operations.limits import RECALL_TOKENS_DEFAULT
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.recall.section.render import RecallLine

RECALL_COMMANDS = "`agentx search WORDS`, `agentx expand ID`, `agentx why ID`."

# What of a command's surroundings has a say in what it is told.
_SURROUNDINGS = ("AGENTX_", "MEMORY_", "XDG_", "HOME", "TZ")


@frozen
class RecallRequest:
    """What to recall for: a role, an issue, what is about to be done. All may be empty."""

    agent: str = ""
    issue: int | None = None
    context: str = ""
    budget_tokens: int = RECALL_TOKENS_DEFAULT
    more: str = RECALL_COMMANDS  # how to get what is left out


@frozen
class RecallReply:
    """The section, fenced, and what is in it."""

    text: str
    tokens: int
    budget_tokens: int
    lines: tuple[RecallLine, ...]
    left_out: int


class SectionDoor(Protocol):
    """Who makes sections for others."""

    def recall(
        self, *, directory: str, variables: dict[str, str], request: RecallRequest
    ) -> RecallReply:
        """Return the section for whoever stands in a folder, with these surroundings."""
        ...


RECALL = Call("RecallSection", SectionDoor.recall)


def ask_daemon(
    project: Project, memory: Memory | None, request: RecallRequest
) -> RecallReply | None:
    """Return the section as the daemon that serves a memory makes it; None where none does."""
    if memory is None or not hasattr(memory, "ask_hatch"):
        return None  # the store is open here, or there is none
    said = project.environment.variables
    variables = {name: said[name] for name in said if name.startswith(_SURROUNDINGS)}
    given = {"directory": str(project.directory), "variables": variables, "request": request}
    try:
        made: RecallReply = memory.ask_hatch(RECALL, **given)
    except AgentXError:
        return None  # an older daemon, or a folder whose name cannot travel: it is made here
    return made


def open_asker(store: StorePaths, directory: str, variables: dict[str, str]) -> Project:
    """Open the project that somebody asks from.

    Raises: InvalidValue for one that another store remembers, NotFound.
    """
    project = open_project(Path(directory), read_environment(variables))
    if project.store.root != store.root:
        raise InvalidValue(f"{directory} is remembered in another store", hint="ask its own daemon")
    return project
