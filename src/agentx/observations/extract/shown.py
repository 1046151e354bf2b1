"""What went wrong for the user: the errors in what was pasted into a prompt.

The user did not say them, and they were not seen by the agent, but they are why the work began.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentx.kernel.text import without_recall
from agentx.observations.extract.session.commands import find_errors
from agentx.observations.extract.session.exchanges import Exchange
from agentx.observations.extract.session.turns import Finding
from agentx.observations.model import Category
from agentx.prose.pasted import split_pasted
from agentx.prose.sentences import shorten
from agentx.prose.titles import is_written_by_machine

SHOWN = "The user was shown: "
_TOLD_CHARS = 105
_TOLD_MAX = 2


def find_shown(found: list[Exchange]) -> Iterator[Finding]:
    """Yield the errors that the user pasted, one finding a prompt."""
    for exchange in found:
        prompt = exchange.prompt
        if prompt is None or is_written_by_machine(prompt.text):
            continue
        told = find_errors(split_pasted(without_recall(prompt.text))[1])
        if not told:
            continue
        content = SHOWN + "; ".join(shorten(line, _TOLD_CHARS) for line in told[:_TOLD_MAX])
        yield Finding(
            category=Category.ERROR,
            content=content,
            summary=content,
            event_ids=(prompt.event_id,),
            at_ms=prompt.at_ms,
        )
