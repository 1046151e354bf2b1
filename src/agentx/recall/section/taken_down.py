"""What nobody is told any more, however a line of the table of contents says it.

A memory that was replaced, dropped, removed or mended was learnt from events, and the table of
contents still quotes these. Such a line is told only where it says something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from agentx.kernel.values import frozen
from agentx.observations.model import Observation
from agentx.observations.tidying.dropping import list_moments
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import coverage, likeness
from agentx.recall.section.choose import Tellable

_GRIP = "grip:"
_RESTATES = 0.8  # how like a memory a line is that says the same
_QUOTES = 0.5  # and one that quotes the events which that memory was learnt from

Words = frozenset[str]


@frozen
class TakenDown:
    """What was replaced last, and what a person took down."""

    replaced: tuple[Words, ...] = ()  # the words of each
    said_at: Mapping[int, tuple[Words, ...]] = field(default_factory=dict)  # by moment
    unsaid: frozenset[int] = frozenset()  # the moments of what a person took down or mended

    def covers(self, one: Tellable) -> bool:
        """Tell whether something that may be told says what was taken down."""
        if self.is_unsaid(one.doc_id, one.at_ms):
            return True
        said = self.said_at.get(one.at_ms, ()) if one.doc_id.startswith(_GRIP) else ()
        if any(
            max(coverage(one.words, words), likeness(one.words, words)) >= _QUOTES for words in said
        ):
            return True
        return any(likeness(one.words, words) >= _RESTATES for words in self.replaced)

    def is_unsaid(self, doc_id: str, at_ms: int) -> bool:
        """Tell whether a line quotes what a person took down or mended."""
        return doc_id.startswith(_GRIP) and at_ms in self.unsaid


def take_down(
    replaced: Iterable[Observation], mended: Iterable[Observation], unsaid: Iterable[int]
) -> TakenDown:
    """Return what is told no more of what was replaced, and of what a person looked after."""
    said_at: dict[int, tuple[Words, ...]] = {}
    every = []
    for one in replaced:
        words = terms(one.content)
        every.append(terms(one.summary))
        for moment in {one.timestamp_ms, *list_moments(one.event_ids)}:
            said_at[moment] = (*said_at.get(moment, ()), words)
    moments = {at for one in mended for at in (one.timestamp_ms, *list_moments(one.event_ids))}
    return TakenDown(replaced=tuple(every), said_at=said_at, unsaid=frozenset((*moments, *unsaid)))
