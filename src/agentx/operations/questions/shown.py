"""To answer what one was shown just then, and nothing that is asked since."""

from __future__ import annotations

from agentx.clarification.errors import refuse_unseen
from agentx.clarification.model import PERSON, Clarification
from agentx.clarification.watch.awaiting import name_asked, sum_up_asked
from agentx.operations.questions.read import note_told
from agentx.operations.questions.settle import answer
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls


def sum_up_shown(state: Clarification) -> str:
    """Return by what it is known that somebody was shown just what is asked now."""
    return f"{name_asked(state).partition('@')[2]}:{sum_up_asked(state)}"


def answer_shown(
    project: Project, state: Clarification, text: str, *, shown: str, caller: WhoCalls
) -> Clarification:
    """Answer as a person what they were `shown` (`sum_up_shown`).

    Raises: NameMoved where it is asked otherwise by now; and as `answer`.
    """
    if shown != sum_up_shown(state):
        raise refuse_unseen(state, "is asked otherwise than you were shown")
    note_told(project, (state,))
    return answer(project, name_asked(state), text, by=PERSON, caller=caller)
