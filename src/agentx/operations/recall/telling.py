"""What a session is told while an agent waits: asked by the hook, made by the daemon.

The hook sends who calls, from where and at which moment; it gets text as prepared files hold it,
on every line the id of what it tells, a tab, and the line. Nothing to tell is an empty text.
"""

from __future__ import annotations

from typing import Protocol

from agentx.kernel.paths import StorePaths
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.memory.wire.calls import Call
from agentx.operations.recall.section import open_asker

START = "start"


@frozen
class TellRequest:
    """Who is to be told something, and at which moment."""

    harness: str
    moment: str
    agent: str = ""
    branch: str = ""


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
    memory: Memory,
    *,
    directory: str,
    variables: dict[str, str],
    request: TellRequest,
) -> Telling:
    """Return what to tell a session that asks the daemon of a store.

    Raises: InvalidValue, NotFound.
    """
    project = open_asker(store, directory, variables)
    if request.moment != START:
        return Telling(prepared="")
    from agentx.recall.section.digests import make_digest  # noqa: PLC0415  only the daemon pays
    from agentx.wiring.section import section_sources  # noqa: PLC0415  only the daemon pays

    with section_sources(project, memory.of_project(project.id)) as sources:
        made = make_digest(sources, request.harness, branch=request.branch, role=request.agent)
    return Telling(prepared=made)
