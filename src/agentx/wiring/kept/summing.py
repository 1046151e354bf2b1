"""Segments in a few lines: as another process has them already, or else written here."""

from __future__ import annotations

from agentx.conversation.extract.summary import Extractive
from agentx.conversation.toc_model import Segment, SegmentSummary
from agentx.views.sessions.ahead import SessionsAhead


class WriterAhead:
    """Summarises as `Extractive` does, and sooner where that was done ahead."""

    name = Extractive.name

    def __init__(self, ahead: SessionsAhead) -> None:
        self._ahead = ahead
        self._here = Extractive()

    def summarise(self, segment: Segment) -> SegmentSummary:
        """Return a segment in a few lines."""
        found = self._ahead.find_summary(segment)
        return found if found is not None else self._here.summarise(segment)
