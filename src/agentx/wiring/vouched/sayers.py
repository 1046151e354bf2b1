"""What a question came to, with the name of the person who said just that."""

from __future__ import annotations

from collections.abc import Iterable

from agentx.clarification.model import Clarification
from agentx.clarification.store.question_events import QuestionEvent
from agentx.clarification.store.vouching.signers import find_sayer
from agentx.observations.model import Observation
from agentx.project.project import Project
from agentx.recall.known.answers import find_word, read_decision
from agentx.wiring.clarifications import name_decider


def name_decision(
    project: Project,
    state: Clarification,
    judged: Iterable[QuestionEvent],
    *,
    vouched: bool = False,
) -> Observation | None:
    """Return what a question came to, with the name of the person who said just that.

    None where nothing was decided; if it is to be `vouched`, where nobody vouches for it either.
    """
    word = find_word(state) or state.resolution
    key = "" if word is None else find_sayer(state, word, judged)
    return None if vouched and not key else read_decision(state, by=name_decider(project, key))
