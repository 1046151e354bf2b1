"""To answer, to resolve, to escalate: what people and agents do to an open question."""

from __future__ import annotations

from agentx.clarification.model import Clarification
from agentx.operations.questions.routing import hub_of
from agentx.project.project import Project
from agentx.wiring.clarifications import speaker_named


def answer(project: Project, clarification_id: str, text: str, *, by: str = "") -> Clarification:
    """Answer a question, as the agent that was asked unless somebody else is named.

    Raises: ClarificationNotFound, IllegalTransition, InvalidValue, LockTimeout.
    """
    speaker = speaker_named(project, by)
    return hub_of(project).answer(clarification_id, text, by=speaker)


def resolve(
    project: Project, clarification_id: str, text: str = "", *, by: str = ""
) -> Clarification:
    """Settle a clarification: an answered one as its asker, any other as a person.

    Raises: ClarificationNotFound, IllegalTransition, InvalidValue, LockTimeout.
    """
    speaker = speaker_named(project, by)
    return hub_of(project).resolve(clarification_id, text, by=speaker)


def escalate(
    project: Project, clarification_id: str, text: str = "", *, by: str = ""
) -> Clarification:
    """Call a person.

    Raises: ClarificationNotFound, IllegalTransition, InvalidValue, LockTimeout.
    """
    speaker = speaker_named(project, by)
    return hub_of(project).escalate(clarification_id, text, by=speaker)
