"""The newest memories that nobody has looked at, each with the words that prove it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress

from agentx.kernel.errors import AgentXError
from agentx.kernel.text import preview
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.observations.model import Category, Observation, ObservationIndex, SearchFilters
from agentx.operations.limits import REVIEW_MAX
from agentx.project.project import Project
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import coverage
from agentx.prose.sentences import sentences
from agentx.wiring.observations import open_observations

_QUOTE_CHARS_MAX = 300
_EVENT_CHARS_MAX = 20_000
_EVENTS_READ_MAX = 5


@frozen
class ReviewItem:
    """One memory, and where it comes from."""

    observation: Observation
    harness: str
    quote: str  # what was said, in the words of the event that proves it
    event_id: str


@frozen
class ReviewList:
    """What nobody has looked at yet, newest first."""

    waiting: int
    items: tuple[ReviewItem, ...]


def memory_review(project: Project, memory: Memory, limit: int = REVIEW_MAX) -> ReviewList:
    """Return the newest observations that nobody has looked at yet.

    Raises: UnavailableError, DataError.
    """
    with closing(open_observations(project)) as room:
        rows = room.store.search_by_filters(SearchFilters(reviewed=False, superseded=False))
        rows = tuple(each for each in rows if not (each.pinned or _is_overview(each)))
        found = room.store.get_by_ids(each.id for each in rows[:limit])
    return ReviewList(waiting=len(rows), items=tuple(_prove(memory, each) for each in found))


def _is_overview(row: ObservationIndex) -> bool:
    """Tell whether it is told to nobody: what it sums up is reviewed by itself."""
    return row.category is Category.COMPACTION_SUMMARY


def _prove(memory: Memory, observation: Observation) -> ReviewItem:
    """Return an observation with the words that prove it best."""
    wanted = terms(observation.content)
    best, harness = (0.0, "", ""), ""
    for event_id in observation.event_ids[:_EVENTS_READ_MAX]:
        with suppress(AgentXError):  # an event may be forgotten
            event = memory.event(event_id)
            harness = harness or event.harness
            quotes = _quotes(event.text[:_EVENT_CHARS_MAX])
            best = max(best, *((coverage(wanted, terms(one)), one, event_id) for one in quotes))
    return ReviewItem(observation=observation, harness=harness, quote=best[1], event_id=best[2])


def _quotes(text: str) -> Iterator[str]:
    yield ""
    for each in sentences(text):
        yield preview(each.text, _QUOTE_CHARS_MAX)
