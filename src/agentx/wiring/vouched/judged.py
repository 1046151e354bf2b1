"""What is told of a memory otherwise than it lies on disk: whose it is, what replaced it, what its
question is called now, and which number its issue has."""

from __future__ import annotations

from dataclasses import replace

from agentx.kernel.roles import is_persons_name
from agentx.observations.ids import parse_observation_id
from agentx.observations.labels import DECIDED_BY, say_decider, say_unconfirmed
from agentx.observations.model import Category, Observation, ObservationIndex
from agentx.wiring.vouched.drops import OF_PERSON
from agentx.wiring.vouched.outcomes import (
    UNVERIFIED,
    find_question,
    is_withheld,
    rename_question,
)

_CUT = "\u2026"  # ends a line that says less than its memory
_END_CHARS = 60  # in which the name of a question stands


def may_be_persons(one: Observation | ObservationIndex) -> bool:
    """Tell whether a memory may be a person's, or claims to be."""
    return one.id.startswith(OF_PERSON) or is_persons_name(one.agent)


def names_question(text: str) -> bool:
    """Tell whether a memory may say what a question came to, by how its text ends."""
    return text.endswith("]") and "[CLR-" in text[-_END_CHARS:]


def may_name_question(row: ObservationIndex) -> bool:
    """Tell whether a memory may do so, by its line, which may be cut off or end before that."""
    is_cut = row.category == Category.DECISION and row.summary.endswith(_CUT)
    return is_cut or DECIDED_BY in row.summary or names_question(row.summary)


def tell_row(row: ObservationIndex, judged: Observation | None) -> ObservationIndex:
    """Return a line of the index as its memory was judged."""
    if judged is None:
        return row
    return replace(
        row,
        agent=judged.agent,
        superseded_by=judged.superseded_by,
        summary=judged.summary,
        issue_number=judged.issue_number,
        contested=judged.contested,
        decided_later=judged.decided_later,
        asked_on=judged.asked_on,
        unconfirmed=say_unconfirmed(judged.content),
        decided_by=say_decider(judged.content),
    )


def is_judged(one: Observation) -> bool:
    """Tell whether a memory may not be as it lies on disk."""
    is_placed = one.issue_number != parse_observation_id(one.id).issue_number
    return is_placed or is_withheld(one) or one.agent == UNVERIFIED or bool(find_question(one))


def put_back(one: Observation, plain: Observation | None) -> Observation:
    """Return what is to be written of a memory, without how it was judged when it was read."""
    if plain is None:
        return one
    by = plain.superseded_by if is_withheld(one) else one.superseded_by
    agent = plain.agent if one.agent == UNVERIFIED else one.agent
    one = rename_question(one, find_question(plain) or find_question(one))
    return replace(one, superseded_by=by, agent=agent, issue_number=plain.issue_number)
