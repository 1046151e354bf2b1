"""What a question came to, by whose words: as it is told, and as a memory says it of a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentx.clarification.model import Clarification
from agentx.clarification.store.question_events import QuestionEvent
from agentx.clarification.store.vouching.signers import find_sayer
from agentx.observations.labels import read_said
from agentx.observations.model import Observation
from agentx.project.project import Project
from agentx.recall.known.answers import find_word, list_decisions, read_decision
from agentx.wiring.clarifications import name_decider
from agentx.wiring.vouched.outcomes import find_matter, is_word_of, list_ids, list_said


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


def find_former(
    one: Observation, states: Mapping[str, Clarification], named: Clarification | None
) -> Clarification | None:
    """Return the question that once came to what a memory says; else the one that it names.

    Of what its thread asks, that is what the memory says was asked.
    """
    matter = None if named is None else find_matter(one, list_decisions(named))
    if matter is not None and says(matter, one):
        return matter
    if named is not None and says(named, one):
        return named
    return next((state for state in states.values() if is_id_of(one.id, state, one)), named)


def says(state: Clarification, one: Observation) -> bool:
    """Tell whether a question came to what a memory says, by who it says it is of."""
    decision = read_decision(state)
    if decision is None or not is_word_of(one, decision):
        return False
    return read_said(one.content) in list_said(decision)


def is_id_of(name: str, state: Clarification, decision: Observation) -> bool:
    """Tell whether a memory of this id says that a question came to a decision."""
    return bool(state.uid) and name in list_ids(state, decision)
