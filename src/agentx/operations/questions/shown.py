"""To answer what one was shown just then, or to say what holds of it, and of nothing since."""

from __future__ import annotations

from agentx.clarification.contested import find_unconfirmed, is_contested
from agentx.clarification.errors import refuse_unseen
from agentx.clarification.model import PERSON, Clarification
from agentx.clarification.watch.awaiting import name_asked, sum_up_asked
from agentx.kernel.ids import digest
from agentx.operations.questions.read import note_told
from agentx.operations.questions.settle import answer, resolve
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls


def sum_up_shown(state: Clarification) -> str:
    """Return by what it is known that somebody was shown just what is asked now."""
    return f"{name_asked(state).partition('@')[2]}:{sum_up_asked(state)}"


def find_said_for(state: Clarification) -> str:
    """Return what a program said for the person, and they may say themselves; else nothing."""
    word = find_unconfirmed(state)
    return "" if word is None or state.lets_go(word) else word.body


def may_settle(state: Clarification) -> bool:
    """Tell whether a person may say what holds of what is in doubt, and was not asked on."""
    return bool(find_said_for(state)) or (is_contested(state) and not state.asked_on)


def sum_up_doubt(state: Clarification) -> str:
    """Return by what it is known that somebody was shown just what is in doubt now."""
    words = (f"{each.type}{each.speaker}{each.via}{each.body}" for each in state.thread)
    return digest(sum_up_shown(state), *words).hex()


def settle_shown(
    project: Project, state: Clarification, text: str, *, shown: str, caller: WhoCalls
) -> Clarification:
    """Say as a person what holds of what they were `shown` (`sum_up_doubt`).

    Raises: NameMoved where more was said by now; and as `resolve`.
    """
    if shown != sum_up_doubt(state) or not may_settle(state):
        raise refuse_unseen(state, "stands otherwise than you were shown")
    note_told(project, (state,))
    return resolve(project, name_asked(state), text, by=PERSON, caller=caller)


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
