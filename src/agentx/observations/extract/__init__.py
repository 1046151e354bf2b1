"""From a session to what is worth remembering of it, by rules alone.

    turns --> exchanges --> candidates --> the worthiest, each telling something new --> merged
                                                                            --> one overview

Law: the same turns always give the same findings, in the same order; at most fifty of
them, each within its bounds, each with the events that prove it, none with private text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from agentx.exchanges.exchange import exchanges
from agentx.exchanges.lines import Boot
from agentx.exchanges.turns import Turn
from agentx.observations.extract.candidates import gather_candidates
from agentx.observations.extract.choice import choose, count_beyond
from agentx.observations.extract.merging import keep_worthiest, settle
from agentx.observations.extract.overview import overview
from agentx.observations.extract.session.finding import Finding
from agentx.observations.extract.session.names import Files
from agentx.observations.limits import OBSERVATIONS_PER_CAPTURE_MAX


def _is_news(_finding: Finding) -> bool:
    return True


def extract(
    turns: Iterable[Turn],
    *,
    since_ms: int = 0,
    is_news: Callable[[Finding], bool] = _is_news,
) -> tuple[Finding, ...]:
    """Return what a session teaches, oldest first; the last is the overview of it all.

    A session that was captured before is read whole, because what is new may rest on what is
    old; only news is kept, and the overview tells of what was asked since.
    """
    found = exchanges(turns)
    files = Files(found)
    candidates = gather_candidates(found, Boot(found))
    chosen = choose(candidates)
    taken = [files.place(replace(one.finding, weight=round(100 * one.worth))) for one in chosen]
    kept = keep_worthiest(filter(is_news, settle(taken)), OBSERVATIONS_PER_CAPTURE_MAX - 1)
    recent = [one for one in found if one.prompt is None or one.prompt.at_ms > since_ms]
    whole = overview(recent, kept, beyond=count_beyond(candidates, chosen))
    return kept if whole is None else (*kept, *settle((whole,)))
