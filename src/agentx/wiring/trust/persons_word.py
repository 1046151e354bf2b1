"""What only a person may say: whose words are a person's, and whom to trust.

An agent that could name who decides on GitHub, or trust a repository, could sign for a person.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from agentx.clarification.errors import NotThePerson
from agentx.kernel.errors import AgentXError
from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.vouching.standing import UNVERIFIED
from agentx.project.audit import AuditAct, record_act
from agentx.project.config import Environment
from agentx.project.project import Project, open_project
from agentx.project.roles.caller import WhoCalls, find_caller, find_unsettled_caller

if TYPE_CHECKING:
    from agentx.observations.model import Observation
    from agentx.observations.port import ObservationStore

# Also what claims a person: an agent's word would make it one's.
_PERSONS = (PERSON_ROLE, UNVERIFIED)


def guard_persons(project: Project, store: ObservationStore, found: Observation, does: str) -> None:
    """Refuse an agent that would reword or take away what a person had kept, merged or not.

    Raises: NotThePerson.
    """
    olds = (store.get_archived(each) for each in found.sources)
    if any(one is not None and one.agent in _PERSONS for one in (found, *olds)):
        what = f"what becomes of {found.id}, which a person said"
        require_person(project, what, hint=f"agentx memory {does} {found.id}", about=found.id)


def require_person_to_leave(
    environment: Environment, directory: Path, what: str, hint: str
) -> None:
    """Refuse an agent that would take AgentX, or a part of it, out.

    A setting that is wrong keeps no person from leaving, and lets no agent.

    Raises: NotThePerson.
    """
    try:
        project = open_project(directory, environment)
        require_person(project, f"that {what}", hint=hint, about="uninstall")
    except NotThePerson:
        raise
    except AgentXError:
        found = find_unsettled_caller(environment)
        if found.is_agent:
            raise _refuse(f"that {what}", hint, found) from None


def require_person(
    project: Project, what: str, *, hint: str, caller: WhoCalls | None = None, **facts: object
) -> None:
    """Refuse an agent, and keep that it tried; the facts say what it was about.

    Raises: NotThePerson.
    """
    calls = find_caller(project) if caller is None else caller
    if not calls.is_agent:
        return
    who = {"role": calls.role, "agent": calls.agent, "via": str(calls.via)}
    record_act(project, AuditAct.REFUSED, speaker="human", **facts, **who)
    raise _refuse(what, hint, calls)


def require_persons_word(
    project: Project, what: str, *, hint: str, caller: WhoCalls | None = None, **facts: object
) -> str:
    """Return how a person says something; refuse an agent, and a program that does not say for one.

    Raises: NotThePerson.
    """
    calls = find_caller(project) if caller is None else caller
    require_person(project, what, hint=hint, caller=calls, **facts)
    if not calls.is_person:
        raise NotThePerson(
            "only a person can say this, and nobody sits at a terminal here",
            hint="say it at a terminal; a program that says it for a person adds --as-person",
        )
    return str(calls.via)


def _refuse(what: str, hint: str, calls: WhoCalls) -> NotThePerson:
    return NotThePerson(
        f"only a person can say {what}, and {calls.said_name} is none",
        hint=f"the user says it in a terminal of their own: {hint}",
    )
