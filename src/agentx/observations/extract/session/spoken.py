"""In which events of a session a person spoke: what nobody else may take back or put otherwise.

A person speaks by a prompt, and by what an agent CLI hands over as the result of a tool: the
answer to a question, a plan that is approved or refused, a step that is not allowed.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentx.exchanges.exchange import exchanges
from agentx.exchanges.tools import Use
from agentx.exchanges.turns import Turn, TurnKind
from agentx.kernel.text import compile_late, without_recall
from agentx.observations.extract.session.finding import Finding
from agentx.prose.passages import cut_passages
from agentx.prose.titles import is_written_by_machine
from agentx.prose.whose.pasted import split_pasted

_PASSAGE_CHARS_MAX = 1_000
_SETTLED_BY = (Use.QUESTION, Use.PLAN)
# How the rules tell what a person did.
_TOLD = compile_late(
    r"(?:\A|\W\s)The user (?:said|answered|chose|agreed|proposed|refused|approved|decided)\b"
    r"|(?:\A|[;\n]\s*)Asked: "
)


def find_spoken(turns: Sequence[Turn]) -> frozenset[str]:
    """Return the events in which a person spoke, and the calls that a person answered."""
    spoken = {turn.event_id for turn in turns if turn.kind is TurnKind.PROMPT}
    for exchange in exchanges(turns):
        for step in exchange.steps:
            if step.result is not None and (step.use in _SETTLED_BY or step.was_refused):
                spoken.update(step.event_ids)
    return frozenset(spoken)


def rests_on_person(finding: Finding, spoken: frozenset[str]) -> bool:
    """Tell whether a finding tells what a person said or settled."""
    return not spoken.isdisjoint(finding.event_ids) or is_told_of_person(finding.content)


def is_told_of_person(content: str) -> bool:
    """Tell whether a memory says that a person said or settled something."""
    return _TOLD.search(content) is not None


def find_passage(quote: str, prompt: Turn) -> str:
    """Return the passage of a prompt, whole, in which a quotation stands; empty without one.

    What was pasted, or written by an agent CLI, is nobody's words.
    """
    if prompt.kind is not TurnKind.PROMPT or is_written_by_machine(prompt.text):
        return ""
    wanted = " ".join(quote.split()).casefold()
    own = split_pasted(without_recall(prompt.text))[0]
    # From its first to its last word: a passage may leave out sentences that say little.
    passages = (" ".join(own[one.start : one.end].split()) for one in cut_passages(own))
    found = next((one for one in passages if wanted in one.casefold()), "")
    return found if len(found) <= _PASSAGE_CHARS_MAX else ""
