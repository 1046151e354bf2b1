"""Who may speak as whom: nobody signs for another, and who tries stands in the audit log."""

from __future__ import annotations

from agentx.clarification.errors import NotThePerson
from agentx.clarification.model import PERSON
from agentx.project.audit import AuditAct, record_act
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls


def judge_speaker(caller: WhoCalls, speaker: str) -> NotThePerson | None:
    """Return why a caller may not speak as somebody, or None."""
    if speaker == PERSON and not caller.is_person:
        if caller.is_agent:
            return NotThePerson(
                f"only a person can say this, and {caller.said_name} is none",
                hint="the user decides in a terminal of their own: agentx clarify inbox",
            )
        return NotThePerson(
            "only a person can say this, and nobody sits at a terminal here",
            hint="say it at a terminal; a program that says it for a person adds --as-person",
        )
    if caller.is_agent and caller.role and speaker != caller.role:
        return NotThePerson(
            f"{caller.role} calls: it cannot speak as {speaker}",
            hint=f"leave out who says it (--from, by MCP role), or let {speaker} say it",
        )
    return None


def check_speaker(project: Project, caller: WhoCalls, speaker: str, about: str) -> None:
    """See that a caller may speak as somebody.

    Raises: NotThePerson.
    """
    if judge_speaker(caller, speaker) is not None:
        refuse_speaker(project, caller, speaker, about)


def refuse_speaker(project: Project, caller: WhoCalls, speaker: str, about: str) -> None:
    """Refuse who may not, and note it.

    Raises: NotThePerson.
    """
    refusal = judge_speaker(caller, speaker)
    assert refusal is not None, "looked at before"
    facts = {"role": caller.role, "agent": caller.agent, "via": str(caller.via)}
    record_act(project, AuditAct.REFUSED, clarification=about, speaker=speaker, **facts)
    raise refusal
