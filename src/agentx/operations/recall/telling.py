"""What a session is told while an agent waits: asked by the hook, made by the daemon.

The hook sends who calls, from where and at which moment; it gets text as prepared files hold it,
on every line the id of what it tells, a tab, and the line. Nothing to tell is an empty text.

Only a daemon imports this: an agent waits, so all that it takes is imported before it is asked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from agentx.kernel.paths import StorePaths
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.memory.wire.calls import Call
from agentx.observations.settings import MemorySettings
from agentx.operations.recall.section import open_asker
from agentx.project.project import Project
from agentx.project.roles.played import SessionName, decide_role
from agentx.project.settings import RecallSettings
from agentx.recall.section.digests import make_digest
from agentx.recall.telling.bar import bar_of
from agentx.recall.telling.prompt import AskedNow
from agentx.recall.telling.speaking import tell_prompt
from agentx.wiring.kept.following import follow_ledgers
from agentx.wiring.observations import OpenObservations
from agentx.wiring.section import section_sources

START, PROMPT = "start", "prompt"


@frozen
class TellRequest:
    """Who is to be told something, and at which moment."""

    harness: str
    moment: str
    agent: str = ""
    branch: str = ""
    session: str = ""
    text: str = ""  # of a prompt
    told: str = ""  # what the session was told before: ids between blanks


@frozen
class Telling:
    """What is to be told, as the hook reads it. The hook finds it by its place in the answer."""

    prepared: str


class TellingDoor(Protocol):
    """Who tells sessions what they should know."""

    def tell(self, *, directory: str, variables: dict[str, str], request: TellRequest) -> Telling:
        """Return what to tell a session that stands in a folder, with these surroundings."""
        ...


TELL = Call("TellSession", TellingDoor.tell)


def tell_for(
    store: StorePaths,
    kept: OpenObservations,
    memory: Memory,
    *,
    directory: str,
    variables: dict[str, str],
    request: TellRequest,
) -> Telling:
    """Return what to tell a session that asks the daemon of a store, which keeps rooms open.

    Raises: InvalidValue, NotFound.
    """
    project = open_asker(store, directory, variables)
    mine = memory.of_project(project.id)
    session = SessionName(harness=request.harness, session_id=request.session)
    role = decide_role(project, request.agent, session=session).role
    request = replace(request, agent=role)
    made = ""
    if request.moment == START:
        made = _tell_start(project, mine, request, kept)
    elif request.moment == PROMPT:
        made = _tell_prompt(project, mine, request, kept)
    return Telling(prepared=made)


def _tell_start(
    project: Project, memory: Memory, request: TellRequest, kept: OpenObservations
) -> str:
    follow_ledgers(project)
    with section_sources(project, memory, kept=kept) as sources:
        return make_digest(sources, request.harness, branch=request.branch, role=request.agent)


def _tell_prompt(
    project: Project, memory: Memory, request: TellRequest, kept: OpenObservations
) -> str:
    bar = bar_of(project.config.section(RecallSettings).at_prompt)
    if project.config.section(MemorySettings).tokens_told == 0:
        bar = None
    if not request.session:
        return ""
    told = frozenset(request.told.split())
    prompt = AskedNow(
        text=request.text, session_id=request.session, harness=request.harness, told=told
    )
    with section_sources(project, memory, kept=kept) as sources:
        return tell_prompt(sources, prompt, bar, role=request.agent, branch=request.branch)
